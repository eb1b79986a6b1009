"""Types of the compiled extension; its sources are in `cpp/`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints

INTERFACE: int

class Pricing:
    def __init__(self, columns: list[Floats], codes: NDArray[np.int32], mass: Floats, rows: Ints, k: int) -> None: ...
    def price(self, prices: Floats, max_work: int) -> tuple[float, Ints, Ints, int]: ...

def set_threads(number: int) -> None: ...

class Space:
    def __init__(self, forms: list[dict[str, Any]], shares: Floats, codes: Ints) -> None: ...

def sa_mdav(
    space: Space,
    mass: Floats,
    counts: Ints,
    near: Ints,
    far: Ints,
    k: int,
    weighted: bool,
    fixed: bool,
    tick: Callable[[int, int], None],
) -> Ints: ...
def mdav(
    space: Space, each: Floats, counts: Ints, near: Ints, far: Ints, k: int, tick: Callable[[int, int], None]
) -> Ints: ...
def fusion(
    space: Space,
    counts: Ints,
    order: Ints,
    k: int,
    heuristics: str,
    draw: Callable[[int], int],
    tick: Callable[[int, int], None],
) -> Ints: ...
def refine(
    space: Space,
    columns: list[dict[str, Any]],
    together: int,
    may_stand: NDArray[Any],
    mass: Floats,
    rows: Ints,
    charged: Ints,
    groups: Ints,
    movable: NDArray[Any],
    order: Ints,
    alone: Ints,
    k: int,
    unit_starts: Ints,
    units: Ints,
    holds: Callable[[Ints], bool] | None,
    steps: Sequence[tuple[Any, ...]],
    seconds: float,
    tick: Callable[[int, int], None],
) -> tuple[Ints, Floats, Ints, Floats]: ...
def rows_of(text: bytes, row_starts: NDArray[Any], rows: NDArray[Any]) -> bytes: ...
def spliced(
    text: bytes,
    begin: int,
    end: int,
    bounds: NDArray[Any],
    chosen: NDArray[Any],
    texts: bytes,
    text_starts: NDArray[Any],
) -> tuple[bytes, NDArray[Any]]: ...

class CellDictionary:
    """The distinct cells of a column, numbered in the order in which they appear."""

    def __init__(self, text: bytes) -> None: ...
    def add(self, starts: NDArray[Any], ends: NDArray[Any]) -> NDArray[Any]: ...
    def values(self) -> list[bytes]: ...

class NearestTuples:
    """An index of the tuples of a release."""

    def __init__(self, released: NDArray[Any], parts: Sequence[Sequence[int]]) -> None: ...
    def search(
        self, wanted: NDArray[Any], tables: Sequence[NDArray[Any]], guesses: NDArray[Any], tie: float
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...

_Ints = NDArray[np.int64]
_ShortInts = NDArray[np.int32]
_Floats = NDArray[np.float64]

# cpp/element_rows.cpp, cpp/sets.cpp, cpp/set_costs.cpp: ranks have 16 or 32 bits; distances in place of ranks have 64.

class ElementRows16:
    """The distances of classes of elements, row by row, by ranks of so many bits."""

    def between(self, one: int, others: _ShortInts) -> _Ints: ...

class ElementRows32:
    def between(self, one: int, others: _ShortInts) -> _Ints: ...

class ElementRows64:
    def between(self, one: int, others: _ShortInts) -> _Ints: ...

_ElementRows = ElementRows16 | ElementRows32 | ElementRows64

def table_rows(table: NDArray[Any]) -> _ElementRows: ...
def overlap_rows(
    starts: _Ints, ancestors: _ShortInts, sizes: _ShortInts, ranks: NDArray[Any], concepts: int, max_bytes: int
) -> _ElementRows: ...
def called_rows(function: Callable[[_Ints], _Ints], classes: int, max_bytes: int) -> _ElementRows: ...

class Numbering:
    def __init__(self) -> None: ...
    def add(self, block: _Floats, table: NDArray[Any], low: int) -> bool: ...
    def levels(self) -> _Floats: ...

def set_pairs(
    table: _ElementRows,
    levels: _Ints,
    starts: _Ints,
    sizes: _Ints,
    items: _ShortInts,
    classes: _ShortInts,
    a: _Ints,
    b: _Ints,
    distance: int,
    bits: int,
) -> _Floats: ...
def fill_set_matrix(
    table: _ElementRows,
    levels: _Ints,
    starts: _Ints,
    sizes: _Ints,
    items: _ShortInts,
    classes: _ShortInts,
    matrix: _Floats,
    distance: int,
    bits: int,
) -> None: ...
def set_one_to_many(
    table: _ElementRows,
    own: _ShortInts,
    levels: _Ints,
    starts: _Ints,
    sizes: _Ints,
    items: _ShortInts,
    classes: _ShortInts,
    targets: _Ints,
    distance: int,
    bits: int,
) -> _Floats: ...
def set_cost_estimates(
    table: _ElementRows,
    levels: _Ints,
    starts: _Ints,
    sizes: _Ints,
    items: _ShortInts,
    classes: _ShortInts,
    weights: _Floats,
    targets: _Ints,
    distance: int,
    bits: int,
) -> _Floats: ...
