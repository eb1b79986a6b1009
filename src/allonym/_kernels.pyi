"""Types of the compiled extension; its sources are in `cpp/`."""

from collections.abc import Callable
from typing import Any

from allonym.arrays import Floats, Ints

INTERFACE: int

class Space:
    def __init__(self, forms: list[dict[str, Any]], shares: Floats, codes: Ints) -> None: ...

def sa_mdav(
    space: Space,
    mass: Floats,
    counts: Ints,
    order: Ints,
    k: int,
    weighted: bool,
    fixed: bool,
    tick: Callable[[int, int], None],
) -> Ints: ...
def mdav(space: Space, each: Floats, counts: Ints, order: Ints, k: int, tick: Callable[[int, int], None]) -> Ints: ...
def fusion(
    space: Space,
    counts: Ints,
    order: Ints,
    k: int,
    heuristics: str,
    draw: Callable[[int], int],
    tick: Callable[[int, int], None],
) -> Ints: ...
