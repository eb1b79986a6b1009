"""Review the columns that a release keeps: those that identify people, or give away a column that it masks or drops.

A column that is kept only because the plan keeps the rest must be named, if it looks like an identifier. A column that
holds identifiers, or gives away another one, must be confirmed. Sensitive columns are kept by their role; what they
give away is a caution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from allonym.errors import Problem, TableError
from allonym.kinds.identifiers import (
    CAUTION,
    CONFIRMATION,
    NAMING,
    ColumnSample,
    Identification,
    identification_of,
    relation_of,
)
from allonym.pipeline.prepare import Prepared
from allonym.plan.column import DROPPED_ROLES, Column

MAX_ROWS = 50_000  # that are compared
GIVEN_AWAY = ("quasi", *DROPPED_ROLES)  # roles of columns whose values a release must not tell


@dataclass(frozen=True)
class KeptReview:
    """What the kept columns of a release give away: problems that keep it from being made, and cautions."""

    problems: Sequence[Problem] = ()
    cautions: Sequence[Problem] = ()


def review_kept(prepared: Prepared) -> KeptReview:
    """Review every column that a release keeps."""
    kept = [x for x in prepared.table.names if _role(prepared, x) in ("keep", "sensitive")]
    others = [x for x in prepared.table.names if _role(prepared, x) in GIVEN_AWAY]
    if not kept or not prepared.table.n:
        return KeptReview(cautions=list(_kept_index(prepared)))
    samples = _samples(prepared, [*kept, *others])
    problems, cautions = list[Problem](), list(_kept_index(prepared))
    for name in (x for x in kept if x in samples):
        for code, evidence in _evidence(prepared, samples[name], [samples[x] for x in others if x in samples]):
            column = prepared.plan.columns.get(name)
            if column is not None and column.role == "sensitive" and evidence.requires != CONFIRMATION:
                continue
            if _accepted(column, evidence):
                cautions.append(Problem(code, f"is kept, although it {evidence.reason}.", column=name))
            else:
                text = f"would be kept, but {evidence.reason}."
                problems.append(Problem(code, text, _hint(name, evidence), name))
    return KeptReview(problems, cautions)


def _kept_index(prepared: Prepared) -> Iterator[Problem]:
    """Yield that a frame keeps labels of rows that are not 0, 1, 2, …: they tell which rows of another table it has."""
    labels = prepared.table.row_labels
    if labels is not None and not np.array_equal(labels, np.arange(len(labels))):
        text = "the masked frame has the index of the frame, so that both stay aligned."
        yield Problem("kept-index", text, "write it without its index: index=False, or reset_index(drop=True).")


def _role(prepared: Prepared, name: str) -> str:
    plan = prepared.plan
    return plan.columns[name].role if name in plan.columns else "keep" if plan.keep_rest else ""


def _samples(prepared: Prepared, names: Sequence[str]) -> dict[str, ColumnSample]:
    """Return the columns in the same rows; columns of nested values are left out."""
    table, missing = prepared.table, prepared.plan.missing_in
    try:
        cells = table.sample(names, MAX_ROWS, prepared.cells)
    except TableError:
        cells = {}
        for name in names:
            try:
                cells |= table.sample([name], MAX_ROWS)
            except TableError:  # nested values, which no reader compares
                continue
    whole = table.n <= MAX_ROWS
    return {
        name: ColumnSample(name, cells[name], missing(name), None if whole else partial(_counts, prepared, name))
        for name in cells
    }


def _counts(prepared: Prepared, name: str) -> tuple[int, int]:
    """Return the number of rows with a value in a column, and the number of its distinct values."""
    table, missing = prepared.table, prepared.plan.missing_in(name)
    return table.n - table.empty_values(name, missing), table.distinct_values(name, missing)


def _evidence(
    prepared: Prepared, column: ColumnSample, others: Sequence[ColumnSample]
) -> Iterator[tuple[str, Identification]]:
    """Yield what a kept column gives away, each with the code of its problem."""
    own = identification_of(column)
    if own is not None:
        yield "kept-unique" if own.requires == CAUTION else "kept-identifier", own
    for other in others:
        relation = relation_of(column, other)
        if relation is not None:
            what = "masked" if _role(prepared, other.name) == "quasi" else "dropped"
            yield "kept-copy", Identification(f"{relation.value} the {what} column {other.name}", CONFIRMATION)


def _accepted(column: Column | None, evidence: Identification) -> bool:
    """Tell whether a plan accepts by name what a kept column gives away; without a column, it keeps the rest."""
    if column is None:
        return evidence.requires == CAUTION
    return column.role == "sensitive" or column.confirmed or evidence.requires != CONFIRMATION


def _hint(name: str, evidence: Identification) -> str:
    if evidence.requires == NAMING:
        return (
            f"drop it (--identifier {name}) or mask it (--quasi {name}); if nobody can be found by it, --keep {name}."
        )
    return (
        f"drop it (--identifier {name}) or mask it (--quasi {name}); to publish it nevertheless, --confirm {name}, or "
        "confirmed = true in the plan."
    )
