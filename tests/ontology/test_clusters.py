"""Clusters of spellings: variants of one another are found, what may mean something else is kept apart."""

from __future__ import annotations

import csv
import random
import time
from dataclasses import replace
from pathlib import Path

import pytest

from allonym.errors import LinksError
from allonym.ontology.linking import links_file
from allonym.ontology.linking.clusters import clusters_of
from allonym.ontology.linking.link import Link, link
from allonym.ontology.wordnet import wordnet


def clustered(*values: str, concepts: dict[str, int] | None = None, language: str = "en") -> dict[str, str]:
    """Return the clusters of values, the first ones being the most frequent."""
    concept_of = concepts or {}
    links = [
        Link(v, 100 - i, concept_of.get(v), "exact", "sure" if v in concept_of else "unmatched")
        for i, v in enumerate(values)
    ]
    return clusters_of(links, language)


@pytest.mark.parametrize(
    "values",
    [
        ("Bus driver", "bus  driver", "BUS DRIVER.", "bus-driver", "driver, bus"),  # key collision
        ("healthcare worker", "health care worker", "health-careworker"),  # n-gram fingerprint
        ("carpenter", "carpentr", "carpenetr", "carpentter"),  # nearest neighbours
        ("registered nurse", "registred nurse", "nurse (registered)"),
        ("physiotherapist", "physiotheripist", "physioterapeist"),  # two slips in a long word
        ("café owner", "cafe owner"),
        ("type 2 diabetes", "diabetes type 2", "Diabetes, type 2", "type 2 diabets"),
    ],
)
def test_variants_of_a_value_form_one_cluster_named_after_the_most_frequent(values: tuple[str, ...]) -> None:
    assert clustered(*values) == dict.fromkeys(values, values[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("type 1", "type 2"),
        ("type ii", "type iii"),
        ("ward a", "ward b"),
        ("size XL", "size XXL"),
        ("with insurance", "without insurance"),
        ("insurance", "no insurance"),
        ("not able", "notable"),
        ("married", "unmarried"),
        ("smoker", "non smoker"),
        ("smoker", "nonsmoker"),
        ("1.5 mg", "15 mg"),
        ("1.5 mg", "5.1 mg"),
        ("2 adults 1 child", "1 adults 2 child"),
        ("under <5", "under >5"),
        ("group A+", "group A-"),
        ("group A-", "group A"),
        ("C++ developer", "C developer"),
        ("hypertension", "hypotension"),
        ("international", "intranational"),
        ("male", "female"),
        ("Iran", "Iraq"),
        ("Austria", "Australia"),
        ("Ireland", "Iceland"),
        ("bus driver", "bus drivers mate"),
    ],
)
def test_negations_numbers_sizes_and_opposites_never_cluster(one: str, other: str) -> None:
    assert clustered(one, other) == {}
    assert clustered(other, one) == {}


def test_negations_are_those_of_the_language() -> None:
    assert clustered("mit Auto", "ohne Auto", language="de") == {}


def test_values_that_mean_different_concepts_never_cluster() -> None:
    assert clustered("minor", "miner") != {}
    assert clustered("minor", "miner", concepts={"minor": 1, "miner": 2}) == {}
    assert clustered("miner", "miners", concepts={"miner": 2, "miners": 2}) == dict.fromkeys(
        ("miner", "miners"), "miner"
    )


def test_a_cluster_is_a_star_and_no_chain() -> None:
    assert clustered("bakerss", "bakersx", "bakexsx") == {"bakerss": "bakerss", "bakersx": "bakerss"}


def test_clusters_do_not_depend_on_the_order_of_the_values() -> None:
    values = ["carpenter", "carpentr", "Carpenter", "nurse aide", "nurse, aide", "aide nurse", "zz"]
    links = [Link(v, 50 - 7 * i, None, "unknown", "unmatched") for i, v in enumerate(values)]
    expected = clusters_of(links)
    for seed in range(5):
        shuffled = random.Random(seed).sample(links, len(links))
        assert clusters_of(shuffled) == expected


