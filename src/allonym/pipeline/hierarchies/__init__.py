"""Value generalisation hierarchies: scoring them by an ontology, and building them from one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.errors import LinksError, OptionError, first_few, plural
from allonym.measures.hierarchies import AGGREGATES, WEIGHTS, hierarchy_loss, level_losses, level_weights
from allonym.ontology import similarity
from allonym.ontology.catalog import open_ontology
from allonym.ontology.hierarchy import Hierarchy, meanings
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.link import Link, link
from allonym.ontology.scope import Scope
from allonym.pipeline.hierarchies import building

MEASURE, DEPTH = "wu-palmer", "virtual-root"  # of the figures published by Ayala-Rivera et al.
Links = str | Path | Mapping[str, str] | None


@dataclass(frozen=True)
class Transition:
    """A leaf and its generalisation at a level, with the semantic loss."""

    leaf: str
    ancestor: str
    level: int
    loss: float


@dataclass(frozen=True, eq=False)
class HierarchyScore:
    """A hierarchy and its generalisation semantic loss."""

    hierarchy: Hierarchy
    losses: Floats  # leaves × levels: TransGSL
    aggregate: str = "max"
    weights: str = "constant"
    concepts: Mapping[str, str] = field(default_factory=dict)  # the id of every value's concept
    review: Sequence[str] = ()  # values whose concept a person should review
    narrower: frozenset[str] = frozenset()  # values that are a kind of their concept
    notes: Sequence[str] = ()  # how a built hierarchy differs from what was asked for

    @property
    def value(self) -> float:
        """VghGSL."""
        return hierarchy_loss(self.losses, self.aggregate, self.weights)

    @property
    def levels(self) -> list[dict[str, Any]]:
        """LevelGSL of every level, with statistics of its transitions."""
        gsl = level_losses(self.losses, self.aggregate)
        weights = level_weights(self.hierarchy.height, self.weights)
        return [
            {
                "level": i + 1,
                "values": len(self.hierarchy.values(i + 1)),
                "gsl": float(gsl[i]),
                "weight": float(weights[i]),
                "max": float(column.max()),
                "mean": float(column.mean()),
                "std": float(column.std()),
            }
            for i, column in enumerate(self.losses.T)
        ]

    @property
    def transitions(self) -> list[Transition]:
        """Every transition of a leaf to another value, largest loss first."""
        transitions = [
            Transition(row[0], row[i + 1], i + 1, float(self.losses[r, i]))
            for r, row in enumerate(self.hierarchy.rows)
            for i in range(self.hierarchy.height)
            if row[i + 1] != row[0]
        ]
        return sorted(transitions, key=lambda t: (-t.loss, t.level, t.leaf))

    @property
    def reversed(self) -> list[int]:
        """Levels with a value that is farther from some leaf than the value's parent is."""
        back = self.losses[:, :-1] > self.losses[:, 1:] + 1e-12
        return (np.flatnonzero(back.any(axis=0)) + 1).tolist()

    def to_dict(self) -> dict[str, Any]:
        """Return the score for JSON."""
        return {
            "format": 1,
            "name": self.hierarchy.name,
            "leaves": len(self.hierarchy.rows),
            "height": self.hierarchy.height,
            "aggregate": self.aggregate,
            "level_weights": self.weights,
            "vgh_gsl": self.value,
            "levels": self.levels,
            "concepts": dict(self.concepts),
            "to_review": list(self.review),
            "reversed_levels": self.reversed,
            "transitions": [vars(t) for t in self.transitions],
        }


def score(
    source: str | Path | Hierarchy,
    ontology: str | Scope = "wordnet",
    links: Links = None,
    *,
    aggregate: str = "max",
    weights: str = "constant",
    measure: str = MEASURE,
    depth: str = DEPTH,
    language: str = "en",
) -> HierarchyScore:
    """Score a hierarchy by its generalisation semantic loss in an ontology (Ayala-Rivera et al.).

    >>> pets = Hierarchy("pets", (("parrot", "bird", "vertebrate"), ("cat", "mammal", "vertebrate")))
    >>> round(score(pets).value, 4)
    0.1769
    """
    for what, value, known in (("aggregate", aggregate, AGGREGATES), ("level weight", weights, WEIGHTS)):
        if value not in known:
            raise OptionError.of(what, value, known)
    if measure not in similarity.MEASURES:
        raise OptionError.of("measure", measure, list(similarity.MEASURES))
    hierarchy = source if isinstance(source, Hierarchy) else Hierarchy.read(source)
    scope = ontology if isinstance(ontology, Scope) else open_ontology(ontology)
    linked = meanings(hierarchy, scope, settled_of(links), language)
    if linked.unsure:
        raise unsure(hierarchy.name, linked.unsure, scope)
    concepts = np.array([[linked.concepts[value] for value in row] for row in hierarchy.rows])
    losses = similarity.distance(measure, scope.taxonomy, concepts[:, :1], concepts[:, 1:], depth=depth)
    kinds = narrower_of(links)
    for i, row in enumerate(hierarchy.rows):
        if row[0] in kinds:
            losses[i] = _losses_of_kind(row, concepts[i], scope, measure, depth)
    named = {value: scope.taxonomy.ids[c] for value, c in linked.concepts.items()}
    return HierarchyScore(hierarchy, losses, aggregate, weights, named, linked.review)


