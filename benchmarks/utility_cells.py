"""What released cells say, read in the same way for every tool: benchmarks/utility.py.

A cell covers some values of its column: a value covers itself; a range, the numbers in it; a label of a hierarchy or an
ontology, the values below it; a list of values, these; `*` and an empty cell, all. Its mass is spread over them evenly.
A number or a concept that covers no value of the column stands for the nearest one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.records import Attribute
from utility_tables import Rows, Task

NOTHING = ("", "*", "nan", "None")
NUMBER = r"(-?\d+(?:\.\d+)?)"
RANGES = (rf"{NUMBER} to {NUMBER}", rf"{NUMBER}\s*-\s*{NUMBER}", rf"\[{NUMBER}, ?{NUMBER}[\])]")
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Column:
    """The values of a column in the original table; their distances; what any text covers."""

    name: str
    values: list[str]
    numeric: bool
    attribute: Attribute
    codes: Ints  # of the values
    hierarchy: Mapping[str, frozenset[str]]  # label -> the values below it

    @classmethod
    def of(cls, task: Task, name: str) -> Column:
        """Return a quasi-identifier of a task."""
        numeric = name in task.numeric
        values = sorted(set(task.frame[name]), key=float if numeric else str)
        attribute, code = task.attributes[name]
        codes = np.array([code[x] for x in values])
        return cls(name, values, numeric, attribute, codes, {} if numeric else _labels(task.hierarchies[name]))

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each value."""
        return {value: place for place, value in enumerate(self.values)}

    @cached_property
    def numbers(self) -> Floats:
        """The values as numbers."""
        return np.array(self.values, float)

    @cached_property
    def distances(self) -> Floats:
        """The distance between any two values."""
        return self.attribute.metric.distances(self.codes[:, None], self.codes[None, :])

    def read(self, texts: Sequence[str], originals: Ints | None) -> ReadColumn:
        """Read a released column; `originals` are the places of the original values of the same rows."""
        labels, inverse = np.unique(np.asarray(texts, dtype=str), return_inverse=True)
        read = [
            self._number(x) if self.numeric else self._word(x, originals, inverse == i) for i, x in enumerate(labels)
        ]
        shares = np.array([x.covered / x.covered.sum() for x in read])
        return ReadColumn(
            self, shares, np.array([x.true for x in read]), np.array([x in NOTHING for x in labels]), inverse
        )

    def _all(self) -> Said:
        return Said(np.ones(len(self.values)), np.ones(len(self.values), bool))

    def _number(self, text: str) -> Said:
        if text in NOTHING:
            return self._all()
        for pattern in RANGES:
            if match := re.fullmatch(pattern, text):
                low, high = map(float, match.groups())
                within = (self.numbers >= low) & (
                    (self.numbers < high) if text.endswith(")") else (self.numbers <= high)
                )
                if within.any():
                    return Said(within.astype(float), within)
                text = str((low + high) / 2)
        number = float(text)
        nearest = np.zeros(len(self.values))
        nearest[np.abs(self.numbers - number).argmin()] = 1.0
        return Said(nearest, self.numbers == number)

    def _word(self, text: str, originals: Ints | None, rows: Flags) -> Said:
        if text in NOTHING:
            return self._all()
        if text in self.places:
            itself = np.arange(len(self.values)) == self.places[text]
            return Said(itself.astype(float), itself | self._below(text, originals, rows)[0])
        if text in self.hierarchy:
            below = np.array([x in self.hierarchy[text] for x in self.values])
            return Said(below.astype(float), below)
        parts = text.split(",")
        if len(parts) > 1 and all(x in self.places for x in parts):
            listed = np.isin(self.values, parts)
            return Said(listed.astype(float), listed)
        below, distances = self._below(text, originals, rows)
        covered = below if below.any() else distances == distances.min()
        return Said(covered.astype(float), below)

    def _below(self, text: str, originals: Ints | None, rows: Flags) -> tuple[Flags, Floats]:
        """Return which values a label of the ontology covers, and its distances to them.

        Of several senses, the one that is true of most of the cells it stands in is meant; then, the nearest one.
        """
        nothing = np.zeros(len(self.values), bool), np.ones(len(self.values))
        scope = getattr(self.attribute.metric, "scope", None)
        if scope is None or originals is None:
            assert text in self.places, f"{self.name}: {text}"
            return nothing
        senses = [x for x in scope.taxonomy.senses(text) if x in scope]
        if not senses:
            assert text in self.places, f"{self.name}: {text}"
            return nothing
        counts = np.bincount(originals[rows], minlength=len(self.values))
        candidates: list[tuple[float, float, int, Flags, Floats]] = []
        for sense in senses:
            metric = self.attribute.metric.extend([sense])
            code = metric.values.index(sense)
            below, distances = metric.generalises(code, self.codes), metric.distances(code, self.codes)
            candidates.append((-float(counts @ below), float(counts @ distances), len(candidates), below, distances))
        best = min(candidates, key=lambda x: x[:3])
        return best[3], best[4]


