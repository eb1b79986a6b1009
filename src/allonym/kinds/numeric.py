"""Numbers: |a - b| / range; the mean represents a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by
from allonym.cells import MISSING, Cells, cell_text, is_missing
from allonym.errors import TableError
from allonym.kinds.base import ANYTHING, EncodedColumn, Kind
from allonym.kinds.codec import CellCodec
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.metric import BaseMetric, halves
from allonym.kinds.numbers import MAX_DECIMALS, decimals_of, number_label, number_or_range, numbers_of, to_number
from allonym.ontology.scope import Scope
from allonym.parameters import is_number
from allonym.records import Attribute, Value


class NumericMetric(BaseMetric):
    """Distance |a - b| / range of the data. The centroid is the mean, rounded to the decimals of the column.

    Nulls are left out of a mean unless they are the majority; then the centroid is null.

    >>> ages = NumericMetric([20.0, 30.0, 60.0, None], decimals=0)
    >>> ages.distances(0, [0, 1, 2, 3]).tolist(), ages.centroid(np.array([0, 1, 3]), np.array([1.0, 2.0, 1.0]))
    ([0.0, 0.25, 1.0, 1.0], 27.0)
    """

    def __init__(
        self,
        values: Sequence[Value],
        decimals: int = 0,
        span: float | None = None,
        rule: DominanceRule | None = None,
    ) -> None:
        super().__init__(values)
        self.decimals = decimals
        self.rule = rule or DominanceRule()
        numbers = [v for v in self.values if v is not None]
        self.span = (max(numbers) - min(numbers) if numbers else 0.0) if span is None else span

    @cached_property
    def numbers(self) -> Floats:
        """The values as an array, a range by its middle; null and unlinked texts are NaN."""
        return frozen(self._ends.mean(axis=1))

    @cached_property
    def _ends(self) -> Floats:
        """The lowest and the highest number of every value; both are the number, if it is no range."""
        ends = [v if isinstance(v, tuple) else (np.nan, np.nan) if self.unlinked[i] else (v, v)
                for i, v in enumerate(self.values)]  # fmt: skip
        return frozen(np.array(ends, np.float64).reshape(-1, 2))

    def _with(self, values: Sequence[Value]) -> NumericMetric:
        return NumericMetric(values, self.decimals, self.span, self.rule)

    def _between(self, a: Ints, b: Ints) -> Floats:
        far = np.abs(self.numbers[a] - self.numbers[b])
        return np.minimum(far / self.span, 1.0) if self.span > 0 else (a != b).astype(np.float64)

    def _from(self, value: Value) -> Floats:
        if not isinstance(value, (int, float)) or self.span <= 0:
            return super()._from(value)
        far = np.minimum(np.abs(value - self.numbers) / self.span, 1.0)
        return np.where(self.unlinked, 1.0, far)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the rounded mean."""
        linked = self.without_unlinked(codes, counts)
        if linked is None:
            return self.mode(codes[self.unlinked[codes]], counts[self.unlinked[codes]])
        codes, counts = linked
        if counts.sum() > 0:
            total = sum_by(codes, counts, len(self.values))  # by value: the order of tuples must not matter
            present = np.flatnonzero(total)
            mean = (self.numbers[present] * total[present]).sum() / total[present].sum()
        else:
            mean = self.numbers[codes].mean()
        return round(float(mean), self.decimals) + 0.0  # no negative zero

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number two ranges."""
        return halves(self.numbers[codes], counts)

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the mean: no number is true of several."""
        return self.centroid(codes, counts)

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return None: two numbers span a range."""
        return None

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which values a value is true of: a range, of the numbers and ranges in it, its ends included."""
        low, high = self._ends[code]
        inside = (self._ends[codes, 0] >= low) & (self._ends[codes, 1] <= high)
        return inside | super().generalises(code, codes)

    def range(self, a: Ints, b: Ints) -> Floats:
        """Return the width of the range that covers two values, as a share of the range of the data."""
        low = np.minimum(self._ends[a, 0], self._ends[b, 0])
        high = np.maximum(self._ends[a, 1], self._ends[b, 1])
        width = np.minimum((high - low) / self.span, 1.0) if self.span > 0 else (a != b).astype(np.float64)
        return np.where(self.unlinked[a] | self.unlinked[b], (a != b).astype(np.float64), width)


