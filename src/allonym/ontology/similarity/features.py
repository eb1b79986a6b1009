"""Similarity by features: synonyms, words of neighbours, parts, definitions (Martínez 2010, eq. 8-12).

A feature that the ontology lacks is an empty set. A leaf below a concept has the features of its concept, with a word
of its own in each, and counts as deep as its concept: it is never more like another concept than its own is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import take_rows, to_rows
from allonym.errors import OptionError
from allonym.ontology.ancestry import Ancestry
from allonym.ontology.similarity.descriptions import definition_words, part_rows
from allonym.ontology.similarity.masking import NEITHER, Below, weights_problem
from allonym.ontology.taxonomy import Rows, Taxonomy

Over = Taxonomy | Ancestry
Floats = NDArray[np.float64]


class _WordSets:
    """One set of words per concept, as a sparse 0/1 matrix."""

    def __init__(self, concepts: NDArray[np.int64], rows: tuple[NDArray[np.int64], NDArray[Any]], width: int) -> None:
        starts, words = rows
        table = sp.csr_array((np.ones(len(words)), words, starts), shape=(len(concepts), max(width, 1)))
        table.sum_duplicates()
        table.data[:] = 1
        self.concepts, self.table = concepts, table
        self.size = np.asarray(table.sum(axis=1)).ravel()

    def compare(self, a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Return |A ∩ B|, |A \\ B| and |B \\ A| for pairs, broadcast as in NumPy."""
        a, b = np.asarray(a), np.asarray(b)
        i, j = np.searchsorted(self.concepts, a), np.searchsorted(self.concepts, b)
        if a.ndim == 2 and a.shape[1] == 1 and b.ndim <= 2 and b.shape[:-1] in ((), (1,)):  # a table
            both = (self.table[i.ravel()] @ self.table[j.ravel()].T).toarray()
        else:
            shape = np.broadcast(a, b).shape
            ii, jj = np.broadcast_to(i, shape).ravel(), np.broadcast_to(j, shape).ravel()
            both = np.asarray(self.table[ii].multiply(self.table[jj]).sum(axis=1)).reshape(shape)
        return both, self.size[i] - both, self.size[j] - both


class ConceptFeatures:
    """The words of some concepts, of their neighbours, of their parts and of their definitions."""

    def __init__(self, taxonomy: Taxonomy, concepts: ArrayLike) -> None:
        self.taxonomy = taxonomy
        self.concepts = np.unique(np.asarray(concepts, np.int64))

    def _of(self, groups: Rows) -> _WordSets:
        """Return the words of a group of concepts for each concept."""
        starts, members = groups
        word_starts, words = self.taxonomy.lexicon.terms_of(members)
        return _WordSets(self.concepts, (word_starts[starts], words), len(self.taxonomy.lexicon.forms))

    @cached_property
    def synonyms(self) -> _WordSets:
        """The words of each concept."""
        return self._of((np.arange(len(self.concepts) + 1), self.concepts.astype(np.int32)))

    @cached_property
    def ancestors(self) -> _WordSets:
        """The words of each concept and all its ancestors."""
        starts, ancestors, _ = self.taxonomy.closure(self.concepts)
        return self._of((starts, ancestors.astype(np.int32)))

    @cached_property
    def direct(self) -> _WordSets:
        """The words of each concept, its parents, its children and its parts, if the source has parts."""
        links = [self.taxonomy.parents, self.taxonomy.children, *([] if self._parts is None else [self._parts])]
        rows = [take_rows(*each, self.concepts) for each in links]
        own = np.arange(len(self.concepts))
        owner = np.concatenate([own, *(np.repeat(own, np.diff(starts)) for starts, _ in rows)])
        member = np.concatenate([self.concepts, *(neighbours for _, neighbours in rows)])
        return self._of(to_rows(owner, member, len(own)))

    @cached_property
    def _parts(self) -> Rows | None:
        return part_rows(self.taxonomy)

    @cached_property
    def parts(self) -> _WordSets | None:
        """The words of the wholes and parts of each concept; None, if the source has no parts."""
        if self._parts is None:
            return None
        starts, others = take_rows(*self._parts, self.concepts)
        return self._of((starts, others.astype(np.int32)))

    @cached_property
    def definitions(self) -> _WordSets | None:
        """The words of each concept's definition that carry meaning; None, if the source has no definitions."""
        words = definition_words(self.taxonomy, self.concepts)
        if words is None:
            return None
        return _WordSets(self.concepts, words, int(words[1].max(initial=-1)) + 1)

    def neighbourhood(self, reach: str) -> _WordSets:
        """Return the words of `direct` neighbours or of all `ancestors`."""
        if reach not in ("direct", "ancestors"):
            raise OptionError.of("reach", reach, ["direct", "ancestors"])
        return self.ancestors if reach == "ancestors" else self.direct


def _features(over: Over, a: ArrayLike, b: ArrayLike) -> ConceptFeatures:
    if isinstance(over, Taxonomy):
        return ConceptFeatures(over, np.concatenate([np.ravel(np.asarray(a)), np.ravel(np.asarray(b))]))
    return over.features


