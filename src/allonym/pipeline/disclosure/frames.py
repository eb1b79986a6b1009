"""The combinations of columns that make people unique, in any frame or file, without a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from allonym.cells import united_codes
from allonym.errors import TableError, first_few
from allonym.measures import uniques as measure
from allonym.measures.uniques import SIZE, UniqueCombinations
from allonym.pipeline.source import ExecutionOptions, engine_for
from allonym.tables.base import Table
from allonym.tables.engines.grouped import GroupedTable
from allonym.tables.files import open_any


def unique_combinations(
    source: Any, columns: Sequence[str], *, unit: str | None = None, size: int = SIZE
) -> UniqueCombinations:
    """Find every minimal combination of columns in which somebody is unique, by the texts of cells.

    Args:
        source: a frame, a file, or a table that an engine holds.
        columns: the columns that others may know.
        unit: the column that identifies the person of each row, if a person may have several.
        size: the largest number of columns in a combination.

    Returns:
        The combinations, with the people each makes unique, and the score of every row and column.

    Raises:
        TableError: if the table lacks a column.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"job": ["cook", "cook", "smith"], "town": ["Rome", "Oslo", "Oslo"]})
    >>> unique_combinations(people, ["job", "town"]).ranked()
    [(('job',), 1), (('town',), 1), (('job', 'town'), 1)]
    """
    names = [*columns, *([] if unit is None else [unit])]
    engine = engine_for(source, ExecutionOptions())
    table: Table = open_any(source) if engine is None else GroupedTable(engine)
    absent = [x for x in names if x not in table.names]
    if absent or not columns:
        what = f"The table has no column {first_few(absent)}." if absent else "No columns are named."
        raise TableError(what, hint="name columns of the table.")
    if engine is not None:
        table = GroupedTable(engine, names)
    cells = table.cells(names)
    codes, units = [cells[x].codes for x in columns], None if unit is None else united_codes(cells[unit])
    return measure.unique_combinations(columns, codes, size=size, units=units, row_counts=table.row_counts)
