"""Value generalisation hierarchies, and the concepts that their values mean (Ayala-Rivera et al.)."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from allonym.errors import UnknownFormatError
from allonym.ontology.linking.link import Link, link, may_be_code
from allonym.ontology.readers import hierarchy_table, recognise, tree
from allonym.ontology.readers.source import File
from allonym.ontology.scope import Scope

CERTAIN_REASONS = ("settled", "id", "notation", "exact", "spelling", "inflection")  # links that need no review


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
        """Read an ARX table or a JSON tree.

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


@dataclass(frozen=True)
class Meanings:
    """The concepts of the values of a hierarchy, and the links of uncertain values."""

    concepts: Mapping[str, int]
    unsure: Sequence[Link] = field(default_factory=list)
    review: Sequence[str] = ()  # sense chosen among several, or not a hypernym of the leaves


def meanings(
    hierarchy: Hierarchy, scope: Scope, settled: Mapping[str, str] | None = None, language: str = "en"
) -> Meanings:
    """Return the concepts of the values of a hierarchy (Ayala-Rivera et al., procedure 2).

    A leaf has its settled concept, else the sense that fits the other leaves. A value above leaves has its settled
    concept, else the sense that is a hypernym of most of its leaves, else its only sense. A value is unsure if it is
    not a noun of the ontology, or has several senses and none is a hypernym. Words of a value are never dropped.
    """
    settled = settled or {}
    above = hierarchy.leaves_of
    concepts: dict[str, int] = {}
    unsure: list[Link] = []
    review: list[str] = []
    words = [x for x in hierarchy.leaves if x not in above or x in settled]
    for x in link(words, scope, settled=_only(settled, words), language=language):
        if _is_sure(x) and x.concept is not None:
            concepts[x.value] = x.concept
            review += [x.value] if x.status == "review" else []
        else:
            unsure.append(x)
    values = [x for x in dict.fromkeys([*above, *hierarchy.leaves]) if x not in concepts and x not in words]
    leaf_ids = {value: scope.taxonomy.ids[c] for value, c in concepts.items()}  # so that countries stay countries
    settled_ids = leaf_ids | _only(settled, values)
    links = link([*leaf_ids, *values], scope, senses="first", settled=settled_ids, language=language)
    for x in (x for x in links if x.value in values):
        senses = [] if x.concept is None or not _is_sure(x) else [x.concept, *x.alternatives]
        subsumers = [scope.taxonomy.subsumers(concepts[y]) for y in above.get(x.value, []) if y in concepts]
        votes: list[int] = [sum(bool((of_leaf == sense).any()) for of_leaf in subsumers) for sense in senses]
        if x.reason == "settled" and x.concept is not None:
            concepts[x.value] = x.concept
        elif any(votes):
            concepts[x.value] = senses[votes.index(max(votes))]
        elif len(senses) == 1:
            concepts[x.value] = senses[0]
            review.append(x.value)
        else:
            unsure.append(x)
    return Meanings(concepts, unsure, review)


def _only(settled: Mapping[str, str], values: Sequence[str]) -> dict[str, str]:
    return {value: settled[value] for value in values if value in settled}


def _is_sure(x: Link) -> bool:
    is_word = x.reason in ("exact", "spelling", "inflection")
    return x.reason in CERTAIN_REASONS and not (is_word and may_be_code(x.value))
