"""The public names, which stay."""

from __future__ import annotations

import numpy as np
import pytest

import allonym
from allonym.errors import OptionError, UnknownConceptError
from allonym.ontology.content import seco
from allonym.ontology.word_similarity import compare


def test_public_names() -> None:
    assert sorted(allonym.__all__) == [
        "Abril", "Column", "Comparison", "Evaluation", "Exponential", "Fitted", "Fusion", "Generalise", "Hierarchy",
        "HierarchyComparison", "HierarchyScore", "Inspection", "Link", "MDAV", "Noise", "OntologyInfo", "Plan",
        "Pram", "Privacy", "RandomiseFrequency", "RandomiseUniform", "Recoding", "RecodingOrdered", "Release", "SAMDAV",
        "SAMDAVStatic", "SMDAV", "Scope", "Source", "Swap", "Taxonomy", "add_ontology", "build_hierarchy", "compare",
        "compare_hierarchies", "evaluate", "household", "identifier", "inspect", "keep", "link", "link_hierarchy",
        "ontologies", "ontology", "quasi", "read_links", "read_taxonomy", "remove_ontology", "score_hierarchy",
        "sensitive", "similarity", "unique_combinations", "unit", "weight", "wordnet", "write_links",
    ]  # fmt: skip
    for name in allonym.__all__:
        assert getattr(allonym, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = allonym.nothing
    assert "similarity" in dir(allonym)


def test_similarity_of_words() -> None:
    assert round(allonym.similarity("dog", "homeotherm", measure="wu-palmer", depth="virtual-root"), 4) == 0.8421
    assert allonym.similarity("dog", "dog") == 1
    assert allonym.similarity("dogs", "dog") == 1
    assert compare("dog#2", "frump").distance == 0
    t = allonym.wordnet().taxonomy
    assert t.ids[compare("crane#1", "stork").concepts[0]] == "crane.n.01"  # Stephen Crane, if he is asked for
    assert t.ids[compare("crane", "stork", senses="first").concepts[0]] == "crane.n.04"  # the first that is no name
    assert t.ids[compare("farmer", "cook", senses="best-pair").concepts[0]] != "farmer.n.03"  # nor is Fannie Farmer
    assert t.ids[compare("Turkey", "Greece").concepts[0]] == "turkey.n.02"
    closest = compare("crane", "stork", senses="best-pair")
    assert closest.distance <= compare("crane", "stork", senses="coherent").distance
    with pytest.raises(OptionError, match="sense strategy"):
        compare("dog", "cat", senses="last")
    with pytest.raises(UnknownConceptError, match="'xyzzyx'"):
        compare("dog", "xyzzyx")


def test_published_figures_beside_the_distance() -> None:
    assert compare("dog.n.01", "cat.n.01", measure="path").published == 4
    got = compare("dog.n.01", "cat.n.01", measure="leacock-chodorow").published
    assert got == pytest.approx(-np.log((4 + 1) / (2 * 20)))
    assert compare("dog.n.01", "cat.n.01").published is None
    t = allonym.wordnet().taxonomy
    amount = seco(t)
    dog, cat, both = (amount[t.code(c)] for c in ("dog.n.01", "cat.n.01", "carnivore.n.01"))
    assert compare("dog.n.01", "cat.n.01", measure="resnik").published == both
    assert compare("dog.n.01", "cat.n.01", measure="jiang-conrath").published == pytest.approx(dog + cat - 2 * both)
