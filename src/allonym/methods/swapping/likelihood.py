"""How likely a record becomes another one by swapping, for attackers who know the plan and the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from allonym.arrays import Floats, Ints, distinct
from allonym.methods.swapping.blocks import Block, SwappedTable
from allonym.methods.swapping.nearest import NearPairs, outcomes
from allonym.methods.swapping.ranks import ExpectedPairs, window_of
from allonym.metric import Value
from allonym.records import Records
from allonym.release_key import rng_of

ORDERS = 32  # of categories, over which likelihoods are averaged where the order is drawn
MIN_RUNS, MAX_RUNS = 8, 64  # of nearest pairs, from which likelihoods are estimated
MAX_PAIRS = 20_000_000  # that are sorted in all runs together, beyond the fewest runs
LEAST = 1e-6  # the share of rows that may become anything, so that no likelihood of what happened is 0
UNSEEN = 0.5  # rows of a tuple that became something else in none of the runs


class Transition(ABC):
    """What becomes of a block: how likely a source (a tuple of some columns) gets each kind."""

    block: Block
    source_columns: tuple[int, ...]
    sources: Ints  # the codes of every source
    counts: Ints  # how many rows have each source

    @abstractmethod
    def probabilities(self, sources: Ints, kinds: Ints) -> Floats:
        """Return how likely each of some sources gets each of some kinds."""


class RankTransition(Transition):
    """Rank swapping: a kind stands for a range of ranks, within which its rows are in a random order."""

    def __init__(self, block: Block, window: float, share: float, order: str) -> None:
        self.block, self.window, self.share, self.order = block, window, share, order
        self.source_columns, self.sources, self.counts = block.columns, block.codes, block.counts

    @cached_property
    def _ranges(self) -> list[tuple[Floats, Floats]]:
        """The ranks of every kind within its stratum, for each of the orders that may have been drawn."""
        block, ranges = self.block, []
        for draw in range(ORDERS if block.drawn else 1):
            ranked = block.ranked(self.order, rng_of(draw, "likelihood"))
            ends = np.cumsum(block.counts[ranked])
            first = np.flatnonzero(np.diff(block.strata[ranked], prepend=-1))
            before = np.concatenate([[0], ends])[first]  # rows of the strata before
            lows, highs = np.empty(len(ranked)), np.empty(len(ranked))
            offset = before[block.strata[ranked]]
            highs[ranked] = ends - offset
            lows[ranked] = ends - block.counts[ranked] - offset
            ranges.append((lows, highs))
        return ranges

    def probabilities(self, sources: Ints, kinds: Ints) -> Floats:
        """Return the mean over the orders that may have been drawn."""
        block = self.block
        chances = (1 - self.share) * (sources[:, None] == kinds).astype(np.float64)
        for stratum in np.unique(block.strata[sources]).tolist():
            rows, columns = (np.flatnonzero(block.strata[x] == stratum) for x in (sources, kinds))
            n = int(block.counts[block.strata == stratum].sum())
            taking = max(round(self.share * n), 1)
            expected = ExpectedPairs(taking, window_of(self.window, taking))
            total = np.zeros((len(rows), len(columns)))
            for lows, highs in self._ranges:
                scaled = lows * (taking / n), highs * (taking / n)  # of the rows that take part
                befores, afters = ((scaled[0][x], scaled[1][x]) for x in (sources[rows], kinds[columns]))
                total += expected.between(befores, afters)
            anything = block.counts[kinds[columns]] / n
            chances[np.ix_(rows, columns)] += self.share * ((1 - LEAST) * total / len(self._ranges) + LEAST * anything)
        return chances


class NearestTransition(Transition):
    """Nearest pairs: what became of the rows of every tuple in some runs with other draws."""

    def __init__(self, records: Records, block: Block, cap: float, share: float) -> None:
        self.block, self.records, self.cap, self.share = block, records, cap, share
        self.source_columns = tuple(range(len(records.attributes)))
        self.sources, self.counts = records.codes, records.counts

    @cached_property
    def _pairs(self) -> NearPairs:
        return NearPairs(self.records, self.block, self.cap)

    @cached_property
    def _runs(self) -> int:
        return int(np.clip(MAX_PAIRS // max(len(self._pairs.far), 1), MIN_RUNS, MAX_RUNS))

    @cached_property
    def _seen(self) -> Floats:
        """How many rows of every tuple got each kind, over all runs, as a sparse matrix."""
        from scipy.sparse import coo_array

        counts, parts = self.records.counts, []
        for run in range(self._runs):
            rng = rng_of(run, "likelihood")
            parts.append(outcomes(self.block, counts, self._pairs.exchanged(taking_part(counts, self.share, rng), rng)))
        source, kind, rows = (np.concatenate(x) for x in zip(*parts, strict=True))
        shape = len(counts), len(self.block.counts)
        return coo_array((rows.astype(np.float64), (source, kind)), shape).tocsr()

    def probabilities(self, sources: Ints, kinds: Ints) -> Floats:
        """Return the share of the runs, in which rare outcomes may be missing."""
        strata = self.block.strata
        seen = self._seen[sources][:, kinds].toarray()  # type: ignore[attr-defined]
        total = self._runs * self.counts[sources]
        possible = strata[self.block.kinds[sources]][:, None] == strata[kinds]
        sizes = np.bincount(strata, weights=self.block.counts)
        anything = np.where(possible, self.block.counts[kinds] / sizes[strata[kinds]], 0.0)
        return np.asarray((seen + UNSEEN * anything) / (total + UNSEEN)[:, None])


def taking_part(counts: Ints, share: float, rng: np.random.Generator) -> Ints:
    """Return how many rows of every tuple take part, if a share of all rows is drawn."""
    if share >= 1:
        return counts
    rows = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    return np.bincount(rows[: round(share * len(rows))], minlength=len(counts))


@dataclass(frozen=True, eq=False)
class SwapMechanism:
    """The transitions of all blocks, which are swapped independently of each other."""

    table: SwappedTable
    transitions: tuple[Transition, ...]

    def log_likelihood(self, attribute: int, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before) of a column, whatever the other columns have."""
        transition = next(x for x in self.transitions if attribute in x.block.columns)
        own, block = transition.source_columns.index(attribute), transition.block
        place = block.columns.index(attribute)
        codes = {value: code for code, value in enumerate(self.table.records.attributes[attribute].values)}
        was, now = (np.array([codes.get(x, -1) for x in values], np.int64) for values in (before, after))
        becomes = (block.codes[:, place, None] == now).astype(np.float64)
        logs = np.full((len(before), len(after)), -np.inf)
        for row, code in enumerate(self._swapped_as(attribute, was).tolist()):
            sources = np.flatnonzero(transition.sources[:, own] == code)
            if len(sources):
                counts = transition.counts[sources]
                chances = counts @ transition.probabilities(sources, np.arange(len(block.counts))) @ becomes
                with np.errstate(divide="ignore"):
                    logs[row] = np.log(chances / counts.sum())
        return logs

    def log_likelihood_of_tuples(self, before: Ints, after: Ints) -> Floats:
        """Return log P(after | before) of tuples of all columns, given by their codes."""
        logs = np.zeros((len(before), len(after)))
        before = np.stack([self._swapped_as(a, before[:, a]) for a in range(before.shape[1])], axis=1)
        for x in self.transitions:
            sources = _places(x.sources, before[:, x.source_columns])
            kinds = _places(x.block.codes, after[:, x.block.columns])
            rows, row = np.unique(sources, return_inverse=True)
            columns, column = np.unique(kinds, return_inverse=True)
            chances = np.zeros((len(rows), len(columns)))
            known = np.ix_(rows >= 0, columns >= 0)
            chances[known] = x.probabilities(rows[rows >= 0], columns[columns >= 0])
            with np.errstate(divide="ignore"):
                logs += np.log(chances)[np.ix_(row.ravel(), column.ravel())]
        return logs

    def _swapped_as(self, attribute: int, codes: Ints) -> Ints:
        """Return what values are swapped as; codes that the table does not have stay."""
        becomes = self.table.becomes[attribute]
        return np.where((codes >= 0) & (codes < len(becomes)), becomes[np.clip(codes, 0, len(becomes) - 1)], codes)


def _places(tuples: Ints, some: Ints) -> Ints:
    """Return the places of some tuples among others, all of them different; -1, where one is not among them."""
    number, _, _ = distinct(list(np.concatenate([tuples, some]).T))
    place = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
    place[number[: len(tuples)]] = np.arange(len(tuples))
    return place[number[len(tuples) :]]