def test_ten_thousand_values_are_clustered_quickly() -> None:
    draw = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["ma" + "".join(draw.choices(letters, k=draw.randint(3, 10))) for _ in range(2500)]  # one first block
    values = dict.fromkeys(
        [*words, *(f"{a} {b}" for a, b in zip(draw.choices(words, k=9000), draw.choices(words, k=9000), strict=True))]
    )
    links = [Link(v, 1, None, "unknown", "unmatched") for v in values]
    assert len(links) > 10_000
    began = time.process_time()
    clusters_of(links)
    assert time.process_time() - began < 5


# --- settling clusters in a links file ---------------------------------------------------------------------------

VALUES = {"carpentrr": 9, "carpentr": 4, "carpentrx": 2, "electrician": 20, "electricain": 3}


def written(path: Path) -> dict[str, dict[str, str]]:
    """Write the links of values to a file, and return its rows."""
    people = wordnet(root="person")
    links = [
        replace(x, concept=None, reason="unknown", status="unmatched") if x.reason == "similar" else x
        for x in link(VALUES, people)
    ]
    path.write_text(links_file.to_csv(links, people))
    with path.open() as file:
        return {row["value"]: row for row in csv.DictReader(file)}


def save(path: Path, rows: dict[str, dict[str, str]]) -> None:
    with path.open("w") as file:
        writer = csv.DictWriter(file, list(next(iter(rows.values()))))
        writer.writeheader()
        writer.writerows(rows.values())


def test_a_links_file_names_clusters_and_one_row_settles_them(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    rows = written(path)
    assert {value: row["cluster"] for value, row in rows.items()} == {
        "carpentrr": "carpentrr", "carpentr": "carpentrr", "carpentrx": "carpentrr", "electrician": "electrician",
        "electricain": "electrician",
    }  # fmt: skip
    assert links_file.read(path).concepts == {"electrician": "electrician.n.01"}  # a cluster settles nothing by itself
    rows["carpentrr"] |= {"concept": "carpenter", "status": "cluster"}
    save(path, rows)
    settled = links_file.read(path)
    assert settled.concepts == dict.fromkeys(("carpentrr", "carpentr", "carpentrx"), "carpenter") | {
        "electrician": "electrician.n.01"
    }
    assert not settled.unseen
    people = wordnet(root="person")
    links = link(VALUES, people, settled=settled.concepts)
    path.write_text(links_file.to_csv(links, people, settled.rows))
    assert links_file.read(path).concepts["carpentrx"] == "carpenter.n.01"  # written again, it stays settled


def test_a_row_takes_the_concept_of_its_cluster(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    rows = written(path)
    rows["electricain"]["status"] = "cluster"
    save(path, rows)
    assert links_file.read(path).concepts == {"electrician": "electrician.n.01", "electricain": "electrician.n.01"}
    rows["electrician"] |= {"concept": "", "status": "sure"}  # a cluster may have no concept
    save(path, rows)
    assert links_file.read(path).concepts == {"electrician": "", "electricain": ""}


def test_a_cluster_that_is_settled_counts_as_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    rows = written(path)
    assert links_file.read(path).untouched == {"electrician"}
    rows["electrician"]["status"] = "cluster"
    save(path, rows)
    assert links_file.read(path).untouched == frozenset()
    assert links_file.read(path).concepts == {"electrician": "electrician.n.01", "electricain": "electrician.n.01"}


def test_rows_that_a_person_decided_keep_their_concepts(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    rows = written(path)
    rows["carpentrr"] |= {"concept": "carpenter", "status": "cluster"}
    rows["carpentr"] |= {"concept": "electrician"}
    rows["carpentrx"] |= {"status": "sure"}
    save(path, rows)
    concepts = links_file.read(path).concepts
    assert (concepts["carpentr"], concepts["carpentrx"]) == ("electrician", "")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"carpentr": {"status": "cluster"}}, "a cluster that is not settled"),
        ({"electricain": {"status": "cluster", "cluster": "no such value"}}, "a cluster that is not settled"),
        ({"electricain": {"status": "cluster", "concept": "cook"}}, "a concept of its own"),
    ],
)
def test_rows_of_unsettled_clusters_and_contradictions_are_refused(
    change: dict[str, dict[str, str]], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "links.csv"
    rows = written(path)
    for value, cells in change.items():
        rows[value] |= cells
    save(path, rows)
    with pytest.raises(LinksError, match=told):
        links_file.read(path)
