"""Types of the compiled extension; its sources are in `cpp/`."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

INTERFACE: int

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
