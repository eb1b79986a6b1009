"""Words spelled like one that was not found."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.lexicon import Lexicon, key

MOST = 5
REMEMBERED = 100_000  # texts whose suggestions are kept: a person who reviews words asks for them again and again
LONG, MOST_WORDS = 80, 8  # of a text that goes on and on only the beginning is compared
ALIKE, WORD_ALIKE = 70, 80  # percent of rapidfuzz's normalised similarity: of the whole text, of one of its words


def similar_words(
    lexicon: Lexicon,
    texts: Sequence[str],
    allowed: NDArray[np.bool_] | None = None,
    tick: Callable[[int], None] = lambda done: None,
) -> list[list[str]]:
    """Return for each text up to five forms spelled like it, or like one of its words, best first.

    Only forms of `allowed` concepts are suggested, if that is given.
    """
    if not texts:
        return []
    from rapidfuzz import fuzz, process

    among = b"" if allowed is None else hashlib.sha256(allowed.tobytes()).digest()
    known: dict[str, list[str]] = lexicon.cache.setdefault(f"similar words {among.hex()}", {})
    if len(known) > REMEMBERED:
        known = lexicon.cache[f"similar words {among.hex()}"] = {}
    forms, keys = ([], []) if all(text in known for text in texts) else _choices(lexicon, allowed)
    for done, text in enumerate(texts):
        tick(done)
        if text in known:
            continue
        whole = key(text).replace("-", " ")
        queries = dict.fromkeys([whole[:LONG], *(w for w in whole.split()[:MOST_WORDS] if len(w) > 3)])
        scores: dict[str, float] = dict.fromkeys(_longer(whole, forms, keys), 100.0)  # "Hong" may be "Hong Kong"
        for query in queries:
            cutoff = ALIKE if query == whole[:LONG] else WORD_ALIKE
            for _, score, i in process.extract(query, keys, scorer=fuzz.ratio, limit=MOST, score_cutoff=cutoff):
                weight = score + 10 * (query == whole[:LONG])
                scores[forms[i]] = max(weight, scores.get(forms[i], 0))
        known[text] = sorted(scores, key=lambda form: (-scores[form], form))[:MOST]
    return [list(known[text]) for text in texts]


def _longer(text: str, forms: list[str], keys: list[str]) -> list[str]:
    """Return the shortest forms that go on where a text ends; keys are in order."""
    low, high = bisect_left(keys, text + " "), bisect_left(keys, text + "!")
    return sorted(forms[low:high], key=lambda form: (len(form), form))[:2] if len(text) > 2 else []


def _choices(lexicon: Lexicon, allowed: NDArray[np.bool_] | None) -> tuple[list[str], list[str]]:
    entries = ~lexicon.notation
    if allowed is not None:
        entries &= allowed[lexicon.concepts]
    usable = np.unique(lexicon.form_of[entries])
    forms, keys = list(lexicon.forms), list(lexicon.keys)
    return [forms[f] for f in usable], [keys[f] for f in usable]
