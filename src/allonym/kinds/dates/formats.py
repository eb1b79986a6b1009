"""Dates as columns write them: order, separators, names of months, padding."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from allonym.kinds.dates.calendar import UNITS, last_day_of, named_period, unit_of

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december")  # fmt: skip
_MONTH = {name[:length]: i + 1 for i, name in enumerate(MONTHS) for length in (3, len(name))} | {"sept": 9}
_TIME = (
    r"(?P<time>(?:T|\s+)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?)?"
    r"(?:\s?(?:Z|[A-Z]{3,4}|(?:UTC|GMT)?[+-]\d{2}:?\d{2}))?)?"
)
_SHAPES = {
    "Ymd": r"(?P<Y>\d{4})(?P<a>[-/. ])(?P<m>\d{1,2})(?P<b>[-/. ])(?P<d>\d{1,2})",
    "Ym": r"(?P<Y>\d{4})(?P<a>[-/.])(?P<m>\d{1,2})",
    "Y": r"(?P<Y>\d{4})",
    "Ymd-": r"(?P<Y>\d{4})(?P<m>\d{2})(?P<d>\d{2})",
    "??Y": r"(?P<x>\d{1,2})(?P<a>[-/. ])(?P<y>\d{1,2})(?P<b>[-/. ])(?P<Y>\d{4})",
    "mY": r"(?P<m>\d{1,2})(?P<a>[-/.])(?P<Y>\d{4})",
    "dBY": r"(?P<d>\d{1,2})(?P<a>(?:st|nd|rd|th)?[-/. ]*)(?P<B>[A-Za-z]{3,9}\.?)(?P<b>[-/, ]+)(?P<Y>\d{4})",
    "BdY": r"(?P<B>[A-Za-z]{3,9}\.?)(?P<a> )(?P<d>\d{1,2})(?P<b>,? ?)(?P<Y>\d{4})",
    "BY": r"(?P<B>[A-Za-z]{3,9}\.?)(?P<a>[-, ]+)(?P<Y>\d{4})",
}
_PATTERNS = {
    shape: re.compile(pattern + (_TIME if "d" in shape or "?" in shape else "")) for shape, pattern in _SHAPES.items()
}
FIRST_YEAR, LAST_YEAR = 1000, 2999


@dataclass(frozen=True)
class Written:
    """A text as a date: its shape and the parts of it; of two numbers it is open which one is the day."""

    shape: str
    parts: Mapping[str, str]

    @property
    def is_open(self) -> bool:
        """Whether the order of day and month depends on the column."""
        return "?" in self.shape

    @property
    def unit(self) -> str:
        """The unit of the date: a day, month or year."""
        return "day" if "d" in self.shape or self.is_open else "month" if self.shape != "Y" else "year"

    def date(self, *, day_first: bool) -> datetime.date | None:
        """Return the (first) day; None, if there is no such day."""
        part = self.parts
        if self.is_open:
            day, month = (part["x"], part["y"]) if day_first else (part["y"], part["x"])
        else:
            day, month = part.get("d", "1"), part.get("m", "1")
        number = _MONTH.get(part["B"].rstrip(".").lower(), 0) if "B" in part else int(month)
        try:
            return datetime.date(int(part["Y"]), number, int(day))
        except ValueError:
            return None


@lru_cache(maxsize=1 << 16)
def written(text: str) -> Written | None:
    """Return the shape of a date; None, if a text is no date.

    >>> written("4 Mar 2021").shape, written("20210304").shape, written("4/3/21"), written("555-1234")
    ('dBY', 'Ymd-', None, None)
    """
    plain = " ".join(text.split())
    for shape, pattern in _PATTERNS.items():
        if (match := pattern.fullmatch(plain)) and FIRST_YEAR <= int(match["Y"]) <= LAST_YEAR:
            found = Written(shape, {name: part for name, part in match.groupdict().items() if part is not None})
            if found.date(day_first=True) or (found.is_open and found.date(day_first=False)):
                return found
    return None


def orders(found: Iterable[Written]) -> tuple[bool, bool]:
    """Return whether all dates of a column may have the day first, and whether all may have the month first.

    With dots, the day is first (04.03.2021), unless a date says otherwise.
    """
    day_first = month_first = True
    dots = True
    for x in (x for x in found if x.is_open):
        day_first &= x.date(day_first=True) is not None
        month_first &= x.date(day_first=False) is not None
        dots &= x.parts["a"] == "." or x.parts["x"] == x.parts["y"]
    return day_first, month_first and not (day_first and dots)


@dataclass(frozen=True)
class DateFormat:
    """How a column writes dates: the unit it counts in, and the parts of a date in their order."""

    unit: str = "day"
    shape: str = "Ymd"
    day_first: bool = False
    separators: tuple[str, str] = ("-", "-")
    padded: bool = True
    full_names: bool = False
    case: str = "title"  # of names of months
    time: str = ""  # that every cell has

    @classmethod
    def of(cls, pairs: Sequence[tuple[Written, int]], *, day_first: bool) -> DateFormat:
        """Return the format that most cells of a column have, from dates with their counts; of equals, the first."""
        if not pairs:
            return cls("month", "Ym", separators=("-", ""))
        unit = min((x.unit for x, _ in pairs), key=UNITS.index)
        finest = [(x, n) for x, n in pairs if x.unit == unit]
        kinds: Counter[tuple[str, str, str]] = Counter()
        for x, n in finest:
            kinds[x.shape, x.parts.get("a", ""), x.parts.get("b", "")] += n
        shape, a, b = min(kinds, key=lambda x: (-kinds[x], x))
        own = [x for x, _ in finest if (x.shape, x.parts.get("a", ""), x.parts.get("b", "")) == (shape, a, b)]
        numbers = [x.parts[name] for x in own for name in ("d", "m", "x", "y") if name in x.parts]
        names = [x.parts["B"].rstrip(".") for x in own if "B" in x.parts]
        times = {x.parts.get("time", "") for x, _ in pairs}
        return cls(
            unit, shape, day_first, (a, b), all(len(x) > 1 for x in numbers), any(len(x) > 4 for x in names),
            _case(names), times.pop() if len(times) == 1 else "",
        )  # fmt: skip

    def write(self, day: datetime.date) -> str:
        """Return a date in this format; names of months are English.

        >>> DateFormat(shape="BdY", separators=(" ", ", "), padded=False).write(datetime.date(2021, 3, 4))
        'Mar 4, 2021'
        """
        a, b = self.separators
        numbers = [f"{x:02}" if self.padded else str(x) for x in (day.day, day.month)]
        name = MONTHS[day.month - 1][: None if self.full_names else 3]
        parts = {"Y": f"{day.year:04}", "d": numbers[0], "m": numbers[1], "B": getattr(name, self.case)()}
        order = ("d" if self.day_first else "m", "m" if self.day_first else "d", "Y")
        shape = order if "?" in self.shape else self.shape.rstrip("-")
        texts = [parts[x] for x in shape]
        between = (a, b)[: len(texts) - 1]
        return "".join(x + y for x, y in zip(texts, (*between, self.time), strict=True))

    def read(self, text: str) -> float | tuple[float, float] | None:
        """Return the unit of a date, or the units of a month, quarter, year or decade; None, if a text is no date."""
        span = self.days(text)
        if span is None:
            return None
        low, high = (unit_of(x.year, x.month, x.day, self.unit) for x in span)
        return low if low == high else (low, high)

    def days(self, text: str) -> tuple[datetime.date, datetime.date] | None:
        """Return the first and the last day of a date or period; None, if a text is neither."""
        if (period := named_period(text)) is not None:
            return period
        found = written(text)
        day = None if found is None else found.date(day_first=self.day_first)
        if found is None or day is None:
            return None
        return day, last_day_of(unit_of(day.year, day.month, day.day, found.unit), found.unit)


def _case(names: list[str]) -> str:
    """Return the case of most names of months."""
    cases = Counter("upper" if x.isupper() else "lower" if x.islower() else "title" for x in names)
    return min(cases, key=lambda x: (-cases[x], x), default="title")


def typed_date(cell: Any) -> datetime.date | None:
    """Return the day of a cell that is a date or a timestamp, in its own time zone."""
    if isinstance(cell, datetime.datetime):
        return cell.date()
    return cell if isinstance(cell, datetime.date) else None
