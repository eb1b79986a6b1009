"""Tables of polars in a secret order. Polars sorts in memory, so that a large table is sorted bucket by bucket."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from allonym.tables.engines.base import ROW
from allonym.tables.engines.polars import PolarsEngine
from allonym.tables.row_order import RowOrder

MAX_SORTED_CELLS = 1 << 24  # cells that are sorted in memory
BUCKET_CELLS = 1 << 22  # cells of a bucket of a larger table
SORT_KEY, BUCKET = "allonym sort key", "allonym bucket"


class ShuffledEngine(PolarsEngine):
    """A table sorted by secret numbers, which are drawn for its rows batch by batch."""

    def __init__(self, numbered: Any, order: RowOrder, rows: int) -> None:
        import polars as pl

        def drawn(numbers: Any) -> Any:
            return pl.Series(order.sort_keys(numbers.to_numpy().astype(np.uint64)), dtype=pl.UInt64)

        key = pl.col(ROW).map_batches(drawn, return_dtype=pl.UInt64, is_elementwise=True)
        self._keyed, self._rows = numbered.with_columns(key.alias(SORT_KEY)), rows
        super().__init__(_in_order(self._keyed))

    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Write the table to Parquet; a large one by way of sorted buckets beside it."""
        cells = self._rows * len(self.names)
        if cells <= MAX_SORTED_CELLS:
            super().save(path, partition_by)
            return
        folder = path.with_name("buckets")
        try:
            buckets = self._save_buckets(folder, min(1 + cells // BUCKET_CELLS, self._rows))
            PolarsEngine._scanned(buckets, {}).save(path, partition_by)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _save_buckets(self, folder: Path, number: int) -> list[Path]:
        """Write the rows whose sort keys lie in each of some ranges, in order; return the files, in order."""
        import polars as pl

        width = 2**64 // number + 1
        bucket_of = (pl.col(SORT_KEY) // pl.lit(width, pl.UInt64)).cast(pl.UInt32).alias(BUCKET)
        unsorted = folder / "unsorted"
        self._keyed.with_columns(bucket_of).sink_parquet(
            pl.PartitionBy(unsorted, key=BUCKET, include_key=False), mkdir=True, engine="streaming"
        )
        sorted_files = []
        for bucket in range(number):
            parts = sorted((unsorted / f"{BUCKET}={bucket}").glob("*.parquet"))
            if not parts:
                continue
            file = folder / f"{bucket:06}.parquet"
            _in_order(pl.scan_parquet(parts, glob=False, hive_partitioning=False)).collect().write_parquet(file)
            shutil.rmtree(parts[0].parent)
            sorted_files.append(file)
        return sorted_files


def _in_order(keyed: Any) -> Any:
    """Return rows sorted by their keys, without these; rows with equal keys by number."""
    return keyed.sort(SORT_KEY, ROW).drop(SORT_KEY, ROW)
