"""The Columns page: the role and content of every column, and the risk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from allonym.errors import AllonymError, PlanError, Problem
from allonym.pipeline import review
from allonym.pipeline.check import Check
from allonym.pipeline.disclosure.wording import column_figures, counted_as, top_combinations, uniques_in_words
from allonym.plan.column import Column
from allonym.studio import forms
from allonym.studio.open_table import OpenTable
from allonym.studio.page_request import Page, PageRequest, require_choice
from allonym.studio.rendering import render

MAX_EXAMPLE_LENGTH = 60
REPEATED = "repeated-identifier"  # the problem that persons seem to have several rows
MATCHING_CODES = ("to-review", "unmatched")  # problems that are solved on the Matches page


def show(request: PageRequest) -> Response:
    """Show every column with its role and content, and the risk."""
    table = request.workspace.table
    if table is None:
        return render(request, "columns.html", columns=[])
    check = request.workspace.check()
    problems = [*request.problems, *other_problems(check.problems if check is not None else ())]
    columns = _columns(request, table, check, problems)
    shown = {x["inspected"].name for x in columns}
    request.problems = [x for x in request.problems if x.column not in shown]  # the others stand beside their columns
    general = [x for x in problems if x.column not in shown and x not in request.problems]
    return render(
        request,
        "columns.html",
        columns=columns,
        check=check,
        unique_people=_unique_people(check),
        roles=forms.ROLES,
        role_meanings=forms.ROLE_MEANINGS,
        asks_for_persons=_rows_are_persons(table) or any(x.code == REPEATED for x in problems),
        rows_are_persons=_rows_are_persons(table),
        plan_problems=request.without_paths([*request.workspace.check_problems, *general]),
    )


def _rows_are_persons(table: OpenTable) -> bool:
    return table.plan is not None and table.plan.rows_are_persons


def _columns(
    request: PageRequest, table: OpenTable, check: Check | None, problems: Iterable[Problem]
) -> list[dict[str, Any]]:
    """Return the rows of the page; what was typed comes before the plan."""
    files = table.ontology_files()
    checks = {x.name: x for x in check.columns} if check is not None else {}
    rows = []
    for i, inspected in enumerate(table.inspection.columns):
        column = table.column(inspected)
        rows.append(
            {
                "inspected": inspected,
                "role": request.text(f"role-{i}", column.role),
                "content": request.raw(f"what-{i}", forms.content_of(column)),
                "root": request.text(f"root-{i}", forms.root_of(column)),
                "contents": forms.contents(files, column),
                "examples": examples(table, inspected.name),
                "problems": request.without_paths(x for x in problems if x.column == inspected.name),
                "check": checks.get(inspected.name),
            }
        )
    return rows


def _unique_people(check: Check | None) -> dict[str, Any] | None:
    """Return who is unique, which columns single them out, and what leaving out a column would change."""
    if check is None or check.risk is None or check.uniques is None:
        return None
    who = counted_as(check.risk.units is not None)
    return {
        "sentence": uniques_in_words(check.uniques, who),
        "who": who,
        "combinations": top_combinations(check.uniques),
        "columns": column_figures(check.uniques),
    }


def examples(table: OpenTable, name: str, most: int = 3) -> list[str]:
    """Return the most frequent values of a column, shortened."""
    limit = MAX_EXAMPLE_LENGTH
    return [x if len(x) <= limit else x[: limit - 1] + "…" for x in table.data.examples(name, most)]


def other_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that are not solved on the Matches page."""
    return [x for x in problems if x.code not in MATCHING_CODES]


def choose(request: PageRequest) -> str:
    """Take the roles and contents of all columns."""
    table = request.workspace.require_table()
    columns: dict[str, Column] = {}
    files: dict[str, Any] = {}
    ontologies, problems = table.ontology_files(), []
    for i, inspected in enumerate(table.inspection.columns):
        name = inspected.name
        before = table.plan_columns.get(name) or (None if table.plan is None else inspected.column())
        role = require_choice(request.text(f"role-{i}"), forms.ROLES, "role")
        content = require_choice(request.raw(f"what-{i}"), forms.contents(ontologies, before), "kind")
        column = forms.column_of(role, content, request.text(f"root-{i}"), before)
        column = with_separator(table, name, column, before)
        problems += root_problems(table, name, column, before)
        columns[name], links = table.with_reviewed_links(name, column)
        files |= links
    if problems:
        raise PlanError(problems)
    plan = replace(table.with_columns(columns), rows_are_persons=request.flag("rows-are-persons"))
    changed = [name for name, column in plan.columns.items() if table.plan_columns.get(name) != column]
    label = f"Columns: {', '.join(changed[:4])}{'…' if len(changed) > 4 else ''}" if changed else "Columns as proposed"
    request.workspace.change_plan(request.base, label, plan, files)
    next_page = request.text("then")
    return next_page if next_page in ("/words", "/method") else "/columns"


def root_problems(table: OpenTable, name: str, column: Column, before: Column | None) -> list[Problem]:
    """Return what is wrong with the root of a column, if it has changed."""
    if forms.root_of(column) in ("", forms.root_of(before) if before is not None else ""):
        return []
    try:
        review.search(column, table.folder, "")
    except AllonymError as error:
        return [replace(problem, column=name) for problem in error.problems]
    return []


def with_separator(table: OpenTable, name: str, column: Column, before: Column | None) -> Column:
    """Return a column; one that has just become a set gets the separator that its cells use."""
    if column.kind != "set" or (before is not None and before.kind == "set"):
        return column
    return replace(column, separator=forms.guess_separator(table.data.examples(name, 200)) or column.separator)


PAGE = Page("/columns", show, title="Columns", actions={"/columns": choose})
