"""The Hierarchies page: compare hierarchies by their loss, build one from an ontology, import one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from starlette.responses import Response

from allonym.errors import AllonymError, OptionError, Problem
from allonym.pipeline.choices import named_ontologies, named_part
from allonym.pipeline.hierarchies import HierarchyScore, build, editor, score, settled_of
from allonym.pipeline.hierarchies.building import links_path
from allonym.pipeline.hierarchies.editor import Hierarchy
from allonym.studio import forms
from allonym.studio.history import safe_name
from allonym.studio.jobs import Job, JobKind, Tick
from allonym.studio.open_table import OpenTable
from allonym.studio.page_request import Page, PageRequest, address, require_choice
from allonym.studio.plan_upload import save_upload
from allonym.studio.rendering import render
from allonym.studio.results import no_plan

HIERARCHY_ENDING = ".vgh.csv"
DEFAULT_LEVELS = 3


@dataclass
class ScoredHierarchy:
    """A hierarchy with its loss, or the reasons why it has none."""

    file: str
    used_by: list[str]  # columns
    hierarchy: Hierarchy | None = None
    score: HierarchyScore | None = None
    unclear: list[str] = field(default_factory=list)  # values that have no concept, or several
    problems: tuple[Problem, ...] = ()


def show(request: PageRequest) -> Response:
    """Show the hierarchies with their losses, and the forms to add others."""
    table = request.workspace.table
    if table is None:
        return render(request, "hierarchies.html", hierarchies=[], columns=[], waiting=False)
    check = request.workspace.check()
    ontology = request.text("ontology", "wordnet")
    hierarchies = [scored(table, path, ontology) for path in hierarchy_paths(table)]
    scores = [x.score for x in hierarchies if x.score is not None]
    return render(
        request,
        "hierarchies.html",
        hierarchies=hierarchies,
        columns=[x.name for x in check.columns if x.words] if check is not None else [],
        best=_best(hierarchies),
        height=max((x.hierarchy.height for x in scores), default=0),
        ontology=ontology,
        ontologies={x.name: x.label for x in named_ontologies() if x.is_installed}
        | dict.fromkeys(table.ontology_files(), "uploaded file"),
        column=request.raw("column"),
        levels=request.number("levels", DEFAULT_LEVELS),
        values=request.text("values"),
        waiting=check is None,
    )


def _best(hierarchies: Sequence[ScoredHierarchy]) -> set[str]:
    """Return the files of the hierarchies with the smallest loss among those of the same leaves."""
    losses: dict[frozenset[str], list[tuple[float, str]]] = {}
    for x in hierarchies:
        if x.score is not None:
            losses.setdefault(frozenset(x.score.hierarchy.leaves), []).append((x.score.comparable_value, x.file))
    return {file for own in losses.values() if len(own) > 1 for loss, file in own if loss == min(own)[0]}


def hierarchy_paths(table: OpenTable) -> list[Path]:
    """Return the files that are hierarchies."""
    present = sorted(x for x in table.folder.iterdir() if x.name.endswith(HIERARCHY_ENDING))
    named = [table.folder / str(x.hierarchy) for x in table.plan_columns.values() if x.hierarchy]
    return list(dict.fromkeys([*present, *named]))


def find_hierarchy(table: OpenTable, name: str) -> Path:
    """Return the file of a hierarchy by its name."""
    return table.folder / require_choice(name, [x.name for x in hierarchy_paths(table)], "hierarchy")


def users(table: OpenTable, path: Path) -> list[str]:
    """Return the columns that use a hierarchy."""
    columns = table.plan_columns.items()
    return [name for name, x in columns if path.name in (str(x.hierarchy), *map(str, x.ontology))]


def scored(table: OpenTable, path: Path, ontology: str) -> ScoredHierarchy:
    """Return a hierarchy with its loss, or the reasons why it has none."""
    result = ScoredHierarchy(path.name, users(table, path))
    try:
        result.hierarchy = Hierarchy.read(path)
        ontology = _ontology(table, ontology)
        concepts = known_concepts(table, path, result.hierarchy)
        result.unclear = editor.unsure(result.hierarchy, ontology, concepts)
        result.score = score(result.hierarchy, ontology, concepts) if not result.unclear else None
    except AllonymError as error:
        result.problems = error.problems
    return result


def _ontology(table: OpenTable, name: str) -> str:
    """Return an ontology by its name, of the catalog or added, or an uploaded file; no other file is ever opened."""
    if named_part(name):
        return name
    file, mark, root = name.partition("#")
    return f"{table.folder / require_choice(file, ['wordnet', *table.ontology_files()], 'ontology')}{mark}{root}"


def known_concepts(table: OpenTable, path: Path, hierarchy: Hierarchy) -> dict[str, str]:
    """Return the concepts of values: from the links of columns, then from the links file of the hierarchy."""
    columns = table.plan_columns.values()
    files = [table.folder / x for column in columns for x in column.links if isinstance(x, str)]
    own = links_path(path)
    concepts: dict[str, str] = {}
    for file in [*files, *([own] if own.exists() else [])]:
        concepts |= {value: concept for value, concept in settled_of(file).items() if concept}
    values = {value for row in hierarchy.rows for value in row}
    return {value: concept for value, concept in concepts.items() if value in values}


def links_file(concepts: Mapping[str, str]) -> bytes:
    """Return the content of a links file."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([("value", "concept"), *concepts.items()])
    return text.getvalue().encode()


