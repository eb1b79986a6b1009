"""Counting what was promised on the text of a release.

This module imports neither methods nor records: it does not know how the table was masked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from allonym.arrays import joined_units
from allonym.errors import ReleaseError
from allonym.progress import Phase, phase
from allonym.release.combinations import items_of, rarest_combination
from allonym.release.original_rows import OriginalRows
from allonym.tables.base import Reread
from allonym.tables.second_reader import text_columns


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows that are counted: the person or household each is about, and how many rows of the release it is."""

    persons: NDArray[np.int64] | None = None
    row_counts: NDArray[np.int64] | None = None

    def count(self, some: NDArray[np.bool_]) -> int:
        """Return the number of rows of the release that some of them stand for."""
        return int(some.sum() if self.row_counts is None else self.row_counts[some].sum())


@dataclass(frozen=True)
class Guarantee:
    """A privacy model on a sensitive column: how to count it on groups of rows, and when the count suffices."""

    column: str
    model: str
    asked: float
    count: Callable[[NDArray[np.int64], Sequence[Any], NDArray[np.int64], Rows], float | None]  # groups, cells, places
    holds: Callable[[float], bool]


@dataclass(frozen=True)
class Verified:
    """What a release reaches over all quasi-identifiers together, or over each: k, and the figures of guarantees."""

    k: Sequence[int]
    guarantees: Sequence[Sequence[float]] = ()


@dataclass(frozen=True)
class Promise:
    """What a release promises, in columns and rows: k-anonymity over quasi-identifiers, and guarantees beside it."""

    columns: Sequence[str]  # the quasi-identifiers
    k: int
    rows: int
    names: Sequence[str]  # all columns, in order
    persons: NDArray[np.int64] | None = None  # for every row, who it is about
    households: NDArray[np.int64] | None = None  # for every row, the household of that person
    per_column: bool = False  # whether k is promised for each quasi-identifier alone
    suppressed: int = 0  # rows whose quasi-identifiers became all missing: at least so many are
    missing: Sequence[str] = ()  # missing-value markers
    own_missing: Mapping[str, Sequence[str]] = field(default_factory=dict)  # those of columns that have others
    allowed: Mapping[str, Collection[str | None]] = field(default_factory=dict)  # columns limited to some texts
    guarantees: Sequence[Guarantee] = ()
    original: OriginalRows | None = None  # the rows that the release may have, suppressed ones aside; None: any
    values: Mapping[str, NDArray[np.int64]] = field(
        default_factory=dict
    )  # of columns in which each has one replacement
    known_items: int | None = None  # m, where k is promised for combinations of up to m items of each column, of sets
    separators: Mapping[str, str] = field(default_factory=dict)  # text between the items of the columns

    @property
    def counted_columns(self) -> list[str]:
        """The columns to recount."""
        return list(dict.fromkeys([*self.columns, *(x.column for x in self.guarantees)]))

    def over(self, reread: Reread) -> Promise:
        """Return what is promised of the columns of a release that were read again together."""
        persons = self.persons if reread.persons is None else reread.persons
        households = self.households if reread.households is None else reread.households
        if reread.rows is not None:
            persons, households = (None if x is None else x[reread.rows] for x in (persons, households))
        return replace(
            self,
            columns=[x for x in self.columns if x in reread.columns],
            allowed={x: texts for x, texts in self.allowed.items() if x in reread.columns},
            persons=persons,
            households=households,
            values={x: v if reread.rows is None else v[reread.rows] for x, v in self.values.items()},
        )


@phase(Phase.VERIFY)
def verify(rereads: Iterable[Reread], promise: Promise) -> Verified:
    """Recount a release, and return what it reaches; a promise that does not hold is an error.

    Columns that no group spans may be read again one by one: their figures follow one another.
    """
    verified = [recount(x.frame, x.names, promise.over(x), x.row_counts) for x in rereads]
    return Verified([k for x in verified for k in x.k], [figures for x in verified for figures in x.guarantees])


