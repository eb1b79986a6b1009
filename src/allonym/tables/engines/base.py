"""What an engine does for a release: count equal rows, put others in their place, write, and read again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from allonym.errors import TableError

TIMES = "allonym times"  # the column that says how many rows a line stands for
LOW, HIGH = "allonym low", "allonym high"  # which rows of a line take a replacement, where they part
PLACE = "allonym place"  # the number of a row in its line, or in the table
Batch = Callable[[pa.Table, Any], pa.Table]  # masks rows, given their numbers (None: they have keys of their own)


@dataclass(frozen=True, eq=False)
class Known:
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
    """Return the name of a key in `Known.table`."""
    return f"allonym key {place}"


def masked_name(place: int) -> str:
    """Return the name of a masked column in `Known.table`."""
    return f"allonym masked {place}"


class Engine(ABC):
    """A table that an engine holds; what is made of it is one again, and nothing is computed before it is asked for."""

    name: ClassVar[str]
    names: tuple[str, ...]
    native: Any

    @abstractmethod
    def lines(self, columns: Sequence[str]) -> pa.Table:
        """Return the different rows of some columns, null being a value, with how often each comes as `TIMES`."""

    @abstractmethod
    def repeated(self, column: str) -> int:
        """Return how many values of a column, null not counted, come more than once."""

    @abstractmethod
    def empty(self, column: str) -> int:
        """Return in how many rows a column is null."""

    @abstractmethod
    def replaced(self, known: Known) -> Engine:
        """Return the table with what becomes of its rows; a row that nothing is known of has nulls."""

    @abstractmethod
    def without(self, columns: Sequence[str]) -> Engine:
        """Return the table without some columns."""

    @abstractmethod
    def mapped(self, mask: Batch, drop: Sequence[str], *, numbered: bool) -> Engine:
        """Return the table masked some rows at a time; `numbered`, if rows go by their numbers in the table."""

    @abstractmethod
    def save(self, path: Path, partition_by: Sequence[str]) -> None:
        """Write the table as Parquet: a file, or a folder where the engine writes several or columns part them."""

    @abstractmethod
    def again(self, path: Path, like: Engine) -> Engine:
        """Open what was saved of a table by the same engine, with the types that the table has."""

    @abstractmethod
    def failures(self) -> tuple[type[Exception], ...]:
        """Return the errors of the engine itself."""

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Tell errors of the engine as such, without their texts, which may hold cells of the table."""
        try:
            yield
        except self.failures() as error:
            raise TableError(
                f"{self.name} could not read the table, or not write the release ({type(error).__name__}).",
                hint="are all files whole, with the same columns, and is there room on the disk?",
            ) from error

    def in_folder(self, partition_by: Sequence[str]) -> bool:
        """Tell whether what is saved is a folder."""
        return bool(partition_by)
