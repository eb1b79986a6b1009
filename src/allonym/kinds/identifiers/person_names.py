"""Names of persons: two to four words, of which the first is a given name of a person that WordNet knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from allonym.ontology.lexicon import key
from allonym.ontology.wordnet import wordnet

SHAPE = re.compile(r"[^\W\d_][^\W\d_'’-]*\.?([ -][^\W\d_][^\W\d_'’-]*\.?){1,3}")
MIN_SHAPED = 0.6  # share of the texts that look like a name
MIN_GIVEN = 0.3  # share of the texts that begin with a given name; WordNet knows about two in three
MIN_TEXTS = 4
TITLES = frozenset({"baron", "dame", "don", "duke", "first", "holy", "king", "lady", "lord", "mother", "president",
                    "prince", "princess", "queen", "saint", "sir", "st.", "virgin"})  # fmt: skip


@cache
def given_names() -> frozenset[str]:
    """Return the first words of the names of all persons in WordNet.

    >>> {"maria", "james"} <= given_names(), "nurse" in given_names()
    (True, False)
    """
    taxonomy = wordnet().taxonomy
    lexicon = taxonomy.lexicon
    person = np.zeros(len(taxonomy), bool)
    person[taxonomy.descendants(taxonomy.senses("person")[0])] = True
    forms = np.unique(lexicon.form_of[(person & taxonomy.instances)[lexicon.concepts]])
    words = (lexicon.forms[int(form)].split() for form in forms)
    return frozenset(key(x[0]) for x in words if len(x) > 1 and len(x[0]) > 2) - TITLES


def _is_other_word(text: str) -> bool:
    """Tell whether WordNet knows a text, and not as the name of a person."""
    taxonomy = wordnet().taxonomy
    senses = taxonomy.senses(text)
    if not senses:
        return False
    person = taxonomy.senses("person")[0]
    return not any(taxonomy.instances[x] and person in taxonomy.above([x]) for x in senses)


def are_person_names(texts: Sequence[str]) -> bool:
    """Tell whether distinct texts are names of persons, as "Ann Lee" or "Lee, Ann"; words of WordNet are none.

    >>> are_person_names(["James Smith", "Clark, Maria", "George Novak", "Ann Lee"])
    True
    >>> are_person_names(["Saint Louis", "San Jose", "New York", "Las Vegas"])
    False
    """
    if len(texts) < MIN_TEXTS:
        return False
    turned = [" ".join(reversed(x.replace("_", " ").split(", ", 1))) for x in texts]
    shaped = [x for x in turned if SHAPE.fullmatch(x)]
    if len(shaped) < MIN_SHAPED * len(texts):
        return False
    names = [x for x in shaped if key(x.split(" ")[0]) in given_names() and not _is_other_word(x)]
    return len(names) >= MIN_GIVEN * len(texts)


def are_given_names(texts: Sequence[str]) -> bool:
    """Tell whether most of some distinct texts are given names, as "Ann" or "Maria".

    >>> are_given_names(["James", "Maria", "George", "Ann"]), are_given_names(["nurse", "cook", "baker", "Maria"])
    (True, False)
    """
    return len(texts) >= MIN_TEXTS and sum(key(x) in given_names() for x in texts) * 2 > len(texts)
