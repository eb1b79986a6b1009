"""DuckDB: relations, and Parquet files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from allonym.arrays import Ints
from allonym.errors import TableError
from allonym.tables.engines.base import (
    BLANKS,
    COUNT,
    HIGH,
    LOW,
    PLACE,
    ROW,
    Batch,
    Engine,
    Replacements,
    key_name,
    masked_name,
)
from allonym.tables.row_order import RowOrder

BATCH_ROWS = 131_072  # rows that are masked at a time
PARTITION_BUFFER = 65_536  # rows that DuckDB buffers for each folder; its default takes gigabytes
ENUMERATION = re.compile(r"ENUM\((?:'(?:[^']|'')*'(?:, )?)*\)")  # inside of a list or a structure


class DuckDBEngine(Engine):
    """A relation of DuckDB."""

    name = "duckdb"
    hint = (
        "are files whole, is there room on the disk? A connection must let Python be read (python_enable_replacements, "
        "enable_external_access), and have no table allonym_rows or allonym_added."
    )

    def __init__(self, relation: Any) -> None:
        self.native, self.names = relation, tuple(relation.columns)
        if len({x.lower() for x in self.names}) < len(self.names):  # DuckDB could not tell them apart
            raise TableError("Two columns of the relation have one name.", hint="rename one; case does not count.")

    @classmethod
    def read(
        cls, files: Sequence[Path], base: Path, hive: Mapping[str, bool], master: str | None = None
    ) -> DuckDBEngine:
        """Open Parquet files, by their names and not by patterns, in a database of its own."""
        inside = [x.lower() for x in _columns_inside(files[0])]
        if len(set(inside)) < len(inside):
            raise TableError("Two columns have one name.", hint="rename one; to DuckDB, case does not count.")
        return cls._scanned(files, {name: "BIGINT" if whole else "VARCHAR" for name, whole in hive.items()})

    @classmethod
    def _scanned(cls, files: Sequence[Path], types: Mapping[str, Any]) -> DuckDBEngine:
        """Open files whose folders are named by columns of some types."""
        import duckdb

        connection = duckdb.connect(
            config={"temp_directory": _spill_folder().name, "partitioned_write_flush_threshold": PARTITION_BUFFER}
        )
        paths = ", ".join(_literal(re.sub(r"([*?\[])", r"[\1]", str(x))) for x in files)
        hive = ", ".join(f"{_quoted(name)}: {kind}" for name, kind in types.items())
        options = f"hive_partitioning = true, hive_types = {{{hive}}}" if hive else "hive_partitioning = false"
        return cls(connection.sql(f"SELECT * FROM read_parquet([{paths}], {options})"))

    def count_rows(self, columns: Sequence[str]) -> pa.Table:
        """Return the distinct rows of some columns, with their numbers."""
        wanted = ", ".join([*map(_quoted, columns), f"count(*) AS {_quoted(COUNT)}"])
        by = f" GROUP BY {', '.join(map(_quoted, columns))}" if columns else ""
        return self._query(f"SELECT {wanted} FROM allonym_rows{by}").native.to_arrow_table()

    def repeated_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of values of a column that occur more than once."""
        texts = f"SELECT {self._text(column, missing)} AS x FROM allonym_rows"
        repeated = f"SELECT x FROM ({texts}) WHERE x IS NOT NULL GROUP BY x HAVING count(*) > 1"
        return int(self._query(f"SELECT count(*) AS n FROM ({repeated})").native.fetchall()[0][0])

    def empty_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of rows whose cell in a column is missing."""
        sql = f"SELECT count(*) AS n FROM allonym_rows WHERE {self._text(column, missing)} IS NULL"
        return int(self._query(sql).native.fetchall()[0][0])

    def distinct_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of distinct values of a column."""
        sql = f"SELECT count(DISTINCT {self._text(column, missing)}) AS n FROM allonym_rows"
        return int(self._query(sql).native.fetchall()[0][0])

    def sample_rows(self, columns: Sequence[str], most: int, rows: int) -> pa.Table:
        """Return some columns of rows drawn at random, always the same ones where threads read them in order."""
        wanted = ", ".join(map(_quoted, columns))
        draw = f" USING SAMPLE reservoir({most} ROWS) REPEATABLE (1)" if rows > most else ""
        return self._query(f"SELECT {wanted} FROM allonym_rows{draw}").native.to_arrow_table()

    def _text(self, column: str, missing: Sequence[str]) -> str:
        """Return the values of a column: text without surrounding blanks, missing values as null."""
        kind = str(self.native.types[self.names.index(column)])
        if kind in ("FLOAT", "DOUBLE"):
            return f"CASE WHEN NOT isnan({_quoted(column)}) THEN {_quoted(column)} END"
        if not kind.startswith(("VARCHAR", "ENUM")):
            return _quoted(column)
        text = f"trim({_quoted(column)}::VARCHAR, {_literal(BLANKS)})"
        markers = ", ".join(map(_literal, ["", *missing]))
        return f"CASE WHEN {text} NOT IN ({markers}) THEN {text} END"

    def replaced(self, replacements: Replacements) -> Engine:
        """Return the table with its rows replaced, by a join in which null equals null."""
        keys, masked = replacements.keys.column_names, replacements.masked.column_names
        same = [f"r.{_quoted(x)} IS NOT DISTINCT FROM k.{_quoted(key_name(i))}" for i, x in enumerate(keys)]
        rows = "allonym_rows"
        if replacements.low is not None:
            by = ", ".join(map(_quoted, keys))
            rows = (
                f"(SELECT *, row_number() OVER (PARTITION BY {by} ORDER BY allonym_n) - 1 AS {_quoted(PLACE)} "
                "FROM (SELECT *, row_number() OVER () AS allonym_n FROM allonym_rows))"
            )
            same.append(f"r.{_quoted(PLACE)} >= k.{_quoted(LOW)} AND r.{_quoted(PLACE)} < k.{_quoted(HIGH)}")
        wanted = [
            f"k.{_quoted(masked_name(masked.index(x)))} AS {_quoted(x)}" if x in masked else f"r.{_quoted(x)}"
            for x in self.names
        ]
        sql = f"SELECT {', '.join(wanted)} FROM {rows} AS r LEFT JOIN allonym_added AS k ON {' AND '.join(same)}"
        return self._query(sql, replacements.table)

    @classmethod
    def failures(cls) -> tuple[type[BaseException], ...]:
        """Return the errors of DuckDB."""
        import duckdb

        return (duckdb.Error,)

    def without(self, columns: Sequence[str]) -> Engine:
        """Return the table without some columns."""
        wanted = ", ".join(_quoted(x) for x in self.names if x not in columns)
        return self._query(f"SELECT {wanted} FROM allonym_rows")

    def bare(self, original: Engine, masked: Collection[str]) -> Engine:
        """Return the table with the values of enumerations that occur; inside of other types they become text."""
        columns = {}
        for name, kind in zip(self.names, self.native.types, strict=True):
            if kind.id == "enum" and name not in masked:
                used = set(original.count_rows([name]).column(name).cast(pa.string()).to_pylist())
                values = [x for x in dict(kind.children)["values"] if x in used]
                columns[name] = f"ENUM({', '.join(map(_literal, values))})" if values else "VARCHAR"
            elif kind.id != "enum" and ENUMERATION.search(str(kind)):
                columns[name] = ENUMERATION.sub("VARCHAR", str(kind))
        if not columns:
            return self
        wanted = [f"{_quoted(x)}::{columns[x]} AS {_quoted(x)}" if x in columns else _quoted(x) for x in self.names]
        return self._query(f"SELECT {', '.join(wanted)} FROM allonym_rows")

    def numbered(self) -> Engine:
        """Return the table with the numbers of its rows, in the order in which DuckDB reads them."""
        return self._query(f"SELECT *, row_number() OVER () - 1 AS {_quoted(ROW)} FROM allonym_rows")

    def shuffled(self, order: RowOrder, rows: int) -> Engine:
        """Return a numbered table without its numbers, sorted by a hash of them and a secret."""
        wanted = ", ".join(_quoted(x) for x in self.names if x != ROW)
        return self._query(f"SELECT {wanted} FROM allonym_rows ORDER BY {_sort_key(order)}")

    def input_rows(self, order: RowOrder, rows: int) -> Ints:
        """Return for each row of a shuffled table its number in the table."""
        import duckdb

        numbers = f"SELECT range AS {_quoted(ROW)} FROM range({rows})"
        sorted_numbers = duckdb.connect().sql(f"SELECT {_quoted(ROW)} FROM ({numbers}) ORDER BY {_sort_key(order)}")
        found: Ints = sorted_numbers.fetchnumpy()[ROW].astype(np.int64)
        return found

    def map_batches(self, mask: Batch, drop: Sequence[str], discard_style: Sequence[str], *, numbered: bool) -> Engine:
        """Return the table masked batch by batch.

        DuckDB cannot ask Python for more rows while it uses the same connection, so that the masked rows are held as
        an Arrow table, which DuckDB reads.
        """
        return self._query("SELECT * FROM allonym_added", self._masked(mask, numbered).read_all())

    def _masked(self, mask: Batch, numbered: bool) -> pa.RecordBatchReader:
        """Yield the masked rows batch by batch."""
        reader = self.native.to_arrow_reader(BATCH_ROWS)
        schema = mask(reader.schema.empty_table(), np.zeros(0, np.uint64) if numbered else None).schema

        def batches() -> Any:
            first = 0
            for batch in reader:
                places = np.arange(first, first + len(batch), dtype=np.uint64) if numbered else None
                yield from mask(pa.Table.from_batches([batch]), places).cast(schema).to_batches()
                first += len(batch)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Write the table as Parquet."""
        if partition_by:
            path.mkdir()
            self.native.write_parquet(str(path), partition_by=list(partition_by))
        else:
            self.native.write_parquet(str(path), compression="zstd")

    def reopen(self, path: Path, like: Engine) -> Engine:
        """Open what was saved."""
        types = dict(zip(like.names, like.native.types, strict=True))
        if path.is_file():
            return DuckDBEngine._scanned([path], {})
        files = sorted(path.rglob("*.parquet"))
        inside = set(_columns_inside(files[0]))
        saved = DuckDBEngine._scanned(files, {name: kind for name, kind in types.items() if name not in inside})
        return saved._query(f"SELECT {', '.join(_quoted(x) for x in like.names if x in saved.names)} FROM allonym_rows")

    def can_name(self, column: str) -> bool:
        """Tell whether folders can be named by a column: DuckDB does not read other letters as it writes them."""
        return re.fullmatch(r"[A-Za-z0-9_.-]+", column) is not None

    def _query(self, sql: str, allonym_added: pa.Table | None = None) -> DuckDBEngine:
        """Return the result of a query on the table, `allonym_rows`, and a second table, `allonym_added`.

        DuckDB finds the second by the name of the variable, unless the connection has a table of that name.
        """
        result = DuckDBEngine(self.native.query("allonym_rows", sql))
        result.inputs = (self, allonym_added)
        return result

    inputs: Any = None  # tables that the relation reads, kept alive


@cache
def _spill_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a private folder for what DuckDB cannot hold in memory; it is removed at the end of the process."""
    return tempfile.TemporaryDirectory(prefix="allonym-", ignore_cleanup_errors=True)


def _columns_inside(file: Path) -> list[str]:
    """Return the columns inside a file, without those in the names of folders."""
    import pyarrow.parquet as pq

    return list(pq.read_schema(file).names)


def _sort_key(order: RowOrder) -> str:
    """Return what rows are sorted by; equal hashes are ordered by number."""
    return f"md5_number_lower('{order.secret}' || {_quoted(ROW)}), {_quoted(ROW)}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
