"""Which cells changed, counted on text: the original cell against the released one.

A cell has changed if its text has. Its meaning has changed if the code of its value has: it has another concept,
another leaf, another number, or null. Otherwise only the spelling has, as where `beaches` is written `beach`.

A changed meaning is null, generalised or false. It is generalised if the released value is true of the original one
but less specific: an ancestor, a range with the number in it, a prefix. It is false if it is neither null nor true. A
value written where there was none is false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, distinct
from allonym.metric import Metric, Value

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CellPairs:
    """The cells of one column before and after masking, as distinct pairs.

    Pair i stands for `counts[i]` cells: their original text is number `was[i]`, their released text number `now[i]`.
    """

    name: str
    metric: Metric
    original: Sequence[str]  # texts
    released: Sequence[str]  # texts
    was: Ints
    now: Ints
    original_codes: Ints  # of each pair: the value of its original text
    released_codes: Ints  # of each pair: the value of its released text
    counts: Ints
    original_missing: Flags  # for each original text, whether it is a missing value
    released_missing: Flags  # for each released text
    unreviewed: Flags  # for each original text, whether its value rests on a link that nobody reviewed
    doubtful: Flags  # of these, whether the link needs review
    original_items: Sequence[Mapping[str, Value]] | None = None  # of sets: the value of each item of each original text
    released_items: Sequence[frozenset[str]] | None = None  # of sets: the items of each released text

    @cached_property
    def changed(self) -> Flags:
        """Which pairs differ in text."""
        number: dict[str, int] = {}
        before, after = (
            np.array([number.setdefault(x, len(number)) for x in texts], np.int64)
            for texts in (self.original, self.released)
        )
        return before[self.was] != after[self.now]

    @cached_property
    def meaning_changed(self) -> Flags:
        """Which pairs differ in text and in value."""
        return self.changed & (self.original_codes != self.released_codes)

    @cached_property
    def spelling_changed(self) -> Flags:
        """Which pairs differ in text, but not in value."""
        return self.changed & (self.original_codes == self.released_codes)

    @cached_property
    def set_to_null(self) -> Flags:
        """Which pairs had a value and are null."""
        return self.meaning_changed & ~self.original_missing[self.was] & self.released_missing[self.now]

    @cached_property
    def false(self) -> Flags:
        """Which pairs have a released value that is not true of the original one; null is never false."""
        return self.meaning_changed & ~self.set_to_null & ~self._released_is_true

    @cached_property
    def generalised(self) -> Flags:
        """Which pairs have a released value that is true of the original one, but less specific."""
        return self.meaning_changed & ~self.set_to_null & ~self.false

    @cached_property
    def _released_is_true(self) -> Flags:
        """Of which pairs of different values the released one is true of the original one."""
        true = np.zeros(len(self.was), bool)
        chosen = np.flatnonzero(self.meaning_changed)
        pair, _, first = distinct([self.original_codes[chosen], self.released_codes[chosen]])
        was, now = self.original_codes[chosen[first]], self.released_codes[chosen[first]]
        holds = np.zeros(len(first), bool)
        order = np.argsort(now, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(now[order])) + 1):
            if len(places):
                holds[places] = self.metric.generalises(int(now[places[0]]), was[places])
        true[chosen] = holds[pair]
        return true

    @cached_property
    def farthest(self) -> float:
        """The largest distance of a released value from the original one; null says nothing and has none."""
        told = np.flatnonzero(self.meaning_changed & ~self.set_to_null)
        return float(self.metric.distances(self.original_codes[told], self.released_codes[told]).max(initial=0.0))


class Replacement(NamedTuple):
    """An original text, its released text, and the cells that have both."""

    original: str
    released: str
    cells: int
    meaning_changed: bool  # else only the spelling
    distance: float


@dataclass(frozen=True)
class ItemChanges:
    """The items of sets that a release lacks or adds; released = original - removed + added."""

    original: int = 0
    released: int = 0
    removed: int = 0  # items whose text is not in the released set
    respelled: int = 0  # of these, those whose value is in the released set under another text
    added: int = 0  # items whose text is not in the original set


@dataclass(frozen=True)
class Counts:
    """How many cells changed, and how.

    `changed` = `meaning_changed` + `spelling_only`, and `meaning_changed` = `false` + `generalised` + `set_to_null`.
    """

    cells: int = 0
    changed: int = 0
    meaning_changed: int = 0
    false: int = 0  # of these, cells whose released value is not true of the original one
    generalised: int = 0  # cells whose released value is true, but less specific
    set_to_null: int = 0  # cells that had a value and are null
    spelling_only: int = 0
    united_spellings: int = 0  # distinct original texts of cells that changed in spelling only
    unreviewed: int = 0  # cells that rest on links nobody reviewed, changed or not
    doubtful: int = 0  # of these, cells whose link needs review
    replacements: int = 0  # distinct pairs of an original and another released text

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Counts)))


@dataclass(frozen=True, eq=False)
class ColumnChanges:
    """The changes in one column."""

    counts: Counts
    items: ItemChanges | None
    pairs: CellPairs = field(repr=False)

    @property
    def farthest(self) -> float:
        """The largest distance of a released value from the original one; null has none."""
        return self.pairs.farthest

    @cached_property
    def replacements(self) -> tuple[Replacement, ...]:
        """Every replacement, those of most cells first, then by text. They are values of the data."""
        pairs = self.pairs
        chosen = np.flatnonzero(pairs.changed)
        distances = pairs.metric.distances(pairs.original_codes[chosen], pairs.released_codes[chosen])
        cells: dict[tuple[str, str, bool, float], int] = {}
        for i, distance in zip(chosen.tolist(), distances.tolist(), strict=True):
            texts = pairs.original[pairs.was[i]], pairs.released[pairs.now[i]]
            meaning_changed = bool(pairs.meaning_changed[i])
            key = (*texts, meaning_changed, distance if meaning_changed else 0.0)
            cells[key] = cells.get(key, 0) + int(pairs.counts[i])
        listed = [Replacement(was, now, n, changed, far) for (was, now, changed, far), n in cells.items()]
        return tuple(sorted(listed, key=lambda x: (-x.cells, x.original, x.released, x.distance)))

    def to_dict(self) -> dict[str, Any]:
        """Return the counts for JSON; they hold no values of the data."""
        items = {"items": asdict(self.items)} if self.items is not None else {}
        return asdict(self.counts) | {"farthest": self.farthest} | items


@dataclass(frozen=True, eq=False)
class Changes:
    """The changes of a release, by column."""

    columns: Mapping[str, ColumnChanges]

    @property
    def counts(self) -> Counts:
        """The counts of all columns together."""
        return sum((x.counts for x in self.columns.values()), Counts())

    @property
    def farthest(self) -> float:
        """The largest distance of a released value from the original one, in any column."""
        return max((x.farthest for x in self.columns.values()), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts for JSON; they hold no values of the data."""
        columns = {name: x.to_dict() for name, x in self.columns.items()}
        return asdict(self.counts) | {"farthest": self.farthest, "by_column": columns}


