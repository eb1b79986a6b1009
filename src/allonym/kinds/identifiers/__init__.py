"""Columns that identify people: by what their cells are, or because they repeat or determine another column."""

from allonym.kinds.identifiers.dependence import Relation, relation_of
from allonym.kinds.identifiers.detect import (
    CAUTION,
    CONFIRMATION,
    NAMING,
    ColumnSample,
    Identification,
    identification_of,
)
from allonym.kinds.identifiers.record_numbers import numbers_persons

__all__ = [
    "CAUTION",
    "CONFIRMATION",
    "NAMING",
    "ColumnSample",
    "Identification",
    "Relation",
    "identification_of",
    "numbers_persons",
    "relation_of",
]