# --- actions -----------------------------------------------------------------------------------------------------


def import_file(request: PageRequest) -> str:
    """Import an uploaded hierarchy."""
    table = request.workspace.require_table()
    upload = request.one_file("file", "leaf;level 1;…;top as in ARX, or a JSON tree.")
    with request.workspace.upload_folder() as folder:
        hierarchy = editor.read(save_upload(upload, folder / "file"))
    name = _new_name(table, str(upload.filename))
    request.workspace.change_plan(request.base, f"Hierarchy {name}", table.plan, {name: hierarchy.to_csv().encode()})
    return "/hierarchies"


def _new_name(table: OpenTable, name: str) -> str:
    """Return a file name for a hierarchy that no other file has."""
    stem = re.sub(r"(\.vgh)?\.(csv|json|txt)$", "", safe_name(name, "hierarchy"), flags=re.I) or "hierarchy"
    taken, number, new = {x.name for x in table.folder.iterdir()}, 1, f"{stem}{HIERARCHY_ENDING}"
    while new in taken:
        number += 1
        new = f"{stem}-{number}{HIERARCHY_ENDING}"
    return new


def remove(request: PageRequest, table: OpenTable, path: Path) -> str:
    """Remove a hierarchy that no column uses."""
    used_by = users(table, path)
    if used_by:
        raise OptionError(
            f"{path.name} is used by column {used_by[0]}.",
            hint="choose another one for the column first.",
            code="in-use",
        )
    version = request.workspace.change_plan(request.base, f"Removed {path.name}", table.plan, {path.name: b""})
    (version.folder / path.name).unlink()
    return "/hierarchies"


def use(request: PageRequest, table: OpenTable, path: Path) -> str:
    """Make a hierarchy the ontology of a column, as `generalise` needs it."""
    if table.plan is None:
        raise no_plan()
    quasi = [name for name, column in table.plan.columns.items() if column.role == "quasi"]
    name = require_choice(request.raw("column"), quasi, "column")
    column = forms.column_of("quasi", f"{forms.FILE}{path.name}", "", table.plan.columns[name])
    plan = replace(table.plan, columns={**table.plan.columns, name: column})
    request.workspace.change_plan(request.base, f"{name}: matched with {path.name}", plan)
    return address("/words", column=name)


def change(request: PageRequest) -> str:
    """Import, remove or use a hierarchy."""
    action = {"remove": remove, "use": use}.get(request.text("do"))
    if action is None:
        return import_file(request)
    table = request.workspace.require_table()
    return action(request, table, find_hierarchy(table, request.text("name")))


def build_hierarchy(request: PageRequest) -> Job:
    """Build a hierarchy for the matched values of a column."""
    table, base, levels = request.workspace.require_table(), request.base, request.number("levels", DEFAULT_LEVELS)
    check = request.workspace.check(seconds=60)
    columns = {x.name: x for x in check.columns if x.words} if check is not None else {}
    column = columns[require_choice(request.raw("column"), columns, "column")]
    links = column.words[0]
    matched = [x for x in links.present if x.concept is not None]
    concepts = {x.value: links.scope.taxonomy.ids[x.concept] for x in matched if x.concept is not None}
    counts = {x.value: x.count for x in matched}
    if not re.fullmatch(r"(\d{1,9}([,;\s]+|$))*", request.text("values")):
        hint = "write whole numbers from the lowest level up, such as 10, 4, 1."
        raise OptionError("The number of values per level is not valid.", hint=hint, code="invalid-limits")
    limits = [int(x) for x in re.findall(r"\d+", request.text("values"))] or None

    def work(tick: Tick) -> None:
        built = build(counts, links.scope, concepts, levels=levels, limits=limits, name=column.name)
        name = _new_name(table, column.name)
        files: dict[str, bytes | Path] = {name: built.hierarchy.to_csv().encode()}
        files[links_path(Path(name)).name] = links_file(built.concepts)  # so that it can be scored at once
        request.workspace.change_plan(base, f"Built {name}", table.plan, files)

    next_page = address("/hierarchies", column=column.name, levels=levels, values=request.text("values"))
    return request.workspace.start_job(JobKind.BUILD_HIERARCHY, "Building a hierarchy", work, next_page)


PAGE = Page("/hierarchies", show, query=("ontology",), actions={"/hierarchies": change, "/build": build_hierarchy})
