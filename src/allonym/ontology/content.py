"""Information content: the specificity of a concept, 0 at the root."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import OptionError
from allonym.ontology.taxonomy import Taxonomy

Content = NDArray[np.float64]


def seco(taxonomy: Taxonomy) -> Content:
    """Return the intrinsic content 1 - log(hyponyms + 1) / log(N) (Seco, Veale and Hayes 2004).

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> seco(t).tolist()
    [0.0, 0.5, 1.0, 1.0]
    """
    if len(taxonomy) < 2:
        return np.zeros(len(taxonomy))
    return 1 - np.log(taxonomy.hyponyms + 1) / np.log(len(taxonomy))


def sanchez_batet(taxonomy: Taxonomy) -> Content:
    """Return the intrinsic content -log((leaves / |T| + 1) / (leaves of the root + 1)).

    Sánchez, Batet and Isern 2011, doi:10.1016/j.knosys.2010.10.001; T is the concept with its ancestors.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> bool(np.isclose(sanchez_batet(t)[1], -np.log((1 / 2 + 1) / (2 + 1))))
    True
    """
    leaves = taxonomy.leaves_below
    return np.log(leaves[taxonomy.root] + 1) - np.log(leaves / taxonomy.subsumer_count + 1)


def corpus(taxonomy: Taxonomy, counts: ArrayLike | None = None) -> Content:
    """Return -log p(c) (Resnik 1995), where p sums count + 1 over the concept and its distinct descendants.

    Args:
        taxonomy: the taxonomy.
        counts: the occurrences of every concept in a corpus; without them, the counts of the lexicon (for WordNet, of
            the sense-tagged texts behind cntlist.rev).

    Raises:
        OptionError: neither `counts` nor the lexicon has occurrences.
    """
    if counts is None:
        words = taxonomy.lexicon
        counts = np.bincount(words.concepts, weights=words.counts, minlength=len(taxonomy))
        if not np.any(counts):
            raise OptionError(
                f"{taxonomy.name} has no word counts, which the content 'corpus' needs.",
                hint="use the content 'seco' or 'sanchez-batet', or pass counts.",
            )
    total = taxonomy.summed_up(np.asarray(counts, np.float64) + 1)
    return np.log(total[taxonomy.root]) - np.log(total)


CONTENTS = {"seco": seco, "sanchez-batet": sanchez_batet, "corpus": corpus}


def content(taxonomy: Taxonomy, name: str) -> Content:
    """Return the information content of every concept, by a name in `CONTENTS`."""
    if name not in CONTENTS:
        raise OptionError.of("information content", name, CONTENTS)
    return CONTENTS[name](taxonomy)


def compared(
    values: Content, a: ArrayLike, b: ArrayLike, shared: Content, below: tuple[bool, bool]
) -> tuple[Content, Content, Content]:
    """Return the contents by which pairs are compared: of a, of b and of their least common subsumer.

    A leaf below a concept has the largest content. So has a concept without children; compared with leaves below it, it
    counts as a concept with one hyponym (1 - log 2 / log N, as by Seco), or it would be as specific as they are.

    Args:
        values: the content of every concept.
        a: concepts.
        b: concepts, which broadcast with `a`.
        shared: the content of the least common subsumer of each pair.
        below: whether leaves below the concepts are compared instead, for a and for b.
    """
    largest = float(values.max(initial=0))
    own = [np.broadcast_to(values[np.asarray(x)], shared.shape) for x in (a, b)]
    if any(below):
        same = np.equal(a, b)
        shared = np.where(same, np.minimum(shared, largest * (1 - np.log(2) / np.log(max(len(values), 2)))), shared)
        own = [
            np.full_like(shared, largest) if is_leaf else np.where(same, shared, x)
            for x, is_leaf in zip(own, below, strict=True)
        ]
    return own[0], own[1], shared
