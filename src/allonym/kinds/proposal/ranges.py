"""Ranges of numbers as questionnaires write them: 18-24, under 18, 65+, $10,000 to $14,999, 1 to 2 years."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import inf

MAX_WORDS = 3  # of the unit of a range
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_MULTIPLES = {"k": 1e3, "m": 1e6, "thousand": 1e3, "million": 1e6}
_PERIODS = {"day": 1.0, "week": 7.0, "month": 30.0, "mth": 30.0, "mo": 30.0, "year": 365.0, "yr": 365.0, "hour": 1 / 24}
_BELOW = re.compile(r"<=?|≤|\b(under|below|less than|up to|at most|fewer than|younger than|lower than|maximum|"
                    r"or (less|fewer|younger|under|below)|and (under|below|younger))\b")  # fmt: skip
_ABOVE = re.compile(r">=?|≥|\+|\b(over|above|more than|at least|older than|greater than|higher than|minimum|plus|"
                    r"or (more|older|over|above|higher)|and (over|above|older|more|up))\b")  # fmt: skip
_BETWEEN = re.compile(r"^\s*(-|–|—|~|to|and|through|\.\.+|,|;|but less than|up to)\s*(<|under|less than)?\s*$")
_UNITS = re.compile(r"[a-zµ%$€£¥/²]+")
_BEFORE = frozenset({"", "$", "€", "£", "usd", "eur", "age", "aged", "ages", "about"})  # a range, instead of a unit
_SIGNS = re.compile(r"[\[\](){}]")


def interval(text: str) -> tuple[float, float, str] | None:
    """Return the lowest and the highest number of a range, and its unit; None, if a text is neither range nor number.

    >>> interval("18-24"), interval("$15,000 or more"), interval("less than 1 year")
    ((18.0, 24.0, ''), (15000.0, inf, '$'), (-inf, 365.0, ''))
    >>> interval("nurse"), interval("2020-05-01")
    (None, None)
    """
    text = _SIGNS.sub(" ", _THOUSANDS.sub("", text.casefold())).strip()
    found = list(_NUMBER.finditer(text))
    if not 1 <= len(found) <= 2:
        return None
    before, after = text[: found[0].start()], text[found[-1].end() :]
    if len(found) == 2:
        low, high = float(found[0][0]), float(found[1][0])
        between = _units_left(text[found[0].end() : found[1].start()])
        if not _BETWEEN.match(between) or low > high:
            return None
    else:
        number, marks = float(found[0][0]), f"{before} # {after}"
        is_below, is_above = _BELOW.search(marks), _ABOVE.search(marks)
        if is_below and is_above:
            return None
        low, high = -inf if is_below else number, inf if is_above else number
        before, after = (_ABOVE.sub(" ", _BELOW.sub(" ", x)) for x in (before, after))
    words = _UNITS.findall(after)
    if before.strip() not in _BEFORE or len(words) > MAX_WORDS or _UNITS.sub("", after).strip(" .,-–=:"):
        return None
    factor = 1.0
    for word in words:
        factor *= _MULTIPLES.get(word, _PERIODS.get(word.removesuffix("s"), 1.0))
    unit = " ".join(x for x in words if x not in _MULTIPLES and x.removesuffix("s") not in _PERIODS)
    return low * factor, high * factor, unit or before.strip()


def _units_left(between: str) -> str:
    """Return what stands between two numbers without the unit of the first."""
    return re.sub(r"^\s*([k$€£%]|years?|yrs?|months?|weeks?|days?)\s*|\s*[$€£]\s*$", " ", between)


def intervals(texts: Sequence[str]) -> list[float] | None:
    """Return where each of some ranges lies; None, if some are no ranges, overlap or have different units.

    >>> intervals(["18-24", "65+", "25-64", "<18"]), intervals(["F1", "F2", "F3"])
    ([1, 3, 2, 0], None)
    """
    found = [interval(x) for x in texts]
    ranges = [x for x in found if x is not None]
    if len(ranges) < len(texts) or not texts or len({x[2] for x in ranges} - {""}) > 1:
        return None
    if not any(low < high for low, high, _ in ranges):
        return None
    order = sorted(range(len(ranges)), key=lambda i: ranges[i][:2])
    for before, after in pairwise(order):
        if ranges[after][0] < ranges[before][1] or ranges[after][:2] == ranges[before][:2]:
            return None
    places = [0.0] * len(order)
    for place, i in enumerate(order):
        places[i] = place
    return places