def recount(
    frame: Any, names: Sequence[str], promise: Promise, row_counts: NDArray[np.int64] | None = None
) -> Verified:
    """Count the groups of a release, and return what they reach; a promise that does not hold is an error.

    `row_counts` are the numbers of rows that each row of the frame stands for. Suppressed records are a group like any
    other, together with rows that were empty before: whoever is in no other group is known to be one of them.
    """
    if tuple(names) != tuple(promise.names):
        raise ReleaseError(f"The release has {len(names)} columns, not the {len(promise.names)} that were promised.")
    each = Rows(joined_units(promise.persons, promise.households), row_counts)
    if (rows := each.count(np.ones(len(frame), bool))) != promise.rows:
        raise ReleaseError(f"The release has {rows:,} rows, the table has {promise.rows:,}.")
    for column, texts in promise.allowed.items():
        unexpected = sum(x not in texts for x in distinct_texts(frame, column))
        if unexpected:
            raise ReleaseError(f"{unexpected:,} values in column {column} of the release are none that it may have.")
    together = [[column] for column in promise.columns] if promise.per_column else [promise.columns]
    group_ids = [group_rows(frame, columns) for columns in together]
    if promise.suppressed:
        suppressed = all_missing(frame, promise)
        if (count := each.count(suppressed)) < promise.suppressed:
            raise ReleaseError(f"{promise.suppressed:,} records were to be suppressed, {count:,} are.")
    if promise.original is not None:
        _check_existing(frame, promise, promise.original, each)
    _check_replacements(frame, promise)
    if promise.known_items is None:
        reached = [_checked_k(groups, promise, row_counts) for groups in group_ids]
    else:
        reached = [_checked_combinations(frame, column, promise, row_counts) for column in promise.columns]
    return Verified(reached, [[_figure(frame, groups, x, each) for x in promise.guarantees] for groups in group_ids])


def _checked_k(groups: NDArray[np.int64], promise: Promise, row_counts: NDArray[np.int64] | None) -> int:
    """Return the size of the smallest group: of its persons and of its households, whichever are fewer.

    Both are counted by themselves, each by its column alone.
    """
    sizes = {"rows" if promise.persons is None else "persons": smallest(groups, promise.persons, row_counts)}
    if promise.households is not None:
        sizes["households"] = smallest(groups, promise.households)
    for what, size in sizes.items():
        if size < promise.k:
            raise ReleaseError(f"k = {promise.k} was promised, but a group of the release has only {size} {what}.")
    return min(sizes.values())


def _checked_combinations(frame: Any, column: str, promise: Promise, row_counts: NDArray[np.int64] | None) -> int:
    """Return how many persons, or households, hold the rarest combination of items; k, if there are no items."""
    assert promise.known_items is not None
    texts, places = _coded(next(text_columns(frame, [column])))
    missing = promise.own_missing.get(column, promise.missing)
    separator = promise.separators[column]
    sets = [frozenset() if str(x).strip() in missing else items_of(x, separator) for x in texts]
    by_unit = {"rows" if promise.persons is None else "persons": promise.persons}
    by_unit |= {} if promise.households is None else {"households": promise.households}
    least = promise.k
    for place, (what, units) in enumerate(by_unit.items()):
        held = rarest_combination(sets, places, promise.known_items, row_counts if units is None else None, units)
        if held is not None and held < promise.k:
            some = f"a combination of up to {promise.known_items} items of column {column} has only {held} {what}"
            raise ReleaseError(f"k = {promise.k} was promised, but {some}.")
        if held is not None:
            least = held if place == 0 else min(least, held)
    return least


def _check_existing(frame: Any, promise: Promise, original: OriginalRows, rows: Rows) -> None:
    """Check that the quasi-identifiers of every row that was not suppressed are those of a row of the original."""
    new = original.new_rows([_coded(column) for column in text_columns(frame, promise.columns)])
    if promise.suppressed:
        new &= ~all_missing(frame, promise)
    if count := rows.count(new):
        raise ReleaseError(f"{count:,} rows of the release have values, or combinations of values, of no original row.")


