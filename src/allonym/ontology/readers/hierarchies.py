"""Value generalisation hierarchies: ARX tables, leaf first, and trees in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from allonym.arrays import frozen
from allonym.errors import DuplicateIdError, UnknownFormatError
from allonym.ontology.readers.csv import rows_of
from allonym.ontology.readers.source import File, Found
from allonym.ontology.taxonomy import Taxonomy

NAMES, CHILDREN = ("name", "label", "value", "id"), ("children", "values", "items")
Line = tuple[int, list[str]]  # where a row is, and its values from the leaf up


def read_table(file: File) -> Taxonomy:
    """Read an ARX hierarchy: one row per leaf, more general values to the right; repeated values are one concept."""
    return _taxonomy(table_rows(file), file)


def read_tree(file: File) -> Taxonomy:
    """Read a tree in JSON."""
    return _taxonomy(tree_rows(file), file)


def table_rows(file: File) -> list[Line]:
    """Return the rows of an ARX hierarchy."""
    rows = [(line, row) for line, row in enumerate(rows_of(file), 1) if any(row)]
    used = max((i + 1 for _, row in rows for i, cell in enumerate(row) if cell), default=0)  # a last ; adds no level
    for line, row in rows:
        levels = row[:used]
        if "" in levels or len(levels) < used:
            raise UnknownFormatError(
                f"{used - len([x for x in levels if x])} of {used} levels are empty.",
                path=file.path,
                line=line,
                hint="repeat the value below where a level has no name of its own.",
            )
    return [(line, row[:used]) for line, row in rows]


def tree_rows(file: File) -> list[Line]:
    """Return the rows of a tree: {"animal": {"bird": ["parrot"]}}, or {"name": "animal", "children": […]}.

    Leaves that are less deep are repeated upward, so that all have the same number of levels.
    """
    try:
        tree = json.loads(file.text(), object_pairs_hook=_once)
        ways = list(_ways(tree, file))
    except RecursionError as error:
        raise UnknownFormatError("a tree too deep to be one.", path=file.path) from error
    except ValueError as error:
        raise UnknownFormatError("not JSON, cut off, or with a value twice.", path=file.path) from error
    if not ways or not all(value.strip() for way in ways for value in way):
        raise UnknownFormatError("a tree with values that have no name.", path=file.path)
    if len({way[-1] for way in ways}) != 1:
        raise UnknownFormatError(
            "a tree without one top.", path=file.path, hint='begin with one value: {"anything": {…}}.'
        )
    deepest = max(map(len, ways))
    return [(0, [way[0]] * (deepest - len(way)) + way) for way in ways]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a value that is there twice, where JSON would take the last."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key comes twice")
    return dict(pairs)


def _ways(node: Any, file: File) -> Iterator[list[str]]:
    """Yield for each leaf the values from it up to the top of a part of a tree."""
    if isinstance(node, (str, int, float)):
        yield [str(node)]
        return
    if isinstance(node, list):
        for part in node:
            yield from _ways(part, file)
        return
    if not isinstance(node, dict):
        raise UnknownFormatError(f"a {type(node).__name__} where a value should be.", path=file.path)
    name = next((node[key] for key in NAMES if isinstance(node.get(key), (str, int, float))), None)
    below = next((node[key] for key in CHILDREN if isinstance(node.get(key), (list, dict))), None)
    if name is not None and (below is not None or not any(isinstance(x, (list, dict)) for x in node.values())):
        parts = [(str(name), below or [])]
    else:
        parts = [(str(key), value) for key, value in node.items()]
    for top, under in parts:
        if under is None or under in ({}, []):
            yield [top]
        else:
            yield from ([*way, top] for way in _ways(under, file))


def _taxonomy(rows: Sequence[Line], file: File) -> Taxonomy:
    found = Found()
    parent_of: dict[str, tuple[str, int]] = {}
    for line, levels in rows:
        way = [value for value, _ in groupby(levels)]
        for child, parent in pairwise(way):
            known, first = parent_of.setdefault(child, (parent, line))
            if known != parent:
                raise DuplicateIdError(
                    f"{child!r} lies under {parent!r} here and under {known!r} on line {first}.",
                    path=file.path,
                    line=line,
                    hint="give one of them another name, or the same way up.",
                    values=[child],
                )
    tops = dict.fromkeys(parent for parent, _ in parent_of.values() if parent not in parent_of)
    alone = next(
        (line for line, levels in rows if len(set(levels)) == 1 and levels[0] not in {*parent_of, *tops}), None
    )
    if alone is not None:
        raise UnknownFormatError(
            "a value has nothing above it.", path=file.path, line=alone, hint="end every row with the same top value."
        )
    found.ids = [*parent_of, *tops]
    found.id_lines = [line for _, line in parent_of.values()]
    found.child, found.parent = list(parent_of), [parent for parent, _ in parent_of.values()]
    found.link_lines = found.id_lines
    taxonomy = found.taxonomy(file)
    code = {identifier: c for c, identifier in enumerate(taxonomy.ids)}
    steps = np.tile(np.arange(len(taxonomy)), (len(rows[0][1]), 1)).T
    for _, levels in rows:
        for value in dict.fromkeys(levels):
            last = len(levels) - 1 - levels[::-1].index(value)
            steps[code[value], last:] = [code[x] for x in levels[last:]]
    return replace(taxonomy, steps=frozen(steps))
