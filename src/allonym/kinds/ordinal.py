"""Ordered categories: distance in ranks; the median represents a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from allonym.arrays import Floats, Ints, frozen
from allonym.cells import Cells, is_missing
from allonym.errors import Problem, TableError
from allonym.kinds.base import ANYTHING, EncodedColumn, Kind
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.metric import BaseMetric, halves
from allonym.records import Value


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
        """The ranks as an array; null has none."""
        return frozen(np.array([-1 if self.unlinked[i] else v for i, v in enumerate(self.values)], np.int64))

    def _with(self, values: Sequence[Value]) -> OrdinalMetric:
        return OrdinalMetric(values, self.levels)

    def _between(self, a: Ints, b: Ints) -> Floats:
        return np.abs(self.ranks[a] - self.ranks[b]) / max(self.levels - 1, 1)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the median rank."""
        linked = self.without_unlinked(codes, counts)
        if linked is None:
            return self.mode(codes[self.unlinked[codes]], counts[self.unlinked[codes]])
        codes, counts = linked
        order = np.argsort(self.ranks[codes], kind="stable")
        below = np.cumsum(counts[order])
        return int(self.ranks[codes[order[np.searchsorted(below, below[-1] / 2)]]])

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number two ranges of ranks."""
        return halves(self.ranks[codes].astype(np.float64), counts)

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the median: no rank is true of several."""
        return self.centroid(codes, counts)

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return None: two ranks span a range."""
        return None


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

        def label(value: int | None) -> object:
            return None if value is None else cell_of.get(levels[value], levels[value])

        return self._encoded(name, cells, values, lambda v: OrdinalMetric(v, len(levels)), int, label)

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return the ranks of levels that the original does not have."""
        levels = list(self._levels())
        return {t: levels.index(t) if t in levels else None for t in new if t in levels or t == ANYTHING}

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
