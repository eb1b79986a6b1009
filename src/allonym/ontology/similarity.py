"""Similarity of concepts: one function per published measure.

Every function takes a taxonomy, or the `Ancestry` of some of its concepts if it is called often, and concepts `a` and
`b`, which broadcast as in NumPy: two integers are a pair, an integer and an array one against many, two arrays of equal
length pairs, a column and a row (`codes[:, None], codes`) a table. N1 and N2 are the fewest links from a and b up to
their least common subsumer (LCS), N3 is its depth. If there are several LCSs, the one of highest similarity counts.
Path lengths are the shortest over all common subsumers.

`distance` is the form used for masking: in [0, 1], and 0 for equal concepts whatever the measure. It also compares
*leaves below* concepts, which the taxonomy does not have: a value that is a kind of a concept. Such a leaf is one link
below its concept; its least common subsumers with other concepts are those of its concept.

To add a measure, write its function here (or in `features`), the distance for masking, and a line in `MEASURES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import OptionError
from allonym.ontology import content as contents
from allonym.ontology.ancestry import Ancestry, Ints, Score
from allonym.ontology.taxonomy import Taxonomy

Over = Taxonomy | Ancestry
Content = str | NDArray[np.float64]
Below = tuple[bool, bool]  # whether a leaf below a takes the place of a; the same for b
NEITHER: Below = (False, False)
DEPTHS = {"edges": 0, "nodes": 1, "virtual-root": 2}  # depth of the root
DEFAULT_CONTENT = "seco"
Floats = NDArray[np.float64]


def _ancestry(over: Over, a: ArrayLike, b: ArrayLike) -> Ancestry:
    if isinstance(over, Ancestry):
        return over
    return over.ancestry(np.concatenate([np.ravel(np.asarray(a)), np.ravel(np.asarray(b))]))


def _taxonomy(over: Over) -> Taxonomy:
    return over.taxonomy if isinstance(over, Ancestry) else over


def _offset(depth: str) -> int:
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
    return _ancestry(over, a, b).links(a, b)


def leacock_chodorow(over: Over, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return -log(Np / 2D) (Leacock and Chodorow 1998; Martínez 2010, eq. 6).

    Np is the path length plus 1, and D is the largest depth in nodes.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> bool(leacock_chodorow(t, 2, 3) == -np.log((3 + 1) / (2 * 3)))
    True
    """
    return -np.log((path(over, a, b) + 1) / (2 * (_taxonomy(over).deepest + 1)))


def _wu_palmer_score(ancestry: Ancestry, depth: str, content: Content = DEFAULT_CONTENT, links_below: int = 0) -> Score:
    offset = _offset(depth)
    twice_depth = 2.0 * ancestry.by_place(ancestry.taxonomy.depth + offset)

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
    ancestry = _ancestry(over, a, b)
    return ancestry.best(a, b, _wu_palmer_score(ancestry, depth))


