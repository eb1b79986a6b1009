"""Similarity by what concepts are called: their synonyms, their neighbours' words, their definitions (P0 eq. 8-12).

What a source does not have counts as an empty set. The bundled WordNet has no definitions and no part-of links: load a
WNDB directory for those.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from allonym.errors import OptionError
from allonym.knowledge.rows import take_rows
from allonym.knowledge.taxonomy import Rows, Taxonomy

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


def _concepts(a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
    return np.unique(np.concatenate([np.ravel(np.asarray(a)), np.ravel(np.asarray(b))]).astype(np.int64))


def _words(taxonomy: Taxonomy, concepts: NDArray[np.int64], groups: Rows) -> _Sets:
    """Collect the words of groups of concepts, one group for each concept."""
    starts, members = groups
    word_starts, words = taxonomy.lexicon.terms_of(members)
    return _Sets(concepts, (word_starts[starts], words), len(taxonomy.lexicon.forms))


def _itself(concepts: NDArray[np.int64]) -> Rows:
    return np.arange(len(concepts) + 1), concepts.astype(np.int32)


def _merge(concepts: NDArray[np.int64], *links: Rows) -> Rows:
    """Put the concept itself and its rows of several kinds of links into one row."""
    rows = [take_rows(*link, concepts) for link in links]
    owner = np.concatenate(
        [np.arange(len(concepts)), *(np.repeat(np.arange(len(concepts)), np.diff(s)) for s, _ in rows)]
    )
    member = np.concatenate([concepts, *(m for _, m in rows)])
    order = np.argsort(owner, kind="stable")
    return np.searchsorted(owner[order], np.arange(len(concepts) + 1)), member[order].astype(np.int32)


def neighbourhood(taxonomy: Taxonomy, concepts: NDArray[np.int64], reach: str) -> Rows:
    """Return each concept with its neighbours: `direct` parents, children and parts, or all its `ancestors`."""
    if reach == "ancestors":
        starts, ancestors, _ = taxonomy.closure(concepts)
        return starts, ancestors.astype(np.int32)
    if reach != "direct":
        raise OptionError.of("reach", reach, ["direct", "ancestors"])
    parts = [] if taxonomy.parts is None else [taxonomy.parts]
    return _merge(concepts, taxonomy.parents, taxonomy.children, *parts)


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


def tversky(taxonomy: Taxonomy, a: ArrayLike, b: ArrayLike, *, reach: str = "ancestors") -> Floats:
    """Return Tversky's similarity on the words of concepts and of their neighbours (P0 eq. 8-9).

    Symmetrised as the mean of both directions; the paper leaves open how far a neighbourhood reaches.
    """
    concepts = _concepts(a, b)
    sets = _words(taxonomy, concepts, neighbourhood(taxonomy, concepts, reach))
    return np.where(np.equal(a, b), 1.0, _ratio(sets, _gamma(taxonomy, a, b), a, b))


def rodriguez_egenhofer(
    taxonomy: Taxonomy,
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: Sequence[float] | None = None,
    reach: str = "direct",
) -> Floats:
    """Return w·S(synonyms) + u·S(features) + v·S(neighbourhoods), each a Tversky ratio (P0 eq. 10).

    Features are part-of links. Weights are a third each, or (½, 0, ½) where the source has no parts.
    """
    w, u, v = weights or ((0.5, 0.0, 0.5) if taxonomy.parts is None else (1 / 3, 1 / 3, 1 / 3))
    concepts, gamma = _concepts(a, b), _gamma(taxonomy, a, b)
    total = w * _ratio(_words(taxonomy, concepts, _itself(concepts)), gamma, a, b)
    total = total + v * _ratio(_words(taxonomy, concepts, neighbourhood(taxonomy, concepts, reach)), gamma, a, b)
    if taxonomy.parts is not None and u:
        starts, others = take_rows(*taxonomy.parts, concepts)
        parts = _words(taxonomy, concepts, (starts, others.astype(np.int32)))
        total = total + u * _ratio(parts, gamma, a, b)
    return np.where(np.equal(a, b), 1.0, total)


def _definition_words(taxonomy: Taxonomy, concepts: NDArray[np.int64]) -> _Sets:
    number: dict[str, int] = {}
    rows = [[number.setdefault(w, len(number)) for w in _WORD.findall(_gloss(taxonomy, c).lower())] for c in concepts]
    starts = np.cumsum([0, *map(len, rows)])
    return _Sets(concepts, (starts, np.array([w for row in rows for w in row], np.int32)), len(number))


def _gloss(taxonomy: Taxonomy, concept: int) -> str:
    return "" if taxonomy.definitions is None else taxonomy.definitions[int(concept)].split('"')[0]


def x_similarity(taxonomy: Taxonomy, a: ArrayLike, b: ArrayLike) -> Floats:
    """Return X-similarity (Petrakis et al. 2006; P0 eq. 11-12): 1 where concepts share a word, else the best Jaccard.

    Compared are the words of all ancestors, of parts, and of definitions, as far as the source has them.
    """
    concepts = _concepts(a, b)
    sets = [_words(taxonomy, concepts, neighbourhood(taxonomy, concepts, "ancestors"))]
    if taxonomy.parts is not None:
        starts, others = take_rows(*taxonomy.parts, concepts)
        sets.append(_words(taxonomy, concepts, (starts, others.astype(np.int32))))
    if taxonomy.definitions is not None:
        sets.append(_definition_words(taxonomy, concepts))
    best = np.zeros(np.broadcast(np.asarray(a), np.asarray(b)).shape)
    for each in sets:
        both, only_a, only_b = each.compare(a, b)
        either = both + only_a + only_b
        best = np.maximum(best, np.divide(both, either, out=np.zeros_like(either), where=either > 0))
    synonyms = _words(taxonomy, concepts, _itself(concepts)).compare(a, b)[0]
    return np.where((synonyms > 0) | np.equal(a, b), 1.0, best)
