"""Slow, obviously correct distances of leaves below concepts: a test oracle, written from the formulas.

A leaf is added to the taxonomy as a child of its concept, and the formulas are applied to that. What is normalised is
normalised by the taxonomy without the leaf, whose other distances must not change.
"""

import math
from collections.abc import Mapping

import reference
from reference import Parents

Below = tuple[bool, bool]
Terms = Mapping[int, frozenset[str]]


def with_leaves(parents: Parents, a: int, b: int, below: Below) -> tuple[Parents, int, int]:
    """Return the taxonomy with a leaf below a, one below b, or both, and the two concepts to compare."""
    extended = dict(parents)
    pair = [a, b]
    for place, concept in enumerate((a, b)):
        if below[place]:
            pair[place] = len(extended)
            extended[len(extended)] = (concept,)
    return extended, pair[0], pair[1]


def content(parents: Parents, extended: Parents, c: int, others: tuple[int, int]) -> float:
    """Return Seco's content: a new leaf has no hyponym, and a childless concept one if it is compared with its leaf."""
    if c not in parents:
        return 1.0
    is_compared = all(c in reference.ancestors(extended, other) for other in others)
    hyponyms = sum(c in reference.ancestors(parents, other) for other in parents) - 1
    return 1 - math.log(max(hyponyms, int(is_compared)) + 1) / math.log(len(parents))


def distance(measure: str, parents: Parents, a: int, b: int, below: Below, convention: str = "nodes") -> float:
    """Return the distance for masking by a measure that needs no words."""
    extended, one, other = with_leaves(parents, a, b, below)
    deepest = max(reference.depth(parents, c) for c in parents)
    subsumers = reference.least_common_subsumers(extended, one, other)
    links = {c: reference.links_up(extended, one, c) + reference.links_up(extended, other, c) for c in subsumers}
    if measure == "wu-palmer":
        n3 = {c: reference.depth(extended, c) + reference.OFFSETS[convention] for c in subsumers}
        found = 1 - max(2 * n3[c] / (links[c] + 2 * n3[c]) for c in subsumers)
    elif measure == "path":
        found = reference.path(extended, one, other) / (2 * deepest) if deepest else 1.0
    elif measure == "leacock-chodorow":
        n_p = reference.path(extended, one, other) + 1
        found = 1 + math.log(n_p / (2 * (deepest + 1))) / math.log(2 * (deepest + 1))
    elif measure == "ancestor-overlap":
        found = reference.ancestor_overlap(extended, one, other)
    else:
        found = _by_content(measure, parents, extended, one, other)
    return min(max(found, 0.0), 1.0)


def _by_content(measure: str, parents: Parents, extended: Parents, one: int, other: int) -> float:
    if len(parents) == 1:
        return 1.0
    pair = (one, other)
    shared = max(content(parents, extended, c, pair) for c in reference.least_common_subsumers(extended, *pair))
    own = [content(parents, extended, c, pair) for c in pair]
    if measure == "resnik":
        return 1 - shared
    if measure == "lin":
        return 1 - 2 * shared / sum(own) if sum(own) else 1.0
    return (sum(own) - 2 * shared) / 2
