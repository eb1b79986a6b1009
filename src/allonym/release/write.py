"""The verified release: written beside its place, read again by another reader, recounted as text, then renamed.

Nothing here knows how the table was masked: it imports neither methods nor records, and counts words.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from allonym.errors import OutputError, ReleaseError

TRIES, PAUSE = 300, 0.1  # to remove what was not finished; seconds in between


@dataclass(frozen=True, eq=False)
class Rows:
    """What the rows that are counted are: who each is about, and how many rows it stands for."""

    persons: NDArray[np.int64] | None = None
    row_counts: NDArray[np.int64] | None = None

    def count(self, some: NDArray[np.bool_]) -> int:
        """Return how many some of them are."""
        return int(some.sum() if self.row_counts is None else self.row_counts[some].sum())


@dataclass(frozen=True)
class Guarantee:
    """What is promised of a sensitive column: how it is counted on groups of rows, and when that is enough."""

    column: str
    model: str
    asked: float
    count: Callable[[NDArray[np.int64], Sequence[Any], NDArray[np.int64], Rows], float | None]  # groups, cells, places
    holds: Callable[[float], bool]


@dataclass(frozen=True)
class Verified:
    """What the groups of a release reach, of all columns together or of each: k, and what is promised beside it."""

    k: Sequence[int]
    guarantees: Sequence[Sequence[float]] = ()


@dataclass(frozen=True)
class Promise:
    """What a release promises, told in columns and rows: k-anonymity over quasi-identifiers, by rows or by persons."""

    columns: Sequence[str]  # the quasi-identifiers
    k: int
    rows: int
    names: Sequence[str]  # all columns, in order
    persons: NDArray[np.int64] | None = None  # for every row, who it is about
    per_column: bool = False  # whether k is promised for each quasi-identifier alone
    suppressed: int = 0  # rows whose quasi-identifiers say nothing, and which are in no group
    missing: Sequence[str] = ()  # what cells say that say nothing, besides being empty
    allowed: Mapping[str, Collection[str | None]] = field(
        default_factory=dict
    )  # columns in which nothing else may stand
    guarantees: Sequence[Guarantee] = ()  # beside k

    @property
    def counted_columns(self) -> list[str]:
        """The columns that are counted."""
        return list(dict.fromkeys([*self.columns, *(x.column for x in self.guarantees)]))


def write(
    target: str | Path,
    save: Callable[[Path], None],
    read: Callable[[bytes], tuple[Any, list[str]]],
    promise: Promise,
    *,
    source: str | Path = "-",
) -> tuple[Verified, str]:
    """Write a release and return what it reaches and its hash; where a promise does not hold, nothing is left behind.

    `save` writes it to a path, `read` understands the bytes by other means, as a frame and the names of
    all its columns; `-` is standard output.
    """
    to_stdout = str(target) == "-"
    target = Path(target).resolve() if Path(target).is_symlink() else Path(target)
    if not to_stdout and str(source) != "-" and _same(target, Path(source)):
        raise OutputError(f"{target} is the data itself.", hint="write the release to a file of its own.")
    in_place = not to_stdout and target.exists() and not target.is_file()  # a pipe, a device
    folder = Path(tempfile.gettempdir()) if to_stdout or in_place else target.parent
    try:
        part = _part(folder)
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror}.", hint="does its folder exist?") from error
    try:
        save(part)
        content = part.read_bytes()
        with ThreadPoolExecutor(1) as meanwhile:
            told = meanwhile.submit(lambda: hashlib.sha256(content).hexdigest())
            reached = recount(*read(content), promise)
        if to_stdout:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        elif in_place:
            target.write_bytes(content)
        else:
            part.chmod(_usual_mode(target))
            _settle(part)
            part.replace(target)
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
    return reached, told.result()


def write_large(
    target: str | Path, save: Callable[[Path], None], check: Callable[[Path], Verified], *, in_folder: bool
) -> tuple[Verified, str]:
    """Write a release that may be larger than memory; return what it reaches and its hash.

    `save` writes it, a file or a folder of files, beside its place; `check` reads it again and recounts it. Only then
    it gets its name; where a promise does not hold, nothing is left behind.
    """
    target = Path(target).resolve() if Path(target).is_symlink() else Path(target)
    if in_folder and target.exists():
        raise OutputError(f"{target} is there already.", hint="give the name of a folder that is not.")
    try:
        part = Path(tempfile.mkdtemp(prefix=".allonym-", suffix=".part", dir=target.parent))
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror}.", hint="does its folder exist?") from error
    try:
        written = part / "release.parquet"
        save(written)
        reached = check(written)
        files = sorted(x for x in written.rglob("*") if x.is_file()) if in_folder else [written]
        told = hash_of([(x, str(x.relative_to(written))) for x in files])
        for file in files:
            file.chmod(_usual_mode(target if not in_folder else file.parent / "new"))
            _settle(file)
        written.replace(target)
    except OSError as error:
        raise OutputError(f"{target} cannot be written: {error.strerror or type(error).__name__}.") from error
    finally:
        try:
            _remove(part)
        finally:  # an engine may see Ctrl-C before Python does, which then interrupts even this
            _remove(part)
    return reached, told


def _remove(folder: Path) -> None:
    """Remove a folder; again, while threads of an engine that was stopped still write into it."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(PAUSE)


