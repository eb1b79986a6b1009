"""Polars: lazy frames, and Parquet files that it streams."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from allonym.arrays import Ints
from allonym.errors import TableError, plural
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
from allonym.tables.metadata import bare_polars_type
from allonym.tables.row_order import RowOrder

MAX_GROUPED_VALUES = 1 << 23  # values that are counted at a time
MAX_HASH_TABLE = 1 << 20  # entries
MAX_LOOKUP_TABLE = 1 << 22  # combinations of texts in a lookup table, which is quicker than a join


class PolarsEngine(Engine):
    """A lazy frame of polars."""

    name = "polars"

    def __init__(self, frame: Any) -> None:
        self.native, self.schema = frame, frame.collect_schema()
        self.names = tuple(self.schema.names())

    def check(self) -> None:
        """Refuse column names that polars takes for patterns."""
        super().check()
        odd = sum(x == "*" or (x.startswith("^") and x.endswith("$")) for x in self.names)
        if odd:
            raise TableError(f"{plural(odd, 'column')} have names that are patterns to polars.", hint="rename them.")

    @classmethod
    def read(
        cls, files: Sequence[Path], base: Path, hive: Mapping[str, bool], master: str | None = None
    ) -> PolarsEngine:
        """Open Parquet files, by their names and not by patterns."""
        import polars as pl

        return cls._scanned(files, {name: pl.Int64 if whole else pl.String for name, whole in hive.items()})

    @classmethod
    def _scanned(cls, files: Sequence[Path], types: Mapping[str, Any]) -> PolarsEngine:
        """Open files whose folders are named by columns of some types."""
        import polars as pl

        options: dict[str, Any] = {"hive_partitioning": bool(types), "hive_schema": dict(types) or None}
        return cls(pl.scan_parquet(list(files), glob=False, **options))

    def count_rows(self, columns: Sequence[str]) -> pa.Table:
        """Return the distinct rows of some columns, with their numbers."""
        import polars as pl

        row_counts = pl.len().cast(pl.Int64).alias(COUNT)
        counted = (
            self.native.group_by(*map(pl.col, columns)).agg(row_counts) if columns else self.native.select(row_counts)
        )
        return counted.collect(engine="streaming").to_arrow()

    def repeated_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of values of a column that occur more than once."""
        import polars as pl

        values = self.native.select(self._text(column, missing).alias(column)).drop_nulls()
        parts = 1 + int(values.select(pl.len()).collect(engine="streaming").item()) // MAX_GROUPED_VALUES
        repeated = 0
        for part in range(parts):  # bounds the memory for the groups
            some = values.filter(pl.col(column).hash() % parts == part) if parts > 1 else values
            counts = some.group_by(pl.col(column)).agg(pl.len().alias(COUNT))
            repeated += int(counts.filter(pl.col(COUNT) > 1).select(pl.len()).collect(engine="streaming").item())
        return repeated

    def empty_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of rows whose cell in a column is missing."""
        count = self.native.select(self._text(column, missing).is_null().sum())
        return int(count.collect(engine="streaming").item())

    def distinct_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of distinct values of a column."""
        import polars as pl

        values = self.native.select(self._text(column, missing).alias(column)).drop_nulls()
        return int(values.select(pl.col(column).n_unique()).collect(engine="streaming").item())

    def sample_rows(self, columns: Sequence[str], most: int, rows: int) -> pa.Table:
        """Return some columns of every n-th row."""
        import polars as pl

        step = max(1, -(-rows // most))
        place = pl.int_range(pl.len())
        frame = self.native.select(list(columns))
        return (frame if step == 1 else frame.filter(place % step == 0)).collect(engine="streaming").to_arrow()

    def _text(self, column: str, missing: Sequence[str]) -> Any:
        """Return the values of a column: text without surrounding blanks, missing values as null."""
        import polars as pl

        if self.schema[column].is_float():
            return pl.col(column).fill_nan(None)
        if self.schema[column] not in (pl.String, pl.Categorical, pl.Enum):
            return pl.col(column)
        text = pl.col(column).cast(pl.String).str.strip_chars(BLANKS)
        return pl.when(~text.is_in(["", *missing])).then(text)

    def replaced(self, replacements: Replacements) -> Engine:
        """Return the table with its rows replaced, in the same order: by a lookup table, or by a join."""
        import polars as pl

        keys, masked = replacements.keys.column_names, replacements.masked.column_names
        lookup = self._lookup(replacements) if replacements.low is None else None
        if lookup is not None:
            place, columns = lookup
            new_columns = [x.alias(name) for name, x in columns.items()]
            return PolarsEngine(self.native.with_columns(place).with_columns(new_columns).select(self.names))
        frame = self.native
        if replacements.low is not None:
            frame = frame.with_columns(pl.int_range(pl.len()).over(keys).alias(PLACE))
        wanted = [pl.col(masked_name(masked.index(x))).alias(x) if x in masked else pl.col(x) for x in self.names]
        joined = frame.join(
            self._typed(replacements).lazy(),
            left_on=keys,
            right_on=[key_name(i) for i in range(len(keys))],
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        if replacements.low is not None:  # each of several equal rows takes one of their replacements
            joined = joined.filter(
                pl.col(LOW).is_null() | ((pl.col(PLACE) >= pl.col(LOW)) & (pl.col(PLACE) < pl.col(HIGH)))
            )
        return PolarsEngine(joined.select(wanted))

    def _typed(self, replacements: Replacements) -> Any:
        """Return replacements as a frame, with the types of the table; an enumeration gets the categories it needs.

        A column of numbers that became text stays text.
        """
        import polars as pl

        frame = _frame(replacements.table)
        keys, masked = replacements.keys.column_names, replacements.masked.column_names
        for names, name_of in ((keys, key_name), (masked, masked_name)):
            for place, name in enumerate(names):
                kind, own = self.schema[name], name_of(place)
                if isinstance(kind, pl.Enum) and name_of is masked_name:
                    used = frame[own].cast(pl.String).drop_nulls().unique().sort()
                    kind = pl.Enum(
                        [*(x for x in kind.categories if x in used), *(x for x in used if x not in kind.categories)]
                    )
                if name_of is masked_name and frame[own].dtype == pl.String and not _is_text(kind):
                    kind = pl.String()
                column = frame[own].cast(pl.String) if _is_categorical(kind) else frame[own]
                frame = frame.with_columns(column.cast(kind))
        return frame

    def _lookup(self, replacements: Replacements) -> tuple[Any, dict[str, Any]] | None:
        """Return the place of a row in a lookup table, and the new columns; None where it is large or keys are no text.

        Every text has a number; the numbers of a row's texts make its place.
        """
        import polars as pl

        keys = _frame(replacements.keys)
        texts = [keys[x].drop_nulls().unique().sort() for x in keys.columns]
        size = math.prod(len(x) + 1 for x in texts)
        if size > MAX_LOOKUP_TABLE or any(self.schema[x] != pl.String for x in keys.columns):
            return None
        place, place_of_key = pl.lit(0, pl.UInt32), pl.Series([0], dtype=pl.UInt32)
        for name, own in zip(keys.columns, texts, strict=True):
            place = place * (len(own) + 1) + _number_by_hash(pl.col(name), own)
            place_of_key = place_of_key * (len(own) + 1) + _number_of(keys[name], own)
        row = np.full(size, len(keys), np.uint32)  # beyond the last: null
        row[place_of_key.to_numpy()] = np.arange(len(keys), dtype=np.uint32)
        columns = {}
        for i, name in enumerate(replacements.masked.column_names):
            column = pl.Series(replacements.masked.column(i))
            whole = column.append(pl.Series([None], dtype=column.dtype)).gather(pl.Series(row))
            columns[name] = pl.lit(whole).gather(pl.col(PLACE))
        return place.alias(PLACE), columns

    @classmethod
    def failures(cls) -> tuple[type[BaseException], ...]:
        """Return the errors of polars, panics included."""
        import polars as pl

        return pl.exceptions.PolarsError, pl.exceptions.PanicException

    def without(self, columns: Sequence[str]) -> Engine:
        """Return the table without some columns."""
        return PolarsEngine(self.native.drop(*columns)) if columns else self

    def bare(self, original: Engine, masked: Collection[str]) -> Engine:
        """Return the table with the categories that occur; those inside of lists become text."""
        import polars as pl

        columns = []
        for name, kind in self.schema.items():
            used = list(kind.categories) if isinstance(kind, pl.Enum) else []
            if isinstance(kind, pl.Enum) and name not in masked:
                values = original.native.select(pl.col(name).unique().drop_nulls().cast(pl.String))
                used = values.collect(engine="streaming").to_series().to_list()
            own = bare_polars_type(kind, used)
            columns += [pl.col(name).cast(own)] if own != kind else []
        return PolarsEngine(self.native.with_columns(columns)) if columns else self

    def numbered(self) -> Engine:
        """Return the table with the numbers of its rows."""
        return PolarsEngine(self.native.with_row_index(ROW))

    def shuffled(self, order: RowOrder, rows: int) -> Engine:
        """Return a numbered table without its numbers, and with its rows in a secret order."""
        from allonym.tables.engines.polars_shuffle import ShuffledEngine

        return ShuffledEngine(self.native, order, rows)

    def input_rows(self, order: RowOrder, rows: int) -> Ints:
        """Return for each row of a shuffled table its number in the table."""
        return np.argsort(order.sort_keys(np.arange(rows, dtype=np.uint64)), kind="stable")

    def map_batches(self, mask: Batch, drop: Sequence[str], discard_style: Sequence[str], *, numbered: bool) -> Engine:
        """Return the table masked batch by batch."""

        def masked(frame: Any) -> Any:
            places = frame[PLACE].to_numpy().astype(np.uint64) if numbered else None
            table = frame.drop(PLACE).to_arrow() if numbered else frame.to_arrow()
            return _frame(mask(table, places)).cast(schema)

        import polars as pl

        schema = {name: kind for name, kind in self.schema.items() if name not in drop}
        schema |= {name: pl.String() for name in discard_style if _is_categorical(schema[name])}
        rows = self.native.with_row_index(PLACE) if numbered else self.native
        return PolarsEngine(rows.map_batches(masked, streamable=True, schema=schema))

    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Stream the table to Parquet."""
        import polars as pl

        if partition_by:
            self.native.sink_parquet(
                pl.PartitionBy(path, key=list(partition_by), include_key=False), mkdir=True, engine="streaming"
            )
        else:
            self.native.sink_parquet(path, engine="streaming")

    def reopen(self, path: Path, like: Engine) -> Engine:
        """Open what was saved."""
        import pyarrow.parquet as pq

        if path.is_file():
            return PolarsEngine._scanned([path], {})
        files = sorted(path.rglob("*.parquet"))
        inside = set(pq.read_schema(files[0]).names)
        types = {name: kind for name, kind in like.native.collect_schema().items() if name not in inside}
        saved = PolarsEngine._scanned(files, types)
        return PolarsEngine(saved.native.select(x for x in like.names if x in saved.names))


def _frame(table: pa.Table) -> Any:
    """Return an Arrow table as a polars frame."""
    import polars as pl

    return pl.from_arrow(table)


def _is_categorical(kind: Any) -> bool:
    """Tell whether a column holds categories."""
    import polars as pl

    return isinstance(kind, (pl.Enum, pl.Categorical))


def _is_text(kind: Any) -> bool:
    """Tell whether a column holds text or categories."""
    import polars as pl

    return _is_categorical(kind) or kind == pl.String


def _number_of(text: Any, texts: Any) -> Any:
    """Return the place of each text in a list; null comes after the last."""
    import polars as pl

    return text.cast(pl.Enum(texts)).to_physical().cast(pl.UInt32).fill_null(len(texts))


def _number_by_hash(text: Any, texts: Any) -> Any:
    """Return the same places for a column, by a small hash table without collisions, which is quicker.

    An unknown text, as in a file that was changed meanwhile, has no place: its replacement is null.
    """
    import polars as pl

    hashes = texts.extend_constant(None, 1).hash().to_numpy()
    for size in np.geomspace(len(hashes), max(len(hashes), MAX_HASH_TABLE), 200).astype(np.uint64):
        places = hashes % size
        if len(np.unique(places)) == len(hashes):
            number, whole = np.zeros(size, np.uint32), np.zeros(size, np.uint64)
            number[places], whole[places] = np.arange(len(hashes)), hashes
            place = text.hash() % int(size)
            return pl.when(pl.lit(pl.Series(whole)).gather(place) == text.hash()).then(
                pl.lit(pl.Series(number)).gather(place)
            )
    return _number_of(text, texts)
