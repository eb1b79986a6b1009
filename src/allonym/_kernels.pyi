"""Types of the compiled extension; its sources are in `cpp/`."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

INTERFACE: int

class NearestTuples:
    """An index of the tuples of a release."""

    def __init__(self, released: NDArray[Any], parts: Sequence[Sequence[int]]) -> None: ...
    def search(
        self, wanted: NDArray[Any], tables: Sequence[NDArray[Any]], guesses: NDArray[Any], tie: float
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...