def hash_of(files: Sequence[tuple[Path, str]]) -> str:
    """Return the hash of a file; of several, with their names, that of the list that sha256sum prints of them."""
    each = []
    for path, name in files:
        with path.open("rb") as file:
            each.append((hashlib.file_digest(file, "sha256").hexdigest(), name))
    if len(each) == 1 and each[0][1] == ".":
        return each[0][0]
    return hashlib.sha256("".join(f"{told}  {name}\n" for told, name in each).encode()).hexdigest()


def check_outputs(outputs: Sequence[str | Path | None], inputs: Sequence[str | Path | None]) -> None:
    """Refuse, before any work, outputs that are inputs or each other, or whose folder is not there."""
    written: list[Path] = []
    for output in (Path(x) for x in outputs if x is not None and str(x) != "-"):
        for other in (Path(x) for x in inputs if x is not None and str(x) != "-"):
            if _same(output, other):
                raise OutputError(f"{output} is the data itself.", hint="write to a file of its own.")
        if any(output.absolute() == other.absolute() or _same(output, other) for other in written):
            raise OutputError(f"{output} would be written twice.", hint="write to files of their own.")
        if not output.parent.is_dir():
            raise OutputError(f"{output} cannot be written: its folder does not exist.", hint="make the folder first.")
        if output.is_dir():
            raise OutputError(f"{output} is a folder, and there already.", hint="give a name that is not taken.")
        if not os.access(output.parent if not output.exists() else output, os.W_OK):
            raise OutputError(f"{output} cannot be written: it may not be.", hint="choose another place.")
        written.append(output)


