"""The nulls of a release: how many masking wrote in each column, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints
from allonym.cells import Cells, is_missing
from allonym.errors import PlanError, Problem, plural
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline.prepare import Prepared
from allonym.records import Attribute, Masking, piece_of_rows

Flags = NDArray[np.bool_]

REASONS = {
    "unmatched": "words without a concept",
    "record": "suppressed records",
    "rare": "values that fewer than k hold",
    "cell": "cells that lose less as null",
    "group": "groups without a common value",
}  # why masking writes null, in the order in which the first that applies is counted
MANY_NULLS = 0.5  # share of a column's values: more become null only with a caution


@dataclass(frozen=True)
class ColumnNulls:
    """The values of a column that masking wrote as null, by reason."""

    values: int  # cells that were not missing
    distinct: int  # different values among them
    by_reason: Mapping[str, int]
    suppressed: int  # cells without their value: null, or, of sets, without an item that has no concept

    @property
    def cells(self) -> int:
        """How many values became null."""
        return sum(self.by_reason.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {"values": self.values, "cells": self.cells, "by_reason": dict(self.by_reason)}


@dataclass(frozen=True)
class Nulls:
    """The nulls that masking wrote, by column."""

    columns: Mapping[str, ColumnNulls] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures for JSON: of all columns, and of each that has nulls."""
        by_reason = {x: sum(own.by_reason.get(x, 0) for own in self.columns.values()) for x in REASONS}
        return {
            "cells": sum(x.cells for x in self.columns.values()),
            "by_reason": {reason: cells for reason, cells in by_reason.items() if cells},
            "by_column": {name: x.to_dict() for name, x in self.columns.items() if x.cells},
        }

    def refuse_empty_columns(self, k: int) -> None:
        """Raise the problem of each column of which no value is left."""
        problems = [
            Problem(
                "all-null",
                f"no value would be left. It has {plural(x.values, 'value')}, {x.distinct:,} of them different; "
                f"k is {k}. Null would stand for {reasons_in_words(x.by_reason)}.",
                "name an ontology or another kind of column, choose a smaller k, or drop the column.",
                name,
            )
            for name, x in self.columns.items()
            if x.cells == x.values > 0
        ]
        if problems:
            raise PlanError(problems)


def null_cautions(nulls: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the caution on each column of a summary of which more than half of the values become null."""
    for name, x in nulls["by_column"].items():
        if x["cells"] > MANY_NULLS * x["values"]:
            reasons = reasons_in_words(x["by_reason"])
            text = f"{x['cells']:,} of {plural(x['values'], 'value')} become null: {reasons}."
            yield Problem("many-nulls", text, column=name)


def reasons_in_words(by_reason: Mapping[str, int]) -> str:
    """Say why cells are null.

    >>> reasons_in_words({"rare": 3, "record": 5})
    'values that fewer than k hold (3), suppressed records (5)'
    """
    return ", ".join(f"{REASONS[reason]} ({cells:,})" for reason, cells in by_reason.items())


def nulls_of(prepared: Prepared, masking: Masking, written: Masking, cells: Mapping[str, Cells]) -> Nulls:
    """Count the nulls of a release, given its values as the method chose them and as they are written."""
    assert prepared.records is not None
    piece: Ints | None = None
    columns = {}
    for a, attribute in enumerate(written.attributes):
        encoded = prepared.encoded[attribute.name]
        missing = encoded.kind.missing
        had_value = ~np.array([is_missing(x, missing) for x in encoded.cells.values], bool)
        is_null = np.array([is_missing(x, missing) for x in cells[attribute.name].values], bool)
        by_reason: dict[str, int] = {}
        lost = (encoded.code_of != encoded.original_of)[encoded.cells.codes]
        if is_null.any():
            piece = piece_of_rows(prepared.records, masking.source, masking.share) if piece is None else piece
            null = had_value[encoded.cells.codes] & is_null[cells[attribute.name].codes]
            by_reason = dict(_by_reason(prepared, masking, written, a, piece, null))
            lost |= null
        counts = encoded.cells.counts * had_value
        columns[attribute.name] = ColumnNulls(
            int(counts.sum()), int((counts > 0).sum()), by_reason, _rows(prepared, lost)
        )
    return Nulls(columns)


def _by_reason(
    prepared: Prepared, masking: Masking, written: Masking, a: int, piece: Ints, null: Flags
) -> Iterator[tuple[str, int]]:
    """Yield how many rows of a column are null for each reason that applies, the first one that does."""
    encoded = prepared.encoded[written.attributes[a].name]
    before, after = (_is_null(x.attributes[a])[x.codes[:, a]] for x in (masking, written))
    never_written = isinstance(prepared.plan.method, RecordLevelMethod)  # they write no text without a concept
    none = np.zeros(len(masking.source), bool)
    applies = {
        "unmatched": (encoded.code_of != encoded.original_of)[encoded.cells.codes],
        "record": (none if masking.suppressed is None else masking.suppressed)[piece],
        "rare": (after & ~before)[piece] | _rare_texts(prepared, a)[encoded.code_of][encoded.cells.codes],
        "cell": _suppressed_cells(prepared, masking, a, before)[piece],
    }
    if never_written:
        applies["unmatched"] = applies["unmatched"] | applies["rare"]
    rest = null.copy()
    for reason, rows in applies.items():
        if cells := _rows(prepared, rest & rows):
            yield reason, cells
        rest &= ~rows
    if cells := _rows(prepared, rest):
        yield "group", cells


def _rare_texts(prepared: Prepared, a: int) -> Flags:
    """Return which values of a column are texts without a concept that fewer than k units hold."""
    assert prepared.records is not None
    is_text = np.array([isinstance(x, str) for x in prepared.records.attributes[a].values], bool)
    return is_text & (prepared.records.holders(a) < prepared.plan.method.required_k)


def _suppressed_cells(prepared: Prepared, masking: Masking, a: int, null: Flags) -> Flags:
    """Return which pieces are null in a column although a value is true of all their group."""
    suppressed = np.zeros(len(null), bool)
    if not getattr(prepared.plan.method, "suppress_cells", False) or not null.any():
        return suppressed
    assert prepared.records is not None
    metric, codes = prepared.records.attributes[a].metric, prepared.records.codes[masking.source, a]
    for group in np.unique(masking.groups[null]).tolist():
        members = np.flatnonzero(masking.groups == group)
        value = metric.truthful(codes[members], masking.share[members].astype(np.float64))
        suppressed[members] = value is not None
    return suppressed & null


def _is_null(attribute: Attribute) -> Flags:
    return np.array([value is None or value == frozenset() for value in attribute.values], bool)


def _rows(prepared: Prepared, which: Flags) -> int:
    """Return how many rows of the table some rows stand for."""
    return int(which.sum() if prepared.row_counts is None else prepared.row_counts[which].sum())
