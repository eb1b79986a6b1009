"""Sets of items in one cell: every item is linked to a concept; a set is decoded as one synthetic record.

The method is that of Batet, Erola, Sánchez and Castellà-Roca (2014).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar

import numpy as np

from allonym.cells import MISSING, Cells, cell_text, is_missing, merged
from allonym.errors import Problem
from allonym.kinds.base import EncodedColumn, Kind
from allonym.kinds.blend import BlendedMetric
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.encoded_sets import EncodedSets
from allonym.kinds.linking import LINKING_OPTIONS, ColumnLinks
from allonym.kinds.set_codec import SetCodec
from allonym.kinds.set_metric import SetMetric
from allonym.kinds.several import ceilings_of, meanings_of, value_writer
from allonym.kinds.text import Text
from allonym.metric import Metric, Value
from allonym.ontology.linking.phrases import noun_phrases
from allonym.ontology.linking.several import link
from allonym.ontology.narrower import broader
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import DEFAULT_CONTENT
from allonym.records import Attribute

SEPARATOR = ";"


def items_of(cell: Any, separator: str = SEPARATOR, phrases: bool = False) -> list[str]:
    """Return the items of a cell: of a list, or of text between separators, without empty ones.

    With `phrases`, return the noun phrases of each.

    >>> items_of(" milk; whole bread;;milk"), items_of(("milk", "bread "))
    (['milk', 'whole bread', 'milk'], ['milk', 'bread'])
    """
    parts = cell.split(separator) if isinstance(cell, str) else [str(x) for x in cell if x is not None]
    items = [x for part in parts if (x := part.strip())]
    return [phrase for item in items for phrase in noun_phrases(item)] if phrases else items


@dataclass(frozen=True)
class Sets(Kind):
    """Sets of words, or of categories."""

    name: ClassVar[str] = "set"
    description: ClassVar[str] = "sets of words"
    grouped_options: ClassVar[frozenset[str]] = frozenset({"represent"})
    options: ClassVar[frozenset[str]] = (
        LINKING_OPTIONS | grouped_options | {"separator", "distance", "elements", "phrases", "candidates"}
    )
    roles: ClassVar[tuple[str, ...]] = ("quasi",)
    multivalued: ClassVar[bool] = True
    default_representative: ClassVar[str] = "consensus"
    representatives: ClassVar[Mapping[str, str]] = {"consensus": "consensus", "medoid": "centroid"}
    default_measure: ClassVar[str] = "ancestor-overlap"
    max_true_distance: ClassVar[float | None] = 0.6
    without_ontology: ClassVar[Mapping[str, str]] = {"elements": "category"}

    measure: str = default_measure
    depth: str = "nodes"
    content: str = DEFAULT_CONTENT
    weights_of_features: Sequence[float] | None = None
    unmatched: str = "opaque"  # an unlinked item stands for itself, or is left out (suppress)
    language: str = "en"
    individuals: bool | None = None
    accepted: str = "sure"  # which links of new items count
    separator: str = SEPARATOR
    distance: str = "min-sum"
    elements: str = "text"
    phrases: bool = False
    represent: str | None = None
    ceiling: str | Sequence[str] = ()  # concepts that are too general, or none; by default, by a rule

    @classmethod
    def problems(cls, column: Any) -> Iterator[Problem]:
        """Yield the problem of an empty separator, and of an ontology for items that are categories."""
        if not column.separator:
            yield Problem("no-separator", "the separator is empty.", "give one character or more.")
        if column.elements != "text" and (column.ontology or column.root or column.links):
            text = "items that are categories have no ontology, root or links."
            yield Problem("option-of-elements", text, "leave them out, or choose elements = text.")

    @classmethod
    def recognises(cls, cells: Cells, missing: Sequence[str] = MISSING) -> bool:
        """Tell whether cells hold several items: lists, or text with separators in at least a fifth of them."""
        counts = [
            (x, n) for x, n in zip(cells.values, cells.counts.tolist(), strict=True) if not is_missing(x, missing)
        ]
        if any(isinstance(x, tuple) for x, _ in counts):
            return True
        return sum(n for x, n in counts if isinstance(x, str) and SEPARATOR in x) * 5 >= sum(n for _, n in counts) > 0

    @property
    def linked(self) -> bool:
        """Whether items are words that are linked to an ontology, and reviewed."""
        return self.elements == "text"

    def items(self, cell: Any) -> list[str]:
        """Return the items of a cell; a missing value has none."""
        return [] if is_missing(cell, self.missing) else items_of(cell, self.separator, self.phrases)

    def words_of(self, cell: Any) -> list[str]:
        """Return the items of a cell."""
        return self.items(cell)

    def words(self, cells: Cells) -> Counter[str]:
        """Return the items of a column, with how many cells hold each."""
        counts: Counter[str] = Counter()
        for cell, n in zip(cells.values, cells.counts.tolist(), strict=True):
            counts.update(dict.fromkeys(self.items(cell), n))
        return counts

    def words_together(self, cells: Cells) -> list[list[str]]:
        """Return the items of each cell."""
        return [items for cell in cells.values if (items := self.items(cell))]

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode every cell as the set of its items' concepts, or leaves below these; an unlinked item is a value."""
        words = self.words(cells)
        meanings: dict[str, Value] = {text: text for text in words}
        elements: Metric = EqualityMetric([])
        write: Callable[[Value], str] = str
        if links:
            for text, value in meanings_of(
                [x.links for x in links], words, links, self.language, self.individuals
            ).items():
                meanings[text] = value if value is not None else None if self.unmatched == "suppress" else text
            elements = self._elements(words, meanings, [x.scope for x in links])
            write = cache(value_writer(links, self.writes_codes, self.language))
        return self._encoded_sets(name, cells, meanings, elements, write)

    def _elements(self, words: Mapping[str, int], meanings: Mapping[str, Value], scopes: Sequence[Scope]) -> Metric:
        """Return the metric of items, by one ontology, or by several that are blended."""
        counts = [(meanings[text], count) for text, count in words.items()]
        options: dict[str, Any] = {"content": self.content, "weights": self.weights_of_features}
        parts = [
            ConceptMetric([], x.scope, self.measure, self.depth, ceiling=x, **options)
            for x in ceilings_of(counts, scopes, self.ceiling, self.language)
        ]
        return parts[0] if len(parts) == 1 else BlendedMetric([], parts)

    def _encoded_sets(
        self, name: str, cells: Cells, meanings: Mapping[str, Value], elements: Metric, write: Callable[[Value], str]
    ) -> EncodedSets:
        """Number sets by the first text of those cells that hold them; null comes last."""
        originals = {text: text if m is None else m for text, m in meanings.items()}
        each = [None if is_missing(cell, self.missing) else self.items(cell) for cell in cells.values]
        values, before = ([_set_of(items, known) for items in each] for known in (meanings, originals))
        first: dict[Value, str] = {}
        for items, value in [*zip(each, values, strict=True), *zip(each, before, strict=True)]:
            text = ";".join(sorted(items or []))
            first[value] = min(first.get(value, text), text)
        distinct = sorted((v for v in first if v is not None), key=lambda v: first[v])
        distinct += [None] if None in first else []
        place = {v: i for i, v in enumerate(distinct)}
        code_of, original_of = (np.array([place[v] for v in column], np.int64) for column in (values, before))
        metric = SetMetric(distinct, elements, self.distance)
        represent = None if self.represent is None else self.representatives[self.represent]
        attribute = Attribute(name, self.name, metric, self.weight, represent=represent, **self.bounds)

        def label(value: Value) -> Any:
            if value is None:
                return None
            return tuple(sorted({x if isinstance(x, str) else write(broader(x)) for x in value}))

        return EncodedSets(attribute, cells, code_of, original_of, label, self, meanings, write)

    def released_values(
        self, encoded: EncodedColumn, cells: Cells, links: Sequence[ColumnLinks]
    ) -> tuple[list[Value], list[str]]:
        """Return the sets of distinct cells of a release; new items are linked by their first senses."""
        assert isinstance(encoded, EncodedSets)
        items = dict.fromkeys(x for cell in cells.values for x in self.items(cell))
        known = {x: x if (m := encoded.meanings[x]) is None else m for x in items if x in encoded.meanings}
        new = {x: place for place, x in enumerate(items) if x not in known}
        known |= self.meanings(encoded, cells, new, links)
        values: list[Value] = [
            None if is_missing(c, self.missing) else frozenset(known.get(x, x) for x in self.items(c))
            for c in cells.values
        ]
        return values, [x for x in new if x not in known]

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return the concepts of new items, by their first senses."""
        if not links:
            return {}
        options: dict[str, Any] = {"language": self.language, "individuals": True, "suggest": False}
        each = [link(list(new), x.scope, senses="first", abbreviations=x.abbreviations, **options) for x in links]
        own = [{x.value: x for x in of_one} for of_one in each]
        values = meanings_of(own, new, links, self.language, self.individuals)
        return {text: value for text, value in values.items() if value is not None}

    @property
    def _item_kind(self) -> Text:
        """The kind of the items, as if each had a cell of its own."""
        options = {f.name: getattr(self, f.name) for f in fields(Text) if hasattr(self, f.name)}
        return Text(**options)

    def codec(self, encoded: EncodedColumn, links: Sequence[ColumnLinks], domain: Any = None) -> SetCodec:
        """Return the codec of single sets."""
        return SetCodec(self, self._item_kind.codec(encoded, links, domain))

    def stored_codec(self, name: str, stored: Mapping[str, Any], scopes: Sequence[Scope]) -> SetCodec:
        """Return the codec of sets whose ontology is the same as when it was stored."""
        return SetCodec(self, self._item_kind.stored_codec(name, stored, scopes))

    def canonical(self, cells: Cells) -> Cells:
        """Return cells in which those that hold the same items, in any order, are one."""
        items = [None if is_missing(x, self.missing) else tuple(sorted(set(self.items(x)))) for x in cells.values]
        return merged(items, cells.codes, cells.row_counts)

    def text(self, cell: Any) -> str:
        """Return the text of a cell; the items of a list stand between separators."""
        return self.separator.join(map(cell_text, cell)) if isinstance(cell, tuple) else super().text(cell)

    def listed(self, cell: Any) -> list[str]:
        """Return the items of a cell."""
        return [cell_text(x) for x in (cell if isinstance(cell, tuple) else items_of(cell, self.separator))]


def _set_of(items: list[str] | None, meanings: Mapping[str, Value]) -> Value:
    return None if items is None else frozenset(m for x in items if (m := meanings[x]) is not None)
