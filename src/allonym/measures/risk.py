"""Can a record be found again? (P1 §4.2)"""

from __future__ import annotations

import numpy as np

from allonym.records import Pairs, Records


def record_linkage(pairs: Pairs) -> float:
    """Return RL = 100 · mean P(r) by text, in per cent.

    An attacker who knows the original table looks up each masked record among the original ones of the same text and
    guesses: P(r) = 1/|G| if the right one is among these G, else 0. Values that mean the same count as the same text.

    >>> was, now = np.array([[0], [1], [2]]), np.array([[0], [0], [2]])
    >>> record_linkage(Pairs((), was, now, np.array([2, 1, 1]), np.ones(3))) == 100 * (2 / 2 + 0 + 1) / 4
    True
    """
    tuples, place = np.unique(pairs.original, axis=0, return_inverse=True)
    size = np.bincount(place.ravel(), weights=pairs.counts, minlength=len(tuples))
    found = (pairs.original == pairs.masked).all(axis=1)
    share = pairs.counts / size[place.ravel()]
    return float(100 * share[found].sum() / pairs.counts.sum()) if pairs.counts.size else 0.0


def linkage_before(records: Records) -> float:
    """Return RL of the table as it is: 100·p/n, since each of p distinct tuples is guessed right once."""
    return 100 * len(records) / records.n if records.n else 0.0
