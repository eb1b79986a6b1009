"""Reading and writing single cells of a column that a plan was fitted to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from allonym.metric import Value


class CellCodec(ABC):
    """Reads the values of single cells, writes values as cells, and stores both as JSON."""

    @abstractmethod
    def read(self, cell: Any) -> Value:
        """Return the value of a cell that is not missing."""

    def read_one(self, cell: Any) -> Value:
        """Return the same for a record that comes alone, by the same steps whether or not the table has the cell."""
        return self.read(cell)

    @abstractmethod
    def write(self, value: Value, like: Any) -> Any:
        """Return the cell of a value, of the same type as another cell of the column."""

    @abstractmethod
    def to_json(self, value: Value) -> Any:
        """Return a value for JSON."""

    @abstractmethod
    def from_json(self, stored: Any) -> Value:
        """Return the value that was stored."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the codec for JSON."""

    def within(self, domain: Any) -> Self:
        """Return the codec for values that must lie in a domain of concepts; others have no domain."""
        return self
