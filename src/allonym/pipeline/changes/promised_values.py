"""What is promised of the values of a release: only existing records, or one replacement for each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints
from allonym.errors import Problem, first_few
from allonym.kinds.base import EncodedColumn
from allonym.records import Masking, Records
from allonym.release.original_rows import OriginalRows

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared


def with_publishable(prepared: Prepared, records: Records, columns: Sequence[EncodedColumn]) -> Records:
    """Return records with the tuples that may be written, if the method writes existing records only.

    Such a tuple has a row in which every column has the text that is written for its value, which k units hold.
    """
    method = prepared.plan.method
    if not method.writes_existing or not records.n:
        return records
    assert records.inverse is not None
    rows = np.ones(len(records.inverse), bool)
    for column in columns:
        rows &= column.existing_cells(method.required_k, prepared.units)[column.cells.codes]
    publishable = np.zeros(len(records), bool)
    publishable[records.inverse[rows]] = True
    if not publishable.any():
        prepared.problems.append(
            Problem(
                "no-existing-record",
                f"every record has a value that fewer than {method.required_k} hold: none can be written as it stands.",
                "choose a smaller k, mask fewer columns, or choose values = any.",
            )
        )
    return replace(records, publishable=publishable)


def verified_values(prepared: Prepared) -> dict[str, Any]:
    """Return for a summary what was verified of the values that a release has; nothing, if any may be written."""
    verified = {"existing_values": prepared.plan.method.writes_existing}
    verified["one_replacement"] = bool(replaced_globally(prepared))
    verified = {name: holds for name, holds in verified.items() if holds}
    return {"verified": verified} if verified else {}


def verified_in_words(summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what was verified of the values of a release: its name, and what it means."""
    if summary.get("verified", {}).get("existing_values"):
        aside = ", suppressed ones aside," if summary["suppressed"] else ""
        yield (
            "existing values",
            f"all records{aside} have the quasi-identifiers of a record of the table, compared as text",
        )
    if summary.get("verified", {}).get("one_replacement"):
        aside = ", suppressed records aside" if summary["suppressed"] else ""
        yield "one replacement", f"equal values of a column have the same replacement in all records{aside}"


def replaced_globally(prepared: Prepared) -> dict[str, Ints]:
    """Return the value of every row for columns in which equal values have one replacement; none in an engine."""
    if not prepared.plan.method.replaces_globally or prepared.table.counts_rows:
        return {}
    return {name: prepared.encoded[name].codes for name in prepared.with_role("quasi")}


def collapsed_columns(prepared: Prepared, masking: Masking) -> list[Problem]:
    """Return the caution on columns of which a global recoding leaves one value only."""
    records = prepared.records
    if not prepared.plan.method.replaces_globally or records is None:
        return []
    kept = np.ones(len(masking.source), bool) if masking.suppressed is None else ~masking.suppressed
    columns = [
        attribute.name
        for a, attribute in enumerate(masking.attributes)
        if len(np.unique(records.codes[:, a])) > 1 and len(np.unique(masking.codes[kept, a])) <= 1
    ]
    if not columns:
        return []
    text = f"one replacement for each value leaves a single value in {first_few(columns, 20)}."
    hint = "choose replace = local, mask fewer columns, allow records to be suppressed, or choose a smaller k."
    return [Problem("column-collapsed", text, hint)]


def original_rows(prepared: Prepared) -> OriginalRows | None:
    """Return the rows that a release may have; None, if the method writes other values too."""
    if not prepared.plan.method.writes_existing:
        return None
    names = prepared.with_role("quasi")
    missing = dict.fromkeys(marker for name in names for marker in prepared.plan.missing_in(name))
    return OriginalRows([prepared.encoded[name].cells for name in names], list(missing))
