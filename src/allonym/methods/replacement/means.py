"""The mean that represents the numbers of each group, unless it would reveal the number of a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, distinct, sum_by
from allonym.kinds.dominance import Bounds, GroupNumbers, protected, reveal_nobody
from allonym.kinds.ranges.numeric_metric import MEDIAN, NumericMetric
from allonym.methods.groups import Groups
from allonym.metric import Metric, Value
from allonym.records import Attribute, Records, piece_of_rows

Bools = NDArray[np.bool_]
MIN_UNITS_OF_MEAN = 2  # units whose numbers make a mean


class GroupMeans:
    """The numbers that the persons of each group have in an attribute, and the means that may be written.

    A person counts by its survey weight, if there are weights; in a group where one has more than half of the weight,
    every person counts once.

    Args:
        records: the table.
        groups: the groups of its tuples.
        a: the attribute.
        metric: the metric by which numbers are averaged.
        rare: by code, which numbers fewer than k units hold; they are never written as they stand.
    """

    def __init__(self, records: Records, groups: Groups, a: int, metric: Metric, rare: Bools) -> None:
        self.metric, self.rare, self.coded = metric, rare, 0  # how many groups have another value than their mean
        self.codes, self.mass, self.group = records.codes[groups.source, a], groups.mass(records), groups.group
        self.piece_starts = np.searchsorted(groups.group, np.arange(len(groups) + 1))
        self._rare_values: frozenset[Value] = frozenset(metric.values[c] for c in np.flatnonzero(rare).tolist())
        numbers = _numbers_of(records.attributes[a])
        self.bounds = Bounds(float(np.nanmin(numbers, initial=np.inf)), float(np.nanmax(numbers, initial=-np.inf)))
        own = numbers[self.codes]
        known = ~np.isnan(own)
        if records.units is None and records.weights is None:
            rows = pieces = np.repeat(np.arange(len(own)), np.where(known, groups.share, 0))
            person = first = np.arange(len(pieces))
            votes = weights = np.ones(len(pieces))
        else:
            piece = piece_of_rows(records, groups.source, groups.share)
            rows = np.flatnonzero(known[piece])
            pieces = piece[rows]
            weights = np.ones(len(rows)) if records.weights is None else records.weights[rows]
            person, counts, first = distinct(
                [groups.group[pieces], rows if records.units is None else records.units[rows]]
            )
            votes = 1 / counts[person]
        self.group_of_person = groups.group[pieces[first]]
        self.votes = sum_by(pieces, votes, len(own))  # what each piece counts if a person counts once
        self.weights = sum_by(person, weights, len(first))
        self.once = sum_by(person, votes * own[pieces], len(first))  # the mean of each person's numbers
        weighted = sum_by(person, weights * own[pieces], len(first))
        self.weighted = np.divide(weighted, self.weights, out=self.once.copy(), where=self.weights > 0)
        self.starts = np.searchsorted(self.group_of_person, np.arange(len(groups) + 1))
        heaviest = np.zeros(len(groups))
        np.maximum.at(heaviest, self.group_of_person, self.weights)
        self.one_vote_each = heaviest * 2 > sum_by(self.group_of_person, self.weights, len(groups))

    def means(self, wanted: Iterable[int]) -> dict[int, Value]:
        """Return what is written for some groups."""
        plain = self.plain_means()
        return {g: plain[g] if g in plain else self.mean(g) for g in wanted}

    def plain_means(self) -> dict[int, float]:
        """Return the means of groups that `mean` would return as they are, computed for all of them together.

        Groups for which this is not sure are left out.
        """
        metric, number = self.metric, len(self.one_vote_each)
        if not isinstance(metric, NumericMetric) or metric.representation.by == MEDIAN:
            return {}
        fair = np.where(self.one_vote_each[self.group], self.votes, self.mass)
        value, counts, first = distinct([self.group, self.codes])  # the numbers of each group, each once
        codes, group, total = self.codes[first], self.group[first], sum_by(value, fair, len(counts))
        weight = sum_by(group, total, number)
        sure = (weight > 0) & (np.diff(self.starts) >= MIN_UNITS_OF_MEAN)
        alone = (np.bincount(group, minlength=number) == 1)[group]  # the only number of its group
        own_rule = type(metric).centroid is not NumericMetric.centroid
        sure[group[metric.unlinked[codes] | (alone & (self.rare[codes] | own_rule))]] = False
        places = np.flatnonzero(sure)
        sums = sum_by(group, np.where(metric.unlinked[codes], 0.0, metric.numbers[codes]) * total, number)
        means = np.array([metric.rounded(x) for x in (sums[places] / weight[places]).tolist()], np.float64)
        persons = sure[self.group_of_person]
        once = self.one_vote_each[self.group_of_person[persons]]
        values = np.where(once, self.once[persons], self.weighted[persons])
        weights = np.where(once, 1.0, self.weights[persons])
        place = np.searchsorted(places, self.group_of_person[persons])
        harmless = reveal_nobody(place, values, weights, means, metric.rule, self.bounds, metric.decimals)
        found = dict(zip(places[harmless].tolist(), means[harmless].tolist(), strict=True))
        return {g: mean for g, mean in found.items() if mean not in self._rare_values}

    def mean(self, g: int) -> Value:
        """Return the mean of the numbers of several persons; null, if it would be the number of one, or a rare one.

        Where weights would make the mean the number of few, every person counts once. Where the mean would reveal a
        number that stands out, another value is returned.
        """
        pieces, persons = slice(*self.piece_starts[g : g + 2]), slice(*self.starts[g : g + 2])
        metric, rare, codes, votes = self.metric, self.rare, self.codes[pieces], self.votes[pieces]
        known = np.array([metric.values[c] is not None for c in codes], bool)
        numbers = np.unique(codes[known])
        if persons.stop - persons.start < MIN_UNITS_OF_MEAN or (len(numbers) == 1 and rare[numbers[0]]):
            return None
        once, otherwise = bool(self.one_vote_each[g]), None
        fair = votes if once else self.mass[pieces]
        mean = metric.centroid(codes, fair)
        if isinstance(metric, NumericMetric) and metric.representation.by == MEDIAN:
            return metric.hidden(mean) if mean in {metric.numbers[c] for c in numbers if rare[c]} else mean
        held = {metric.values[c] for c in numbers if rare[c]}
        heaviest = sum_by(codes[known], fair[known], int(codes.max()) + 1).max() * 2 > fair[known].sum()
        if mean in held and heaviest and mean is not None:
            mean, once = metric.centroid(codes[known], votes[known]), True
            otherwise = self._of_persons(persons, once=bool(self.one_vote_each[g]))
        if mean is None or not isinstance(metric, NumericMetric):
            return mean
        group = replace(self._of_persons(persons, once=once), otherwise=otherwise)
        value, coded = protected(group, mean, metric.rule, held)
        self.coded += coded
        return metric.beside(value, self._rare_values)

    def _of_persons(self, persons: slice, *, once: bool) -> GroupNumbers:
        """Return the numbers of persons who count once each, or by their weights."""
        assert isinstance(self.metric, NumericMetric)
        values = (self.once if once else self.weighted)[persons]
        weights = np.ones(len(values)) if once else self.weights[persons]
        return GroupNumbers.of(values, weights, self.bounds, self.metric.decimals)


def _numbers_of(attribute: Attribute) -> Floats:
    """Return the values of an attribute as numbers, a range by its middle; null is NaN."""
    if isinstance(attribute.metric, NumericMetric):
        return attribute.metric.numbers
    return np.array([np.nan if v is None else v for v in attribute.values], np.float64)
