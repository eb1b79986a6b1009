"""Reading and writing single sets of a column that a plan was fitted to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from allonym.kinds.codec import CellCodec
from allonym.kinds.word_codec import WordCodec
from allonym.metric import Value

if TYPE_CHECKING:
    from allonym.kinds.domain import Domain
    from allonym.kinds.sets import Sets


@dataclass(frozen=True, eq=False)
class SetCodec(CellCodec):
    """A column of sets: how cells are split, and the codec of the items."""

    kind: Sets
    items: WordCodec

    def read(self, cell: Any) -> Value:
        """Return the set of the values of a cell's items; those without a concept are left out, or refused."""
        values = (self.items.read(item) for item in self.kind.items(_listed(cell)))
        return frozenset(value for value in values if value is not None)

    def write(self, value: Value, like: Any) -> Any:
        """Return the labels of a set in text order: as a list where cells are lists, else as text."""
        if value is None:
            return None
        labels = {self.items.write(item, "") for item in value}
        if isinstance(like, (list, tuple)):
            return type(like)(sorted(labels))
        texts = sorted({item_text(label, self.kind.separator) for label in labels})
        return self.kind.separator.join(texts) or None

    def to_json(self, value: Value) -> Any:
        """Return the id of an item's concept."""
        return self.items.to_json(value)

    def from_json(self, stored: Any) -> Value:
        """Return the concept of an item by its id."""
        return self.items.from_json(stored)

    def to_dict(self) -> dict[str, Any]:
        """Return the ontology and the links of the items, by ids."""
        return self.items.to_dict() | {"kind": self.kind.name}

    def within(self, domain: Domain) -> Self:
        """Return the codec for items whose concepts lie in a domain."""
        return replace(self, items=self.items.within(domain))


def item_text(label: str, separator: str) -> str:
    """Return a label as an item of a text, in which it must not be split.

    >>> item_text("salt; pepper", ";"), item_text("olive oil", " ")
    ('salt  pepper', 'olive_oil')
    """
    return label.replace(separator, "_" if separator == " " else " ")


def _listed(cell: Any) -> Any:
    """Return a cell as the table has it: the items of any list as a tuple."""
    return cell if isinstance(cell, (str, tuple)) else tuple(cell) if hasattr(cell, "__iter__") else str(cell)
