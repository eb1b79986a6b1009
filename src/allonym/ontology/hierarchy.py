"""Value generalisation hierarchies."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from allonym.arrays import Ints
from allonym.errors import OptionError, UnknownFormatError
from allonym.ontology.readers import hierarchy_table, recognise, tree
from allonym.ontology.readers.source import File


@dataclass(frozen=True)
class Hierarchy:
    """One row per leaf: the leaf, then its value at level 1, 2, … up to the one top value.

    Args:
        name: the name, as scores show it.
        rows: the rows; all have the same length, at least 2.

    Raises:
        OptionError: there are no rows, or rows of different lengths, or of a single value.

    >>> pets = Hierarchy("pets", (("parrot", "bird", "animal"), ("cat", "mammal", "animal")))
    >>> pets.height, pets.values(1)
    (2, ['bird', 'mammal'])
    """

    name: str
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        """Make rows of lists tuples, and refuse rows of different lengths."""
        rows = tuple(tuple(row) for row in self.rows)
        lengths = {len(row) for row in rows}
        if len(lengths) != 1 or min(lengths) < 2:
            raise OptionError(
                f"{self.name} is not a hierarchy: all rows need the same number of values, at least two.",
                hint="repeat the leaf where it has no value of its own at a level.",
            )
        object.__setattr__(self, "rows", rows)

    @classmethod
    def read(cls, path: str | Path) -> Hierarchy:
        """Read an ARX table or a JSON tree.

        Args:
            path: a file with rows leaf;level 1;…;top, or a tree in JSON.

        Raises:
            UnknownFormatError: the file is not a hierarchy.
            DuplicateIdError: a value has two parents.
        """
        file = File.read(path)
        reader = {"hierarchy": hierarchy_table, "tree": tree}.get(recognise(file))
        if reader is None:
            raise UnknownFormatError(
                "not a hierarchy.",
                path=file.path,
                hint="write one row per leaf, leaf;level 1;…;top as in ARX, or a JSON tree.",
            )
        reader.read(file)  # raises if the rows contradict each other
        return cls(file.name, tuple(dict.fromkeys(tuple(row) for _, row in reader.levels_of(file))))

    @property
    def height(self) -> int:
        """The number of levels above the leaves."""
        return len(self.rows[0]) - 1

    @property
    def leaves(self) -> list[str]:
        """The values that are generalised."""
        return [row[0] for row in self.rows]

    def values(self, level: int) -> list[str]:
        """Return the distinct values at a level."""
        return list(dict.fromkeys(row[level] for row in self.rows))

    @cached_property
    def groups(self) -> Ints:
        """For each leaf the number of its value at each level, the leaf itself at level 0."""
        numbers: dict[str, int] = {}
        return np.array([[numbers.setdefault(value, len(numbers)) for value in row] for row in self.rows], np.int64)

    @cached_property
    def leaves_of(self) -> dict[str, list[str]]:
        """For every value above the leaves, the leaves below it."""
        leaves: dict[str, list[str]] = {}
        for leaf, *above in self.rows:
            for value in dict.fromkeys(above):
                if value != leaf:
                    leaves.setdefault(value, []).append(leaf)
        return leaves

    def to_csv(self) -> str:
        """Return the hierarchy as a table in ARX's format."""
        out = io.StringIO()
        csv.writer(out, delimiter=";", lineterminator="\n").writerows(self.rows)
        return out.getvalue()
