"""Similarity by what concepts are called: their synonyms, their neighbours' words, their definitions (P0 eq. 8-12).

What a source does not have counts as an empty set. The bundled WordNet has no definitions and no part-of links: load a
WNDB directory for those.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import take_rows, to_rows
from allonym.errors import OptionError
from allonym.ontology.ancestry import Ancestry
from allonym.ontology.taxonomy import Rows, Taxonomy

Over = Taxonomy | Ancestry
Floats = NDArray[np.float64]
_WORD = re.compile(r"[^\W\d_]{3,}")


class _Sets:
    """Sets of words of some concepts, one row each, as a sparse 0/1 table."""

    def __init__(self, concepts: NDArray[np.int64], rows: tuple[NDArray[np.int64], NDArray[Any]], width: int) -> None:
        starts, words = rows
        table = sp.csr_array((np.ones(len(words)), words, starts), shape=(len(concepts), max(width, 1)))
        table.sum_duplicates()
        table.data[:] = 1
        self.concepts, self.table = concepts, table
        self.size = np.asarray(table.sum(axis=1)).ravel()

    def compare(self, a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Return |A ∩ B|, |A \\ B| and |B \\ A| for pairs, broadcast like NumPy."""
        a, b = np.asarray(a), np.asarray(b)
        i, j = np.searchsorted(self.concepts, a), np.searchsorted(self.concepts, b)
        if a.ndim == 2 and a.shape[1] == 1 and b.ndim <= 2 and b.shape[:-1] in ((), (1,)):  # a table
            both = (self.table[i.ravel()] @ self.table[j.ravel()].T).toarray()
        else:
            shape = np.broadcast(a, b).shape
            ii, jj = np.broadcast_to(i, shape).ravel(), np.broadcast_to(j, shape).ravel()
            both = np.asarray(self.table[ii].multiply(self.table[jj]).sum(axis=1)).reshape(shape)
        return both, self.size[i] - both, self.size[j] - both


class Words:
    """The words around some concepts: their own, their neighbours', their parts', those of their definitions."""

    def __init__(self, taxonomy: Taxonomy, concepts: ArrayLike) -> None:
        self.taxonomy = taxonomy
        self.concepts = np.unique(np.asarray(concepts, np.int64))

    def _of(self, groups: Rows) -> _Sets:
        """Collect the words of groups of concepts, one group for each concept."""
        starts, members = groups
        word_starts, words = self.taxonomy.lexicon.terms_of(members)
        return _Sets(self.concepts, (word_starts[starts], words), len(self.taxonomy.lexicon.forms))

    @cached_property
    def synonyms(self) -> _Sets:
        """The words of each concept itself."""
        return self._of((np.arange(len(self.concepts) + 1), self.concepts.astype(np.int32)))

    @cached_property
    def ancestors(self) -> _Sets:
        """The words of each concept and all its ancestors."""
        starts, ancestors, _ = self.taxonomy.closure(self.concepts)
        return self._of((starts, ancestors.astype(np.int32)))

    @cached_property
    def direct(self) -> _Sets:
        """The words of each concept, its parents, its children and, where the source has them, its parts."""
        t = self.taxonomy
        rows = [take_rows(*links, self.concepts) for links in (t.parents, t.children, t.parts) if links is not None]
        own = np.arange(len(self.concepts))
        owner = np.concatenate([own, *(np.repeat(own, np.diff(starts)) for starts, _ in rows)])
        member = np.concatenate([self.concepts, *(found for _, found in rows)])
        return self._of(to_rows(owner, member, len(own)))

    @cached_property
    def parts(self) -> _Sets | None:
        """The words of what each concept is a part of or has as a part."""
        if self.taxonomy.parts is None:
            return None
        starts, others = take_rows(*self.taxonomy.parts, self.concepts)
        return self._of((starts, others.astype(np.int32)))

    @cached_property
    def definitions(self) -> _Sets | None:
        """The words of each concept's definition, without its examples."""
        glosses = self.taxonomy.definitions
        if glosses is None:
            return None
        number: dict[str, int] = {}
        texts = (glosses[int(c)].split('"')[0].lower() for c in self.concepts)
        rows = [[number.setdefault(word, len(number)) for word in _WORD.findall(text)] for text in texts]
        starts = np.cumsum([0, *map(len, rows)])
        return _Sets(self.concepts, (starts, np.array([w for row in rows for w in row], np.int32)), len(number))

    def neighbourhood(self, reach: str) -> _Sets:
        """Return the words as far as `direct` neighbours, or up all `ancestors`."""
        if reach not in ("direct", "ancestors"):
            raise OptionError.of("reach", reach, ["direct", "ancestors"])
        return self.ancestors if reach == "ancestors" else self.direct


