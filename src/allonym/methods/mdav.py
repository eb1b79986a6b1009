"""The plainest methods, which know nothing of meaning: what the others are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from allonym.methods.base import GroupingMethod, MethodInfo
from allonym.methods.groups import Groups
from allonym.methods.kernels.microaggregation import mdav
from allonym.metric import Metric
from allonym.parameters import redeclared
from allonym.progress import Progress
from allonym.records import Attribute, Records


def _plain(attribute: Attribute) -> Metric:
    """Return what compares the values of an attribute without knowing what they mean."""
    return attribute.metric.by_equality()


@dataclass(frozen=True)
class MDAV(GroupingMethod):
    """MDAV with equality and the mode for words (Domingo-Ferrer and Torra 2005); numbers and ranks by their own.

    >>> from allonym.kinds.category import EqualityMetric
    >>> from allonym.records import Attribute
    >>> job = Attribute("job", "category", EqualityMetric(["cook", "smith", "vicar"]))
    >>> masking = MDAV(k=2).mask(Records.of([job], [[0, 0, 0, 1, 2]]))
    >>> np.bincount(masking.groups, weights=masking.share).tolist()
    [2.0, 3.0]
    """

    info: ClassVar = MethodInfo(
        "mdav",
        "forms groups of k records with many equal values, ignoring their meaning, and writes the most frequent value",
        splits_tuples=True,
    )

    represent: str = redeclared(GroupingMethod, "represent", default="centroid")

    def metrics(self, records: Records) -> Sequence[Metric]:
        """Return equality for words and the elements of sets, the attribute's own metric for numbers and ranks."""
        return [_plain(attribute) for attribute in records.attributes]

    def partition(self, records: Records, rng: np.random.Generator, tick: Progress) -> Groups:
        """Group the tuples by MDAV."""
        return mdav(records, self.metrics(records), self.k, rng, tick)
