"""Whether a column numbers persons or records: if its values repeat, a person has several rows.

Names, addresses, telephone numbers and dates repeat because people share them.
"""

from __future__ import annotations

import re

from allonym.kinds.identifiers.detect import NAME, NEARLY, PERSON, ColumnSample, are_measurements
from allonym.kinds.identifiers.patterns import pattern_of

NUMBERED_NAME = re.compile(
    r"(^|[_\W])(ids?|nr|no|num|number|key|uuid|guid|ssn|mrn|npi|iban|passport|identifier)$|^(id|nr|uuid)([_\W]|$)", re.I
)
SHARED_NAME = re.compile(
    r"names?|phone|mobile|cell|fax|address|street|house|home|room|flat|zip|post|plz|city|town|birth|born|dob|date|year",
    re.I,
)  # of columns whose values people share
PERSONAL = ("UUIDs", "names of accounts")  # patterns that identify one person or record, besides those of persons
NUMBER = re.compile(r"(?=.*\d)[\w./-]{3,}")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # begins another word of a name


def numbers_persons(column: ColumnSample) -> bool:
    """Tell whether a column of identifiers has a value for each person or record, by its name or by its values.

    >>> import numpy as np
    >>> from allonym.cells import Cells
    >>> names = Cells(["Ann", "Bob"], np.array([0, 1, 0]))
    >>> [numbers_persons(ColumnSample(x, names)) for x in ("first_name", "patient_id", "patient")]
    [False, True, True]
    """
    name = _CAPITAL.sub("_", column.name)
    pattern = pattern_of(column.some)
    if pattern is not None:
        return pattern.personal or pattern.name in PERSONAL
    if SHARED_NAME.search(name) or NAME.search(name):
        return False
    if NUMBERED_NAME.search(name) or PERSON.search(name):
        return True
    numbered = sum(map(bool, map(NUMBER.fullmatch, column.some)))
    return column.rare and numbered >= NEARLY * len(column.some) and not are_measurements(column.some)
