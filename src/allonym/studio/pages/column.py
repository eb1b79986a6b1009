"""The page of one column: all its options, and files for it."""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from allonym.errors import OptionError, PlanError
from allonym.pipeline import review
from allonym.pipeline.choices import named_ontologies, ontologies_of
from allonym.studio import forms
from allonym.studio.history import safe_name
from allonym.studio.page_request import Page, PageRequest, address, require_choice
from allonym.studio.pages.columns import examples, other_problems, root_problems, with_separator
from allonym.studio.plan_upload import save_upload
from allonym.studio.rendering import render

USES = {
    "ontology": "ontology (OBO, OWL, SKOS, WN-LMF, MeSH, CSV or ARX hierarchy)",
    "links": "reviewed links (columns: value, concept)",
    "hierarchy": "hierarchy for fusion or recoding",
    "abbreviations": "abbreviations (columns: short, long)",
}


def show(request: PageRequest) -> Response:
    """Show the options of a column."""
    table = request.workspace.require_table()
    name = request.raw("column")
    inspected = next((x for x in table.inspection.columns if x.name == name), None)
    if inspected is None:
        raise _no_column()
    column = table.plan_columns.get(name, inspected.column())
    check = request.workspace.check()
    column_check = next((x for x in check.columns if x.name == name), None) if check is not None else None
    problems = other_problems(check.problems if check is not None else ())
    files = table.ontology_files()
    return render(
        request,
        "column.html",
        inspected=inspected,
        column=column,
        column_check=column_check,
        content=request.raw("what") or forms.content_of(column),
        root=request.text("root", forms.root_of(column)),
        contents=forms.contents(files, column),
        roles=forms.ROLES,
        field_groups=forms.field_groups(forms.column_fields(column, files)),
        uses=USES,
        column_ontologies=ontologies_of(column_check.words) if column_check is not None else [],
        named_ontologies=named_ontologies(),
        examples=examples(table, name, 8),
        roots=review.roots(column_check) if column_check is not None and column_check.words else [],
        column_problems=request.without_paths(x for x in problems if x.column == name),
    )


def _no_column() -> OptionError:
    return OptionError("There is no such column.", hint="choose a column of the table.", code="no-column")


def choose(request: PageRequest) -> str:
    """Take the role, content and options of a column."""
    table = request.workspace.require_table()
    name = request.raw("column")
    if name not in table.data.names:
        raise _no_column()
    before = table.plan_columns.get(name)
    files = table.ontology_files()
    role = require_choice(request.text("role"), forms.ROLES, "role")
    content = require_choice(request.raw("what"), forms.contents(files, before), "kind")
    for option in ("hierarchy", "abbreviations"):
        require_choice(request.text(option), ["", *files], option)
    column = forms.with_options(request, forms.column_of(role, content, request.text("root"), before))
    if request.raw("separator") in ("", before.separator if before is not None else ";"):  # unchanged
        column = with_separator(table, name, column, before)
    problems = root_problems(table, name, column, before)
    if problems:
        raise PlanError(problems)
    column, links = table.with_reviewed_links(name, column)
    columns = table.plan_columns or {x.name: x.column() for x in table.inspection.columns}
    plan = table.with_columns({**columns, name: column})
    request.workspace.change_plan(request.base, f"Column {name}", plan, links)
    return address("/column", column=name)


def add_file(request: PageRequest) -> str:
    """Take an uploaded ontology, hierarchy, abbreviations or links file for a column."""
    table = request.workspace.require_table()
    name, upload = request.raw("column"), request.one_file("file")
    use = require_choice(request.text("use"), USES, "use")
    file = safe_name(str(upload.filename), "ontology")
    if (table.folder / file).exists():
        file = f"{table.history.current.number}-{file}"
    column = table.plan_columns.get(name)
    if column is None or column.role not in forms.MASKED_ROLES:
        raise OptionError(
            "Only quasi-identifiers and sensitive columns take files.", hint="set its role first.", code="no-role"
        )
    if use == "ontology":
        column = forms.column_of(column.role, f"{forms.FILE}{file}", "", column)
    else:
        column = replace(column, **({"links": (file,)} if use == "links" else {use: file}))
    plan = table.with_columns({**table.plan_columns, name: column})
    with request.workspace.upload_folder() as folder:
        path = save_upload(upload, folder / "file")
        review.tried(use, path)
        request.workspace.change_plan(request.base, f"{name}: {use} {file}", plan, {file: path})
    return address("/words" if use != "hierarchy" else "/column", column=name)


PAGE = Page("/column", show, parent="/columns", query=("column",), actions={"/column": choose, "/ontology": add_file})
