"""Pairing the cells of a column with those of its release, and the links that they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, count_by, distinct
from allonym.cells import Cells, is_missing
from allonym.kinds.base import ANYTHING, Kind
from allonym.kinds.encoded_sets import EncodedSets
from allonym.measures.changes import CellPairs, Changes, changes
from allonym.ontology.linking.link import REVIEW
from allonym.pipeline.prepare import Prepared
from allonym.records import Attribute


def changes_of(
    prepared: Prepared,
    attributes: Sequence[Attribute],
    released: Mapping[str, Cells],
    codes: Mapping[str, Ints] | None = None,
) -> Changes:
    """Count the changes of a release; `codes` has the value of every row by column, if cells have other codes."""
    codes = {name: cells.codes for name, cells in released.items()} if codes is None else codes
    return changes([_cell_pairs(prepared, x, released[x.name], codes[x.name]) for x in attributes])


def _cell_pairs(prepared: Prepared, attribute: Attribute, released: Cells, codes: Ints) -> CellPairs:
    encoded = prepared.encoded[attribute.name]
    kind, original, missing = encoded.kind, encoded.cells, encoded.kind.missing
    number, _, first = distinct([original.codes, released.codes])
    was, now = original.codes[first], released.codes[first]
    unreviewed, doubtful = _links(prepared, attribute.name)
    items: dict[str, Any] = {}
    if isinstance(encoded, EncodedSets):
        items["original_items"] = [encoded.item_values(cell) for cell in original.values]
        items["released_items"] = [frozenset(kind.items(cell)) for cell in released.values]
    return CellPairs(
        attribute.name,
        attribute.metric,
        _texts(kind, original, ordered=not prepared.plan.long),
        _texts(kind, released, ordered=not prepared.plan.long),
        was,
        now,
        encoded.original_of[was],
        codes[first],
        count_by(number, len(first), prepared.row_counts),
        np.array([is_missing(x, missing) for x in original.values], bool),
        np.array([is_missing(x, missing) or x == ANYTHING for x in released.values], bool),
        unreviewed,
        doubtful,
        **items,
    )


def _texts(kind: Kind, cells: Cells, *, ordered: bool) -> list[str]:
    """Return the texts of distinct cells; in a long table, the items of a unit have no order."""
    return [kind.text(tuple(sorted(x)) if isinstance(x, tuple) and not ordered else x) for x in cells.values]


def _links(prepared: Prepared, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which distinct cells rest on links that nobody reviewed, and which of these links need review."""
    cells, links = prepared.encoded[name].cells, prepared.links.get(name, ())
    unreviewed, doubtful = np.zeros(len(cells.values), bool), np.zeros(len(cells.values), bool)
    open_links = [x.unreviewed for x in links]
    if any(open_links):
        for place, words in enumerate(map(prepared.encoded[name].kind.words_of, cells.values)):
            statuses = {own[word] for own in open_links for word in words if word in own}
            unreviewed[place], doubtful[place] = bool(statuses), REVIEW in statuses
    return unreviewed, doubtful
