"""Distances for masking by every measure: in [0, 1], and 0 for equal concepts; the registry of measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import OptionError
from allonym.ontology import content as contents
from allonym.ontology.ancestry import Ancestry, Score
from allonym.ontology.similarity.published import (
    DEFAULT_CONTENT,
    Content,
    Floats,
    Over,
    ancestry_of,
    content_score,
    content_values,
    jiang_conrath,
    leacock_chodorow,
    path,
    resnik,
    root_depth,
    shared_content,
    taxonomy_of,
    wu_palmer_score,
)
from allonym.ontology.taxonomy import Taxonomy

Below = tuple[bool, bool]  # whether a leaf below a takes the place of a; the same for b
NEITHER: Below = (False, False)
GLOSS_VECTOR = "gloss-vector"
FEATURES = ("synonyms", "parts", "neighbourhoods")  # that the weights of Rodríguez-Egenhofer refer to


def weights_problem(weights: Sequence[float]) -> str:
    """Return what is wrong with the weights of Rodríguez-Egenhofer; empty, if nothing is."""
    if len(weights) != len(FEATURES):
        return f"There are {len(weights)} weights; Rodríguez-Egenhofer needs three, of {', '.join(FEATURES)}."
    if min(weights) < 0 or not math.isclose(sum(weights), 1, abs_tol=1e-9):
        return f"The weights of {', '.join(FEATURES)} must be at least 0 and sum to 1; they sum to {sum(weights):g}."
    return ""


@dataclass(frozen=True)
class _Options:
    """How a measure is computed."""

    depth: str = "nodes"
    content: Content = DEFAULT_CONTENT
    below: Below = NEITHER
    weights: Sequence[float] | None = None


Distance = Callable[[Over, ArrayLike, ArrayLike, _Options], Floats]


def _normalised(value: Floats, largest: float) -> Floats:
    """Divide by the largest possible value; if it is 0, the distance is 1."""
    return value / largest if largest > 0 else np.ones_like(value)


def _by_path(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    return _normalised(path(over, a, b) + sum(options.below), 2 * taxonomy_of(over).deepest)


def _by_leacock_chodorow(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    largest = 2 * (taxonomy_of(over).deepest + 1)
    return 1 - _normalised(-np.log((path(over, a, b) + sum(options.below) + 1) / largest), np.log(largest))


def _by_wu_palmer(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    ancestry = ancestry_of(over, a, b)
    return 1 - ancestry.best(a, b, wu_palmer_score(ancestry, options.depth, options.content, sum(options.below)))


def _by_overlap(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    ancestry = ancestry_of(over, a, b)
    both = ancestry.shared(a, b)
    either = ancestry.size[np.asarray(a)] + ancestry.size[np.asarray(b)] + sum(options.below) - both
    return (either - both) / either


def _contents(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> tuple[Floats, Floats, Floats, float]:
    """Return the contents of a, of b and of their subsumer, as they are compared, and the largest of all concepts."""
    values = content_values(over, options.content)
    compared = contents.compared(values, a, b, shared_content(over, a, b, values), options.below)
    return *compared, float(values.max(initial=0))


def _by_resnik(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    _, _, shared, largest = _contents(over, a, b, options)
    return _normalised(largest - shared, largest)


def _by_lin(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    one, other, shared, _ = _contents(over, a, b, options)
    return 1 - np.divide(2 * shared, one + other, out=np.zeros_like(shared), where=one + other > 0)


def _by_jiang_conrath(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    one, other, shared, largest = _contents(over, a, b, options)
    return _normalised(one + other - 2 * shared, 2 * largest)


# Measures on words import SciPy, which is loaded at the first call.


def _by_tversky(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    from allonym.ontology.similarity.features import tversky

    return 1 - tversky(over, a, b, below=options.below)


def _by_tversky_one_way(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    from allonym.ontology.similarity.features import tversky

    return 1 - tversky(over, a, b, symmetric=False, below=options.below)


def _by_rodriguez_egenhofer(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    from allonym.ontology.similarity.features import rodriguez_egenhofer

    return 1 - rodriguez_egenhofer(over, a, b, weights=options.weights, below=options.below)


def _by_x_similarity(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    from allonym.ontology.similarity.features import x_similarity

    return 1 - x_similarity(over, a, b, below=options.below)


def _by_gloss_vector(over: Over, a: ArrayLike, b: ArrayLike, options: _Options) -> Floats:
    from allonym.ontology.similarity.gloss_vectors import gloss_vector

    return 1 - gloss_vector(over, a, b, below=options.below)


@dataclass(frozen=True)
class Measure:
    """A measure: its distance for masking, its score of subsumers, and its published value unless 1 - distance."""

    distance: Distance
    score: Callable[[Ancestry, str, Content], Score] | None = wu_palmer_score  # None: the subsumer of the fewest links
    published: Callable[..., NDArray[np.float64]] | None = None
    symmetric: bool = True

    @property
    def by_content(self) -> bool:
        """Whether the measure depends on information content."""
        return self.score is content_score


ALL_MEASURES = {
    "wu-palmer": Measure(_by_wu_palmer),
    "path": Measure(_by_path, None, path),
    "leacock-chodorow": Measure(_by_leacock_chodorow, None, leacock_chodorow),
    "ancestor-overlap": Measure(_by_overlap),
    "resnik": Measure(_by_resnik, content_score, resnik),
    "lin": Measure(_by_lin, content_score),
    "jiang-conrath": Measure(_by_jiang_conrath, content_score, jiang_conrath),
    "tversky": Measure(_by_tversky),
    "tversky-asymmetric": Measure(_by_tversky_one_way, symmetric=False),
    "rodriguez-egenhofer": Measure(_by_rodriguez_egenhofer),
    "x-similarity": Measure(_by_x_similarity),
    GLOSS_VECTOR: Measure(_by_gloss_vector),
}
MEASURES = {name: measure for name, measure in ALL_MEASURES.items() if measure.symmetric}  # those for masking


def _measure(name: str) -> Measure:
    if name not in ALL_MEASURES:
        raise OptionError.of("measure", name, ALL_MEASURES)
    return ALL_MEASURES[name]


def missing_source(measure: str, taxonomy: Taxonomy, content: Content = DEFAULT_CONTENT) -> str:
    """Return what an ontology lacks for a measure: `word counts` or `definitions`; empty, if nothing."""
    from allonym.ontology.similarity.descriptions import has_definitions

    if _measure(measure).by_content and isinstance(content, str) and content == "corpus":
        return "" if np.any(taxonomy.lexicon.counts) else "word counts"
    return "definitions" if measure == GLOSS_VECTOR and not has_definitions(taxonomy) else ""


def distance(
    measure: str,
    over: Over,
    a: ArrayLike,
    b: ArrayLike,
    *,
    depth: str = "nodes",
    content: Content = DEFAULT_CONTENT,
    weights: Sequence[float] | None = None,
    below: Below = NEITHER,
) -> NDArray[np.float64]:
    """Return the distance used for masking: in [0, 1], and 0 for equal concepts, also at the root.

    Args:
        measure: a name in `ALL_MEASURES`; those in `MEASURES` are symmetric, as masking needs it.
        over: a taxonomy, or the ancestry of some of its concepts.
        a: one or more concepts.
        b: one or more concepts.
        depth: the depth convention of Wu-Palmer.
        content: a name in `content.CONTENTS`, or the information content of every concept.
        weights: those of `FEATURES` in Rodríguez-Egenhofer.
        below: whether leaves below the concepts are compared instead, for a and for b; two leaves are different ones.

    Raises:
        OptionError: the measure, depth convention or information content is unknown, or the weights are not three.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> distance("path", t, 2, [0, 1, 2, 3]).tolist()
    [0.5, 0.25, 0.0, 0.75]
    >>> distance("path", t, 1, [0, 1, 2], below=(True, False)).tolist()
    [0.5, 0.25, 0.5]
    """
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    distances = _measure(measure).distance(over, a, b, _Options(depth, content, below, weights))
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
    weights: Sequence[float] | None = None,
) -> NDArray[np.float64]:
    """Return the matrix of distances among some concepts; each pair is computed once, if the measure is symmetric.

    >>> t = Taxonomy.build("t", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> table("path", t, [1, 2]).tolist()
    [[0.0, 0.25], [0.25, 0.0]]
    """
    codes = np.asarray(concepts)
    root_depth(depth)
    over = ancestry_of(over, codes, codes)
    symmetric = _measure(measure).symmetric
    if _measure(measure).by_content:
        content = content_values(over, content)
    distances = np.zeros((len(codes), len(codes)))
    height = max(1, 250_000 // max(1, len(codes)))  # a block fits into the cache
    for low in range(0, len(codes), height):
        first = low if symmetric else 0
        rows, columns = codes[low : low + height, None], codes[None, first:]
        distances[low : low + height, first:] = distance(
            measure, over, rows, columns, depth=depth, content=content, weights=weights
        )
    if symmetric:
        _mirror(distances)
    return distances


def _mirror(distances: NDArray[np.float64]) -> None:
    """Copy the upper triangle to the lower one, tile by tile."""
    for low in range(0, len(distances), 512):
        for left in range(0, low + 1, 512):
            tile = distances[left : left + 512, low : low + 512]
            distances[low : low + 512, left : left + 512] = tile.T if left < low else np.maximum(tile, tile.T)


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
    ancestry, score = ancestry_of(over, a, b), _measure(measure).score
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
    weights: Sequence[float] | None = None,
) -> NDArray[np.float64]:
    """Return the distances among words, each the smallest over all pairs of their senses.

    Args:
        measure: a name in `ALL_MEASURES`.
        over: a taxonomy, or the ancestry of some of its concepts.
        senses: the concepts that each word may mean.
        depth: as for `distance`.
        content: as for `distance`.
        weights: as for `distance`.

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
    among_senses = table(measure, over, flat, depth=depth, content=content, weights=weights)
    return np.minimum.reduceat(np.minimum.reduceat(among_senses, starts, axis=0), starts, axis=1)
