"""The page of one hierarchy: edit it as a tree, and give its values concepts so that it can be scored."""

from __future__ import annotations

from starlette.responses import Response

from allonym.errors import OptionError
from allonym.pipeline.hierarchies import HierarchyScore, editor, settled_of
from allonym.pipeline.hierarchies.building import links_path
from allonym.pipeline.hierarchies.editor import Hierarchy
from allonym.pipeline.review import Sense, search, senses_of
from allonym.plan.column import Column
from allonym.studio.open_table import OpenTable
from allonym.studio.page_request import Page, PageRequest, address, require_choice
from allonym.studio.pages.hierarchies import find_hierarchy, known_concepts, links_file, scored
from allonym.studio.rendering import render

MAX_UNCLEAR = 40  # values shown at a time that need a concept
MAX_TREE_VALUES = 600  # of a larger tree, only the branch of the chosen value is shown


def show(request: PageRequest) -> Response:
    """Show a hierarchy as a tree that can be edited."""
    table = request.workspace.require_table()
    shown = scored(table, find_hierarchy(table, request.text("name")), request.text("ontology", "wordnet"))
    hierarchy = shown.hierarchy
    if hierarchy is None:
        raise OptionError(" ".join(map(str, shown.problems)))
    level = min(request.number("level"), hierarchy.height)
    value = request.raw("value") if request.raw("value") in hierarchy.values(level) else ""
    parents = hierarchy.values(level + 1) if value and level < hierarchy.height else []
    number = sum(len(hierarchy.values(i)) for i in range(hierarchy.height + 1))
    rows = range(MAX_UNCLEAR)
    return render(
        request,
        "hierarchy.html",
        shown=shown,
        hierarchy=hierarchy,
        top=editor.branches(hierarchy),
        losses=_losses(shown.score) if shown.score is not None else {},
        level=level,
        value=value,
        parents=parents,
        parent=next((row[level + 1] for row in hierarchy.rows if row[level] == value), "") if parents else "",
        branch=_branch(hierarchy, level, value),
        sense=_sense(table, shown.score, request.text("ontology", "wordnet"), value),
        whole_tree=number <= MAX_TREE_VALUES,
        uncertain=[x for x in shown.score.senses if x.status != "sure"] if shown.score is not None else [],
        unclear=_senses(table, shown.unclear[:MAX_UNCLEAR], request.text("ontology", "wordnet")),
        typed={request.raw(f"value-{i}"): request.text(f"means-{i}") for i in rows} if request.problems else {},
        wrong_values=request.wrong_values,
    )


def _branch(hierarchy: Hierarchy, level: int, value: str) -> set[tuple[int, str]]:
    """Return a value and those above it, each with its level."""
    row = next((row for row in hierarchy.rows if value and row[level] == value), ())
    return {(i, row[i]) for i in range(level, len(row))}


def _sense(table: OpenTable, score: HierarchyScore | None, ontology: str, value: str) -> Sense | None:
    """Return the concept by which a value is scored."""
    concept = score.concepts.get(value) if score is not None else None
    if concept is None:
        return None
    return search(Column("quasi", ontology=(ontology,)), table.folder, concept)[0]


def _senses(table: OpenTable, values: list[str], ontology: str) -> dict[str, list[Sense]]:
    """Return the senses that values without a sure concept may have."""
    return senses_of(Column("quasi", ontology=(ontology,)), table.folder, values) if values else {}


def _losses(score: HierarchyScore) -> dict[tuple[int, str], float]:
    """Return for every value above the leaves the largest loss of a leaf that becomes it."""
    losses: dict[tuple[int, str], float] = {}
    for x in score.transitions:
        key = (x.level, x.ancestor)
        losses[key] = max(losses.get(key, 0.0), x.loss)
    return losses


def edit(request: PageRequest) -> str:
    """Rename a value, move it, put it into a new group or remove it; or assign concepts."""
    if request.text("do") == "settle":
        return assign_concepts(request)
    table = request.workspace.require_table()
    path = find_hierarchy(table, request.text("name"))
    hierarchy = Hierarchy.read(path)
    level, value, name = request.number("level"), request.raw("value"), request.text("new")
    change = require_choice(request.text("do"), ("rename", "move", "group", "remove"), "change")
    if change == "rename":
        changed, value = editor.renamed(hierarchy, level, value, name), name
    elif change == "move":
        changed = editor.moved(hierarchy, level, value, request.raw("above"))
    elif change == "remove":
        changed = editor.removed(hierarchy, level, value)
        value = next(new[level] for new, old in zip(changed.rows, hierarchy.rows, strict=True) if old[level] == value)
    else:
        changed = editor.grouped(hierarchy, level, value, name)
    label = f"{path.name}: {change} at level {level}"
    request.workspace.change_plan(request.base, label, table.plan, {path.name: changed.to_csv().encode()})
    return address("/hierarchy", name=path.name, level=level, value=value) + "#change"


def assign_concepts(request: PageRequest) -> str:
    """Take the concepts that a person gave to values of a hierarchy."""
    table = request.workspace.require_table()
    path = find_hierarchy(table, request.text("name"))
    hierarchy, own = Hierarchy.read(path), links_path(path)
    rows = [i for i in range(MAX_UNCLEAR) if request.text(f"means-{i}")]
    if not rows:
        raise OptionError("No concept was given.", hint="type a word or an id beside a value.", code="no-concept")
    assigned = {request.raw(f"value-{i}"): request.text(f"means-{i}") for i in rows}
    concepts = {**(settled_of(own) if own.exists() else {}), **assigned}
    known = known_concepts(table, path, hierarchy)
    editor.unsure(hierarchy, settled=known | concepts)  # raises an error for unknown concepts
    label = f"{path.name}: {len(assigned)} concepts assigned"
    request.workspace.change_plan(request.base, label, table.plan, {own.name: links_file(concepts)})
    return address("/hierarchy", name=path.name)


PAGE = Page(
    "/hierarchy",
    show,
    parent="/hierarchies",
    query=("name", "level", "value", "ontology"),
    actions={"/hierarchy": edit},
)
