"""Dominators are what all paths from the root lead through; values below one share distances to all others."""

from __future__ import annotations

import slow_noise as slow
from hypothesis import given
from strategies import Dag, dags, taxonomy

from allonym.ontology.dominators import Dominators


def above(parents: Dag, concept: int, without: int | None = None) -> set[int]:
    """Return a concept and its ancestors, by paths that do not lead through one concept."""
    reached = {concept} - {without}
    for parent in parents[concept] if reached else ():
        reached |= above(parents, parent, without)
    return reached


def dominating(parents: Dag, concept: int) -> list[int]:
    """Return the proper dominators of a concept: without them, no path from it leads to the root."""
    return [g for g in above(parents, concept) - {concept} if 0 not in above(parents, concept, g)]


def links(parents: Dag, low: int, high: int) -> int:
    """Return the fewest links up."""
    here, count = {low}, 0
    while high not in here:
        here, count = {p for c in here for p in parents[c]}, count + 1
    return count


@given(parents=dags(10))
def test_dominators_are_those_of_the_definition(parents: Dag) -> None:
    found = Dominators.of(taxonomy(parents))
    for concept in parents:
        own = dominating(parents, concept)
        below = [x for x in parents if concept in (x, *dominating(parents, x))]
        assert found.sizes[concept] == len(below)
        if not own:
            assert (concept, found.nearest[concept], found.links[concept]) == (0, 0, 0)
            continue
        nearest = max(own, key=lambda g: len(dominating(parents, g)))
        assert (found.nearest[concept], found.links[concept]) == (nearest, links(parents, concept, nearest))


@given(parents=dags(10))
def test_concepts_as_far_below_a_dominator_are_equally_far_from_concepts_elsewhere(parents: Dag) -> None:
    for g in parents:
        elsewhere = [c for c in parents if g not in above(parents, c)]
        by_links: dict[int, list[float]] = {}
        for x in [x for x in parents if g in (x, *dominating(parents, x))]:
            distances = [slow.rounded(parents, x, c) for c in elsewhere]
            assert by_links.setdefault(links(parents, x, g), distances) == distances
