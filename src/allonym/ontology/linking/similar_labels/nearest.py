"""The concepts whose labels are most like a text, with the evidence for each.

Candidates are found by the labels of a concept taken together; five figures then tell how well each fits a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, sum_by, take_rows
from allonym.ontology.lexicon import key
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import is_negation
from allonym.ontology.linking.similar_labels.ngrams import LabelIndex, Query, Texts
from allonym.ontology.taxonomy import Taxonomy

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

MAX_CANDIDATES = 15  # of a text
BLOCK = 256  # texts that are compared at once
PRIOR_LABELS = 5.0  # with a head word, assumed to be spread over the ontology
MAX_HEAD = 6.0  # logarithm
NUMERAL = re.compile(r"\w*\d\w*|[ivx]+|\w")  # "type 2", "type ii" and "type b" are no "type 1"


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of texts: those of text i are at `starts[i]:starts[i + 1]`.

    Attributes:
        concepts: the concepts.
        best: the similarity of the concept's most similar label.
        label: the place of that label in the index.
        mean: the similarity of all its labels together.
        words: the share of the weight of the text's words that its labels have.
        covered: the share of the weight of that label's words that the text has.
        head: how much oftener than elsewhere the text's head is that of labels below its parent, as a logarithm.
    """

    starts: Ints
    concepts: Ints
    best: Floats
    label: Ints
    mean: Floats
    words: Floats
    covered: Floats
    head: Floats


