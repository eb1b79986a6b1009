"""The bundled survey matches its README, and tools/build_survey.py reproduces its files."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path

import build_survey
import pytest

import allonym as al

ROOT = Path(__file__).parents[1]
DATA = ROOT / "src" / "allonym" / "data"
DIRTY = ROOT / "tests" / "data" / "survey-dirty.csv"
BUILT = ("survey.csv", "reason.vgh.csv", "activity.vgh.csv")
WORDS = ("reason", "activity", "hobby", "origin")


def rows_of(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter, strict=True))


SURVEY = rows_of(DATA / "survey.csv")


def repetitions(values: Counter[tuple[str, ...]]) -> dict[int, int]:
    """Return the number of answers by their frequency."""
    return dict(Counter(values.values()))


def test_rebuilding_gives_the_same_bytes(tmp_path: Path) -> None:
    build_survey.build(tmp_path / "data", tmp_path / "tests")
    for name in BUILT:
        assert (tmp_path / "data" / name).read_bytes() == (DATA / name).read_bytes()
    assert (tmp_path / "tests" / DIRTY.name).read_bytes() == DIRTY.read_bytes()


def test_the_table_is_plain_csv() -> None:
    content = (DATA / "survey.csv").read_bytes()
    assert content.startswith(b"visitor,reason,activity,hobby,origin,age,spent\n")
    assert b"\r" not in content
    assert b'"' not in content
    assert len(SURVEY) == 975


def test_visitor_ids_are_unique_and_in_random_order() -> None:
    ids = [row["visitor"] for row in SURVEY]
    assert sorted(ids) == [f"V{i:04}" for i in range(1, 976)]
    rising = sum(a < b for a, b in pairwise(ids))
    assert 0.4 < rising / 974 < 0.6


def test_pairs_repeat_as_in_table_5_of_martinez_2010() -> None:
    pairs = Counter((row["reason"], row["activity"]) for row in SURVEY)
    assert len(pairs) == 211
    assert sum(count == 1 for count in pairs.values()) == 118
    assert pairs.most_common(1) == [(("nature", "relaxation"), 115)]
    assert repetitions(pairs) == {
        1: 118, 2: 26, 3: 20, 4: 9, 5: 10, 7: 3, 8: 2, 9: 3, 10: 2, 11: 3, 13: 2, 14: 1, 15: 1, 17: 2, 18: 1, 19: 1,
        23: 1, 25: 1, 40: 1, 65: 1, 66: 1, 82: 1, 115: 1,
    }  # fmt: skip


def test_hobbies_repeat_as_in_table_1_of_ipmu_2010() -> None:
    hobbies = Counter((row["hobby"],) for row in SURVEY)
    assert len(hobbies) == 221
    assert repetitions(hobbies) == {
        1: 84, 2: 9, 3: 6, 4: 24, 5: 23, 6: 37, 7: 12, 8: 1, 9: 2, 11: 7, 12: 5, 13: 1, 15: 5, 16: 2, 18: 2, 19: 1,
    }  # fmt: skip


def test_most_come_from_spain_and_france() -> None:
    origins = Counter(row["origin"] for row in SURVEY)
    assert len(origins) == 25
    assert [country for country, _ in origins.most_common(2)] == ["Spain", "France"]


def test_age_and_spent_are_numbers_in_range() -> None:
    assert all(18 <= int(row["age"]) <= 89 for row in SURVEY)
    assert all(row["spent"] == f"{float(row['spent']):.2f}" and float(row["spent"]) > 0 for row in SURVEY)


def test_spending_is_skewed_and_depends_on_the_activity() -> None:
    spent = sorted(float(row["spent"]) for row in SURVEY)
    assert sum(spent) / len(spent) > 1.15 * spent[len(spent) // 2]
    mean = {}
    for activity in ("walking", "dining"):
        amounts = [float(row["spent"]) for row in SURVEY if row["activity"] == activity]
        mean[activity] = sum(amounts) / len(amounts)
    assert mean["dining"] > 2 * mean["walking"]


@pytest.mark.parametrize("column", WORDS)
def test_words_are_in_wordnet(column: str) -> None:
    wordnet = al.wordnet()
    counts = Counter(row[column] for row in SURVEY)
    assert [word for word in counts if not wordnet.taxonomy.senses(word)] == []
    links = al.link(counts, wordnet)
    assert {link.reason for link in links} == {"exact"}
    assert sum(link.status == "sure" for link in links) >= 0.85 * len(links)


def test_nature_is_the_natural_world() -> None:
    wordnet = al.wordnet()
    [nature] = [x for x in al.link(Counter(row["reason"] for row in SURVEY), wordnet) if x.value == "nature"]
    assert wordnet.taxonomy.ids[nature.concept] == "nature.n.03"


@pytest.mark.parametrize("column", ["reason", "activity"])
def test_hierarchy_has_every_value_as_a_leaf(column: str) -> None:
    path = DATA / f"{column}.vgh.csv"
    rows = [line.split(";") for line in path.read_text("utf-8").splitlines()]
    assert {(len(row), row[-1]) for row in rows} == {(4, "*")}
    assert sorted(row[0] for row in rows) == sorted({row[column] for row in SURVEY})
    taxonomy = al.read_taxonomy(path)
    assert taxonomy.ids[taxonomy.root] == "*"
    assert {taxonomy.ids[c] for c in taxonomy.leaves(taxonomy.root)} == {row[0] for row in rows}


def test_dirty_copy_looks_like_a_spreadsheet_export() -> None:
    content = DIRTY.read_bytes()
    assert content.startswith(b"\xef\xbb\xbfvisitor;reason;activity;")
    assert content.count(b"\r\n") == 985  # a header and 984 rows
    assert content.count(b"\n") == 986  # and a line break within a cell
    assert content.count(b'"') > 100
    rows = rows_of(DIRTY, ";")
    hobbies = {row["hobby"] for row in rows}
    assert {"chess; poker", "gardening\nand cooking", 'the "cello"'} <= hobbies
    assert all(row["spent"][-3] == "," for row in rows)


def test_dirty_copy_has_repeat_visitors() -> None:
    rows = rows_of(DIRTY, ";")
    visits_of = Counter(row["visitor"] for row in rows)
    assert Counter(visits_of.values()) == {1: 968, 2: 6, 4: 1}
    [frequent] = [visitor for visitor, n in visits_of.items() if n == 4]
    visits = [row for row in rows if row["visitor"] == frequent]
    assert len({(row["reason"], row["activity"], row["hobby"]) for row in visits}) == 4
    assert len({(row["origin"], row["age"]) for row in visits}) == 1


def test_dirty_copy_has_every_kind_of_dirt() -> None:
    dirty = rows_of(DIRTY, ";")
    cells = [(a[x], b[x]) for a, b in zip(SURVEY, dirty, strict=False) for x in WORDS[:3]]
    changed = [(clean, now) for clean, now in cells if clean != now]
    assert 0.11 < len(changed) / len(cells) < 0.13
    assert {"", "?", "NA"} <= {now for _, now in changed}
    assert ("beach", "beaches") in changed
    assert any(now == clean.upper() for clean, now in changed)
    assert any(now != clean and now.strip() == clean for clean, now in changed)
    assert any(" " in clean and now == clean.replace(" ", "_") for clean, now in changed)
    assert any(" " in clean and now == clean.replace(" ", "-") for clean, now in changed)
    assert any(build_survey.SYNONYMS.get(clean) == now for clean, now in changed)
    assert any(len(now) == len(clean) and sorted(now) == sorted(clean) for clean, now in changed)  # letters swapped


def test_synonyms_share_a_synset() -> None:
    senses = al.wordnet().taxonomy.senses
    assert [a for a, b in build_survey.SYNONYMS.items() if not set(senses(a)) & set(senses(b))] == []
