"""How likely each original tuple becomes each record of a release, and the guesses that follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints, sum_by
from allonym.measures.attackers.base import Estimate, drawn, interval_of
from allonym.records import CorrelatedMechanism, Mechanism, Pairs, TupleMechanism

MAX_LIKELIHOODS = 6_000_000  # in memory; beyond, records of the release are sampled
TIE = 1e-9  # relative


@dataclass(frozen=True, eq=False)
class Likelihoods:
    """The likelihoods of some records of a release: `logs[x, y]` = log P(tuple y of the release | original tuple x)."""

    pairs: Pairs
    known: Ints  # the original tuple of each pair
    sizes: Floats  # how many records have each original tuple
    chosen: Ints  # the pairs of the records of the release that are looked at
    columns: Ints  # of `logs`, for each of these
    logs: Floats = field(repr=False)
    sampled: bool = False

    @classmethod
    def of(cls, pairs: Pairs, mechanism: Mechanism, seed: int) -> Likelihoods:
        """Compute the likelihoods of all records of a release, or of some, drawn by the seed."""
        if not pairs.counts.size:
            none = np.zeros(0, np.int64)
            return cls(pairs, none, np.zeros(0), none, none, np.zeros((0, 0)))
        most = most_tuples(pairs)
        sampled = len(pairs.masked_tuples[1]) > most
        chosen = drawn(pairs, most, seed) if sampled else np.arange(len(pairs.counts))
        return cls.of_chosen(pairs, mechanism, chosen, sampled=sampled)

    @classmethod
    def of_chosen(cls, pairs: Pairs, mechanism: Mechanism, chosen: Ints, *, sampled: bool) -> Likelihoods:
        """Compute the likelihoods of some records of a release, given by their pairs."""
        (known, first), (seen, shown) = pairs.original_tuples, pairs.masked_tuples
        used, columns = np.unique(seen[chosen], return_inverse=True)
        logs = log_likelihoods(pairs, mechanism, pairs.original[first], pairs.masked[shown[used]])
        sizes = sum_by(known, pairs.counts.astype(np.float64), len(first))
        return cls(pairs, known, sizes, chosen, columns.ravel(), logs, sampled)

    @classmethod
    def in_parts(cls, pairs: Pairs, mechanism: Mechanism) -> Iterator[Likelihoods]:
        """Compute the likelihoods of all records of a release, some at a time."""
        seen, shown = pairs.masked_tuples
        most = most_tuples(pairs)
        by_tuple = np.argsort(seen, kind="stable")
        for low in range(0, len(shown), most):
            part = slice(*np.searchsorted(seen[by_tuple], [low, low + most]))
            yield cls.of_chosen(pairs, mechanism, by_tuple[part], sampled=False)

    @property
    def weights(self) -> Floats:
        """How many records each pair that is looked at stands for."""
        if not self.sampled:
            return self.pairs.counts[self.chosen].astype(np.float64)
        return np.full(len(self.chosen), self.pairs.counts.sum() / len(self.chosen))

    def guessed(self, log_weights: Floats) -> Estimate:
        """Return how often the likeliest person is the right one, in per cent; original tuples may be weighted."""
        logs = self.logs + log_weights[:, None]
        if self.pairs.units is None:
            likeliest = logs >= logs.max(axis=0) - TIE
            right = likeliest[self.known[self.chosen], self.columns]
            probabilities = right / (self.sizes @ likeliest)[self.columns]
        else:
            of_persons = self._rows_of_persons() @ relative(logs)
            likeliest = of_persons >= of_persons.max(axis=0) * (1 - TIE)
            right = likeliest[self._persons[self.chosen], self.columns]
            probabilities = right / likeliest.sum(axis=0)[self.columns]
        mean = float((self.weights * probabilities).sum() / self.weights.sum())
        return Estimate(100 * mean, interval_of(mean, len(self.chosen)) if self.sampled else None)

    @cached_property
    def _persons(self) -> Ints:
        """The persons of the pairs, numbered without gaps."""
        assert self.pairs.units is not None
        return np.unique(self.pairs.units, return_inverse=True)[1].ravel().astype(np.int64)

    def _rows_of_persons(self) -> Any:
        """Return how many rows with each original tuple every person has, as a sparse matrix."""
        from scipy.sparse import csr_array

        shape = int(self._persons.max()) + 1, len(self.sizes)
        return csr_array((self.pairs.counts.astype(np.float64), (self._persons, self.known)), shape)


def most_tuples(pairs: Pairs) -> int:
    """Return for how many tuples of a release the likelihoods of all original ones fit into memory."""
    persons = 0 if pairs.units is None else int(pairs.units.max()) + 1
    return max(MAX_LIKELIHOODS // max(len(pairs.original_tuples[1]), persons), 1)


def log_likelihoods(pairs: Pairs, mechanism: Mechanism, before: Ints, after: Ints) -> Floats:
    """Return log P(after | before) of tuples, given by their codes; most mechanisms replace columns independently."""
    if isinstance(mechanism, TupleMechanism):
        return mechanism.log_likelihood_of_tuples(before, after)
    logs = np.zeros((len(before), len(after)))
    scores: list[Floats] = []
    for a, attribute in enumerate(pairs.attributes):
        was, rows = np.unique(before[:, a], return_inverse=True)
        now, columns = np.unique(after[:, a], return_inverse=True)
        values = [[attribute.values[c] for c in codes.tolist()] for codes in (was, now)]
        cells = np.ix_(rows.ravel(), columns.ravel())
        logs += mechanism.log_likelihood(a, *values)[cells]
        if isinstance(mechanism, CorrelatedMechanism):
            scores.append(mechanism.scores(a, *values)[cells])
    return logs + mechanism.log_relation(scores) if isinstance(mechanism, CorrelatedMechanism) else logs


def relative(logs: Floats) -> Floats:
    """Return likelihoods relative to the largest of their column; 0 in a column in which nothing is possible."""
    best = logs.max(axis=0)
    return np.exp(logs - np.where(np.isfinite(best), best, 0.0))
