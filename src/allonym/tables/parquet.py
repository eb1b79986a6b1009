"""Parquet files; columns that are not masked keep their type. Notes in the file are neither read nor written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from allonym.cells import Cells
from allonym.errors import TableError
from allonym.tables.base import DEFAULT_MAX_SIZE, Format, Reading
from allonym.tables.frame import Frame, arrow_of
from allonym.tables.row_order import RowOrder
from allonym.tables.unpacking import MEGABYTE, too_large

MAGIC = b"PAR1"


class ParquetFile(Frame):
    """A Parquet file, read by Arrow."""

    def __init__(self, content: bytes, name: str, *, max_size: int = DEFAULT_MAX_SIZE) -> None:
        import pyarrow.parquet as pq

        self.format = FORMAT
        try:
            notes = pq.read_metadata(pa.BufferReader(content))
            if sum(notes.row_group(x).num_rows for x in range(notes.num_row_groups)) != notes.num_rows:
                raise pa.ArrowInvalid("row groups")  # reading so many rows would take all memory
            if notes.num_rows * notes.num_columns > max_size * MEGABYTE:  # a cell has at least a byte
                raise too_large(name, max_size)
            table = pq.read_table(pa.BufferReader(content))
            table.validate(full=True)
            list(table.column_names)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            hint = "write it again, with different names of columns."
            raise TableError(f"{name} is a damaged Parquet file, or names a column twice.", hint=hint) from error
        super().__init__(table.replace_schema_metadata(None), name)  # no role covers an index in the notes of pandas

    @classmethod
    def open(cls, content: bytes, name: str, reading: Reading, *, item_separators: Collection[str] = ()) -> ParquetFile:
        """Open a file; there is nothing to choose."""
        return cls(content, name, max_size=reading.max_size)

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> Any:
        """Return the table with other cells in some columns, without others, and with its rows in an order."""
        table = super().changed(columns, drop, discard_style=discard_style)
        if order is None:
            return table
        return _recoded_categories(table.take(arrow_of(order.rows(self.n))), list(columns))

    def save(self, content: Any, path: Path, *, zipped: bool = False) -> None:
        """Write content to a file."""
        import pyarrow.parquet as pq

        pq.write_table(content, path)

    def reread(self, content: bytes, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Read some columns of the written file, and the names of all columns from its schema."""
        import pyarrow.parquet as pq

        stored = pq.read_schema(pa.BufferReader(content)).names
        wanted = [name for name in stored if name in set(columns)]
        return pq.read_table(pa.BufferReader(content), columns=wanted), stored


def _recoded_categories(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return a table whose masked columns of categories list these in the order of the table as it is now."""
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        if name in columns and pa.types.is_dictionary(column.type) and not column.type.ordered:
            table = table.set_column(place, table.field(place), column.cast(column.type.value_type).cast(column.type))
    return table


def cell_count(file: Any) -> int:
    """Return the number of cells that a Parquet file declares, without reading them; 0 where it is damaged."""
    import pyarrow.parquet as pq

    try:
        file.seek(0)
        notes = pq.read_metadata(pa.PythonFile(file, "r"))
        return int(notes.num_rows * notes.num_columns)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return 0


FORMAT = Format("parquet", (".parquet",), lambda content: content[:4] == MAGIC, ParquetFile.open)
