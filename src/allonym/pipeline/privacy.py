"""The privacy models of a plan on a table: sensitive columns for the method, and guarantees for the recount."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints, distinct
from allonym.cells import Cells, cell_text, is_missing
from allonym.errors import Problem, TableError
from allonym.kinds.base import EncodedColumn
from allonym.kinds.numbers import to_number
from allonym.kinds.registry import is_multivalued
from allonym.methods.base import UngroupedMethod
from allonym.pipeline.encoding import encode_sensitive
from allonym.plan.privacy import Privacy
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.km_anonymity import km_anonymity
from allonym.privacy.requirements import RequirementCheck
from allonym.privacy.spellings import same_values
from allonym.records import Requirement, SensitiveColumns
from allonym.release.recount import Guarantee, Rows
from allonym.tables.delimited import plain

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared


def asked(prepared: Prepared) -> list[Privacy]:
    """Return the privacy models of the plan whose columns the table has."""
    return [x for x in prepared.plan.privacy if x.column in prepared.table.names]


def sensitive(prepared: Prepared) -> SensitiveColumns | None:
    """Return the sensitive columns that privacy models are about; None without such models."""
    models = asked(prepared)
    if not models:
        return None
    names = list(dict.fromkeys(x.column for x in models))
    columns = [encode_sensitive(prepared, name) for name in names]
    for x in (x for x in columns if any(isinstance(cell, tuple) for cell in x.cells.values)):
        raise TableError(f"Column {x.attribute.name} holds lists: nothing can be promised of it.", hint="keep it.")
    requirements = tuple(x.requirement(names.index(x.column)) for x in models)
    return SensitiveColumns(
        tuple(x.attribute for x in columns), tuple(x.codes for x in columns), requirements, prepared.row_counts
    )


def unmet(prepared: Prepared) -> Iterator[Problem]:
    """Yield the privacy models that no release can meet, since not even the table as a whole does."""
    if prepared.records is None or prepared.records.sensitive is None or not prepared.records.n:
        return
    if isinstance(prepared.plan.method, UngroupedMethod):
        name = prepared.plan.method.name
        yield Problem(
            "no-groups",
            f"method {name} makes no groups, so that it can promise nothing about what they hold.",
            "leave privacy out, or choose another method.",
        )
    check = RequirementCheck(prepared.records.sensitive, prepared.records.units)
    for model, requirement in zip(asked(prepared), check.requirements, strict=True):
        table = check.tables[requirement.column]
        if check.lacking(requirement, table)[0] > 0:
            figure = check.figure(requirement, table)
            text = f"{model.name} of {model.asked:g} is asked for, but all records together reach {figure:.10g} only."
            yield Problem("requirement-unmet", text, "ask for less.", model.column)


def combinations_held(prepared: Prepared, name: str, cells: Cells) -> int:
    """Return how many units hold the rarest combination of as many items of a column of sets as attackers may know."""
    method, kind = prepared.plan.method, prepared.encoded[name].kind
    assert method.known_items is not None
    codes, units = np.flatnonzero(cells.counts), None
    if prepared.units is not None:
        first = distinct([cells.codes, prepared.units])[2]
        codes, units = cells.codes[first], prepared.units[first].tolist()
    sets = [frozenset(kind.listed(x)) if (x := cells.values[c]) is not None else frozenset() for c in codes.tolist()]
    return km_anonymity(sets, cells.counts[codes].tolist(), method.required_k, method.known_items, units)[0]


def problems_of_known_items(prepared: Prepared) -> Iterator[Problem]:
    """Yield what keeps a plan from promising k for combinations of items: other quasi-identifiers, and requirements."""
    if prepared.plan.method.known_items is None:
        return
    columns, hint = prepared.with_role("quasi"), "choose recoding = local, or another method."
    kinds = [prepared.kinds.get(name) for name in columns]
    if len(columns) != 1 or not (kinds[0] is None or is_multivalued(kinds[0])):
        text = "recoding = global promises k for combinations of items: one column of sets, and no other column."
        yield Problem("not-one-set", text, hint)
    if prepared.plan.privacy:
        text = "recoding = global forms no groups, on which requirements of sensitive columns could be counted."
        yield Problem("requirement-without-groups", text, hint)


def guarantees(prepared: Prepared) -> tuple[Guarantee, ...]:
    """Return the privacy models of a plan as guarantees that the recount of a release checks."""
    if prepared.records is None or prepared.records.sensitive is None:
        return ()
    models = zip(asked(prepared), prepared.records.sensitive.requirements, strict=True)
    return tuple(_guarantee(prepared, model, requirement) for model, requirement in models)


def _guarantee(prepared: Prepared, model: Privacy, requirement: Requirement) -> Guarantee:
    column, missing = prepared.encoded[model.column], prepared.plan.missing_in(model.column)
    attribute, code_of = column.attribute, _codes(column, missing)
    null = attribute.values.index(None) if None in attribute.values else -1
    null = int(same_values(attribute.values, missing)[null]) if null >= 0 else -1

    def figure(groups: Ints, cells: Any, places: Ints, rows: Rows) -> float | None:
        codes = np.array([_code(x, code_of, missing, null) for x in cells], np.int64)[places]
        if (codes < 0).any():
            return None
        released = SensitiveColumns((attribute,), (codes,), row_counts=rows.row_counts)
        return reached(requirement, released, groups, rows.persons)

    return Guarantee(model.column, model.name, model.asked, figure, requirement.model.is_met)


def reached(requirement: Requirement, sensitive: SensitiveColumns, groups: Ints, units: Ints | None) -> float:
    """Return the figure of a requirement on the only sensitive column; rows of group -1 are in no group."""
    grouped = groups >= 0
    persons = None if units is None else units[grouped]
    counts = SensitiveCounts.of(groups[grouped], sensitive.codes[0][grouped], sensitive.each(0)[grouped], persons)
    return RequirementCheck(sensitive, units).figure(replace(requirement, column=0), counts)


def _codes(column: EncodedColumn, missing: Sequence[str]) -> dict[str, int]:
    """Return the codes of the cells of a column by their texts, in any way that a reader may give them."""
    code_of: dict[str, int] = {}
    for cell, code in zip(column.cells.values, column.code_of.tolist(), strict=True):
        if not is_missing(cell, missing):
            code_of |= {text.strip(): code for text in (str(cell), cell_text(cell))}
    return code_of


def _code(cell: Any, code_of: Mapping[str, int], missing: Sequence[str], null: int) -> int:
    """Return the code of a cell as a second reader gives it: perhaps with quotes, or as another number format."""
    if cell is None:
        return null
    text = plain(cell_text(cell).encode())
    number = to_number(text)
    if text not in code_of and number is not None:
        text = cell_text(number)
    if text in code_of:
        return code_of[text]
    return null if is_missing(text, missing) or text == "nan" else -1
