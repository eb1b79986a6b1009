"""Codes: texts and numbers that stand for something in a list elsewhere, and have no mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from allonym.errors import TableError
from allonym.kinds.category import Category
from allonym.kinds.numeric import Numeric
from allonym.kinds.proposal.evidence import Evidence
from allonym.kinds.proposal.profile import ColumnProfile, Proposal
from allonym.kinds.proposal.vocabulary import names_of
from allonym.kinds.registry import CODES, DATES, kind_named

MOST = 0.95  # share of the values and of the cells that must have a shape
MAX_LETTERS = 4  # in a row, in a code with digits
MIN_CHARACTERS = 3  # letters and digits of a code that has levels
MAX_PARTS = 2  # between blanks, of a code that has levels
MIN_CODES = 20  # values of a column of codes with levels, unless its name announces codes
MAX_LISTED = 100  # whole numbers of a list that the name of a column announces
MAX_ANSWERS = 12  # whole numbers that are the answers of a survey
MISSING_CODES = frozenset({7, 8, 9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 7777, 8888, 9997, 9998, 9999})
NUMBERS = frozenset({"n", "num", "nbr", "number"})  # in a name: a precinct number is a code all the same
LABELS = frozenset({"number", "nr", "no"})  # at the end of a name
IDS = LABELS | {"id", "ids"}  # at the end of a name: numbers that count things, in no hierarchy
GAP = 3  # between the answers and the codes for missing ones, as a multiple of the highest answer

_AMOUNT = re.compile(r"\d+([.,]\d+)?\s*[^\W\d_]{1,4}\.?")
_FIRST_NUMBER = re.compile(r"\d+")
_LETTERS = re.compile(rf"[^\W\d_]{{{MAX_LETTERS + 1},}}")
_CODE = re.compile(r"(?=.*\d)[^\W_]+([ ._/#-][^\W_]+){0,3}")
_CAPITALS = re.compile(r"[A-Z]{2,3}")
LEADING_ZERO = re.compile(r"0\d+")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ]\d{1,2}:\d{2}.*)?|\d{1,2}[-/. ](\d{1,2}|[A-Za-z]{3,9})[-/. ]\d{2,4}( \d.*)?"
    r"|[A-Za-z]{3,9}\.? (\d{1,2},? )?\d{4}|\d{4},? [A-Za-z]{3,9}|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]\.?m\.?)?"
)
_DAY = re.compile(r"(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")


def _is_code(text: str) -> bool:
    """Tell whether a text has digits, perhaps with letters, and no word.

    >>> [_is_code(x) for x in ("E11.9", "SW1A 1AA", "85123A", "250.01", "type 2 diabetes", "nurse")]
    [True, True, True, True, False, False]
    """
    return _CODE.fullmatch(text) is not None and _LETTERS.search(text) is None


def _most(column: ColumnProfile, has_shape: Callable[[str], object]) -> bool:
    """Tell whether nearly all values and cells have a shape; of many values, some from all over the column count."""
    texts = column.some
    shaped = [x for x in texts if has_shape(x)]
    cells = sum(column.counts[x] for x in texts)
    return len(shaped) >= MOST * len(texts) and sum(column.counts[x] for x in shaped) >= MOST * cells


def dates(column: ColumnProfile) -> Proposal | None:
    """Propose the kind of dates, also for days written as numbers, such as 20200131; times are categories."""
    shape, kind = _DATE if column.numbers is None else _DAY, kind_named(DATES)
    if not kind.recognises(column.cells, column.missing) and not _most(column, shape.fullmatch):
        return None
    evidence = column.distinct, Evidence("dates", "Its values are dates or times.")
    try:
        kind(missing=column.missing).encode(column.name, column.cells)
    except TableError as error:
        return Proposal(Category.name, (*evidence, Evidence("unread-dates", f"They are categories: {error}")))
    return Proposal(kind.name, evidence)


def coded_texts(column: ColumnProfile) -> Proposal | None:
    """Propose the kind of codes for texts of letters and digits, and for abbreviations in capitals."""
    if _most(column, _is_code):
        evidence = Evidence("letters-and-digits", "Its values are codes of letters and digits, not words.")
        return Proposal(_kind_of_codes(column), (column.distinct, evidence))
    if _most(column, _CAPITALS.fullmatch):
        evidence = Evidence("capitals", "Its values are abbreviations in capitals, not words.")
        return Proposal(Category.name, (column.distinct, evidence))
    return None


def _kind_of_codes(column: ColumnProfile) -> str:
    """Return the kind of codes if what begins alike is likely to be alike, as in postcodes; else, categories.

    Such codes are several characters long and, where they begin with a number, it has the same length in most. Numbers
    with a unit (10 km) are none, nor numbers that count things (department_id), nor few values without a name that
    announces codes.
    """
    texts = column.some
    first = [len(number[0]) for text in texts if (number := _FIRST_NUMBER.match(text))]
    shaped = sum(sum(map(str.isalnum, x)) >= MIN_CHARACTERS and len(x.split()) <= MAX_PARTS for x in texts)
    regular = sum(x == max(first) for x in first) * 2 > len(first) if first else True
    many = len(column.counts) >= MIN_CODES or column.is_named("codes")
    counted = column.numbers is not None and bool(column.name_words) and column.name_words[-1] in IDS
    hierarchical = many and regular and not counted and not _most(column, _AMOUNT.fullmatch)
    return CODES if hierarchical and shaped >= MOST * len(texts) else Category.name


def coded_numbers(column: ColumnProfile) -> Proposal | None:
    """Propose the kind of codes, or categories, for whole numbers that have no mean."""
    if column.numbers is None or not column.counts:
        return None
    texts = list(column.counts)
    zeros = sum(LEADING_ZERO.fullmatch(x) is not None for x in texts)
    if zeros and all(x.isdigit() for x in texts):
        text = f"{zeros:,} of {len(texts):,} values begin with a zero, which numbers do not."
        return Proposal(_kind_of_codes(column), (column.distinct, *_width(texts), Evidence("leading-zeros", text)))
    whole = column.whole_numbers
    if whole is not None and len(whole) == 2:
        return Proposal(Category.name, (column.distinct, Evidence("two-numbers", "Two numbers tell two groups apart.")))
    named = _by_name(column)
    listed = None if whole is None or named else _by_list(column, whole) or _by_missing_codes(column, whole)
    if evidence := named or listed:
        kind = _kind_of_codes(column) if named else Category.name
        return Proposal(kind, (column.distinct, *_width(texts), evidence))
    return None


def _width(texts: Sequence[str]) -> list[Evidence]:
    """Return the evidence that all texts have the same number of digits."""
    widths = {len(x) for x in texts}
    if len(widths) > 1 or widths == {1}:
        return []
    return [Evidence("fixed-width", f"Every value has {widths.pop()} digits.")] if all(map(str.isdigit, texts)) else []


def _by_name(column: ColumnProfile) -> Evidence | None:
    """Return the evidence of a name that announces codes; one that ends like a measurement or a count does not."""
    last = column.name_words[-1] if column.name_words else ""
    is_code = _measured(column) <= NUMBERS or names_of("codes").fullmatch(last)
    is_numbered = len(column.name_words) > 1 and last in LABELS  # a house number labels, a number of houses counts
    if not ((column.is_named("codes") and is_code) or is_numbered) or min(column.numbers or [-1]) < 0:
        return None
    return Evidence("name-of-codes", "The name says that its numbers are codes.")


def _by_list(column: ColumnProfile, numbers: Mapping[int, int]) -> Evidence | None:
    """Return the evidence of repeated whole numbers and a name that announces a list."""
    is_list = column.is_named("numbered_lists") and not _measured(column)
    if not (is_list and len(numbers) <= MAX_LISTED and column.is_repeated):
        return None
    return Evidence("name-of-list", "Its whole numbers repeat, and the name says that they number a list.")


def _measured(column: ColumnProfile) -> set[str]:
    """Return the words of a name that say that numbers are measurements or counts."""
    return {x for x in column.name_words if names_of("measured").fullmatch(x)}


def _by_missing_codes(column: ColumnProfile, numbers: Mapping[int, int]) -> Evidence | None:
    """Return the evidence of few small numbers with codes for missing answers (9, 77, 99) far above them."""
    missing = [x for x in numbers if x in MISSING_CODES]
    answers = [x for x in numbers if x not in MISSING_CODES]
    if not missing or not 1 < len(answers) <= MAX_ANSWERS or _measured(column):
        return None
    counts_from_zero = min(missing) < 10 and min(answers) < 1
    if min(answers) < 0 or max(answers) > MAX_ANSWERS or min(missing) <= GAP * max(answers) or counts_from_zero:
        return None
    return Evidence("missing-codes", "It has few small numbers, and codes for missing answers far above them.")


def numbers(column: ColumnProfile) -> Proposal | None:
    """Propose numbers."""
    if column.numbers is None:
        return None
    what = "whole numbers" if column.whole_numbers is not None else "numbers"
    return Proposal(Numeric.name, (column.distinct, Evidence("numbers", f"Its values are {what}.")))
