"""Sets masked item by item: each item is perturbed by the perturbation that was fitted to the items of the column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints, Keys
from allonym.kinds.set_codec import SetCodec
from allonym.kinds.set_metric import SetMetric
from allonym.methods.draws import Draw, DrawOne, Words, key_of, number_of
from allonym.methods.record_level import Perturbation
from allonym.metric import Value
from allonym.ontology.narrower import concept_order
from allonym.records import Attribute

__all__ = ["SetCodec", "SetMetric", "SetPerturbation", "items_of_column"]

MAX_EXACT = 6  # items of a masked set up to which its likelihood is exact
LEAST_SHARE = 1e-12  # of its bound, below which a likelihood is lost to rounding


@dataclass(frozen=True, eq=False)
class SetPerturbation(Perturbation):
    """What may become of sets: their items become others, each by itself; equal ones are one item.

    An item of a row has the draws of the row's key and the item, in whichever set it stands. A null, and an empty set,
    count as one null item. An item that becomes null is left out; what has no item is null, or stays an empty set.
    """

    items: Perturbation
    max_items: int | None = None  # of a set; of more, as many are drawn, the others are left out
    hide_sizes: bool = False  # whether every set has `max_items` items, null ones after its own

    @property
    def domain(self) -> Any:
        """The concepts that items may be; None, if they have no domain."""
        return getattr(self.items, "domain", None)

    def to_dict(self, to_json: Callable[[Value], Any]) -> dict[str, Any]:
        """Return what was fitted to the items."""
        return self.items.to_dict(to_json)

    def _listed(self, value: Value) -> list[tuple[Value, int]]:
        """Return the items of a set with the numbers that stand for them in draws, whatever their order was."""
        linked = (x for x in value or () if not isinstance(x, str))
        items = [(x, number_of(x)) for x in sorted(linked, key=concept_order)]
        least = self.max_items if self.hide_sizes and self.max_items is not None else 1
        return [*items, *((None, key_of(f"place {place}")) for place in range(len(items), least))]

    def answers(self, value: Value) -> Sequence[int | None]:
        """Return the numbers of the items that are drawn; of a set with too many, nobody knows which ones."""
        numbers = [number for _, number in self._listed(value)]
        if self.max_items is not None and len(numbers) > self.max_items:
            return [None] * self.max_items
        return numbers

    def rows(self, values: Sequence[Value], codes: Ints, draw: Draw) -> tuple[list[Value], Ints]:
        """Return what rows become."""
        listed = [self._listed(value) for value in values]
        distinct = {item: place for place, item in enumerate(dict.fromkeys(x for items in listed for x in items))}
        sizes = np.array([len(items) for items in listed], np.int64)
        starts = np.cumsum(sizes) - sizes
        flat = np.array([distinct[x] for items in listed for x in items], np.int64)
        rows = np.repeat(np.arange(len(codes)), sizes[codes])
        within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes[codes]) - sizes[codes], sizes[codes])
        items = flat[starts[codes[rows]] + within]
        drawn = draw(rows, np.array([number for _, number in distinct], np.uint64)[items])
        if self.max_items is not None:
            kept = _first(rows, drawn[3], self.max_items)
            rows, items, drawn = rows[kept], items[kept], drawn[:, kept]
        outcomes, places = self.items.column([x for x, _ in distinct], items, drawn)
        return self._sets(values, codes, outcomes, rows, places)

    def _sets(
        self, values: Sequence[Value], codes: Ints, outcomes: Sequence[Value], rows: Ints, places: Ints
    ) -> tuple[list[Value], Ints]:
        """Return the sets of the outcomes of rows, and for each row which of them."""
        known: dict[Value, int] = {}
        by_places: dict[tuple[bool, tuple[int, ...]], int] = {}
        results = np.empty(len(codes), np.int64)
        null = np.array([self._null_if_empty(value) for value in values], bool)
        ends = np.searchsorted(rows, np.arange(len(codes)), side="right").tolist()
        chosen, start = places.tolist(), 0
        for row, (end, code) in enumerate(zip(ends, codes.tolist(), strict=True)):
            key = bool(null[code]), tuple(sorted(set(chosen[start:end])))
            if key not in by_places:
                value = _joined((outcomes[i] for i in key[1]), null=key[0])
                by_places[key] = known.setdefault(value, len(known))
            results[row], start = by_places[key], end
        return list(known), results

    def _null_if_empty(self, value: Value) -> bool:
        """Tell whether a set without items is written as null; an empty set stays one, unless that is private."""
        return self.max_items is not None or value is None or len(value) > 0

    def draw_one(self, value: Value, draw: DrawOne) -> Value:
        """Return what a single set becomes."""
        drawn = [(item, draw(number)) for item, number in self._listed(value)]
        if self.max_items is not None:
            first = sorted(range(len(drawn)), key=lambda i: drawn[i][1][3])[: self.max_items]
            drawn = [drawn[i] for i in sorted(first)]
        return _joined((self.items.one(x, words) for x, words in drawn), null=self._null_if_empty(value))

    def column(self, values: Sequence[Value], codes: Ints, drawn: Words) -> tuple[list[Value], Ints]:
        """Refuse draws of whole rows: items have their own."""
        raise NotImplementedError("sets are drawn item by item: see `rows`")

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Refuse draws of a whole row: items have their own."""
        raise NotImplementedError("sets are drawn item by item: see `draw_one`")

    def log_likelihood(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before), items being independent.

        It is exact for sets after masking of up to six items. Of larger ones it is the likelihood that every item
        became one of them, which is an upper bound. Where items of a set are left out, all count, with less weight.
        """
        listed = [[item for item, _ in self._listed(value)] for value in before]
        items = list(dict.fromkeys(x for each in listed for x in each))
        place = {item: i for i, item in enumerate(items)}
        outcomes = list(dict.fromkeys(x for value in after for x in value or ()))
        likely = np.exp(self.items.log_likelihood(items, [*outcomes, None]))
        columns = {x: i for i, x in enumerate(outcomes)}
        sizes = np.array([len(each) for each in listed], np.int64)
        flat = np.array([place[x] for each in listed for x in each], np.int64)
        weights = np.ones(len(sizes)) if self.max_items is None else np.minimum(1.0, self.max_items / sizes)
        logs = np.empty((len(before), len(after)))
        starts = np.cumsum(sizes) - sizes
        for column, value in enumerate(after):
            own = [columns[x] for x in value or ()]
            logs[:, column] = _log_likelihood_of_set(likely, own, flat, starts, weights)
        return logs


def _log_likelihood_of_set(likely: Floats, own: Sequence[int], flat: Ints, starts: Ints, weights: Floats) -> Floats:
    """Return for each set before how likely its items become exactly some outcomes, by inclusion and exclusion."""

    def within(outcomes: Sequence[int]) -> Floats:
        """Return how likely all items become one of some outcomes, or null."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.minimum(likely[:, [*outcomes, -1]].sum(axis=1), 1.0))
        return weights * np.add.reduceat(logs[flat], starts)

    bound = within(own)
    if not own or len(own) > MAX_EXACT:
        return bound
    exact = np.zeros(len(starts))
    for chosen in range(2 ** len(own)):
        some = [x for i, x in enumerate(own) if chosen >> i & 1]
        exact += (-1.0) ** (len(own) - len(some)) * np.exp(within(some))
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(exact, LEAST_SHARE * np.exp(bound)))


