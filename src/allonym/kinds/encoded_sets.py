"""A column of sets as codes, and how sets are written: each as one synthetic record."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, count_units
from allonym.cells import Cells
from allonym.kinds.base import EncodedColumn
from allonym.kinds.set_codec import item_text
from allonym.kinds.written_sets import rare_sets, still_nobodys, without_labels
from allonym.metric import Value
from allonym.ontology.narrower import broader, broader_unless
from allonym.records import Attribute
from allonym.release_key import rng_of

if TYPE_CHECKING:
    from allonym.kinds.sets import Sets


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
        rare = self._rare([self.kind.items(x) for x in self.cells.values], k, units)
        return self._decoded(attribute, codes, self._terms(k, units), rare, seed)

    def decode_alike(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None, seed: int = 0) -> Cells:
        """Return the cells for codes of the (extended) attribute; every item reads the same in all cells.

        It is the text that most rows hold, of those that at least k units hold (ties: text order), else the label.
        """
        terms = {value: [min(x, key=lambda x: (-x[1], x[0]))] for value, x in self._terms(k, units).items()}
        return self._decoded(attribute, codes, terms, frozenset(), seed)

    def _decoded(
        self,
        attribute: Attribute,
        codes: Ints,
        terms: Mapping[Value, list[tuple[str, int]]],
        rare: Container[frozenset[str]],
        seed: int,
    ) -> Cells:
        """Return the cells for codes, given the texts of each concept or unlinked item, and sets that few hold."""
        used = set(np.unique(codes).tolist())
        written: list[Any] = []
        for code, value in enumerate(attribute.values):
            chosen = self.label(value)
            if code in used and value:
                others = rare if code >= len(self.attribute.values) else frozenset()  # a set of the table is its own
                chosen = self._record(attribute.name, value, terms, others, seed)
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

    def as_written(self, attribute: Attribute, codes: Ints, k: int, units: Ints | None) -> tuple[Attribute, Ints]:
        """Return the (extended) attribute and codes that mean what `decode` writes; none becomes somebody's set.

        As text, a set without items is an empty cell: null.
        """
        wider, written = super().as_written(attribute, codes, k, units)
        empty = frozenset[Value]()
        if self._as_text and any(wider.values[c] == empty for c in np.unique(written).tolist()):
            wider = replace(wider, metric=wider.metric.extend([None]))
            written = np.where(written == wider.values.index(empty), wider.values.index(None), written)
        changed = np.flatnonzero(codes != written)
        if not changed.size:
            return wider, written
        rare = self._rare([self.attribute.values[c] for c in self.code_of.tolist()], k, units)
        values = [still_nobodys(wider.values[codes[i]], wider.values[written[i]], rare) for i in changed.tolist()]
        metric = wider.metric.extend(values)
        written = written.copy()
        written[changed] = [metric.values.index(x) for x in values]
        return replace(wider, metric=metric), written

    def _rare(self, sets: Sequence[Value], k: int, units: Ints | None) -> frozenset[Value]:
        """Return the sets that fewer than k units hold, given that of every distinct cell; none, if k exceeds all."""
        if k > self.cells.counts.sum():
            return frozenset()
        return rare_sets(sets, self.cells.codes, self.cells.counts, units, k)

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
        self,
        name: str,
        value: frozenset[Value],
        terms: Mapping[Value, list[tuple[str, int]]],
        rare: Container[frozenset[str]],
        seed: int,
    ) -> tuple[str, ...]:
        """Return the items of a set in text order; draws are keyed by the seed, the column and the set."""
        rng = rng_of(seed, "items", name, repr(sorted(value, key=str)))
        items, labels = set(), set()
        separator = self.kind.separator
        for element in sorted(value, key=str):
            candidates = terms.get(element, [])
            drawn = rng.random()
            if candidates:
                total = np.cumsum([n for _, n in candidates])
                items.add(candidates[int(np.searchsorted(total, drawn * total[-1], side="right"))][0])
            elif not isinstance(element, str):
                label = self.write(broader(element))
                labels.add(item_text(label, separator) if self._as_text else label)
        return without_labels(items | labels, labels - items, rare)
