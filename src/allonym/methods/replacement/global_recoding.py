"""Global recoding by meaning: within a column, equal values have the same replacement in all records.

Every column has a tree of its values, by meaning. At first, one cluster has all values of a column. Clusters are split
along the trees, one at a time, while every class of equal records holds what is promised (cf. top-down specialisation,
Fung, Wang and Yu 2005): the split that saves most comes first. Other runs prefer splits that
add few classes, or split columns first that would be empty. Of those with the fewest empty columns, the one that loses
least is taken.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, count_units, distinct, sum_by
from allonym.errors import Problem
from allonym.methods.groups import Groups
from allonym.methods.replacement.value_tree import ValueTree
from allonym.methods.represent import represent
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.progress import Progress
from allonym.records import Attribute, Masking, Records, Suppression

Bools = NDArray[np.bool_]
GLOBAL = "global"
MIN_SAVED = 1e-9  # a split that saves less is none
MAX_OTHERS = 3  # classes that are suppressed so that suppressed records are a class


def recoded(records: Records, k: int, representative: str, suppress: float, tick: Progress) -> Masking:
    """Return the masking in which equal values of a column have one replacement, suppressed records aside."""
    trees = [ValueTree(records, a, k, representative) for a in range(len(records.attributes))]
    budget = math.floor(suppress * records.n + 1e-9)
    recodings = []
    for by_classes, fill_first in itertools.product((False, True), repeat=2):
        recodings.append(_Recoding(records, k, representative, trees, budget))
        recodings[-1].run(tick, by_classes=by_classes, fill_first=fill_first)
    return min(recodings, key=lambda x: (len(x.empty), x.loss)).masking()


def conflicts(method: Any, stated: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what cannot be combined with global recoding, given a method, and which of its parameters are stated."""
    no_groups = "replace = global makes clusters of values, no groups of records"
    if method.represent == "member":
        text = "replace = global represents clusters of values, of which none is a member for all."
        yield Problem("global-member", text, "choose represent = truthful, centroid or subsumer.")
    if stated.get("refine"):
        yield Problem("global-refine", f"{no_groups}: refine cannot improve them.", "leave refine out.")
    if getattr(method, "suppress_cells", False):
        text = "suppress_cells empties single cells, so that equal values would not have one replacement."
        yield Problem("global-cells", text, "leave suppress_cells out; suppress suppresses whole records.")


class _Holding:
    """Which classes of tuples hold what is promised: k units, and the requirements of sensitive columns."""

    def __init__(self, records: Records, k: int) -> None:
        self.records, self.k = records, k
        self.check = None if records.sensitive is None else RequirementCheck(records.sensitive, records.units)

    def lacking(self, tuples: Ints, classes: Ints) -> Bools:
        """Return which of some tuples are in a class that lacks something; all tuples of a class are given."""
        number, records = int(classes.max(initial=-1)) + 1, self.records
        if records.units is None and self.check is None:
            return (sum_by(classes, records.counts[tuples].astype(np.float64), number) < self.k)[classes]
        assert records.inverse is not None
        class_of = np.full(len(records), -1, np.int64)
        class_of[tuples] = classes
        rows = class_of[records.inverse]
        some = rows >= 0
        units = None if records.units is None else records.units[some]
        if units is None:
            sizes = sum_by(classes, records.counts[tuples].astype(np.float64), number)
        else:
            sizes = count_units(rows[some], units, number).astype(np.float64)
        return ((sizes < self.k) | (self._lacks(rows[some], some, units, number) > 0))[classes]

    def _lacks(self, classes: Ints, some: Bools, units: Ints | None, number: int) -> Floats:
        """Return what each class lacks of the requirements of sensitive columns."""
        lacks, sensitive = np.zeros(number), self.records.sensitive
        if sensitive is None or self.check is None:
            return lacks
        for requirement in sensitive.requirements:
            codes, counts = sensitive.codes[requirement.column], sensitive.each(requirement.column)
            held = SensitiveCounts.of(classes, codes[some], counts[some], units)
            lacks[np.unique(classes)] += self.check.lacking(requirement, held)
        return lacks