def _check_replacements(frame: Any, promise: Promise) -> None:
    """Check that equal values of a column read the same in all rows that were not suppressed."""
    kept = ~all_missing(frame, promise) if promise.suppressed else np.ones(len(frame), bool)
    for column, values in promise.values.items():
        places = _coded(next(text_columns(frame, [column])))[1]
        replacements = np.unique(np.stack([values[kept], places[kept]], axis=1), axis=0)
        if several := len(replacements) - len(np.unique(values[kept])):
            raise ReleaseError(f"Values of column {column} of the release have {several:,} replacements too many.")


def _figure(frame: Any, groups: NDArray[np.int64], guarantee: Guarantee, rows: Rows) -> float:
    """Return the figure of a guarantee that all groups reach."""
    reached = guarantee.count(groups, *_coded(next(text_columns(frame, [guarantee.column]))), rows)
    if reached is None:
        raise ReleaseError(f"Column {guarantee.column} of the release has values that it did not have.")
    if not guarantee.holds(reached):
        promised = f"{guarantee.model} of {guarantee.asked:g} was promised for column {guarantee.column}"
        raise ReleaseError(f"{promised}, but a group of the release has {reached:.10g}.")
    return reached


def distinct_texts(frame: Any, column: str) -> set[str | None]:
    """Return the distinct texts of a column; an empty cell is None."""
    texts, places = _coded(next(text_columns(frame, [column])))
    return {texts[i] or None for i in np.unique(places).tolist()}


def all_missing(frame: Any, promise: Promise) -> NDArray[np.bool_]:
    """Return which rows have missing values in all quasi-identifiers."""
    is_missing = np.ones(len(frame), bool)
    for name, column in zip(promise.columns, text_columns(frame, promise.columns), strict=True):
        missing = promise.own_missing.get(name, promise.missing)
        texts, places = _coded(column)
        is_missing &= np.array([v is None or str(v).strip() in ("", *missing) for v in texts], bool)[places]
    return is_missing


def smallest_group(frame: Any, columns: Sequence[str], persons: NDArray[np.int64] | None = None) -> int:
    """Return the size, in rows or in persons, of the smallest group of rows that read the same; null is a value.

    >>> smallest_group(pa.table({"job": ["cook", "cook", None, None, None]}), ["job"])
    2
    """
    return smallest(group_rows(frame, columns), persons)


def group_rows(frame: Any, columns: Sequence[str]) -> NDArray[np.int64]:
    """Number the rows of a frame so that those that read the same have one number; null is a value."""
    group = np.zeros(len(frame), np.int64)
    for column in text_columns(frame, columns if len(frame) else ()):
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
    """Return the size of the smallest group, in rows or in persons."""
    if not group.size:
        return 0
    if persons is not None:
        width = int(persons.max()) + 1
        group, row_counts = np.unique(group * width + persons) // width, None
    sizes = np.bincount(group, weights=row_counts)
    return int(sizes[sizes > 0].min())


def _coded(column: pa.ChunkedArray) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the distinct cells of a column, and the place of each row's cell among them."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode(null_encoding="encode")
    place_of: dict[Any, int] = {}
    dictionary, known = None, np.zeros(0, np.int64)  # of the chunk before: often the same
    parts = [known]
    for chunk in column.chunks:
        if dictionary is None or not chunk.dictionary.equals(dictionary):
            dictionary = chunk.dictionary
            values = (place_of.setdefault(x, len(place_of)) for x in dictionary.to_pylist())
            known = np.fromiter(values, np.int64, len(dictionary))
        null = place_of.setdefault(None, len(place_of)) if chunk.null_count else 0
        parts.append(np.append(known, null)[_numbers(chunk.indices, len(known))])
    return list(place_of), np.concatenate(parts)


def _numbers(array: pa.Array, null: int) -> NDArray[np.int64]:
    """Return Arrow's whole numbers for NumPy, another one for null; Arrow's own functions would import pandas first."""
    rows = slice(array.offset, array.offset + len(array))
    valid, numbers = array.buffers()
    taken = np.frombuffer(numbers, np.dtype(str(array.type)))[rows].astype(np.int64)
    if array.null_count:
        taken[np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")[rows] == 0] = null
    return taken
