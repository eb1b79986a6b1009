"""Reading and writing single dates of a column that a plan was fitted to."""

from __future__ import annotations

import datetime
from dataclasses import asdict, dataclass
from typing import Any

from allonym.cells import cell_text
from allonym.errors import TableError
from allonym.kinds.codec import CellCodec
from allonym.kinds.dates.calendar import day_of, unit_of
from allonym.kinds.dates.formats import DateFormat, typed_date
from allonym.metric import Value
from allonym.parameters import is_number


@dataclass(frozen=True, eq=False)
class DateCodec(CellCodec):
    """A column of dates: how it writes them."""

    name: str
    form: DateFormat

    def read(self, cell: Any) -> Value:
        """Return the day, month or year of a cell."""
        if (day := typed_date(cell)) is not None:
            return unit_of(day.year, day.month, day.day, self.form.unit)
        value = self.form.read(cell_text(cell))
        if value is None or isinstance(value, tuple):
            hint = "write it as in the table that the plan was fitted to."
            raise TableError(f"A value in column {self.name} is no date.", hint=hint, values=[cell_text(cell)])
        return value

    def write(self, value: Value, like: Any) -> Any:
        """Return the cell of a date."""
        return None if value is None else date_cell(value, self.form, like)

    def to_json(self, value: Value) -> Any:
        """Return the number of a date."""
        return value

    def from_json(self, stored: Any) -> Value:
        """Return the number of a date."""
        if stored is not None and not is_number(stored):
            raise ValueError("date")
        return stored

    def to_dict(self) -> dict[str, Any]:
        """Return how dates are written."""
        return {"kind": "date", "format": asdict(self.form)}


def stored_format(stored: dict[str, Any]) -> DateFormat:
    """Return the format that was stored; refuse a damaged one by a ValueError."""
    try:
        form = DateFormat(**stored | {"separators": tuple(stored["separators"])})
        form.write(datetime.date(2021, 3, 4))
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise ValueError("format") from error
    return form


def date_cell(value: float, form: DateFormat, example: Any) -> Any:
    """Return a date as the cells of a column hold it; a timestamp is that of midnight."""
    day = day_of(value, form.unit)
    if isinstance(example, datetime.datetime):
        return example.replace(year=day.year, month=day.month, day=day.day, hour=0, minute=0, second=0, microsecond=0)
    if isinstance(example, datetime.date):
        return day
    text = form.write(day)
    return text if isinstance(example, str) else int(text) if text.isdigit() else text
