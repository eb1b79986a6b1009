"""Classes of the rest: "other diseases", "clerks not elsewhere classified"."""

from __future__ import annotations

from functools import lru_cache

from allonym.ontology.linking.languages import language
from allonym.ontology.linking.readings.negation import words_of


@lru_cache(4096)
def names_the_rest(label: str, code: str = "en") -> bool:
    """Tell whether a label names what is left of a class: it begins or ends with a word such as "other".

    >>> labels = ["Other heart diseases", "Clerks not elsewhere classified", "Shops n.e.c.", "Sprain, unspecified"]
    >>> [names_the_rest(x) for x in (*labels, "Injuries and certain other consequences", "Clerks")]
    [True, True, True, True, False, False]
    """
    words = [word.replace(".", "") for word in words_of(label)]
    known = language(code)
    if len(words) < 2:  # a word alone is no class
        return False
    endings = {" ".join(words[-n:]) for n in range(1, min(len(words), 4))}
    return words[0] in known.residual or words[-1] in known.residual or not endings.isdisjoint(known.residual_phrases)
