"""A masked table beside the original, whoever masked it: which of its rows is which, and what its cells mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, distinct
from allonym.cells import Cells, merged
from allonym.errors import PlanError, Problem, TableError, first_few, plural
from allonym.kinds import encoding as encode
from allonym.kinds.encoding import EncodedColumn
from allonym.kinds.set_cells import EncodedSets
from allonym.kinds.text import ConceptMetric
from allonym.ontology.linking.link import link
from allonym.ontology.scope import Scope
from allonym.pipeline.encoding import encode_sensitive, levels_of
from allonym.pipeline.prepare import Prepared, opened
from allonym.plan.column import Column
from allonym.privacy import models as privacy
from allonym.records import Attribute, Value
from allonym.tables.base import Table
from allonym.tables.files import Reading

TOP = "*"  # what generalisation tools write for anything


@dataclass(frozen=True, eq=False)
class DecodedColumn:
    """A masked column: the attribute with its new values, the code of every row, and what was not understood."""

    attribute: Attribute
    codes: Ints
    strange: Sequence[str]


class MaskedTable:
    """A masked table beside the original: which of its rows is which, and what its cells mean."""

    def __init__(self, found: Prepared, source: Any, key: str | None, what: str, partial: bool = False) -> None:
        self.found, self.what = found, what
        plan, wanted = found.plan, found.with_role("quasi")
        self.table, self.names = self._opened(source, plan.reading)
        if not set(wanted) <= set(self.names):  # another tool may write in another way
            self.table, self.names = self._opened(source, Reading(header=plan.reading.header))
        lost = [x for x in wanted if x not in self.names]
        if lost and not (partial and len(lost) < len(wanted)):
            told = f"{plural(len(lost), 'column')} of the plan not in {what}: {first_few(lost, 20)}."
            hint = "it needs the columns that the plan masks, under the same names."
            raise PlanError([Problem("missing-column", told, hint)])
        self.rows = self._aligned(key)
        read = [x for x in [*wanted, *found.with_role("sensitive")] if x in self.names]
        cells = self.table.cells([self.names[x] for x in read])
        self.cells = {x: self._here(in_order(found.coded.get(x), cells[self.names[x]])) for x in read}
        self.group_ids = self._looks([x for x in wanted if x in self.cells])

    def _opened(self, source: Any, reading: Reading) -> tuple[Table, dict[str, str]]:
        table = opened(self.found.plan, source, reading=reading)
        return table, self._names(table)

    def _looks(self, columns: Sequence[str]) -> Ints:
        """Return which rows look alike; -1 for those that say nothing, if some of them did in the original."""
        missing = self.found.plan.missing
        now = self._silent([self.cells[x] for x in columns], lambda v: v == TOP or encode.is_missing(v, missing))
        was = self._silent([self.found.cells[x] for x in columns], lambda v: encode.is_missing(v, missing))
        group_ids = distinct([self.cells[x].codes for x in columns])[0]
        suppressed = np.isin(group_ids, group_ids[now & ~was])
        if suppressed.all():  # of everybody nothing is known: they all look alike
            suppressed[:] = False
        return np.where(suppressed | (self.rows < 0), -1, group_ids)

    @staticmethod
    def _silent(columns: Sequence[Cells], is_silent: Callable[[Any], bool]) -> NDArray[np.bool_]:
        """Return which rows have nothing to say in any column."""
        each = [np.array([is_silent(v) for v in cells.values], bool)[cells.codes] for cells in columns]
        found: NDArray[np.bool_] = np.all(each, axis=0)
        return found

    def _names(self, table: Table) -> dict[str, str]:
        """Return what the columns of the original are called here; without a header they are numbered anew."""
        found = self.found
        if found.plan.reading.header is False:
            dropped = {*found.with_role("identifier"), *found.with_role("unit")}
            kept = [x for x in found.table.names if x not in dropped]
            if len(kept) == len(table.names):
                return dict(zip(kept, table.names, strict=True))
        return {x: x for x in table.names}

    def _aligned(self, key: str | None) -> Ints:
        """Return for every row of the original which row it is here; -1, if it is none."""
        ours, theirs = self.found.table, self.table
        if key is None:
            if ours.n != theirs.n:
                raise TableError(
                    f"The original has {ours.n:,} rows, {self.what} has {theirs.n:,}.",
                    hint="name a column that says which row is which with --key.",
                )
            return np.arange(ours.n)
        lost = [what for what, t in (("the original", ours), (self.what, theirs)) if key not in t.names]
        if lost:
            raise TableError(f"The key {key} is no column of {first_few(lost)}.", hint="both tables need it.")
        mine, other = ours.cells([key])[key], theirs.cells([key])[key]
        for what, cells in (("the original", mine), (self.what, other)):
            if any(v is None or v == "" for v, n in zip(cells.values, cells.counts, strict=True) if n):
                raise TableError(f"Some rows of {what} have no key.", hint="fill it in, or choose another.")
            if len({encode.as_text(v) for v in cells.values}) < len(cells.codes):
                again = int((cells.counts > 1).sum())
                raise TableError(f"The key {key} is not unique in {what}: {plural(again, 'value')} of it come again.")
        place = {encode.as_text(other.values[c]): row for row, c in enumerate(other.codes.tolist())}
        rows = np.array([place.get(encode.as_text(mine.values[c]), -1) for c in mine.codes.tolist()], np.int64)
        if strange := theirs.n - int((rows >= 0).sum()):
            raise TableError(
                f"{self.what.capitalize()} has {plural(strange, 'row')} whose key is not in the original.",
                hint="are the keys written alike in both tables?",
            )
        return rows

    def _here(self, cells: Cells) -> Cells:
        """Return a column in the order of the original; rows that are not here are null."""
        codes = np.full(len(self.rows), len(cells.values), np.int64)
        codes[self.rows >= 0] = cells.codes[self.rows[self.rows >= 0]]
        return Cells([*cells.values, None], codes)

    def understood(self, name: str) -> DecodedColumn:
        """Say what the cells of a masked column mean."""
        coded, cells = self.found.coded[name], self.cells[name]
        missing = self.found.plan.missing
        if isinstance(coded, EncodedSets):
            return self._sets(coded, cells)
        known = {
            encode.as_text(cell): coded.attribute.values[code]
            for cell, code in zip(coded.cells.values, coded.original_of, strict=True)
        }
        new = {
            encode.as_text(cell): i
            for i, cell in enumerate(cells.values)
            if not encode.is_missing(cell, missing) and encode.as_text(cell) not in known
        }
        known |= self._meanings(name, new)
        strange = [text for text in new if text not in known]
        values = [
            None if encode.is_missing(cell, missing) else known.get(encode.as_text(cell), encode.as_text(cell))
            for cell in cells.values
        ]
        metric = coded.attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes = np.array([places[v] for v in values], np.int64)[cells.codes]
        return DecodedColumn(replace(coded.attribute, metric=metric), codes, strange)

    def combinations(self, k: int, m: int) -> Iterator[dict[str, Any]]:
        """Yield for columns of sets whether every combination of up to m items is held by at least k records."""
        for name, coded in self.found.coded.items():
            if isinstance(coded, EncodedSets) and name in self.cells:
                cells = self.cells[name]
                codes, own = np.arange(len(cells.values)), None
                if self.found.units is not None:
                    first = distinct([cells.codes, self.found.units])[2]
                    codes, own = cells.codes[first], self.found.units[first].tolist()
                sets = [frozenset(coded.items(cells.values[c])) for c in codes.tolist()]
                least, below = privacy.km_anonymity(sets, cells.counts[codes].tolist(), k, m, own)
                entry = {"model": f"k^{m}-anonymity", "columns": [name], "asked": k, "reached": least}
                yield entry | {"holds": below == 0, "combinations_below": below}

    def _sets(self, coded: EncodedSets, cells: Cells) -> DecodedColumn:
        """Say what the cells of a masked column of sets mean; new items by their first senses."""
        items = dict.fromkeys(x for cell in cells.values for x in coded.items(cell))
        meanings = {x: x if (m := coded.meanings[x]) is None else m for x in items if x in coded.meanings}
        new = [x for x in items if x not in meanings]
        name = coded.attribute.name
        if name in self.found.words:
            scope, column = self.found.words[name][0].scope, self.found.plan.columns[name]
            told = link(new, scope, senses="first", language=column.language, individuals=True, suggest=False)
            meanings |= {x.value: x.concept for x in told if x.concept is not None}
        strange = [x for x in new if x not in meanings]
        values: list[Value] = [
            None if encode.is_missing(c, coded.missing) else frozenset(meanings.get(x, x) for x in coded.items(c))
            for c in cells.values
        ]
        metric = coded.attribute.metric.extend(values)
        places = {value: code for code, value in enumerate(metric.values)}
        codes = np.array([places[v] for v in values], np.int64)[cells.codes]
        return DecodedColumn(replace(coded.attribute, metric=metric), codes, strange)

    def _meanings(self, name: str, new: Mapping[str, int]) -> dict[str, Value]:
        """Return what words mean that are not in the original; those that mean nothing are left out."""
        kind, column = self.found.coded[name].attribute.kind, self.found.plan.columns[name]
        if kind == "category":
            return {text: None if text == TOP else text for text in new}
        if kind == "ordinal":
            levels = list(levels_of(column, self.found.plan.folder))
            return {t: levels.index(t) if t in levels else None for t in new if t in levels or t == TOP}
        if kind == "numeric":
            coded = self.found.coded[name]
            numbers = [x for x in coded.attribute.values if x is not None]
            comma = encode.numbers_of([encode.as_text(x) for x in coded.cells.values if x is not None])[1]
            found = {t: encode.number_or_range(t, numbers, comma) for t in new}
            return {t: x for t, x in found.items() if x is not None or t == TOP}
        words = self.found.words[name]
        each = [self._concepts(name, i, new) for i in range(len(words))]
        together = {t: tuple(concepts.get(t) for concepts in each) for t in new}
        return {
            t: concepts[0] if len(words) == 1 else concepts
            for t, concepts in together.items()
            if any(c is not None for c in concepts)
        }

    def _concepts(self, name: str, ontology: int, new: Mapping[str, int]) -> dict[str, int]:
        """Link new words; of several senses the one counts that is nearest to what the word stands for."""
        column: Column = self.found.plan.columns[name]
        scope: Scope = self.found.words[name][ontology].scope
        links = self.found.words[name][ontology].links
        settled = {x.value: scope.taxonomy.ids[x.concept] for x in links.values() if x.concept is not None}
        asked = {text: 1 for text in new if text != TOP}
        told = link(
            dict.fromkeys(settled, 1) | asked,
            scope,
            senses="first",
            language=column.language,
            settled=settled,
            suggest=False,
        )
        found = {TOP: scope.root} if TOP in new else {}
        was, cells = self.found.coded[name].cells, self.cells[name]
        for x in told:
            if x.value not in asked or x.concept is None:
                continue
            stood_for, counts = np.unique(was.codes[cells.codes == new[x.value]], return_counts=True)
            linked = [(links[t].concept, n) for i, n in zip(stood_for, counts, strict=True)
                      if (t := str(was.values[i])) in links and links[t].concept is not None]  # fmt: skip
            found[x.value] = _nearest([x.concept, *x.alternatives], linked, scope, column)
        return found

    def encode_sensitive(self, name: str) -> tuple[Attribute, Ints]:
        """Return a sensitive column as it is in the release; as it was, if the release does not have it."""
        was = encode_sensitive(self.found, name)
        if name not in self.cells:
            return was.attribute, was.codes
        known = self.understood(name)
        return known.attribute, known.codes


def in_order(coded: EncodedColumn | None, cells: Cells) -> Cells:
    """Return cells; those that hold the same items, in whatever order, are one."""
    if not isinstance(coded, EncodedSets):
        return cells
    items = [None if encode.is_missing(x, coded.missing) else tuple(sorted(set(coded.items(x)))) for x in cells.values]
    return merged(items, cells.codes, cells.row_counts)


def _nearest(senses: list[int], stood_for: Sequence[tuple[int | None, int]], scope: Scope, column: Column) -> int:
    """Return the sense with the least Σ ω·d to some concepts; the first of equals."""
    if len(senses) == 1 or not stood_for:
        return senses[0]
    values = list(dict.fromkeys([*senses, *(c for c, _ in stood_for)]))
    metric = ConceptMetric(values, scope, column.measure, column.depth)
    codes = metric.codes_of([c for c, _ in stood_for])
    costs = metric.distances(metric.codes_of(senses)[:, None], codes) @ np.array([n for _, n in stood_for], np.float64)
    return senses[int(np.argmin(np.round(costs, 9)))]
