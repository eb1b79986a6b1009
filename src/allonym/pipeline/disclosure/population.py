"""The people of a population who share the values of each record: from a population table or from weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Ints, distinct
from allonym.cells import Cells, cell_text, is_missing, united_codes
from allonym.errors import PlanError, Problem, first_few
from allonym.kinds.base import ReleasedColumn
from allonym.measures.population import PopulationRisk, class_sizes, from_table, from_weights
from allonym.pipeline.prepare import Prepared
from allonym.pipeline.source import open_source
from allonym.tables.base import Table
from allonym.tables.files import Reading, open_any

MAX_VALUE_PAIRS = 50_000_000  # of a column; beyond, only equal values fit, which overstates the risk
Flags = NDArray[np.bool_]


def population_risk(
    prepared: Prepared,
    population: Any,
    released: Mapping[str, ReleasedColumn] | None = None,
    group_ids: Mapping[str, Ints] | None = None,
) -> PopulationRisk | None:
    """Count the people of the population who share the values of each row, as it is or as it was released.

    Without a population table, the plan's survey weights estimate the population; None where there are none either.

    Args:
        prepared: the original table.
        population: a file or a frame with some or all quasi-identifiers, under the same names.
        released: the quasi-identifiers of a release, with its rows in the order of the original.
        group_ids: the number of the text of every row, by column; by default its value.
    """
    columns = released if released is not None else _as_it_is(prepared)
    if population is None:
        if prepared.weights is None:
            return None
        groups = _groups(columns, list(columns), group_ids)
        return from_weights(list(columns), groups, prepared.weights, prepared.persons)
    table = _open(prepared, population)
    names = compared(list(columns), table)
    cells = table.cells(names)
    own, theirs, matches = zip(*(_paired(prepared, x, columns[x], cells[x]) for x in names), strict=True)
    groups = _groups(columns, names, group_ids)
    return from_table(
        names,
        own,
        theirs,
        matches,
        class_sizes(groups, prepared.persons, prepared.row_counts),
        population_units=_units(prepared, table),
        units=prepared.persons,
        row_counts=prepared.row_counts,
    )


def _as_it_is(prepared: Prepared) -> dict[str, ReleasedColumn]:
    """Return the quasi-identifiers as if they were released unmasked."""
    columns = {name: prepared.encoded[name] for name in prepared.with_role("quasi") if name in prepared.encoded}
    return {name: ReleasedColumn(x.attribute, x.original_of[x.cells.codes], ()) for name, x in columns.items()}


def _groups(columns: Mapping[str, ReleasedColumn], names: Sequence[str], group_ids: Mapping[str, Ints] | None) -> Ints:
    return distinct([columns[x].codes if group_ids is None else group_ids[x] for x in names])[0]


def _open(prepared: Prepared, source: Any) -> Table:
    """Open a population table as the plan reads files; as its format is detected, if its columns are not found so."""
    plan, quasi = prepared.plan, prepared.with_role("quasi")
    table = open_source(plan, source, in_memory=True)
    if not set(quasi) & set(table.names):
        table = open_source(plan, source, reading=Reading(header=plan.reading.header), in_memory=True)
    return table


def compared(quasi: Sequence[str], table: Table) -> list[str]:
    """Return the quasi-identifiers that a population table has; refuse a table that has none."""
    names = [x for x in quasi if x in table.names]
    if not names:
        text = f"the population table has none of the quasi-identifiers: {first_few(quasi, 20)}."
        raise PlanError([Problem("population-columns", text, "it needs at least one, under the same name.")])
    return names


def _units(prepared: Prepared, table: Table) -> Ints | None:
    """Return the person of every row of the population table, if it has the unit column of the plan."""
    name = next((x for x in prepared.with_role("unit") if x in table.names), None)
    return None if name is None else united_codes(table.cells([name])[name])


def _paired(prepared: Prepared, name: str, column: ReleasedColumn, cells: Cells) -> tuple[Ints, Ints, Flags | None]:
    """Return a column of the release and of the population table, and which codes fit which; None: equal ones."""
    original = prepared.encoded[name]
    no_rows = Cells(cells.values, np.full(len(original.cells.codes), -1, np.int64))
    values, _ = original.kind.released_values(original, no_rows, prepared.links.get(name, ()))
    metric = column.attribute.metric.extend(values)
    places = {value: code for code, value in enumerate(metric.values)}
    codes = np.array([places[x] for x in values], np.int64)[cells.codes]
    own, place = np.unique(column.codes, return_inverse=True)
    theirs, other = np.unique(codes, return_inverse=True)
    if len(own) * len(theirs) > MAX_VALUE_PAIRS:
        return column.codes, codes, None
    table = np.array([metric.generalises(code, theirs) for code in own.tolist()], bool).reshape(len(own), len(theirs))
    if not (table & (own[:, None] != theirs)).any():
        return column.codes, codes, None
    return place.ravel(), other.ravel(), table


def population_risk_by_text(
    cells: Mapping[str, Cells],
    population: Any,
    unit: str | None,
    units: Ints | None,
    row_counts: Ints | None,
) -> PopulationRisk:
    """Count the people of a population table who have the same texts as each row; null is a text like any other.

    Args:
        cells: the columns of the table.
        population: a file or a frame with some of them.
        unit: the column that identifies persons; it is used where the population table has it.
        units: the person of every row.
        row_counts: how many rows every row stands for.
    """
    table = open_any(population, Reading())
    names = compared(list(cells), table)
    others = table.cells(names)
    both = [_texts(cells[name], others[name]) for name in names]
    own, theirs = ([x[side] for x in both] for side in (0, 1))
    return from_table(
        names,
        own,
        theirs,
        [None] * len(names),
        class_sizes(distinct(own)[0], units, row_counts),
        population_units=united_codes(table.cells([unit])[unit]) if unit in table.names else None,
        units=units,
        row_counts=row_counts,
    )


def _texts(own: Cells, theirs: Cells) -> tuple[Ints, Ints]:
    """Number the texts of two columns together."""
    place: dict[str | None, int] = {}
    codes = [
        np.array([place.setdefault(None if is_missing(x) else cell_text(x), len(place)) for x in c.values], np.int64)
        for c in (own, theirs)
    ]
    return codes[0][own.codes], codes[1][theirs.codes]