def dominance_figures(attributes: Sequence[Attribute]) -> dict[str, dict[str, Any]]:
    """Return for columns of numbers how many groups have another value than their mean, and the rules.

    Columns without such groups are left out if their rules are the default ones.
    """
    return {
        x.name: {"groups": x.coded_means, **asdict(x.metric.rule)}
        for x in attributes
        if isinstance(x.metric, NumericMetric) and (x.coded_means or x.metric.rule != DominanceRule())
    }


@dataclass(frozen=True, eq=False)
class NumberCodec(CellCodec):
    """A column of numbers: its decimals, and whether it has decimal commas."""

    name: str
    decimals: int
    comma: bool
    as_text: bool  # whether cells of the table were text

    def read(self, cell: Any) -> Value:
        """Return the number of a cell."""
        number = to_number(str(cell), self.comma)
        if number is None:
            raise TableError(f"A value in column {self.name} is no number.", hint="correct it.", values=[str(cell)])
        return number

    def write(self, value: Value, like: Any) -> Any:
        """Return a number with the column's decimals, as text where the table had text."""
        return number_label(value, self.decimals, self.comma, as_text=self.as_text)

    def to_json(self, value: Value) -> Any:
        """Return a number."""
        return value

    def from_json(self, stored: Any) -> Value:
        """Return a number."""
        if not is_number(stored):
            raise ValueError("number")
        return stored

    def to_dict(self) -> dict[str, Any]:
        """Return how numbers are written."""
        return {"kind": Numeric.name, "decimals": self.decimals, "comma": self.comma, "as_text": self.as_text}


@dataclass(frozen=True)
class Numeric(Kind):
    """Numbers, with as many decimals as the column has, and a decimal comma if it has one."""

    name: ClassVar[str] = "numeric"
    description: ClassVar[str] = "numbers"
    automatic: ClassVar[bool] = True
    numeric: ClassVar[bool] = True
    ordered: ClassVar[bool] = True

    p_percent: float = DominanceRule.p
    dominance_n: int = DominanceRule.n
    dominance_k: float = DominanceRule.k

    @classmethod
    def recognises(cls, cells: Cells, missing: Sequence[str] = MISSING) -> bool:
        """Tell whether every cell is a number."""
        texts = [str(x) for x in cells.values if not is_missing(x, missing)]
        return bool(texts) and None not in numbers_of(texts)[0]

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode numbers."""
        texts = self._texts(cells)
        numbers, comma = numbers_of(texts)
        unknown = [t for t, x in zip(texts, numbers, strict=True) if t is not None and x is None]
        if unknown:
            raise TableError(
                f"{len(unknown):,} of {len(texts):,} values of column {name} are no numbers.",
                hint="choose kind = category, or name an ontology.",
                values=unknown,
            )
        decimals = decimals_of(texts)
        as_text = any(isinstance(c, str) and not is_missing(c, self.missing) for c in cells.values)

        def label(value: float | None) -> Any:
            return number_label(value, decimals, comma, as_text=as_text)

        rule = DominanceRule(self.p_percent, self.dominance_n, self.dominance_k)
        return self._encoded(name, cells, numbers, lambda v: NumericMetric(v, decimals, rule=rule), float, label)

    def codec(self, encoded: EncodedColumn, links: Sequence[ColumnLinks], domain: Any = None) -> NumberCodec:
        """Return the codec of the column's numbers."""
        cells = encoded.cells.values
        texts = self._texts(encoded.cells)
        as_text = any(isinstance(c, str) for c, text in zip(cells, texts, strict=True) if text is not None)
        return NumberCodec(encoded.attribute.name, decimals_of(texts), numbers_of(texts)[1], as_text)

    def stored_codec(self, name: str, stored: Mapping[str, Any], scopes: Sequence[Scope]) -> NumberCodec:
        """Return the codec of numbers that was stored."""
        decimals = stored["decimals"]
        if not (type(decimals) is int and 0 <= decimals <= MAX_DECIMALS):
            raise ValueError("decimals")
        return NumberCodec(name, decimals, stored["comma"], stored["as_text"])

    def _texts(self, cells: Cells) -> list[str | None]:
        return [None if is_missing(c, self.missing) else str(c) for c in cells.values]

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return new numbers, and ranges as tools write them."""
        numbers = [x for x in encoded.attribute.values if x is not None]
        comma = numbers_of([cell_text(x) for x in encoded.cells.values if x is not None])[1]
        values = {t: number_or_range(t, numbers, comma) for t in new}
        return {t: x for t, x in values.items() if x is not None or t == ANYTHING}