def save_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write a text file whole or not at all; only its owner may read a private one."""
    part: Path | None = None
    try:
        if path.exists() and not path.is_file():  # a pipe, a device
            path.write_text(text, "utf-8", newline="")
            return
        part = _part(path.parent)
        part.write_text(text, "utf-8", newline="")
        part.chmod(0o600 if private else _usual_mode(path))
        part.replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.", hint="does its folder exist?") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _part(folder: Path) -> Path:
    """Make a file beside what is to be written, for its owner only."""
    handle, name = tempfile.mkstemp(prefix=".allonym-", suffix=".part", dir=folder)
    os.close(handle)
    return Path(name)


def _settle(part: Path) -> None:
    """See that a file is on the disk before it gets its name."""
    with part.open("rb") as file:
        os.fsync(file.fileno())


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _usual_mode(target: Path) -> int:
    """Return the permissions a new file has, or those of the file that is replaced."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def recount(
    frame: Any, names: Sequence[str], promise: Promise, row_counts: NDArray[np.int64] | None = None
) -> Verified:
    """Count the groups of a written table and return what they reach; a promise that does not hold is an error.

    Where equal rows were counted before, `row_counts` says how many rows each row of the frame stands for. Suppressed
    records are in no group that k is about. What they have in sensitive columns is there to be seen: of that they are a
    group like any other.
    """
    if tuple(names) != tuple(promise.names):
        raise ReleaseError(f"The release has {len(names)} columns, not the {len(promise.names)} that were promised.")
    each = Rows(promise.persons, row_counts)
    if (rows := each.count(np.ones(len(frame), bool))) != promise.rows:
        raise ReleaseError(f"The release has {rows:,} rows, the table has {promise.rows:,}.")
    for column, texts in promise.allowed.items():
        strange = sum(x not in texts for x in distinct_texts(frame, column))
        if strange:
            raise ReleaseError(f"{strange:,} values in column {column} of the release are none that it may have.")
    together = [[column] for column in promise.columns] if promise.per_column else [promise.columns]
    group_ids = held = [group_rows(frame, columns) for columns in together]
    if promise.suppressed:
        silent = all_missing(frame, promise.columns, promise.missing)
        if each.count(silent) < promise.suppressed:
            raise ReleaseError(f"{promise.suppressed:,} records were to be suppressed, {each.count(silent):,} are.")
        silent &= not silent.all()  # if nobody says anything, all look alike
        group_ids = [np.where(silent, -1, groups) for groups in group_ids]
    reached = [smallest(groups, promise.persons, row_counts) for groups in group_ids]
    if min(reached) < promise.k:
        unit = "rows" if promise.persons is None else "persons"
        raise ReleaseError(f"k = {promise.k} was promised, but a group of the release has only {min(reached)} {unit}.")
    return Verified(reached, [[_kept(frame, groups, kept, each) for kept in promise.guarantees] for groups in held])


def _kept(frame: Any, groups: NDArray[np.int64], kept: Guarantee, rows: Rows) -> float:
    """Count what groups hold of a sensitive column, and return the figure that all of them reach."""
    reached = kept.count(groups, *_coded(next(as_text(frame, [kept.column]))), rows)
    if reached is None:
        raise ReleaseError(f"Column {kept.column} of the release has values that it did not have.")
    if not kept.holds(reached):
        told = f"{kept.model} of {kept.asked:g} was promised for column {kept.column}"
        raise ReleaseError(f"{told}, but a group of the release has {reached:.10g}.")
    return reached


def distinct_texts(frame: Any, column: str) -> set[str | None]:
    """Return the different texts of a column; an empty cell says nothing."""
    texts, places = _coded(next(as_text(frame, [column])))
    return {texts[i] or None for i in np.unique(places).tolist()}


def all_missing(frame: Any, columns: Sequence[str], missing: Sequence[str]) -> NDArray[np.bool_]:
    """Return which rows have nothing in any of some columns."""
    found = np.ones(len(frame), bool)
    for column in as_text(frame, columns):
        texts, places = _coded(column)
        found &= np.array([v is None or str(v).strip() in ("", *missing) for v in texts], bool)[places]
    return found


def smallest_group(frame: Any, columns: Sequence[str], persons: NDArray[np.int64] | None = None) -> int:
    """Return the size, in rows or in persons, of the smallest group of rows that read the same; null is a value.

    >>> smallest_group(pa.table({"job": ["cook", "cook", None, None, None]}), ["job"])
    2
    """
    return smallest(group_rows(frame, columns), persons)


def group_rows(frame: Any, columns: Sequence[str]) -> NDArray[np.int64]:
    """Number the rows of a frame so that those that read the same have one number; null is a value."""
    group = np.zeros(len(frame), np.int64)
    for column in as_text(frame, columns if len(frame) else ()):
        place = _coded(column)[1]
        group = _numbered(group * (int(place.max()) + 1) + place)
    return group


