"""The consensus of sets: a set that is nobody's, made of what several of them have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, count_units, sum_by, take_rows, to_rows
from allonym.kinds.metric import tolerance
from allonym.kinds.set_metric.consensus_search import Choice, Members, Search
from allonym.kinds.set_metric.costs import SetCosts
from allonym.kinds.set_metric.metric import SetMetric
from allonym.metric import Value
from allonym.ontology.narrower import Narrower

Bools = NDArray[np.bool_]
MAX_CANDIDATES = 400  # for one group: those that most of it hold
MAX_REPAIRS = 20  # sets that are tried in place of one that is somebody's
PAIRS_AT_A_TIME = 1_000_000  # of elements, whose distances are computed together
MAX_TABLE = 16_000_000  # distances of elements that are kept


@dataclass(frozen=True, eq=False)
class Covers:
    """Elements, and concepts above them, by code; and the items that each is true of, by their places, in CSR form."""

    codes: Ints
    starts: Ints
    items: NDArray[np.integer]

    def take(self, some: Ints) -> Covers:
        """Return some of the codes."""
        return Covers(self.codes[some], *take_rows(self.starts, self.items, some))

    def table(self, some: Ints, number: int) -> Bools:
        """Return which of a number of items some codes (rows) are true of."""
        starts, items = take_rows(self.starts, self.items, some)
        table = np.zeros((len(some), number), bool)
        table[np.repeat(np.arange(len(some)), np.diff(starts)), items] = True
        return table


class Consensus:
    """What stands for groups of sets: items that several hold, and concepts that subsume items of several.

    Args:
        metric: the sets of the table.
        k: how many units must hold an item or something below it, or a whole set, for it to be written.
        codes: the set of each row.
        counts: how many rows each stands for.
        units: who each row is about; without it, all are about different persons.
    """

    def __init__(self, metric: SetMetric, k: int, codes: Ints, counts: Ints, units: Ints | None = None) -> None:
        self.metric, self.k = metric, k
        self._codes, self._counts, self._units = codes, counts, units
        known = metric.elements.representatives(truthful=True) or []
        self.elements = metric.elements.extend(known)
        self._chosen: dict[tuple[bytes, ...], Value] = {}
        self._leaf = np.array([isinstance(x, Narrower) for x in self.elements.values], bool)

    # --- what the table holds ----------------------------------------------------------------------------------

    @cached_property
    def _above(self) -> tuple[Ints, NDArray[np.int32]]:
        """For every element what it is and what is above it, except what is too general to stand for others."""
        own = np.arange(len(self.metric.elements.values))
        usable = set(self.metric.elements.representatives(truthful=True) or [])
        kept = np.array([x in usable for x in self.elements.values], bool)
        kept[: len(own)] = True
        if (rows := self.elements.generalised()) is not None:
            codes, below = np.repeat(np.arange(len(kept)), np.diff(rows[0])), rows[1]
            some = kept[codes] & (below < len(own))
            return to_rows(below[some], codes[some], len(own))
        found = [np.flatnonzero(self.elements.generalises(code, own)) for code in np.flatnonzero(kept).tolist()]
        below = np.concatenate([own[:0], *found])
        return to_rows(below, np.repeat(np.flatnonzero(kept), [len(x) for x in found]) if found else below, len(own))

    @cached_property
    def _of_sets(self) -> tuple[Ints, Ints]:
        """For every set its elements and what is above these, each once."""
        starts, items = self.metric.rows
        each, above = take_rows(*self._above, items.astype(np.int64))
        owner = np.repeat(np.repeat(np.arange(len(starts) - 1), np.diff(starts)), np.diff(each))
        keys = np.unique(owner * len(self.elements.values) + above)
        owner, above = np.divmod(keys, max(len(self.elements.values), 1))
        return np.searchsorted(owner, np.arange(len(starts))), above

    @cached_property
    def holders(self) -> Ints:
        """How many units hold each element, or something below it."""
        starts, above = self._of_sets
        size = len(self.elements.values)
        if self._units is None:
            held = sum_by(self._codes, self._counts.astype(np.float64), len(starts) - 1)
            return sum_by(above, np.repeat(held, np.diff(starts)), size).astype(np.int64)
        each, elements = take_rows(starts, above, self._codes)
        return count_units(elements, np.repeat(self._units, np.diff(each)), size)

    @cached_property
    def _rare(self) -> frozenset[Value]:
        """The sets that fewer than k units hold."""
        size = len(self.metric.values)
        if self._units is None:
            held = sum_by(self._codes, self._counts.astype(np.float64), size)
        else:
            held = count_units(self._codes, self._units, size).astype(np.float64)
        rare = np.flatnonzero((held > 0) & (held < self.k))
        return frozenset(self.metric.values[c] for c in rare.tolist())

    def is_somebodys(self, value: Value) -> bool:
        """Tell whether a set is one that fewer than k units hold, as it stands."""
        return value in self._rare

    # --- what stands for a group -------------------------------------------------------------------------------

    def of(self, members: Members) -> Value:
        """Return what stands for a group; null, if it has nothing in common that may be written."""
        if (key := members.key) not in self._chosen:
            self._chosen[key] = self._of(members)
        return self._chosen[key]

    def _of(self, members: Members) -> Value:
        null = self.metric.unlinked[members.codes]
        sets = members.without(null)
        if not len(sets.codes):
            return None
        if len(members.codes) == 1:
            value = self.metric.values[sets.codes[0]]
            return None if self.is_somebodys(value) else value
        value, cost = self._nobodys(self._search(sets, complete=not null.any()))
        if value is None:
            value, cost = self._nobodys(self._search(sets, complete=not null.any(), general=True))
        missing, weight = float(members.mass[null].sum()), float(sets.mass.sum())
        return None if weight < missing + cost - tolerance(cost) else value

    def _search(self, sets: Members, *, complete: bool, general: bool = False) -> Search:
        """Return the search among the elements that may be written for a group, in the order that breaks ties.

        Args:
            sets: the group.
            complete: whether all of the group have a set.
            general: whether concepts may also subsume one item only.
        """
        starts, rows = take_rows(*self.metric.rows, sets.codes)
        items, place = np.unique(rows, return_inverse=True)
        has = np.zeros((len(sets.codes), len(items)), bool)
        has[np.repeat(np.arange(len(sets.codes)), np.diff(starts)), place.ravel()] = True
        covers = self._covering(items)
        by_set, exact = self._by_set(covers.codes, starts, rows)
        usable = (self.holders[covers.codes] >= self.k) & sets.held(by_set)
        usable &= ~self._leaf[covers.codes] | (by_set.all(axis=1) & complete)
        covers, by_set, held = covers.take(np.flatnonzero(usable)), by_set[usable], sets.held(exact[usable])
        codes = covers.codes
        kept = np.flatnonzero(held | (self._known[codes] if general else self._least(covers, items, held)))
        count, first = np.round(by_set[kept] @ sets.mass, 9), by_set[kept].argmax(axis=1)
        order = np.lexsort((codes[kept], first, -self.holders[codes[kept]], ~held[kept], -count))
        kept = kept[order[:MAX_CANDIDATES]]
        costs = SetCosts(self._distances(codes[kept, None], items), has, sets.mass, self.metric.distance)
        return Search(costs, sets, codes[kept], covers.table(kept, len(items)), held[kept])

    def _covering(self, items: Ints) -> Covers:
        """Return what some elements are and have above them, and which of the elements each is true of."""
        starts, above = take_rows(*self._above, items)
        codes, row = np.unique(above, return_inverse=True)
        return Covers(codes, *to_rows(row.ravel(), np.repeat(np.arange(len(items)), np.diff(starts)), len(codes)))

    def _by_set(self, codes: Ints, starts: Ints, items: Ints) -> tuple[Bools, Bools]:
        """Return which sets have something that each of some codes is true of, and which have it as it is.

        The sets have elements in CSR form; the codes are all of these elements and all above them.
        """
        below, exact = (np.zeros((len(codes), len(starts) - 1), bool) for _ in range(2))
        owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        each, above = take_rows(*self._above, items)
        below[np.searchsorted(codes, above), np.repeat(owner, np.diff(each))] = True
        exact[np.searchsorted(codes, items), owner] = True
        return below, exact

    def _distances(self, codes: Ints, items: Ints) -> Floats:
        """Return the distances of elements, and of concepts above them, to elements, broadcasting like NumPy."""
        return self.elements.distances(codes, items) if self._table is None else np.asarray(self._table[codes, items])

    @cached_property
    def _table(self) -> Floats | None:
        """The distances of all elements and concepts above them to the elements; None, if there are too many."""
        all_codes, own = np.arange(len(self.elements.values)), np.arange(len(self.metric.elements.values))
        if all_codes.size * own.size > MAX_TABLE:
            return None
        blocks = np.array_split(all_codes, max(1, len(all_codes) * len(own) // PAIRS_AT_A_TIME))
        return np.concatenate([self.elements.distances(some[:, None], own) for some in blocks])

    def _least(self, covers: Covers, items: Ints, held: Bools) -> Bools:
        """Return which concepts are the least that subsume certain items: the nearest to these that people know.

        A concept that subsumes nothing but one item, which several hold, says less than the item. Ties: the first.
        """
        codes, starts = covers.codes, covers.starts
        least = np.zeros(len(codes), bool)
        best: dict[bytes, tuple[bool, bool, float, int]] = {}
        row = np.repeat(np.arange(len(codes)), np.diff(starts))
        far = np.bincount(row, self._distances(codes[row], items[covers.items]), len(codes))
        ranks = zip(~held, ~self._known[codes], np.round(far, 9).tolist(), range(len(codes)), strict=True)
        for place, rank in enumerate(ranks):
            name = covers.items[starts[place] : starts[place + 1]].tobytes()
            best[name] = min(best.get(name, rank), rank)
        least[[place for _, unknown, _, place in best.values() if not unknown]] = True
        return least

    @cached_property
    def _known(self) -> Bools:
        """Which elements people know, so that they may stand for others."""
        return np.array([self.elements.is_known(x) for x in self.elements.values], bool)

    def _nobodys(self, search: Search) -> tuple[Value, float]:
        """Return the set that a search finds to cost least and that is nobody's, and its cost; null, if there is none.

        Where a set is somebody's, those that differ from it by one element are tried, from the least cost on.
        """
        tried: set[Choice] = set()
        waiting = [search.least(), *search.empty()]
        while waiting and len(tried) < MAX_REPAIRS:
            waiting.sort(key=lambda found: (round(found[1], 9), found[0]))
            chosen, cost = waiting.pop(0)
            value = frozenset(self.elements.values[c] for c in search.codes[list(chosen)].tolist())
            if (value or search.empty()) and not self.is_somebodys(value):
                return value, cost
            if chosen not in tried:
                tried.add(chosen)
                waiting += search.neighbours(chosen)
        return None, 0.0