def _losses_of_kind(row: Sequence[str], path: Ints, scope: Scope, measure: str, depth: str) -> Floats:
    """Return the loss at each level of a value that is a kind of its concept: none, where it stays itself."""
    losses = similarity.distance(measure, scope.taxonomy, path[0], path[1:], depth=depth, below=(True, False))
    return np.where([value == row[0] for value in row[1:]], 0.0, losses)


def narrower_of(links: Links) -> Collection[str]:
    """Return the values that a links file settles as a kind of their concept."""
    return () if links is None or isinstance(links, Mapping) else links_files.read(links).narrower


def settled_of(links: Links) -> Mapping[str, str]:
    """Return the settled concepts of a links file or a mapping."""
    if links is None:
        return {}
    return dict(links) if isinstance(links, Mapping) else links_files.read(links).concepts


def unsure(name: str, links: Sequence[Link], scope: Scope, *, review: bool = False) -> LinksError:
    """Return the error that lists values without a sure concept, with the concepts they may have."""
    ids = scope.taxonomy.ids

    def described(x: Link) -> str:
        senses = [ids[c] for c in (x.concept, *x.alternatives) if c is not None]
        if x.value == "*":
            senses = [ids[scope.root]]
        might = first_few(senses[:4]) if senses else first_few(list(x.suggestions)[:4])
        return f"{x.value} ({might})" if might else x.value

    return LinksError(
        f"{name}: {plural(len(links), 'value')} without a sure concept.",
        hint="settle them in a file with the columns value and concept, and name it with --links"
        + ("; --accept-review accepts likely concepts." if review else "."),
        values=[described(x) for x in links],
    )


def build(
    values: Mapping[str, int],
    ontology: str | Scope | None = None,
    links: Links = None,
    *,
    levels: int = 3,
    limits: Sequence[int] | None = None,
    accept_review: bool = False,
    other: bool = False,
    measure: str = MEASURE,
    depth: str = DEPTH,
    language: str = "en",
    name: str = "hierarchy",
) -> HierarchyScore:
    """Build a hierarchy for some values with their counts: concepts, ranges, periods or prefixes.

    Every level has fewer values than the one below, and the last has one. There are fewer levels, or more values than
    `limits` allow, where the ontology has no concepts for more.

    Args:
        values: the values and how often each occurs.
        ontology: an ontology, or `numeric`, `date` or `code`; by default numbers and dates are recognised, and words
            have WordNet.
        links: settled concepts of values.
        levels: the number of levels above the values.
        limits: the number of values of each level, down to 1, instead of `levels`.
        accept_review: accept links that need review.
        other: put values without a concept under "other".
        measure: a similarity measure.
        depth: the depth convention of Wu-Palmer.
        language: the language of the words.
        name: the name of the hierarchy.

    Raises:
        LinksError: values have no sure concept.
        OptionError: the levels are no decreasing numbers, or there is nothing to generalise.

    >>> build({"parrot": 1, "owl": 1, "cat": 1, "dog": 1}, levels=2).hierarchy.values(1)
    ['bird', 'carnivore']
    """
    _check(levels, limits)
    if ontology is None:
        ontology = building.recognised_kind(values) or "wordnet"
    if isinstance(ontology, str) and ontology in building.KINDS:
        built = building.from_kind(values, ontology, levels=levels, limits=limits, name=name)
    else:
        scope = ontology if isinstance(ontology, Scope) else open_ontology(ontology)
        settled: dict[str, Any] = {"settled": settled_of(links), "narrower": narrower_of(links)}
        linked = [x for x in link(values, scope, language=language, **settled) if x.value in values]
        unlinked = [x for x in linked if x.concept is None and other]
        open_links = [x for x in linked if x.status == "review" and not accept_review and x not in unlinked]
        open_links += [x for x in linked if x.concept is None and not other and x not in open_links]
        if open_links:
            raise unsure(name, open_links, scope, review=not accept_review)
        built = building.from_concepts(
            [x for x in linked if x.concept is not None],
            scope,
            measure,
            depth,
            levels=levels,
            limits=limits,
            others=[x.value for x in unlinked],
            name=name,
        )
    return HierarchyScore(
        built.hierarchy, built.losses, concepts=built.concepts, narrower=built.narrower, notes=built.notes
    )


def _check(levels: int, limits: Sequence[int] | None) -> None:
    """Refuse limits that no hierarchy can meet."""
    if levels < 1:
        raise OptionError(f"levels is {levels}; it must be at least 1.")
    if limits is not None and (limits[-1] != 1 or any(a <= b for a, b in pairwise(limits))):
        raise OptionError("The limits must decrease from level to level, down to 1.", hint="for example 10,4,1.")
