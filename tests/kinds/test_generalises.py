"""Which values a value is true of, by kind of column."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.kinds.blend import BlendedMetric
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.kinds.set_metric import SetMetric
from allonym.metric import Metric
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

ANIMALS = Scope(Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0]), 0)
WORDS = ConceptMetric([0, 1, 2, 3, "zzz", None], ANIMALS)
NUMBERS = NumericMetric([20.0, 30.0, (20.0, 30.0), (10.0, 40.0), None, "x"], decimals=0, span=50.0)
BLENDED = BlendedMetric([(1, None), (2, 3), (None, 3), None], [ConceptMetric([], ANIMALS), ConceptMetric([], ANIMALS)])


@pytest.mark.parametrize(
    ("metric", "code", "true_of"),
    [
        (WORDS, 0, [0, 1, 2, 3]),
        (WORDS, 1, [1, 2]),
        (WORDS, 2, [2]),
        (WORDS, 4, [4]),
        (WORDS, 5, [0, 1, 2, 3, 4, 5]),
        (NUMBERS, 0, [0]),
        (NUMBERS, 2, [0, 1, 2]),
        (NUMBERS, 3, [0, 1, 2, 3]),
        (NUMBERS, 4, [0, 1, 2, 3, 4, 5]),
        (NUMBERS, 5, [5]),
        (BLENDED, 0, [0, 1]),
        (BLENDED, 2, [1, 2]),
        (BLENDED, 3, [0, 1, 2, 3]),
        (EqualityMetric(["f", "m", None]), 0, [0]),
        (OrdinalMetric([0, 1, None], levels=2), 2, [0, 1, 2]),
        (SetMetric([frozenset({"cat", "dog"}), frozenset({"cat"}), None], EqualityMetric([])), 1, [0, 1]),
        (SetMetric([frozenset({"cat", "dog"}), frozenset({"cat"}), frozenset()], EqualityMetric([])), 0, [0]),
        (SetMetric([frozenset({"cat", "dog"}), frozenset({"cat"}), frozenset()], EqualityMetric([])), 2, [2]),
        (SetMetric([frozenset({0, 1}), frozenset({2}), frozenset({3}), None], ConceptMetric([], ANIMALS)), 0, [0, 1]),
    ],
)
def test_generalises(metric: Metric, code: int, true_of: list[int]) -> None:
    codes = np.arange(len(metric.values))
    assert np.flatnonzero(metric.generalises(code, codes)).tolist() == true_of
