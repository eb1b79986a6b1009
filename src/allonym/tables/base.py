"""The Table protocol: what the pipeline asks of a file, a frame or a table in an engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from allonym.arrays import Ints
from allonym.cells import Cells
from allonym.errors import OutputError, Problem
from allonym.parameters import parameter

if TYPE_CHECKING:
    from allonym.tables.engines.base import Batch
    from allonym.tables.memory import MemoryTable
    from allonym.tables.row_order import RowOrder

NO_SHEET = "no-sheet"  # the code of the problem that a workbook lacks a sheet
DEFAULT_MAX_SIZE = 4096  # megabytes that a compressed file may unpack to
STANDARD_STREAM = "-"  # standard input or output in place of a file


@dataclass(frozen=True)
class Reading:
    """How a file is read; the encoding and the delimiter are detected unless given."""

    encoding: str | None = parameter(None, "Encoding of a text file; by default detected.")
    delimiter: str | None = parameter(None, "Delimiter of a text file; by default detected.")
    header: bool = parameter(True, "The first line of a text file has the names of the columns.")
    sheet: str | None = parameter(None, "Sheet of a workbook; by default the first.")
    max_size: int = parameter(
        DEFAULT_MAX_SIZE, "Largest size in MB of a file, once unpacked; a larger one is refused.", minimum=1
    )

    @property
    def of_release(self) -> Reading:
        """How a release is read: its one sheet does not have the name of the original sheet."""
        return replace(self, sheet=None)


class Opener(Protocol):
    """Opens the content of a file."""

    def __call__(self, content: bytes, name: str, reading: Reading, *, item_separators: Collection[str]) -> MemoryTable:
        """Return the table; `item_separators` separate the items of sets, and are unlikely delimiters."""


@dataclass(frozen=True)
class Format:
    """A file format: how to recognise and open it, and what its files are called."""

    name: str
    endings: tuple[str, ...]  # the usual one first
    recognises: Callable[[bytes], bool]  # from the content, unpacked
    open: Opener
    gzip: bool = False  # whether files may be gzipped

    @property
    def suffix(self) -> str:
        """The usual file name ending."""
        return self.endings[0]

    def check_name(self, output: str | Path, known_endings: Sequence[str]) -> None:
        """Refuse an output path whose ending belongs to another format; `known_endings` are those of all formats."""
        if str(output) == STANDARD_STREAM:
            return
        name = str(output).lower()
        ending = Path(name.removesuffix(".gz")).suffix
        other = ending in known_endings or not self.takes_any_ending
        if (ending not in self.endings and other) or (name.endswith(".gz") and not self.gzip):
            raise OutputError(
                f"{output} would not be of the same format as the data ({self.suffix}).",
                hint=f"end its name in {self.suffix}.",
            )

    @property
    def takes_any_ending(self) -> bool:
        """Whether the format also uses endings that no format claims: delimited text does (.txt, .data, none)."""
        return "" in self.endings


@dataclass(frozen=True, eq=False)
class Reread:
    """Columns of a release as a second reader gives them, to be recounted."""

    frame: Any
    names: Sequence[str]  # of all columns of the release, in order
    columns: Sequence[str]  # those to recount together
    row_counts: Ints | None = None  # how many rows each row of the frame stands for
    persons: Ints | None = None  # the person of each row, where an engine counted the rows
    households: Ints | None = None  # the same of households
    rows: Ints | None = None  # the row of the table that each row is, where they are in another order


class Draft(Protocol):
    """A masked table before it is verified."""

    @property
    def frame(self) -> Any:
        """The masked frame, of the type that was given."""

    @property
    def in_folder(self) -> bool:
        """Whether it is saved as a folder of files."""

    @property
    def input_rows(self) -> Ints:
        """For each row of what is saved, the row of the table that it is, from 0."""

    def save(self, path: Path) -> None:
        """Write it to a path."""

    def reread(self, path: Path | None, columns: Sequence[str]) -> Iterator[Reread]:
        """Read columns again, by other means than they were written: of what was saved, else of the frame."""


class DraftByRow(Protocol):
    """Drafts a release whose rows are masked batch by batch."""

    def __call__(
        self, mask: Batch, columns: Sequence[str], drop: Sequence[str], *, numbered: bool, order: RowOrder | None
    ) -> Draft:
        """Return the draft.

        Args:
            mask: masks a batch of rows.
            columns: the columns that it masks.
            drop: the columns that it drops.
            numbered: whether it needs the numbers of the rows.
            order: the order in which rows are saved; None: that of the table.
        """


class Table(Protocol):
    """A table as the pipeline sees it: distinct cells with a code for every row, and what becomes of them."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def n(self) -> int:
        """The number of rows."""

    @property
    def sha256(self) -> str | None:
        """The hash of the files as they were read; None for a frame."""

    @property
    def suffix(self) -> str:
        """The usual file name ending of the format."""

    @property
    def engine_name(self) -> str | None:
        """The engine that holds the table; None: it is in memory."""

    @property
    def spark_session(self) -> Any:
        """The session whose executors can group blocks of tuples; None: there is none."""

    @property
    def counts_rows(self) -> bool:
        """Whether an engine holds the rows: only columns that it counted together can be read row by row."""

    @property
    def numbers_rows(self) -> bool:
        """Whether the rows of the table and of its release have numbers, so that a row map can be written."""

    @property
    def row_counts(self) -> Ints | None:
        """How many rows each row of the cells stands for; None where each is one row."""

    @property
    def row_labels(self) -> Ints | None:
        """The labels of the rows of a pandas frame, which its release keeps; None where rows have none."""

    @property
    def drops_unit(self) -> bool:
        """Whether a release drops the unit column; a long table numbers the units instead."""

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the cells of some columns."""

    def counted_together(self, name: str) -> bool:
        """Tell whether the rows of a column match those of the other columns."""

    def check_kept(self, names: Sequence[str]) -> None:
        """Refuse columns that cannot be kept as they are."""

    def empty_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of rows whose cell in a column is empty or a missing-value marker."""

    def repeated_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of values of a column that occur more than once, missing values aside."""

    def sample(
        self, names: Sequence[str], most: int, known: Mapping[str, Cells] = MappingProxyType({})
    ) -> dict[str, Cells]:
        """Return the cells of some columns side by side, in at most about so many rows from all over the table.

        `known` are cells of the table that were read already, and need not be read again.
        """

    def distinct_values(self, name: str, missing: Sequence[str]) -> int:
        """Return the number of distinct values of a column, missing values aside."""

    def problems(self, masked: Mapping[str, Cells], dropped: Sequence[str]) -> Iterator[Problem]:
        """Yield what keeps the table from being masked in some columns and written without others."""

    def check_output(self, output: str | Path | None) -> None:
        """Refuse, before any work, an output path that the release cannot be written to."""

    def draft(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        output: str | Path | None,
        *,
        discard_style: bool,
        order: RowOrder | None,
    ) -> Draft:
        """Return the table with other cells in some columns, without others, and with its rows in an order."""

    @property
    def draft_by_row(self) -> DraftByRow | None:
        """Drafts a release whose rows the engine masks batch by batch; None where they are masked in memory."""

    def at_work(self) -> AbstractContextManager[None]:
        """Return a context in which errors of the engine are reported without their texts."""
