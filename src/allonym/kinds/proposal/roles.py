"""The role of a column, by its name and by what its cells identify."""

from __future__ import annotations

import re

from allonym.cells import Cells
from allonym.kinds.identifiers import CAUTION, CONFIRMATION, NAMING, ColumnSample, Identification, identification_of
from allonym.kinds.identifiers.detect import IDENTIFIER_NAME, MIN_ROWS, PERSON, PERSON_NAME
from allonym.kinds.proposal.evidence import Evidence
from allonym.kinds.proposal.profile import words_of_name
from allonym.kinds.proposal.vocabulary import names_of

NEARLY_ALL = 0.9  # share of the rows that have a value of their own in a column of identifiers
MANY = 0.5  # share of the rows in a column of persons who may have several rows
SOME = 0.1

PRIVATE = re.compile(
    r"income|salary|wage|spent|spend|amount|price|cost|debt|diagnos|illness|disease|condition|drug|religion|crime", re.I
)
ID = re.compile(r"(person|case|record|row|unit|p|u)?[_\W]?(id|ids|uuid|identifier)", re.I)
HOUSEHOLD = re.compile(
    r"(hh|hhold|household|family|dwelling)[_\W]?(id|ids|uuid|identifier|nr|no|num|number|key|serial)", re.I
)
KEY = re.compile(rf"{ID.pattern}|(person|case|record)?[_\W]?(nr|key|names?)|seqn", re.I)
MIN_IDS = 20  # different ones, however many rows share them
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # begins another word of a name
WEIGHT = re.compile(r"(survey|sampl\w*|design|person|household|final|fnl).?(weight|wgt|wt)|wgt$", re.I)


def proposed_role(name: str, cells: Cells, *, numeric: bool) -> tuple[str, Evidence] | None:
    """Return the role of a column that identifies persons or weights records, and why; None, if it does neither.

    >>> import numpy as np
    >>> mails = Cells(["ann@example.org", "bob@example.org"], np.array([0, 1]))
    >>> proposed_role("contact", mails, numeric=False)
    ('identifier', Evidence(code='identifying', text='The column holds e-mail addresses.'))
    """
    column = ColumnSample(_CAPITAL.sub("_", name), cells)
    found = identification_of(column)
    role = _household(column) or _identifier(column, found, numeric) or _unit(column, numeric)
    if role is None and WEIGHT.search(name) and numeric:
        return "weight", Evidence("name-of-weights", "The name says that its numbers are survey weights.")
    return role


def _identifier(column: ColumnSample, found: Identification | None, numeric: bool) -> tuple[str, Evidence] | None:
    """Return the role of a column that identifies persons by its cells, or in which nearly all rows differ."""
    name, distinct, rows = column.name, len(column.present), column.rows
    named = bool(IDENTIFIER_NAME.search(name))
    requires = None if found is None else found.requires
    if found is not None and requires == CONFIRMATION:
        return _identifying("identifier" if distinct > NEARLY_ALL * rows else "unit", found.reason)
    nearly_all = distinct > NEARLY_ALL * rows and (named or not numeric)
    if found is not None and requires == NAMING and (nearly_all or PERSON_NAME.search(name)):
        return _identifying("identifier", found.reason)
    if _numbers_rows(column):
        return _identifying("identifier", "numbers its rows")
    may_be_measured = numeric or requires == CAUTION
    is_person = PERSON.search(name) and not _is_measured(name)
    if distinct == rows > 1 and (named or is_person or not may_be_measured):
        return _identifying("identifier", "has a value of its own in every row")
    return None


def _household(column: ColumnSample) -> tuple[str, Evidence] | None:
    """Return the role of a column that is named like an identifier of households and that their members share."""
    if not HOUSEHOLD.fullmatch(column.name) or not column.rare or len(column.present) == column.rows:
        return None
    return _identifying("household", "is named like an identifier of households, and few rows share a value")


def _is_measured(name: str) -> bool:
    """Tell whether a name says that values are measurements or counts."""
    return any(names_of("measured").fullmatch(x) for x in words_of_name(name))


def _numbers_rows(column: ColumnSample) -> bool:
    """Tell whether the values are whole numbers without a gap, one for each row."""
    numbers = [x for x in column.numbers if x is not None and x.is_integer()]
    if not MIN_ROWS <= column.rows == len(column.present) == len(numbers) or _is_measured(column.name):
        return False
    return max(numbers) - min(numbers) + 1 == len(numbers)


def _unit(column: ColumnSample, numeric: bool) -> tuple[str, Evidence] | None:
    """Return the role of a column that is named like persons, or like their identifier, and that few rows share."""
    name, distinct, rows = column.name, len(column.present), column.rows
    whole = numeric and all("." not in x and "," not in x for x in column.present)
    is_key = (KEY.fullmatch(name) and column.rare) or (ID.fullmatch(name) and distinct >= MIN_IDS)
    if is_key and (whole or not numeric):
        return _identifying("unit", "is named like an identifier, and few rows share a value")
    few_rows = whole or distinct > MANY * rows or (column.rare and not numeric)
    named = IDENTIFIER_NAME.search(name) or (few_rows and not _is_measured(name))
    if PERSON.search(name) and named and distinct > SOME * rows:
        if "household" in name.lower():
            return _identifying("household", "is named like households, and few rows share a value")
        return "unit", Evidence("name-of-persons", "The column is named like persons, and few rows share a value.")
    return None


def _identifying(role: str, reason: str) -> tuple[str, Evidence]:
    return role, Evidence("identifying", f"The column {reason}.")
