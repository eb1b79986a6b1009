"""Ordered categories: distance in ranks; the median represents a group, or a range of levels that is true of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, added_up, frozen, sum_by
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import Problem, TableError
from allonym.kinds.base import ANYTHING, EncodedColumn, Kind
from allonym.kinds.codec import CellCodec
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.metric import BaseMetric, halves
from allonym.kinds.ranges.hierarchy import merged_neighbours
from allonym.kinds.ranges.numeric_metric import mean_distance
from allonym.metric import Metric, Value
from allonym.ontology.scope import Scope

RANGE = " to "  # between the lowest and the highest level of a range


class OrdinalMetric(BaseMetric):
    """Distance |rank - rank| / (levels - 1). The centroid is the lower median (Domingo-Ferrer and Torra 2005).

    Nulls are left out unless they are the majority; then the centroid is null.

    >>> sizes = OrdinalMetric([0, 1, 2, None], levels=3)
    >>> sizes.distances(0, [0, 1, 2, 3]).tolist(), sizes.centroid(np.array([0, 1, 2]), np.array([1.0, 1.0, 3.0]))
    ([0.0, 0.5, 1.0, 1.0], 2)
    """

    def __init__(self, values: Sequence[Value], levels: int) -> None:
        super().__init__(values)
        self.levels = levels

    @cached_property
    def ranks(self) -> Ints:
        """The ranks as an array, of a range its lowest; null has none."""
        return frozen(self._ends[:, 0].astype(np.int64))

    @cached_property
    def _ends(self) -> Floats:
        """The lowest and the highest rank of every value; null has -1."""
        ends = [v if isinstance(v, tuple) else (-1, -1) if self.unlinked[i] else (v, v)
                for i, v in enumerate(self.values)]  # fmt: skip
        return frozen(np.array(ends, np.float64).reshape(-1, 2))

    def _with(self, values: Sequence[Value]) -> OrdinalMetric:
        return OrdinalMetric(values, self.levels)

    def _between(self, a: Ints, b: Ints) -> Floats:
        far = mean_distance(self._ends[a], self._ends[b]) / max(self.levels - 1, 1)
        return np.where(np.equal(a, b), 0.0, far)

    @property
    def ordered(self) -> bool:
        """Whether the codes follow an order of the values themselves: ranks do."""
        return True

    @property
    def ends(self) -> Floats | None:
        """The lowest and the highest number of every value."""
        return self._ends

    def compiled_form(self) -> dict[str, Any] | None:
        """Return ranks and distances; None, if a value is a range of levels."""
        if any(isinstance(value, tuple) for value in self.values):
            return None
        codes = np.arange(len(self.values))
        ranks = np.where(self.unlinked, -1, self.ranks)
        return {"form": "ranks", "table": self.distances(codes[:, None], codes), "ranks": ranks}

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the median rank."""
        linked = self.without_unlinked(codes, counts)
        if linked is None:
            return self.mode(codes[self.unlinked[codes]], counts[self.unlinked[codes]])
        codes, counts = linked
        total, present = sum_by(codes, counts, len(self.values)), np.unique(codes)  # by value, as compiled kernels do
        order = present[np.argsort(self.ranks[present], kind="stable")]
        middle = int(np.searchsorted(np.cumsum(total[order]), added_up(total[present]) / 2))
        return int(self.ranks[order[min(middle, len(order) - 1)]])

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number two ranges of ranks."""
        return halves(self.ranks[codes].astype(np.float64), counts)

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the median: no rank is true of several."""
        return self.centroid(codes, counts)

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return the rank that all have; else, the range from the lowest to the highest, unless that is all levels.

        Null, if a value is missing and others are not.
        """
        if (codes == codes[0]).all() or self.unlinked[codes].any():
            return BaseMetric.subsumer(self, codes, counts)
        low, high = int(self._ends[codes, 0].min()), int(self._ends[codes, 1].max())
        return None if high - low == self.levels - 1 else (low, high)

    def representatives(self, *, truthful: bool) -> list[Value] | None:
        """Return all ranks; if values must be true of several, also the ranges of ranks except that of all levels."""
        ranks: list[Value] = list(range(self.levels))
        if truthful:
            ranks += [(a, b) for a in range(self.levels) for b in range(a + 1, self.levels) if b - a < self.levels - 1]
        return list(dict.fromkeys([*(v for v in self.values if v is not None), *ranks]))

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return None: two ranks span a range."""
        return None

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: a range, of the ranks and ranges in it."""
        low, high = self._ends[code]
        inside = (self._ends[codes, 0] >= low) & (self._ends[codes, 1] <= high) & ~self.unlinked[codes]
        return (
            inside | super().generalises(code, codes) if not self.unlinked[code] else super().generalises(code, codes)
        )

    def generalisations(self) -> list[list[Value]]:
        """Return the ranks; ranges of 2, 4, … neighbouring levels, each in one of the next level; and null for all."""
        levels = [
            [v if self.unlinked[c] else _range(*level[int(self.ranks[c])]) for c, v in enumerate(self.values)]
            for level in merged_neighbours(self.levels)
        ]
        return [list(self.values), *levels, [None] * len(self.values)]


def _range(low: int, high: int) -> Value:
    """Return a range of ranks, or the one rank in it."""
    return low if low == high else (low, high)


@dataclass(frozen=True, eq=False)
class LevelCodec(CellCodec):
    """A column of ordered categories: its levels, from low to high, as they are written."""

    name: str
    levels: Sequence[Any]

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {str(level): rank for rank, level in enumerate(self.levels)}

    def read(self, cell: Any) -> Value:
        """Return the rank of a cell."""
        if (text := str(cell)) not in self._ranks:
            hint = "correct it, or list every level, from low to high."
            raise TableError(f"A value in column {self.name} is none of its levels.", hint=hint, values=[text])
        return self._ranks[text]

    def write(self, value: Value, like: Any) -> Any:
        """Return the level of a rank."""
        return None if value is None else self.levels[value]

    def to_json(self, value: Value) -> Any:
        """Return a rank."""
        return value

    def from_json(self, stored: Any) -> Value:
        """Return a rank."""
        if stored is not None and not (type(stored) is int and 0 <= stored < len(self.levels)):
            raise ValueError("rank")
        return stored

    def to_dict(self) -> dict[str, Any]:
        """Return the levels."""
        return {"kind": Ordinal.name, "levels": list(self.levels)}


@dataclass(frozen=True)
class Ordinal(Kind):
    """Ordered categories."""

    name: ClassVar[str] = "ordinal"
    description: ClassVar[str] = "ordered categories"
    options: ClassVar[frozenset[str]] = frozenset({"levels"})
    ordered: ClassVar[bool] = True
    argument: ClassVar[str] = "levels"

    levels: str | Path | Sequence[str] = ()  # from low to high, or a file with one level per line

    @classmethod
    def problems(cls, column: Any) -> Iterator[Problem]:
        """Yield the problem of missing levels."""
        if not column.levels:
            hint = "levels = [lowest, …, highest], or a file with one per line."
            yield Problem("no-levels", "an ordinal column needs its levels.", hint)

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode cells by the ranks of their levels."""
        levels = self._levels()
        rank = {level: i for i, level in enumerate(levels)}
        if len(rank) < len(levels):
            raise TableError(
                f"A level of column {name} is listed twice.", hint="list every level once, from low to high."
            )
        unknown = [str(c) for c in cells.values if not is_missing(c, self.missing) and str(c) not in rank]
        if unknown:
            raise TableError(
                f"{len(unknown):,} values of column {name} are none of its {len(levels)} levels.",
                hint="list every level, from low to high.",
                values=unknown,
            )
        values = [None if is_missing(c, self.missing) else rank[str(c)] for c in cells.values]
        cell_of = {str(c): c for c in cells.values}

        def label(value: int | tuple[int, int] | None) -> object:
            if isinstance(value, tuple):
                return RANGE.join(levels[rank] for rank in value)
            return None if value is None else cell_of.get(levels[value], levels[value])

        return self._encoded(name, cells, values, lambda v: OrdinalMetric(v, len(levels)), int, label)

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return the ranks of levels that the original does not have."""
        rank = {level: i for i, level in enumerate(self._levels())}
        ranges = {t: _range_of(t, rank) for t in new if t not in rank}
        known = {t: rank[t] for t in new if t in rank} | {t: x for t, x in ranges.items() if x is not None}
        return known | ({ANYTHING: None} if ANYTHING in new else {})

    def codec(self, encoded: EncodedColumn, links: Sequence[ColumnLinks], domain: Any = None) -> LevelCodec:
        """Return the codec of the column's levels."""
        metric = encoded.attribute.metric
        assert isinstance(metric, OrdinalMetric)
        return LevelCodec(encoded.attribute.name, [encoded.label(rank) for rank in range(metric.levels)])

    def stored_codec(self, name: str, stored: Mapping[str, Any], scopes: Sequence[Scope]) -> LevelCodec:
        """Return the codec of levels that was stored."""
        levels = stored["levels"]
        if not isinstance(levels, list) or len({str(x) for x in levels}) < len(levels):
            raise ValueError("levels")
        return LevelCodec(name, levels)

    def as_texts(self, cells: list[Any], metric: Metric) -> list[Any]:
        """Return levels as text, where they are numbers and a range is written."""
        return [x if x is None or isinstance(x, str) else cell_text(x) for x in cells]

    def _levels(self) -> Sequence[str]:
        if not isinstance(self.levels, (str, Path)):
            return self.levels
        try:
            lines = (self.folder / self.levels).read_text("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise TableError(
                f"{self.levels} cannot be read.", hint="name a file with one level per line, from low to high."
            ) from error
        return [line.strip() for line in lines if line.strip()]


def _range_of(text: str, rank: Mapping[str, int]) -> tuple[int, int] | None:
    """Return the ranks of a range of levels; None, if it is none."""
    parts = text.split(RANGE)
    for cut in range(1, len(parts)):  # a level may have the words in it
        low, high = RANGE.join(parts[:cut]), RANGE.join(parts[cut:])
        if low in rank and high in rank and rank[low] <= rank[high]:
            return rank[low], rank[high]
    return None