@dataclass(frozen=True, eq=False)
class _Split:
    """A cluster in several parts: the tuples that have it, the part of each, its distance, and which lack something."""

    attribute: int
    tuples: Ints
    nodes: Ints
    far: Floats
    lacks: Bools  # of all tuples
    saved: float  # of Σ ω·d²
    classes: int  # that are added


class _Recoding:
    """The cut of each tree: the node of every tuple and attribute, its distance, and which tuples are suppressed."""

    def __init__(self, records: Records, k: int, representative: str, trees: Sequence[ValueTree], budget: int) -> None:
        self.records, self.k, self.representative, self.trees, self.budget = records, k, representative, trees, budget
        self.holding = _Holding(records, k)
        every = np.arange(len(records))
        self.nodes = np.empty_like(records.codes)
        self.far = np.empty(records.codes.shape)
        for a, tree in enumerate(trees):
            self.nodes[:, a] = len(tree.nodes) - 1
            self.far[:, a] = self._far(a, every, len(tree.nodes) - 1)
        self.lacks = np.zeros(len(records), bool)
        self.lost = sum((s * c[x] for s, c, x in zip(records.shares, records.null_costs, records.codes.T, strict=True)),
                        start=np.zeros(len(records)))  # what a suppressed tuple loses  # fmt: skip

    def run(self, tick: Progress, *, by_classes: bool, fill_first: bool) -> None:
        """Split clusters, the split that saves most first, while every class holds what is promised.

        By classes: that saves most for each class that it adds, on a logarithmic scale. Fill first: at first, only
        attributes are split in which all values would be null.
        """
        total = sum(tree.leaves for tree in self.trees)
        while True:
            tick(sum(len(np.unique(column)) for column in self.nodes.T), total)
            first = self.empty if fill_first else []
            splits = [split for a in first or range(len(self.trees)) for split in self._splits(a)]
            if first and not splits:
                fill_first = False
                continue
            if not splits:
                return
            number = len(distinct(list(self.nodes.T))[1])
            growth = [math.log1p(x.classes / number) + MIN_SAVED if by_classes else 1.0 for x in splits]
            best = splits[int(np.argmax(np.array([x.saved for x in splits]) / growth))]
            self.nodes[best.tuples, best.attribute] = best.nodes
            self.far[best.tuples, best.attribute] = best.far
            self.lacks = best.lacks

    def _far(self, a: int, tuples: Ints, place: int) -> Floats:
        node = self.trees[a].nodes[place]
        return node.far[np.searchsorted(node.codes, self.records.codes[tuples, a])]

    def _splits(self, a: int) -> Iterator[_Split]:
        """Yield the ways to split the clusters of an attribute."""
        for place in np.unique(self.nodes[:, a]).tolist():
            ways = self.trees[a].splits(place)
            tuples = np.flatnonzero(self.nodes[:, a] == place) if ways else self.nodes[:0, a]
            splits = (self._split(a, tuples, parts) for parts in ways)
            yield from (x for x in splits if x is not None and x.saved > MIN_SAVED and self._holds(x.lacks))

    def _split(self, a: int, tuples: Ints, parts: tuple[int, ...]) -> _Split | None:
        """Return what a split would do; None, if it would save nothing."""
        nodes, far = np.empty(len(tuples), np.int64), np.empty(len(tuples))
        for part in parts:
            own = np.isin(self.records.codes[tuples, a], self.trees[a].nodes[part].codes)
            nodes[own], far[own] = part, self._far(a, tuples[own], part)
        distances = self.far.copy()
        distances[tuples, a] = far
        if self.loss - self._loss(distances, self.lacks) <= MIN_SAVED:
            return None
        before = distinct(list(self.nodes[tuples].T))[1]
        classes = distinct([nodes if b == a else self.nodes[tuples, b] for b in range(len(self.trees))])[0]
        lacks = self.lacks.copy()
        lacks[tuples] = self.holding.lacking(tuples, classes)
        lacks = self._with_others(lacks, a, tuples, nodes)
        saved = self.loss - self._loss(distances, lacks)
        return _Split(a, tuples, nodes, far, lacks, saved, int(classes.max(initial=0)) + 1 - len(before))

    def _with_others(self, lacks: Bools, a: int, tuples: Ints, nodes: Ints) -> Bools:
        """Add the smallest classes to those that would be suppressed, if these are too few to be a class."""
        if self._holds(lacks) or self.records.counts[lacks].sum() > self.budget:
            return lacks
        columns = self.nodes.copy()
        columns[tuples, a] = nodes
        class_of = distinct(list(columns.T))[0]
        rows = sum_by(class_of, self.records.counts.astype(np.float64), int(class_of.max()) + 1)
        rows[class_of[lacks]] = np.inf
        wider = lacks
        for smallest in np.argsort(rows, kind="stable")[:MAX_OTHERS].tolist():
            wider = wider | (class_of == smallest)
            if self._holds(wider):
                return wider
        return lacks

    def _loss(self, far: Floats, lacks: Bools) -> float:
        """Return Σ ω·d², with tuples that lack something suppressed."""
        return float(self.records.mass @ np.where(lacks, self.lost, far @ self.records.shares) ** 2)

    @property
    def empty(self) -> list[int]:
        """The attributes in which null would represent all values, although they differ."""
        cuts = [np.unique(column).tolist() for column in self.nodes.T]
        return [a for a, cut in enumerate(cuts) if all(self.trees[a].nodes[place].null for place in cut)]

    @property
    def loss(self) -> float:
        """Σ ω·d² of the cut."""
        return self._loss(self.far, self.lacks)

    def _holds(self, lacks: Bools) -> bool:
        """Tell whether the records of classes that lack something may be suppressed, as one class, or are none."""
        rows = int(self.records.counts[lacks].sum())
        if not rows or rows > self.budget:
            return not rows
        tuples = np.flatnonzero(lacks)
        return not self.holding.lacking(tuples, np.zeros(len(tuples), np.int64)).any()

    def masking(self) -> Masking:
        """Return what becomes of the tuples; those of classes that lack something are suppressed."""
        records, lacks = self.records, self.lacks
        recoded = [self._recoded(a) for a in range(len(records.attributes))]
        attributes = tuple(attribute for attribute, _ in recoded)
        codes = np.stack([column for _, column in recoded], axis=1)
        if lacks.any():
            attributes = tuple(replace(x, metric=x.metric.extend([None])) for x in attributes)
            codes[lacks] = [x.values.index(None) for x in attributes]
        missing = [np.array([v is None for v in x.values], bool) for x in records.attributes]
        empty = np.all([missing[a][records.codes[:, a]] for a in range(len(attributes))], axis=0)
        suppressed = lacks & ~empty
        groups = distinct(list(codes.T))[0]
        told = Suppression(self.budget, int(records.counts[suppressed].sum())) if self.budget else None
        source, flags = np.arange(len(records)), suppressed if lacks.any() else None
        return Masking(source, records.counts, groups, codes, attributes, flags, suppression=told)

    def _recoded(self, a: int) -> tuple[Attribute, Ints]:
        """Return an attribute with what represents its clusters, and the code of every tuple."""
        records = self.records
        rows = records.codes[:, a] if records.inverse is None else records.codes[records.inverse, a]
        if records.inverse is None:
            rows = np.repeat(rows, records.counts)
        own: dict[str, Any] = {"weights": records.weights, "units": records.units, "row_counts": records.row_counts}
        column = Records.of([records.attributes[a]], [rows], **own)
        node_of = np.zeros(len(records.attributes[a].values), np.int64)
        node_of[records.codes[:, a]] = self.nodes[:, a]
        cluster = node_of[column.codes[:, 0]]
        groups = Groups.of(np.stack([np.arange(len(column)), column.counts, cluster], axis=1))
        codes, attributes = represent(column, groups, self.k, [records.attributes[a].metric], self.representative)
        becomes = np.zeros(len(node_of), np.int64)
        becomes[column.codes[groups.source, 0]] = codes[:, 0]
        return attributes[0], becomes[records.codes[:, a]]