def _joined(outcomes: Any, *, null: bool) -> Value:
    """Return the set of some outcomes, without nulls."""
    items = frozenset(x for x in outcomes if x is not None)
    return items if items or not null else None


def _first(rows: Ints, ranks: Keys, limit: int) -> Ints:
    """Return which items are kept, as places: in each row, those of the least ranks; rows are in order."""
    order = np.lexsort((ranks, rows))
    starts = np.searchsorted(rows, rows)  # rows are in order, so that those of the sorted items are the same
    kept: Ints = np.sort(order[np.arange(len(rows)) - starts < limit])
    return kept


def items_of_column(attribute: Attribute, codes: Ints, counts: Ints) -> tuple[Attribute, Ints, Ints]:
    """Return the items of a column of sets as an attribute, with the codes that occur and their counts."""
    metric = attribute.metric
    assert isinstance(metric, SetMetric)
    places = {value: code for code, value in enumerate(metric.elements.values)}
    totals: dict[int, int] = {}
    for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
        for item in attribute.values[code] or ():
            totals[places[item]] = totals.get(places[item], 0) + count
    occurring = np.array(sorted(totals), np.int64)
    item = replace(attribute, kind="text", metric=metric.elements)
    return item, occurring, np.array([totals[x] for x in occurring.tolist()], np.int64)
