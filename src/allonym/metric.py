"""The protocol of metrics: how far apart the values of one attribute are, and which value represents several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import Floats, Ints

# A concept or rank (int), a leaf below a concept (Narrower), a number (float), a range (two), a text nobody linked
# (str), or null (None)
Value = Any


class Metric(Protocol):
    """How far apart the values of one attribute are, and which value represents several."""

    @property
    def values(self) -> tuple[Value, ...]:
        """The values, by code."""

    @property
    def ordered(self) -> bool:
        """Whether the codes follow an order of the values themselves; else, they may be numbered in any order."""

    def compiled_form(self) -> dict[str, Any] | None:
        """Return the metric as arrays for compiled kernels (`cpp/space.cpp`); None, if these must call it."""

    def compiled_distances(self) -> dict[str, Any] | None:
        """Return distances as arrays for compiled kernels that call the metric for centroids; None, if for both."""

    def elements_of(self, value: Value) -> NDArray[np.int32] | None:
        """Return the numbers of the elements of a set that `compiled_distances` has; None for null."""

    def value_of(self, elements: NDArray[np.int32]) -> Value:
        """Return the set of some elements, by their numbers."""

    def point_value(self, point: int) -> Value:
        """Return the value of a row of the distances that `compiled_form` has."""

    @property
    def ends(self) -> Floats | None:
        """The lowest and the highest number of every value; None, where values have no order."""

    @property
    def ancestor_sets(self) -> NDArray[np.uint64] | None:
        """For every value the set of what it is a kind of, 64 bits a number; None, where there is no such thing."""

    def ancestor_lists(self, codes: Ints) -> tuple[Ints, Ints, Ints] | None:
        """Return what some values are a kind of, in CSR form, and of how many concepts each is one, itself included.

        None, unless the distance of two different values is the share of these concepts that only one of them has.
        """

    def alternatives(self, codes: Ints, counts: Floats) -> list[Value]:
        """Return values that may represent some others better than the centroid, if several columns are weighed."""

    def representatives(self, *, truthful: bool) -> list[Value] | None:
        """Return all values except null that may represent others, or be true of several; None: they have no list."""

    @property
    def averaged(self) -> bool:
        """Whether values of a kind of numbers may be averaged; fixed classes are not."""

    def distances(self, code: ArrayLike, codes: ArrayLike) -> Floats:
        """Return distances in [0, 1], broadcasting like NumPy; 0 between a value and itself."""

    def distances_from(self, value: Value) -> Floats:
        """Return the distances of a value, which need not be one of `values`, to each of them."""

    def distances_to(self, value: Value, codes: Ints) -> Floats:
        """Return the distances of a value, which need not be one of `values`, to some of them."""

    def interchangeable(self) -> Ints:
        """Number the values; those with equal numbers have equal distances to all others, and to each other."""

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the value that represents some others; it need not be one of them, nor of `values`."""

    def preferred(self, value: Value, codes: Ints, counts: Floats) -> Value:
        """Return what is written for the centroid of some others: one that is better known, if it is about as near."""

    def is_known(self, value: Value) -> bool:
        """Tell whether people know a value, so that it may stand for others."""

    def subsumer(self, codes: Ints, counts: Floats) -> Value:
        """Return the most specific value that is true of all of some others; null, where there is none."""

    def truthful(self, codes: Ints, counts: Floats) -> Value:
        """Return what a truthful release writes for some values: true of all, and not too general; else, null."""

    def with_holders(self, holders: Ints, k: int) -> Metric:
        """Return the same metric, whose `truthful` gives away no value that fewer than k units hold."""

    def covered(self, a: Ints, b: Ints, data: Ints) -> Floats | None:
        """Return how many leaves lie under what two values have in common; None, where that is a range.

        Leaves are those of the hierarchy, where there is one, whether the data have them or not; else, the values of
        the data.
        """

    def leaf_count(self, data: Ints) -> int:
        """Return how many leaves there are: those of the hierarchy, or the values of the data."""

    def generalises(self, code: int, codes: Ints) -> NDArray[np.bool_]:
        """Return which of some values a value is true of, as a concept is of those below it; null is of all."""

    def generalised(self) -> tuple[Ints, NDArray[np.int32]] | None:
        """Return for every value all those that it is true of, in CSR form; None, where they are found one by one."""

    def range(self, a: Ints, b: Ints) -> Floats:
        """Return how wide the range is that two values span, as a share of the whole; else, their distance."""

    def links(self, a: Ints, b: Ints) -> Floats | None:
        """Return how many links of an ontology values are apart; None, where there is no ontology."""

    def generalisations(self) -> list[list[Value]]:
        """Return what each value becomes, from itself to the top of its hierarchy, level by level."""

    def with_measure(self, measure: str) -> Metric:
        """Return the same values under another measure of similarity, where they have an ontology."""

    def by_equality(self) -> Metric:
        """Return a metric that ignores what words mean: they are equal or not; numbers and ranks keep theirs."""

    def families(self, codes: Ints, counts: Floats) -> Ints:
        """Number the families of related meaning that some values, all different, fall into; one, if they cannot."""

    def restricted_to(self, codes: Ints) -> Metric:
        """Return the same distances between some of the values alone; their places in `codes` are their codes."""

    def extend(self, values: Sequence[Value]) -> Metric:
        """Return a metric that has these values too, appended where they are new; codes never move."""
