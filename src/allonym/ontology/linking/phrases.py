"""Noun phrases of an item: what carries its meaning (P4 §3.1.1). Needs the tagger of the extra `tagger`."""

from __future__ import annotations

import warnings
from functools import lru_cache

from allonym.errors import OptionError


@lru_cache(100_000)
def noun_phrases(text: str) -> tuple[str, ...]:
    """Return the noun phrases of a text, without articles; the text itself, if none is found.

    >>> noun_phrases("AC charger for an iPhone"), noun_phrases("buying new red shoes online")
    (('AC charger', 'iPhone'), ('new red shoes',))
    """
    try:
        from textblob.en import tag
    except ImportError as error:
        raise OptionError("Phrases need a tagger.", hint="pip install allonym[tagger].") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves its word lists open
        tagged = tag(text)
    found: list[list[tuple[str, str]]] = [[]]
    for word, kind in tagged:
        if kind.startswith(("NN", "JJ")):
            found[-1].append((word, kind))
        elif found[-1]:
            found.append([])
    phrases = []
    for run in found:
        while run and not run[-1][1].startswith("NN"):
            run.pop()
        if run:
            phrases.append(" ".join(word for word, _ in run))
    return tuple(phrases) or (text,)
