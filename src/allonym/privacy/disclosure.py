"""Attribute disclosure: how much the group of a person reveals of a sensitive value."""

from __future__ import annotations

import numpy as np

from allonym.privacy.counts import SensitiveCounts
from allonym.records import Pairs


def told_by_group(pairs: Pairs, column: int) -> float:
    """Return the share of people (%) whose group has a single sensitive value: who finds the group knows the value."""
    counts = SensitiveCounts.of_release(pairs, column)
    single = counts.distinct()[counts.groups] == 1
    return 100 * float(counts.counts[single].sum() / counts.counts.sum()) if counts.number else 0.0


def guessed_by_group(pairs: Pairs, column: int) -> float:
    """Return how often (%) the most frequent sensitive value of a person's group is the person's own."""
    counts = SensitiveCounts.of_release(pairs, column)
    most = np.zeros(counts.number)
    np.maximum.at(most, counts.groups, counts.counts)
    return 100 * float(most.sum() / counts.counts.sum()) if counts.number else 0.0
