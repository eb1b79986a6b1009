"""Compare a column with an ontology before its values are linked: how many are words or codes of it as they stand.

A look-up takes some microseconds, so that many ontologies can be tried on every column. Codes may match by chance: most
texts of a letter and two digits are codes of ICD-10.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from random import Random

from allonym.kinds.proposal.answers import with_content
from allonym.kinds.proposal.available import NamedOntology
from allonym.kinds.proposal.profile import ColumnProfile

MOST_FREQUENT, OTHERS = 100, 200  # values of a column that are looked up
MIN_MORE_WORDS = 0.15  # share of the words that another language than English must have beyond it
MAX_CODE = 8  # characters of a code whose dot may be left out
VARIANTS = 1000  # texts of the same shape, to estimate how many are codes
_SEPARATORS = re.compile(r"[-/&_.\s]+")
_NO_CODE = re.compile(r"[\W_]+")


@dataclass(frozen=True, eq=False)
class Screen:
    """Some values of a column with their counts, and which of them are codes or words of an ontology."""

    ontology: NamedOntology
    counts: Mapping[str, int]
    codes: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, column: ColumnProfile, ontology: NamedOntology) -> Screen:
        """Look up some values of a column, once; unknown ones that say nothing of their subject do not count."""
        name = f"screen of {ontology.name}"
        if name not in column.cache:
            column.cache[name] = cls._looked_up(column, ontology)
        found: Screen = column.cache[name]
        return found

    @classmethod
    def _looked_up(cls, column: ColumnProfile, ontology: NamedOntology) -> Screen:
        values = screened_values(column)
        codes = frozenset(x for x in values if is_code(ontology, x))
        words = frozenset(x for x in values if x not in codes and is_word(ontology, x))
        counted = {x for x in values if x in codes or x in words} | set(with_content(values))
        return cls(ontology, {x: column.counts[x] for x in values if x in counted}, codes, words)

    def shares(self, texts: frozenset[str]) -> tuple[float, float]:
        """Return the shares of cells and of values that are one of some texts."""
        cells = sum(self.counts[x] for x in texts)
        return cells / max(sum(self.counts.values()), 1), len(texts) / max(len(self.counts), 1)

    @property
    def known(self) -> tuple[float, float]:
        """The shares of cells and of values that are codes or words."""
        return self.shares(self.codes | self.words)

    def coverage(self, column: ColumnProfile) -> float:
        """Return the share of all cells that are codes or words; rare values count as those that were looked up do."""
        missing = column.rows - sum(column.counts[x] for x in screened_values(column))
        known = sum(self.counts[x] for x in self.codes | self.words)
        return (known + missing * self.known[1]) / max(column.rows, 1)

    @property
    def language(self) -> str:
        """The language that most of the words belong to; the first, which is English, if others have hardly more."""
        if not self.ontology.languages:
            return "en"
        lexicon = self.ontology.scope.taxonomy.lexicon
        known = {x: sum(lexicon.entries(word, x).size > 0 for word in self.words) for x in self.ontology.languages}
        first, best = self.ontology.languages[0], max(known, key=lambda x: known[x])
        return best if known[best] - known[first] > MIN_MORE_WORDS * len(self.words) else first

    @cached_property
    def chance(self) -> float:
        """The probability that so many of the values are codes although they stand for something else.

        Codes with the same beginning count once: a list that goes from A40 to A49 tells no more than its first value.
        """
        first = {_code(x)[:-1]: x for x in reversed(list(self.counts))}.values()
        hits, share = sum(x in self.codes for x in first), self._share_of_shape(list(first))
        n = len(first)
        return sum(comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(hits, n + 1))

    def _share_of_shape(self, texts: Sequence[str]) -> float:
        """Estimate how many of the texts with the same shape as some texts are codes."""
        generator = Random(0)
        variants = [_variant(texts[i % len(texts)], generator) for i in range(VARIANTS)]
        return (1 + sum(is_code(self.ontology, x) for x in variants)) / (1 + VARIANTS)


def screened_values(column: ColumnProfile) -> Sequence[str]:
    """Return the most frequent values, and some others from all over the column."""
    if "screened" not in column.cache:
        ordered = sorted(column.counts, key=lambda x: (-column.counts[x], x))
        others = ordered[MOST_FREQUENT:]
        some = sorted(others)[:: max(1, -(-len(others) // OTHERS))]
        column.cache["screened"] = ordered[:MOST_FREQUENT] + some
    found: Sequence[str] = column.cache["screened"]
    return found


def is_code(ontology: NamedOntology, text: str) -> bool:
    """Tell whether a text is a code of an ontology, with or without its dot, or the id of a concept that is no word."""
    taxonomy = ontology.scope.taxonomy
    for form in _spellings(text):
        entries = taxonomy.lexicon.entries(form)
        if entries.size:
            return bool(taxonomy.lexicon.notation[entries].any())
    return taxonomy.find(text) is not None


def _spellings(text: str) -> Iterator[str]:
    """Yield a text, and codes of letters and digits without their dots, or with one somewhere.

    >>> list(_spellings("E119")), list(_spellings("E11.9")), list(_spellings("2.5"))
    (['E119', 'E.119', 'E1.19', 'E11.9'], ['E11.9', 'E119'], ['2.5'])
    """
    yield text
    if len(text) > MAX_CODE or text.isalpha() or not any(map(str.isalpha, text)):
        return
    if "." in text:
        yield text.replace(".", "")
    elif text.isalnum():
        yield from (f"{text[:place]}.{text[place:]}" for place in range(1, len(text)))


def is_word(ontology: NamedOntology, text: str) -> bool:
    """Tell whether a text is a word of an ontology, whatever separates its parts."""
    lexicon = ontology.scope.taxonomy.lexicon
    return text in lexicon or _SEPARATORS.sub(" ", text) in lexicon


def _code(text: str) -> str:
    return _NO_CODE.sub("", text.casefold())


def _variant(text: str, generator: Random) -> str:
    """Return a text of the same shape: other digits for digits, other letters for letters.

    >>> re.fullmatch("[A-Z][0-9][0-9][.][0-9]", _variant("E11.9", Random(0))) is not None
    True
    """
    of = {True: string.digits, False: string.ascii_uppercase}
    return "".join(generator.choice(of[x.isdigit()]) if x.isalnum() else x for x in text)
