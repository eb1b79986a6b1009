"""Polars: lazy frames, and files that it streams."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from allonym.errors import TableError, plural
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

MANY = 1 << 23  # different texts that are counted at a time
HASHED = 1 << 20  # places of a table of hashes
DENSE = 1 << 22  # combinations of words that are looked up in a table, which is quicker than a join


class PolarsEngine(Engine):
    """A lazy frame of polars."""

    name = "polars"

    def __init__(self, frame: Any) -> None:
        self.native, self.schema = frame, frame.collect_schema()
        self.names = tuple(self.schema.names())

    def check(self) -> None:
        """Refuse names of columns that would be taken for something else, as patterns are."""
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
        """Open files; folders have the names of columns of some types."""
        import polars as pl

        options: dict[str, Any] = {"hive_partitioning": bool(types), "hive_schema": dict(types) or None}
        return cls(pl.scan_parquet(list(files), glob=False, **options))

    def lines(self, columns: Sequence[str]) -> pa.Table:
        """Return the different rows of some columns with how often each comes."""
        import polars as pl

        row_counts = pl.len().cast(pl.Int64).alias(COUNT)
        asked = (
            self.native.group_by(*map(pl.col, columns)).agg(row_counts) if columns else self.native.select(row_counts)
        )
        return asked.collect(engine="streaming").to_arrow()

    def repeated(self, column: str, missing: Sequence[str]) -> int:
        """Return how many values of a column come more than once."""
        import polars as pl

        said = self.native.select(self._said(column, missing).alias(column)).drop_nulls()
        parts = 1 + int(said.select(pl.len()).collect(engine="streaming").item()) // MANY
        found = 0
        for part in range(parts):  # so that no more are held at a time, however many there are
            some = said.filter(pl.col(column).hash() % parts == part) if parts > 1 else said
            counts = some.group_by(pl.col(column)).agg(pl.len().alias(COUNT))
            found += int(counts.filter(pl.col(COUNT) > 1).select(pl.len()).collect(engine="streaming").item())
        return found

    def empty(self, column: str, missing: Sequence[str]) -> int:
        """Return in how many rows a column is null, or says nothing."""
        asked = self.native.select(self._said(column, missing).is_null().sum())
        return int(asked.collect(engine="streaming").item())

    def _said(self, column: str, missing: Sequence[str]) -> Any:
        """Return what a column says: text without blanks around it; null, where that is nothing."""
        import polars as pl

        if self.schema[column].is_float():
            return pl.col(column).fill_nan(None)
        if self.schema[column] not in (pl.String, pl.Categorical, pl.Enum):
            return pl.col(column)
        text = pl.col(column).cast(pl.String).str.strip_chars(BLANKS)
        return pl.when(~text.is_in(["", *missing])).then(text)

    def replaced(self, known: Replacements) -> Engine:
        """Return the table with what becomes of its rows, in the same order: looked up, or by a join."""
        import polars as pl

        keys, masked = known.keys.column_names, known.masked.column_names
        looked_up = self._looked_up(known) if known.low is None else None
        if looked_up is not None:
            place, columns = looked_up
            masked_now = [x.alias(name) for name, x in columns.items()]
            return PolarsEngine(self.native.with_columns(place).with_columns(masked_now).select(self.names))
        frame = self.native
        if known.low is not None:
            frame = frame.with_columns(pl.int_range(pl.len()).over(keys).alias(PLACE))
        wanted = [pl.col(masked_name(masked.index(x))).alias(x) if x in masked else pl.col(x) for x in self.names]
        found = frame.join(
            self._typed(known).lazy(),
            left_on=keys,
            right_on=[key_name(i) for i in range(len(keys))],
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        if known.low is not None:  # every row of a line is in one of its parts
            found = found.filter(
                pl.col(LOW).is_null() | ((pl.col(PLACE) >= pl.col(LOW)) & (pl.col(PLACE) < pl.col(HIGH)))
            )
        return PolarsEngine(found.select(wanted))

    def _typed(self, known: Replacements) -> Any:
        """Return what is known as a frame, with the types of the table; an enumeration has what it needs to have."""
        import polars as pl

        found = _frame(known.table)
        for names, name_of in ((known.keys.column_names, key_name), (known.masked.column_names, masked_name)):
            for place, name in enumerate(names):
                kind, own = self.schema[name], name_of(place)
                if isinstance(kind, pl.Enum) and name_of is masked_name:
                    said = found[own].cast(pl.String).drop_nulls().unique().sort()
                    kind = pl.Enum(
                        [*(x for x in kind.categories if x in said), *(x for x in said if x not in kind.categories)]
                    )
                found = found.with_columns(
                    found[own].cast(pl.String).cast(kind) if _is_named(kind) else found[own].cast(kind)
                )
        return found

    def _looked_up(self, known: Replacements) -> tuple[Any, dict[str, Any]] | None:
        """Return the place of a row in a table, and what columns become there, where keys are text and the table small.

        Every text has a number; those of a row tell its place.
        """
        import polars as pl

        keys = _frame(known.keys)
        texts = [keys[x].drop_nulls().unique().sort() for x in keys.columns]
        size = math.prod(len(x) + 1 for x in texts)
        if size > DENSE or any(self.schema[x] != pl.String for x in keys.columns):
            return None
        asked, given = pl.lit(0, pl.UInt32), pl.Series([0], dtype=pl.UInt32)
        for name, own in zip(keys.columns, texts, strict=True):
            asked = asked * (len(own) + 1) + _number_by_hash(pl.col(name), own)
            given = given * (len(own) + 1) + _number_of(keys[name], own)
        row = np.full(size, len(keys), np.uint32)  # beyond the last: null
        row[given.to_numpy()] = np.arange(len(keys), dtype=np.uint32)
        found = {}
        for i, name in enumerate(known.masked.column_names):
            column = pl.Series(known.masked.column(i))
            whole = column.append(pl.Series([None], dtype=column.dtype)).gather(pl.Series(row))
            found[name] = pl.lit(whole).gather(pl.col(PLACE))
        return asked.alias(PLACE), found

    @classmethod
    def failures(cls) -> tuple[type[BaseException], ...]:
        """Return the errors of polars, what it calls a panic among them."""
        import polars as pl

        return pl.exceptions.PolarsError, pl.exceptions.PanicException

    def without(self, columns: Sequence[str]) -> Engine:
        """Return the table without some columns."""
        return PolarsEngine(self.native.drop(*columns)) if columns else self

    def mapped(self, mask: Batch, drop: Sequence[str], discard_style: Sequence[str], *, numbered: bool) -> Engine:
        """Return the table masked some rows at a time."""

        def masked(frame: Any) -> Any:
            places = frame[PLACE].to_numpy().astype(np.uint64) if numbered else None
            table = frame.drop(PLACE).to_arrow() if numbered else frame.to_arrow()
            return _frame(mask(table, places)).cast(schema)

        import polars as pl

        schema = {name: kind for name, kind in self.schema.items() if name not in drop}
        schema |= {name: pl.String() for name in discard_style if _is_named(schema[name])}
        rows = self.native.with_row_index(PLACE) if numbered else self.native
        return PolarsEngine(rows.map_batches(masked, streamable=True, schema=schema))

    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Write the table as Parquet, without holding it."""
        import polars as pl

        if partition_by:
            self.native.sink_parquet(
                pl.PartitionBy(path, key=list(partition_by), include_key=False), mkdir=True, engine="streaming"
            )
        else:
            self.native.sink_parquet(path, engine="streaming")

    def again(self, path: Path, like: Engine) -> Engine:
        """Open what was saved."""
        import pyarrow.parquet as pq

        if path.is_file():
            return PolarsEngine._scanned([path], {})
        files = sorted(path.rglob("*.parquet"))
        inside = set(pq.read_schema(files[0]).names)
        types = {name: kind for name, kind in like.native.collect_schema().items() if name not in inside}
        found = PolarsEngine._scanned(files, types)
        return PolarsEngine(found.native.select(x for x in like.names if x in found.names))


