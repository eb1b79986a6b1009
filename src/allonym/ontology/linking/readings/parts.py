"""The parts of a value: its words, what separates them, what stands in brackets, and the codes at its ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.spelling_variants import ordinal

# the semantic tags of SNOMED CT
_TAGS = "disorder|finding|situation|procedure|event|morphologic abnormality|body structure|substance|person|occupation"
_TAG = re.compile(rf"\s*\(({_TAGS})\)\s*$", re.IGNORECASE)
_TOKEN = re.compile(r"\d[\d.,]*\+(?!\w)|[()\[\]{}]|[,;:|]|\s[-‐-―]+\s|[-‐-―/\\&+_]+|[^\s()\[\]{},;:|\-‐-―/\\&+_]+")
_OPTIONAL_ENDING = re.compile(  # parent(s), Lehrer(in), latino/a
    r"(?<=\w)\((?:e?s|e?n|in|innen|e|a|o|er|ess)\)|(?<=\w{3})/(?:in|innen|a|o|x|e|e?s)(?!\w)", re.IGNORECASE
)
_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ"
CAMEL = re.compile(rf"(?<=[{_LOWER}]{{2}})(?=[{_UPPER}][{_LOWER}])|(?<=[{_UPPER}])(?=[{_UPPER}][{_LOWER}]{{2}})")
_INITIALS = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{0,3}")  # U.S.A., M.Sc.
_NOT_APPLICABLE = re.compile(r"(?<!\w)n/a(?!\w)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d[\d.,:/]*(?:%|[a-z]{1,3})?[+%]?")
_CODE = re.compile(r"[a-z]{1,3}\d[\w.]*|\d+[a-z]+\d[\w.]*")
_EDGES = ".!?*\"“”„«»‹›<>=~^`´'’‘¿¡·•"
_UNITS = frozenset(
    re.split(
        " ", "% mg mcg µg g kg ml cl dl l oz lb lbs cm mm m km in ft hr hrs h min ct pcs pc pack year years yr yrs"
    )
)

BLANK, HYPHEN, SLASH, AND, CAMEL_CASE, COMMA, DASH, INITIALS = " ", "-", "/", "&", "camel", ",", "dash", "initials"
STEP_OF_GAP = {
    HYPHEN: "hyphen",
    SLASH: "slash",
    AND: "ampersand",
    CAMEL_CASE: "camel-case",
    COMMA: "comma",
    DASH: "dash",
    INITIALS: "initials",
}


@dataclass
class Parts:
    """The words of a value in order; `gaps[i]` separates word i from the one before it."""

    words: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    brackets: list[int] = field(default_factory=list)  # the number of the bracket that a word stands in, or 0
    dotted: set[int] = field(default_factory=set)  # places of words with a full stop

    @classmethod
    def of_words(cls, words: list[str]) -> Parts:
        """Return the parts of a value that has only words and blanks."""
        return cls(words, [BLANK] * len(words), [0] * len(words))

    def add(self, word: str, gap: str, bracket: int) -> None:
        """Add one word as it is written."""
        plain = word.strip(_EDGES) if word[0] in _EDGES or word[-1] in _EDGES else word
        if not plain:
            return
        if "." in word:
            if "." in plain and _INITIALS.fullmatch(plain):
                plain = plain.replace(".", "")
            elif word[-1] == ".":
                self.dotted.add(len(self.words))
        self.words.append(plain.replace("’", "'").replace("‘", "'").casefold())
        self.gaps.append(gap)
        self.brackets.append(bracket)

    def with_joined_initials(self) -> Parts:
        """Return the parts with one word for single letters that follow each other: "U S A" is "usa"."""
        letter = [len(word) == 1 and word.isalpha() for word in self.words]
        joined = Parts()
        for i, word in enumerate(self.words):
            if i and letter[i] and letter[i - 1] and self.gaps[i] == BLANK and self.brackets[i] == self.brackets[i - 1]:
                joined.words[-1] += word
                joined.gaps[-1] = INITIALS if joined.gaps[-1] == BLANK else joined.gaps[-1]
                continue
            if i in self.dotted:
                joined.dotted.add(len(joined.words))
            joined.words.append(word)
            joined.gaps.append(self.gaps[i])
            joined.brackets.append(self.brackets[i])
        return joined

    @property
    def has_brackets(self) -> bool:
        """Whether a word stands in brackets."""
        return any(self.brackets)

    def outside(self) -> list[int]:
        """Return the places of the words outside brackets."""
        return [i for i, bracket in enumerate(self.brackets) if not bracket]

    def text(self, places: Sequence[int]) -> str:
        """Return some words as a text."""
        return " ".join([self.words[i] for i in places])


def parts_of(value: str) -> Parts:
    """Split a value into its parts.

    >>> parts_of("InternalMedicine/ob-gyn (clinic)").words
    ['internal', 'medicine', 'ob', 'gyn', 'clinic']
    """
    text = value if value.isascii() else unicodedata.normalize("NFKC", value)
    if "(" in text or "/" in text:
        text = _OPTIONAL_ENDING.sub("", _NOT_APPLICABLE.sub("na", text))
    if text.rstrip().endswith(")"):
        text = _TAG.sub("", text) or text
    parts = Parts()
    gap, depth, bracket = BLANK, 0, 0
    for token in _TOKEN.findall(text):
        first = token[0]
        if first in "([{":
            depth += 1
            bracket += depth == 1
        elif first in ")]}":
            depth = max(depth - 1, 0)
        elif first in ",;:|":
            gap = COMMA if first in ",;" else DASH
        elif first.isspace():
            gap = DASH
        elif first in "-‐‑‒–—―/\\&+_":
            gap = _gap(first)
            if gap == AND and parts.words:
                parts.add("and", AND, bracket if depth else 0)
                gap = BLANK
        else:
            for i, piece in enumerate(CAMEL.split(token)):
                parts.add(piece, CAMEL_CASE if i else gap, bracket if depth else 0)
            gap = BLANK
    return parts


def _gap(sign: str) -> str:
    if sign in "/\\":
        return SLASH
    if sign in "&+":
        return AND
    return BLANK if sign == "_" else HYPHEN


@dataclass
class Trimmed:
    """The places of the words that are left without the codes, numbers and residual words at both ends."""

    places: list[int]
    steps: list[str] = field(default_factory=list)
    without_meaning: set[int] = field(default_factory=set)  # places of phrases like "not otherwise specified"


def trim(parts: Parts, places: list[int], language: Language) -> Trimmed:
    """Leave out codes, numbers and residual words at both ends of a value.

    >>> from allonym.ontology.linking.languages import language
    >>> parts = parts_of("0123 - Nurse, unspecified")
    >>> trimmed = trim(parts, parts.outside(), language("en"))
    >>> parts.text(trimmed.places), trimmed.steps
    ('nurse', ['code', 'residual'])
    """
    trimmed = Trimmed(list(places))
    left = trimmed.places
    while len(left) > 1 and (dropped := _at_start(parts, left, language)):
        trimmed.steps.append(dropped[0])
        del left[: dropped[1]]
    while len(left) > 1 and (dropped := _at_end(parts, left, language)):
        trimmed.steps.append(dropped[0])
        if dropped[0] == "residual":
            trimmed.without_meaning.update(left[-dropped[1] :])
        del left[-dropped[1] :]
    trimmed.steps = list(dict.fromkeys(trimmed.steps))
    return trimmed


def is_number(word: str) -> bool:
    """Tell whether a word is a number or an amount, and no ordinal.

    >>> [is_number(word) for word in ("12", "1.5", "500mg", "30+", "2nd", "b12")]
    [True, True, True, True, False, False]
    """
    return (word[0].isdigit() or word[0] in "+-") and _NUMBER.fullmatch(word) is not None and not ordinal(word)


def _at_start(parts: Parts, left: list[int], language: Language) -> tuple[str, int] | None:
    word, following = parts.words[left[0]], parts.words[left[1]]
    if word in language.residual:
        return "residual", 1
    if is_number(word):
        if following in _UNITS and len(left) > 2:
            return "number", 2
        separated = parts.gaps[left[1]] in (DASH, COMMA) or left[0] in parts.dotted
        return ("code" if separated or (len(word) > 2 and word.isdigit()) else "number"), 1
    if _CODE.fullmatch(word):
        return "code", 1
    return None


def _at_end(parts: Parts, left: list[int], language: Language) -> tuple[str, int] | None:
    words = [parts.words[i] for i in left[-4:]]
    for n in (3, 2):
        if len(left) > n and " ".join(words[-n:]) in language.residual_phrases:
            return "residual", n
    if words[-1] in language.residual:
        return "residual", 1
    if words[-1] in _UNITS and len(left) > 2 and is_number(words[-2]):
        return "number", 2
    single_letter = len(words[-1]) == 1 and words[-1].isalpha()
    if single_letter or is_number(words[-1]) or _CODE.fullmatch(words[-1]):
        with_classifier = len(left) > 2 and words[-2] in language.classifiers
        return "number", 2 if with_classifier else 1
    return None
