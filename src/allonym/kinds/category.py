"""Plain categories: equal or not; the mode represents a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from allonym.arrays import Floats, Ints
from allonym.cells import Cells, is_missing, united_spellings
from allonym.errors import TableError
from allonym.kinds.base import ANYTHING, EncodedColumn, Kind
from allonym.kinds.codec import CellCodec
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.metric import BaseMetric, single_families
from allonym.metric import Value
from allonym.ontology.scope import Scope


class EqualityMetric(BaseMetric):
    """Distance 0 for equal values, else 1 (Domingo-Ferrer and Torra 2005). The centroid is the mode, ties by code.

    >>> sexes = EqualityMetric(["female", "male"])
    >>> sexes.distances(0, [0, 1]).tolist(), sexes.centroid(np.array([0, 1, 1]), np.ones(3))
    ([0.0, 1.0], 'male')
    """

    def _with(self, values: Sequence[Value]) -> EqualityMetric:
        return EqualityMetric(values)

    def distances(self, code: ArrayLike, codes: ArrayLike) -> Floats:
        """Return 0 where two values are the same, else 1."""
        return np.not_equal(code, codes).astype(np.float64)

    def _between(self, a: Ints, b: Ints) -> Floats:
        return self.distances(a, b)

    def compiled_form(self) -> dict[str, Any] | None:
        """Return how many values there are."""
        return {"form": "equality", "codes": len(self.values)}

    def interchangeable(self) -> Ints:
        """Number all values 0: two are always at distance 1."""
        return np.zeros(len(self.values), np.int64)

    def _families(self, codes: Ints, counts: Floats) -> Ints:
        """Number a family for each value."""
        return single_families(counts)

    def centroid(self, codes: Ints, counts: Floats) -> Value:
        """Return the mode."""
        return self.mode(codes, counts)


@dataclass(frozen=True, eq=False)
class CategoryCodec(CellCodec):
    """A column of categories: the category of each spelling, and the cell that is written for each category."""

    name: str
    categories: Mapping[str, str]  # by spelling
    cells: Mapping[str, Any]  # by category

    def read(self, cell: Any) -> Value:
        """Return the category of a cell; a new one is refused."""
        if (text := str(cell)) not in self.categories:
            hint = "correct it, or fit the plan to a table that has the category."
            raise TableError(f"A category in column {self.name} is not one of the table.", hint=hint, values=[text])
        return self.categories[text]

    def write(self, value: Value, like: Any) -> Any:
        """Return the cell of a category."""
        return None if value is None else self.cells[value]

    def to_json(self, value: Value) -> Any:
        """Return a category."""
        return value

    def from_json(self, stored: Any) -> Value:
        """Return a category."""
        if stored is not None and stored not in self.cells:
            raise ValueError("category")
        return stored

    def to_dict(self) -> dict[str, Any]:
        """Return the spellings, and how categories are written."""
        return {"kind": Category.name, "spellings": dict(self.categories), "cells": dict(self.cells)}


@dataclass(frozen=True)
class Category(Kind):
    """Plain categories."""

    name: ClassVar[str] = "category"
    description: ClassVar[str] = "categories"
    labels: ClassVar[bool] = False

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode categories, spellings of one as one; one that fewer than k units hold is written as null."""
        texts = [None if is_missing(c, self.missing) else str(c) for c in cells.values]
        united = united_spellings(texts, cells.counts)
        values = [None if text is None else united[text] for text in texts]
        return self._encoded(name, cells, values, EqualityMetric, str, lambda v: None)

    def codec(self, encoded: EncodedColumn, links: Sequence[ColumnLinks], domain: Any = None) -> CategoryCodec:
        """Return the codec of the column's categories."""
        attribute, spelled = encoded.attribute, encoded.cells.values
        category_of = {str(x): attribute.values[c] for x, c in zip(spelled, encoded.code_of.tolist(), strict=True)}
        categories = {text: value for text, value in category_of.items() if value is not None}
        written = encoded.decode(attribute, np.arange(len(attribute.values)), 1, None).values
        cells = {value: cell for value, cell in zip(attribute.values, written, strict=True) if value is not None}
        return CategoryCodec(attribute.name, categories, cells)

    def stored_codec(self, name: str, stored: Mapping[str, Any], scopes: Sequence[Scope]) -> CategoryCodec:
        """Return the codec of categories that was stored."""
        categories, cells = dict(stored["spellings"]), dict(stored["cells"])
        if not set(categories.values()) <= set(cells):
            raise ValueError("categories")
        return CategoryCodec(name, categories, cells)

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return new categories as themselves."""
        return {text: None if text == ANYTHING else text for text in new}
