"""Whether a column identifies people by itself: its cells are shaped like identifiers, are names, or all differ.

How sure that is decides what keeping the column requires: a confirmation, where its cells are identifiers; that it is
named, where nearly all of its texts or whole numbers differ; a caution, where it may be a measurement.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.cells import MISSING, Cells, cell_text, is_missing
from allonym.kinds.identifiers.patterns import pattern_of
from allonym.kinds.identifiers.person_names import are_given_names, are_person_names
from allonym.kinds.numbers import to_number
from allonym.ontology.lexicon import key

CONFIRMATION, NAMING, CAUTION = "confirmation", "naming", "caution"  # what keeping a column requires, strictest first
MAX_TEXTS = 1000  # distinct texts whose shape is compared
NEARLY = 0.9  # share of rows that have different values in a column that identifies nearly every row
NEARLY_ALL = 0.95  # share of the texts that are numbers in a column that has an order
MIN_ROWS = 20  # of which that can be said
MIN_ROWS_BY_NAME = 5  # where the name of the column says that it identifies
ROWS_PER_PERSON = 5  # on average, at most; values that more rows share are rather categories
MAX_CATEGORIES = 100
MIN_NAMES = 20  # different ones in a column that is named like names of persons, however many rows share them
HEAPED = 0.2  # share of whole numbers that end in 0 in a column of measurements; 0.1 by chance

IDENTIFIER_NAME = re.compile(
    r"(^|[_\W])(id|nr|no|number|key|uuid|e?-?mail|phone|mobile|fax|address|ssn|iban|passport|licen[cs]e)$|names?$|^(id|nr|uuid)",
    re.I,
)
PERSON = re.compile(
    r"(person|patient|customer|visitor|client|member|user|household|respondent|subject|student|employee|passenger|applicant"
    r"|participant)(?!s)",  # their plural is rather a number of them
    re.I,
)
_WHOSE_NAME = (
    "sur|last|family|full|maiden|first|given|middle|fore|nick|user|person|patient|customer|client|officer|driver|employee"
    "|student|doctor|physician|nurse|owner|contact|member|teacher|passenger|applicant|spouse|father|mother"
)
PERSON_NAME = re.compile(
    rf"^(first|last)$|(^|[_\W])(ssn|social.?security.*|passport.*|e-?mail.*|(tele)?phone.*|mobile.*|iban|({_WHOSE_NAME}).?names?|[fl]name|username|login"
    r"|vin|mrn|npi|medical.?record.*|licen[cs]e(.?(no|nr|num|number|plate))?|(number.?)?plate(.?(no|nr|num|number))?"
    r"|(account|acct|policy|card|permit).?(no|nr|num|number|id)|(badge|ticket)(.?(no|nr|num|number|id))?)$",
    re.I,
)
NAME = re.compile(r"names?[_\W]?\d*$", re.I)
MEASURED_NAME = re.compile(
    r"income|salary|wage|earning|amount|price|cost|spen[dt]|debt|revenue|turnover|balance|weight|height|length|distance"
    r"|duration|score|steps|population|area|(^|[_\W])age($|[_\W])",
    re.I,
)  # of measurements, which whole numbers may be
_ISO_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}.*)?")
_MOMENT = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2})?(\.\d+)?")


@dataclass(frozen=True)
class Identification:
    """Why a column identifies people, and what keeping it requires."""

    reason: str  # follows "the column", without cells of the data
    requires: str  # CONFIRMATION, NAMING or CAUTION


@dataclass(frozen=True, eq=False)
class ColumnSample:
    """The cells of a column in all rows of a table, or in some from all over it."""

    name: str
    cells: Cells
    missing: Sequence[str] = MISSING
    count_distinct: Callable[[], tuple[int, int]] | None = None  # rows and distinct cells of the whole table

    @cached_property
    def texts(self) -> list[str | None]:
        """The distinct cells as text, None where a value is missing or does not occur."""
        missing = frozenset(self.missing)
        return [
            None if not count or is_missing(cell, missing) else text_of(cell)
            for cell, count in zip(self.cells.values, self.cells.counts.tolist(), strict=True)
        ]

    @cached_property
    def present(self) -> list[str]:
        """The distinct texts that occur."""
        return list(dict.fromkeys(x for x in self.texts if x is not None))

    @cached_property
    def rows(self) -> int:
        """The number of rows in which a value is present."""
        kept = np.array([x is not None for x in self.texts], bool)
        return int(self.cells.counts[kept].sum()) if len(kept) else 0

    @cached_property
    def codes(self) -> Ints:
        """The text of each row by its place in `present`, -1 where it is missing."""
        place = {text: i for i, text in enumerate(self.present)}
        code_of = np.array([-1 if x is None else place[x] for x in self.texts], np.int64)
        return code_of[self.cells.codes] if len(code_of) else np.zeros(0, np.int64)

    @cached_property
    def some(self) -> list[str]:
        """At most `MAX_TEXTS` of the distinct texts, from all over the column."""
        return self.present[:: max(1, -(-len(self.present) // MAX_TEXTS))]

    @cached_property
    def numbers(self) -> list[float | None]:
        """The distinct texts that occur as numbers."""
        return [to_number(x) for x in self.present]

    @cached_property
    def canonical(self) -> list[str | float]:
        """The distinct texts that occur; those that differ in case, blanks or the notation of a number are equal."""
        return [key(x) if number is None else number for x, number in zip(self.present, self.numbers, strict=True)]

    @cached_property
    def different(self) -> frozenset[str | float]:
        """The canonical texts, each once."""
        return frozenset(self.canonical)

    @cached_property
    def ordered(self) -> Floats | None:
        """The distinct texts as numbers in their order, if they are numbers, or dates as ISO 8601 writes them."""
        numbers = np.array([np.nan if x is None else x for x in self.numbers], np.float64)
        if np.isnan(numbers).mean() <= 1 - NEARLY_ALL:
            return numbers
        if all(_ISO_DATE.fullmatch(x) for x in self.present):
            return np.argsort(np.argsort(np.array(self.present))).astype(np.float64)
        return None

    @property
    def rare(self) -> bool:
        """Whether few rows share a value, or there are more values than categories are likely to have."""
        return self.rows < ROWS_PER_PERSON * max(len(self.present), 1) or len(self.present) > MAX_CATEGORIES

    @cached_property
    def nearly_unique(self) -> bool:
        """Whether nearly all rows of the table differ in the column."""
        if len(self.present) < NEARLY * self.rows:
            return False
        if self.count_distinct is None:
            return True
        rows, distinct = self.count_distinct()
        return distinct >= NEARLY * rows


def text_of(cell: Any) -> str:
    """Return a cell as text without surrounding blanks; the items of a list are joined."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, (datetime.date, datetime.time)):
        return cell.isoformat()
    return "; ".join(map(cell_text, cell)) if isinstance(cell, tuple) else cell_text(cell).strip()


