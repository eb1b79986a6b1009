"""Noun phrases of items (Batet et al. 2014, §3.1.1), found by the tagger of the extra `tagger`."""

from __future__ import annotations

import warnings
from functools import lru_cache

from allonym.errors import OptionError


@lru_cache(100_000)
def noun_phrases(text: str) -> tuple[str, ...]:
    """Return the noun phrases of a text without articles, or the text itself if it has none.

    Raises:
        OptionError: the extra `tagger` is not installed.

    >>> noun_phrases("AC charger for an iPhone"), noun_phrases("buying new red shoes online")
    (('AC charger', 'iPhone'), ('new red shoes',))
    """
    try:
        from textblob.en import tag
    except ImportError as error:
        raise OptionError("Phrases need the `tagger` extra.", hint="pip install 'allonym[tagger]'.") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the tagger does not close its files
        tagged = tag(text)
    runs: list[list[tuple[str, str]]] = [[]]
    for word, kind in tagged:
        if kind.startswith(("NN", "JJ")):
            runs[-1].append((word, kind))
        elif runs[-1]:
            runs.append([])
    phrases = []
    for run in runs:
        while run and not run[-1][1].startswith("NN"):
            run.pop()
        if run:
            phrases.append(" ".join(word for word, _ in run))
    return tuple(phrases) or (text,)
