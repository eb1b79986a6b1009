"""The labels of an ontology as vectors of character n-grams, to find those most like a text.

A label is a bag of words. A word is a vector of its trigrams, with its boundaries, and of its stem; an n-gram weighs
ln((1 + N) / (1 + n)) + 1 if n of N labels have it. The similarity of two texts is the cosine of the sums of the
vectors of their words, but words whose own cosine is below `MIN_WORD_SIMILARITY` count as different (cf. Cohen,
Ravikumar and Fienberg 2003, §2.3, SoftTFIDF). Distinct words are compared once, whatever the number of texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.ontology.lexicon import Lexicon, key
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import negating_prefixes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

N = 3  # letters of an n-gram, the blanks around a word included
MIN_WORD_SIMILARITY = 0.2
MAX_LABELS = 500_000  # of an ontology whose labels are indexed
MAX_LETTERS, MAX_WORDS = 200, 20  # only the beginning of a longer text is compared
MIN_OPPOSITE = 4  # letters of a word that may have an opposite
OPPOSED = 1e6  # larger than any product
BLOCK = 4096  # distinct words that are compared at once
_WORD = re.compile(r"[^\W_]+")


def grams_of(word: str, stem: str) -> list[str]:
    """Return the distinct n-grams of a word, and its stem.

    >>> grams_of("tree", "tree")
    [' tr', 'tre', 'ree', 'ee ', '#tree']
    """
    padded = f" {word} "
    grams = [padded[i : i + N] for i in range(max(len(padded) - N, 0) + 1)]
    return list(dict.fromkeys([*grams, f"#{stem}"]))


class Tokeniser:
    """Splits texts into words, without articles; the head of a text is the last word before a preposition."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._breaks = language.prepositions - language.conjunctions

    def words(self, text: str) -> list[str]:
        """Return the words of a key.

        >>> from allonym.ontology.linking.languages import language
        >>> Tokeniser(language("en")).words("head of the on-line sales")
        ['head', 'of', 'on', 'line', 'sales']
        """
        words = _WORD.findall(text[:MAX_LETTERS])[:MAX_WORDS]
        return [word for word in words if word not in self.language.determiners] or words

    def head(self, words: Sequence[str]) -> str:
        """Return the head of a phrase.

        >>> from allonym.ontology.linking.languages import language
        >>> Tokeniser(language("en")).head(["manager", "in", "leather", "goods"])
        'manager'
        """
        if not self.language.head_last:
            return words[0]
        before = next((i for i, word in enumerate(words) if i and word in self._breaks), len(words))
        return words[before - 1]

    @cached_property
    def _stemmer(self) -> Any:
        import Stemmer

        return Stemmer.Stemmer(self.language.stemmer)

    def stems(self, words: Sequence[str]) -> list[str]:
        """Return the stems of words."""
        stems: list[str] = self._stemmer.stemWords(list(words)) if self.language.stemmer else list(words)
        return stems


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts as bags of words: the words of text i are `words[starts[i]:starts[i + 1]]`."""

    starts: Ints
    words: Ints  # their numbers
    vocabulary: list[str]
    heads: Ints  # the number of the head of each text; -1 if a text has no words

    @classmethod
    def of(cls, texts: Iterable[str], tokeniser: Tokeniser) -> Texts:
        """Split keys into words."""
        numbers: dict[str, int] = {}
        starts, words, heads = [0], list[int](), list[int]()
        for text in texts:
            of_text = tokeniser.words(text)
            words += [numbers.setdefault(word, len(numbers)) for word in of_text]
            starts.append(len(words))
            heads.append(numbers[tokeniser.head(of_text)] if of_text else -1)
        return cls(np.array(starts), np.array(words, np.int64), list(numbers), np.array(heads, np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def owners(self) -> Ints:
        """The text of each word."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


