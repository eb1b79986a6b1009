"""Sets of items in one cell: every item is linked to a concept; a set is decoded as one synthetic record.

The method is that of Batet, Erola, Sánchez and Castellà-Roca (2014).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import NoneType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, count_units
from allonym.cells import MISSING, Cells, cell_text, is_missing, merged
from allonym.errors import Problem
from allonym.kinds.base import EncodedColumn, Kind
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.linking import LINKING_OPTIONS, ColumnLinks, concept_style, concept_writer, linked_value
from allonym.kinds.set_metric import SetMetric
from allonym.metric import Metric, Value
from allonym.ontology.generality.ceiling import Ceiling, named_concepts
from allonym.ontology.linking.phrases import noun_phrases
from allonym.ontology.linking.several import link
from allonym.ontology.narrower import broader, broader_unless
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import DEFAULT_CONTENT
from allonym.records import Attribute
from allonym.release_key import rng_of

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
    options: ClassVar[frozenset[str]] = LINKING_OPTIONS | {"separator", "distance", "elements", "phrases"}
    roles: ClassVar[tuple[str, ...]] = ("quasi",)
    multivalued: ClassVar[bool] = True
    default_representative: ClassVar[str] = "centroid"
    default_measure: ClassVar[str] = "ancestor-overlap"
    max_true_distance: ClassVar[float | None] = 0.6
    without_ontology: ClassVar[Mapping[str, str]] = {"elements": "category"}

    measure: str = default_measure
    depth: str = "nodes"
    content: str = DEFAULT_CONTENT
    weights_of_features: Sequence[float] | None = None
    unmatched: str = "opaque"  # an unlinked item stands for itself, or is left out (suppress)
    language: str = "en"
    separator: str = SEPARATOR
    distance: str = "min-sum"
    elements: str = "text"
    phrases: bool = False
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

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode every cell as the set of its items' concepts, or leaves below these; an unlinked item is a value."""
        words = self.words(cells)
        meanings: dict[str, Value] = {text: text for text in words}
        elements: Metric = EqualityMetric([])
        write: Callable[[Value], str] = str
        if links:
            scope, linked = links[0].scope, links[0].links
            for text in meanings:
                value = linked_value(linked[text], scope, self.language)
                meanings[text] = value if value is not None else None if self.unmatched == "suppress" else text
            options: dict[str, Any] = {"content": self.content, "weights": self.weights_of_features}
            ceiling = self._ceiling(words, meanings, scope)
            elements = ConceptMetric([], scope, self.measure, self.depth, ceiling=ceiling, **options)
            style = concept_style(linked, scope, self.writes_codes)
            write = cache(concept_writer(scope.taxonomy, style, self.language))
        return self._encoded_sets(name, cells, meanings, elements, write)

    def _ceiling(self, words: Mapping[str, int], meanings: Mapping[str, Value], scope: Scope) -> Ceiling:
        """Return the concepts that are too general to stand for different items."""
        linked = [text for text in words if not isinstance(meanings[text], (str, NoneType))]
        concepts, counts = [broader(meanings[text]) for text in linked], [words[text] for text in linked]
        (named,) = named_concepts(self.ceiling, [scope])
        return Ceiling(scope, named, concepts, counts, self.language)

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
        attribute = Attribute(name, self.name, metric, self.weight, **self.bounds)

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
        options["abbreviations"] = links[0].abbreviations
        new_links = link(list(new), links[0].scope, senses="first", **options)
        values = {x.value: linked_value(x, links[0].scope, self.language) for x in new_links}
        return {text: value for text, value in values.items() if value is not None}

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


