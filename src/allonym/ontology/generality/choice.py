"""Which of several concepts that are about as near stands for a group: one that people know."""

from __future__ import annotations

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.ontology.generality.ceiling import Ceiling
from allonym.ontology.generality.familiar import is_known, label, uses
from allonym.ontology.generality.residual import names_the_rest
from allonym.ontology.joining.taxonomy import JoinedTaxonomy
from allonym.ontology.taxonomy import Taxonomy

TIED = 0.01  # mean distance by which concepts may differ that are equally near
HARDLY_FARTHER = 0.1  # mean distance that a concept nobody knows may gain
FARTHER = 0.2  # mean distance that a class of the rest may gain


def chosen_concept(concepts: Ints, costs: Floats, weight: float, ceiling: Ceiling) -> int:
    """Return the concept with the least cost, unless a better known one costs hardly more.

    Of concepts that are equally near, one in the data comes first, then the one whose words are used most.

    Args:
        concepts: the candidates.
        costs: Σ ω·d of each to the values of a group.
        weight: Σ ω of the group.
        ceiling: the ontology and the concepts of the column.
    """
    tied = concepts[costs <= costs.min() + TIED * weight].tolist()
    if len(tied) > 1:
        rank = {int(c): cost for c, cost in zip(concepts.tolist(), np.round(costs, 9).tolist(), strict=True)}
        taxonomy = ceiling.scope.taxonomy
        tied.sort(key=lambda c: (c not in ceiling.present, -_uses(taxonomy, c), rank[c], c))
    return better_known(tied[0], concepts, costs, weight, ceiling)


def better_known(best: int, concepts: Ints, costs: Floats, weight: float, ceiling: Ceiling) -> int:
    """Return a concept; if nobody knows it, the nearest that people know, and for a class of the rest another concept.

    It stays where these would be much farther from the group.
    """
    if says_something(best, ceiling):
        return best
    rest = names_the_rest(label(ceiling.scope.taxonomy, best), ceiling.language)
    most = float(costs.min()) + (FARTHER if rest else HARDLY_FARTHER) * weight
    order = np.argsort(np.round(costs, 9), kind="stable")
    return next((c for c in concepts[order[costs[order] <= most]].tolist() if says_something(c, ceiling)), best)


def says_something(concept: int, ceiling: Ceiling) -> bool:
    """Tell whether a concept is in the data or people know it, and it is no class of the rest."""
    taxonomy = ceiling.scope.taxonomy
    known = concept in ceiling.present or is_known(taxonomy, concept)
    return known and not names_the_rest(label(taxonomy, concept), ceiling.language)


def _uses(taxonomy: Taxonomy, concept: int) -> int:
    """Return how often the words of a concept were used, in the ontology that it comes from."""
    if isinstance(taxonomy, JoinedTaxonomy):
        place = taxonomy.branch_of(concept)
        return 0 if place is None else uses(taxonomy.branches[place].taxonomy, taxonomy.own_concept(concept))
    return uses(taxonomy, concept)
