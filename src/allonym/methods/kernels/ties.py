"""When distances are ties, and in which order these are broken: by the seed, never by the spelling of values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.metric import Value
from allonym.records import Attribute, Masking, Records

DIGITS = 12  # distances that agree to so many decimals are ties


def rounded(distances: Floats) -> Floats:
    """Return distances in units of the last digit that counts.

    >>> rounded(np.array([0.1 + 0.2, 0.3])).tolist()
    [300000000000.0, 300000000000.0]
    """
    return np.rint(distances * 10.0**DIGITS)


@dataclass(frozen=True)
class TieOrder:
    """Records in the order in which ties are broken, and how they were ordered before.

    Tuples come as they would first come if the rows were shuffled by the seed; values without an order of their own
    have codes in the order in which the tuples have them.
    """

    original: Records
    records: Records
    order: Ints  # the place of every tuple in the original
    codes: tuple[Ints | None, ...]  # for each attribute the original code of every code; None: the same

    @classmethod
    def drawn(cls, records: Records, rng: np.random.Generator) -> TieOrder:
        """Draw an order."""
        canonical = _canonical_order(records)
        draws = np.empty(len(records))
        draws[canonical] = rng.exponential(size=len(records))
        order = canonical[np.argsort((draws / records.counts)[canonical], kind="stable")]
        attributes, columns, codes = [], [], []
        for attribute, column in zip(records.attributes, records.codes[order].T, strict=True):
            own = None if attribute.metric.ordered else _first_seen(column, len(attribute.values))
            codes.append(own)
            attributes.append(attribute if own is None else _recoded(attribute, own))
            columns.append(column if own is None else _inverse(own)[column])
        publishable = None if records.publishable is None else records.publishable[order]
        inverse = None if records.inverse is None else _inverse(order)[records.inverse]
        new = replace(
            records,
            attributes=tuple(attributes),
            codes=np.stack(columns, axis=1),
            counts=records.counts[order],
            inverse=inverse,
            publishable=publishable,
        )
        costs = (x if own is None else x[own] for x, own in zip(records.null_costs, codes, strict=True))
        new.__dict__["null_costs"] = tuple(costs)  # of the columns as they are, whatever order is drawn
        return cls(records, new, order, tuple(codes))

    def restored(self, masking: Masking) -> Masking:
        """Return a masking of the drawn records as one of the original ones."""
        attributes, columns = [], []
        each = zip(self.original.attributes, masking.attributes, masking.codes.T, self.codes, strict=True)
        for before, after, codes, own in each:
            if own is None:
                attributes.append(after)
                columns.append(codes)
                continue
            metric = before.metric.extend(after.values)
            places = {value: code for code, value in enumerate(metric.values)}
            columns.append(np.array([places[value] for value in after.values], np.int64)[codes])
            attributes.append(replace(after, metric=metric, hierarchy=before.hierarchy))
        return replace(
            masking,
            source=self.order[masking.source],
            codes=np.stack(columns, axis=1),
            attributes=tuple(attributes),
        )


def _canonical_order(records: Records) -> Ints:
    """Return the tuples in an order that is the same however the values, and the tuples, were numbered."""
    ranks = []
    for attribute, column in zip(records.attributes, records.codes.T, strict=True):
        keys = [_key(value) for value in attribute.values]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        ranks.append(_inverse(np.array(order, np.int64))[column])
    return np.lexsort(ranks)


def _key(value: Value) -> str:
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


def _first_seen(column: Ints, size: int) -> Ints:
    """Return the codes in the order in which a column has them; those that it does not have come last."""
    first = np.full(size, len(column))
    np.minimum.at(first, column, np.arange(len(column)))
    return np.argsort(first, kind="stable")


def _inverse(order: Ints) -> Ints:
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places


def _recoded(attribute: Attribute, codes: Ints) -> Attribute:
    """Return an attribute whose values are in another order."""
    tree = None if attribute.hierarchy is None else attribute.hierarchy.restricted_to(codes)
    return replace(attribute, metric=attribute.metric.restricted_to(codes), hierarchy=tree)
