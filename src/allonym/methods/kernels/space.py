"""Tuples of codes for compiled kernels, and the layout in which these compare them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.compiled import kernels
from allonym.metric import Metric, Value

SAMPLE = 512  # values of an attribute whose distances tell how well it separates
Centre = Callable[[Metric], Callable[[Ints, Floats], Value]]  # what a metric has for the middle of some values


class PythonMetric:
    """A metric that compiled kernels call; values that are not in the table have numbers after its codes."""

    def __init__(self, metric: Metric, centre: Centre | None = None) -> None:
        self.metric = metric
        self.has_centroid = centre is None
        self.centre = metric.centroid if centre is None else centre(metric)
        self.values = list(metric.values)
        self.numbers = {value: number for number, value in enumerate(self.values)}

    def number_of(self, value: Value) -> int:
        """Return the number of a value."""
        if value not in self.numbers:
            self.numbers[value] = len(self.values)
            self.values.append(value)
        return self.numbers[value]

    def centroid(self, codes: Ints, mass: Floats) -> int:
        """Return the number of the centroid, or of another middle."""
        return self.number_of(self.centre(codes, mass))

    def row(self, number: int) -> Floats:
        """Return the distances of a value to every code."""
        return np.ascontiguousarray(self.metric.distances_from(self.values[number]), np.float64)

    def elements(self, number: int) -> NDArray[np.int32] | None:
        """Return the elements of a set; None for null."""
        return self.metric.elements_of(self.values[number])

    def number_of_elements(self, elements: NDArray[np.int32]) -> int:
        """Return the number of a set."""
        return self.number_of(self.metric.value_of(elements))

    def form(self) -> dict[str, Any]:
        """Return what a compiled kernel calls; distances that it can compute itself, it computes."""
        called = {"form": "python", "codes": len(self.metric.values), "centroid": self.centroid, "row": self.row}
        sets = self.metric.compiled_distances()
        if sets is None:
            return called
        if not self.has_centroid:
            sets.pop("broader", None)
        return called | {"elements": self.elements, "number": self.number_of_elements} | sets


def space_of(metrics: Sequence[Metric], shares: Floats, codes: Ints, around: Centre | None = None) -> Any:
    """Return tuples (p × m) as compiled kernels see them.

    Several tuples have a centroid in the middle, or what else `around` says a metric has there.
    """
    if around is None:
        forms = [metric.compiled_form() or PythonMetric(metric).form() for metric in metrics]
    else:
        forms = [PythonMetric(metric, around).form() for metric in metrics]
    return space_of_forms(forms, shares, codes)


def space_of_forms(forms: list[dict[str, Any]], shares: Floats, codes: Ints) -> Any:
    """Return tuples (p × m) with the compiled forms of their metrics."""
    assert kernels is not None
    return kernels.Space(forms, np.ascontiguousarray(shares), np.ascontiguousarray(codes, np.int64))


def alike(metrics: Sequence[Metric], shares: Floats, columns: Ints, *, far: bool = False) -> Ints:
    """Return the tuples in an order in which those that follow each other are alike.

    They are sorted by the attribute that separates them most (by mean distance of two), then by the next: a search for
    near tuples skips those that differ in these. With `far`, the attribute that separates them least comes first:
    tuples far from a point differ in all others anyway.
    """
    spread, keys = [], []
    for metric, share, codes in zip(metrics, shares, columns, strict=True):
        counts = np.bincount(codes, minlength=len(metric.values))
        most = np.argsort(-counts, kind="stable")[: min(SAMPLE, np.count_nonzero(counts))]
        weights = counts[most] / counts[most].sum()
        between = metric.distances(most[:, None], most)
        spread.append(share * float(weights @ between @ weights))
        end = metric.values[most[between[0].argmax()]]  # numbers are in their order, seen from one end
        rank = np.argsort(np.argsort(metric.distances_from(end), kind="stable"), kind="stable")
        keys.append(rank[codes])
    least_first = np.argsort(spread, kind="stable").tolist()
    return np.lexsort([keys[a] for a in (reversed(least_first) if far else least_first)])
