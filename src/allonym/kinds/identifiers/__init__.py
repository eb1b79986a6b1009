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

__all__ = [
    "CAUTION",
    "CONFIRMATION",
    "NAMING",
    "ColumnSample",
    "Identification",
    "Relation",
    "identification_of",
    "relation_of",
]
