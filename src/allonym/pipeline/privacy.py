"""The privacy models of a plan on a table: sensitive columns for the method, and functions for the recount."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints
from allonym.cells import cell_text, is_missing
from allonym.errors import Problem, TableError
from allonym.kinds.base import EncodedColumn
from allonym.kinds.numbers import to_number
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline.encoding import encode_sensitive
from allonym.plan.privacy import Privacy
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.requirements import RequirementCheck
from allonym.records import Requirement, SensitiveColumns
from allonym.release.write import Guarantee, Rows
from allonym.tables.delimited import plain

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared


def sensitive(found: Prepared) -> SensitiveColumns | None:
    """Return the sensitive columns of a table that something is promised of; None, where nothing is."""
    wanted = asked(found)
    if not wanted:
        return None
    columns = list(dict.fromkeys(x.column for x in wanted))
    known = [encode_sensitive(found, name) for name in columns]
    for x in (x for x in known if any(isinstance(cell, tuple) for cell in x.cells.values)):
        raise TableError(f"Column {x.attribute.name} holds lists: nothing can be promised of it.", hint="keep it.")
    requirements = tuple(x.requirement(columns.index(x.column)) for x in wanted)
    return SensitiveColumns(
        tuple(x.attribute for x in known), tuple(x.codes for x in known), requirements, found.row_counts
    )


def asked(found: Prepared) -> list[Privacy]:
    """Return the promises about columns that the table has."""
    return [x for x in found.plan.privacy if x.column in found.table.names]


def unmet(found: Prepared) -> Iterator[Problem]:
    """Yield which promises no release can keep, since not even the table as a whole does."""
    if found.records is None or found.records.sensitive is None or not found.records.n:
        return
    if isinstance(found.plan.method, RecordLevelMethod):
        yield Problem(
            "no-groups",
            f"method {found.plan.method.name} makes no groups, so that it can promise nothing about what they hold.",
            "leave privacy out, or choose another method.",
        )
    requirement_check = RequirementCheck(found.records.sensitive, found.records.units)
    for promise, requirement in zip(asked(found), requirement_check.requirements, strict=True):
        table = requirement_check.tables[requirement.column]
        if requirement_check.lacking(requirement, table)[0] > 0:
            reached = requirement_check.figure(requirement, table)
            text = (
                f"{promise.name} of {promise.asked:g} is asked for, but all records together reach {reached:.10g} only."
            )
            yield Problem("requirement-unmet", text, "ask for less.", promise.column)


def kept(found: Prepared) -> tuple[Guarantee, ...]:
    """Return the promises of a plan for the recount of what was written."""
    if found.records is None or found.records.sensitive is None:
        return ()
    return tuple(_kept(found, place) for place in range(len(asked(found))))


def _kept(found: Prepared, place: int) -> Guarantee:
    assert found.records is not None
    assert found.records.sensitive is not None
    promise, requirement = asked(found)[place], found.records.sensitive.requirements[place]
    coded = found.coded[promise.column]
    attribute, codes = coded.attribute, _codes(coded, found.plan.missing)
    nothing = attribute.values.index(None) if None in attribute.values else -1

    def reach(groups: Ints, cells: Any, places: Ints, rows: Rows) -> float | None:
        each = np.array([_code(x, codes, found.plan.missing, nothing) for x in cells], np.int64)
        if (each[places] < 0).any():
            return None
        return reached(
            requirement,
            SensitiveColumns((attribute,), (each[places],), row_counts=rows.row_counts),
            groups,
            rows.persons,
        )

    return Guarantee(promise.column, promise.name, promise.asked, reach, requirement.model.is_met)


def reached(requirement: Requirement, sensitive: SensitiveColumns, groups: Ints, units: Ints | None) -> float:
    """Return what all groups reach of a demand on the only column there is; rows of group -1 are in none."""
    here = groups >= 0
    persons = None if units is None else units[here]
    held = SensitiveCounts.of(groups[here], sensitive.codes[0][here], sensitive.each(0)[here], persons)
    return RequirementCheck(sensitive, units).figure(replace(requirement, column=0), held)


def _codes(coded: EncodedColumn, missing: Any) -> dict[str, int]:
    """Return the codes of the cells of a column, by their texts as any reader may give them."""
    found: dict[str, int] = {}
    for cell, code in zip(coded.cells.values, coded.code_of.tolist(), strict=True):
        if not is_missing(cell, missing):
            found |= {text.strip(): code for text in (str(cell), cell_text(cell))}
    return found


def _code(cell: Any, codes: Mapping[str, int], missing: Any, nothing: int) -> int:
    """Return the code of a cell as a second reader gives it: perhaps with quotes, or a number written otherwise."""
    if cell is None:
        return nothing
    text = plain(cell_text(cell).encode())
    number = to_number(text)
    if text not in codes and number is not None:
        text = cell_text(number)
    if text in codes:
        return codes[text]
    return nothing if is_missing(text, missing) or text == "nan" else -1
