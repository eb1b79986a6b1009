"""Row maps: which row of a shuffled release is which row of the table. They are for the data steward alone."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from allonym.errors import OutputError, TableError
from allonym.release.write import private_file

COLUMNS = ("release_row", "input_row")  # both numbered from 1, without the header
BUFFERED_ROWS = 100_000


@contextmanager
def row_map_file(path: str | Path | None, input_rows: NDArray[np.int64] | None) -> Iterator[None]:
    """Write a row map that gets its name once the block succeeds; without a path, do nothing.

    Args:
        path: the file, which only its owner may read.
        input_rows: for each row of the release, the row of the table that it is, from 0.
    """
    if path is None or input_rows is None:
        yield
        return
    with private_file(Path(path)) as part:
        try:
            with part.open("w", encoding="ascii", newline="") as file:
                file.write(",".join(COLUMNS) + "\n")
                for low in range(0, len(input_rows), BUFFERED_ROWS):
                    rows = input_rows[low : low + BUFFERED_ROWS].tolist()
                    file.writelines(f"{number},{row + 1}\n" for number, row in enumerate(rows, low + 1))
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
        yield


def read_row_map(path: str | Path, original: int, released: int, what: str) -> NDArray[np.int64]:
    """Return for every row of the original its row in a release, from 0; -1, if it has none.

    Args:
        path: the row map that `mask` wrote.
        original: the number of rows of the original.
        released: the number of rows of the release.
        what: the release, for messages.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file)
            header = tuple(next(lines, ()))
            pairs = np.array([[int(x) for x in line] for line in lines if line], np.int64).reshape(-1, len(COLUMNS))
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}.", hint="is the name right?") from error
    except (ValueError, OverflowError, csv.Error) as error:
        raise _no_row_map(path) from error
    if header != COLUMNS:
        raise _no_row_map(path)
    release_rows, input_rows = pairs[:, 0] - 1, pairs[:, 1] - 1
    if not np.array_equal(np.sort(release_rows), np.arange(released)):
        raise TableError(f"The row map {path} does not belong to {what}, which has {released:,} rows.")
    if len(np.unique(input_rows)) < len(input_rows) or not np.all((input_rows >= 0) & (input_rows < original)):
        raise TableError(f"The row map {path} does not belong to the original, which has {original:,} rows.")
    rows = np.full(original, -1, np.int64)
    rows[input_rows] = release_rows
    return rows


def _no_row_map(path: str | Path) -> TableError:
    return TableError(f"{path} is no row map.", hint="give the file that `mask --row-map` wrote.")
