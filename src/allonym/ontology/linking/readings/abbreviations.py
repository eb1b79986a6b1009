"""Abbreviations and what they stand for: a list per language, the lists of users, and the words of a column.

A list is a CSV file with the columns `short`, `long` and optionally `field`. A short form may have several rows; the
first is the most likely. The fields of a column's other abbreviations decide among several long forms.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path

from allonym.decoding import decode
from allonym.errors import OptionError
from allonym.ontology.lexicon import key

SHORT, LONG, FIELD = "short", "long", "field"
MAX_EVIDENCE = 400  # words of a column with the same first letter that may explain an abbreviation
MAX_FROM_COLUMN = 3
MIN_SHORT, MIN_PREFIX = 3, 4  # letters of an abbreviation that only the column explains: without vowels, any
_SIGN = re.compile(r"[/&.'+-]")
VOWELS = frozenset("aeiouyäöüàâáãéèêëíìîïóòôõúùû")


@cache
def bundled(code: str) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Return the abbreviations of a language: long forms with their fields, most likely first."""
    file = Path(__file__).parents[2] / "data" / f"abbreviations.{code}.csv"
    return _grouped(file.read_text("utf-8")) if file.is_file() else {}


def read_abbreviations(path: Path) -> dict[str, tuple[str, ...]]:
    """Read a list of abbreviations from a CSV file with the columns `short` and `long`.

    Raises:
        OptionError: the file cannot be read, or it lacks a column.
    """
    try:
        text = decode(path.read_bytes())
    except OSError as error:
        raise OptionError(f"Abbreviations: {path} cannot be read.", hint="check the path.") from error
    header = next(csv.reader(StringIO(text)), [])
    if not {SHORT, LONG} <= {name.strip().lower() for name in header}:
        raise OptionError(
            f"Abbreviations: {path} has no columns `{SHORT}` and `{LONG}`.",
            hint=f"its first line is: {SHORT},{LONG}.",
        )
    return {short: tuple(long for long, _ in longs) for short, longs in _grouped(text).items()}


def _grouped(text: str) -> dict[str, tuple[tuple[str, str], ...]]:
    grouped: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(StringIO(text)):
        cells = {(name or "").strip().lower(): cell or "" for name, cell in row.items() if isinstance(cell, str)}
        short, long = key(cells.get(SHORT, "")), _blanks(cells.get(LONG, ""))
        if short and long:
            grouped.setdefault(short, {}).setdefault(long, cells.get(FIELD, "").strip())
    return {short: tuple(longs.items()) for short, longs in grouped.items()}


def _blanks(long: str) -> str:
    """Return the key of a long form, with blanks for hyphens."""
    return " ".join(key(long).replace("-", " ").split())


class Abbreviations:
    """What the abbreviations of one column stand for.

    Args:
        code: the language of the bundled list.
        own: the abbreviations of a user, which come before the bundled ones.
        column: the words of the column, with the number of values that have them.

    >>> words = Abbreviations("en", column=Counter(["care", "ntwk", "home", "care", "network"]))
    >>> words.listed("mgr"), words.in_column("ntwk")
    (('manager',), ('network',))
    """

    def __init__(
        self, code: str, own: Mapping[str, Sequence[str]] | None = None, column: Counter[str] | None = None
    ) -> None:
        self._own = {
            key(short): tuple(map(_blanks, [longs] if isinstance(longs, str) else longs))
            for short, longs in (own or {}).items()
        }
        self._bundled = bundled(code)
        self._column = column or Counter()
        self._votes = Counter(
            next(iter(fields))
            for word in self._column
            if len(fields := {field for _, field in self._bundled.get(word, ())}) == 1
        )
        del self._votes[""]
        self._sorted = sorted(self._column)
        self._by_letter: dict[str, list[str]] = {}
        for word, _ in self._column.most_common():
            bucket = self._by_letter.setdefault(word[:1], [])
            if len(bucket) < MAX_EVIDENCE:
                bucket.append(word)
        with_signs = sorted((s for s in {**self._bundled, **self._own} if not s.replace(" ", "").isalnum()), key=len)
        patterns = [re.escape(s) + (r"(?![\w/&])" if s[-1].isalnum() else "") for s in reversed(with_signs)]
        self._signs = re.compile(rf"(?<![\w/&])(?:{'|'.join(patterns)})", re.IGNORECASE) if patterns else None

    def listed(self, word: str) -> tuple[str, ...]:
        """Return what a listed abbreviation stands for, most likely first."""
        if word in self._own:
            return self._own[word]
        longs = self._bundled.get(word)
        if longs is None:
            return ()
        if len(longs) > 1 and self._column:
            longs = tuple(sorted(longs, key=lambda long: (long[0] not in self._column, -self._votes[long[1]])))
        return tuple(long for long, _ in longs)

    def expand_signs(self, text: str) -> str:
        """Replace abbreviations that contain signs: "w/o" is "without".

        >>> Abbreviations("en").expand_signs("Tea w/o milk")
        'Tea without milk'
        """
        if self._signs is None or not _SIGN.search(text):
            return text
        return self._signs.sub(self._long_form, text)

    def _long_form(self, found: re.Match[str]) -> str:
        listed = self.listed(key(found[0]))
        return (listed[0] if found[0][-1].isalnum() else f"{listed[0]} ") if listed else found[0]

    def in_column(self, word: str) -> tuple[str, ...]:
        """Return the longer words of the column that a word abbreviates, most frequent first.

        A word abbreviates those that start with it, and, if it has no vowel, those that have its letters in order.
        """
        if len(word) < MIN_SHORT or not word.isalpha():
            return ()
        longer = []
        if len(word) >= MIN_PREFIX:
            low, high = bisect_left(self._sorted, word), bisect_left(self._sorted, word + "\U0010ffff")
            longer = [w for w in self._sorted[low:high] if len(w) > len(word) + 2]
        if not VOWELS & set(word):
            longer += [w for w in self._by_letter.get(word[0], ()) if len(w) > len(word) and _is_subsequence(word, w)]
        return tuple(sorted(dict.fromkeys(longer), key=lambda w: (-self._column[w], len(w), w))[:MAX_FROM_COLUMN])


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)