def _numbered(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return numbers without gaps, in the same order; by a table where they are dense, which needs no sorting."""
    size = int(numbers.max(initial=0)) + 1
    if size > 4 * len(numbers) + 1024:
        return np.unique(numbers, return_inverse=True)[1]
    return (np.cumsum(np.bincount(numbers, minlength=size) > 0) - 1)[numbers]


def smallest(
    group: NDArray[np.int64], persons: NDArray[np.int64] | None = None, row_counts: NDArray[np.int64] | None = None
) -> int:
    """Return the size of the smallest group, in rows or in persons; rows of group -1 are in none."""
    here = group >= 0
    group = group[here]
    if not group.size:
        return 0
    if persons is not None:
        width = int(persons.max()) + 1
        group, row_counts = np.unique(group * width + persons[here]) // width, None
    sizes = np.bincount(group, weights=None if row_counts is None else row_counts[here])
    return int(sizes[sizes > 0].min())


def _coded(column: pa.ChunkedArray) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different cells of a column, and for every row which it is."""
    whole = column.combine_chunks() if column.num_chunks else column
    if isinstance(whole, pa.Array):
        coded = whole.dictionary_encode(null_encoding="encode")
        return coded.dictionary.to_pylist(), _numbers(coded.indices).astype(np.int64)
    coded = column.dictionary_encode().unify_dictionaries()
    values = coded.chunk(0).dictionary.to_pylist() if coded.num_chunks else []
    places = [_numbers(chunk.indices.fill_null(len(values))) for chunk in coded.chunks]
    return [*values, None], np.concatenate([np.zeros(0, np.int64), *places])


def _numbers(array: pa.Int32Array) -> NDArray[np.int32]:
    """Return Arrow's numbers for NumPy; `to_numpy` would import pandas first, where there is one."""
    return np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array)]


def as_text(frame: Any, columns: Sequence[str]) -> Iterator[pa.ChunkedArray]:
    """Yield some columns of a frame for Arrow to count, as text where it is not Arrow's already; null stays null."""
    for name in columns:
        if isinstance(frame, pa.Table):
            column = frame.column(name)
            if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
                texts = [None if cell is None else joined(cell) for cell in column.to_pylist()]
                yield pa.chunked_array([pa.array(texts, pa.string())])
                continue
            yield column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        else:
            import narwhals as nw  # frames only

            series = nw.from_native(frame, eager_only=True)[name]
            cells = zip(series.to_list(), series.is_null().to_list(), strict=True)
            texts = [None if null else joined(x) if isinstance(x, list) else str(x) for x, null in cells]
            yield pa.chunked_array([pa.array(texts, pa.string())])


def joined(items: Iterable[Any]) -> str:
    """Return a list as text, in whatever order it is."""
    return "\x1f" + json.dumps(sorted(map(str, items)))  # no text begins so


def folded(frame: Any, names: Sequence[str], unit: str, item: str, columns: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """Return a long table with a row for each unit: its items as one text, and the rest, which must be the same."""
    texts = dict(zip((unit, *columns), (x.to_pylist() for x in as_text(frame, [unit, *columns])), strict=True))
    items: dict[str, set[str]] = {}
    others: dict[str, tuple[str | None, ...]] = {}
    rest = [x for x in columns if x != item]
    for row, who in enumerate(texts[unit]):
        own = tuple(texts[x][row] for x in rest)
        if others.setdefault(str(who), own) != own:
            raise ReleaseError("The rows of a unit of the release differ in what they have in common.")
        items.setdefault(str(who), set()).update([texts[item][row]] if texts[item][row] else [])
    data: dict[str, list[Any]] = {x: [own[i] for own in others.values()] for i, x in enumerate(rest)}
    data[item] = [joined(x) for x in items.values()]
    return pa.table(
        {x: pa.array([None if v is None else str(v) for v in data[x]], pa.string()) for x in columns}
    ), names
