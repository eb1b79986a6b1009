"""A value generalisation hierarchy: leaves, and what each becomes at every level; and what its words mean (P2)."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from allonym.errors import UnknownFormatError
from allonym.ontology.linking.link import Link, link
from allonym.ontology.readers import hierarchy_table, recognise, tree
from allonym.ontology.readers.source import File
from allonym.ontology.scope import Scope

SURELY = ("settled", "id", "notation", "exact", "spelling", "inflection")  # reasons that need nobody's eye
BRIEF = 2  # letters; such words are rather codes


@dataclass(frozen=True)
class Hierarchy:
    """One row per leaf: the leaf, then its value at level 1, 2, … up to the one top value.

    >>> pets = Hierarchy("pets", (("parrot", "bird", "animal"), ("cat", "mammal", "animal")))
    >>> pets.height, pets.values(1)
    (2, ['bird', 'mammal'])
    """

    name: str
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, path: str | Path) -> Hierarchy:
        """Read an ARX table or a tree in JSON."""
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
        """Return the different values at a level."""
        return list(dict.fromkeys(row[level] for row in self.rows))

    @cached_property
    def leaves_of(self) -> dict[str, list[str]]:
        """For every value above the leaves, the leaves below it."""
        found: dict[str, list[str]] = {}
        for leaf, *above in self.rows:
            for value in dict.fromkeys(above):
                if value != leaf:
                    found.setdefault(value, []).append(leaf)
        return found

    def to_csv(self) -> str:
        """Return it as ARX reads it."""
        out = io.StringIO()
        csv.writer(out, delimiter=";", lineterminator="\n").writerows(self.rows)
        return out.getvalue()


@dataclass(frozen=True)
class Meanings:
    """The concept of every value of a hierarchy, and the values nobody can be sure of, with what they might mean."""

    concepts: Mapping[str, int]
    unsure: Sequence[Link] = field(default_factory=list)
    review: Sequence[str] = ()  # values whose sense was chosen among several, or is no hypernym of their leaves


def meanings(
    hierarchy: Hierarchy, scope: Scope, settled: Mapping[str, str] | None = None, language: str = "en"
) -> Meanings:
    """Say what the values of a hierarchy mean (P2, procedure 2).

    Leaves: as settled, else the senses that fit together. A value above leaves, once: as settled; else the sense that
    is a hypernym of most of its leaves; else its only sense. What has no noun of its own, or several senses of which
    none is a hypernym, is unsure: words are never dropped here.
    """
    settled = settled or {}
    above = hierarchy.leaves_of
    found: dict[str, int] = {}
    unsure: list[Link] = []
    review: list[str] = []
    words = [x for x in hierarchy.leaves if x not in above or x in settled]
    for x in link(words, scope, settled=_only(settled, words), language=language):
        if _is_sure(x) and x.concept is not None:
            found[x.value] = x.concept
            review += [x.value] if x.status == "review" else []
        else:
            unsure.append(x)
    values = [x for x in dict.fromkeys([*above, *hierarchy.leaves]) if x not in found and x not in words]
    known = {value: scope.taxonomy.ids[c] for value, c in found.items()}  # so that countries stay countries
    asked = link([*known, *values], scope, senses="first", settled=known | _only(settled, values), language=language)
    for x in (x for x in asked if x.value in values):
        senses = [] if x.concept is None or not _is_sure(x) else [x.concept, *x.alternatives]
        higher = [scope.taxonomy.subsumers(found[leaf]) for leaf in above.get(x.value, []) if leaf in found]
        votes: list[int] = [sum(bool((each == sense).any()) for each in higher) for sense in senses]
        if x.reason == "settled" and x.concept is not None:
            found[x.value] = x.concept
        elif any(votes):
            found[x.value] = senses[votes.index(max(votes))]
        elif len(senses) == 1:
            found[x.value] = senses[0]
            review.append(x.value)
        else:
            unsure.append(x)
    return Meanings(found, unsure, review)


def _only(settled: Mapping[str, str], values: Sequence[str]) -> dict[str, str]:
    return {value: settled[value] for value in values if value in settled}


def _is_sure(x: Link) -> bool:
    brief = x.reason in ("exact", "spelling", "inflection") and len(x.value.strip()) <= BRIEF
    return x.reason in SURELY and not (brief and any(map(str.isalpha, x.value)))
