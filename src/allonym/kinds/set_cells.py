"""From cells that hold several items to the sets methods see, and back: one made-up record for every set (P4)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from allonym.arrays import Ints, count_units
from allonym.cells import MISSING, Cells
from allonym.kinds.encoding import EncodedColumn, is_missing
from allonym.kinds.sets import SetMetric
from allonym.ontology.linking.phrases import noun_phrases
from allonym.records import Attribute, Metric, Value

SEPARATOR = ";"


def items_of(cell: Any, separator: str = SEPARATOR, phrases: bool = False) -> list[str]:
    """Return the items of a cell: of a list, or of text between separators; what is empty is none.

    With `phrases` the noun phrases of each.

    >>> items_of(" milk; whole bread;;milk"), items_of(("milk", "bread "))
    (['milk', 'whole bread', 'milk'], ['milk', 'bread'])
    """
    parts = cell.split(separator) if isinstance(cell, str) else [str(x) for x in cell if x is not None]
    items = [x for part in parts if (x := part.strip())]
    return [phrase for item in items for phrase in noun_phrases(item)] if phrases else items


@dataclass(frozen=True, eq=False)
class EncodedSets(EncodedColumn):
    """A column of sets understood: what its items mean, and how they are written."""

    meanings: Mapping[str, Value]  # of every item; of one that is left out, None
    separator: str
    say: Callable[[Value], str]  # how a concept is written that has no term to use
    missing: Sequence[str] = MISSING
    phrases: bool = False

    def decoded(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None, seed: int = 0) -> Cells:
        """Return the cells for codes of the (extended) attribute.

        A set is written as one record: for every concept a term of the data, drawn by how often each occurs among those
        that at least k units hold, else the concept's label. An unknown item is written if at least k units hold it.
        """
        terms = self._terms(k, units)
        used = set(np.unique(codes).tolist())
        written: list[Any] = []
        for code, value in enumerate(attribute.values):
            chosen = self._record(attribute.name, value, terms, seed) if code in used and value else self.label(value)
            written.append(chosen if chosen is None or not self._as_text else self.separator.join(chosen) or None)
        return Cells(written, codes, self.cells.row_counts)

    @cached_property
    def _as_text(self) -> bool:
        return not any(isinstance(cell, tuple) for cell in self.cells.values)

    def _terms(self, k: int, units: Ints | None) -> dict[Value, list[tuple[str, int]]]:
        """Return for every concept or unknown item the terms that at least k units hold, with how many rows do."""
        texts = {text: i for i, text in enumerate(self.meanings)}
        each = [sorted({texts[x] for x in self.items(c)}) for c in self.cells.values]
        sizes = np.array([len(x) for x in each], np.int64)
        flat = np.array([x for row in each for x in row], np.int64)
        counts = np.bincount(flat, weights=np.repeat(self.cells.counts, sizes), minlength=len(texts)).astype(np.int64)
        held = counts
        if units is not None:
            starts = np.append(0, np.cumsum(sizes))
            here, own = sizes[self.cells.codes], self.cells.codes
            places = np.repeat(starts[own] - np.append(0, np.cumsum(here)[:-1]), here) + np.arange(here.sum())
            held = count_units(flat[places], np.repeat(units, here), len(texts))
        found: dict[Value, list[tuple[str, int]]] = {}
        for text, i in texts.items():
            if self.meanings[text] is not None and held[i] >= k:
                found.setdefault(self.meanings[text], []).append((text, int(counts[i])))
        return {value: sorted(terms) for value, terms in found.items()}

    def items(self, cell: Any) -> list[str]:
        """Return the items of a cell."""
        return [] if is_missing(cell, self.missing) else items_of(cell, self.separator, self.phrases)

    def _record(
        self, name: str, value: frozenset[Value], terms: Mapping[Value, list[tuple[str, int]]], seed: int
    ) -> tuple[str, ...]:
        """Return what is written for a set, in text order; its draws go by the seed, the column and the set."""
        key = hashlib.blake2b(repr((name, sorted(value, key=str))).encode(), digest_size=8).digest()
        rng = np.random.Generator(np.random.Philox(key=[seed, int.from_bytes(key, "little")]))
        found = set()
        for element in sorted(value, key=str):
            known = terms.get(element, [])
            drawn = rng.random()
            if known:
                total = np.cumsum([n for _, n in known])
                found.add(known[int(np.searchsorted(total, drawn * total[-1], side="right"))][0])
            elif not isinstance(element, str):
                label = self.say(element)
                instead = "_" if self.separator == " " else " "
                found.add(label.replace(self.separator, instead) if self._as_text else label)
        return tuple(sorted(found))


def sets(
    name: str,
    cells: Cells,
    meanings: Mapping[str, Value],
    elements: Metric,
    say: Callable[[Value], str],
    *,
    way: str = "min-sum",
    separator: str = SEPARATOR,
    weight: float = 1.0,
    missing: Sequence[str] = MISSING,
    phrases: bool = False,
) -> EncodedColumn:
    """Understand a column of sets; `meanings` say what items are: concepts, themselves, or None where left out."""
    originals = {text: text if m is None else m for text, m in meanings.items()}

    def items(cell: Any) -> list[str] | None:
        return None if is_missing(cell, missing) else items_of(cell, separator, phrases)

    each = [items(cell) for cell in cells.values]
    values = [_meant(x, meanings) for x in each]
    before = [_meant(x, originals) for x in each]
    first: dict[Value, str] = {}
    for own, value in [*zip(each, values, strict=True), *zip(each, before, strict=True)]:
        text = ";".join(sorted(own or []))
        first[value] = min(first.get(value, text), text)
    distinct = sorted((v for v in first if v is not None), key=lambda v: first[v])
    distinct += [None] if None in first else []
    place = {v: i for i, v in enumerate(distinct)}
    code_of, original_of = (np.array([place[v] for v in each], np.int64) for each in (values, before))
    attribute = Attribute(name, "set", SetMetric(distinct, elements, way), weight)

    def label(value: Value) -> Any:
        return None if value is None else tuple(sorted(x if isinstance(x, str) else say(x) for x in value))

    return EncodedSets(attribute, cells, code_of, original_of, label, meanings, separator, say, missing, phrases)


def _meant(items: list[str] | None, meanings: Mapping[str, Value]) -> Value:
    return None if items is None else frozenset(m for x in items if (m := meanings[x]) is not None)
