"""Reading and writing single words of a column that a plan was fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from allonym.errors import TableError
from allonym.kinds.codec import CellCodec
from allonym.kinds.linking import concept_writer, linked_value
from allonym.metric import Value
from allonym.ontology.linking.accept import is_accepted, with_suggestion
from allonym.ontology.linking.several import link
from allonym.ontology.narrower import Narrower, broader
from allonym.ontology.pickling import DropCaches
from allonym.ontology.scope import Scope

if TYPE_CHECKING:
    from allonym.kinds.domain import Domain
    from allonym.kinds.text import Text

MAX_NEW_WORDS = 100_000  # whose concepts are cached


@dataclass(frozen=True, eq=False)
class WordCodec(DropCaches, CellCodec):
    """A column of words: its links, and how it writes concepts."""

    name: str
    kind: Text
    scope: Scope
    links: Mapping[str, int | Narrower | None]
    style: str  # how concepts are written: label, id or notation
    individuals: bool  # whether new words may be named individuals
    domain: Domain | None = None  # that concepts must lie in; else, in the scope
    _new: dict[str, int | Narrower | None] = field(default_factory=dict)  # of words as if the table did not have them
    _labels: dict[Value, str] = field(default_factory=dict)

    def read(self, cell: Any) -> Value:
        """Return the concept of a word, or a leaf below it: as the table links it, else its first sense."""
        text = str(cell)
        return self._checked(text, self.links[text] if text in self.links else self._linked(text))

    def read_one(self, cell: Any) -> Value:
        """Return the same; words of the table are linked as new words are, so that time does not tell them apart."""
        text = str(cell)
        new = self._linked(text)
        return self._checked(text, self.links.get(text, new))

    def _checked(self, text: str, value: int | Narrower | None) -> Value:
        concept = broader(value)
        if concept is not None and (concept not in self.scope or (self.domain and self.domain.place(concept) < 0)):
            value = None
        if value is None and self.kind.unmatched != "suppress":
            raise TableError(
                f"A word in column {self.name} is not understood.",
                hint="settle it in the links of the plan and fit again, or say unmatched = suppress.",
                values=[text],
            )
        return value

    def within(self, domain: Domain) -> Self:
        """Return the codec for concepts of a domain."""
        return replace(self, domain=domain)

    def _linked(self, text: str) -> int | Narrower | None:
        if text not in self._new:
            if len(self._new) >= MAX_NEW_WORDS:
                self._new.clear()
            options: dict[str, Any] = {"language": self.kind.language, "individuals": self.individuals}
            accept = self.kind.accepted
            (new,) = link([text], self.scope, senses="first", suggest=accept == "all", strict=True, **options)
            new = with_suggestion(new, self.scope, self.kind.language) if accept == "all" else new
            self._new[text] = linked_value(new, self.scope, self.kind.language) if is_accepted(new, accept) else None
        return self._new[text]

    def write(self, value: Value, like: Any) -> Any:
        """Return the label or the code of a concept, also for a leaf below it; as a number, where cells are numbers."""
        if value is None:
            return None
        if value not in self._labels:
            self._labels[value] = self._write_concept(broader(value))
        label = self._labels[value]
        return int(label) if isinstance(like, int) and label.isdecimal() else label

    @cached_property
    def _write_concept(self) -> Callable[[int], str]:
        return concept_writer(self.scope.taxonomy, self.style, self.kind.language)

    def to_json(self, value: Value) -> Any:
        """Return the id of a concept."""
        if isinstance(value, Narrower):
            return {"narrower": self.scope.taxonomy.ids[value.concept]}
        return None if value is None else self.scope.taxonomy.ids[value]

    def from_json(self, stored: Any) -> Value:
        """Return the concept of an id."""
        return None if stored is None else self.scope.taxonomy.code(stored)

    def to_dict(self) -> dict[str, Any]:
        """Return the ontology and the links, by ids."""
        return {
            "kind": self.kind.name,
            "ontology": {"name": self.scope.name, "sha256": self.scope.taxonomy.source.sha256},
            "written": self.style,
            "individuals": self.individuals,
            "links": {text: self.to_json(value) for text, value in self.links.items()},
        }
