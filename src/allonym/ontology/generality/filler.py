"""Filler: concepts that group values under a name that says nothing to people, such as "change" or "social group"."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.generality.upper_layer import NEAR_ROOT, has_word_counts, summed_up_paths, upper_layer
from allonym.ontology.joining.taxonomy import JoinedTaxonomy
from allonym.ontology.taxonomy import Taxonomy

Bools = NDArray[np.bool_]
RARELY_SAID = 0.02  # share of the uses of all words at or below a concept that are its own
MAX_LINKS = 6  # from the root
MUCH = 1 / 90  # share of the ontology below a concept that is filler whatever its parents are
SOME = 1 / 140  # share below a concept that is filler if all its parents are


def filler(taxonomy: Taxonomy) -> Bools:
    """Return which concepts are no names for groups of values: the upper layer, and more of an ontology of words.

    There, filler is also what is above much, near the root, and rarely said: less than 2 % of all uses of the words at
    and below a concept are its own. With less below it, it is filler only if all its parents are, or if it is at most
    three links below the root.

    >>> from allonym.ontology.wordnet import bundled
    >>> wordnet = bundled()
    >>> names = ("change.n.03", "social_group.n.01", "person.n.01", "container.n.01", "food.n.02")
    >>> [bool(filler(wordnet)[wordnet.code(x)]) for x in names]
    [True, True, False, False, False]
    """
    cache = taxonomy.lexicon.cache
    if "filler" not in cache:
        cache["filler"] = _joined(taxonomy) if isinstance(taxonomy, JoinedTaxonomy) else _filler(taxonomy)
    says_nothing: Bools = cache["filler"]
    return says_nothing


def _filler(taxonomy: Taxonomy) -> Bools:
    says_nothing = upper_layer(taxonomy).copy()
    if not has_word_counts(taxonomy):
        return says_nothing
    below = summed_up_paths(taxonomy, np.ones(len(taxonomy)))
    share = below / below[taxonomy.root]
    lexicon = taxonomy.lexicon
    uses = np.bincount(lexicon.concepts, lexicon.counts, len(taxonomy)).astype(np.float64)
    rare = (uses < RARELY_SAID * summed_up_paths(taxonomy, uses)) & (taxonomy.depth <= MAX_LINKS)
    says_nothing |= rare & (share >= MUCH)
    some = np.flatnonzero(rare & (share >= SOME))
    for concept in some[np.argsort(taxonomy.depth[some], kind="stable")].tolist():
        says_nothing[concept] |= bool(says_nothing[taxonomy.parents_of(concept)].all())
    return says_nothing | ((taxonomy.depth <= NEAR_ROOT) & (share >= SOME))


def _joined(taxonomy: JoinedTaxonomy) -> Bools:
    """Return the filler of several ontologies."""
    says_nothing = upper_layer(taxonomy).copy()
    for place, branch in enumerate(taxonomy.branches):
        low, high = taxonomy.starts[place], taxonomy.starts[place + 1]
        says_nothing[low:high] |= filler(branch.taxonomy)[taxonomy.own_concepts[low:high]]
    return says_nothing
