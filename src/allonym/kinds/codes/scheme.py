"""Codes as values: the levels of a code, how a column writes them, and prefixes that stand for several codes."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np

from allonym.cells import Cells, cell_text, is_missing

CUT = "*"  # ends a prefix that stands for all codes beginning with it
MIN_LETTERS = 5  # in a row, of a word among codes with digits
_STARS = re.compile(r"[\W_]*[*#]+$")
_CROSSES = re.compile(r"(?:[\W_]*[xX])+$")
_SEGMENT = re.compile(r"[^\W_]+")
_WORD = re.compile(rf"[^\W\d_]{{{MIN_LETTERS},}}")


@dataclass(frozen=True, order=True)
class Code:
    """A code by its levels, from the most general on; or a prefix, which stands for all codes that begin with it."""

    levels: tuple[str, ...]
    is_prefix: bool = False

    def __str__(self) -> str:
        """Return the levels of a code; a prefix ends with a star."""
        return ".".join(self.levels) + CUT * self.is_prefix


@dataclass(frozen=True, eq=False)
class CodeScheme:
    """How the codes of a column are read and written.

    Letters and digits are the levels; case and separators make no difference. Where numbers of different lengths stand
    before a separator (1.2.1, 1.12.3), each number is a level. Whole numbers that most often have the same length have
    lost their leading zeros, which count. A word among codes with digits is no code.

    >>> scheme = CodeScheme.of(["SW1A 1AA", "sw1a1aa", "M1 1AE"])
    >>> scheme.read("sw1A-1aa") == scheme.read("SW1A 1AA"), scheme.write(Code(("S", "W"), True))
    (True, 'SW*')
    """

    texts: Mapping[str, int] = field(repr=False)  # of the column, with their counts
    numbered: bool = False  # whether every number between separators is a level
    width: int = 0  # of whole numbers without their leading zeros
    has_digits: bool = True  # whether most codes have digits

    @classmethod
    def of(
        cls, values: Iterable[object], counts: Iterable[int] | None = None, missing: Sequence[str] = ()
    ) -> CodeScheme:
        """Return the scheme of the distinct cells of a column."""
        cells = list(values)
        numbers = [1] * len(cells) if counts is None else list(counts)
        present = [(cell, count) for cell, count in zip(cells, numbers, strict=True) if not is_missing(cell, missing)]
        texts: Counter[str] = Counter()
        for cell, count in present:
            texts[cell_text(cell)] += count
        with_digits = sum(any(map(str.isdigit, text)) for text in texts)
        width = _padded_width([cell for cell, _ in present], list(texts))
        return cls(texts, _is_numbered(texts), width, with_digits * 2 > len(texts))

    @classmethod
    def of_cells(cls, cells: Cells, missing: Sequence[str]) -> CodeScheme:
        """Return the scheme of a column."""
        return cls.of(cells.values, cells.counts.tolist(), missing)

    def read(self, text: str) -> Code | str | None:
        """Return the code or prefix that a text is; null, if all was cut; the text itself, if it is no code.

        >>> CodeScheme.of(["98101", "98102"]).read("981**")
        Code(levels=('9', '8', '1'), is_prefix=True)
        """
        plain = unicodedata.normalize("NFKC", text).strip()
        stars = _STARS.search(plain)
        levels = self._levels(plain[: stars.start()]) if stars else self._levels(plain, self.width)
        if stars and not levels:
            return None
        if not levels or (self.has_digits and _WORD.search(plain) and not any(map(str.isdigit, plain))):
            return text.strip()
        return Code(levels, bool(stars))

    def read_released(self, text: str) -> Code | str | None:
        """Return the code or prefix that a text of a release is; crosses (981xx) may stand for what was cut.

        >>> CodeScheme.of(["98101", "98102"]).read_released("981xx")
        Code(levels=('9', '8', '1'), is_prefix=True)
        """
        crosses = _CROSSES.search(text.strip())
        if crosses and text not in self.texts:
            prefix = self._levels(text.strip()[: crosses.start()])
            if prefix in self._spellings:
                return Code(prefix, is_prefix=True)
        return self.read(text)

    def write(self, code: Code) -> str:
        """Return a code as the column writes it: its separators, its case, and one star for what was cut.

        >>> CodeScheme.of(["e11.9", "e11.65"]).write(Code(("E", "1", "1", "6"), True))
        'e11.6*'
        """
        text = self._spellings.get(code.levels) or ".".join(code.levels) if self.numbered else self._spelling(code)
        if not code.is_prefix:
            return text
        return f"{text}{self._separator}{CUT}" if self.numbered else f"{text}{CUT}"

    def _spelling(self, code: Code) -> str:
        text = self._spellings.get(code.levels) or "".join(code.levels)
        return text.lower() if self._is_lower else text.upper()

    def _levels(self, text: str, width: int = 0) -> tuple[str, ...]:
        segments = _SEGMENT.findall(text.upper())
        return tuple(segments if self.numbered else "".join(segments).zfill(width))

    @cached_property
    def _is_lower(self) -> bool:
        """Whether more codes have small letters than capitals."""
        small = sum(n for text, n in self.texts.items() if text != text.upper())
        large = sum(n for text, n in self.texts.items() if text != text.lower())
        return small > large

    @cached_property
    def _separator(self) -> str:
        """The most frequent character between the numbers of codes."""
        found = Counter(x for text in self.texts for x in text if not x.isalnum() and not x.isspace())
        return min(found, key=lambda x: (-found[x], x), default=".")

    @cached_property
    def _spellings(self) -> Mapping[tuple[str, ...], str]:
        """How most codes that begin with some levels write them, separators included; of equals, the first text."""
        found: dict[tuple[str, ...], Counter[str]] = {}
        for text, count in self.texts.items():
            code = self.read(text)
            if isinstance(code, Code):
                for levels, spelled in zip(accumulate((x,) for x in code.levels), self._beginnings(text), strict=False):
                    found.setdefault(levels, Counter())[spelled] += count
        return {levels: min(texts, key=lambda x: (-texts[x], x)) for levels, texts in found.items()}

    def _beginnings(self, text: str) -> list[str]:
        """Return the beginnings of a text that end with each of its levels."""
        plain = unicodedata.normalize("NFKC", text).strip()
        if self.numbered:
            return [plain[: x.end()] for x in _SEGMENT.finditer(plain)]
        plain = plain.zfill(self.width) if self.width else plain
        return [plain[: i + 1] for i, x in enumerate(plain) if x.isalnum()]


def _padded_width(cells: Sequence[object], texts: Sequence[str]) -> int:
    """Return the length of whole numbers, if more than half have it and none is longer; 0, if cells are text."""
    whole = cells and all(isinstance(x, (int, np.integer)) or (isinstance(x, float) and x.is_integer()) for x in cells)
    if not whole or not all(x.isdigit() for x in texts):
        return 0
    width = max(map(len, texts))
    return width if sum(len(x) == width for x in texts) * 2 > len(texts) else 0


def _is_numbered(texts: Iterable[str]) -> bool:
    """Tell whether numbers of different lengths stand before a separator, at the same place of the codes.

    >>> _is_numbered(["1.2.1", "1.12.3"]), _is_numbered(["E11.9", "E11.65"]), _is_numbered(["11-1011", "29-1141"])
    (True, False, False)
    """
    widths: dict[int, int] = {}
    for text in texts:
        for place, segment in enumerate(_SEGMENT.findall(text)[:-1]):
            if segment.isdigit() and widths.setdefault(place, len(segment)) != len(segment):
                return True
    return False