@dataclass(frozen=True)
class Said:
    """What a text says: the values it covers, and those it is true of."""

    covered: Floats
    true: Flags


@dataclass(frozen=True)
class ReadColumn:
    """A released column: for each distinct text, the shares of the values it covers; the text of every row."""

    column: Column
    shares: Floats  # texts × values
    true: Flags  # texts × values
    null: Flags  # texts
    inverse: Ints

    @cached_property
    def imputed(self) -> Floats:
        """The shares of the values for each text; those of an empty cell are the mean of the others."""
        counts = np.bincount(self.inverse, minlength=len(self.shares)) * ~self.null
        if not counts.any():
            return self.shares
        return np.where(self.null[:, None], counts @ self.shares / counts.sum(), self.shares)

    @property
    def expected(self) -> Floats:
        """The number that every row stands for: the mean of those it covers; of an empty cell, that of the others."""
        return np.asarray((self.imputed @ self.column.numbers)[self.inverse])

    @property
    def marginal(self) -> Floats:
        """The distribution of the column."""
        counts = np.bincount(self.inverse, minlength=len(self.shares))
        return counts @ self.shares / counts.sum()

    def false_cells(self, originals: Ints) -> float:
        """Return the share of the cells that are not true of the row."""
        return float(1 - self.true[self.inverse, originals].mean())

    def distance(self, originals: Ints) -> float:
        """Return the mean distance of cells from the original values, as a share of that of random values."""
        between = (self.shares @ self.column.distances)[self.inverse, originals].mean()
        counts = np.bincount(originals, minlength=len(self.column.values)) / len(originals)
        return float(between / (counts @ self.column.distances @ counts))


def _labels(rows: Rows) -> dict[str, frozenset[str]]:
    below: dict[str, set[str]] = {}
    for value, *labels in rows:
        for label in labels:
            below.setdefault(label, set()).add(value)
    return {label: frozenset(values) for label, values in below.items()}


@dataclass(frozen=True)
class Release:
    """A released table, read cell by cell; row i is what became of row i, unless the rows are synthetic."""

    task: Task
    columns: dict[str, ReadColumn]
    outcome: Ints
    suppressed: Flags  # rows without any quasi-identifier
    classes: Ints  # the equivalence class of every row
    synthetic: bool

    @classmethod
    def of(cls, task: Task, columns: Mapping[str, Column], table: pd.DataFrame, *, synthetic: bool = False) -> Release:
        """Read a table. Rows that are missing were suppressed; a column `row` says which ones remain."""
        if "row" in table:
            table = table.set_index("row").reindex(range(len(task.frame)))
        texts = table[task.quasi].fillna("").astype(str)
        outcome = task.outcome if not synthetic else table["outcome"].to_numpy(int)
        read = {
            name: column.read(list(texts[name]), None if synthetic else places(column, task.frame[name]))
            for name, column in columns.items()
        }
        suppressed = np.all([x.null[x.inverse] for x in read.values()], axis=0)
        classes = texts.groupby(task.quasi, sort=False).ngroup().to_numpy()
        return cls(task, read, outcome, suppressed, classes, synthetic)

    @property
    def smallest_class(self) -> int:
        """The number of rows in the smallest class; suppressed rows do not count."""
        sizes = np.bincount(self.classes[~self.suppressed])
        return int(sizes[sizes > 0].min())


def places(column: Column, texts: Iterable[Any]) -> Ints:
    """Return the places of original values in a column."""
    return np.array([column.places[x] for x in texts])