def ancestor_overlap(over: Over, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return the distance δ = (|T(a) ∪ T(b)| - |T(a) ∩ T(b)|) / |T(a) ∪ T(b)| (Batet et al. 2014, eq. 1).

    >>> t = Taxonomy.build("t", ["sports", "water sports", "swimming", "surfing"], child=[1, 2, 3], parent=[0, 1, 1])
    >>> float(ancestor_overlap(t, 2, 3)) == (4 - 2) / 4
    True
    """
    table = _ancestry(over, a, b)
    both = table.shared(a, b)
    either = table.size[np.asarray(a)] + table.size[np.asarray(b)] - both
    return (either - both) / either


def _content_score(ancestry: Ancestry, depth: str, content: Content) -> Score:
    content_at = ancestry.by_place(_content_values(ancestry, content))
    return lambda links, lcs: np.take(content_at, lcs)


def _shared_content(over: Over, a: ArrayLike, b: ArrayLike, values: NDArray[np.float64]) -> NDArray[np.float64]:
    ancestry = _ancestry(over, a, b)
    return ancestry.best(a, b, _content_score(ancestry, "nodes", values))


def _content_values(over: Over, content: Content) -> NDArray[np.float64]:
    return contents.content(_taxonomy(over), content) if isinstance(content, str) else np.asarray(content)


def resnik(over: Over, a: ArrayLike, b: ArrayLike, *, content: Content = DEFAULT_CONTENT) -> NDArray[np.float64]:
    """Return IC(LCS) (Resnik 1995; Martínez 2010, eq. 14).

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> float(resnik(t, 2, 1)), float(resnik(t, 2, 3))
    (0.5, 0.0)
    """
    return _shared_content(over, a, b, _content_values(over, content))


def lin(over: Over, a: ArrayLike, b: ArrayLike, *, content: Content = DEFAULT_CONTENT) -> NDArray[np.float64]:
    """Return 2·IC(LCS) / (IC(a) + IC(b)) (Lin 1998; Martínez 2010, eq. 15), 1 for equal concepts.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> bool(lin(t, 2, 1) == 2 * 0.5 / (1 + 0.5))
    True
    """
    values = _content_values(over, content)
    both = values[np.asarray(a)] + values[np.asarray(b)]
    shared = 2 * _shared_content(over, a, b, values)
    ratio = np.divide(shared, both, out=np.zeros_like(shared), where=both > 0)
    return np.where(np.equal(a, b), 1.0, ratio)


def jiang_conrath(over: Over, a: ArrayLike, b: ArrayLike, *, content: Content = DEFAULT_CONTENT) -> NDArray[np.float64]:
    """Return the distance IC(a) + IC(b) - 2·IC(LCS) (Jiang and Conrath 1997; Martínez 2010, eq. 16).

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> bool(jiang_conrath(t, 2, 3) == 1 + 1 - 2 * 0)
    True
    """
    values = _content_values(over, content)
    return values[np.asarray(a)] + values[np.asarray(b)] - 2 * _shared_content(over, a, b, values)


# --- the form used for masking -------------------------------------------------------------------------------------


def _normalised(value: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
    """Divide by the largest possible value; if it is 0, the distance is 1."""
    return value / largest if largest > 0 else np.ones_like(value)


def _by_path(over: Over, a: ArrayLike, b: ArrayLike, depth: str, content: Content, below: Below) -> Floats:
    return _normalised(path(over, a, b) + sum(below), 2 * _taxonomy(over).deepest)


def _by_leacock_chodorow(over: Over, a: ArrayLike, b: ArrayLike, depth: str, content: Content, below: Below) -> Floats:
    largest = 2 * (_taxonomy(over).deepest + 1)
    return 1 - _normalised(-np.log((path(over, a, b) + sum(below) + 1) / largest), np.log(largest))


def _by_wu_palmer(over: Over, a: ArrayLike, b: ArrayLike, depth: str, content: Content, below: Below) -> Floats:
    ancestry = _ancestry(over, a, b)
    return 1 - ancestry.best(a, b, _wu_palmer_score(ancestry, depth, content, sum(below)))


def _by_overlap(over: Over, a: ArrayLike, b: ArrayLike, depth: str, content: Content, below: Below) -> Floats:
    table = _ancestry(over, a, b)
    both = table.shared(a, b)
    either = table.size[np.asarray(a)] + table.size[np.asarray(b)] + sum(below) - both
    return (either - both) / either


def _by_resnik(over: Over, a: ArrayLike, b: ArrayLike, depth: str, content: Content, below: Below) -> Floats:
    values = _content_values(over, content)
    largest = float(values.max(initial=0))
    shared = contents.compared(values, a, b, _shared_content(over, a, b, values), below)[2]
    return _normalised(largest - shared, largest)


def _by_lin(over: Over, a: ArrayLike, b: ArrayLike, depth: str, content: Content, below: Below) -> Floats:
    values = _content_values(over, content)
    one, other, shared = contents.compared(values, a, b, _shared_content(over, a, b, values), below)
    return 1 - np.divide(2 * shared, one + other, out=np.zeros_like(shared), where=one + other > 0)


def _by_jiang_conrath(over: Over, a: ArrayLike, b: ArrayLike, depth: str, content: Content, below: Below) -> Floats:
    values = _content_values(over, content)
    one, other, shared = contents.compared(values, a, b, _shared_content(over, a, b, values), below)
    return _normalised(one + other - 2 * shared, 2 * float(values.max(initial=0)))


Distance = Callable[[Over, ArrayLike, ArrayLike, str, Content, Below], Floats]


def _by_features(name: str) -> Distance:
    """Return the distance of a measure in `features`, which imports SciPy and is loaded at the first call."""

    def by_features(over: Over, a: ArrayLike, b: ArrayLike, depth: str, content: Content, below: Below) -> Floats:
        from allonym.ontology import features

        return 1 - getattr(features, name)(over, a, b, below=below)

    return by_features


@dataclass(frozen=True)
class Measure:
    """A measure: its distance for masking, its score of subsumers, and its published value unless 1 - distance."""

    distance: Distance
    score: Callable[[Ancestry, str, Content], Score] | None = _wu_palmer_score  # None: the subsumer of the fewest links
    published: Callable[..., NDArray[np.float64]] | None = None

    @property
    def by_content(self) -> bool:
        """Whether the measure depends on information content."""
        return self.score is _content_score


MEASURES = {
    "wu-palmer": Measure(_by_wu_palmer),
    "path": Measure(_by_path, None, path),
    "leacock-chodorow": Measure(_by_leacock_chodorow, None, leacock_chodorow),
    "ancestor-overlap": Measure(_by_overlap),
    "resnik": Measure(_by_resnik, _content_score, resnik),
    "lin": Measure(_by_lin, _content_score),
    "jiang-conrath": Measure(_by_jiang_conrath, _content_score, jiang_conrath),
    "tversky": Measure(_by_features("tversky")),
    "rodriguez-egenhofer": Measure(_by_features("rodriguez_egenhofer")),
    "x-similarity": Measure(_by_features("x_similarity")),
}


def _measure(name: str) -> Measure:
    if name not in MEASURES:
        raise OptionError.of("measure", name, MEASURES)
    return MEASURES[name]


def distance(
    measure: str,
    over: Over,
    a: ArrayLike,
    b: ArrayLike,
    *,
    depth: str = "nodes",
    content: Content = DEFAULT_CONTENT,
    below: Below = NEITHER,
) -> NDArray[np.float64]:
    """Return the distance used for masking: in [0, 1], and 0 for equal concepts, also at the root.

    Args:
        measure: a name in `MEASURES`.
        over: a taxonomy, or the ancestry of some of its concepts.
        a: one or more concepts.
        b: one or more concepts.
        depth: the depth convention of Wu-Palmer.
        content: a name in `content.CONTENTS`, or the information content of every concept.
        below: whether leaves below the concepts are compared instead, for a and for b; two leaves are different ones.

    Raises:
        OptionError: the measure, depth convention or information content is unknown.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> distance("path", t, 2, [0, 1, 2, 3]).tolist()
    [0.5, 0.25, 0.0, 0.75]
    >>> distance("path", t, 1, [0, 1, 2], below=(True, False)).tolist()
    [0.5, 0.25, 0.5]
    """
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    distances = _measure(measure).distance(over, a, b, depth, content, below)
    distances = np.clip(distances, 0.0, 1.0, out=np.atleast_1d(distances)).reshape(distances.shape)
    if not any(below):
        distances[np.equal(a, b)] = 0.0
    return distances


def table(
    measure: str,
    over: Over,
    concepts: ArrayLike,
    *,
    depth: str = "nodes",
    content: Content = DEFAULT_CONTENT,
) -> NDArray[np.float64]:
    """Return the matrix of distances among some concepts; each pair is computed once.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> table("path", t, [1, 2]).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """
    codes = np.asarray(concepts)
    _offset(depth)
    over = _ancestry(over, codes, codes)
    if _measure(measure).by_content:
        content = _content_values(over, content)
    distances = np.zeros((len(codes), len(codes)))
    height = max(1, 250_000 // max(1, len(codes)))  # a block fits into the cache
    for low in range(0, len(codes), height):
        block = slice(low, low + height)
        right = codes[None, low:]
        distances[block, low:] = distance(measure, over, codes[block, None], right, depth=depth, content=content)
    for low in range(0, len(codes), 512):
        for left in range(0, low + 1, 512):
            tile = distances[left : left + 512, low : low + 512]
            distances[low : low + 512, left : left + 512] = tile.T if left < low else np.maximum(tile, tile.T)
    return distances


def lcs(
    over: Over,
    a: ArrayLike,
    b: ArrayLike,
    *,
    measure: str = "wu-palmer",
    depth: str = "nodes",
    content: Content = DEFAULT_CONTENT,
) -> NDArray[np.int64]:
    """Return the least common subsumer of each pair; of several, the one of highest similarity.

    For path lengths it is the common subsumer on the shortest path, which need not be a least one. Measures on features
    do not use subsumers; Wu-Palmer chooses for them.
    """
    ancestry, score = _ancestry(over, a, b), _measure(measure).score
    return (
        ancestry.nearest_subsumer(a, b)
        if score is None
        else ancestry.best_subsumer(a, b, score(ancestry, depth, content))
    )


def best_pair(
    measure: str,
    over: Over,
    senses: Sequence[ArrayLike],
    *,
    depth: str = "nodes",
    content: Content = DEFAULT_CONTENT,
) -> NDArray[np.float64]:
    """Return the distances among words, each the smallest over all pairs of their senses.

    Args:
        measure: a name in `MEASURES`.
        over: a taxonomy, or the ancestry of some of its concepts.
        senses: the concepts that each word may mean.
        depth: as for `distance`.
        content: as for `distance`.

    Raises:
        ValueError: a word has no senses.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> best_pair("path", t, [[2, 3], [1], [0, 3]]).tolist()
    [[0.0, 0.25, 0.0], [0.25, 0.0, 0.25], [0.0, 0.25, 0.0]]
    """
    if not all(np.size(concepts) for concepts in senses):
        raise ValueError("cannot compare a word without senses")
    flat = np.concatenate([np.asarray(concepts, np.int64) for concepts in senses])
    starts = np.cumsum([0, *(len(np.asarray(concepts)) for concepts in senses[:-1])])
    among_senses = table(measure, over, flat, depth=depth, content=content)
    return np.minimum.reduceat(np.minimum.reduceat(among_senses, starts, axis=0), starts, axis=1)
