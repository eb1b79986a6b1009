"""Periods of the calendar: months, quarters, years and decades, counted in days, months or years.

A column counts in the finest unit that it has. A period, or a range of periods, is its first and its last unit.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

Span = tuple[float, float]
UNITS = ("day", "month", "year")
PERIODS = ("month", "quarter", "year", "decade")  # from narrow to wide
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
MAX_STEPS = {"month": 24, "quarter": 8, "year": 50}  # periods of a range; longer ones have wider periods
RANGE = re.compile(r"(?P<low>.+?)\s*(?:\bto\b|–|\.\.+|\s-\s)\s*(?P<high>.+)", re.I)
_QUARTER = re.compile(r"(?:(?P<year>\d{4})[-/ ]?Q(?P<q>[1-4])|Q(?P<q2>[1-4])[-/ ](?P<year2>\d{4}))", re.I)
_DECADE = re.compile(r"(?P<year>\d{3}0)s", re.I)


def unit_of(year: int, month: int = 1, day: int = 1, unit: str = "day") -> float:
    """Return the number of the unit in which a day lies.

    >>> unit_of(2021, 3, 4), unit_of(2021, 3, 4, "month"), unit_of(2021, 3, 4, "year")
    (737853.0, 24254.0, 2021.0)
    """
    if unit == "year":
        return float(year)
    return float(year * 12 + month - 1) if unit == "month" else float(datetime.date(year, month, day).toordinal())


def day_of(number: float, unit: str) -> datetime.date:
    """Return the first day of a unit.

    >>> day_of(24254.0, "month")
    datetime.date(2021, 3, 1)
    """
    if unit == "day":
        return datetime.date.fromordinal(int(number))
    return (
        datetime.date(int(number), 1, 1)
        if unit == "year"
        else datetime.date(int(number) // 12, int(number) % 12 + 1, 1)
    )


def last_day_of(number: float, unit: str) -> datetime.date:
    """Return the last day of a unit."""
    return day_of(number, "day") if unit == "day" else day_of(number + 1, unit) - datetime.timedelta(days=1)


def periods(low: float, high: float, period: str, unit: str) -> tuple[Span, int]:
    """Return the periods from the one of the first unit to the one of the last, as one span, and how many they are.

    >>> periods(unit_of(2021, 4, unit="month"), unit_of(2021, 5, unit="month"), "quarter", "month")
    ((24255.0, 24257.0), 1)
    """
    first, last = (_index(day_of(x, unit), period) for x in (low, high))
    return (_first_unit(first, period, unit), _first_unit(last + 1, period, unit) - 1), last - first + 1


def _index(day: datetime.date, period: str) -> int:
    return (day.year * 12 + day.month - 1) // _MONTHS[period]


def _first_unit(index: int, period: str, unit: str) -> float:
    months = index * _MONTHS[period]
    if unit == "month":
        return float(months)
    if unit == "year":
        return float(months // 12)
    if months >= 9999 * 12 + 12:
        return float(datetime.date.max.toordinal() + 1)
    return unit_of(max(months // 12, 1), months % 12 + 1, 1, unit)


def wider_than(unit: str) -> Sequence[str]:
    """Return the periods that hold several units.

    >>> wider_than("month")
    ('quarter', 'year', 'decade')
    """
    return {"day": PERIODS, "month": PERIODS[1:], "year": PERIODS[3:]}[unit]


def covering(low: float, high: float, unit: str, narrowest: str | None = None) -> Span:
    """Return the narrowest readable span: a period, or a range of months, years or decades.

    Its ends are those of periods wider than the unit, so that no value of the column is given away.

    >>> covering(unit_of(2020, 3, 9), unit_of(2022, 11, 5), "day") == (unit_of(2020), unit_of(2022, 12, 31))
    True
    """
    allowed = wider_than(unit)
    if narrowest in allowed:
        allowed = allowed[allowed.index(narrowest) :]
    for period in allowed:
        span, steps = periods(low, high, period, unit)
        if steps <= MAX_STEPS.get(period, steps):
            return span
    raise AssertionError("decades have no limit")


def span_label(span: Span, unit: str) -> str:
    """Return a span as text: a month, quarter or year; else its first and last year, month or day.

    >>> month = unit_of(2021, 4)
    >>> [span_label((month, unit_of(*last)), "day") for last in ((2021, 4, 30), (2021, 6, 30), (2021, 5, 31))]
    ['2021-04', '2021 Q2', '2021-04 to 2021-05']
    """
    first, last = day_of(span[0], unit), last_day_of(span[1], unit)
    after = last + datetime.timedelta(days=1) if last < datetime.date.max else datetime.date(1, 1, 1)
    if first.day > 1 or after.day > 1:
        return f"{first.isoformat()} to {last.isoformat()}"
    if first.month == 1 and after.month == 1:
        return f"{first.year:04}" if first.year == last.year else f"{first.year:04} to {last.year:04}"
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    if months == 3 and first.month % 3 == 1:
        return f"{first.year:04} Q{first.month // 3 + 1}"
    low, high = f"{first:%Y-%m}", f"{last:%Y-%m}"
    return low if low == high else f"{low} to {high}"


def named_period(text: str) -> tuple[datetime.date, datetime.date] | None:
    """Return the first and the last day of a quarter or decade; None, if a text is neither.

    >>> [x.isoformat() for x in named_period("2021 Q2")], named_period("1990s")[1].isoformat()
    (['2021-04-01', '2021-06-30'], '1999-12-31')
    """
    if match := _QUARTER.fullmatch(text.strip()):
        year, quarter = int(match["year"] or match["year2"]), int(match["q"] or match["q2"])
        return _months(year, quarter * 3 - 2, 3)
    if match := _DECADE.fullmatch(text.strip()):
        return _months(int(match["year"]), 1, 120)
    return None


def _months(year: int, month: int, number: int) -> tuple[datetime.date, datetime.date] | None:
    if not 1 <= year < 9980:
        return None
    after = year * 12 + month - 1 + number
    return datetime.date(year, month, 1), datetime.date(after // 12, after % 12 + 1, 1) - datetime.timedelta(days=1)
