"""Methods that replace every value for itself: a perturbation is fitted to a column, each row has draws of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, Keys, frozen
from allonym.kinds.concept_metric import ConceptMetric
from allonym.methods.base import Method
from allonym.methods.draws import Words, numbers_of, words
from allonym.metric import Value
from allonym.ontology.narrower import broader
from allonym.parameters import parameter
from allonym.progress import Progress, no_progress
from allonym.records import Attribute, Masking, Records


class Perturbation(ABC):
    """What may become of the values of one column."""

    @abstractmethod
    def column(self, values: Sequence[Value], codes: Ints, drawn: Words) -> tuple[list[Value], Ints]:
        """Return what rows become, whose values are given by code: values, and for each row which of these."""

    @abstractmethod
    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single row becomes."""

    @abstractmethod
    def log_likelihood(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before): a row for each value before, a column for each value after."""


class ByValue(Perturbation):
    """A perturbation that is looked up for each of the values, once for all rows that have it."""

    @property
    @abstractmethod
    def outcomes(self) -> Sequence[Value]:
        """What values may become."""

    @abstractmethod
    def places(self, value: Value, drawn: Words) -> Ints:
        """Return what rows with a value become, as places in `outcomes`; `drawn` has their draws."""

    @abstractmethod
    def probabilities(self, value: Value) -> Floats:
        """Return how likely a value becomes each of `outcomes`."""

    def log_likelihood(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before); words that were suppressed before masking count as null."""
        outcomes = {value: place for place, value in enumerate(self.outcomes)}
        places = np.array([outcomes.get(value, len(outcomes)) for value in after], np.int64)
        logs = np.empty((len(before), len(after)))
        for row in _siblings_together(before):
            value = before[row]
            known = np.append(self.probabilities(None if isinstance(value, str) else value), 0.0)
            with np.errstate(divide="ignore"):
                logs[row] = np.log(known[places])
        return logs

    def column(self, values: Sequence[Value], codes: Ints, drawn: Words) -> tuple[list[Value], Ints]:
        """Return what rows become."""
        outcomes_of_rows = np.empty(len(codes), np.int64)
        order = np.argsort(codes, kind="stable")
        distinct_codes, starts = np.unique(codes[order], return_index=True)
        ends = [*starts[1:], len(order)]
        values_here = [values[code] for code in distinct_codes.tolist()]
        for i in _siblings_together(values_here):
            rows = order[starts[i] : ends[i]]
            outcomes_of_rows[rows] = self.places(values_here[i], drawn[:, rows])
        used, places = np.unique(outcomes_of_rows, return_inverse=True)
        outcomes = self.outcomes
        return [outcomes[i] for i in used.tolist()], places.ravel()


@dataclass(frozen=True, eq=False)
class FittedColumns:
    """The perturbations of the columns of a table, as a `Mechanism`."""

    perturbations: tuple[Perturbation, ...]

    def log_likelihood(self, attribute: int, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before) of a column."""
        return self.perturbations[attribute].log_likelihood(before, after)


def _siblings_together(values: Sequence[Value]) -> list[int]:
    """Return the places of values in an order that has the leaves below a concept one after the other."""
    return sorted(range(len(values)), key=lambda i: repr(broader(values[i])))


@dataclass(frozen=True)
class RecordLevelMethod(Method):
    """A method that perturbs each row alone; without a seed, draws come from the system and cannot be repeated."""

    key: str = parameter("", "Column whose texts identify the random draws of a row; the row number, if empty.")

    @abstractmethod
    def fitted(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Fit a perturbation to the values of a column, given by code, with counts."""

    def mask(self, records: Records, seed: int | None = None, tick: Progress = no_progress) -> Masking:
        """Perturb every column of every row, each independently of the others."""
        assert records.inverse is not None
        keys = row_keys(records)
        columns, attributes, perturbations = [], [], []
        for a, attribute in enumerate(records.attributes):
            tick(a, len(records.attributes))
            perturbation = self.fitted(attribute, *summed(records.codes[:, a], records.counts))
            codes_of_rows = records.codes[records.inverse, a]
            drawn = words(seed, attribute.name, keys, numbers_of(attribute.values)[codes_of_rows])
            values, places = perturbation.column(attribute.values, codes_of_rows, drawn)
            metric = attribute.metric.extend(values)
            where = {value: code for code, value in enumerate(metric.values)}
            columns.append(np.array([where[v] for v in values], np.int64)[places])
            attributes.append(replace(attribute, metric=metric))
            perturbations.append(perturbation)
        order = np.argsort(records.inverse, kind="stable")  # as pieces of tuples take their rows
        if records.units is not None:
            order = np.lexsort((records.units, records.inverse))
        codes = np.stack(columns, axis=1)[order]
        share = np.ones(len(order), np.int64)
        pieces = records.inverse[order], share, np.arange(len(order)), frozen(codes)
        return Masking(*pieces, tuple(attributes), mechanism=FittedColumns(tuple(perturbations)))

    def mechanism(self, records: Records) -> FittedColumns:
        """Fit the perturbations of all columns, as `mask` does."""
        columns = enumerate(records.attributes)
        return FittedColumns(tuple(self.fitted(x, *summed(records.codes[:, a], records.counts)) for a, x in columns))


def row_keys(records: Records) -> Keys:
    """Return what the draws of rows go by."""
    return np.arange(records.n, dtype=np.uint64) if records.keys is None else records.keys


def summed(codes: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return the codes that occur, and how often each does."""
    total = np.bincount(codes, weights=counts).astype(np.int64)
    return np.flatnonzero(total), total[total > 0]


def linked(metric: ConceptMetric, codes: Ints, counts: Ints) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return the concepts of some values, with their counts, and which of the values are leaves below them."""
    known = codes[metric.concepts[codes] >= 0]
    return metric.concepts[known], counts[metric.concepts[codes] >= 0], metric.narrower[known]


def present(attribute: Attribute, codes: Ints, counts: Ints) -> tuple[Floats, Ints]:
    """Return the numbers among some values, with their counts."""
    known = np.array([attribute.values[c] is not None for c in codes.tolist()], bool)
    return np.array([attribute.values[c] for c in codes[known].tolist()], np.float64), counts[known]