def identification_of(column: ColumnSample) -> Identification | None:
    """Return why a column identifies people; None where nothing says so.

    >>> mails = Cells(["ann@example.org", "bob@example.org"], np.array([0, 1, 0]))
    >>> identification_of(ColumnSample("contact", mails))
    Identification(reason='holds e-mail addresses', requires='confirmation')
    """
    return _by_content(column) or _by_uniqueness(column) if column.present else None


def _by_content(column: ColumnSample) -> Identification | None:
    pattern = pattern_of(column.some)
    if pattern is not None and (pattern.personal or column.rare):
        return Identification(f"holds {pattern.name}", CONFIRMATION)
    if column.rare and (are_person_names(column.some) or (NAME.search(column.name) and are_given_names(column.some))):
        return Identification("holds names of persons", CONFIRMATION)
    several = column.rare or (NAME.search(column.name) and len(column.present) >= MIN_NAMES)
    if PERSON_NAME.search(column.name) and several and len(column.present) > 1:
        return Identification("is named like an identifier of persons", NAMING)
    return None


def _by_uniqueness(column: ColumnSample) -> Identification | None:
    named = bool(IDENTIFIER_NAME.search(column.name))
    if column.rows < (MIN_ROWS_BY_NAME if named else MIN_ROWS) or not column.nearly_unique:
        return None
    if named:
        return Identification("is named like an identifier, and nearly every row has a value of its own", NAMING)
    if are_measurements(column.some, named=bool(MEASURED_NAME.search(column.name))):
        return Identification("has a value of its own in nearly every row", CAUTION)
    return Identification("has a value of its own in nearly every row, like an identifier", NAMING)


def are_measurements(texts: Sequence[str], *, named: bool = False) -> bool:
    """Tell whether distinct texts are measurements or points in time, which differ without being identifiers.

    Numbers with decimals are measurements. Whole numbers are if they are `named` like measurements, or end in 0 more
    often than numbers of a register do.

    >>> [are_measurements(x) for x in (["1.25", "3.5"], ["1200", "950", "1280"], ["17", "18", "19"])]
    [True, True, False]
    """
    if sum(map(bool, map(_MOMENT.fullmatch, texts))) >= NEARLY * len(texts):
        return True
    numbers = [to_number(x.replace(",", ".")) for x in texts]
    found = [x for x in numbers if x is not None]
    if len(found) < NEARLY * len(texts):
        return False
    whole = [x for x in found if x.is_integer()]
    if named or len(whole) < NEARLY * len(found):
        return True
    return sum(x % 10 == 0 for x in whole) >= HEAPED * len(whole)