def _frame(table: pa.Table) -> Any:
    """Return a table of Arrow as a frame."""
    import polars as pl

    return pl.from_arrow(table)


def _is_named(kind: Any) -> bool:
    """Tell whether a column holds categories."""
    import polars as pl

    return isinstance(kind, (pl.Enum, pl.Categorical))


def _number_of(text: Any, known: Any) -> Any:
    """Return the numbers of texts among those that are known; null is one more."""
    import polars as pl

    return text.cast(pl.Enum(known)).to_physical().cast(pl.UInt32).fill_null(len(known))


def _number_by_hash(text: Any, known: Any) -> Any:
    """Return the same numbers, of a column, by a table of hashes: quicker, where a small one tells all texts apart.

    A text that nobody knows, as of a file that was changed meanwhile, has no number: what becomes of it is null.
    """
    import polars as pl

    hashes = known.extend_constant(None, 1).hash().to_numpy()
    for size in np.geomspace(len(hashes), max(len(hashes), HASHED), 200).astype(np.uint64):
        places = hashes % size
        if len(np.unique(places)) == len(hashes):
            number, whole = np.zeros(size, np.uint32), np.zeros(size, np.uint64)
            number[places], whole[places] = np.arange(len(hashes)), hashes
            place = text.hash() % int(size)
            return pl.when(pl.lit(pl.Series(whole)).gather(place) == text.hash()).then(
                pl.lit(pl.Series(number)).gather(place)
            )
    return _number_of(text, known)