def changes(columns: Sequence[CellPairs]) -> Changes:
    """Count the changes of a release, column by column.

    >>> from allonym.kinds.category import EqualityMetric
    >>> none, two = np.zeros(2, bool), np.arange(2)
    >>> metric, codes = EqualityMetric(["beach", "park"]), np.array([0, 0])
    >>> pairs = CellPairs("why", metric, ["beaches", "beach"], ["beach"], two, codes, codes, codes, np.array([3, 9]),
    ...                   none, none[:1], none, none)
    >>> counts = changes([pairs]).counts
    >>> counts.cells, counts.changed, counts.meaning_changed, counts.spelling_only, counts.united_spellings
    (12, 3, 0, 3, 1)
    """
    return Changes({pairs.name: ColumnChanges(_counts(pairs), _items(pairs), pairs) for pairs in columns})


def _counts(pairs: CellPairs) -> Counts:
    def cells(which: Flags) -> int:
        return int(pairs.counts[which].sum())

    respelled = {pairs.original[i] for i in np.unique(pairs.was[pairs.spelling_changed]).tolist()}
    return Counts(
        cells=int(pairs.counts.sum()),
        changed=cells(pairs.changed),
        meaning_changed=cells(pairs.meaning_changed),
        false=cells(pairs.false),
        generalised=cells(pairs.generalised),
        set_to_null=cells(pairs.set_to_null),
        spelling_only=cells(pairs.spelling_changed),
        united_spellings=len(respelled),
        unreviewed=cells(pairs.unreviewed[pairs.was]),
        doubtful=cells(pairs.doubtful[pairs.was]),
        replacements=_distinct_replacements(pairs),
    )


def _distinct_replacements(pairs: CellPairs) -> int:
    """Return the number of distinct pairs of texts that differ."""
    was, now = pairs.was[pairs.changed], pairs.now[pairs.changed]
    if not len(was):
        return 0
    if len(set(pairs.original)) == len(pairs.original) and len(set(pairs.released)) == len(pairs.released):
        return len(distinct([was, now])[1])
    return len({(pairs.original[i], pairs.released[j]) for i, j in zip(was.tolist(), now.tolist(), strict=True)})


def _items(pairs: CellPairs) -> ItemChanges | None:
    """Count the items of sets; None, if cells are no sets."""
    if pairs.original_items is None or pairs.released_items is None:
        return None
    total = np.zeros(5, np.int64)
    each = zip(pairs.was.tolist(), pairs.now.tolist(), pairs.released_codes.tolist(), pairs.counts, strict=True)
    for was, now, code, count in each:
        before, after = pairs.original_items[was], pairs.released_items[now]
        removed = [item for item in before if item not in after]
        values = pairs.metric.values[code] or frozenset()
        respelled = sum(before[item] in values for item in removed)
        added = sum(item not in before for item in after)
        total += count * np.array([len(before), len(after), len(removed), respelled, added])
    return ItemChanges(*total.tolist())
