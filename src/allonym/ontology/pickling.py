"""Pickling without cached properties."""

from __future__ import annotations

from functools import cached_property
from typing import Any


class DropCaches:
    """Pickles and copies without cached properties, which may be large or impossible to pickle.

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
        """Return the state without cached properties."""
        cls = type(self)
        attributes = vars(self).items()
        return {name: x for name, x in attributes if not isinstance(getattr(cls, name, None), cached_property)}
