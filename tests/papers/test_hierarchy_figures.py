"""Scores of value generalisation hierarchies published by Ayala-Rivera et al., recomputed on WordNet 3.0."""

from __future__ import annotations

import numpy as np
import pytest
from papers_hierarchy_quality import LARGEST_TRANSITIONS, TABLE_1, TABLE_2, VERTEBRATES

from allonym.measures.hierarchies import hierarchy_loss, level_weights
from allonym.ontology.hierarchy import Hierarchy
from allonym.pipeline.hierarchies import score


def test_vertebrates_table_1_and_score() -> None:
    scored = score(VERTEBRATES)
    for leaf, losses in zip(VERTEBRATES.leaves, scored.losses, strict=True):
        assert losses.tolist() == pytest.approx(TABLE_1[leaf], abs=5e-5), leaf
    assert [x["gsl"] for x in scored.levels] == pytest.approx([0.1538, 0.3333, 0.2], abs=5e-5)
    assert scored.value == pytest.approx(0.2290, abs=1e-4)  # the paper adds rounded terms
    assert scored.reversed == [2]
    assert max(scored.transitions, key=lambda t: t.loss).ancestor == "homeotherm"


@pytest.mark.parametrize("name", TABLE_2)
def test_animals_table_2_as_far_as_the_text_gives_them(name: str) -> None:
    constant, by_level, score_constant, score_level = TABLE_2[name]
    ancestors = LARGEST_TRANSITIONS[name]
    scored = score(Hierarchy("animals", (("horse", *ancestors), ("giraffe", *ancestors))))
    gsl = np.array([x["gsl"] for x in scored.levels])
    assert (gsl / 4).tolist() == pytest.approx(constant, abs=1e-4)  # some printed digits are truncated
    assert (gsl * level_weights(4, "level")).tolist() == pytest.approx(by_level, abs=6e-5)
    assert scored.value == pytest.approx(score_constant, abs=1e-4)
    assert hierarchy_loss(scored.losses, weights="level") == pytest.approx(score_level, abs=1e-4)


def test_weights_example() -> None:
    """Ayala-Rivera et al. §3: losses of .1/.2 and .2/.1 on two levels."""
    one, other = np.array([[0.1, 0.2]]), np.array([[0.2, 0.1]])
    assert hierarchy_loss(one) == hierarchy_loss(other) == pytest.approx(0.15)
    assert hierarchy_loss(one, weights="level") == pytest.approx(0.1333, abs=5e-5)
    assert hierarchy_loss(other, weights="level") == pytest.approx(0.1667, abs=5e-5)
