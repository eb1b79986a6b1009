"""Columns that are swapped as one: their distinct combinations of values, and which of these may take places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.methods.swapping.orders import is_drawn, order_of_tuples, order_of_values
from allonym.ontology.narrower import broader
from allonym.records import Attribute, Records

ALL = "all"


@dataclass(frozen=True, eq=False)
class SwappedTable:
    """A table as it is swapped: leaves below concepts are their concepts, whose text may stand for others."""

    records: Records  # all tuples different
    tuples: Ints  # for every tuple of the table, its place among these
    becomes: tuple[Ints, ...]  # for each column, what every code is swapped as; words that were suppressed are null

    @classmethod
    def of(cls, records: Records) -> SwappedTable:
        """Return a table as it is swapped."""
        attributes, becomes = [], []
        for a, attribute in enumerate(records.attributes):
            metric = attribute.metric.extend([broader(x) for x in attribute.values])
            place = {value: code for code, value in enumerate(metric.values)}
            held = sum_by(records.codes[:, a], records.counts.astype(np.float64), len(attribute.values))
            gone = [isinstance(x, str) and None in place and not held[code] for code, x in enumerate(attribute.values)]
            values = [None if no else broader(x) for x, no in zip(attribute.values, gone, strict=True)]
            attributes.append(replace(attribute, metric=metric))
            becomes.append(np.array([place[x] for x in values], np.int64))
        columns = [own[records.codes[:, a]] for a, own in enumerate(becomes)]
        tuples, _, first = distinct(columns)
        counts = sum_by(tuples, records.counts.astype(np.float64), len(first)).astype(np.int64)
        codes = np.stack(columns, axis=1)[first]
        return cls(Records(tuple(attributes), codes, counts), tuples, tuple(becomes))


@dataclass(frozen=True, eq=False)
class Block:
    """One column, or several that are swapped as one. A kind is a combination of their values."""

    attributes: tuple[Attribute, ...]
    shares: Floats  # the weights of the columns
    columns: tuple[int, ...]  # their places among all columns
    kinds: Ints  # the kind of every tuple
    codes: Ints  # of every kind
    counts: Ints  # how many rows have each kind
    strata: Ints  # kinds with equal numbers are missing in the same columns, and exchange rows with each other only

    @classmethod
    def of(cls, records: Records, columns: Sequence[int]) -> Block:
        """Return some columns of a table as a block."""
        kinds, _, first = distinct([records.codes[:, a] for a in columns])
        codes = records.codes[first][:, list(columns)]
        counts = sum_by(kinds, records.counts.astype(np.float64), len(first)).astype(np.int64)
        attributes = tuple(records.attributes[a] for a in columns)
        missing = [_missing(x)[codes[:, a]].astype(np.int64) for a, x in enumerate(attributes)]
        return cls(
            attributes, records.shares[list(columns)], tuple(columns), kinds, codes, counts, distinct(missing)[0]
        )

    @property
    def name(self) -> str:
        """The names of the columns, for random draws."""
        return ", ".join(x.name for x in self.attributes)

    def ranked(self, order: str, rng: np.random.Generator) -> Ints:
        """Return the kinds in an order by meaning, stratum by stratum."""
        ordered = []
        for stratum in range(int(self.strata.max(initial=-1)) + 1):
            own = np.flatnonzero(self.strata == stratum)
            if len(self.columns) > 1:
                ordered.append(own[order_of_tuples(self.attributes, self.shares, self.codes[own])])
            elif len(own) == 1:
                ordered.append(own)
            else:
                codes = order_of_values(self.attributes[0], self.codes[own, 0], self.counts[own], order, rng)
                ordered.append(own[np.searchsorted(self.codes[own, 0], codes)])
        return np.concatenate(ordered)

    @property
    def drawn(self) -> bool:
        """Whether the order of the kinds is drawn, at least in part."""
        return len(self.columns) == 1 and is_drawn(self.attributes[0], self.codes[:, 0])


def _missing(attribute: Attribute) -> Ints:
    return np.array([value is None for value in attribute.values], np.int64)


def named_groups(together: str) -> list[list[str]]:
    """Return the names of the columns of each group that is swapped as one.

    >>> named_groups("job, industry; city, region")
    [['job', 'industry'], ['city', 'region']]
    """
    groups = ([name.strip() for name in group.split(",")] for group in together.split(";"))
    return [[name for name in group if name] for group in groups if group != [""]]


def blocks_of(records: Records, together: str) -> Iterator[Block]:
    """Yield the blocks of a table: the groups of columns that are swapped as one, and the other columns alone."""
    names = [x.name for x in records.attributes]
    groups = [names] if together.strip() == ALL and ALL not in names else named_groups(together)
    grouped = {name for group in groups for name in group}
    for name in names:
        if name not in grouped:
            yield Block.of(records, [names.index(name)])
    for group in groups:
        yield Block.of(records, sorted(names.index(name) for name in group))
