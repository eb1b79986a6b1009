"""The abstract upper layer of an ontology: concepts above so much that naming them says nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import take_rows
from allonym.ontology.joining.taxonomy import JoinedTaxonomy
from allonym.ontology.joining.virtual_roots import virtual_roots
from allonym.ontology.taxonomy import Taxonomy

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
MOST = 0.9  # share of an ontology: what is above so much is its root by another name
MUCH = 1 / 40  # share of an ontology that lies below concepts of the upper layer
NEAR_ROOT = 3  # links to the root, at most, of what is abstract however often it is said, such as "group"
RARELY_SAID = 0.01  # share of the uses of all words at or below a concept that are its own
MIN_LEVELS = 10  # of an ontology of general words; the counts of shallower ones are inhabitants or speakers


def upper_layer(taxonomy: Taxonomy) -> Bools:
    """Return which concepts are the root, or as abstract as the root.

    In any ontology these are its root, virtual roots, and what nearly all of it lies below. An ontology of general
    words has more of them: "psychological feature" or "causal agent" are above much, but nobody says so. There, a
    concept with at least a fortieth of the ontology below it is abstract if its own words are less than 1 % of all uses
    of the words at and below it, or if it is at most three links below the root ("group", "event"). "person" and
    "animal" are said often.

    >>> from allonym.ontology.wordnet import bundled
    >>> wordnet = bundled()
    >>> abstract = upper_layer(wordnet)
    >>> [bool(abstract[wordnet.code(x)]) for x in ("whole.n.02", "causal_agent.n.01", "person.n.01", "animal.n.01")]
    [True, True, False, False]
    """
    cache = taxonomy.lexicon.cache
    if "upper layer" not in cache:
        cache["upper layer"] = _joined(taxonomy) if isinstance(taxonomy, JoinedTaxonomy) else _upper_layer(taxonomy)
    abstract: Bools = cache["upper layer"]
    return abstract


def has_word_counts(taxonomy: Taxonomy) -> bool:
    """Tell whether an ontology is one of general words, with counts of how often these were used."""
    return taxonomy.deepest >= MIN_LEVELS and taxonomy.lexicon.has_counts


def _upper_layer(taxonomy: Taxonomy) -> Bools:
    below = summed_up_paths(taxonomy, np.ones(len(taxonomy)))
    share = below / below[taxonomy.root]
    abstract = share >= MOST
    if has_word_counts(taxonomy):
        lexicon = taxonomy.lexicon
        uses = np.bincount(lexicon.concepts, lexicon.counts, len(taxonomy)).astype(np.float64)
        rare = uses < RARELY_SAID * summed_up_paths(taxonomy, uses)
        abstract |= (share >= MUCH) & (rare | (taxonomy.depth <= NEAR_ROOT))
    abstract[taxonomy.root] = True
    abstract[virtual_roots(taxonomy)] = True
    return abstract


def _joined(taxonomy: JoinedTaxonomy) -> Bools:
    """Return the upper layers of several ontologies, and the virtual root above them."""
    own = np.zeros(len(taxonomy), bool)
    for place, branch in enumerate(taxonomy.branches):
        low, high = taxonomy.starts[place], taxonomy.starts[place + 1]
        own[low:high] = upper_layer(branch.taxonomy)[taxonomy.own_concepts[low:high]]
        root = taxonomy.joined_concept(place, branch.root)
        own[root] = True
    own[taxonomy.root] = True
    own[virtual_roots(taxonomy)] = True
    return own


def summed_up_paths(taxonomy: Taxonomy, amounts: Floats) -> Floats:
    """Return for every concept the sum of amounts over it and all below it, once for each path between them.

    It is fast, and exact in a tree.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> summed_up_paths(t, np.ones(4)).tolist()
    [4.0, 2.0, 1.0, 1.0]
    """
    total = amounts.astype(np.float64)
    by_depth = np.argsort(taxonomy.depth, kind="stable")
    ends = np.cumsum(np.bincount(taxonomy.depth))
    for low, high in zip(ends[-2::-1], ends[:0:-1], strict=True):
        level = by_depth[low:high]
        starts, parents = take_rows(*taxonomy.parents, level)
        np.add.at(total, parents, np.repeat(total[level], np.diff(starts)))
    return total
