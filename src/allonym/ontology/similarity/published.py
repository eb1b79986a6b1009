"""The measures on links and information content, as they are published."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import OptionError
from allonym.ontology import content as contents
from allonym.ontology.ancestry import Ancestry, Ints, Score
from allonym.ontology.taxonomy import Taxonomy

Over = Taxonomy | Ancestry
Content = str | NDArray[np.float64]
DEPTHS = {"edges": 0, "nodes": 1, "virtual-root": 2}  # depth of the root
DEFAULT_CONTENT = "seco"
Floats = NDArray[np.float64]


def ancestry_of(over: Over, a: ArrayLike, b: ArrayLike) -> Ancestry:
    """Return the ancestry that was given, or that of the concepts to compare."""
    if isinstance(over, Ancestry):
        return over
    return over.ancestry(np.concatenate([np.ravel(np.asarray(a)), np.ravel(np.asarray(b))]))


def taxonomy_of(over: Over) -> Taxonomy:
    """Return the taxonomy."""
    return over.taxonomy if isinstance(over, Ancestry) else over


def root_depth(depth: str) -> int:
    """Return the depth of the root by a convention."""
    if depth not in DEPTHS:
        raise OptionError.of("depth convention", depth, DEPTHS)
    return DEPTHS[depth]


def path(over: Over, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return the fewest links between a and b, up from each to a common subsumer.

    Rada et al. 1989, doi:10.1109/21.24528; Martínez 2010, eq. 5. The subsumer need not be a least one: on a DAG, the
    way over a higher one can be shorter.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> float(path(t, t.code("parrot"), t.code("cat")))
    3.0
    """
    return ancestry_of(over, a, b).links(a, b)


def leacock_chodorow(over: Over, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return -log(Np / 2D) (Leacock and Chodorow 1998; Martínez 2010, eq. 6).

    Np is the path length plus 1, and D is the largest depth in nodes.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> bool(leacock_chodorow(t, 2, 3) == -np.log((3 + 1) / (2 * 3)))
    True
    """
    return -np.log((path(over, a, b) + 1) / (2 * (taxonomy_of(over).deepest + 1)))


def wu_palmer_score(ancestry: Ancestry, depth: str, content: Content = DEFAULT_CONTENT, links_below: int = 0) -> Score:
    offset = root_depth(depth)
    twice_depth = ancestry.twice_depths(offset)

    def score(links: Ints, lcs: Ints) -> NDArray[np.float64]:
        n3 = np.take(twice_depth, lcs)
        total = links + n3
        if links_below:
            total += links_below
        if offset:
            return n3 / total
        return np.divide(n3, total, out=np.ones_like(n3), where=total > 0)  # 0/0: the root and itself

    return score


def wu_palmer(over: Over, a: ArrayLike, b: ArrayLike, *, depth: str = "nodes") -> NDArray[np.float64]:
    """Return 2·N3 / (N1 + N2 + 2·N3) (Wu and Palmer 1994, doi:10.3115/981732.981751; Martínez 2010, eq. 7).

    The form of Rodriguez-Garcia, Batet and Sánchez has the depths of a and b in the denominator. It can exceed 1 on a
    DAG and is not used.

    Args:
        over: a taxonomy, or the ancestry of some of its concepts.
        a: one or more concepts.
        b: one or more concepts.
        depth: the depth of the root: `edges` (0), `nodes` (1) or `virtual-root` (2).

    Raises:
        OptionError: the depth convention is unknown.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> float(wu_palmer(t, 2, 3)), float(wu_palmer(t, 2, 3, depth="edges"))
    (0.4, 0.0)
    >>> (2 * 1) / (2 + 1 + 2 * 1)
    0.4
    """
    ancestry = ancestry_of(over, a, b)
    return ancestry.best(a, b, wu_palmer_score(ancestry, depth))


def ancestor_overlap(over: Over, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return the distance δ = (|T(a) ∪ T(b)| - |T(a) ∩ T(b)|) / |T(a) ∪ T(b)| (Batet et al. 2014, eq. 1).

    >>> t = Taxonomy.build("t", ["sports", "water sports", "swimming", "surfing"], child=[1, 2, 3], parent=[0, 1, 1])
    >>> float(ancestor_overlap(t, 2, 3)) == (4 - 2) / 4
    True
    """
    table = ancestry_of(over, a, b)
    both = table.shared(a, b)
    either = table.size[np.asarray(a)] + table.size[np.asarray(b)] - both
    return (either - both) / either


def content_score(ancestry: Ancestry, depth: str, content: Content) -> Score:
    content_at = ancestry.by_place(content_values(ancestry, content))
    return lambda links, lcs: np.take(content_at, lcs)


def shared_content(over: Over, a: ArrayLike, b: ArrayLike, values: NDArray[np.float64]) -> NDArray[np.float64]:
    ancestry = ancestry_of(over, a, b)
    return ancestry.best(a, b, content_score(ancestry, "nodes", values))


def content_values(over: Over, content: Content) -> NDArray[np.float64]:
    return contents.content(taxonomy_of(over), content) if isinstance(content, str) else np.asarray(content)


def resnik(over: Over, a: ArrayLike, b: ArrayLike, *, content: Content = DEFAULT_CONTENT) -> NDArray[np.float64]:
    """Return IC(LCS) (Resnik 1995; Martínez 2010, eq. 14).

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> float(resnik(t, 2, 1)), float(resnik(t, 2, 3))
    (0.5, 0.0)
    """
    return shared_content(over, a, b, content_values(over, content))


def lin(over: Over, a: ArrayLike, b: ArrayLike, *, content: Content = DEFAULT_CONTENT) -> NDArray[np.float64]:
    """Return 2·IC(LCS) / (IC(a) + IC(b)) (Lin 1998; Martínez 2010, eq. 15), 1 for equal concepts.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> bool(lin(t, 2, 1) == 2 * 0.5 / (1 + 0.5))
    True
    """
    values = content_values(over, content)
    both = values[np.asarray(a)] + values[np.asarray(b)]
    shared = 2 * shared_content(over, a, b, values)
    ratio = np.divide(shared, both, out=np.zeros_like(shared), where=both > 0)
    return np.where(np.equal(a, b), 1.0, ratio)


def jiang_conrath(over: Over, a: ArrayLike, b: ArrayLike, *, content: Content = DEFAULT_CONTENT) -> NDArray[np.float64]:
    """Return the distance IC(a) + IC(b) - 2·IC(LCS) (Jiang and Conrath 1997; Martínez 2010, eq. 16).

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> bool(jiang_conrath(t, 2, 3) == 1 + 1 - 2 * 0)
    True
    """
    values = content_values(over, content)
    return values[np.asarray(a)] + values[np.asarray(b)] - 2 * shared_content(over, a, b, values)
