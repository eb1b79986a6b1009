"""Gloss vectors: relatedness by the contexts of the words that explain two concepts (Martínez 2010, eq. 17).

The context of a word is how many glosses it shares with each other word. The vector of a concept is the sum of the
contexts of the words in its gloss and in those of its parents and children, as in Patwardhan and Pedersen (2006), whom
the thesis cites for the equation. Words that very many glosses have are left out of the contexts, and so are rare ones,
which would make vectors long. All numbers are whole, so that sums do not depend on their order.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from allonym.errors import OptionError
from allonym.ontology.ancestry import Ancestry
from allonym.ontology.similarity.descriptions import gloss_words
from allonym.ontology.similarity.masking import NEITHER, Below
from allonym.ontology.taxonomy import Taxonomy

Over = Taxonomy | Ancestry
Floats = NDArray[np.float64]
DIMENSIONS = 2500  # words of contexts: the most frequent ones
MAX_SHARE = 1 / 80  # of all glosses that may have such a word
MIN_GLOSSES = 5  # glosses that may have it, however few there are
OWN_COMPONENT = 0.5  # of a leaf, beside the vector of its concept
PAIRS_AT_A_TIME = 4096


class GlossVectors:
    """The vectors of some concepts.

    Raises:
        OptionError: the ontology has no definitions.
    """

    def __init__(self, taxonomy: Taxonomy, concepts: ArrayLike) -> None:
        self.concepts = np.unique(np.asarray(concepts, np.int64))
        glosses = _glosses(taxonomy)
        frequency = np.asarray(glosses.sum(axis=0)).ravel()
        words = np.flatnonzero((frequency > 0) & (frequency <= max(MIN_GLOSSES, len(taxonomy) * MAX_SHARE)))
        words = words[np.argsort(-frequency[words], kind="stable")][:DIMENSIONS]
        contexts = glosses.T.tocsr() @ glosses[:, words]
        explained = _neighbours(taxonomy)[self.concepts] @ glosses
        self.vectors: Floats = np.asarray((explained @ contexts).toarray())
        self.squares: Floats = np.einsum("ij,ij->i", self.vectors, self.vectors)

    def products(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return v1·v2 and |v1|²·|v2|² for pairs, broadcast as in NumPy."""
        i, j = np.searchsorted(self.concepts, a), np.searchsorted(self.concepts, b)
        if a.ndim == 2 and a.shape[1] == 1 and b.ndim <= 2 and b.shape[:-1] in ((), (1,)):  # a table
            return self.vectors[i.ravel()] @ self.vectors[j.ravel()].T, self.squares[i] * self.squares[j]
        one, other = (x.ravel() for x in np.broadcast_arrays(i, j))
        product = np.empty(len(one))
        for low in range(0, len(one), PAIRS_AT_A_TIME):
            block = slice(low, low + PAIRS_AT_A_TIME)
            product[block] = np.einsum("ij,ij->i", self.vectors[one[block]], self.vectors[other[block]])
        return product.reshape(np.broadcast_shapes(a.shape, b.shape)), self.squares[i] * self.squares[j]


def _glosses(taxonomy: Taxonomy) -> sp.csr_array:
    """Return which words the gloss of every concept has, as a 0/1 matrix."""
    words = gloss_words(taxonomy)
    if words is None:
        raise OptionError(
            f"{taxonomy.name} has no definitions, which the measure 'gloss-vector' needs.",
            hint="choose another measure.",
        )
    starts, numbers = words
    width = int(numbers.max(initial=0)) + 1
    table = sp.csr_array((np.ones(len(numbers)), numbers, starts), shape=(len(taxonomy), width))
    table.sum_duplicates()
    table.data[:] = 1
    return table


def _neighbours(taxonomy: Taxonomy) -> sp.csr_array:
    """Return every concept, its parents and its children, as a 0/1 matrix."""
    starts, parents = taxonomy.parents
    above = sp.csr_array((np.ones(len(parents)), parents, starts), shape=(len(taxonomy), len(taxonomy)))
    return sp.csr_array(sp.eye_array(len(taxonomy), format="csr") + above + above.T.tocsr())


def gloss_vector(over: Over, a: ArrayLike, b: ArrayLike, *, below: Below = NEITHER) -> Floats:
    """Return the cosine of the gloss vectors of two concepts, 1 for equal ones, 0 where one has no vector.

    A leaf below a concept has the vector of its concept, and one more component of its own, half as long as the vector.

    Raises:
        OptionError: the ontology has no definitions.
    """
    one, other = np.asarray(a, np.int64), np.asarray(b, np.int64)
    if isinstance(over, Ancestry):
        vectors = over.gloss_vectors
    else:
        vectors = GlossVectors(over, np.concatenate([one.ravel(), other.ravel()]))
    product, squares = vectors.products(one, other)
    length = np.sqrt(squares) * np.sqrt(1 + OWN_COMPONENT**2) ** sum(below)
    cosine = np.divide(product, length, out=np.zeros_like(product), where=length > 0)
    return cosine if any(below) else np.where(np.equal(one, other), 1.0, cosine)
