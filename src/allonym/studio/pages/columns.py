"""The second page: what each column is to others, and what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from allonym.errors import AllonymError, OptionError, PlanError
from allonym.pipeline import review as editing
from allonym.pipeline.check import Check
from allonym.pipeline.choices import DISTANCES, LANGUAGES, MEASURES, SENSES, UNMATCHED
from allonym.plan import Plan
from allonym.plan.column import Column
from allonym.studio import forms
from allonym.studio.history import safe_name
from allonym.studio.page_request import PageRequest, address, cleaned, known, render
from allonym.studio.pages.data import saved
from allonym.studio.workspace import Table

CUT = 60  # letters of an example


def show(ask: PageRequest) -> Response:
    """Show every column with its likely role, and the risk."""
    table = ask.workspace.table
    if table is None:
        return render(ask, "columns.html", columns=[])
    found = ask.workspace.check()
    plan = table.plan
    files = ontologies(table)
    rows: list[dict[str, Any]] = []
    for i, looked in enumerate(table.looked.columns):
        column = plan.columns.get(looked.name) if plan is not None else None
        column = column or (Column("keep") if plan is not None and plan.keep_rest else looked.column())
        role = ask.text(f"role-{i}", column.role)
        what = ask.raw(f"what-{i}") if f"what-{i}" in ask.form else forms.what_of(column)
        root = ask.text(f"root-{i}", forms.root_of(column))
        rows.append(
            {"looked": looked, "role": role, "what": what, "root": root, "examples": examples(table, looked.name),
             "whats": forms.whats(files, column),
             "problems": of_column(looked.name, [*ask.problems, *map(str, found.problems if found else [])]),
             "checked": next((x for x in found.columns if x.name == looked.name), None) if found else None}
        )  # fmt: skip
    named = {problem for row in rows for problem in row["problems"]}
    ask.problems = [x for x in ask.problems if x not in named]
    others = [x for x in map(str, found.problems if found else []) if x not in named and not by_words(x)]
    return render(
        ask, "columns.html", columns=rows, check=found,
        others=[cleaned(ask, x) for x in (*ask.workspace.unchecked, *others)], roles=forms.ROLES,
        meant=forms.MEANT, ready=found is not None and found.ready,
    )  # fmt: skip


def examples(table: Table, name: str, most: int = 3) -> list[str]:
    """Return the most frequent values of a column, long ones cut."""
    return [x if len(x) <= CUT else x[: CUT - 1] + "…" for x in table.data.examples(name, most)]


def of_column(name: str, problems: Sequence[str]) -> list[str]:
    """Return the problems that are about a column; words to review have a page of their own."""
    return [x for x in problems if x.startswith((f"column {name}: ", f"column {name} ")) and not by_words(x)]


def by_words(problem: str) -> bool:
    """Tell whether a problem is about words to review, or not understood."""
    return problem.startswith("column ") and any(
        x in problem for x in (" to be reviewed. Hint:", "is not understood. Hint:", "are not understood. Hint:")
    )


def ontologies(table: Table) -> list[str]:
    """Return the files that may be ontologies of columns."""
    named = set(editing.files_of(table.plan)) if table.plan is not None else set()
    links = {str(x) for c in (table.plan.columns.values() if table.plan else []) for x in c.links}
    here = [x.name for x in table.steps.now.folder.iterdir() if x.name != "plan.toml" and not _is_links(x.name)]
    return sorted({*here, *(x for x in named if (table.steps.now.folder / x).exists())} - links)


def _is_links(name: str) -> bool:
    return name.endswith(".links.csv")


def choose(ask: PageRequest) -> str:
    """Take the roles and kinds of all columns."""
    table = ask.workspace.opened
    begun = dict(table.plan.columns) if table.plan is not None else {}
    columns: dict[str, Column] = {}
    files: dict[str, Any] = {}
    there, problems = ontologies(table), []
    for i, looked in enumerate(table.looked.columns):
        before = begun.get(looked.name) or (None if table.plan is None else looked.column())
        role = known(ask.text(f"role-{i}"), list(forms.ROLES), "role")
        what = known(ask.raw(f"what-{i}"), list(forms.whats(there, before)), "kind")
        column = with_separator(table, looked.name, forms.chosen(role, what, ask.text(f"root-{i}"), before), before)
        problems += wrong_root(table, looked.name, column, before)
        columns[looked.name], links = carried(table, looked.name, column)
        files |= links
    if problems:
        raise PlanError(problems)
    plan = with_columns(table, columns)
    changed = [name for name, column in plan.columns.items() if begun.get(name) != column]
    label = "Columns as proposed" if not changed else f"Columns: {', '.join(changed[:4])}"
    ask.workspace.change(ask.base, label + ("…" if len(changed) > 4 else ""), plan, files)
    then = ask.text("then")
    return then if then in ("/words", "/method") else "/columns"


def wrong_root(table: Table, name: str, column: Column, before: Column | None) -> list[str]:
    """Return what is wrong with the root of a column, if it is another than before."""
    if forms.root_of(column) in ("", forms.root_of(before) if before is not None else ""):
        return []
    try:
        editing.search(column, table.steps.now.folder, "")
    except AllonymError as error:
        return [f"column {name}: {error}"]
    return []


def with_separator(table: Table, name: str, column: Column, before: Column | None) -> Column:
    """Return a column; one that holds sets from now on gets the separator that parts most of its cells."""
    if column.kind != "set" or (before is not None and before.kind == "set"):
        return column
    return replace(column, separator=forms.separator_of(table.data.examples(name, 200)) or column.separator)


def with_columns(table: Table, columns: dict[str, Column]) -> Plan:
    """Return the plan with other columns; what it promises of columns that are no longer sensitive goes."""
    if table.plan is None:
        return Plan(columns, reading=table.data.reading)
    promised = [x for x in table.plan.privacy if x.column in columns and columns[x.column].role == "sensitive"]
    rest = table.plan.keep_rest and not {x.name for x in table.looked.columns} <= set(columns)
    return replace(table.plan, columns=columns, keep_rest=rest, privacy=tuple(promised))


def carried(table: Table, name: str, column: Column) -> tuple[Column, dict[str, bytes]]:
    """Return a column that is chosen anew with what a person settled of its words before."""
    before = table.plan.columns.get(name) if table.plan is not None else None
    if before is None or column.role not in ("quasi", "sensitive"):
        return column, {}
    return editing.carried_over(before, column, table.steps.now.folder)


# --- one column ------------------------------------------------------------------------------------------------


def show_one(ask: PageRequest) -> Response:
    """Show everything that can be said about one column."""
    table = ask.workspace.opened
    name = ask.raw("column")
    looked = next((x for x in table.looked.columns if x.name == name), None)
    if looked is None:
        raise OptionError("There is no such column.", hint="choose one of the list.")
    plan = table.plan
    column = plan.columns.get(name, looked.column()) if plan is not None else looked.column()
    found: Check | None = ask.workspace.check()
    checked = next((x for x in found.columns if x.name == name), None) if found else None
    return render(
        ask, "column.html", looked=looked, column=column, what=ask.raw("what") or forms.what_of(column),
        root=ask.text("root", forms.root_of(column)), whats=forms.whats(ontologies(table), column), roles=forms.ROLES,
        meant=forms.MEANT, measures=list(MEASURES), unmatched=UNMATCHED, languages=sorted(LANGUAGES), senses=SENSES,
        distances=DISTANCES, files=ontologies(table), examples=examples(table, name, 8), checked=checked,
        roots=editing.roots(checked) if checked is not None and checked.words else [],
        told=of_column(name, list(map(str, found.problems)) if found else []),
    )  # fmt: skip


def choose_one(ask: PageRequest) -> str:
    """Take everything that was said about one column."""
    table = ask.workspace.opened
    name = ask.raw("column")
    if name not in table.data.names:
        raise OptionError("There is no such column.", hint="choose one of the list.")
    before = table.plan.columns.get(name) if table.plan is not None else None
    role = known(ask.text("role"), list(forms.ROLES), "role")
    what = known(ask.raw("what"), list(forms.whats(ontologies(table), before)), "kind")
    known(ask.text("hierarchy"), ["", *ontologies(table)], "hierarchy")
    column = forms.detailed(ask, forms.chosen(role, what, ask.text("root"), before))
    if ask.raw("separator") in ("", before.separator if before is not None else ";"):  # none was said
        column = with_separator(table, name, column, before)
    problems = [f"column {name}: {x}" for x in column.problems()] or wrong_root(table, name, column, before)
    if problems:
        raise PlanError(problems)
    column, files = carried(table, name, column)
    begun = dict(table.plan.columns) if table.plan is not None else {x.name: x.column() for x in table.looked.columns}
    ask.workspace.change(ask.base, f"Column {name}", with_columns(table, begun | {name: column}), files)
    return address("/column", column=name)


def add_ontology(ask: PageRequest) -> str:
    """Take an ontology, a hierarchy or links for a column from a file."""
    table = ask.workspace.opened
    name = ask.raw("column")
    given = ask.files("file")
    if len(given) != 1 or table.plan is None:
        raise OptionError("No file was chosen.", hint="choose one.")
    use = known(ask.text("use"), ("ontology", "hierarchy", "links"), "use")
    file = safe_name(str(given[0].filename), "ontology")
    kept = table.steps.now.folder / file
    if kept.exists():
        file = f"{table.steps.now.number}-{file}"
    column = table.plan.columns.get(name)
    if column is None or column.role not in ("quasi", "sensitive"):
        raise OptionError(
            "Only a quasi-identifier or a sensitive column of the plan has files.", hint="choose its role first."
        )
    if use == "ontology":
        column = forms.chosen(column.role, f"file:{file}", "", column)
    else:
        column = replace(column, **({"hierarchy": file} if use == "hierarchy" else {"links": (file,)}))
    plan = with_columns(table, {**table.plan.columns, name: column})
    with ask.workspace.incoming() as folder:
        incoming = saved(given[0], folder / "file")
        editing.tried(use, incoming)
        ask.workspace.change(ask.base, f"{name}: {use} {file}", plan, {file: incoming})
    return address("/words" if use != "hierarchy" else "/column", column=name)
