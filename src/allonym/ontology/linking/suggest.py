"""Suggest words that are spelled like an unknown one."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.lexicon import Lexicon, key
from allonym.ontology.taxonomy import Taxonomy

MAX_SUGGESTIONS = 5
MAX_CACHED_TEXTS = 100_000
MAX_LETTERS, MAX_WORDS = 80, 8  # only the beginning of a longer text is compared
MIN_TEXT_SIMILARITY, MIN_WORD_SIMILARITY = 70, 80  # percent, of the whole text and of one of its words


def similar_words(
    lexicon: Lexicon,
    texts: Sequence[str],
    allowed: NDArray[np.bool_] | None = None,
    tick: Callable[[int], None] = lambda done: None,
    language: str = "",
) -> list[list[str]]:
    """Return up to five forms for each text that are spelled like it or like one of its words, best first.

    Args:
        lexicon: the words to choose from.
        texts: the unknown texts.
        allowed: for every concept, whether its forms may be suggested.
        tick: called with the number of texts done.
        language: the language of the forms; by default, any.
    """
    if not texts:
        return []
    from rapidfuzz import fuzz, process

    name = f"similar words {language} {'' if allowed is None else hashlib.sha256(allowed.tobytes()).hexdigest()}"
    cached: dict[str, list[str]] = lexicon.cache.setdefault(name, {})
    if len(cached) > MAX_CACHED_TEXTS:
        cached = lexicon.cache[name] = {}
    forms, keys = ([], []) if all(text in cached for text in texts) else _choices(lexicon, allowed, language)
    by_length = _ByLength(keys)
    for done, text in enumerate(texts):
        tick(done)
        if text in cached:
            continue
        whole = key(text).replace("-", " ")
        queries = dict.fromkeys([whole[:MAX_LETTERS], *(w for w in whole.split()[:MAX_WORDS] if len(w) > 3)])
        scores: dict[str, float] = dict.fromkeys(_longer(whole, forms, keys), 100.0)  # "Hong" may be "Hong Kong"
        for query in queries:
            cutoff = MIN_TEXT_SIMILARITY if query == whole[:MAX_LETTERS] else MIN_WORD_SIMILARITY
            places, near = by_length.near(len(query), cutoff)
            for _, score, n in process.extract(
                query, near, scorer=fuzz.ratio, limit=MAX_SUGGESTIONS, score_cutoff=cutoff
            ):
                weight = score + 10 * (query == whole[:MAX_LETTERS])
                form = forms[places[n]]
                scores[form] = max(weight, scores.get(form, 0))
        cached[text] = sorted(scores, key=lambda form: (-scores[form], form))[:MAX_SUGGESTIONS]
    return [list(cached[text]) for text in texts]


def names_of(taxonomy: Taxonomy, concepts: Iterable[int], language: str) -> list[str]:
    """Return a word for each concept that means it first, or its id.

    >>> from allonym.ontology.lexicon import Entry
    >>> words = Lexicon.build([Entry("drain", 1), Entry("drain", 0, 1)])
    >>> animals = Taxonomy.build("t", ["a", "b"], child=[1], parent=[0], labels=["drain", "drain"], lexicon=words)
    >>> names_of(animals, [1, 0], "en")
    ['drain', 'a']
    """
    labels = [(concept, taxonomy.labels[concept].replace("_", " ")) for concept in concepts]
    return [
        label if next(iter(taxonomy.senses(label, language)), None) == concept else taxonomy.ids[concept]
        for concept, label in labels
    ]


class _ByLength:
    """Texts by their length: one of another length than a query cannot be similar enough.

    The similarity is the share of equal letters of both texts, so it is at most 2·min/(sum of the lengths).
    """

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        self._near: dict[tuple[int, int], tuple[list[int], list[str]]] = {}

    def near(self, length: int, percent: int) -> tuple[list[int], list[str]]:
        """Return the places of the texts that may be similar to one of some length, and these texts, in order."""
        if (length, percent) not in self._near:
            highest = 200 * np.minimum(self._lengths, length) / np.maximum(self._lengths + length, 1)
            places = np.flatnonzero(highest >= percent - 1).tolist()
            self._near[length, percent] = places, [self._texts[i] for i in places]
        return self._near[length, percent]


def _longer(text: str, forms: list[str], keys: list[str]) -> list[str]:
    """Return the shortest forms that start with the text as a whole word; keys are sorted."""
    low, high = bisect_left(keys, text + " "), bisect_left(keys, text + "!")
    return sorted(forms[low:high], key=lambda form: (len(form), form))[:2] if len(text) > 2 else []


def _choices(lexicon: Lexicon, allowed: NDArray[np.bool_] | None, language: str) -> tuple[list[str], list[str]]:
    entries = lexicon.words_in(language) if language else np.flatnonzero(~lexicon.notation)
    if allowed is not None:
        entries = entries[allowed[lexicon.concepts[entries]]]
    usable = np.unique(lexicon.form_of[entries])
    forms, keys = list(lexicon.forms), list(lexicon.keys)
    return [forms[f] for f in usable], [keys[f] for f in usable]
