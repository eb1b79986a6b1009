"""Methods that replace every value for itself: a perturbation is fitted to a column, each row has draws of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, Keys, frozen
from allonym.kinds.codec import CellCodec
from allonym.kinds.concept_metric import ConceptMetric
from allonym.methods.base import UngroupedMethod
from allonym.methods.correlation import ErrorCorrelation, column_draws
from allonym.methods.draws import Draw, DrawOne, Words, number_of, numbers_of
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

    def rows(self, values: Sequence[Value], codes: Ints, draw: Draw) -> tuple[list[Value], Ints]:
        """Return what rows become, whose values are given by code: values, and for each row which of these."""
        return self.column(values, codes, draw(np.arange(len(codes)), numbers_of(values)[codes]))

    def draw_one(self, value: Value, draw: DrawOne) -> Value:
        """Return what a single row becomes."""
        return self.one(value, draw(number_of(value)))

    def answers(self, value: Value) -> Sequence[int | None]:
        """Return the numbers of what is drawn for a value: its own; None for a draw that is never repeated."""
        return [number_of(value)]

    @abstractmethod
    def to_dict(self, to_json: Callable[[Value], Any]) -> dict[str, Any]:
        """Return for JSON what was fitted, from which the method restores it."""

    @abstractmethod
    def log_likelihood(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return log P(after | before): a row for each value before, a column for each value after."""

    def scores(self, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return the errors that lead from each value to each, as standard normal numbers; 0, if they may be any."""
        return np.zeros((len(before), len(after)))

    def figures(self) -> dict[str, Any]:
        """Return what was fitted, as figures for the summary; none, unless there is something to say."""
        return {}


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
            suppressed = isinstance(value, str) and value not in outcomes
            known = np.append(self.probabilities(None if suppressed else value), 0.0)
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


@dataclass(frozen=True, eq=False)
class CorrelatedColumns(FittedColumns):
    """Perturbations whose errors go together, as a `CorrelatedMechanism`."""

    correlation: ErrorCorrelation

    def scores(self, attribute: int, before: Sequence[Value], after: Sequence[Value]) -> Floats:
        """Return the errors that lead from each value to each."""
        return self.perturbations[attribute].scores(before, after)

    def log_relation(self, scores: Sequence[Floats]) -> Floats:
        """Return by how much errors are likelier together than alone."""
        return self.correlation.log_relation(scores)


def _siblings_together(values: Sequence[Value]) -> list[int]:
    """Return the places of values in an order that has the leaves below a concept one after the other."""
    return sorted(range(len(values)), key=lambda i: repr(broader(values[i])))


@dataclass(frozen=True)
class RecordLevelMethod(UngroupedMethod):
    """A method that perturbs each row alone; without a seed, draws come from the system and cannot be repeated."""

    takes_candidates: ClassVar[bool] = False  # values may be confined to a list of replacements

    key: str = parameter("", "Column whose texts identify the random draws of a row; the row number, if empty.")

    def for_columns(self, attributes: Sequence[Attribute]) -> Self:
        """Return the method as it masks each of several columns."""
        return self

    @abstractmethod
    def fitted(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Fit a perturbation to the values of a column, given by code, with counts."""

    @abstractmethod
    def restored(self, codec: CellCodec, stored: Mapping[str, Any]) -> Perturbation:
        """Return the perturbation that `Perturbation.to_dict` stored; refuse damaged figures by a ValueError."""

    def error_correlation(self, records: Records) -> ErrorCorrelation | None:
        """Return how the errors of the columns go together; None, if columns are perturbed independently."""
        return None

    @property
    def set_limits(self) -> dict[str, Any]:
        """How many items of a set are drawn, as options of a `SetPerturbation`: by default all."""
        return {}

    def perturbation(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Fit a perturbation to the values of a column, or to the items of its sets."""
        from allonym.methods.set_items import SetMetric, SetPerturbation, items_of_column

        if isinstance(attribute.metric, SetMetric):
            return SetPerturbation(self.fitted(*items_of_column(attribute, codes, counts)), **self.set_limits)
        return self.fitted(attribute, codes, counts)

    def restored_perturbation(self, codec: CellCodec, stored: Mapping[str, Any]) -> Perturbation:
        """Return the perturbation of a column that was stored; refuse damaged figures by a ValueError."""
        from allonym.methods.set_items import SetCodec, SetPerturbation

        if isinstance(codec, SetCodec):
            return SetPerturbation(self.restored(codec.items, stored), **self.set_limits)
        return self.restored(codec, stored)

    def mask(self, records: Records, seed: int | None = None, tick: Progress = no_progress) -> Masking:
        """Perturb every column of every row."""
        assert records.inverse is not None
        codes = [records.codes[records.inverse, a] for a in range(len(records.attributes))]
        names, method = [x.name for x in records.attributes], self.for_columns(records.attributes)
        numbers = (numbers_of(x.values)[c] for x, c in zip(records.attributes, codes, strict=True))
        correlation = self.error_correlation(records)
        draws = column_draws(seed, row_keys(records), names, numbers, correlation)
        columns, attributes, perturbations = [], [], []
        for a, (attribute, codes_of_rows, draw) in enumerate(zip(records.attributes, codes, draws, strict=True)):
            tick(a, len(records.attributes))
            perturbation = method.perturbation(attribute, *summed(records.codes[:, a], records.counts))
            values, places = perturbation.rows(attribute.values, codes_of_rows, draw)
            metric = attribute.metric.extend(values)
            where = {value: code for code, value in enumerate(metric.values)}
            columns.append(np.array([where[v] for v in values], np.int64)[places])
            attributes.append(replace(attribute, metric=metric))
            perturbations.append(perturbation)
        order = np.argsort(records.inverse, kind="stable")  # as pieces of tuples take their rows
        if records.units is not None:
            order = np.lexsort((records.units, records.inverse))
        masked = np.stack(columns, axis=1)[order]
        share = np.ones(len(order), np.int64)
        pieces = records.inverse[order], share, np.arange(len(order)), frozen(masked)
        return Masking(*pieces, tuple(attributes), mechanism=_mechanism(perturbations, correlation))

    def mechanism(self, records: Records) -> FittedColumns:
        """Fit the perturbations of all columns, as `mask` does."""
        columns, method = enumerate(records.attributes), self.for_columns(records.attributes)
        perturbations = [method.perturbation(x, *summed(records.codes[:, a], records.counts)) for a, x in columns]
        return _mechanism(perturbations, self.error_correlation(records))


def _mechanism(perturbations: Sequence[Perturbation], correlation: ErrorCorrelation | None) -> FittedColumns:
    columns = tuple(perturbations)
    return FittedColumns(columns) if correlation is None else CorrelatedColumns(columns, correlation)


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
