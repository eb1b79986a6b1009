"""Numbers as cells write them: decimal commas, decimals, ranges."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from allonym.cells import THOUSANDS

_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
_RANGE = re.compile(r"[\[\](]?\s*" + _NUMBER + r"\s*(?:-|–|~|to|;|\.\.+)\s*" + _NUMBER + r"\s*[\[\])]?")
_BRACKETS = re.compile(r"[\[\]({]\s*" + _NUMBER + r"\s*[,;:]\s*" + _NUMBER + r"\s*[\[\])}]")
_ABOVE = re.compile(
    rf"(?:>=?|≥)\s*{_NUMBER}|{_NUMBER}\s*(?:\+|or more|and over)|[\[\](]\s*{_NUMBER}\s*[,;]\s*(?:\+?inf|∞)\s*[\[\])]"
)
_BELOW = re.compile(rf"(?:<=?|≤)\s*{_NUMBER}|{_NUMBER}\s*or less|[\[\](]\s*-(?:inf|∞)\s*[,;]\s*{_NUMBER}\s*[\[\])]")
_UNDER = re.compile(r"under\s+([+-]?\d+(?:[.,]\d+)?)")
LARGEST_EXACT = 2.0**53  # beyond, neighbouring integers are the same float
MAX_DECIMALS = 15  # decimals that a float can distinguish


def to_number(text: str, comma: bool = False) -> float | None:
    """Return a number, or None if a text is no number (infinities, underscores and integers too long are none).

    >>> to_number("1,5", comma=True), to_number("1_0"), to_number("inf")
    (1.5, None, None)
    """
    try:
        number = float(text.replace(",", ".") if comma else text)
    except ValueError:
        return None
    return number + 0.0 if abs(number) < LARGEST_EXACT and "_" not in text else None


def numbers_of(texts: Sequence[str | None]) -> tuple[list[float | None], bool]:
    """Return the numbers of a column, None where a text is no number, and whether it has decimal commas.

    Where every comma may as well separate thousands (1,234), no text with a comma is a number.

    >>> numbers_of(["1,5", "2", None]), numbers_of(["1,234", "2"])
    (([1.5, 2.0, None], True), ([None, 2.0], False))
    """
    present = [t for t in texts if t is not None]
    with_comma = [t for t in present if "," in t]
    comma = bool(with_comma) and not any("." in t for t in present) and not all(map(THOUSANDS.fullmatch, with_comma))
    return [None if t is None else to_number(t, comma) for t in texts], comma


def decimals_of(texts: Sequence[str | None]) -> int:
    """Return the largest number of decimals in a column of numbers."""
    comma = numbers_of(texts)[1]
    return max((_decimals(t.replace(",", ".") if comma else t) for t in texts if t), default=0)


def _decimals(text: str) -> int:
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent[:6] or 0)  # a longer exponent is zero or no number
    decimals = len(mantissa.partition(".")[2].rstrip() if "." in mantissa else "") - power
    return min(max(decimals, 0), MAX_DECIMALS)


def number_label(value: float | tuple[float, float] | None, decimals: int, comma: bool, *, as_text: bool) -> Any:
    """Return a number, or a range, as a column with so many decimals writes it.

    >>> number_label(2.5, 2, True, as_text=True), number_label(2.0, 0, False, as_text=False)
    ('2,50', 2)
    >>> [number_label(x, 0, False, as_text=False) for x in ((20.0, 29.0), (65.0, math.inf), (-math.inf, 17.0))]
    ['20 to 29', '65 or more', 'under 18']
    """
    if value is None:
        return None
    if isinstance(value, tuple):
        return _range_label(*value, decimals, comma)
    if not as_text:
        return round(value, decimals) if decimals else int(value)
    text = f"{value:.{decimals}f}"
    return text.replace(".", ",") if comma else text


def _range_label(low: float, high: float, decimals: int, comma: bool) -> str:
    """Return a range; an open one has one end. A range of one number is the number."""
    if low == -math.inf:
        high += 10.0**-decimals
    ends = [number_label(x, decimals, comma, as_text=True) for x in (low, high) if math.isfinite(x)]
    if low == -math.inf:
        return f"under {ends[0]}"
    return f"{ends[0]} or more" if high == math.inf else ends[0] if low == high else " to ".join(ends)


def number_or_range(text: str, numbers: Sequence[float], comma: bool = False) -> float | tuple[float, float] | None:
    """Return a number, or the ends of a range as tools write it; an open end is that of the data. Else None.

    >>> [number_or_range(x, [17.0, 90.0]) for x in ("42", "[20, 30[", "20-30", "-5 - 5", ">= 80", "60+", "1,000")]
    [42.0, (20.0, 30.0), (20.0, 30.0), (-5.0, 5.0), (80.0, 90.0), (60.0, 90.0), 1000.0]
    >>> [number_or_range(x, [17.0, 90.0]) for x in ("20 to 29", "65 or more", "under 18", "18 or less")]
    [(20.0, 29.0), (65.0, 90.0), (17.0, 17.0), (17.0, 18.0)]
    >>> number_or_range("2,5", [1.0], comma=True), number_or_range("2010-05", [1.0]), number_or_range("*", [1.0])
    (2.5, None, None)
    """
    text = text.strip()
    if match := _UNDER.fullmatch(text):
        inside = number_or_range(f"< {match[1]}", numbers, comma)
        unit = 10.0 ** -max(decimals_of([match[1]]), 0)
        return (inside[0], max(round(inside[1] - unit, MAX_DECIMALS), inside[0])) if isinstance(inside, tuple) else None
    if not comma and THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    number = to_number(text, comma)
    if number is not None:
        return number
    plain = text.replace(",", ".") if comma else text
    match = (None if comma else _BRACKETS.fullmatch(plain)) or _RANGE.fullmatch(plain)
    if match:
        low, high = float(match[1]), float(match[2])
        return (low, high) if -LARGEST_EXACT < low <= high < LARGEST_EXACT else None
    if numbers and (match := _ABOVE.fullmatch(plain)):
        number = max(min(float(match[1] or match[2] or match[3]), LARGEST_EXACT), -LARGEST_EXACT)
        return (number, max(*numbers, number))
    if numbers and (match := _BELOW.fullmatch(plain)):
        number = max(min(float(match[1] or match[2] or match[3]), LARGEST_EXACT), -LARGEST_EXACT)
        return (min(*numbers, number), number)
    return None
