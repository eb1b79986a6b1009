"""Value generalisation hierarchies as JSON trees.

A tree is written as `{"animal": {"bird": ["parrot"]}}` or as `{"name": "animal", "children": […]}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from allonym.errors import UnknownFormatError
from allonym.ontology.readers.hierarchy_table import Row, taxonomy_of
from allonym.ontology.readers.sample import Sample
from allonym.ontology.readers.source import File
from allonym.ontology.taxonomy import Taxonomy

NAMES, CHILDREN = ("name", "label", "value", "id"), ("children", "values", "items")


def recognise(sample: Sample) -> bool:
    """Recognise JSON by its first character."""
    return sample.text.lstrip()[:1] in ("{", "[")


def read(file: File) -> Taxonomy:
    """Read a JSON tree."""
    return taxonomy_of(levels_of(file), file)


def levels_of(file: File) -> list[Row]:
    """Return one row for each leaf of the tree, as in a table of the hierarchy.

    Shallow leaves are repeated upwards, so that all rows have the same number of levels.
    """
    try:
        tree = json.loads(file.text(), object_pairs_hook=_unique)
        paths = list(_paths(tree, file))
    except RecursionError as error:
        raise UnknownFormatError("the tree is too deep.", path=file.path) from error
    except ValueError as error:
        raise UnknownFormatError("not valid JSON, or a value is repeated within one object.", path=file.path) from error
    if not paths or not all(value.strip() for path in paths for value in path):
        raise UnknownFormatError("the tree is empty, or some values have no name.", path=file.path)
    if len({path[-1] for path in paths}) != 1:
        raise UnknownFormatError(
            "the tree has no single top value.", path=file.path, hint='put all values under one: {"anything": {…}}.'
        )
    deepest = max(map(len, paths))
    return [(0, [path[0]] * (deepest - len(path)) + path) for path in paths]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a repeated key, of which the JSON parser would keep the last."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("repeated key")
    return dict(pairs)


def _paths(node: Any, file: File) -> Iterator[list[str]]:
    """Yield the values from each leaf up to the top of a subtree."""
    if isinstance(node, (str, int, float)):
        yield [str(node)]
        return
    if isinstance(node, list):
        for part in node:
            yield from _paths(part, file)
        return
    if not isinstance(node, dict):
        raise UnknownFormatError(f"a {type(node).__name__} instead of a value.", path=file.path)
    name = next((node[key] for key in NAMES if isinstance(node.get(key), (str, int, float))), None)
    below = next((node[key] for key in CHILDREN if isinstance(node.get(key), (list, dict))), None)
    if name is not None and (below is not None or not any(isinstance(x, (list, dict)) for x in node.values())):
        parts = [(str(name), below or [])]
    else:
        parts = [(str(key), value) for key, value in node.items()]
    for top, subtree in parts:
        if subtree is None or subtree in ({}, []):
            yield [top]
        else:
            yield from ([*path, top] for path in _paths(subtree, file))