@dataclass(frozen=True, eq=False)
class EncodedSets(EncodedColumn):
    """A column of sets as codes, with the concepts of its items."""

    kind: Sets
    meanings: Mapping[str, Value]  # of every item; None for one that is left out
    write: Callable[[Value], str]  # writes a concept that no item of the data may stand for

    def decode(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None, seed: int = 0) -> Cells:
        """Return the cells for codes of the (extended) attribute.

        A set is written as one record: for every concept an item of the data, drawn by its frequency among those that
        at least k units hold, else the concept's label. An unlinked item is written if at least k units hold it.
        """
        terms = self._terms(k, units)
        used = set(np.unique(codes).tolist())
        written: list[Any] = []
        for code, value in enumerate(attribute.values):
            chosen = self._record(attribute.name, value, terms, seed) if code in used and value else self.label(value)
            written.append(chosen if chosen is None or not self._as_text else self.kind.separator.join(chosen) or None)
        return Cells(written, codes, self.cells.row_counts)

    def decode_existing(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None) -> Cells:
        """Return the cells for codes of sets that `existing_cells` allows, each as it stands in the table."""
        places = np.flatnonzero(self.existing_cells(k, units)).tolist()
        cell_of = {int(self.code_of[place]): self.cells.values[place] for place in places}
        return Cells([cell_of.get(c) for c in range(len(attribute.values))], codes, self.cells.row_counts)

    def existing_cells(self, k: int, units: Ints | None) -> NDArray[np.bool_]:
        """Return which distinct cells are written where only existing records are: one for each set.

        It is the one that most units hold, of those whose items at least k units hold each. Of missing values, empty
        cells are written.
        """
        held = self.cells.counts if units is None else count_units(self.cells.codes, units, len(self.cells.values))
        known = {text for pairs in self._terms(k, units).values() for text, _ in pairs}
        best: dict[int, tuple[bool, int, str, int]] = {}
        for place, cell in enumerate(self.cells.values):
            code, holders = int(self.code_of[place]), int(held[place])
            if self.attribute.values[code] is None:
                may = cell is None or cell == "" or holders >= k
            else:
                may = set(self.kind.items(cell)) <= known and (holders >= k or self._is_plain(cell))
            rank = (cell is not None and cell != "", -holders, str(cell), place)
            if may and code == self.original_of[place] and (code not in best or rank < best[code]):
                best[code] = rank
        written = np.zeros(len(self.cells.values), bool)
        written[[rank[-1] for rank in best.values()]] = True
        return written

    def _is_plain(self, cell: Any) -> bool:
        """Tell whether the text of a cell has nothing of its own but its items: no other blanks, nothing twice."""
        items, separator = self.kind.items(cell), self.kind.separator
        if len(set(items)) < len(items):
            return False
        if isinstance(cell, tuple):
            return list(cell) == items
        return cell in (separator.join(items), f"{separator} ".join(items))

    def spelled_values(self, k: int, units: Ints | None) -> set[Value]:
        """Return the elements with a text that at least k units hold."""
        return set(self._terms(k, units))

    def _written_value(self, value: Value, spelled: Container[Value]) -> Value:
        """Return what is written for a set: without unlinked items that have no text to use; null, if none is left."""
        written = frozenset(x for x in broader_unless(value, spelled) if not isinstance(x, str) or x in spelled)
        return written if written or not (value or self._as_text) else None

    def item_values(self, cell: Any) -> dict[str, Value]:
        """Return the items of a cell, with the value of each: a concept, or the unlinked item itself."""
        values = {x: self.meanings[x] for x in self.kind.items(cell)}
        return {x: x if value is None else value for x, value in values.items()}

    @cached_property
    def _as_text(self) -> bool:
        return not any(isinstance(cell, tuple) for cell in self.cells.values)

    def _terms(self, k: int, units: Ints | None) -> dict[Value, list[tuple[str, int]]]:
        """Return for every concept or unlinked item the texts that at least k units hold, with their row counts."""
        texts = {text: i for i, text in enumerate(self.meanings)}
        each = [sorted({texts[x] for x in self.kind.items(c)}) for c in self.cells.values]
        sizes = np.array([len(x) for x in each], np.int64)
        flat = np.array([x for row in each for x in row], np.int64)
        counts = np.bincount(flat, weights=np.repeat(self.cells.counts, sizes), minlength=len(texts)).astype(np.int64)
        held = counts
        if units is not None:
            starts = np.append(0, np.cumsum(sizes))
            own = self.cells.codes
            row_sizes = sizes[own]
            offsets = starts[own] - np.append(0, np.cumsum(row_sizes)[:-1])
            places = np.repeat(offsets, row_sizes) + np.arange(row_sizes.sum())
            held = count_units(flat[places], np.repeat(units, row_sizes), len(texts))
        terms: dict[Value, list[tuple[str, int]]] = {}
        for text, i in texts.items():
            if self.meanings[text] is not None and held[i] >= k:
                terms.setdefault(self.meanings[text], []).append((text, int(counts[i])))
        return {value: sorted(pairs) for value, pairs in terms.items()}

    def _record(
        self, name: str, value: frozenset[Value], terms: Mapping[Value, list[tuple[str, int]]], seed: int
    ) -> tuple[str, ...]:
        """Return the items of a set in text order; draws are keyed by the seed, the column and the set."""
        rng = rng_of(seed, "items", name, repr(sorted(value, key=str)))
        items = set()
        separator = self.kind.separator
        for element in sorted(value, key=str):
            candidates = terms.get(element, [])
            drawn = rng.random()
            if candidates:
                total = np.cumsum([n for _, n in candidates])
                items.add(candidates[int(np.searchsorted(total, drawn * total[-1], side="right"))][0])
            elif not isinstance(element, str):
                label = self.write(broader(element))
                items.add(label.replace(separator, "_" if separator == " " else " ") if self._as_text else label)
        return tuple(sorted(items))


def _set_of(items: list[str] | None, meanings: Mapping[str, Value]) -> Value:
    return None if items is None else frozenset(m for x in items if (m := meanings[x]) is not None)
