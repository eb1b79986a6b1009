"""Noun phrases of items (Batet et al. 2014, §3.1.1), found by the tagger of the extra `tagger`.

A phrase keeps what negates it: "coffee without sugar" has the phrases "coffee" and "without sugar".
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from allonym.errors import OptionError
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.readings.negation import drops_negation, is_negation

_CONTRACTIONS = {"can't": "cannot", "won't": "will not", "shan't": "shall not"}
_CONTRACTION = re.compile(r"(\w+)n['’]t\b", re.IGNORECASE)
_BREAKS = frozenset({"but", "although", "though"})
_ENGLISH = language("en")  # of the tagger
_Tagged = list[tuple[str, str]]


@lru_cache(100_000)
def noun_phrases(text: str) -> tuple[str, ...]:
    """Return the noun phrases of a text without articles, or the text itself if it has none.

    Raises:
        OptionError: the extra `tagger` is not installed.

    >>> noun_phrases("AC charger for an iPhone"), noun_phrases("buying new red shoes online")
    (('AC charger', 'iPhone'), ('new red shoes',))
    >>> noun_phrases("no milk"), noun_phrases("coffee without sugar"), noun_phrases("insurance: none")
    (('no milk',), ('coffee', 'without sugar'), ('insurance: none',))
    """
    try:
        from textblob.en import tag
    except ImportError as error:
        raise OptionError("Phrases need the `tagger` extra.", hint="pip install 'allonym[tagger]'.") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the tagger does not close its files
        tagged: _Tagged = tag(_CONTRACTION.sub(_without_contraction, text))
    phrases: list[str] = []
    for is_break, group in groupby(tagged, lambda pair: not pair[1][:1].isalpha() or pair[0].lower() in _BREAKS):
        clause = [] if is_break else list(group)
        if len(clause) == 1 and is_negation(clause[0][0].lower(), _ENGLISH):
            return (text,)  # it negates another clause
        phrases += _phrases(clause)
    return tuple(phrases) or (text,)


def _without_contraction(found: re.Match[str]) -> str:
    return _CONTRACTIONS.get(found[0].lower().replace("’", "'"), f"{found[1]} not")


def _phrases(clause: _Tagged) -> Iterator[str]:
    words = [word.lower() for word, _ in clause]
    for start, end in _runs(clause):
        before = [i for i in range(start) if is_negation(words[i], _ENGLISH)]
        if not drops_negation(words, range(start, end), _ENGLISH):
            before = []
        follows = drops_negation(words[start:], range(end - start), _ENGLISH)  # "fever not present"
        kept = [*before, *range(start, len(words) if follows else end)]
        yield " ".join(clause[i][0] for i in kept)


def _runs(clause: _Tagged) -> Iterator[tuple[int, int]]:
    """Yield where nouns with the adjectives before them start and end."""
    start = 0
    for named, group in groupby(clause, lambda pair: pair[1].startswith(("NN", "JJ"))):
        run = list(group)
        end = start + len(run)
        if named:
            last = end
            while last > start and not clause[last - 1][1].startswith("NN"):
                last -= 1
            if last > start:
                yield start, last
        start = end
