"""Record linkage by text (Martínez, Sánchez and Valls 2012, §4.2)."""

from __future__ import annotations

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.measures.attackers.base import Attacker, Estimate
from allonym.records import Pairs


def record_linkage(pairs: Pairs) -> float:
    """Return RL = 100 · mean P(r) by text, in per cent (Martínez, Sánchez and Valls 2012, §4.2).

    An attacker who knows the original table looks up each masked record among the original ones of the same text and
    guesses: P(r) = 1/|G| if the right one is among these G, else 0. Values that mean the same count as the same text.
    Where persons have several records, any of theirs is right.

    >>> was, now = np.array([[0], [1], [2]]), np.array([[0], [0], [2]])
    >>> record_linkage(Pairs((), was, now, np.array([2, 1, 1]), np.ones(3))) == 100 * (2 / 2 + 0 + 1) / 4
    True
    """
    if not pairs.counts.size:
        return 0.0
    (known, first), (seen, shown) = pairs.original_tuples, pairs.masked_tuples
    both = distinct(list(np.concatenate([pairs.original[first], pairs.masked[shown]]).T))[0]
    was, now = both[: len(first)][known], both[len(first) :][seen]
    size = sum_by(was, pairs.counts.astype(np.float64), int(both.max()) + 1)
    if pairs.units is None:
        unchanged = was == now
        return float(100 * (pairs.counts[unchanged] / size[was[unchanged]]).sum() / pairs.counts.sum())
    return float(100 * (pairs.counts * owned(pairs, was, now, size)).sum() / pairs.counts.sum())


def owned(pairs: Pairs, was: Ints, now: Ints, size: Floats) -> Floats:
    """Return for every pair which share of the original records like the masked one are the person's."""
    assert pairs.units is not None
    width = int(pairs.units.max()) + 1
    keys, place = np.unique(was * width + pairs.units, return_inverse=True)
    held = sum_by(place.ravel(), pairs.counts.astype(np.float64), len(keys))
    wanted = now * width + pairs.units
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, held[at] / np.maximum(size[now], 1.0), 0.0)


ATTACKER = Attacker(
    "text",
    "linked by text",
    "has the original table and looks up each record of the release among the original records with the same text",
    "every release",
    lambda setting: True,
    lambda setting: Estimate(record_linkage(setting.pairs)),
)
