"""Choose a concept for a text among its nearest concepts, or the group they have in common.

The probability of a candidate c is proportional to exp(Σ weight · figure); the votes of a concept are the sum of the
probabilities of the candidates at or below it. The candidate whose own probability and votes of its parent have the
largest sum is chosen. If it has less than `MAJORITY` of the votes of its parent, the parent is chosen instead, and so
on upwards, but no concept that has more than `MAX_SHARE` of the ontology below it. `WEIGHTS` lie between
those that fit synonyms left out of ESCO, the Disease Ontology and HPO (benchmarks/linking_held_out.py --fit).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, take_rows
from allonym.ontology.linking.senses import sizes_of
from allonym.ontology.linking.similar_labels.nearest import Candidates
from allonym.ontology.taxonomy import Taxonomy

WEIGHTS = {"best": 5.2, "mean": 5.5, "words": 5.3, "head": 0.18}
MAJORITY = 0.6
MAX_SHARE, MIN_GROUP = (
    0.03,
    10,
)  # of the concepts of the ontology that a group may have, and how many it may always have
MIN_PROBABILITY = 0.01  # of a candidate that votes


@dataclass(frozen=True, eq=False)
class Votes:
    """The outcome for each text.

    Attributes:
        chosen: the concept; -1 if a text has no candidate.
        votes: the votes of the chosen concept.
        candidate: the place of the best candidate at or below it; -1 if there is none.
        probability: the probability of each candidate.
    """

    chosen: Ints
    votes: Floats
    candidate: Ints
    probability: Floats


def probabilities(candidates: Candidates) -> Floats:
    """Return the probability of each candidate among those of its text."""
    scores = sum(weight * getattr(candidates, name) for name, weight in WEIGHTS.items())
    sizes = np.diff(candidates.starts)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    top = np.full(len(sizes), -np.inf)
    np.maximum.at(top, owners, scores)
    odds: Floats = np.exp(scores - top[owners])
    return odds / np.bincount(owners, odds, len(sizes))[owners]


def is_group(taxonomy: Taxonomy) -> NDArray[np.bool_]:
    """Tell for each concept whether votes may go to it: it is no large part of the ontology."""
    groups = sizes_of(taxonomy) <= max(MAX_SHARE * len(taxonomy), MIN_GROUP)
    groups[taxonomy.root] = False
    return groups


class _Groups:
    """The votes of concepts, text by text."""

    def __init__(self, taxonomy: Taxonomy, owners: Ints, concepts: Ints, probability: Floats) -> None:
        self.taxonomy, self.width = taxonomy, len(taxonomy)
        distinct, place = np.unique(concepts, return_inverse=True)
        rows, ancestors, _ = taxonomy.closure(distinct)
        starts, above = take_rows(rows, ancestors, place)
        sizes = np.diff(starts)
        keys = np.repeat(owners, sizes) * self.width + above
        self._keys, at = np.unique(keys, return_inverse=True)
        self._votes = np.bincount(at.ravel(), np.repeat(probability, sizes))
        self.is_group = is_group(taxonomy)

    def votes(self, owners: Ints, concepts: Ints) -> Floats:
        """Return the votes of concepts."""
        keys = owners * self.width + concepts
        at = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        return np.where(self._keys[at] == keys, self._votes[at], 0.0)

    def parents(self, owners: Ints, concepts: Ints) -> tuple[Ints, Floats]:
        """Return the parent with most votes that is no too large a group, and its votes; -1 and 0 if there is none."""
        starts, above = take_rows(*self.taxonomy.parents, concepts)
        sizes = np.diff(starts)
        pair = np.repeat(np.arange(len(concepts)), sizes)
        votes = np.where(self.is_group[above], self.votes(owners[pair], above), 0.0)
        order = np.lexsort((above, -votes, pair))
        best, has = order[np.minimum(starts[:-1], max(len(order) - 1, 0))] if len(order) else starts[:-1], sizes > 0
        found = np.full(len(concepts), -1, np.int64)
        most = np.zeros(len(concepts))
        found[has], most[has] = above[best[has]], votes[best[has]]
        found[most == 0] = -1
        return found, most


def count_votes(taxonomy: Taxonomy, candidates: Candidates) -> Votes:
    """Choose a concept for each text."""
    texts = len(candidates.starts) - 1
    probability = probabilities(candidates)
    voting = np.flatnonzero(probability >= MIN_PROBABILITY)
    owners = np.repeat(np.arange(texts), np.diff(candidates.starts))[voting]
    concepts, share = candidates.concepts[voting], probability[voting]
    groups = _Groups(taxonomy, owners, concepts, share)
    of_group = np.maximum(groups.parents(owners, concepts)[1], groups.votes(owners, concepts))
    order = np.lexsort((concepts, -np.round(share + of_group, 9), owners))
    rows, first = np.unique(owners[order], return_index=True)
    winners = order[first]
    chosen, votes = _climb(groups, rows, concepts[winners])
    result = Votes(np.full(texts, -1, np.int64), np.zeros(texts), np.full(texts, -1, np.int64), probability)
    result.chosen[rows], result.votes[rows], result.candidate[rows] = chosen, votes, voting[winners]
    return result


def _climb(groups: _Groups, rows: Ints, concepts: Ints) -> tuple[Ints, Floats]:
    """Replace concepts by their groups while they have no majority of the votes of the group."""
    chosen, votes = concepts.copy(), groups.votes(rows, concepts)
    active = np.arange(len(rows))
    while len(active):
        above, most = groups.parents(rows[active], chosen[active])
        climbs = (above >= 0) & (votes[active] < MAJORITY * most)
        active = active[climbs]
        chosen[active], votes[active] = above[climbs], most[climbs]
    return chosen, votes