class LabelIndex:
    """The labels and synonyms of an ontology in one language, concept by concept.

    Attributes:
        concepts: the concept of each label, ascending.
        first: where the labels of each concept of the ontology start.
        labels: the words of each label.
        norms: the length of each label's vector.
    """

    def __init__(self, lexicon: Lexicon, language: Language, concepts: int) -> None:
        self.language, self.tokeniser = language, Tokeniser(language)
        entries = lexicon.words_in(language.code)
        keys = list(lexicon.keys)
        places, owners = lexicon.form_of[entries], lexicon.concepts[entries].astype(np.int64)
        distinct = sorted({(c, keys[f]) for c, f in zip(owners.tolist(), places.tolist(), strict=True)})
        self.texts = [text for _, text in distinct]
        self.concepts: Ints = np.array([c for c, _ in distinct], np.int64)
        self.first: Ints = np.searchsorted(self.concepts, np.arange(concepts + 1))
        self.labels = Texts.of(self.texts, self.tokeniser)
        self.numbers = {word: n for n, word in enumerate(self.labels.vocabulary)}
        self._weigh()

    @cached_property
    def text_numbers(self) -> dict[str, int]:
        """The numbers of the distinct texts of labels."""
        return {text: n for n, text in enumerate(dict.fromkeys(self.texts))}

    @cached_property
    def same_text(self) -> Ints:
        """The number of the text of each label."""
        return np.array([self.text_numbers[text] for text in self.texts], np.int64)

    @classmethod
    def of(cls, lexicon: Lexicon, language: Language, concepts: int) -> LabelIndex:
        """Return the index of a lexicon, which is cached."""
        name = f"label index {language.code}"
        if name not in lexicon.cache:
            lexicon.cache[name] = cls(lexicon, language, concepts)
        index: LabelIndex = lexicon.cache[name]
        return index

    def _weigh(self) -> None:
        """Number the n-grams and stems, and weigh them by how many labels have them."""
        from scipy.sparse import csr_array

        words, labels = self.labels.vocabulary, self.labels
        stems = self.tokeniser.stems(words)
        self.stem_numbers: dict[str, int] = {}
        self.stems = np.array([self.stem_numbers.setdefault(stem, len(self.stem_numbers)) for stem in stems], np.int64)
        grams = [grams_of(word, stem) for word, stem in zip(words, stems, strict=True)]
        self.grams = {gram: n for n, gram in enumerate(dict.fromkeys(chain.from_iterable(grams)))}
        numbers = np.array([self.grams[gram] for gram in chain.from_iterable(grams)], np.int64)
        starts = np.cumsum([0, *map(len, grams)])
        held = csr_array((np.ones(len(numbers), np.float32), numbers, starts), shape=(len(words), len(self.grams)))
        bags = self.bags(labels, np.ones(len(labels.words), np.float32))
        having = (bags @ held).tocsc().count_nonzero(axis=0) if len(labels) else np.zeros(0)
        self.gram_weights: Floats = _weights(having, len(labels))
        self.largest_weight = float(np.log(1 + len(labels)) + 1)
        self.vectors: csr_array = held.multiply(self.gram_weights[None, :].astype(np.float32)).tocsr()
        squares = self.vectors.multiply(self.vectors).sum(axis=1)
        self.word_lengths: Floats = np.sqrt(np.asarray(squares, np.float64).ravel())
        sums = np.bincount(labels.owners, self.word_lengths[labels.words] ** 2, len(labels))
        self.norms: Floats = np.sqrt(np.maximum(sums, 1e-12))
        pairs = np.unique(labels.owners * max(len(self.stem_numbers), 1) + self.stems[labels.words])
        with_stem = np.bincount(pairs % max(len(self.stem_numbers), 1), minlength=len(self.stem_numbers))
        self.stem_weights: Floats = _weights(with_stem, len(labels))

    def bags(self, texts: Texts, values: Any) -> csr_array:
        """Return a matrix of texts and words."""
        from scipy.sparse import csr_array

        return csr_array((values, texts.words, texts.starts), shape=(len(texts), len(texts.vocabulary)))

    def query(self, texts: Sequence[str]) -> Query:
        """Return texts as vectors that are compared with the labels."""
        return Query(self, Texts.of(map(key, texts), self.tokeniser))


class Query:
    """Texts, and how similar their words are to the words of the labels."""

    def __init__(self, index: LabelIndex, texts: Texts) -> None:
        self.index, self.texts = index, texts
        words = texts.vocabulary
        stems = index.tokeniser.stems(words)
        self.stems = np.array([index.stem_numbers.get(stem, -1) for stem in stems], np.int64)
        self.similar, self.word_lengths = self._compared(words, stems)
        sums = np.bincount(texts.owners, self.word_lengths[texts.words] ** 2, len(texts))
        self.norms: Floats = np.sqrt(np.maximum(sums, 1e-12))

    def _compared(self, words: list[str], stems: list[str]) -> tuple[csr_array, Floats]:
        """Return the products of the vectors of words and of the words of labels, and the lengths of the vectors."""
        from scipy.sparse import csr_array, vstack

        index, blocks, lengths = self.index, [], []
        transposed = index.vectors.T.tocsr()
        for low in range(0, max(len(words), 1), BLOCK):
            grams = [grams_of(w, s) for w, s in zip(words[low : low + BLOCK], stems[low : low + BLOCK], strict=True)]
            known = [[n for gram in of_word if (n := index.grams.get(gram)) is not None] for of_word in grams]
            numbers = np.array(list(chain.from_iterable(known)), np.int64)
            starts = np.cumsum([0, *map(len, known)])
            weights = index.gram_weights[numbers].astype(np.float32)
            vectors = csr_array((weights, numbers, starts), shape=(len(known), len(index.grams)))
            unknown = np.array([len(g) - len(k) for g, k in zip(grams, known, strict=True)])
            owners = np.repeat(np.arange(len(known)), np.diff(starts))
            squares = np.bincount(owners, weights.astype(np.float64) ** 2, len(known))
            length = np.sqrt(squares + unknown * index.largest_weight**2)
            product = (vectors @ transposed).tocoo()
            near = product.data >= MIN_WORD_SIMILARITY * length[product.row] * index.word_lengths[product.col]
            kept = (product.data[near], (product.row[near], product.col[near]))
            blocks.append(csr_array(kept, shape=product.shape))
            lengths.append(length)
        return csr_array(vstack(blocks)), np.concatenate(lengths)

    def opposed(self, rows: Ints) -> Floats | float:
        """Return `OPPOSED` for each word of labels that is the opposite of a word of some texts: married, unmarried."""
        places, columns = [], []
        for place, row in enumerate(rows.tolist()):
            for word in self.texts.words[self.texts.starts[row] : self.texts.starts[row + 1]].tolist():
                opposites = self._opposites[word]
                places += [place] * len(opposites)
                columns += opposites
        if not places:
            return 0.0
        matrix = np.zeros((len(rows), len(self.index.labels.vocabulary)))
        matrix[places, columns] = OPPOSED
        return matrix

    @cached_property
    def _opposites(self) -> list[list[int]]:
        """For each word of the texts, the words of labels that are its opposite."""
        prefixes, known = negating_prefixes(self.index.language), self.index.numbers
        found = []
        for word in self.texts.vocabulary:
            others = [word.removeprefix(prefix) for prefix in prefixes if word.startswith(prefix)]
            others += [prefix + word for prefix in prefixes]
            found.append([known[other] for other in others if other in known and len(other) >= MIN_OPPOSITE])
        return found


def _weights(having: Any, total: int) -> Floats:
    weights: Floats = np.log((1 + total) / (1 + np.asarray(having, np.float64))) + 1
    return weights
