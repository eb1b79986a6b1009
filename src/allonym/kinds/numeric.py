"""Numbers: |a - b| / range; the mean represents a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

from allonym.cells import MISSING, Cells, cell_text, is_missing
from allonym.errors import Problem, TableError
from allonym.kinds.base import ANYTHING, EncodedColumn, Kind
from allonym.kinds.codec import CellCodec
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.numbers import MAX_DECIMALS, decimals_of, number_label, number_or_range, numbers_of, to_number
from allonym.kinds.ranges.coding import AUTOMATIC, NumberCoding, automatic_limits
from allonym.kinds.ranges.numeric_metric import MEAN, MEDIAN, RANGE, NumericMetric, Representation
from allonym.metric import Metric, Value
from allonym.ontology.scope import Scope
from allonym.parameters import is_number
from allonym.records import Attribute

__all__ = ["NumberCodec", "Numeric", "NumericMetric", "dominance_figures"]


def dominance_figures(attributes: Sequence[Attribute]) -> dict[str, dict[str, Any]]:
    """Return for columns of numbers how many groups have another value than their mean, and the rules.

    Columns without such groups are left out if their rules are the default ones.
    """
    return {
        x.name: {"groups": x.coded_means, **asdict(x.metric.rule)}
        for x in attributes
        if isinstance(x.metric, NumericMetric)
        and x.metric.has_amounts
        and (x.coded_means or x.metric.rule != DominanceRule())
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
    writes_rare: ClassVar[bool] = False
    default_representative: ClassVar[str] = "centroid"
    max_true_distance: ClassVar[float | None] = 0.25  # of the range
    grouped_options: ClassVar[frozenset[str]] = frozenset({"ranges", "top", "bottom", "represent"})
    options: ClassVar[frozenset[str]] = grouped_options | {"round"}
    representatives: ClassVar[Mapping[str, str]] = {MEAN: "centroid", MEDIAN: "centroid", RANGE: "truthful"}

    round: float | None = None
    ranges: str | Sequence[float] = ()
    top: float | None = None
    bottom: float | None = None
    represent: str | None = None
    p_percent: float = DominanceRule.p
    dominance_n: int = DominanceRule.n
    dominance_k: float = DominanceRule.k

    @classmethod
    def recognises(cls, cells: Cells, missing: Sequence[str] = MISSING) -> bool:
        """Tell whether every cell is a number."""
        texts = [str(x) for x in cells.values if not is_missing(x, missing)]
        return bool(texts) and None not in numbers_of(texts)[0]

    @classmethod
    def problems(cls, column: Any) -> Iterator[Problem]:
        """Yield what is wrong with classes and limits."""
        limits = column.ranges if isinstance(column.ranges, (list, tuple)) else ()
        if any(low >= high for low, high in pairwise(limits)):
            yield Problem("unordered-ranges", "ranges must be in ascending order.", "ranges = [0, 18, 30, 65].")
        if column.ranges and not (column.top is None and column.bottom is None):
            text = "ranges has open classes at both ends, so that top and bottom do not apply."
            yield Problem("ranges-and-limits", text, "leave out one of them.")
        if column.ranges and column.represent not in (None, RANGE):
            text = f"the {column.represent} of classes is no class."
            yield Problem("represent-classes", text, "leave out represent, or ranges.")
        if column.top is not None and column.bottom is not None and column.bottom >= column.top:
            yield Problem("top-below-bottom", "bottom must be below top.", "exchange them.")

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode numbers, rounded and coded as the options say."""
        texts = self._texts(cells)
        numbers, comma = numbers_of(texts)
        unknown = [t for t, x in zip(texts, numbers, strict=True) if t is not None and x is None]
        if unknown:
            raise TableError(
                f"{len(unknown):,} of {len(texts):,} values of column {name} are no numbers.",
                hint="choose kind = category, or name an ontology.",
                values=unknown,
            )
        coding = self._coding(numbers, cells, decimals_of(texts))
        decimals = coding.decimals(decimals_of(texts))
        as_text = any(isinstance(c, str) and not is_missing(c, self.missing) for c in cells.values)

        def label(value: float | None) -> Any:
            return number_label(value, decimals, comma, as_text=as_text)

        values = [None if x is None else coding.coded(x, decimals) for x in numbers]
        encoded = self._encoded(name, cells, values, self._metric(numbers, coding, decimals), _ends_of, label, numbers)
        represent = None if self.represent is None else self.representatives[self.represent]
        return replace(encoded, attribute=replace(encoded.attribute, represent=represent))

    def _coding(self, numbers: Sequence[float | None], cells: Cells, decimals: int) -> NumberCoding:
        """Return what becomes of numbers before they are masked."""
        limits = () if isinstance(self.ranges, str) else tuple(self.ranges)
        coding = NumberCoding(self.round, limits, self.top, self.bottom)
        if self.ranges != AUTOMATIC:
            return coding
        counts: Counter[float] = Counter()
        for number, count in zip(numbers, cells.counts.tolist(), strict=True):
            counts.update({} if number is None else {number: count})
        return replace(coding, limits=automatic_limits(counts, decimals) if counts else ())

    def _metric(
        self, numbers: Sequence[float | None], coding: NumberCoding, decimals: int
    ) -> Callable[[list[Value]], Metric]:
        rule = DominanceRule(self.p_percent, self.dominance_n, self.dominance_k)
        bounds = coding.bounds([x for x in numbers if x is not None])
        representation = Representation(self.represent, self.round, bool(coding.limits))
        return lambda values: NumericMetric(values, decimals, rule=rule, bounds=bounds, representation=representation)

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

    def as_texts(self, cells: list[Any], metric: Metric) -> list[Any]:
        """Return numbers as text, with the decimals of the column."""
        assert isinstance(metric, NumericMetric)
        return [
            x if x is None or isinstance(x, str) else number_label(float(x), metric.decimals, comma=False, as_text=True)
            for x in cells
        ]

    def _texts(self, cells: Cells) -> list[str | None]:
        """Return cells as text; a float without decimals, as a column of integers with nulls has, is an integer."""
        return [None if is_missing(c, self.missing) else str(c) if isinstance(c, str) else cell_text(c)
                for c in cells.values]  # fmt: skip

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return new numbers, and ranges as tools write them."""
        numbers = [x for x in encoded.attribute.values if isinstance(x, float)]
        comma = numbers_of([cell_text(x) for x in encoded.cells.values if x is not None])[1]
        values = {t: number_or_range(t, numbers, comma) for t in new}
        return {t: x for t, x in values.items() if x is not None or t == ANYTHING}


def _ends_of(value: Value) -> tuple[float, float]:
    """Return the ends of a range, or a number twice: the order of values."""
    return value if isinstance(value, tuple) else (value, value)
