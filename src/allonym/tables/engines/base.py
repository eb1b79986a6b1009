"""What an engine does for a release: count equal rows, replace them, write the table, and read it again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from allonym.arrays import Ints
from allonym.errors import TableError, plural
from allonym.tables.row_order import RowOrder

COUNT = "allonym times"  # the column with the number of equal rows
LOW, HIGH = "allonym low", "allonym high"  # which of several equal rows take a replacement
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))  # what every engine strips from text
PLACE = "allonym place"  # the number of a row among equal rows, or in the table
ROW = "allonym row"  # the number of a row of the table, from 0
Batch = Callable[[pa.Table, Any], pa.Table]  # masks rows, given their numbers (None: a column has their keys)


@dataclass(frozen=True, eq=False)
class Replacements:
    """What replaces rows: those with `keys` in some columns get `masked` in some."""

    keys: pa.Table  # named as the columns of the table
    masked: pa.Table  # likewise, row by row beside `keys`
    low: pa.Array | None = None  # where equal rows get several replacements: the first of them, and the one after the
    # last
    high: pa.Array | None = None

    @property
    def table(self) -> pa.Table:
        """Keys and masked columns in one table, under names that no data has."""
        columns = {key_name(i): x for i, x in enumerate(self.keys.columns)}
        columns |= {masked_name(i): x for i, x in enumerate(self.masked.columns)}
        return pa.table(columns | ({} if self.low is None else {LOW: self.low, HIGH: self.high}))


def key_name(place: int) -> str:
    """Return the name of a key in `Replacements.table`."""
    return f"allonym key {place}"


def masked_name(place: int) -> str:
    """Return the name of a masked column in `Replacements.table`."""
    return f"allonym masked {place}"


class Engine(ABC):
    """A table that an engine holds, and which it computes only when asked for rows or counts."""

    name: ClassVar[str]
    hint: ClassVar[str] = "are all files whole, with the same columns, and is there room on the disk?"
    numbers_rows: ClassVar[bool] = True  # whether rows have numbers, the same whenever the table is read
    names: tuple[str, ...]
    native: Any

    @property
    def session(self) -> Any:
        """The Spark session; None in other engines."""
        return None

    @abstractmethod
    def __init__(self, native: Any) -> None:
        """Take a table of the engine."""

    @classmethod
    @abstractmethod
    def read(cls, files: Sequence[Path], base: Path, hive: Mapping[str, bool], master: str | None = None) -> Engine:
        """Open Parquet files, by their names and not by patterns.

        Folders below `base` may be named by columns: `hive` has their names, and whether they hold whole numbers, else
        text.
        """

    def check(self) -> None:
        """Refuse column names that the engine, or allonym in it, uses for something else."""
        odd = [x for x in self.names if not isinstance(x, str) or x.lower().startswith("allonym ")]
        if odd:
            raise TableError(f"{plural(len(odd), 'column')} have names that cannot be used.", hint="rename them.")
        if len(set(self.names)) < len(self.names):
            raise TableError("The table has two columns of one name.", hint="rename one.")

    @abstractmethod
    def count_rows(self, columns: Sequence[str]) -> pa.Table:
        """Return the distinct rows of some columns, null being a value, with their numbers as column `COUNT`."""

    @abstractmethod
    def repeated_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of values of a column that occur more than once, missing values aside.

        Blanks around text are ignored; NaN is a missing value.
        """

    @abstractmethod
    def empty_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of rows whose cell in a column is null, empty or a missing-value marker."""

    @abstractmethod
    def distinct_values(self, column: str, missing: Sequence[str]) -> int:
        """Return the number of distinct values of a column, missing values aside."""

    @abstractmethod
    def sample_rows(self, columns: Sequence[str], most: int, rows: int) -> pa.Table:
        """Return some columns of about `most` rows from all over the table, which has so many `rows`."""

    @abstractmethod
    def replaced(self, replacements: Replacements) -> Engine:
        """Return the table with its rows replaced; a row without a replacement has nulls."""

    @abstractmethod
    def without(self, columns: Sequence[str]) -> Engine:
        """Return the table without some columns."""

    @abstractmethod
    def bare(self, original: Engine, masked: Collection[str]) -> Engine:
        """Return the masked table without metadata of the original, such as categories that do not occur."""

    @abstractmethod
    def numbered(self) -> Engine:
        """Return the table with the numbers of its rows as column `ROW`."""

    @abstractmethod
    def shuffled(self, order: RowOrder, rows: int) -> Engine:
        """Return a numbered table of so many rows without its numbers, and with its rows in a secret order."""

    @abstractmethod
    def input_rows(self, order: RowOrder, rows: int) -> Ints:
        """Return for each row of a shuffled table of so many rows its number in the table."""

    @abstractmethod
    def map_batches(self, mask: Batch, drop: Sequence[str], discard_style: Sequence[str], *, numbered: bool) -> Engine:
        """Return the table masked batch by batch; `numbered`: `mask` takes the numbers of the rows.

        Categorical columns in `discard_style` become text.
        """

    @abstractmethod
    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Write the table as Parquet: a file, or a folder of files where `in_folder` says so."""

    @abstractmethod
    def reopen(self, path: Path, like: Engine) -> Engine:
        """Open what was saved, with the types of the table that was saved."""

    @classmethod
    @abstractmethod
    def failures(cls) -> tuple[type[BaseException], ...]:
        """Return the errors of the engine itself."""

    @classmethod
    @contextmanager
    def at_work(cls) -> Iterator[None]:
        """Report errors of the engine without their texts, which may hold cells of the table."""
        try:
            yield
        except (*cls.failures(), pa.ArrowException) as error:
            raise TableError(
                f"{cls.name} could not read the table, or not write the release ({type(error).__name__}).",
                hint=cls.hint,
            ) from None

    def can_name(self, column: str) -> bool:
        """Tell whether folders can be named by a column so that every reader understands them."""
        return not set(column) & set("=/\\%")

    def in_folder(self, partition_by: Sequence[str]) -> bool:
        """Tell whether what is saved is a folder."""
        return bool(partition_by)
