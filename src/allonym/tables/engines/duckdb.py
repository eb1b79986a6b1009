"""DuckDB: relations, and files that it reads and writes."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from allonym.errors import TableError
from allonym.tables.engines.base import (
    BLANKS,
    COUNT,
    HIGH,
    LOW,
    PLACE,
    Batch,
    Engine,
    Replacements,
    key_name,
    masked_name,
)

ROWS = 131_072  # that are masked at a time
PARTED = 65_536  # that wait to be written into folders named by columns; DuckDB's own number takes gigabytes


class DuckDBEngine(Engine):
    """A relation of DuckDB."""

    name = "duckdb"
    hint = (
        "are files whole, is there room on the disk? A connection must let Python be read (python_enable_replacements, "
        "enable_external_access), and have no table allonym_rows or allonym_known."
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
        """Open files; folders have the names of columns of some types."""
        import duckdb

        connection = duckdb.connect(
            config={"temp_directory": _room().name, "partitioned_write_flush_threshold": PARTED}
        )
        given = ", ".join(_literal(re.sub(r"([*?\[])", r"[\1]", str(x))) for x in files)
        told = ", ".join(f"{_quoted(name)}: {kind}" for name, kind in types.items())
        options = f"hive_partitioning = true, hive_types = {{{told}}}" if told else "hive_partitioning = false"
        return cls(connection.sql(f"SELECT * FROM read_parquet([{given}], {options})"))

    def lines(self, columns: Sequence[str]) -> pa.Table:
        """Return the different rows of some columns with how often each comes."""
        wanted = ", ".join([*map(_quoted, columns), f"count(*) AS {_quoted(COUNT)}"])
        by = f" GROUP BY {', '.join(map(_quoted, columns))}" if columns else ""
        return self._asked(f"SELECT {wanted} FROM allonym_rows{by}").native.to_arrow_table()

    def repeated(self, column: str, missing: Sequence[str]) -> int:
        """Return how many values of a column come more than once."""
        said = f"SELECT {self._said(column, missing)} AS x FROM allonym_rows"
        found = f"SELECT x FROM ({said}) WHERE x IS NOT NULL GROUP BY x HAVING count(*) > 1"
        return int(self._asked(f"SELECT count(*) AS n FROM ({found})").native.fetchall()[0][0])

    def empty(self, column: str, missing: Sequence[str]) -> int:
        """Return in how many rows a column is null, or says nothing."""
        sql = f"SELECT count(*) AS n FROM allonym_rows WHERE {self._said(column, missing)} IS NULL"
        return int(self._asked(sql).native.fetchall()[0][0])

    def _said(self, column: str, missing: Sequence[str]) -> str:
        """Return what a column says: text without blanks around it; null, where that is nothing."""
        kind = str(self.native.types[self.names.index(column)])
        if kind in ("FLOAT", "DOUBLE"):
            return f"CASE WHEN NOT isnan({_quoted(column)}) THEN {_quoted(column)} END"
        if not kind.startswith(("VARCHAR", "ENUM")):
            return _quoted(column)
        text = f"trim({_quoted(column)}::VARCHAR, {_literal(BLANKS)})"
        nothing = ", ".join(map(_literal, ["", *missing]))
        return f"CASE WHEN {text} NOT IN ({nothing}) THEN {text} END"

    def replaced(self, known: Replacements) -> Engine:
        """Return the table with what becomes of its rows, by a join in which null equals null."""
        keys, masked = known.keys.column_names, known.masked.column_names
        same = [f"r.{_quoted(x)} IS NOT DISTINCT FROM k.{_quoted(key_name(i))}" for i, x in enumerate(keys)]
        rows = "allonym_rows"
        if known.low is not None:
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
        sql = f"SELECT {', '.join(wanted)} FROM {rows} AS r LEFT JOIN allonym_known AS k ON {' AND '.join(same)}"
        return self._asked(sql, known.table)

    @classmethod
    def failures(cls) -> tuple[type[BaseException], ...]:
        """Return the errors of DuckDB."""
        import duckdb

        return (duckdb.Error,)

    def without(self, columns: Sequence[str]) -> Engine:
        """Return the table without some columns."""
        wanted = ", ".join(_quoted(x) for x in self.names if x not in columns)
        return self._asked(f"SELECT {wanted} FROM allonym_rows")

    def mapped(self, mask: Batch, drop: Sequence[str], discard_style: Sequence[str], *, numbered: bool) -> Engine:
        """Return the table masked some rows at a time.

        Python cannot be asked for more rows while DuckDB is at work on the same connection, so that what was masked is
        kept as Arrow has it, where DuckDB reads it.
        """
        return self._asked("SELECT * FROM allonym_known", self._masked(mask, numbered).read_all())

    def _masked(self, mask: Batch, numbered: bool) -> pa.RecordBatchReader:
        """Return the masked rows as they come."""
        import numpy as np

        reader = self.native.to_arrow_reader(ROWS)
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

    def again(self, path: Path, like: Engine) -> Engine:
        """Open what was saved."""
        types = dict(zip(like.names, like.native.types, strict=True))
        if path.is_file():
            return DuckDBEngine._scanned([path], {})
        files = sorted(path.rglob("*.parquet"))
        inside = set(_columns_inside(files[0]))
        found = DuckDBEngine._scanned(files, {name: kind for name, kind in types.items() if name not in inside})
        return found._asked(f"SELECT {', '.join(_quoted(x) for x in like.names if x in found.names)} FROM allonym_rows")

    def can_name(self, column: str) -> bool:
        """Tell whether folders can be named by a column: DuckDB writes other letters in a way that it does not read."""
        return re.fullmatch(r"[A-Za-z0-9_.-]+", column) is not None

    def _asked(self, sql: str, allonym_known: pa.Table | None = None) -> DuckDBEngine:
        """Return what a query gives; in it the table is `allonym_rows`, and what is given beside it `allonym_known`.

        DuckDB finds the latter by the name of the variable, unless there is a table of that name.
        """
        found = DuckDBEngine(self.native.query("allonym_rows", sql))
        found.kept = (self, allonym_known)
        return found

    kept: Any = None  # what the relation reads from


@cache
def _room() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that only its owner may look into, for what DuckDB has no room for in memory; gone at the end."""
    return tempfile.TemporaryDirectory(prefix="allonym-", ignore_cleanup_errors=True)


def _columns_inside(file: Path) -> list[str]:
    """Return the columns that a file has, those in the names of folders not among them."""
    import pyarrow.parquet as pq

    return list(pq.read_schema(file).names)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
