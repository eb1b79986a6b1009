"""Spellings of one value, or of one person, count once for what is promised of values and persons.

Diversity and persons are counted after uniting spellings, on the safe side: `HIV` and `hiv` are no diversity. Groups of
records are compared by their exact text, since an attacker can tell two spellings apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allonym.arrays import Ints
from allonym.cells import Cells, cell_text, comparable_text, first_places, is_missing, united_codes
from allonym.metric import Value


@dataclass(frozen=True)
class United:
    """The values of a column that count as one: how many there are, as how many they count, and their spellings."""

    values: int
    counted_as: int
    spellings: Sequence[Sequence[str]]  # of each value that has several, in the order of the text; they are data

    def to_dict(self) -> dict[str, int]:
        """Return the figures, without any value."""
        return {"values": self.values, "counted_as": self.counted_as}


def united(cells: Cells, code_of: Ints, missing: Sequence[str]) -> United | None:
    """Return which cells of a column have the same code; None, if there are none."""
    if len(np.unique(code_of)) == len(code_of):
        return None
    held: dict[int, set[str]] = {}
    occurs = np.bincount(cells.codes, minlength=len(cells.values)) > 0
    for cell, code, used in zip(cells.values, code_of.tolist(), occurs.tolist(), strict=True):
        if used and not is_missing(cell, missing):
            held.setdefault(code, set()).add(repr(cell) if isinstance(cell, tuple) else cell_text(cell))
    several = sorted(sorted(texts) for texts in held.values() if len(texts) > 1)
    return United(sum(map(len, held.values())), len(held), several) if several else None


def united_units(cells: Cells, missing: Sequence[str]) -> tuple[Ints, United | None]:
    """Return the person of every row, and which spellings of persons were united."""
    units = united_codes(cells)
    unit_of = np.zeros(len(cells.values), np.int64)
    unit_of[cells.codes] = units
    return units, united(cells, unit_of, missing)


def same_values(values: Sequence[Value], missing: Sequence[str]) -> Ints:
    """Return for each value of an attribute the code of the first value that is the same, however it is spelled.

    Concepts and numbers are what they are; texts are compared by `comparable_text`. Missing-value markers are null,
    however they are spelled.

    >>> same_values(["Flu", "flu ", 7, "n/a", None], ["N/A"]).tolist()
    [0, 0, 2, 3, 3]
    """
    null = {"", *map(comparable_text, missing)}

    def key(value: Any) -> Hashable:
        if isinstance(value, (tuple, frozenset)):
            return type(value)(map(key, value))
        text = comparable_text(value) if isinstance(value, str) else None
        return value if text is None else None if text in null else text

    return first_places([key(x) for x in values])
