"""Editing a hierarchy as a tree: every change returns a new hierarchy; leaves never change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from allonym.errors import OptionError
from allonym.ontology.catalog import open_ontology
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.hierarchy_senses import meanings

__all__ = [
    "Branch", "Hierarchy", "branches", "grouped", "moved", "read", "removed", "renamed", "unsure",
]  # fmt: skip

MAX_LEVELS = 100  # of a tree that is shown


@dataclass(frozen=True)
class Branch:
    """A value of a hierarchy at a level, 0 for leaves, with its children."""

    value: str
    level: int
    leaves: int
    children: tuple[Branch, ...] = ()


def read(path: str | Path) -> Hierarchy:
    """Read a hierarchy, unless it has too many levels to be edited."""
    hierarchy = Hierarchy.read(path)
    _check_height(hierarchy)
    return hierarchy


def _check_height(hierarchy: Hierarchy) -> None:
    if hierarchy.height > MAX_LEVELS:
        raise OptionError(
            f"The hierarchy has {hierarchy.height:,} levels above its leaves, at most {MAX_LEVELS} are allowed.",
            hint="leave out levels that change little.",
        )


def branches(hierarchy: Hierarchy) -> Branch:
    """Return the top of a hierarchy with all branches.

    >>> pets = Hierarchy("pets", (("parrot", "bird", "animal"), ("cat", "mammal", "animal")))
    >>> top = branches(pets)
    >>> top.value, top.leaves, [x.value for x in top.children]
    ('animal', 2, ['bird', 'mammal'])
    """

    def below(rows: list[tuple[str, ...]], level: int) -> Iterator[Branch]:
        groups: dict[str, list[tuple[str, ...]]] = {}
        for row in rows:
            groups.setdefault(row[level], []).append(row)
        for value, own in groups.items():
            yield Branch(value, level, len(own), tuple(below(own, level - 1)) if level else ())

    _check_height(hierarchy)
    return next(below(list(hierarchy.rows), hierarchy.height))


def renamed(hierarchy: Hierarchy, level: int, value: str, name: str) -> Hierarchy:
    """Return a hierarchy in which a value above the leaves is renamed.

    >>> pets = Hierarchy("pets", (("parrot", "bird", "animal"), ("cat", "mammal", "animal")))
    >>> renamed(pets, 1, "bird", "fowl").rows[0]
    ('parrot', 'fowl', 'animal')
    """
    _check(hierarchy, level, value)
    name = name.strip()
    if level == 0:
        raise OptionError("A leaf is a value of the data and cannot be renamed.", hint="rename a value above it.")
    if not name:
        raise OptionError("The name is empty.", hint="type a name.")
    if name != value and name in hierarchy.values(level):
        raise OptionError("Another value of this level has that name.", hint="move values under that value instead.")
    rows = [(*row[:level], name, *row[level + 1 :]) if row[level] == value else row for row in hierarchy.rows]
    return replace(hierarchy, rows=tuple(rows))


def moved(hierarchy: Hierarchy, level: int, value: str, above: str) -> Hierarchy:
    """Return a hierarchy in which a value, with its descendants, is under another value of the next level.

    >>> pets = Hierarchy("pets", (("parrot", "bird", "animal"), ("bat", "bird", "animal"), ("cat", "mammal", "animal")))
    >>> moved(pets, 0, "bat", "mammal").rows[1]
    ('bat', 'mammal', 'animal')
    """
    _check(hierarchy, level, value)
    if level >= hierarchy.height:
        raise OptionError("The top cannot be moved.", hint="move a value below it.")
    path = next((row[level + 1 :] for row in hierarchy.rows if row[level + 1] == above), None)
    if path is None:
        raise OptionError("The next level has no such value.", hint="choose one, or make a new group.")
    return _moved_under(hierarchy, level, value, path)


def grouped(hierarchy: Hierarchy, level: int, value: str, name: str) -> Hierarchy:
    """Return a hierarchy in which a value, with its descendants, is alone in a new group beside its old one.

    >>> pets = Hierarchy("pets", (("parrot", "bird", "animal"), ("bat", "bird", "animal")))
    >>> grouped(pets, 0, "bat", "flying mammal").rows[1]
    ('bat', 'flying mammal', 'animal')
    """
    _check(hierarchy, level, value)
    name = name.strip()
    if level + 1 >= hierarchy.height:
        raise OptionError("A hierarchy has one top only.", hint="make a group below it.")
    if not name or name in hierarchy.values(level + 1):
        raise OptionError("A new group needs a name that is new at its level.", hint="type another name.")
    old = next(row for row in hierarchy.rows if row[level] == value)
    return _moved_under(hierarchy, level, value, (name, *old[level + 2 :]))


def removed(hierarchy: Hierarchy, level: int, value: str) -> Hierarchy:
    """Return a hierarchy without a value between the leaves and the top; the value above takes its place.

    >>> pets = Hierarchy("pets", (("parrot", "bird", "animal"), ("cat", "mammal", "animal")))
    >>> removed(pets, 1, "bird").rows[0]
    ('parrot', 'animal', 'animal')
    """
    _check(hierarchy, level, value)
    if not 0 < level < hierarchy.height:
        raise OptionError("Leaves and the top cannot be removed.", hint="remove a value between them.")
    rows = [(*row[:level], row[level + 1], *row[level + 1 :]) if row[level] == value else row for row in hierarchy.rows]
    return replace(hierarchy, rows=tuple(rows))


def unsure(hierarchy: Hierarchy, ontology: str = "wordnet", settled: Mapping[str, str] | None = None) -> list[str]:
    """Return the values of a hierarchy without a sure concept, which prevent a score.

    >>> unsure(Hierarchy("pets", (("parrot", "pretty thing"), ("cat", "pretty thing"))))
    ['pretty thing']
    """
    return [x.value for x in meanings(hierarchy, open_ontology(ontology), settled).unsure]


def _moved_under(hierarchy: Hierarchy, level: int, value: str, path: tuple[str, ...]) -> Hierarchy:
    rows = [(*row[: level + 1], *path) if row[level] == value else row for row in hierarchy.rows]
    return replace(hierarchy, rows=tuple(sorted(rows, key=lambda row: row[::-1])))


def _check(hierarchy: Hierarchy, level: int, value: str) -> None:
    if not 0 <= level <= hierarchy.height or value not in hierarchy.values(level):
        raise OptionError("The hierarchy has no such value.", hint="it may have changed meanwhile; reload it.")
