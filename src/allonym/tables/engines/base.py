"""What an engine does for a release: count equal rows, put others in their place, write, and read again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from allonym.errors import TableError, plural

COUNT = "allonym times"  # the column that says how many rows a line stands for
LOW, HIGH = "allonym low", "allonym high"  # which rows of a line take a replacement, where they part
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))  # what text is stripped of, everywhere alike
PLACE = "allonym place"  # the number of a row in its line, or in the table
Batch = Callable[[pa.Table, Any], pa.Table]  # masks rows, given their numbers (None: they have keys of their own)


@dataclass(frozen=True, eq=False)
class Replacements:
    """What becomes of rows: those that have `keys` in some columns have `masked` in some."""

    keys: pa.Table  # named as the columns of the table
    masked: pa.Table  # likewise, row by row beside `keys`
    low: pa.Array | None = None  # where rows that are alike part ways: from which of them on, up to which
    high: pa.Array | None = None

    @property
    def table(self) -> pa.Table:
        """All of it, under names that no table has."""
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
    """A table that an engine holds; what is made of it is one again, and nothing is computed before it is asked for."""

    name: ClassVar[str]
    hint: ClassVar[str] = "are all files whole, with the same columns, and is there room on the disk?"
    names: tuple[str, ...]
    native: Any

    @abstractmethod
    def __init__(self, native: Any) -> None:
        """Take a table of the engine."""

    @classmethod
    @abstractmethod
    def read(cls, files: Sequence[Path], base: Path, hive: Mapping[str, bool], master: str | None = None) -> Engine:
        """Open Parquet files, by their names and not by patterns.

        Folders below `base` may be named by columns: `hive` says which, and whether they hold whole numbers, else text.
        """

    def check(self) -> None:
        """Refuse names of columns that the engine, or allonym in it, would take for something else."""
        odd = [x for x in self.names if not isinstance(x, str) or x.lower().startswith("allonym ")]
        if odd:
            raise TableError(f"{plural(len(odd), 'column')} have names that cannot be used.", hint="rename them.")
        if len(set(self.names)) < len(self.names):
            raise TableError("The table has two columns of one name.", hint="rename one.")

    @abstractmethod
    def lines(self, columns: Sequence[str]) -> pa.Table:
        """Return the different rows of some columns, null being a value, with how often each comes as `COUNT`."""

    @abstractmethod
    def repeated(self, column: str, missing: Sequence[str]) -> int:
        """Return how many values of a column come more than once; those that say nothing, or are missing, do not count.

        Blanks around text do not count either; what is not a number says nothing.
        """

    @abstractmethod
    def empty(self, column: str, missing: Sequence[str]) -> int:
        """Return in how many rows a column is null, or says nothing."""

    @abstractmethod
    def replaced(self, known: Replacements) -> Engine:
        """Return the table with what becomes of its rows; a row that nothing is known of has nulls."""

    @abstractmethod
    def without(self, columns: Sequence[str]) -> Engine:
        """Return the table without some columns."""

    @abstractmethod
    def mapped(self, mask: Batch, drop: Sequence[str], discard_style: Sequence[str], *, numbered: bool) -> Engine:
        """Return the table masked some rows at a time; `numbered`, if rows go by their numbers in the table.

        Columns in `discard_style` lose the categories they had: they become text.
        """

    @abstractmethod
    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Write the table as Parquet: a file, or a folder where the engine writes several or columns part them."""

    @abstractmethod
    def again(self, path: Path, like: Engine) -> Engine:
        """Open what was saved of a table by the same engine, with the types that the table has."""

    @classmethod
    @abstractmethod
    def failures(cls) -> tuple[type[BaseException], ...]:
        """Return the errors of the engine itself."""

    @classmethod
    @contextmanager
    def at_work(cls) -> Iterator[None]:
        """Tell errors of the engine as such, without their texts, which may hold cells of the table."""
        try:
            yield
        except (*cls.failures(), pa.ArrowException) as error:
            raise TableError(
                f"{cls.name} could not read the table, or not write the release ({type(error).__name__}).",
                hint=cls.hint,
            ) from None

    def can_name(self, column: str) -> bool:
        """Tell whether folders can be named by a column, so that every reader finds it again."""
        return not set(column) & set("=/\\%")

    def in_folder(self, partition_by: Sequence[str]) -> bool:
        """Tell whether what is saved is a folder."""
        return bool(partition_by)
