"""A table that an engine holds, read by its distinct rows in some columns and their counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from allonym.arrays import Ints, distinct
from allonym.cells import Cells, merged
from allonym.errors import OptionError, OutputError, Problem, TableError, first_few
from allonym.tables.base import STANDARD_STREAM
from allonym.tables.engines import files_of
from allonym.tables.engines.base import COUNT, Batch, Engine, Replacements
from allonym.tables.engines.counted_rows import row_counts_of, sorted_rows
from allonym.tables.engines.drafts import GroupedDraft, RowwiseDraft
from allonym.tables.files import hash_files
from allonym.tables.frame import arrow_cells, arrow_coded, arrow_like, arrow_of
from allonym.tables.row_order import RowOrder


class GroupedTable:
    """A table in an engine. A row of its cells stands for all rows that are equal in the columns counted together.

    Args:
        engine: holds the table.
        together: the columns whose rows are counted together; any other column is counted by itself.
        each: repeat each distinct row as often as it occurs, for methods that split equal rows.
        unit: the column that identifies the person of each row.
        household: the column that identifies the household of each row.
        source: the files that the engine read; None: a frame.
        partition_by: columns whose values name folders of the release.
    """

    suffix = ".parquet"
    counts_rows = True
    drops_unit = True
    row_labels = None

    def __init__(
        self,
        engine: Engine,
        together: Sequence[str] = (),
        *,
        each: bool = False,
        unit: str | None = None,
        household: str | None = None,
        source: str | Path | None = None,
        partition_by: Sequence[str] = (),
    ) -> None:
        self.engine, self.names, self.together = engine, engine.names, tuple(together)
        self.unit, self.household, self.source, self.partition_by = unit, household, source, partition_by
        odd = [x for x in self.names if not isinstance(x, str)]
        if odd or len(set(self.names)) < len(self.names):
            raise TableError("The table has two columns of one name.", hint="rename one.")
        rows = sorted_rows(engine.count_rows(together)) if each else engine.count_rows(together)
        self._distinct = rows.drop_columns([COUNT])
        self._counts = row_counts_of(rows)
        self.n = int(self._counts.sum())
        # the distinct row of every row, where each is repeated
        self.distinct_row = np.repeat(np.arange(len(self._counts)), self._counts) if each else None

    @cached_property
    def sha256(self) -> str | None:
        """The hash of the files that the engine reads; None for a frame."""
        if self.source is None:
            return None
        whole = Path(self.source)
        files = files_of(self.source)
        if whole.is_file():
            return hash_files([(files[0], ".")])
        return hash_files([(x, str(x.relative_to(whole)) if whole.is_dir() else x.name) for x in files])

    @property
    def engine_name(self) -> str:
        """The engine that holds the table."""
        return self.engine.name

    @property
    def spark_session(self) -> Any:
        """The session whose executors can group blocks of tuples; None in other engines."""
        return self.engine.session

    @property
    def numbers_rows(self) -> bool:
        """Whether the rows of the table and of its release have numbers: those in folders have none."""
        return self.engine.numbers_rows and not self.engine.in_folder(self.partition_by)

    @property
    def row_counts(self) -> Ints | None:
        """How many rows each row of the cells stands for; None where each is one row."""
        return self._counts if self.distinct_row is None else None

    def counted_together(self, name: str) -> bool:
        """Tell whether the rows of a column match those of the other columns."""
        return name in self.together

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns; a column that was not counted together with others, by itself."""
        cells_of = {}
        for name in names:
            if name not in self.together:
                cells_of[name] = GroupedTable(self.engine, [name]).cells([name])[name]
                continue
            cells = arrow_cells(self._distinct.column(name), name)
            codes = cells.codes if self.distinct_row is None else cells.codes[self.distinct_row]
            cells_of[name] = Cells(cells.values, codes, self.row_counts)
        return cells_of

    def check_kept(self, names: Sequence[str]) -> None:
        """Accept any column as it is."""

    def empty_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of rows whose cell in a column is empty or a missing-value marker."""
        return self.engine.empty_values(name, missing)

    def repeated_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of values of a column that occur more than once, missing values aside."""
        return self.engine.repeated_values(name, missing)

    def sample(
        self, names: Sequence[str], most: int, known: Mapping[str, Cells] = MappingProxyType({})
    ) -> dict[str, Cells]:
        """Return the cells of some columns side by side, in about so many rows from all over the table."""
        rows = self.engine.sample_rows(names, most, self.n)
        return {name: arrow_cells(rows.column(name), name) for name in names}

    def distinct_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of distinct values of a column, missing values aside."""
        return self.engine.distinct_values(name, missing)

    def at_work(self) -> AbstractContextManager[None]:
        """Return a context in which errors of the engine are reported without their texts."""
        return self.engine.at_work()

    # --- what cannot be masked or written ----------------------------------------------------------------------

    def problems(self, masked: Mapping[str, Cells], dropped: Sequence[str]) -> Iterator[Problem]:
        """Yield what keeps the engine from masking the table, and from partitioning the release."""
        lists = [x for x, cells in masked.items() if any(isinstance(v, tuple) for v in cells.values)]
        if lists:
            text = f"{first_few(lists)}: columns of lists are masked in memory."
            yield Problem("lists-in-engine", text, "collect the table, or say --engine memory.")
        absent = [x for x in self.partition_by if x not in self.names or x in dropped]
        if absent:
            text = f"partition_by: {first_few(absent)} will not be in the release."
            yield Problem("partition-column-dropped", text, "name columns that stay.")
        unfit = [x for x in self.partition_by if x not in absent and not self.engine.can_name(x)]
        if unfit:
            text = f"partition_by: {self.engine.name} cannot name folders by {first_few(unfit)}."
            yield Problem("partition-column-name", text, "rename, or leave out.")
        if len(set(self.partition_by)) < len(self.partition_by):
            yield Problem("partition-column-twice", "partition_by: a column is named twice.", "name it once.")
        elif len(self.names) - len(dropped) == len(self.partition_by):
            text = "partition_by: no column would be left for the files themselves."
            yield Problem("partition-by-every-column", text, "name fewer.")

    def check_output(self, output: str | Path | None) -> None:
        """Refuse, before any work, an output path that the release cannot be written to."""
        if self.source is None or output is None:
            self._check_frame(output)
            return
        if str(output) == STANDARD_STREAM:
            raise OutputError("An engine writes Parquet, not to standard output.", hint="give the name of a file.")
        target, in_folder = Path(output), self.engine.in_folder(self.partition_by)
        if not in_folder and target.suffix.lower() != ".parquet":
            raise OutputError(f"{output} would be Parquet by another name.", hint="end its name in .parquet.")
        read = [x.resolve() for x in files_of(self.source)]
        if target.resolve() in read or Path(self.source).resolve() in (target.resolve(), *target.resolve().parents):
            raise OutputError(f"{output} is the data itself, or inside of it.", hint="write to a place of its own.")
        if self.partition_by and any("=" in part for part in target.absolute().parent.parts):
            raise OutputError(
                f"{output} is in a folder that is named like a column.", hint="write to a place without = in its name."
            )
        if in_folder and target.exists():
            raise OutputError(f"{output} exists already.", hint="give the name of a new folder.")

    def _check_frame(self, output: str | Path | None) -> None:
        """Refuse to write a frame, and to return files."""
        if self.source is not None:
            raise OutputError("An output path is required.", hint="give an output file, or - for standard output.")
        if output is not None:
            raise OutputError("A masked frame is returned, not written.", hint="write release.frame yourself.")
        if self.partition_by:
            raise OptionError("partition_by is about what is written.", hint="write release.frame yourself.")

    # --- the release -------------------------------------------------------------------------------------------

    def draft(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        output: str | Path | None,
        *,
        discard_style: bool,
        order: RowOrder | None,
    ) -> GroupedDraft:
        """Return the table with other cells in some columns, and without others; nothing is computed yet."""
        engine = self.engine if order is None else self.engine.numbered()
        masked = engine.replaced(self.replacements(columns))
        released = masked.without(drop).bare(self.engine, columns)
        released = released if order is None else released.shuffled(order, self.n)
        return GroupedDraft(released, self, order, masked, columns)

    def draft_by_row(
        self, mask: Batch, columns: Sequence[str], drop: Sequence[str], *, numbered: bool, order: RowOrder | None
    ) -> RowwiseDraft:
        """Return the table with its rows masked batch by batch; nothing is computed yet."""
        masked = self.engine.map_batches(mask, drop, columns, numbered=numbered)
        bare = masked.bare(self.engine, columns)
        released = bare if order is None else bare.numbered().shuffled(order, self.n)
        return RowwiseDraft(released, self, order, columns)

    def expected(self, columns: Mapping[str, Cells]) -> pa.Table:
        """Return the distinct rows that the release must have in some columns, with their counts."""
        group, counts, first = distinct([merged(x.values, x.codes).codes for x in columns.values()])
        if self.row_counts is not None:
            counts = np.bincount(group, weights=self.row_counts).astype(np.int64)
        return pa.table([*self._columns(columns, first), arrow_of(counts)], [*columns, COUNT])

    def replacements(self, columns: Mapping[str, Cells]) -> Replacements:
        """Return what replaces the rows: keyed by the masked columns, if they decide; else by all counted columns."""
        codes = [arrow_coded(self._distinct.column(x), x)[1] for x in columns]
        same_key, _, first = distinct(codes)
        new_row = distinct([x.codes for x in columns.values()])[0]
        old_row = np.arange(len(same_key)) if self.distinct_row is None else self.distinct_row
        changes = distinct([same_key[old_row], new_row])[2]
        if len(changes) == len(first):
            return self._replacements(columns, changes, list(columns))
        starts = np.flatnonzero((np.diff(old_row, prepend=-1) != 0) | (np.diff(new_row, prepend=-1) != 0))
        if len(starts) == len(self._counts):
            return self._replacements(columns, starts, self.together)
        ends = np.append(starts[1:], len(old_row))
        begins = (np.cumsum(self._counts) - self._counts)[old_row[starts]]
        return self._replacements(columns, starts, self.together, starts - begins, ends - begins)

    def _replacements(
        self, columns: Mapping[str, Cells], rows: Ints, keys: Sequence[str], *bounds: Ints
    ) -> Replacements:
        old_rows = rows if self.distinct_row is None else self.distinct_row[rows]
        own = self._distinct.select(list(keys)).take(arrow_of(old_rows))
        masked = pa.table(dict(zip(columns, self._columns(columns, rows), strict=True)))
        return Replacements(own, masked, *map(arrow_of, bounds))

    def _columns(self, columns: Mapping[str, Cells], rows: Ints) -> list[pa.ChunkedArray]:
        """Return the new cells of some rows, with the types of the table."""
        typed: list[Any] = []
        for name, cells in columns.items():
            old = self._distinct.column(name)
            used = merged(cells.values, cells.codes[rows])
            try:
                typed.append(arrow_like(old, used.values, used.codes))
            except (ValueError, TypeError, ArithmeticError) as error:
                raise TableError(
                    f"Column {name} holds {old.type}; its replacements cannot be written as such.",
                    hint="convert the column to text first.",
                ) from error
        return typed