def _words(over: Over, a: ArrayLike, b: ArrayLike) -> Words:
    if isinstance(over, Taxonomy):
        return Words(over, np.concatenate([np.ravel(np.asarray(a)), np.ravel(np.asarray(b))]))
    return over.words


def _gamma(taxonomy: Taxonomy, a: ArrayLike, b: ArrayLike) -> Floats:
    """Return γ of P0 eq. 9, on depths in nodes: the shallower one's share, at most a half."""
    one, other = taxonomy.depth[np.asarray(a)] + 1.0, taxonomy.depth[np.asarray(b)] + 1.0
    return np.minimum(one, other) / (one + other)


def _ratio(sets: _Sets, gamma: Floats, a: ArrayLike, b: ArrayLike) -> Floats:
    """Return Tversky's ratio (P0 eq. 8), the mean of both directions."""
    both, only_a, only_b = sets.compare(a, b)
    there = both + gamma * only_a + (1 - gamma) * only_b
    back = both + gamma * only_b + (1 - gamma) * only_a
    one, other = (np.divide(both, x, out=np.zeros_like(x), where=x > 0) for x in (there, back))
    return (one + other) / 2


def tversky(over: Over, a: ArrayLike, b: ArrayLike, *, reach: str = "ancestors") -> Floats:
    """Return Tversky's similarity on the words of concepts and of their neighbours (P0 eq. 8-9).

    Symmetrised as the mean of both directions; the paper leaves open how far a neighbourhood reaches.
    """
    words = _words(over, a, b)
    ratio = _ratio(words.neighbourhood(reach), _gamma(words.taxonomy, a, b), a, b)
    return np.where(np.equal(a, b), 1.0, ratio)


def rodriguez_egenhofer(
    over: Over,
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: Sequence[float] | None = None,
    reach: str = "direct",
) -> Floats:
    """Return w·S(synonyms) + u·S(features) + v·S(neighbourhoods), each a Tversky ratio (P0 eq. 10).

    Features are part-of links. Weights are a third each, or (½, 0, ½) where the source has no parts.
    """
    words = _words(over, a, b)
    gamma = _gamma(words.taxonomy, a, b)
    w, u, v = weights or ((0.5, 0.0, 0.5) if words.parts is None else (1 / 3, 1 / 3, 1 / 3))
    total = w * _ratio(words.synonyms, gamma, a, b) + v * _ratio(words.neighbourhood(reach), gamma, a, b)
    if words.parts is not None:
        total = total + u * _ratio(words.parts, gamma, a, b)
    return np.where(np.equal(a, b), 1.0, total)


def x_similarity(over: Over, a: ArrayLike, b: ArrayLike) -> Floats:
    """Return X-similarity (Petrakis et al. 2006; P0 eq. 11-12): 1 where concepts share a word, else the best Jaccard.

    Compared are the words of all ancestors, of parts, and of definitions, as far as the source has them.
    """
    words = _words(over, a, b)
    best = np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)))
    for each in (words.ancestors, words.parts, words.definitions):
        if each is not None:
            both, only_a, only_b = each.compare(a, b)
            either = both + only_a + only_b
            best = np.maximum(best, np.divide(both, either, out=np.zeros_like(either), where=either > 0))
    shares_a_word = words.synonyms.compare(a, b)[0] > 0
    return np.where(shares_a_word | np.equal(a, b), 1.0, best)
