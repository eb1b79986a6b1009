"""Value generalisation hierarchies as tables, in ARX's format: one row per leaf, leaf;level 1;…;top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np

from allonym.arrays import frozen
from allonym.errors import DuplicateIdError, UnknownFormatError
from allonym.ontology.readers.builder import OntologyBuilder
from allonym.ontology.readers.header import has_parent_column
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.readers.table import rows_of
from allonym.ontology.taxonomy import Taxonomy

Row = tuple[int, list[str]]  # its line, and its values from the leaf up


def recognise(sample: Sample) -> bool:
    """Recognise several rows that end in the same value; if some cells are empty, there must be no parent column."""
    rows = sample.rows
    if len(rows) < 2:
        return False
    width = len(rows[-1])
    if all(len(row) == width and all(row) for row in rows) and len({row[-1] for row in rows}) == 1:
        return True
    return not has_parent_column(rows[0]) and len({row[-1] for row in rows if row[-1]}) == 1


def read(file: File) -> Taxonomy:
    """Read an ARX hierarchy: more general values to the right, equal values one concept."""
    return taxonomy_of(levels_of(file), file)


def levels_of(file: File) -> list[Row]:
    """Return the rows of the table."""
    rows = [(line, row) for line, row in enumerate(rows_of(file), 1) if any(row)]
    height = max(
        (i + 1 for _, row in rows for i, cell in enumerate(row) if cell), default=0
    )  # a trailing ; adds no level
    for line, row in rows:
        levels = row[:height]
        if "" in levels or len(levels) < height:
            raise UnknownFormatError(
                f"{height - len([x for x in levels if x])} of {height} levels are empty.",
                path=file.path,
                line=line,
                hint="repeat the value of the level below.",
            )
    return [(line, row[:height]) for line, row in rows]


def taxonomy_of(rows: Sequence[Row], file: File) -> Taxonomy:
    """Return the taxonomy of a hierarchy; equal values are one concept."""
    builder = OntologyBuilder()
    parent_of: dict[str, tuple[str, int]] = {}
    for line, levels in rows:
        path = [value for value, _ in groupby(levels)]
        for child, parent in pairwise(path):
            first_parent, first_line = parent_of.setdefault(child, (parent, line))
            if first_parent != parent:
                raise DuplicateIdError(
                    f"{child!r} lies under {parent!r} here and under {first_parent!r} on line {first_line}.",
                    path=file.path,
                    line=line,
                    hint="rename one of the values, or put both under the same parent.",
                    values=[child],
                )
    tops = dict.fromkeys(parent for parent, _ in parent_of.values() if parent not in parent_of)
    alone = next(
        (line for line, levels in rows if len(set(levels)) == 1 and levels[0] not in {*parent_of, *tops}), None
    )
    if alone is not None:
        raise UnknownFormatError(
            "a value has no parent.", path=file.path, line=alone, hint="end every row with the same top value."
        )
    builder.ids = [*parent_of, *tops]
    builder.id_lines = [line for _, line in parent_of.values()]
    builder.child, builder.parent = list(parent_of), [parent for parent, _ in parent_of.values()]
    builder.link_lines = builder.id_lines
    taxonomy = builder.build(file)
    code = {identifier: c for c, identifier in enumerate(taxonomy.ids)}
    steps = np.tile(np.arange(len(taxonomy)), (len(rows[0][1]), 1)).T
    for _, levels in rows:
        for value in dict.fromkeys(levels):
            last = len(levels) - 1 - levels[::-1].index(value)
            steps[code[value], last:] = [code[x] for x in levels[last:]]
    return replace(taxonomy, steps=frozen(steps))
