"""What does a release promise? Privacy models, counted on groups of records that look alike.

Where there are units, a person's value counts once in a group. Null is a value like any other.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from allonym.arrays import Floats, Ints, distinct, sum_by
from allonym.errors import OptionError
from allonym.privacy.t_closeness import Closeness
from allonym.records import Attribute, Pairs, Requirement, SensitiveColumns

COMBINATIONS = 5_000_000  # of items that are counted
RECURSIVE = 3.0  # c of (c, l)-diversity
TOLERANCE = 1e-9  # figures that are nearer count as equal
CELLS = 4_000_000  # of groups × values at a time


def k_anonymity(pairs: Pairs) -> int:
    """Return the size of the smallest group, in persons."""
    sizes = pairs.sizes[pairs.sizes > 0]
    return int(sizes.min()) if sizes.size else 0


def km_anonymity(
    sets: Sequence[frozenset[Hashable]], counts: Sequence[int], k: int, m: int, units: Sequence[int] | None = None
) -> tuple[int, int]:
    """Return by how many records the rarest combination of up to m items is held, and how many are held by less than k.

    k^m-anonymity (Terrovitis et al. 2008) holds if that is none: who knows m items of somebody finds k records. Units
    are counted, if these are given, one for each set.

    >>> baskets = [frozenset({"milk", "bread"}), frozenset({"milk"})]
    >>> km_anonymity(baskets, [2, 3], k=3, m=1), km_anonymity(baskets, [2, 3], k=2, m=2)
    ((2, 1), (2, 0))
    """
    number = sum(math.comb(len(x), size) for x in sets for size in range(1, m + 1))
    if number > COMBINATIONS:
        raise OptionError(
            f"The sets have {number:,} combinations of up to {m} items, more than {COMBINATIONS:,}.",
            hint="ask for fewer items.",
        )
    held: Counter[frozenset[Hashable]] = Counter()
    own: dict[int, set[frozenset[Hashable]]] = {}
    for place, (items, count) in enumerate(zip(sets, counts, strict=True)):
        found = {frozenset(x) for size in range(1, m + 1) for x in itertools.combinations(items, size)}
        if units is None:
            held.update(dict.fromkeys(found, count))
        else:
            own.setdefault(units[place], set()).update(found)
    for found in own.values():
        held.update(found)
    return min(held.values(), default=0), sum(n < k for n in held.values())


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """What groups, numbered without gaps, hold of a sensitive column: a group, a value, and how often it holds it."""

    groups: Ints
    values: Ints
    counts: Floats
    number: int  # of groups

    @classmethod
    def of(cls, groups: Ints, values: Ints, counts: Floats, units: Ints | None = None) -> SensitiveCounts:
        """Count what some rows hold; a person's value counts once in a group."""
        groups = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        if units is not None and groups.size:
            _, _, first = distinct([groups, values, units])
            groups, values, counts = groups[first], values[first], np.ones(len(first))
        if not groups.size:
            return cls(groups, values, counts, 0)
        number, _, first = distinct([groups, values])
        return cls(groups[first], values[first], sum_by(number, counts, len(first)), int(groups.max()) + 1)

    def distinct(self) -> Floats:
        """Return how many different values each group has (distinct l-diversity, and p-sensitivity)."""
        return np.bincount(self.groups, minlength=self.number).astype(np.float64)

    def entropy(self) -> Floats:
        """Return exp of the entropy of each group's values (Machanavajjhala et al. 2007)."""
        shares = self.counts / sum_by(self.groups, self.counts, self.number)[self.groups]
        return np.exp(sum_by(self.groups, -shares * np.log(shares), self.number))

    def recursive(self, c: float) -> Floats:
        """Return for each group the largest l with r₁ < c·(r_l + … + r_m), r its values' counts from the largest on."""
        order = np.lexsort((-self.counts, self.groups))
        groups, counts = self.groups[order], self.counts[order]
        first = np.flatnonzero(np.diff(groups, prepend=-1))
        before = np.cumsum(counts) - counts
        tail = np.add.reduceat(counts, first)[groups] - (before - before[first][groups])
        return np.add.reduceat(counts[first][groups] < c * tail - 1e-9, first).astype(np.float64)

    def shares(self, codes: Ints) -> Iterator[Floats]:
        """Yield which share each value has in each group, some groups at a time."""
        place = np.searchsorted(codes, self.values)
        height = max(CELLS // max(len(codes), 1), 1)
        for low in range(0, self.number, height):
            part = (self.groups >= low) & (self.groups < low + height)
            cells = np.zeros((min(height, self.number - low), len(codes)))
            cells[self.groups[part] - low, place[part]] = self.counts[part]
            yield cells / cells.sum(axis=1, keepdims=True)

    def closeness(self, attribute: Attribute) -> Closeness:
        """Return what tells how far other distributions are from that of the first group."""
        return Closeness(attribute, self.values, self.counts / self.counts.sum())


def l_diversity(pairs: Pairs, column: int) -> int:
    """Return the least number of different sensitive values in a group (distinct l-diversity, and p-sensitivity)."""
    return int(min(held_by(pairs, column).distinct(), default=0))


def entropy_l_diversity(pairs: Pairs, column: int) -> float:
    """Return exp of the least entropy of a group's sensitive values (Machanavajjhala et al. 2007)."""
    return float(min(held_by(pairs, column).entropy(), default=0.0))


def recursive_l_diversity(pairs: Pairs, column: int, c: float = RECURSIVE) -> int:
    """Return the largest l with r₁ < c·(r_l + … + r_m) in every group, r its values' counts from the largest on."""
    held = held_by(pairs, column)
    return int(min(held.recursive(c), default=0)) if held.number else 0


def t_closeness(pairs: Pairs, column: int) -> float:
    """Return the largest distance between the sensitive values of a group and those of the table (Li et al. 2007).

    The table is all of it, suppressed records too: their sensitive values are there to be seen.
    """
    assert pairs.sensitive_codes is not None
    nobody = np.zeros(len(pairs.counts), np.int64)
    table = SensitiveCounts.of(nobody, pairs.sensitive_codes[:, column], pairs.counts.astype(np.float64), pairs.units)
    return _farthest(held_by(pairs, column), table, pairs.sensitive[column])


def _farthest(held: SensitiveCounts, table: SensitiveCounts, attribute: Attribute) -> float:
    """Return the largest distance of what a group holds to what the table does."""
    closeness, largest = table.closeness(attribute), 0.0
    for cells in held.shares(table.values):
        largest = closeness.largest(cells, largest)
    return largest


def told_by_group(pairs: Pairs, column: int) -> float:
    """Return for which share of people (%) the group has one sensitive value only: who finds the group knows it."""
    held = held_by(pairs, column)
    alone = held.distinct()[held.groups] == 1
    return 100 * float(held.counts[alone].sum() / held.counts.sum()) if held.number else 0.0


def guessed_by_group(pairs: Pairs, column: int) -> float:
    """Return how often (%) the most frequent sensitive value of a person's group is the person's own."""
    held = held_by(pairs, column)
    most = np.zeros(held.number)
    np.maximum.at(most, held.groups, held.counts)
    return 100 * float(most.sum() / held.counts.sum()) if held.number else 0.0


def held_by(pairs: Pairs, column: int) -> SensitiveCounts:
    """Return what the groups of a release hold of a sensitive column."""
    assert pairs.sensitive_codes is not None
    here = pairs.groups >= 0
    units = None if pairs.units is None else pairs.units[here]
    return SensitiveCounts.of(
        pairs.groups[here], pairs.sensitive_codes[here, column], pairs.counts[here].astype(np.float64), units
    )


MODELS = {
    "l-diversity": "distinct l-diversity",
    "entropy-l-diversity": "entropy l-diversity",
    "recursive-l-diversity": "recursive (c,l)-diversity",
    "p-sensitive": "p-sensitive k-anonymity",
    "t-closeness": "t-closeness",
}  # what may be demanded, and what it is called


def enough(requirement: Requirement, figure: float) -> bool:
    """Tell whether a figure is what is asked for."""
    if requirement.model == "t-closeness":
        return figure <= requirement.asked + TOLERANCE
    return figure >= requirement.asked - TOLERANCE


class RequirementCheck:
    """Demands on sensitive columns, and what the table has of each: tells what groups lack."""

    def __init__(self, sensitive: SensitiveColumns, units: Ints | None) -> None:
        self.requirements, self.attributes = sensitive.requirements, sensitive.attributes
        self.tables = [
            SensitiveCounts.of(np.zeros_like(codes), codes, sensitive.each(x), units)
            for x, codes in enumerate(sensitive.codes)
        ]
        self.closeness = [t.closeness(x) for t, x in zip(self.tables, sensitive.attributes, strict=True)]

    def figure(self, requirement: Requirement, held: SensitiveCounts) -> float:
        """Return what all groups reach."""
        if requirement.model == "t-closeness":
            return _farthest(held, self.tables[requirement.column], self.attributes[requirement.column])
        return float(min(_figures(requirement, held), default=0.0))

    def lacking(self, requirement: Requirement, held: SensitiveCounts) -> Floats:
        """Return how much each group lacks, as a share of what is asked, or less; 0, where the demand holds."""
        if requirement.model == "t-closeness":
            parts = held.shares(self.tables[requirement.column].values)
            missing = np.concatenate([self.closeness[requirement.column].beyond(x, requirement.asked) for x in parts])
        else:
            missing = requirement.asked - _figures(requirement, held)
        return np.where(missing > TOLERANCE, missing / requirement.asked, 0.0)


def _figures(requirement: Requirement, held: SensitiveCounts) -> Floats:
    """Return the diversity of each group."""
    if requirement.model == "entropy-l-diversity":
        return held.entropy()
    return held.recursive(requirement.c) if requirement.model == "recursive-l-diversity" else held.distinct()
