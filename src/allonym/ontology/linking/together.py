"""Evidence from values that stand together: the items of one set, and the words that a phrase has beside its head.

A sense of a value is likelier if a value beside it means something related: an "AC charger" is no warhorse beside a
"laptop battery", and "guitar chords" are no lines of geometry. The relatedness of two senses is

    ANCESTORS · |T(a) ∩ T(b)| / √(|T(a)|·|T(b)|) + WORDS · cos(words(a), words(b))

with T a concept and its ancestors, and words(a) the words of its names and its gloss, and of those of its parents and
children (Banerjee and Pedersen 2003), rare ones weighing more. A sense counts by the value beside it that is most
related, each sense of that by its probability: people who search for flights search for shoes, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, sum_by, take_rows
from allonym.ontology.taxonomy import Taxonomy

ANCESTORS, WORDS = 2.0, 60.0  # chosen on labelled queries, baskets and diagnoses (benchmarks/linking_queries.py)
MAX_WEIGHT = 7.0  # of the evidence for a sense, as a logarithm
MAX_ITEMS = 100  # of a set; the items of a larger one say nothing of one another
MAX_BESIDE = 8  # words beside a word that count; more, if they tie
PAIRS_AT_A_TIME = 200_000  # of senses


@dataclass(frozen=True)
class Words:
    """Words with the senses that each may have: `concepts[starts[i] : starts[i + 1]]`."""

    starts: Ints
    concepts: Ints
    family: Ints  # words of a family say nothing of one another
    weak: NDArray[np.bool_]  # senses of a word that is no noun, or not the head of its phrase: no evidence counts

    def __len__(self) -> int:
        return len(self.starts) - 1


class Together:
    """Weighs the senses of words by those of the words beside them.

    Args:
        taxonomy: the ontology.
        words: the words.
        sets: the words of each set, by their numbers.
        pairs: words, each with another that stands beside it whatever the sets are.
    """

    def __init__(
        self, taxonomy: Taxonomy, words: Words, sets: Iterable[Collection[int]], pairs: Iterable[tuple[int, int]]
    ) -> None:
        distinct, place = np.unique(words.concepts, return_inverse=True)
        vectors = sense_vectors(taxonomy, distinct)
        word, other = beside(words, sets, pairs, vectors[place])
        sizes = np.diff(words.starts)
        every = np.arange(len(words.concepts))
        own = take_rows(words.starts, every, word)[1]  # each sense of each word, for each word beside it
        rows, self.other = take_rows(words.starts, every, np.repeat(other, sizes[word]))
        self.cell = np.repeat(np.arange(len(own)), np.diff(rows))
        one = own[self.cell]
        related = np.empty(len(one))
        for low in range(0, len(one), PAIRS_AT_A_TIME):
            block = slice(low, low + PAIRS_AT_A_TIME)
            related[block] = vectors[place[one[block]]].multiply(vectors[place[self.other[block]]]).sum(axis=1)
        self.related = np.where(words.weak[one] | words.weak[self.other], 0.0, related)
        self.order = np.argsort(own, kind="stable")
        self.sense = own[self.order]
        self.begin = np.flatnonzero(np.diff(self.sense, prepend=-1))
        self.size = len(every)

    def weights(self, probability: Floats) -> Floats:
        """Return the evidence for every sense, given the probabilities of all senses; 0, if nothing is beside it."""
        found = np.zeros(self.size)
        if len(self.sense):
            each = np.bincount(self.cell, self.related * probability[self.other], len(self.order))[self.order]
            found[self.sense[self.begin]] = np.minimum(np.maximum.reduceat(each, self.begin), MAX_WEIGHT)
        return found


def beside(
    words: Words, sets: Iterable[Collection[int]], pairs: Iterable[tuple[int, int]], vectors: sp.csr_array
) -> tuple[Ints, Ints]:
    """Return words, each with a word that stands beside it: in the same sets oftener than by chance, or in a pair.

    Of many words, those count that are together with it most, by shared · log(shared / shared by chance); of equals,
    the most related ones. `vectors` are those of the senses.
    """
    found = [x for x in pairs if words.family[x[0]] != words.family[x[1]]]
    each = [np.array(found, np.int64).reshape(-1, 2), *_in_sets(words, sets, vectors)]
    both = np.unique(np.concatenate(each), axis=0)
    return both[:, 0], both[:, 1]


def _in_sets(words: Words, sets: Iterable[Collection[int]], vectors: sp.csr_array) -> Iterator[Ints]:
    """Yield, for each word, it and the words that are in the same sets oftener than by chance."""
    rows = [row for x in sets if 0 < len(row := set(x)) <= MAX_ITEMS]
    starts, flat = np.cumsum([0, *map(len, rows)]), np.array([*chain.from_iterable(rows)], np.int64)
    holds = sp.csr_array((np.ones(len(flat)), flat, starts), shape=(len(rows), len(words)))
    counts = np.bincount(flat, minlength=len(words))
    both = sp.csr_array(holds.T @ holds)
    sizes = np.diff(words.starts)
    mean = sp.csr_array((np.repeat(1 / sizes, sizes), np.arange(len(words.concepts)), words.starts)) @ vectors
    dense = np.zeros(mean.shape[1])
    for word in np.flatnonzero(counts).tolist():
        at = slice(both.indptr[word], both.indptr[word + 1])
        others, shared = both.indices[at].astype(np.int64), both.data[at]
        by_chance = counts[word] * counts[others] / max(len(rows), 2)
        kept = (words.family[others] != words.family[word]) & (shared > by_chance)
        others, associated = others[kept], np.round(shared[kept] * np.log(shared[kept] / by_chance[kept]), 9)
        if len(others) > MAX_BESIDE:
            last = np.partition(associated, -MAX_BESIDE)[-MAX_BESIDE]
            above, tied = associated > last, associated == last
            places = MAX_BESIDE - int(above.sum())
            if tied.sum() > places:
                related = np.round(_products(mean, word, others[tied], dense), 9)
                tied[tied] = related >= np.partition(related, -places)[-places]
            others = others[above | tied]
        yield np.stack([np.full(len(others), word), others], axis=1)


def _products(vectors: sp.csr_array, one: int, others: Ints, dense: Floats) -> Floats:
    """Return the products of one row of a matrix with others; `dense` has a 0 for each column, before and after."""
    own = slice(vectors.indptr[one], vectors.indptr[one + 1])
    dense[vectors.indices[own]] = vectors.data[own]
    starts, columns = take_rows(vectors.indptr, vectors.indices, others)
    factors = dense[columns]
    dense[vectors.indices[own]] = 0.0
    row = np.repeat(np.arange(len(others)), np.diff(starts))
    return sum_by(row, factors * take_rows(vectors.indptr, vectors.data, others)[1], len(others))


def sense_vectors(taxonomy: Taxonomy, concepts: Ints) -> sp.csr_array:
    """Return vectors of concepts whose products are how related they are; the ontology has glosses."""
    starts, above, _ = taxonomy.closure(concepts)
    sizes = np.diff(starts)
    amounts = np.repeat(np.sqrt(ANCESTORS / sizes), sizes)
    ancestors = sp.csr_array((amounts, above, starts), shape=(len(concepts), len(taxonomy)))
    details = taxonomy.details
    assert details is not None
    frequency = details.word_frequencies
    rows, words = details.gloss_words(np.arange(len(taxonomy)))
    glosses = sp.csr_array((np.ones(len(words)), words, rows), shape=(len(taxonomy), len(frequency)))
    explained = sp.csr_array(_around(taxonomy, concepts) @ glosses)
    rarity = np.log(len(taxonomy) / np.maximum(frequency, 1)) / np.log(len(taxonomy))
    explained.data = rarity[explained.indices] ** 2
    length = np.sqrt(np.asarray(explained.multiply(explained).sum(axis=1)).ravel())
    explained.data *= np.sqrt(WORDS) / np.repeat(np.maximum(length, 1e-12), np.diff(explained.indptr))
    return sp.csr_array(sp.hstack([ancestors, explained], format="csr"))


def _around(taxonomy: Taxonomy, concepts: Ints) -> sp.csr_array:
    """Return each concept with its parents and children, as a 0/1 matrix."""
    shape = len(concepts), len(taxonomy)
    around = sp.csr_array((np.ones(len(concepts)), concepts, np.arange(len(concepts) + 1)), shape=shape)
    for links in (taxonomy.parents, taxonomy.children):
        starts, linked = take_rows(*links, concepts)
        around = around + sp.csr_array((np.ones(len(linked)), linked, starts), shape=shape)
    return around
