"""Names of senses as in NLTK: a word, its part of speech and the number of its sense, as in `dog.n.01`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from allonym.ontology.lexicon import Lexicon

_NAME = re.compile(r"(.*\S)\.([a-zA-Z])\.([0-9]{1,3})")


def find_sense(name: str, lexicon: Lexicon, ids: Sequence[str]) -> int | None:
    """Return the concept that a name means by any of its words, or None; ids must be such names themselves.

    >>> from allonym.ontology.lexicon import Entry
    >>> lexicon = Lexicon.build([Entry("dog", 0), Entry("frank", 1, rank=1), Entry("dog", 1, rank=2)])
    >>> find_sense("dog.n.03", lexicon, ["dog.n.01", "frank.n.02"])
    1
    """
    named = _NAME.fullmatch(name)
    if named is None:
        return None
    word, letter, number = named.groups()
    entries = lexicon.entries(word)
    for concept in lexicon.concepts[entries[lexicon.ranks[entries] == int(number) - 1]]:
        own = _NAME.fullmatch(ids[concept])
        if own is not None and own[2] == letter.lower():
            return int(concept)
    return None
