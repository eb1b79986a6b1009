"""Find the concept of a code, with or without dots, in any case, with marks, or finer than the ontology's codes.

A code has a digit. `E11.9`, `E119`, `e11.9` and `E11.9*` are one code; `E11.-` is the category `E11`. Numbers are codes
only as the ontology writes them: `2.76` is not `276`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import is_negation, words_of
from allonym.ontology.taxonomy import Taxonomy

SAME_CODE, FINER_CODE, DOUBTFUL_CODE = "notation", "finer-code", "doubtful-code"
CODE_REASONS = frozenset({"id", SAME_CODE, FINER_CODE, DOUBTFUL_CODE})
MAX_LETTERS = 200  # of a value with a code
MAX_FINER = 4  # characters by which a code is longer than one of the ontology
MIN_BEFORE_BLANK = 4  # characters of a code before a name, with only a blank between: "T12 fracture" has none
MIN_CHECKED, MAX_CHECKED, MIN_NESTED = 2, 300, 0.9  # codes by which the hierarchy is checked, share below their prefix
COMMON_LETTERS = 5  # at the beginning of words that are the same
_DASHES = re.compile(r"\s*[-‐‑‒–—−]+\s*")
_SEPARATORS = str.maketrans("", "", ".:_ \t\u00a0")
_DIGIT = re.compile("[0-9]")
_BLANK = re.compile(r"^([a-z]{1,4})[ _:]\s*(?=\d)")
_MARKS = re.compile(r"[*†‡+!]+$")
_OPEN_END = re.compile(r"(?:\.?-|\.x{0,4}|x{1,4})$")
_FINER = re.compile(r"[.0-9a-z]+")
_CODE = r"[a-z]{0,4}[:_]?\d[\w.]*[*†‡+!]?"
_NAME = r".*[^\W\d_]{3}.*"
_CODE_AND_NAME = re.compile(rf"[\[(]?(?P<code>{_CODE})(?P<gap>[\])]\W*|\s*[:;,|=]\s*|\s+-\s+|\s+)(?P<name>{_NAME})")
_NAME_AND_CODE = re.compile(rf"(?P<name>{_NAME}?)(?P<gap>\s*[\[(])(?P<code>{_CODE})[\])]")


class CodeMatch(NamedTuple):
    """A concept whose code a value is, or has."""

    concept: int
    reason: str


class CodeIndex:
    """The codes of a taxonomy by their letters and digits.

    >>> from allonym.ontology.lexicon import Entry, Lexicon
    >>> codes = Lexicon.build([Entry("E11", 0, notation=True), Entry("E11.9", 1, notation=True)])
    >>> index = CodeIndex(Taxonomy.build("small", ["E11", "E11.9"], child=[1], parent=[0], lexicon=codes))
    >>> [index.codes(text) for text in ("e119", "E11.-", "E1")]
    [[CodeMatch(concept=1, reason='notation')], [CodeMatch(concept=0, reason='notation')], []]
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy

    @cached_property
    def _by_compact(self) -> dict[str, list[tuple[str, int]]]:
        """Codes as the ontology writes them, with their concepts, by their letters and digits."""
        found: dict[str, list[tuple[str, int]]] = {}
        lexicon = self.taxonomy.lexicon
        entries = np.flatnonzero(lexicon.notation)
        for place, concept in zip(lexicon.form_of[entries].tolist(), lexicon.concepts[entries].tolist(), strict=True):
            form = _plain(lexicon.forms[place])
            if has_digit(form):
                found.setdefault(compact(form), []).append((form, concept))
        return found

    @cached_property
    def _has_dots(self) -> bool:
        return any("." in form for forms in self._by_compact.values() for form, _ in forms)

    @cached_property
    def _width(self) -> int:
        """The number of digits of all codes that are numbers; 0, if it differs."""
        widths = {len(code) for code in self._by_compact if code.isdecimal()}
        return widths.pop() if len(widths) == 1 else 0

    @classmethod
    def of(cls, taxonomy: Taxonomy) -> CodeIndex | None:
        """Return the index of a taxonomy, which is kept with its lexicon; None if it has no codes."""
        cache = taxonomy.lexicon.cache
        if "codes" not in cache:
            cache["codes"] = cls(taxonomy) if taxonomy.lexicon.notation.any() else None
        index: CodeIndex | None = cache["codes"]
        return index

    def find(self, value: str, language: Language) -> list[CodeMatch]:
        """Return the concepts of a value that is a code, or a code with a name beside it."""
        if len(value) > MAX_LETTERS or not has_digit(value):
            return []
        return self.codes(value) or self._with_name(_plain(value), language)

    def codes(self, value: str) -> list[CodeMatch]:
        """Return the concepts of a value that is nothing but a code."""
        text = _BLANK.sub(r"\1", _plain(value).strip("()[]"))
        if not has_digit(text) or " " in text:
            return []
        for form in _without_ends(text):
            if concepts := self._same(form):
                return [CodeMatch(c, SAME_CODE) for c in concepts]
        return self._finer(_MARKS.sub("", text)) if self._is_nested else []

    def _same(self, text: str) -> list[int]:
        """Return the concepts of a code; as it is written in the ontology, else with other separators."""
        forms = self._by_compact.get(compact(text), [])
        if not forms and self._width and text.isdecimal() and text[0] != "0":
            forms = self._by_compact.get(text.zfill(self._width), [])  # a spreadsheet dropped the zeros
            return list(dict.fromkeys(c for _, c in forms))
        exact = [c for form, c in forms if form == text]
        return list(dict.fromkeys(exact or [c for form, c in forms if self._is_variant(text, form)]))

    def _is_variant(self, text: str, form: str) -> bool:
        """Tell whether two codes with the same letters and digits are one."""
        if "." not in text:
            return has_letter(text) or (text.isdecimal() and form.find(".") >= 2)  # "11" is not "1.1"
        return has_letter(text) and (not self._has_dots or _dots(text) == _dots(form))

    def _finer(self, text: str) -> list[CodeMatch]:
        """Return the concept whose code is the longest beginning of a text."""
        if not has_letter(text) and text.count(".") < 2:  # a number
            return []
        for end in range(len(text) - 1, max(len(text) - MAX_FINER - 2, 1), -1):
            rest, begin = text[end:].lstrip("."), text[:end].rstrip(".")
            if len(rest) > MAX_FINER or not _FINER.fullmatch(rest) or not has_digit(begin):
                continue
            if not has_letter(text) and "." not in begin:
                return []
            if concepts := self._same(begin):
                is_leaf = all(self.taxonomy.is_leaf[c] for c in concepts)
                reason = FINER_CODE if is_leaf and rest.isdecimal() else DOUBTFUL_CODE
                return [CodeMatch(c, reason) for c in concepts]
        return []

    @cached_property
    def _is_nested(self) -> bool:
        """Tell whether longer codes are below the codes that they begin with, as a rule."""
        checked = nested = 0
        every = list(self._by_compact)
        for code in every[:: len(every) // MAX_CHECKED + 1]:
            shorter = next((x for n in range(len(code) - 1, 0, -1) if (x := code[:n]) in self._by_compact), None)
            if shorter is not None and "-" not in code:
                above = {c for _, c in self._by_compact[shorter]}
                checked += 1
                nested += any(not above.isdisjoint(self.taxonomy.subsumers(c)) for _, c in self._by_compact[code])
        return checked >= MIN_CHECKED and nested >= MIN_NESTED * checked

    def _with_name(self, text: str, language: Language) -> list[CodeMatch]:
        """Return the concepts of a code at the beginning of a name, or in brackets after it.

        If no word of the name is one of the concept's, the code is doubtful. A negation counts as such, unless the
        concept has it too.
        """
        found = _CODE_AND_NAME.fullmatch(text) or _NAME_AND_CODE.fullmatch(text)
        if found is None or not self._stands_apart(found["code"], found["gap"]):
            return []
        matches = self.codes(found["code"])
        agreeing = [x for x in matches if self._agrees(x.concept, found["name"], language)]
        if not has_letter(found["code"]) or agreeing:
            return agreeing
        if any(is_negation(word, language) for word in words_of(found["name"])):
            return []
        return [CodeMatch(x.concept, DOUBTFUL_CODE) for x in matches]

    @staticmethod
    def _stands_apart(code: str, gap: str) -> bool:
        return bool(gap.strip()) or (has_letter(code) and len(compact(code)) >= MIN_BEFORE_BLANK)

    def _agrees(self, concept: int, name: str, language: Language) -> bool:
        own = {word for term in self.taxonomy.lexicon.terms(concept) for word in words_of(term)}
        words = words_of(name)
        if any(is_negation(word, language) and word not in own for word in words):
            return False
        begins = {word[:COMMON_LETTERS] for word in own if len(word) > 3}
        return any(word[:COMMON_LETTERS] in begins for word in words if len(word) > 3)


def compact(code: str) -> str:
    """Return a code without separators.

    >>> compact("e11.9"), compact("hp:0000819")
    ('e119', 'hp0000819')
    """
    return code.translate(_SEPARATORS)


def has_letter(code: str) -> bool:
    """Tell whether a code is no number."""
    return any(map(str.isalpha, code))


def has_digit(code: str) -> bool:
    """Tell whether a text may be a code."""
    return _DIGIT.search(code) is not None


def _plain(text: str) -> str:
    if text.isalnum() and text.isascii():
        return text.lower()
    return _DASHES.sub(_dash, text.strip().casefold())


def _dash(found: re.Match[str]) -> str:
    """Write a dash without blanks between codes, and with them elsewhere."""
    before, after = found.string[: found.start()], found.string[found.end() :]
    between_codes = before[-1:].isdigit() and re.match(r"[a-z]*\d", after)
    return " - " if after and found[0] != found[0].strip() and not between_codes else "-"


def _without_ends(text: str) -> Iterator[str]:
    """Yield a code as it is, without marks, and without an open end; numbers have neither."""
    yield text
    if has_letter(text):
        marked = _MARKS.sub("", text)
        if marked != text:
            yield marked
        while _OPEN_END.search(marked):
            marked = _OPEN_END.sub("", marked)
            yield marked


def _dots(code: str) -> list[int]:
    """Return how many letters and digits stand before each dot."""
    return [len(compact(code[:place])) for place, character in enumerate(code) if character == "."]
