"""Published scores of value generalisation hierarchies (P2), recomputed on the bundled WordNet 3.0."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.knowledge.hierarchy import Hierarchy
from allonym.measures.hierarchies import hierarchy_loss, level_weights
from allonym.plan.hierarchies import score

VERTEBRATES = Hierarchy(
    "vertebrates",
    (
        ("parrot", "bird", "homeotherm", "vertebrate"),
        ("cat", "mammal", "homeotherm", "vertebrate"),
        ("dog", "mammal", "homeotherm", "vertebrate"),
        ("snake", "reptile", "ectotherm", "vertebrate"),
        ("crocodile", "reptile", "ectotherm", "vertebrate"),
        ("frog", "amphibian", "ectotherm", "vertebrate"),
        ("salmon", "fish", "ectotherm", "vertebrate"),
    ),
)
TABLE_1 = {  # TransGSL to levels 1, 2 and 3
    "parrot": (0.0435, 0.2381, 0.0909), "cat": (0.1538, 0.3333, 0.2), "dog": (0.1538, 0.1579, 0.2),
    "snake": (0.0833, 0.2727, 0.1304), "crocodile": (0.12, 0.3043, 0.1667), "frog": (0.0435, 0.2381, 0.0909),
    "salmon": (0.0769, 0.3043, 0.1667),
}  # fmt: skip
# Table 2: the transition that loses most at each level, LevelGSL / h and LevelGSL · w, and the scores
TABLE_2 = {
    ("ungulate", "mammal", "homeotherm", "animal"): (
        (0.0258, 0.0463, 0.09, 0.0833), (0.0414, 0.0556, 0.072, 0.0333), 0.2454, 0.2023,
    ),
    ("herbivore", "mammal", "vertebrate", "animal"): (
        (0.09, 0.0463, 0.0577, 0.0833), (0.1440, 0.0556, 0.0462, 0.0333), 0.2773, 0.2791,
    ),
}  # fmt: skip


def test_vertebrates_table_1_and_score() -> None:
    found = score(VERTEBRATES)
    for leaf, losses in zip(VERTEBRATES.leaves, found.losses, strict=True):
        assert losses.tolist() == pytest.approx(TABLE_1[leaf], abs=5e-5), leaf
    assert [x["gsl"] for x in found.levels] == pytest.approx([0.1538, 0.3333, 0.2], abs=5e-5)
    assert found.value == pytest.approx(0.2290, abs=1e-4)  # the paper adds rounded terms
    assert found.reversed == [2]
    assert found.transitions[0].ancestor == "homeotherm"


@pytest.mark.parametrize("way", TABLE_2)
def test_animals_table_2_as_far_as_the_text_gives_them(way: tuple[str, ...]) -> None:
    constant, by_level, score_constant, score_level = TABLE_2[way]
    found = score(Hierarchy("animals", (("horse", *way), ("giraffe", *way))))
    gsl = np.array([x["gsl"] for x in found.levels])
    assert (gsl / 4).tolist() == pytest.approx(constant, abs=1e-4)  # some digits are cut, not rounded
    assert (gsl * level_weights(4, "level")).tolist() == pytest.approx(by_level, abs=6e-5)
    assert found.value == pytest.approx(score_constant, abs=1e-4)
    assert hierarchy_loss(found.losses, weights="level") == pytest.approx(score_level, abs=1e-4)


def test_weights_example() -> None:
    """P2 §3: losses of .1/.2 and .2/.1 on two levels."""
    one, other = np.array([[0.1, 0.2]]), np.array([[0.2, 0.1]])
    assert hierarchy_loss(one) == hierarchy_loss(other) == pytest.approx(0.15)
    assert hierarchy_loss(one, weights="level") == pytest.approx(0.1333, abs=5e-5)
    assert hierarchy_loss(other, weights="level") == pytest.approx(0.1667, abs=5e-5)
