"""What goes to another process goes without what it worked out: the other can work that out again."""

from __future__ import annotations

from functools import cached_property
from typing import Any


class DropCaches:
    """Something that is copied without its cached properties, which may be larger than itself, or not to be copied.

    >>> import pickle
    >>> class Square(DropCaches):
    ...     def __init__(self, side):
    ...         self.side = side
    ...     @cached_property
    ...     def area(self):
    ...         return self.side**2
    >>> square = Square(3)
    >>> square.area, square.__getstate__()
    (9, {'side': 3})
    """

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of."""
        kind = type(self)
        return {name: x for name, x in vars(self).items() if not isinstance(getattr(kind, name, None), cached_property)}
