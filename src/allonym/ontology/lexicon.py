"""The words of an ontology: which forms mean which concepts, in which order of senses.

A form is a label, a synonym or a notation (a code) in the spelling of the source. Forms are looked up by `key`, which
ignores case, underscores and the Unicode normalisation form.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import frozen, take_rows
from allonym.ontology.pickling import DropCaches
from allonym.ontology.strings import Strings, StringTuple

_PUNCTUATION = str.maketrans({"_": " ", "’": "'", "‘": "'", "‐": "-", "‑": "-", "–": "-", "\u00a0": " ", "\t": " "})
DEFAULT_LANGUAGE = "en"
_IRREGULAR_WHITESPACE = ("\t", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f", "  ", "\n ", " \n", "\n\n")


def key(text: str) -> str:
    """Return the key under which a text is looked up.

    >>> key("  Dog_House ")
    'dog house'
    >>> key("STRASSE") == key("Straße")
    True
    """
    if text.isascii():
        return " ".join(text.replace("_", " ").lower().split())
    text = unicodedata.normalize("NFKC", text)
    return " ".join(text.translate(_PUNCTUATION).casefold().split())


class Entry(NamedTuple):
    """One form of one concept."""

    form: str
    concept: int
    rank: int = 0  # among the senses of the form, if the source orders them
    frequency: int = 0  # occurrences of the form in this sense in a tagged corpus
    language: str = ""
    preferred: bool = False
    notation: bool = False


@dataclass(frozen=True, eq=False)
class Lexicon(DropCaches):
    """Forms in the order of their keys, and for each form the concepts it means (arrays in CSR form)."""

    forms: Sequence[str]
    starts: NDArray[np.int64]
    concepts: NDArray[np.int32]
    ranks: NDArray[np.uint16]
    counts: NDArray[np.int32]
    languages: NDArray[np.uint16]
    preferred: NDArray[np.bool_]
    notation: NDArray[np.bool_]
    language_names: tuple[str, ...] = ("",)
    exceptions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # irregular plurals
    packed_keys: Strings | None = None  # the key of every form, where it need not be derived

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name in ("starts", "concepts", "ranks", "counts", "languages", "preferred", "notation"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @classmethod
    def build(cls, entries: Iterable[Entry], exceptions: Mapping[str, tuple[str, ...]] | None = None) -> Lexicon:
        """Sort entries into a lexicon; repeated entries count once.

        >>> Lexicon.build([Entry("dog", 4), Entry("Dog", 7, rank=1), Entry("hound", 4)]).senses("dog").tolist()
        [4, 7]
        """
        unique = sorted(set(entries), key=lambda e: (key(e.form), e.form, e.rank, e.concept, e.language, -e.preferred))
        forms: list[str] = []
        starts: list[int] = []
        for i, entry in enumerate(unique):
            if not forms or entry.form != forms[-1]:
                forms.append(entry.form)
                starts.append(i)
        names = ("", *sorted({e.language for e in unique} - {""}))
        number = {name: i for i, name in enumerate(names)}
        return cls(
            forms=tuple(forms),
            starts=np.array([*starts, len(unique)], np.int64),
            concepts=np.array([e.concept for e in unique], np.int32),
            ranks=np.array([min(e.rank, 2**16 - 1) for e in unique], np.uint16),
            counts=np.array([min(e.frequency, 2**31 - 1) for e in unique], np.int32),
            languages=np.array([number[e.language] for e in unique], np.uint16),
            preferred=np.array([e.preferred for e in unique], bool),
            notation=np.array([e.notation for e in unique], bool),
            language_names=names,
            exceptions=exceptions or {},
        )

    @cached_property
    def cache(self) -> dict[str, Any]:
        """What other modules derive from this lexicon, by name; it lives as long as the lexicon."""
        return {}

    @cached_property
    def keys(self) -> Strings:
        """The key of every form, in the same order."""
        return StringTuple(self._derived_keys()) if self.packed_keys is None else self.packed_keys

    def _derived_keys(self) -> list[str]:
        text = "\n".join(["", *self.forms, ""]).replace("_", " ")
        plain = text.isascii() and text.count("\n") == len(self.forms) + 1
        if plain and not any(whitespace in text for whitespace in _IRREGULAR_WHITESPACE):  # faster than one by one
            return text.lower().split("\n")[1:-1]
        return [key(form) for form in self.forms]

    def __contains__(self, text: str) -> bool:
        return self.keys.find(key(text)) is not None

    def entries(self, text: str, language: str = "") -> NDArray[np.int64]:
        """Return the places of the entries of a form, most frequent sense first, optionally of one language.

        An entry without a language belongs to all languages.
        """
        wanted = key(text)
        first = self.keys.find(wanted)
        if first is None:
            return np.empty(0, np.int64)
        last = first
        while last < len(self.keys) and self.keys[last] == wanted:
            last += 1
        entries = np.arange(self.starts[first], self.starts[last])
        if language and len(self.language_names) > 1:
            entries = entries[self._of_language(language)[self.languages[entries]]]
        if entries.size < 2:
            return entries
        order = np.lexsort((self.concepts[entries], -self.counts[entries], self.ranks[entries]))
        return entries[order]

    def _of_language(self, language: str) -> NDArray[np.bool_]:
        """Tell for each language name whether it is a variant of a language (de, de-AT) or empty."""
        cached: dict[str, NDArray[np.bool_]] = self.cache.setdefault("languages", {})
        if language not in cached:
            code = language.partition("-")[0].lower()
            cached[language] = np.array([name.partition("-")[0].lower() in ("", code) for name in self.language_names])
        return cached[language]

    def has_language(self, language: str) -> bool:
        """Tell whether there are words of a language, or without a language."""
        cached: dict[str, bool] = self.cache.setdefault("has_language", {})
        if language not in cached:
            cached[language] = not len(self.languages) or bool(self._of_language(language)[self.languages].any())
        return cached[language]

    def has_words_in(self, language: str) -> bool:
        """Tell whether there are words of a language, or without a language; codes are no words, unless all are codes.

        Of English, which is the default, codes are enough: columns of codes need no language.
        """
        if language.partition("-")[0].lower() == DEFAULT_LANGUAGE or self.notation.all():
            return self.has_language(language)
        return bool((self._of_language(language)[self.languages] & ~self.notation).any())

    @property
    def states_languages(self) -> bool:
        """Whether it says of some words in which language they are."""
        return any(self.language_names)

    def keys_of(self, language: str) -> Sequence[str]:
        """Return the keys of the forms of a language, and of those without a language."""
        own = self._of_language(language)[self.languages]
        if own.all():
            return self.keys
        keys = list(self.keys)
        return [keys[form] for form in np.unique(self.form_of[own]).tolist()]

    def words_in(self, language: str) -> NDArray[np.int64]:
        """Return the places of the labels and synonyms of a language, and of those without a language.

        >>> Lexicon.build([Entry("nurse", 0), Entry("2221", 0, notation=True)]).words_in("en").tolist()
        [1]
        """
        return np.flatnonzero(~self.notation & self._of_language(language)[self.languages])

    def language(self, stated: str) -> str:
        """Return the language of the words: as stated; the only one of the lexicon, if it has no English words.

        >>> Lexicon.build([Entry("perro", 0, language="es")]).language("en")
        'es'
        """
        others = [name for name in self.language_names if name]
        is_default = stated.partition("-")[0].lower() == DEFAULT_LANGUAGE
        return others[0] if is_default and len(others) == 1 and not self.has_language(stated) else stated

    @cached_property
    def has_counts(self) -> bool:
        """Whether any sense has been counted in a corpus."""
        return bool(self.counts.any())

    def senses(self, text: str, language: str = "") -> NDArray[np.int32]:
        """Return the distinct concepts that a text means, most frequent sense first."""
        concepts = self.concepts[self.entries(text, language)]
        _, first = np.unique(concepts, return_index=True)
        return concepts[np.sort(first)]

    @cached_property
    def form_of(self) -> NDArray[np.int64]:
        """The place of every entry's form."""
        return np.repeat(np.arange(len(self.forms)), np.diff(self.starts))

    @cached_property
    def _by_concept(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The entries in the order of their concepts, preferred forms first, and these concepts."""
        order = np.lexsort((self.form_of, ~self.preferred, self.concepts))
        return order, self.concepts[order]

    def terms(self, concept: int, language: str = "") -> list[str]:
        """Return the labels and synonyms of a concept, preferred first, optionally of one language."""
        entries = [e for e in self.entries_of(concept) if not self.notation[e]]
        if language:
            allowed = self._of_language(language)
            entries = [e for e in entries if allowed[self.languages[e]]]
        return self._forms_at(entries)

    def preferred_term(self, concept: int, language: str) -> str | None:
        """Return the preferred label of a concept in a language: of the same variant, else of another; None without.

        >>> words = Lexicon.build([Entry("Kenia", 0, language="de", preferred=True), Entry("Kenya", 0, language="en")])
        >>> words.preferred_term(0, "de-AT"), words.preferred_term(0, "en")
        ('Kenia', None)
        """
        code = language.partition("-")[0].lower()
        found: dict[str, str] = {}
        for entry in self.entries_of(concept):
            tag = self.language_names[self.languages[entry]]
            if self.preferred[entry] and not self.notation[entry] and tag.partition("-")[0].lower() == code:
                found.setdefault(tag.lower(), self.forms[self.form_of[entry]])
        return found.get(language.lower()) or found.get(code) or next(iter(found.values()), None)

    def notations(self, concept: int) -> list[str]:
        """Return the codes of a concept.

        >>> Lexicon.build([Entry("nurse", 0), Entry("2221", 0, notation=True)]).notations(0)
        ['2221']
        """
        return self._forms_at([e for e in self.entries_of(concept) if self.notation[e]])

    def entries_of(self, concept: int) -> NDArray[np.int64]:
        """Return the entries of a concept, preferred forms first."""
        order, concepts = self._by_concept
        low, high = np.searchsorted(
            concepts, np.array([concept, concept + 1], concepts.dtype)
        )  # no copy of another type
        return order[low:high]

    def _forms_at(self, entries: Iterable[int]) -> list[str]:
        return list(dict.fromkeys(self.forms[self.form_of[e]] for e in entries))

    def restrict(self, new_code: NDArray[np.int32]) -> Lexicon:
        """Return the lexicon of a part: entries of concept c move to new_code[c], or are dropped if that is -1."""
        moved = new_code[self.concepts]
        inside = np.flatnonzero(moved >= 0)
        form_of = self.form_of[inside]
        used, first = np.unique(form_of, return_index=True)
        return Lexicon(
            forms=tuple(self.forms[f] for f in used),
            starts=np.append(first, len(inside)).astype(np.int64),
            concepts=moved[inside],
            ranks=self.ranks[inside],
            counts=self.counts[inside],
            languages=self.languages[inside],
            preferred=self.preferred[inside],
            notation=self.notation[inside],
            language_names=self.language_names,
            exceptions=self.exceptions,
        )

    def terms_of(self, concepts: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the words of many concepts in CSR form; equal keys have equal numbers."""
        order, _ = self._by_concept
        keys = list(self.keys)
        number = np.cumsum([0, *(a != b for a, b in pairwise(keys))]) if keys else np.empty(0, np.int64)
        words = order[~self.notation[order]]
        starts = np.searchsorted(self.concepts[words], np.arange(int(concepts.max(initial=-1)) + 2))
        return take_rows(starts, number[self.form_of[words]], concepts)
