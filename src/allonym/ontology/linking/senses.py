"""Choose the senses of words in a column: those that fit the other values of the column.

`coherent` minimises

    E(s) = 1/F · Σ_i Σ_{j≠i} f_i f_j d(s_i, s_j)  +  PRIOR · Σ_i f_i (1 - p(s_i) / max p)

over one sense s_i per value, with f the frequencies, F their sum, and p the shares of the senses of a word. The
distance d is 1 minus the cosine of the two ancestor sets, |T(a) ∩ T(b)| / √(|T(a)|·|T(b)|): unlike the published
measures it is linear in each argument, so that comparing a sense with a whole column costs only its own ancestors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import take_rows
from allonym.ontology.taxonomy import Taxonomy

PRIOR = 0.2  # weight of a sense's frequency against its fit
MAX_EXACT_BITS = 21  # up to two to this power, all combinations are tried
MAX_SWEEPS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Choice:
    """The place of the chosen sense among the senses of each value, and its margin over the next best."""

    chosen: NDArray[np.int64]
    margin: Floats
    energy: float


class Column:
    """The senses of the values of a column, laid out for comparison: `starts[i]:starts[i+1]` are those of value i."""

    def __init__(
        self,
        taxonomy: Taxonomy,
        starts: NDArray[np.int64],
        senses: NDArray[np.int64],
        prior: Floats,
        counts: NDArray[np.generic],
    ) -> None:
        self.starts, self.prior, self.counts = starts, prior, np.asarray(counts, np.float64)
        if not self.counts.any():
            self.counts = np.ones(len(self.counts))
        self.total = float(self.counts.sum())
        self.owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        distinct, place = np.unique(senses, return_inverse=True)
        rows, ancestors, _ = taxonomy.closure(distinct)
        self.above_starts, above = take_rows(rows, ancestors, place)  # T(s) of every sense
        used, self.above = np.unique(above, return_inverse=True)
        self.width = len(used)
        self.norm = np.sqrt(np.diff(self.above_starts))

    def field(self, senses: NDArray[np.int64], counts: Floats) -> Floats:
        """Return Σ f·v over some senses, v being a sense's normalised ancestor set."""
        starts, above = take_rows(self.above_starts, self.above, senses)
        weights = np.repeat(counts / self.norm[senses], np.diff(starts))
        return np.bincount(above, weights, minlength=self.width).astype(np.float64, copy=False)

    def fit(self, field: Floats) -> Floats:
        """Return Σ_j f_j cos(s, s_j) for every sense."""
        return np.add.reduceat(field[self.above], self.above_starts[:-1]) / self.norm

    def energy(self, chosen: NDArray[np.int64]) -> float:
        """Return E of a choice."""
        senses = self.starts[:-1] + chosen
        same = float((self.counts**2).sum())
        similar = float((self.counts * self.fit(self.field(senses, self.counts))[senses]).sum()) - same
        return (self.total**2 - same - similar) / self.total + PRIOR * float((self.counts * self.prior[senses]).sum())

    def local(self, chosen: NDArray[np.int64]) -> Floats:
        """Return the contribution to E of every sense, per record of its value, if all other values stay."""
        senses = self.starts[:-1] + chosen
        others = self.total - self.counts[self.owner]
        near = self.fit(self.field(senses, self.counts)) - self.counts[self.owner] * self._cosine_to(senses)
        return 2 / self.total * (others - near) + PRIOR * self.prior

    def _cosine_to(self, senses: NDArray[np.int64]) -> Floats:
        """Return the cosine of every sense with the one chosen for its value."""
        starts, above = take_rows(self.above_starts, self.above, senses)
        held = np.repeat(np.arange(len(senses)), np.diff(starts)) * self.width + above
        mine = np.repeat(self.owner, np.diff(self.above_starts)) * self.width + self.above
        common = np.add.reduceat(np.isin(mine, held), self.above_starts[:-1], dtype=np.float64)
        return common / (self.norm * self.norm[senses][self.owner])

    def cosines(self, value: int, other: int) -> Floats:
        """Return the cosines of the senses of two values, a row for each of the first."""
        tables = []
        for v in (value, other):
            low, high = self.starts[v], self.starts[v + 1]
            table = np.zeros((high - low, self.width))
            for i, s in enumerate(range(low, high)):
                table[i, self.above[self.above_starts[s] : self.above_starts[s + 1]]] = 1 / self.norm[s]
            tables.append(table)
        return tables[0] @ tables[1].T