class NearestConcepts:
    """Finds concepts by their labels in one language."""

    def __init__(self, taxonomy: Taxonomy, language: Language) -> None:
        self.taxonomy, self.language = taxonomy, language
        self.index = LabelIndex.of(taxonomy.lexicon, language, len(taxonomy))

    @classmethod
    def of(cls, taxonomy: Taxonomy, language: Language) -> NearestConcepts:
        """Return the finder of an ontology, which is cached."""
        name = f"nearest concepts {language.code}"
        if name not in taxonomy.lexicon.cache:
            taxonomy.lexicon.cache[name] = cls(taxonomy, language)
        finder: NearestConcepts = taxonomy.lexicon.cache[name]
        return finder

    # --- concepts --------------------------------------------------------------------------------------------

    @cached_property
    def _means(self) -> csr_array:
        """The mean vectors of the labels of each concept, of length 1, as weights of words."""
        from scipy.sparse import csr_array

        index, labels = self.index, self.index.labels
        owners = index.concepts[labels.owners]
        shape = (len(self.taxonomy), len(labels.vocabulary))
        sums = csr_array((1 / index.norms[labels.owners], (owners, labels.words)), shape=shape)
        sums.sum_duplicates()
        vectors = (sums @ index.vectors).tocsr()
        lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
        return _rows_divided(sums, np.maximum(lengths, 1e-12))

    @cached_property
    def _stems(self) -> csr_array:
        """Which stems the labels of each concept have."""
        from scipy.sparse import csr_array

        index, labels = self.index, self.index.labels
        width = max(len(index.stem_numbers), 1)
        pairs = np.unique(index.concepts[labels.owners] * width + index.stems[labels.words])
        places = (pairs // width, pairs % width)
        return csr_array((np.ones(len(pairs)), places), shape=(len(self.taxonomy), width))

    @cached_property
    def _by_stem(self) -> csc_array:
        return self._stems.tocsc()

    def concepts_with(self, stem: str) -> Ints:
        """Return the concepts that have a stem in their labels."""
        number, columns = self.index.stem_numbers.get(stem), self._by_stem
        if number is None:
            return np.empty(0, np.int64)
        return columns.indices[columns.indptr[number] : columns.indptr[number + 1]].astype(np.int64)

    @cached_property
    def _heads(self) -> tuple[Ints, Floats, Floats, Floats]:
        """Pairs of a head and a parent with the number of their labels; the labels of each head and each parent."""
        index, size = self.index, len(self.taxonomy)
        has_words = index.labels.heads >= 0
        heads, concepts = index.stems[index.labels.heads[has_words]], index.concepts[has_words]
        starts, parents = take_rows(*self._groups, concepts)
        pairs, counts = np.unique(np.repeat(heads, np.diff(starts)) * size + parents, return_counts=True)
        amounts: Floats = counts.astype(np.float64)
        of_head = sum_by(pairs // size, amounts, len(index.stem_numbers) + 1)
        return pairs, amounts, of_head, sum_by(pairs % size, amounts, size)

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        """The parents of each concept; the root is its own."""
        starts, parents = self.taxonomy.parents
        alone = np.flatnonzero(np.diff(starts) == 0)
        return starts + np.searchsorted(alone, np.arange(len(starts))), np.insert(parents, starts[alone], alone)

    @cached_property
    def _negating(self) -> NDArray[np.bool_]:
        """Which labels have a negation."""
        labels = self.index.labels
        negating = np.array([is_negation(word, self.language) for word in labels.vocabulary], bool)
        return np.bincount(labels.owners, negating[labels.words], len(labels)) > 0

    @cached_property
    def _numerals(self) -> tuple[Ints, dict[frozenset[str], int]]:
        """The number of the numerals of each label, and the numbers of sets of numerals."""
        numbers: dict[frozenset[str], int] = {frozenset(): 0}
        return _numerals_of(self.index.labels, numbers), numbers

    # --- texts -----------------------------------------------------------------------------------------------

    def candidates(self, texts: Sequence[str], allowed: NDArray[np.bool_], *, others: bool = False) -> Candidates:
        """Return the candidates of texts, at most `MAX_CANDIDATES` each, in no order.

        Args:
            texts: the texts.
            allowed: for every concept of the ontology, whether it may be a candidate.
            others: whether to ignore labels that are the same as the text.
        """
        query = self.index.query(texts)
        numerals = _numerals_of(query.texts, self._numerals[1])
        same = np.array([self.index.text_numbers.get(key(text), -1) if others else -1 for text in texts], np.int64)
        blocks = []
        for low in range(0, len(texts), BLOCK):
            rows = np.arange(low, min(low + BLOCK, len(texts)))
            blocks.append(self._block(query, rows, numerals[rows], same[rows], allowed))
        sizes = np.concatenate([np.diff(block.starts) for block in blocks])
        names = [field.name for field in fields(Candidates) if field.name != "starts"]
        columns = [np.concatenate([getattr(x, name) for x in blocks]) for name in names]
        return Candidates(np.concatenate([[0], np.cumsum(sizes)]), *columns)

    def _block(self, query: Query, rows: Ints, numerals: Ints, same: Ints, allowed: NDArray[np.bool_]) -> Candidates:
        words, stems, heads = self._vectors(query, rows)
        starts, concepts = self._found(words, stems, allowed)
        owners = np.repeat(np.arange(len(rows)), np.diff(starts))
        dense_words, dense_stems = words.toarray(), stems.toarray()
        best, label = self._best(dense_words - query.opposed(rows), owners, concepts, numerals, same)
        mean = _products(dense_words, owners, self._means, concepts)
        shared = _products(dense_stems, owners, self._stems, concepts)
        covered = self._covered(dense_stems > 0, owners, label)
        head = self._head(heads[owners], concepts)
        kept = best > 0
        sizes = np.bincount(owners[kept], minlength=len(rows))
        columns = [x[kept] for x in (concepts, best, label, np.minimum(mean, 1), shared, covered, head)]
        return Candidates(np.concatenate([[0], np.cumsum(sizes)]), *columns)  # type: ignore[arg-type]

    def _vectors(self, query: Query, rows: Ints) -> tuple[csr_array, csr_array, Ints]:
        """Return texts as words of labels and as stems, of length and sum 1, and the stems of their heads."""
        from scipy.sparse import csr_array

        texts, index = query.texts, self.index
        starts, words = take_rows(texts.starts, texts.words, rows)
        owners = np.repeat(np.arange(len(rows)), np.diff(starts))
        bags = csr_array((np.ones(len(words)), words, starts), shape=(len(rows), len(texts.vocabulary)))
        similar = _rows_divided(csr_array(bags @ query.similar), query.norms[rows])
        stems = query.stems[words]
        weights = np.append(index.stem_weights, index.largest_weight)[stems]
        sums = np.bincount(owners, weights, len(rows))
        known = stems >= 0
        shares = csr_array(
            (weights[known], (owners[known], stems[known])), shape=(len(rows), max(len(index.stem_numbers), 1))
        )
        heads = texts.heads[rows]
        of_heads = np.where(heads >= 0, query.stems[heads], -1) if len(query.stems) else heads
        return similar, _rows_divided(shares, np.maximum(sums, 1e-12)), of_heads

    def _found(self, words: csr_array, stems: csr_array, allowed: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Return the concepts whose labels together are most like each text."""
        scores = (words @ self._means.T + stems @ self._stems.T).tocsr()
        starts, found = [0], []
        for row in range(scores.shape[0]):
            part = slice(scores.indptr[row], scores.indptr[row + 1])
            concepts, values = scores.indices[part], scores.data[part]
            inside = allowed[concepts]
            concepts, values = concepts[inside], values[inside]
            if len(concepts) > MAX_CANDIDATES:
                concepts = concepts[np.argpartition(-values, MAX_CANDIDATES)[:MAX_CANDIDATES]]
            found.append(concepts)
            starts.append(starts[-1] + len(concepts))
        return np.array(starts, np.int64), np.concatenate(found).astype(np.int64)

    def _best(self, words: Floats, owners: Ints, concepts: Ints, numerals: Ints, same: Ints) -> tuple[Floats, Ints]:
        """Return the similarity and the place of the most similar label of each candidate.

        Labels with a negation or with other numerals have similarity 0, and so have all labels of a concept if one of
        them has a word that is the opposite of one of the text's.
        """
        index = self.index
        if not len(concepts):
            return np.zeros(0), np.zeros(0, np.int64)
        first, labels = take_rows(index.first, np.arange(len(index.concepts)), concepts)
        of_label = np.repeat(owners, np.diff(first))
        starts, of_words = take_rows(index.labels.starts, index.labels.words, labels)
        products = words[np.repeat(of_label, np.diff(starts)), of_words]
        sums = np.bincount(np.repeat(np.arange(len(labels)), np.diff(starts)), products, len(labels))
        similar = np.minimum(sums / index.norms[labels], 1)
        own, of_text = self._numerals[0][labels], numerals[of_label]
        other = (own != of_text) & (own > 0) & (of_text > 0)
        similar[other | self._negating[labels] | (index.same_text[labels] == same[of_label])] = 0
        best = np.maximum.reduceat(similar, first[:-1])
        best[np.minimum.reduceat(similar, first[:-1]) < 0] = 0
        is_best = np.flatnonzero(similar == np.repeat(best, np.diff(first)))
        at = np.minimum(np.searchsorted(is_best, first[:-1]), max(len(is_best) - 1, 0))
        return best, labels[is_best[at]] if len(is_best) else labels[first[:-1]]

    def _covered(self, stems: NDArray[np.bool_], owners: Ints, labels: Ints) -> Floats:
        """Return the share of the weight of the words of each label that a text has."""
        index = self.index
        starts, words = take_rows(index.labels.starts, index.labels.words, labels)
        pair = np.repeat(np.arange(len(labels)), np.diff(starts))
        of_label = index.stems[words]
        weights = index.stem_weights[of_label]
        own = np.bincount(pair, weights * stems[owners[pair], of_label], len(labels))
        return own / np.maximum(np.bincount(pair, weights, len(labels)), 1e-12)

    def _head(self, heads: Ints, concepts: Ints) -> Floats:
        """Return how much oftener a head word is that of labels below the parents of concepts than elsewhere."""
        pairs, counts, of_head, of_parent = self._heads
        starts, parents = take_rows(*self._groups, concepts)
        if not len(concepts):
            return np.zeros(0)
        of_heads = np.repeat(heads, np.diff(starts))
        wanted = of_heads * len(self.taxonomy) + parents
        at = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
        both = np.where((pairs[at] == wanted) & (of_heads >= 0), counts[at], 0)
        usual = np.maximum(of_parent[parents], 1) / of_parent.sum()
        odds = np.log((both + PRIOR_LABELS * usual) / (of_head[of_heads] + PRIOR_LABELS) / usual)
        odds = np.where(of_heads >= 0, np.clip(odds, -MAX_HEAD, MAX_HEAD), 0.0)
        return np.maximum.reduceat(odds, starts[:-1])


def _numerals_of(texts: Texts, numbers: dict[frozenset[str], int]) -> Ints:
    """Return a number for the numerals of each text: digits, Roman numerals and single letters; 0 if it has none."""
    found = np.zeros(len(texts), np.int64)
    is_numeral = np.array([NUMERAL.fullmatch(word) is not None for word in texts.vocabulary], bool)
    places = np.flatnonzero(is_numeral[texts.words])
    numerals: dict[int, set[str]] = {}
    for owner, word in zip(texts.owners[places].tolist(), texts.words[places].tolist(), strict=True):
        numerals.setdefault(owner, set()).add(texts.vocabulary[word])
    for owner, words in numerals.items():
        found[owner] = numbers.setdefault(frozenset(words), len(numbers))
    return found


def _rows_divided(matrix: csr_array, by: Floats) -> csr_array:
    """Return a matrix with each row divided by a number."""
    matrix = matrix.tocsr()
    matrix.data = matrix.data / np.repeat(by, np.diff(matrix.indptr))
    return matrix


def _products(vectors: Floats, owners: Ints, matrix: csr_array, rows: Ints) -> Floats:
    """Return the products of vectors with rows of a matrix, pair by pair."""
    starts, columns = take_rows(matrix.indptr.astype(np.int64), matrix.indices, rows)
    _, values = take_rows(matrix.indptr.astype(np.int64), matrix.data, rows)
    pair = np.repeat(np.arange(len(rows)), np.diff(starts))
    return sum_by(pair, vectors[owners[pair], columns] * values, len(rows))
