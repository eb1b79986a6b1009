"""Tables of distinct rows with counts, as engines return them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from allonym.arrays import Ints, distinct
from allonym.tables.engines.base import COUNT
from allonym.tables.frame import arrow_coded, arrow_numbers


def row_counts_of(rows: pa.Table) -> Ints:
    """Return how often each distinct row occurs."""
    return arrow_numbers(rows.column(COUNT).cast(pa.int64()).combine_chunks())


def sorted_rows(rows: pa.Table) -> pa.Table:
    """Return distinct rows in a fixed order: the last bit of a sum of survey weights depends on it."""
    try:
        return rows.sort_by([(x, "ascending") for x in rows.column_names if x != COUNT])
    except pa.ArrowException:  # lists and other types without an order
        return rows


def hashable(cell: Any) -> Any:
    """Return a cell that can be counted: a list as a tuple; all NaN are one value."""
    if isinstance(cell, list):
        return tuple(cell)
    return "not a number" if isinstance(cell, float) and cell != cell else cell  # noqa: PLR0124


def same_rows(one: pa.Table, other: pa.Table, columns: Sequence[str]) -> bool:
    """Tell whether two tables of distinct rows stand for the same rows in some columns, each as often."""
    codes = []
    for name in columns:
        code_of: dict[Any, int] = {}
        coded = [arrow_coded(x.column(name), name) for x in (one, other)]
        both = [np.array([code_of.setdefault(hashable(v), len(code_of)) for v in x], np.int64)[y] for x, y in coded]
        codes.append(np.concatenate(both))
    surplus = np.concatenate([row_counts_of(one), -row_counts_of(other)])
    return not np.bincount(distinct(codes)[0], weights=surplus).any() if codes else int(surplus.sum()) == 0
