"""Spark: data frames, and Parquet files that its executors read and write."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from allonym.arrays import Ints
from allonym.errors import OptionError, TableError
from allonym.tables.engines.base import (
    BLANKS,
    COUNT,
    HIGH,
    LOW,
    ROW,
    Batch,
    Engine,
    Replacements,
    key_name,
    masked_name,
)
from allonym.tables.row_order import RowOrder

LOCAL_MASTER = "local[*]"
MAX_BROADCAST_BYTES = 32 * 1024**2  # replacements up to this size go to every executor


def session(master: str | None) -> Any:
    """Return the active session, or a new one at a master."""
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None and master in (None, running.sparkContext.master):
        return running
    if running is not None:
        raise OptionError(
            f"A Spark session is active at {running.sparkContext.master}.",
            hint="stop it first, or name its master.",
        )
    if (master or LOCAL_MASTER).startswith("local"):  # workers use the same environment, activated or not
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master or LOCAL_MASTER).appName("allonym")
    return builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()


class SparkEngine(Engine):
    """A data frame of Spark. Its rows have no order."""

    name = "spark"
    numbers_rows = False

    def __init__(self, frame: Any) -> None:
        self.native, self.names = frame, tuple(frame.columns)
        if len({x.lower() for x in self.names}) < len(self.names):  # Spark could not tell them apart
            raise TableError("Two columns of the table have one name.", hint="rename one; case does not count.")

    @classmethod
    def read(
        cls, files: Sequence[Path], base: Path, hive: Mapping[str, bool], master: str | None = None
    ) -> SparkEngine:
        """Open Parquet files, by their names and not by patterns."""
        from pyspark.sql.types import LongType, StringType, StructField, StructType

        spark = session(master)
        if not hive:  # the names of folders mean nothing
            return cls(spark.read.option("recursiveFileLookup", "true").parquet(*map(_escaped, files)))
        reader = spark.read.option("basePath", str(base.absolute()))
        own = [x for x in reader.parquet(*map(_escaped, files)).schema.fields if x.name not in hive]
        in_folders = [StructField(name, LongType() if whole else StringType()) for name, whole in hive.items()]
        return cls(reader.schema(StructType([*own, *in_folders])).parquet(*map(_escaped, files)))

    @property
    def session(self) -> Any:
        """The Spark session."""
        return self.native.sparkSession

    @property
    def _numbered(self) -> Any:
        """The table with numbered column names, which need no quotes."""
        return self.native.toDF(*(f"c{i}" for i in range(len(self.names))))

    def _place(self, column: str) -> str:
        return f"c{self.names.index(column)}"

    def count_rows(self, columns: Sequence[str]) -> pa.Table:
        """Return the distinct rows of some columns, with their numbers."""
        if not columns:
            return pa.table({COUNT: pa.array([self.native.count()], pa.int64())})
        places = list(map(self._place, columns))
        return self._numbered.groupBy(*places).count().toArrow().rename_columns([*columns, COUNT])

    def repeated_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of values of a column that occur more than once."""
        from pyspark.sql import functions as f

        values = self._numbered.select(self._text(column, missing).alias("value"))
        counts = values.where(f.col("value").isNotNull()).groupBy("value").count()
        return int(counts.where(f.col("count") > 1).count())

    def empty_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of rows whose cell in a column is missing."""
        return int(self._numbered.where(self._text(column, missing).isNull()).count())

    def distinct_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of distinct values of a column."""
        from pyspark.sql import functions as f

        values = self._numbered.select(self._text(column, missing).alias("value"))
        return int(values.where(f.col("value").isNotNull()).distinct().count())

    def sample_rows(self, columns: Sequence[str], most: int, rows: int) -> pa.Table:
        """Return some columns of rows drawn at random."""
        frame = self._numbered.select(*map(self._place, columns))
        frame = frame if rows <= most else frame.sample(most / rows, seed=1)
        return frame.toArrow().rename_columns(list(columns))

    def _text(self, column: str, missing: Sequence[str]) -> Any:
        """Return the values of a column: text without surrounding blanks, missing values as null."""
        from pyspark.sql import functions as f

        place = self._place(column)
        kind = self._numbered.schema[place].dataType.typeName()
        if kind in ("float", "double"):
            return f.when(~f.isnan(place), f.col(place))
        if not kind.startswith(("string", "char", "varchar")):
            return f.col(place)
        text = f.btrim(f.col(place), f.lit(BLANKS))
        return f.when(~text.isin(["", *missing]), text)

    def replaced(self, replacements: Replacements) -> Engine:
        """Return the table with its rows replaced, by a join in which null equals null."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        keys, masked = replacements.keys.column_names, replacements.masked.column_names
        rows, places = self._numbered, list(map(self._place, keys))
        names = {key_name(i): f"k{i}" for i in range(len(keys))} | {masked_name(i): f"m{i}" for i in range(len(masked))}
        names |= {LOW: "low", HIGH: "high"}
        table = replacements.table
        spark = self.native.sparkSession
        added = spark.createDataFrame(table.rename_columns([names[x] for x in table.column_names]))
        same = f.lit(True)
        for i, place in enumerate(places):
            same = same & f.col(place).eqNullSafe(f.col(f"k{i}"))
        if replacements.low is not None:
            within = Window.partitionBy(*places).orderBy(f.monotonically_increasing_id())
            rows = rows.withColumn("place", f.row_number().over(within) - 1)
            same = same & (f.col("place") >= f.col("low")) & (f.col("place") < f.col("high"))
        wanted = [
            f.col(f"m{masked.index(x)}").cast(self._masked_type(i, replacements)) if x in masked else f.col(f"c{i}")
            for i, x in enumerate(self.names)
        ]
        added = f.broadcast(added) if table.nbytes <= MAX_BROADCAST_BYTES else added
        return SparkEngine(rows.join(added, same, "left").select(*wanted).toDF(*self.names))

    def _masked_type(self, place: int, replacements: Replacements) -> Any:
        """Return the type of a masked column: its own, or text where a range is written to a column of numbers."""
        own = self.native.schema[place].dataType
        text = pa.types.is_string(replacements.masked.column(self.names[place]).type)
        return "string" if text and not own.typeName().startswith(("string", "char", "varchar")) else own

    @classmethod
    def failures(cls) -> tuple[type[BaseException], ...]:
        """Return the errors of Spark."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        return PySparkException, Py4JError

    def without(self, columns: Sequence[str]) -> Engine:
        """Return the table without some columns."""
        kept = [x for x in self.names if x not in columns]
        return SparkEngine(self._numbered.select(*map(self._place, kept)).toDF(*kept))

    def bare(self, original: Engine, masked: Collection[str]) -> Engine:
        """Return the table without notes on columns and fields, such as comments, which Spark stores in files.

        Spark finds the notes again behind a projection, but not behind a function on batches.
        """
        schema = _bare_type(self.native.schema)
        if schema.jsonValue() == self.native.schema.jsonValue():
            return self

        def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            yield from batches

        return SparkEngine(self.native.mapInArrow(same, schema))

    def numbered(self) -> Engine:
        """Return the table with numbers of its rows, which depend on how Spark divides the files among its tasks."""
        from pyspark.sql import functions as f

        return SparkEngine(self.native.withColumn(ROW, f.monotonically_increasing_id()))

    def shuffled(self, order: RowOrder, rows: int) -> Engine:
        """Return a numbered table without its numbers; it is saved in a secret order."""
        return ShuffledEngine(self.native, order)

    def input_rows(self, order: RowOrder, rows: int) -> Ints:
        """Refuse: rows of Spark have no numbers."""
        raise TableError("Rows of Spark have no numbers.", hint="leave the row map out.")

    def map_batches(self, mask: Batch, drop: Sequence[str], discard_style: Sequence[str], *, numbered: bool) -> Engine:
        """Return the table masked by the executors, batch by batch; rows of Spark have no numbers."""
        from pyspark.sql.types import StructType

        names = self.names
        kept = [x for x in names if x not in drop]
        schema = StructType([x for x in self._numbered.schema.fields if names[int(x.name[1:])] not in drop])

        def masked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                masked_batch = mask(pa.Table.from_batches([batch]).rename_columns(list(names)), None)
                yield from masked_batch.rename_columns(schema.names).to_batches()

        return SparkEngine(self._numbered.mapInArrow(masked, schema).toDF(*kept))

    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Write the table as a folder of Parquet files."""
        self.native.write.partitionBy(*partition_by).parquet(str(path.absolute()))

    def reopen(self, path: Path, like: Engine) -> Engine:
        """Open what was saved."""
        saved = like.native.sparkSession.read.schema(like.native.schema).parquet(_escaped(path))
        return SparkEngine(saved.select(*(f"`{x.replace('`', '``')}`" for x in like.names)))

    def in_folder(self, partition_by: Sequence[str]) -> bool:
        """Tell whether what is saved is a folder: always."""
        return True


def _bare_type(kind: Any) -> Any:
    """Return a type without notes on its fields."""
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType

    if isinstance(kind, StructType):
        return StructType([StructField(x.name, _bare_type(x.dataType), x.nullable) for x in kind.fields])
    if isinstance(kind, ArrayType):
        return ArrayType(_bare_type(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        return MapType(_bare_type(kind.keyType), _bare_type(kind.valueType), kind.valueContainsNull)
    return kind


class ShuffledEngine(SparkEngine):
    """A table that is saved in order of a hash of a secret and the numbers of its rows; executors sort on disk."""

    def __init__(self, numbered: Any, order: RowOrder) -> None:
        from pyspark.sql import functions as f

        names = [x for x in numbered.columns if x != ROW]
        places = [f"c{i}" for i in range(len(names))]
        plain = numbered.toDF(*(ROW if x == ROW else places[names.index(x)] for x in numbered.columns))
        key = f.sha2(f.concat(f.lit(order.secret), f.col(f"`{ROW}`").cast("string")), 256)
        self._keyed = plain.select(*places, key.alias("sort_key"))
        super().__init__(plain.select(*places).toDF(*names))

    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Write the table as a folder of Parquet files, sorted by partition first, as Spark would."""
        in_order = self._keyed.orderBy(*map(self._place, partition_by), "sort_key").drop("sort_key")
        SparkEngine(in_order.toDF(*self.names)).save(path, partition_by)


def _escaped(path: Path) -> str:
    """Return the name of a file for a reader that expands patterns."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", str(path.absolute()))
