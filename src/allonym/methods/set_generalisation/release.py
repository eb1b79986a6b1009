"""The releases of tables with columns of sets whose items are generalised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from allonym.arrays import Ints, distinct
from allonym.kinds.set_metric.item_tree import TOP
from allonym.methods.set_generalisation.forest import Forest
from allonym.methods.set_generalisation.group_check import GroupCheck
from allonym.methods.set_generalisation.items import ItemOccurrences
from allonym.methods.set_generalisation.km import generalised_items
from allonym.methods.set_generalisation.local import TopDown
from allonym.metric import Value
from allonym.progress import Progress, no_progress
from allonym.records import Attribute, Masking, Records
from allonym.release_key import rng_of


def generalised_globally(
    records: Records, k: int, m: int, seed: int, tick: Progress = no_progress, *, leave_out: bool = True
) -> Masking:
    """Return the release of the only column, of sets, in which every item has one replacement, or is left out."""
    items = ItemOccurrences.of(records, 0)
    node_of = generalised_items(records, items, k, m, rng_of(seed, "generalise"), tick, leave_out=leave_out)
    nodes = node_of[items.leaves]
    starts = np.searchsorted(items.tuples, np.arange(len(records) + 1))
    values = []
    for place, code in enumerate(records.codes[:, 0].tolist()):
        own = nodes[starts[place] : starts[place + 1]]
        original = records.attributes[0].metric.values[code]
        values.append(items.set_of(np.unique(own[own != TOP]).tolist()) if original else original)
    attribute, codes = _extended(records.attributes[0], values)
    groups = distinct([codes])[0]
    return Masking(np.arange(len(records)), records.counts, groups, codes[:, None], (attribute,))


def generalised_locally(
    records: Records,
    sets: Sequence[int],
    k: int,
    mask_others: Callable[[Records], Masking],
    seed: int,
    tick: Progress = no_progress,
) -> Masking:
    """Return the release in which the sets of every group are generalised alike.

    Other columns are masked first. The sets of their groups are then generalised group by group; those of suppressed
    records are null.
    """
    others = [a for a in range(len(records.attributes)) if a not in sets]
    attributes, codes = list(records.attributes), records.codes.copy()
    classes, suppressed, suppression = np.zeros(len(records), np.int64), None, None
    if others:
        part, place = _part_of(records, others)
        masked = mask_others(part)
        for column, a in enumerate(others):
            attributes[a], codes[:, a] = masked.attributes[column], masked.codes[place, column]
        classes, suppression = masked.groups[place], masked.suppression
        if masked.suppressed is not None and masked.suppressed.any():
            suppressed = masked.suppressed[place]
            classes = np.where(np.isin(classes, classes[suppressed]), -1, classes)
    forest = Forest(records, sets, [ItemOccurrences.of(records, a) for a in sets])
    ties = rng_of(seed, "generalise").permutation(len(forest))
    method = TopDown(forest, records.mass, records.counts, GroupCheck(records, k), ties)
    groups = np.zeros(len(records), np.int64)  # 0: suppressed
    values: list[list[Value]] = [[None] * len(records) for _ in sets]
    for number, group in enumerate(method.groups(classes, tick), 1):
        groups[group.tuples] = number
        for column in range(len(sets)):
            value = forest.set_of(column, group.nodes)
            for one in group.tuples.tolist():
                values[column][one] = value
    for column, a in enumerate(sets):
        attributes[a], codes[:, a] = _extended(records.attributes[a], values[column])
    groups = distinct([groups])[0]
    source, counts = np.arange(len(records)), records.counts
    return Masking(source, counts, groups, codes, tuple(attributes), suppressed, suppression=suppression)


def _part_of(records: Records, columns: Sequence[int]) -> tuple[Records, Ints]:
    """Return the records of some columns, and for every tuple its place among them."""
    tuples = np.repeat(np.arange(len(records)), records.counts) if records.inverse is None else records.inverse
    part = Records.of(
        [records.attributes[a] for a in columns],
        [records.codes[tuples, a] for a in columns],
        weights=records.weights,
        units=records.units,
        sensitive=records.sensitive,
        row_counts=records.row_counts,
    )
    assert part.inverse is not None
    place = np.zeros(len(records), np.int64)
    place[tuples] = part.inverse
    return part, place


def _extended(attribute: Attribute, values: Sequence[Value]) -> tuple[Attribute, Ints]:
    """Return an attribute with some values, and the code of each."""
    metric = attribute.metric.extend(list(dict.fromkeys(values)))
    places = {value: code for code, value in enumerate(metric.values)}
    return replace(attribute, metric=metric), np.array([places[value] for value in values], np.int64)
