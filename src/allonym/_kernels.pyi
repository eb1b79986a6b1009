"""Types of the compiled extension; its sources are in `cpp/`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

INTERFACE: int

_Ints = NDArray[np.int64]
_ShortInts = NDArray[np.int32]
_Floats = NDArray[np.float64]

# cpp/sets.cpp, cpp/set_costs.cpp: ranks are of 16 or 32 bits; rows without a table are of 64 bits.

class Numbering:
    def __init__(self) -> None: ...
    def add(self, block: _Floats, table: NDArray[Any], low: int) -> bool: ...
    def levels(self) -> _Floats: ...

def set_pairs(
    table: NDArray[Any],
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
def set_one_to_many(
    rows: NDArray[Any],
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
    table: NDArray[Any],
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
