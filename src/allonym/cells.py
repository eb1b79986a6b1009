"""The cells of a column: its distinct values, and a code for every row."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, count_by, distinct

MISSING = (
    "",
    "?",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "<NA>",
    "NULL",
    "Null",
    "null",
    "NaN",
    "nan",
    "-",
    "--",
    ".",
)  # fmt: skip; missing-value markers
MAX_ZEROS = 20  # of a number that are written out
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑](?=[^\W\d_])")
_LAST_PUNCTUATION = re.compile(r"(?<=[^\W\d_])[.,;:!]+$")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column: the distinct ones, and the code of every row."""

    values: Sequence[Any]  # text in files; in frames, what the frame holds; None is null
    codes: Ints
    row_counts: Ints | None = None  # how many rows each row stands for, where equal ones were counted

    @property
    def counts(self) -> Ints:
        """How often each distinct cell occurs."""
        return count_by(self.codes, len(self.values), self.row_counts)

    def missing_rows(self, missing: Sequence[str] = MISSING) -> int:
        """Return the number of rows whose cell is empty, null or a missing-value marker."""
        return int(self.counts[self._is_missing(missing)].sum())

    def repeated_values(self, missing: Sequence[str] = MISSING) -> int:
        """Return the number of values that occur more than once, missing values aside."""
        return int((self.counts[~self._is_missing(missing)] > 1).sum())

    def distinct_values(self, missing: Sequence[str] = MISSING) -> int:
        """Return the number of values that occur, missing values aside."""
        return int((self.counts[~self._is_missing(missing)] > 0).sum())

    def _is_missing(self, missing: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([is_missing(x, missing) for x in self.values], bool)


def _is_boolean(value: Any) -> Any:
    """Tell whether a value is a boolean, item by item in a list: Python takes True and 1 for equal."""
    return tuple(map(_is_boolean, value)) if isinstance(value, tuple) else isinstance(value, bool)


def merged(values: Sequence[Any], codes: Ints, row_counts: Ints | None = None) -> Cells:
    """Give equal values one code, in order of appearance; values that no row has are left out."""
    code_of: dict[Any, int] = {}
    occurs = np.bincount(codes, minlength=len(values)) > 0
    if occurs.all() and {str} >= set(map(type, values)) and len(set(values)) == len(values):
        return Cells(list(values), codes.astype(np.int64), row_counts)
    new_codes = np.array(
        [
            code_of.setdefault((_is_boolean(v), v), len(code_of)) if used else -1
            for v, used in zip(values, occurs, strict=True)
        ],
        np.int64,
    )
    distinct_values = [v for _, v in code_of]
    return Cells(
        distinct_values,
        new_codes[codes] if len(distinct_values) < len(values) else codes.astype(np.int64),
        row_counts,
    )


def group_ids_of(columns: Sequence[Cells]) -> Ints:
    """Number the rows of a release so that those with equal text have one number."""
    return distinct([by_text(cells).codes for cells in columns])[0]


def by_text(cells: Cells) -> Cells:
    """Return cells in which equal texts are one value."""
    return merged([None if x is None else str(x) for x in cells.values], cells.codes, cells.row_counts)


def cell_text(cell: Any) -> str:
    """Return a cell as text, the same whichever type its table gives it.

    >>> cell_text(1.0), cell_text(1), cell_text(True), cell_text("01")
    ('1', '1', 'true', '01')
    """
    if isinstance(cell, (bool, np.bool_)):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def comparable_text(cell: Any) -> str:
    """Return the text by which cells are compared where different values or persons are counted.

    Spellings of one value have one such text: it ignores case, blanks, invisible characters, Unicode variants (NFKC)
    and number formats. Groups of records are compared by their exact text instead: an attacker sees the difference.

    >>> [comparable_text(x) for x in ("HIV", " hiv ", "Ｈｉｖ", 7, "7.0", "07", "1,50", "1,500")]
    ['hiv', 'hiv', 'hiv', '7', '7', '7', '1.5', '1,500']
    """
    text = cell_text(cell)
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = "".join(x for x in folded if unicodedata.category(x) != "Cf")
    text = " ".join(text.casefold().split())
    if not text[-1:].isdigit() and text[-1:] != ".":
        return text
    if _DECIMAL_COMMA.fullmatch(text) and not THOUSANDS.fullmatch(text):
        text = text.replace(",", ".")
    return _plain_number(text) if _NUMBER.fullmatch(text) else text


def plain_spelling(text: str) -> str:
    """Return a text that is the same for all spellings of a word that no ontology has.

    It ignores case, blanks, underscores, hyphens between letters, punctuation after the last letter, invisible
    characters and Unicode variants (NFKC). Signs and the notation of numbers count: they may be codes.

    >>> {plain_spelling(x) for x in ("Full-time", "full time", "FULL_TIME ", "Full time.")}
    {'full time'}
    >>> [plain_spelling(x) for x in ("A-", "A+", "01", "1.0", "1-2", "?")]
    ['a-', 'a+', '01', '1.0', '1-2', '?']
    """
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = "".join(x for x in folded if unicodedata.category(x) != "Cf")
    words = _HYPHEN.sub(" ", text.casefold().replace("_", " ")).split()
    return _LAST_PUNCTUATION.sub("", " ".join(words))


def united_spellings(texts: Sequence[str | None], counts: Ints) -> dict[str, str]:
    """Return for every text the most frequent spelling of it; the first in the order of texts of equals.

    >>> united_spellings(["Full-time", "full time", None, "part"], np.array([2, 5, 1, 1]))
    {'Full-time': 'full time', 'full time': 'full time', 'part': 'part'}
    """
    keys = {text: plain_spelling(text) for text in texts if text is not None}
    best: dict[str, tuple[int, str]] = {}
    for text, count in zip(texts, counts.tolist(), strict=True):
        if text is not None:
            best[keys[text]] = min(best.get(keys[text], (0, text)), (-count, text))
    return {text: best[key][1] for text, key in keys.items()}


def _plain_number(text: str) -> str:
    """Return one notation of a number, exactly."""
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    whole = "".join(map(str, digits)).lstrip("0")
    short = whole.rstrip("0")
    exponent += len(whole) - len(short)
    if not short:
        return "0"
    minus = "-" if sign else ""
    if 0 <= exponent <= len(short) + MAX_ZEROS:
        return f"{minus}{short}{'0' * exponent}"
    if -len(short) - MAX_ZEROS <= exponent < 0:
        padded = short.zfill(1 - exponent)
        return f"{minus}{padded[:exponent]}.{padded[exponent:]}"
    return f"{minus}{short}e{exponent}"


def first_places(keys: Sequence[Hashable]) -> Ints:
    """Return for every key the place of the first that equals it.

    >>> first_places(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    place: dict[Hashable, int] = {}
    return np.array([place.setdefault(key, i) for i, key in enumerate(keys)], np.int64)


def united_codes(cells: Cells) -> Ints:
    """Return a code for every row that is the same for all spellings of a cell, without gaps."""
    values = cells.values
    if all(type(x) is int for x in values):
        return cells.codes
    first = first_places([comparable_text(x) for x in values])
    return (np.cumsum(first == np.arange(len(first))) - 1)[first][cells.codes]


def is_missing(cell: Any, missing: Collection[str] = MISSING) -> bool:
    """Tell whether a cell is empty, null or a missing-value marker."""
    return cell is None or cell == "" or (isinstance(cell, str) and cell in missing)


def text_counts(cells: Cells, missing: Sequence[str] = MISSING) -> Counter[str]:
    """Return the texts of a column with their counts, without missing values."""
    counts: Counter[str] = Counter()
    for cell, count in zip(cells.values, cells.counts.tolist(), strict=True):
        if not is_missing(cell, missing):
            counts[str(cell)] += count
    return counts
