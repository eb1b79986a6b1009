"""`allonym similarity`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from allonym.ontology.similarity import MEASURES
from cli.running import run

DATA = Path(__file__).parents[1] / "data"


def test_similarity_shows_senses_subsumer_and_figure() -> None:
    out = run("similarity", "trekker", "jogger")
    for word in ("trekker.n.01", "jogger.n.01", "traveler.n.01", "similarity 0.8421", "distance 0.1579", "wu-palmer"):
        assert word in out


def test_similarity_as_json() -> None:
    answer = json.loads(run("similarity", "dog", "homeotherm", "--depth", "virtual-root", "--json"))
    assert answer["format"] == 1
    assert answer["concepts"] == ["dog.n.01", "homeotherm.n.01"]
    assert answer["subsumer"] == "animal.n.01"
    assert round(answer["distance"], 4) == 0.1579
    assert answer["similarity"] == 1 - answer["distance"]


@pytest.mark.parametrize("measure", list(MEASURES))
def test_every_measure_is_there(measure: str) -> None:
    answer = json.loads(
        run("similarity", "parrot", "cat", "--measure", measure, "--json", "--ontology", str(DATA / "mini-animals.obo"))
    )
    assert 0 < answer["distance"] <= 1
    assert answer["subsumer"] == "M:0"


def test_similarity_in_a_part_of_an_ontology() -> None:
    answer = json.loads(
        run("similarity", "cat", "mammal", "--ontology", f"{DATA / 'mini-animals.obo'}#mammal", "--json")
    )
    assert answer["concepts"] == ["M:5", "M:4"]
