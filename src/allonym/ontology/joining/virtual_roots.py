"""Virtual roots: concepts without a meaning of their own, above several roots of a source or several ontologies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.taxonomy import ROOT, Taxonomy


def virtual_roots(taxonomy: Taxonomy) -> NDArray[np.int64]:
    """Return the virtual root of a taxonomy, if it has one, and those directly below it, of joined ontologies.

    They say that a value may be anything, so no value is replaced by one unless it is generalised up to the top.

    >>> animals = Taxonomy.build("animals", ["bird", "parrot", "cat"], child=[1], parent=[0])
    >>> [animals.ids[c] for c in virtual_roots(animals)]
    ['*']
    """
    root = taxonomy.root
    if taxonomy.labels[root] != ROOT:
        return np.empty(0, np.int64)
    below = [int(c) for c in taxonomy.children_of(root) if taxonomy.labels[c] == ROOT]
    return np.array([root, *below], np.int64)
