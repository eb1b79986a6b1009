"""Value generalisation hierarchies: scoring them by an ontology, and building them from one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from allonym.errors import OptionError
from allonym.ontology.catalog import open_ontology
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.linking.link import link
from allonym.ontology.scope import Scope
from allonym.pipeline.hierarchies import building
from allonym.pipeline.hierarchies.findings import Finding
from allonym.pipeline.hierarchies.model import ChosenSense, HierarchyComparison, HierarchyScore, Transition
from allonym.pipeline.hierarchies.scoring import (
    DEPTH,
    MEASURE,
    Links,
    compare,
    link_hierarchies,
    narrower_of,
    score,
    settled_of,
    unsure,
)

__all__ = [
    "DEPTH", "MEASURE", "ChosenSense", "Finding", "Hierarchy", "HierarchyComparison", "HierarchyScore", "Links",
    "Transition", "build", "compare", "link_hierarchies", "narrower_of", "score", "settled_of", "unsure",
]  # fmt: skip


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
