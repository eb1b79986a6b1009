"""Named individuals among the items of sets: kept where the ontology has them, and given to nobody else."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pytest
from both_kernels import BOTH, use

import allonym as al
from allonym.ontology.linking.link import Link, link
from allonym.ontology.narrower import Narrower
from allonym.ontology.wordnet import wordnet
from allonym.pipeline.prepare import prepare
from allonym.pipeline.source import open_source

WORDNET = wordnet()
COMMON = ["garden hose", "soup", "car insurance", "running shoes", "dog food", "red dress", "old table", "cheap hotel"]
ITEMS = [f"{a} {b}" for a in ("red", "old", "cheap") for b in ("sofa", "lamp", "coat", "hat", "car", "boots")]


def links(names: list[str], others: list[str] | None = None) -> dict[str, Link]:
    values = [*names, *(COMMON + ITEMS if others is None else others)]
    found = link(Counter(values), WORDNET, suggest=False, together=[[x] for x in values])
    return {x.value: x for x in found}


def concept(x: Link) -> str | None:
    return None if x.concept is None else WORDNET.taxonomy.ids[x.concept]


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("Paris", "paris.n.01"),
        ("paris", "paris.n.01"),
        ("Mediterranean", "mediterranean.n.01"),
        ("New York", "new_york.n.01"),
        ("new york", "new_york.n.01"),
        ("world war ii", "world_war_ii.n.01"),
        ("Elvis Presley", "presley.n.01"),
        ("berlin", "berlin.n.01"),
    ],
)
def test_a_name_is_kept_where_nothing_else_has_it(name: str, means: str) -> None:
    found = links([name])[name]
    senses = [x for x in (found.concept, *found.alternatives) if x is not None]
    assert concept(found) == means
    assert found.status == "sure" or len(senses) > 1


@pytest.mark.parametrize(
    ("lower", "noun", "name"),
    [
        ("turkey", "turkey.n.01", "turkey.n.02"),
        ("china", "china.n.02", "china.n.01"),
        ("cologne", "cologne.n.02", "cologne.n.01"),
        ("champagne", "champagne.n.01", "champagne.n.02"),
    ],
)
def test_a_common_noun_is_one_unless_it_is_written_as_a_name(lower: str, noun: str, name: str) -> None:
    assert concept(links([lower])[lower]) == noun
    assert concept(links([lower.capitalize()])[lower.capitalize()]) == name
    capitals = [x.capitalize() for x in COMMON + ITEMS]
    assert concept(links([lower.capitalize()], capitals)[lower.capitalize()]) == noun, "every item has a capital letter"


@pytest.mark.parametrize("noun", ["Rice", "Bush", "Cook", "Farmer", "Bacon", "Heron", "Stone"])
def test_a_capital_letter_makes_no_person_of_a_noun(noun: str) -> None:
    found = links([noun])[noun]
    assert found.concept is not None
    assert not WORDNET.taxonomy.instances[found.concept]


def test_one_word_for_a_person_and_unknown_names_are_reviewed() -> None:
    found = links(["Beethoven", "Picasso", "Harry Potter", "Michael Jackson"])
    assert [concept(found[x]) for x in ("Beethoven", "Picasso")] == ["beethoven.n.01", "picasso.n.01"]
    assert {found[x].status for x in ("Beethoven", "Picasso", "Harry Potter")} == {"review"}
    assert found["Michael Jackson"].status == "sure"


def test_words_beside_a_name_are_no_name() -> None:
    found = links(["weather New York", "hotel in Paris"])
    assert found["weather New York"].concept is None or found["weather New York"].status != "sure"
    assert concept(found["hotel in Paris"]) == "hotel.n.01"


def test_columns_of_words_and_columns_of_individuals_are_linked_as_before() -> None:
    words = ["Paris", *COMMON]
    assert link(words, WORDNET, suggest=False)[0].concept != WORDNET.taxonomy.code("paris.n.01")
    places = ["France", "Turkey", "China", "Japan", "boat"]
    together = link(places, WORDNET, suggest=False, together=[[x] for x in places])
    apart = link(places, WORDNET, suggest=False)
    assert [x.concept for x in together] == [x.concept for x in apart]
    assert link(["Paris", *COMMON], WORDNET, suggest=False, individuals=False, together=[["Paris"]])[0].concept not in (
        WORDNET.taxonomy.code("paris.n.01"),
    )


# --- what is released ---------------------------------------------------------------------------------------------


def plan(**options: Any) -> al.Plan:
    column = al.quasi("wordnet", kind="set", accept="review", unmatched="opaque", **options.pop("column", {}))
    return al.Plan({"items": column}, **({"k": 4, "seed": 1} | options))


PLACES = ["Paris;hotel", "Rome;hotel", "London;hotel", "Berlin;hotel", "museum;train", "beach;bus", "soup;bread"]


@pytest.mark.parametrize("kernels", BOTH)
@pytest.mark.parametrize("represent", ["centroid", "truthful", "member"])
def test_nobody_is_given_a_place_that_they_did_not_name(represent: str, kernels: str) -> None:
    cells = [x for x in PLACES for _ in range(5)]
    with use(kernels):
        masks = plan(k=10, parameters={"represent": represent})
        release = masks.run(pd.DataFrame({"items": cells}))
    for before, after in zip(cells, release.frame["items"].fillna(""), strict=True):
        for place in ("Paris", "Rome", "London", "Berlin"):
            assert place not in after or place in before
    assert any("hotel" in x for x in release.frame["items"].fillna(""))


def test_a_group_that_has_the_same_place_keeps_it() -> None:
    cells = ["Paris;hotel"] * 6 + ["museum;train;soup"] * 6
    assert set(plan().run(pd.DataFrame({"items": cells})).frame["items"]) == {"Paris;hotel", "museum;soup;train"}


def test_spellings_of_an_individual_are_one_leaf() -> None:
    cells = ["New York;soup", "new york;bread", "New York City;hat", "hotel;museum", "train;bus;beach"]
    of_plan = plan()
    encoded = prepare(of_plan, open_source(of_plan, pd.DataFrame({"items": cells}))).encoded["items"]
    meanings = encoded.meanings  # type: ignore[attr-defined]
    assert meanings["New York"] == meanings["new york"] == meanings["New York City"]
    assert isinstance(meanings["New York"], Narrower)
    assert not WORDNET.taxonomy.instances[meanings["New York"].concept]


def test_a_column_of_individuals_has_them_as_concepts() -> None:
    cells = ["France;Spain", "Spain;Italy", "Japan;China"] * 2
    for frame, options in ((cells, {}), ([*cells, "hotel;museum;soup;bread;bus"], {"individuals": True})):
        of_plan = plan(column=options, k=2)
        encoded = prepare(of_plan, open_source(of_plan, pd.DataFrame({"items": frame}))).encoded["items"]
        meanings = encoded.meanings  # type: ignore[attr-defined]
        assert meanings["Spain"] == WORDNET.taxonomy.code("spain.n.01")


def test_a_release_is_measured_as_it_was_masked() -> None:
    cells = [x for x in PLACES for _ in range(5)]
    masks = plan(k=10, row_order="keep")
    frame = pd.DataFrame({"items": cells})
    release = masks.run(frame)
    measured = masks.evaluate(frame, release.frame).summary["measures"]["information_loss"]["value"]
    assert measured == pytest.approx(release.summary["measures"]["information_loss"]["value"])
