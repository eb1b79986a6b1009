"""Dates: distance in days; a date, a period or a range of periods represents a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from allonym.cells import MISSING, Cells, cell_text, is_missing
from allonym.errors import TableError
from allonym.kinds.base import ANYTHING, EncodedColumn, Kind
from allonym.kinds.dates.calendar import RANGE, named_period, span_label, unit_of
from allonym.kinds.dates.codec import DateCodec, date_cell, stored_format
from allonym.kinds.dates.formats import DateFormat, orders, typed_date, written
from allonym.kinds.dates.metric import DateMetric
from allonym.kinds.linking import ColumnLinks
from allonym.metric import Metric, Value
from allonym.ontology.scope import Scope

RECOGNISED = range(1800, 2200)  # years of dates in a column without a stated kind
_NUMBERS = ("Y", "Ymd-")  # shapes that may as well be numbers


@dataclass(frozen=True)
class Dates(Kind):
    """Dates and timestamps, of which the day counts; months, years and other periods."""

    name: ClassVar[str] = "date"
    description: ClassVar[str] = "dates"
    options: ClassVar[frozenset[str]] = frozenset({"day_first", "represent"})
    representatives: ClassVar[Mapping[str, str]] = {
        "day": "centroid", "month": "truthful", "quarter": "truthful", "year": "truthful", "range": "truthful",
    }  # fmt: skip
    argument: ClassVar[str] = "represent"
    automatic: ClassVar[bool] = True
    numeric: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    writes_rare: ClassVar[bool] = False

    day_first: bool | None = None
    represent: str | None = None

    @classmethod
    def recognises(cls, cells: Cells, missing: Sequence[str] = MISSING) -> bool:
        """Tell whether every cell is a date that cannot be a number."""
        present = [x for x in cells.values if not is_missing(x, missing)]
        return bool(present) and all(map(_is_surely_date, present))

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode dates by the number of their day, month or year."""
        form = self._format(name, cells)
        values = [self._value(cell, form) for cell in cells.values]
        unknown = [cell_text(c) for c, v in zip(cells.values, values, strict=True) if isinstance(v, str)]
        if unknown:
            raise TableError(
                f"{len(unknown):,} of {len(values):,} values of column {name} are no dates.",
                hint="write them like 2021-03-04, with years of four digits, or choose kind = category.",
                values=unknown,
            )
        example = next((c for c in cells.values if not is_missing(c, self.missing)), None)

        def label(value: Value) -> Any:
            if value is None or isinstance(value, str):
                return None
            return span_label(value, form.unit) if isinstance(value, tuple) else date_cell(value, form, example)

        def metric(distinct: list[Value]) -> DateMetric:
            return DateMetric(distinct, form, narrowest=self.represent)

        encoded = self._encoded(name, cells, values, metric, _order, label)
        represent = None if self.represent is None else self.representatives[self.represent]
        return replace(encoded, attribute=replace(encoded.attribute, represent=represent))

    def _value(self, cell: Any, form: DateFormat) -> Value:
        if is_missing(cell, self.missing):
            return None
        if (day := typed_date(cell)) is not None:
            return unit_of(day.year, day.month, day.day, form.unit)
        return form.read(cell_text(cell)) or cell_text(cell)

    def _format(self, name: str, cells: Cells) -> DateFormat:
        """Return how a column writes dates; refuse one in which the order of day and month is open."""
        present = [
            (cell, count)
            for cell, count in zip(cells.values, cells.counts.tolist(), strict=True)
            if not is_missing(cell, self.missing)
        ]
        if any(typed_date(cell) is not None for cell, _ in present):
            return DateFormat(day_first=bool(self.day_first))
        found = [(x, n) for cell, n in present if (x := written(cell_text(cell))) is not None]
        day_first, month_first = orders(x for x, _ in found)
        if self.day_first is not None:
            day_first, month_first = self.day_first, not self.day_first
        if day_first and month_first and any(x.is_open and x.parts["x"] != x.parts["y"] for x, _ in found):
            raise TableError(
                f"No date of column {name} says whether the day or the month comes first.",
                hint="say day_first = true or false for the column, or write dates like 2021-03-04.",
            )
        if not day_first and not month_first:
            raise TableError(
                f"Some dates of column {name} have the day first, others the month.",
                hint="write them all in one order, such as 2021-03-04.",
            )
        return DateFormat.of(found, day_first=day_first)

    def codec(self, encoded: EncodedColumn, links: Sequence[ColumnLinks], domain: Any = None) -> DateCodec:
        """Return the codec of the column's dates."""
        metric = encoded.attribute.metric
        assert isinstance(metric, DateMetric)
        return DateCodec(encoded.attribute.name, metric.written)

    def stored_codec(self, name: str, stored: Mapping[str, Any], scopes: Sequence[Scope]) -> DateCodec:
        """Return the codec of dates that was stored."""
        return DateCodec(name, stored_format(stored["format"]))

    def as_texts(self, cells: list[Any], metric: Metric) -> list[Any]:
        """Return dates as text, without a time of day."""
        days = [typed_date(cell) for cell in cells]
        return [
            cell if cell is None or isinstance(cell, str) else cell_text(cell) if day is None else day.isoformat()
            for cell, day in zip(cells, days, strict=True)
        ]

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return new dates, and months, quarters, years, decades and ranges of them."""
        metric = encoded.attribute.metric
        assert isinstance(metric, DateMetric)
        values = {text: _date_or_range(text, metric.written) for text in new}
        return {text: value for text, value in values.items() if value is not None or text == ANYTHING}


def _date_or_range(text: str, form: DateFormat) -> Value:
    """Return a date, or the ends of a period or a range of periods; None, if a text is neither."""
    if (value := form.read(text)) is not None:
        return value
    match = RANGE.fullmatch(text.strip().strip("[]()"))
    ends = None if match is None else (form.days(match["low"].strip()), form.days(match["high"].strip()))
    if ends is None or ends[0] is None or ends[1] is None or ends[0][0] > ends[1][1]:
        return None
    low, high = (unit_of(x.year, x.month, x.day, form.unit) for x in (ends[0][0], ends[1][1]))
    return low if low == high else (low, high)


def _is_surely_date(cell: Any) -> bool:
    if typed_date(cell) is not None:
        return True
    if not isinstance(cell, str):
        return False
    if (period := named_period(cell)) is not None:
        return "q" in cell.lower() and period[0].year in RECOGNISED
    found = written(cell)
    return found is not None and found.shape not in _NUMBERS and int(found.parts["Y"]) in RECOGNISED


def _order(value: Value) -> tuple[float, float]:
    return value if isinstance(value, tuple) else (value, value)
