"""The types of columns: what a column of numbers, dates or text can hold, and when it becomes text."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

_LETTERS = {"int": "i", "uint": "u", "float": "f", "double": "f", "halffloat": "f", "bool": "b", "decimal": "D",
            "date": "M", "timestamp": "M", "time": "M", "duration": "m"}  # fmt: skip


def type_letter(dtype: Any) -> str:
    """Return NumPy's letter for the type of a polars or Arrow column; D: decimal."""
    name = str(dtype).lower()
    return next((letter for start, letter in _LETTERS.items() if name.startswith(start)), "O")


def typed(value: Any, kind: str) -> Any:
    """Return a value as a column of a type holds it."""
    if value is None:
        return None
    if kind == "b":
        if not isinstance(value, bool):
            raise ValueError(f"{type(value).__name__} is no truth value")
        return value
    if kind == "D":
        return Decimal(str(value))
    if kind in "iu":
        return int(value)
    return float(value) if kind == "f" else value


def becomes_text(values: Sequence[Any], kind: str) -> bool:
    """Tell whether a column of numbers or dates becomes text: all its new cells are text, and some no number.

    >>> becomes_text(["20 to 29", "40", None], "i"), becomes_text(["30", "40"], "i"), becomes_text([30, "x"], "i")
    (True, False, False)
    """
    present = [v for v in values if v is not None]
    if not present or kind not in "iufDMm" or not all(isinstance(v, str) for v in present):
        return False
    return kind in "Mm" or not all(_is_number(v, kind) for v in present)


def _is_number(text: str, kind: str) -> bool:
    try:
        typed(text, kind)
    except (ValueError, ArithmeticError):
        return False
    return True