def coherent(column: Column) -> Choice:
    """Choose senses that minimise E: try all combinations if they are few, else descend from two starts."""
    several = np.flatnonzero(np.diff(column.starts) > 1)
    sizes = np.diff(column.starts)[several]
    if np.log2(sizes).sum() <= MAX_EXACT_BITS:
        best = _exact(column, several)
    else:
        first = np.zeros(len(column.starts) - 1, np.int64)
        starts = [first, _mean_field(column)]
        best = min((_improve(column, start) for start in starts), key=column.energy)
    return _choice(column, best, column.local(best))


def first(column: Column) -> Choice:
    """Choose the most frequent sense of every value; the margin is that of the prior."""
    chosen = np.zeros(len(column.starts) - 1, np.int64)
    return _choice(column, chosen, column.prior)


def _choice(column: Column, chosen: NDArray[np.int64], cost: Floats) -> Choice:
    margin = np.full(len(chosen), np.inf)
    for value in np.flatnonzero(np.diff(column.starts) > 1):
        own = cost[column.starts[value] : column.starts[value + 1]]
        margin[value] = np.delete(own, chosen[value]).min() - own[chosen[value]]
    return Choice(chosen, margin, column.energy(chosen))


def _mean_field(column: Column) -> NDArray[np.int64]:
    """Return the senses that fit best to all senses of all values, weighted by their shares."""
    relative = 1 - column.prior
    share = relative / np.add.reduceat(relative, column.starts[:-1])[column.owner]
    field = column.field(np.arange(len(share)), column.counts[column.owner] * share)
    return _best(column, -2 / column.total * column.fit(field) + PRIOR * column.prior)


def _best(column: Column, cost: Floats) -> NDArray[np.int64]:
    order = np.lexsort((np.arange(len(cost)), cost, column.owner))
    return order[column.starts[:-1]] - column.starts[:-1]


def _improve(column: Column, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give each value in turn its best sense until none changes; E falls with every change."""
    chosen = chosen.copy()
    field = column.field(column.starts[:-1] + chosen, column.counts)
    several = np.flatnonzero(np.diff(column.starts) > 1).tolist()
    rows, above, norm = column.above_starts, column.above, column.norm
    for _ in range(MAX_SWEEPS):
        changed = False
        for value in several:
            low, high, weight = column.starts[value], column.starts[value + 1], column.counts[value]
            old = low + chosen[value]
            field[above[rows[old] : rows[old + 1]]] -= weight / norm[old]
            sums = np.add.reduceat(field[above[rows[low] : rows[high]]], rows[low:high] - rows[low])
            cost = PRIOR * column.prior[low:high] - 2 / column.total * sums / norm[low:high]
            new = int(np.argmin(cost))
            if cost[new] < cost[chosen[value]] - 1e-12:
                chosen[value], changed = new, True
            now = low + chosen[value]
            field[above[rows[now] : rows[now + 1]]] += weight / norm[now]
        if not changed:
            break
    return chosen


def _exact(column: Column, several: NDArray[np.int64]) -> NDArray[np.int64]:
    """Minimise E over all combinations, as an array with one axis per value with several senses."""
    chosen = np.zeros(len(column.starts) - 1, np.int64)
    single = np.setdiff1d(np.arange(len(chosen)), several)
    fit = column.fit(column.field(column.starts[single], column.counts[single]))
    axes = len(several)
    energy = np.zeros([1] * axes)
    for i, value in enumerate(several):
        low, high, weight = column.starts[value], column.starts[value + 1], column.counts[value]
        own = weight * (PRIOR * column.prior[low:high] - 2 / column.total * fit[low:high])
        energy = energy + own.reshape([-1 if axis == i else 1 for axis in range(axes)])
        for j, other in enumerate(several[:i]):
            cosines = column.cosines(other, value)
            shape = [len(cosines) if axis == j else high - low if axis == i else 1 for axis in range(axes)]
            energy = energy - (2 / column.total * weight * column.counts[other] * cosines).reshape(shape)
    if axes:
        chosen[several] = np.unravel_index(int(np.argmin(energy)), energy.shape)
    return chosen
