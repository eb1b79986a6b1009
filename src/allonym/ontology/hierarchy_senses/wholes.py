"""The wholes of which concepts are parts, where the ontology has part-of links."""

from __future__ import annotations

from allonym.ontology.taxonomy import Taxonomy


def wholes_of(taxonomy: Taxonomy, concept: int) -> frozenset[int]:
    """Return what a concept is a part, member or substance of, at one or several removes.

    >>> from allonym.ontology.wordnet import bundled
    >>> sorted(bundled().labels[c] for c in wholes_of(bundled(), bundled().code("japan#2")))
    ['Asia', 'Eurasia', 'eastern hemisphere', 'northern hemisphere']
    """
    if taxonomy.details is None:
        return frozenset()
    wholes, frontier = set[int](), {concept}
    while frontier:
        frontier = {int(x) for part in frontier for x in taxonomy.details.wholes(part)} - wholes
        wholes |= frontier
    return frozenset(wholes)