def _gamma(taxonomy: Taxonomy, a: ArrayLike, b: ArrayLike) -> Floats:
    """Return γ (Martínez 2010, eq. 9) on depths in nodes: the share of the shallower concept, at most ½."""
    one, other = taxonomy.depth[np.asarray(a)] + 1.0, taxonomy.depth[np.asarray(b)] + 1.0
    return np.minimum(one, other) / (one + other)


def _ratio(
    sets: _WordSets, gamma: Floats, a: ArrayLike, b: ArrayLike, below: Below = NEITHER, *, symmetric: bool = True
) -> Floats:
    """Return Tversky's ratio (Martínez 2010, eq. 8): as printed from a to b, or the mean of both directions."""
    both, only_a, only_b = sets.compare(a, b)
    only_a, only_b = only_a + below[0], only_b + below[1]
    totals = [both + gamma * only_a + (1 - gamma) * only_b, both + gamma * only_b + (1 - gamma) * only_a]
    ratios = [np.divide(both, total, out=np.zeros_like(total), where=total > 0) for total in totals]
    return (ratios[0] + ratios[1]) / 2 if symmetric else ratios[0]


def tversky(
    over: Over,
    a: ArrayLike,
    b: ArrayLike,
    *,
    reach: str = "ancestors",
    symmetric: bool = True,
    below: Below = NEITHER,
) -> Floats:
    """Return the ratio model on the words of neighbourhoods (Tversky 1977, doi:10.1037/0033-295X.84.4.327).

    Weights are those of Martínez 2010, eq. 8-9, where the extent of a neighbourhood is open. As printed, what only a
    has weighs γ ≤ ½ and what only b has 1 - γ, so that the order of a and b matters.

    Args:
        over: a taxonomy, or the ancestry of some of its concepts.
        a: one or more concepts.
        b: one or more concepts.
        reach: the neighbourhood: `direct` neighbours or all `ancestors`.
        symmetric: whether to return the mean of both directions; else, the value from a to b, as printed.
        below: whether leaves below the concepts are compared instead, for a and for b.

    Raises:
        OptionError: the reach is unknown.
    """
    features = _features(over, a, b)
    gamma = _gamma(features.taxonomy, a, b)
    ratio = _ratio(features.neighbourhood(reach), gamma, a, b, below, symmetric=symmetric)
    return ratio if any(below) else np.where(np.equal(a, b), 1.0, ratio)


def rodriguez_egenhofer(
    over: Over,
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: Sequence[float] | None = None,
    reach: str = "direct",
    below: Below = NEITHER,
) -> Floats:
    """Return w·S(synonyms) + u·S(parts) + v·S(neighbourhoods), each S a Tversky ratio.

    Rodríguez and Egenhofer 2003, doi:10.1109/TKDE.2003.1185844; Martínez 2010, eq. 10, which leaves the weights open.

    Args:
        over: a taxonomy, or the ancestry of some of its concepts.
        a: one or more concepts.
        b: one or more concepts.
        weights: w, u and v, which sum to 1; by default a third each, or (½, 0, ½) if the source has no parts.
        reach: the neighbourhood: `direct` neighbours or all `ancestors`.
        below: whether leaves below the concepts are compared instead, for a and for b.

    Raises:
        OptionError: the reach is unknown, or the weights are not three that sum to 1.
    """
    if weights is not None and (problem := weights_problem(weights)):
        raise OptionError(problem, hint="for example 0.3, 0.2, 0.5.")
    features = _features(over, a, b)
    gamma = _gamma(features.taxonomy, a, b)
    w, u, v = weights or ((0.5, 0.0, 0.5) if features.parts is None else (1 / 3, 1 / 3, 1 / 3))
    parts = [(w, features.synonyms), (v, features.neighbourhood(reach))]
    parts += [] if features.parts is None else [(u, features.parts)]
    total = sum((weight * _ratio(sets, gamma, a, b, below) for weight, sets in parts), start=np.zeros(()))
    return total if any(below) else np.where(np.equal(a, b), 1.0, total)


def x_similarity(over: Over, a: ArrayLike, b: ArrayLike, *, below: Below = NEITHER) -> Floats:
    """Return 1 if the concepts share a word, else the highest Jaccard index of their features.

    Petrakis et al. 2006; Martínez 2010, eq. 11-12. Features are the words of all ancestors, of parts and of
    definitions, as far as the source has them. A leaf below a concept shares no word with others.
    """
    features = _features(over, a, b)
    best = np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)))
    for word_sets in (features.ancestors, features.parts, features.definitions):
        if word_sets is not None:
            both, only_a, only_b = word_sets.compare(a, b)
            either = both + only_a + only_b + sum(below)
            best = np.maximum(best, np.divide(both, either, out=np.zeros_like(either), where=either > 0))
    if any(below):
        return best
    shares_a_word = features.synonyms.compare(a, b)[0] > 0
    return np.where(shares_a_word | np.equal(a, b), 1.0, best)
