"""Hierarchies: score and compare them, build one from an ontology, edit one as a tree."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.responses import Response

from allonym.errors import AllonymError, OptionError
from allonym.pipeline import hierarchy_editor as trees
from allonym.pipeline.hierarchies import HierarchyScore, build, score, settled_of
from allonym.pipeline.hierarchy_editor import Hierarchy
from allonym.studio import forms
from allonym.studio.history import safe_name
from allonym.studio.jobs import Job, Tick, problems_of
from allonym.studio.page_request import PageRequest, address, known, render
from allonym.studio.pages.columns import ontologies
from allonym.studio.pages.data import saved
from allonym.studio.workspace import Table

ENDING = ".vgh.csv"
MOST = 40  # words of a hierarchy that are settled at a time
SHOWN = 600  # branches of a tree on a page


def show(ask: PageRequest) -> Response:
    """Show the hierarchies there are, what they lose, and how to make others."""
    table = ask.workspace.table
    asked = {x.name for x in _paths(table)} if table is not None and ask.problems else set()
    if ask.text("do") == "settle" and ask.text("name") in asked:
        return show_one(ask)  # that is where the mistake was made
    if table is None:
        return render(ask, "hierarchies.html", there=[], columns=[], waiting=False)
    found = ask.workspace.check()
    there = [_scored(table, path, ask.text("ontology", "wordnet")) for path in _paths(table)]
    best = min((x["scored"].value for x in there if x["scored"] is not None), default=None)
    worded = [x.name for x in found.columns if x.words] if found is not None else []
    return render(
        ask, "hierarchies.html", there=there, columns=worded, best=best, ontology=ask.text("ontology", "wordnet"),
        column=ask.raw("column"), levels=ask.number("levels", 3), values=ask.text("values"), waiting=found is None,
        highest=max((x["scored"].hierarchy.height for x in there if x["scored"] is not None), default=0),
    )  # fmt: skip


def _paths(table: Table) -> list[Path]:
    """Return the files that are hierarchies."""
    here = sorted(x for x in table.steps.now.folder.iterdir() if x.name.endswith(ENDING))
    named = [c.hierarchy for c in (table.plan.columns.values() if table.plan else []) if c.hierarchy]
    return list(dict.fromkeys([*here, *(table.steps.now.folder / str(x) for x in named)]))


def _scored(table: Table, path: Path, ontology: str) -> dict[str, Any]:
    """Return a hierarchy with what it loses, or why that cannot be told."""
    told: dict[str, Any] = {"file": path.name, "hierarchy": None, "scored": None, "why": [], "unsure": [], "used": []}
    columns = table.plan.columns if table.plan is not None else {}
    told["used"] = [x for x, c in columns.items() if path.name in (str(c.hierarchy), *map(str, c.ontology))]
    try:
        hierarchy = told["hierarchy"] = Hierarchy.read(path)
        ontology = _ontology(table, ontology)
        meant = trees.usual_meanings(hierarchy, ontology) | _links(table, path, hierarchy)
        told["unsure"] = trees.unsure(hierarchy, ontology, meant)
        told["scored"] = score(hierarchy, ontology, meant) if not told["unsure"] else None
    except AllonymError as error:
        told["why"] = problems_of(error)
    return told


def _ontology(table: Table, name: str) -> str:
    """Return an ontology by its name: the bundled one, or a file that was given; no other file is ever opened."""
    if name.partition(":")[0] == "wordnet":
        return name
    file, split, root = name.partition("#")
    return f"{table.steps.now.folder / known(file, ['wordnet', *ontologies(table)], 'ontology')}{split}{root}"


def _links(table: Table, path: Path, hierarchy: Hierarchy) -> dict[str, str]:
    """Return what words of hierarchies mean: as settled beside one, or in the columns of the plan."""
    beside = path.with_name(_words_of(path))
    columns = table.plan.columns.values() if table.plan is not None else []
    files = [table.steps.now.folder / str(x) for c in columns for x in c.links if isinstance(x, str)]
    found: dict[str, str] = {}
    for file in [*files, *([beside] if beside.exists() else [])]:
        found |= {x: y for x, y in settled_of(file).items() if y}
    values = {x for row in hierarchy.rows for x in row}
    return {x: y for x, y in found.items() if x in values}


def _words_of(path: Path) -> str:
    """Return the file in which the words of a hierarchy are settled."""
    return path.name.removesuffix(".csv") + ".links.csv"


def _settle(ask: PageRequest, table: Table, path: Path) -> str:
    """Take what words of a hierarchy mean."""
    hierarchy = Hierarchy.read(path)
    beside = path.with_name(_words_of(path))
    meant = settled_of(beside) if beside.exists() else {}
    given = {ask.raw(f"value-{i}"): ask.text(f"means-{i}") for i in range(MOST) if ask.text(f"means-{i}")}
    if not given:
        raise OptionError("No meaning was given.", hint="type a word or an id beside a value.")
    new = {**meant, **given}
    trees.unsure(hierarchy, settled=trees.usual_meanings(hierarchy) | _links(table, path, hierarchy) | new)  # or refuse
    label = f"{path.name}: {len(given)} words settled"
    ask.workspace.change(ask.base, label, table.plan, {beside.name: _links_file(new)})
    return address("/hierarchy", name=path.name)


def _links_file(meant: Mapping[str, str]) -> bytes:
    """Return a links file of what words mean."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([("value", "concept"), *meant.items()])
    return text.getvalue().encode()


def add(ask: PageRequest) -> str:
    """Take a hierarchy from a file; remove one; or use one for a column."""
    table = ask.workspace.opened
    do, name = ask.text("do"), ask.text("name")
    if do in (doings := {"remove": _remove, "use": _use, "settle": _settle}):
        return doings[do](ask, table, _known(table, name))
    given = ask.files("file")
    if len(given) != 1:
        raise OptionError("No file was chosen.", hint="leaf;level 1;…;top as ARX has it, or a tree in JSON.")
    with ask.workspace.incoming() as folder:
        hierarchy = trees.read(saved(given[0], folder / "file"))
    new = _name(table, str(given[0].filename))
    ask.workspace.change(ask.base, f"Hierarchy {new}", table.plan, {new: hierarchy.to_csv().encode()})
    return "/hierarchies"


def _name(table: Table, wanted: str) -> str:
    stem = re.sub(r"(\.vgh)?\.(csv|json|txt)$", "", safe_name(wanted, "hierarchy"), flags=re.I) or "hierarchy"
    taken, number, name = {x.name for x in table.steps.now.folder.iterdir()}, 1, f"{stem}{ENDING}"
    while name in taken:
        number += 1
        name = f"{stem}-{number}{ENDING}"
    return name


def _known(table: Table, name: str) -> Path:
    return table.steps.now.folder / known(name, [x.name for x in _paths(table)], "hierarchy")


def _remove(ask: PageRequest, table: Table, path: Path) -> str:
    columns = table.plan.columns if table.plan is not None else {}
    used = [x for x, c in columns.items() if path.name in (str(c.hierarchy), *map(str, c.ontology))]
    if used:
        raise OptionError(f"{path.name} is used by column {used[0]}.", hint="choose another for the column first.")
    step = ask.workspace.change(ask.base, f"Removed {path.name}", table.plan, {path.name: b""})
    (step.folder / path.name).unlink()
    return "/hierarchies"


def _use(ask: PageRequest, table: Table, path: Path) -> str:
    """Let a column be understood through a hierarchy, as `generalise` needs it."""
    if table.plan is None:
        raise OptionError("No column has a role yet.", hint="choose roles first.")
    column = known(ask.raw("column"), [x for x, c in table.plan.columns.items() if c.role == "quasi"], "column")
    chosen = forms.chosen("quasi", f"file:{path.name}", "", table.plan.columns[column])
    plan = replace(table.plan, columns={**table.plan.columns, column: chosen})
    ask.workspace.change(ask.base, f"{column}: through {path.name}", plan)
    return address("/words", column=column)


def build_one(ask: PageRequest) -> Job:
    """Build a hierarchy for the words of a column."""
    table = ask.workspace.opened
    found = ask.workspace.check(wait=60)
    worded = {x.name: x for x in found.columns if x.words} if found is not None else {}
    column = worded[known(ask.raw("column"), list(worded), "column")]
    words, base = column.words[0], ask.base
    meant = {x.value: words.scope.taxonomy.ids[x.concept] for x in words.here if x.concept is not None}
    counts = {x.value: x.count for x in words.here if x.concept is not None}
    if not re.fullmatch(r"(\d{1,9}([,;\s]+|$))*", ask.text("values")):
        raise OptionError("How many values may each level have?", hint="write whole numbers, such as 10, 4, 1.")
    limits = [int(x) for x in re.findall(r"\d+", ask.text("values"))] or None

    def work(tick: Tick) -> None:
        made = build(counts, words.scope, meant, levels=ask.number("levels", 3), limits=limits, name=column.name)
        name = _name(table, column.name)
        files: dict[str, bytes | Path] = {name: made.hierarchy.to_csv().encode()}
        files[_words_of(Path(name))] = _links_file(made.concepts)  # so that it can be scored at once
        ask.workspace.change(base, f"Built {name}", table.plan, files)

    then = address("/hierarchies", column=column.name, levels=ask.number("levels", 3), values=ask.text("values"))
    return ask.workspace.start("Building a hierarchy", work, then)


# --- one as a tree ---------------------------------------------------------------------------------------------


def show_one(ask: PageRequest) -> Response:
    """Show a hierarchy as a tree that can be edited."""
    table = ask.workspace.opened
    path = _known(table, ask.text("name"))
    told = _scored(table, path, ask.text("ontology", "wordnet"))
    hierarchy: Hierarchy | None = told["hierarchy"]
    if hierarchy is None:
        raise OptionError(" ".join(told["why"]))
    top = trees.branches(hierarchy)
    losses = dict(_losses(told["scored"])) if told["scored"] is not None else {}
    values = sum(len(hierarchy.values(i)) for i in range(hierarchy.height + 1))
    level = min(ask.number("level"), hierarchy.height)
    value = ask.raw("value") if ask.raw("value") in hierarchy.values(level) else ""
    above = hierarchy.values(level + 1) if value and level < hierarchy.height else []
    parent = next((row[level + 1] for row in hierarchy.rows if row[level] == value), "") if above else ""
    typed = {ask.raw(f"value-{i}"): ask.text(f"means-{i}") for i in range(MOST)} if ask.problems else {}
    return render(
        ask, "hierarchy.html", typed=typed, wrong=ask.wrong, told=told, hierarchy=hierarchy,
        top=top, losses=losses, level=level, value=value,
        above=above, parent=parent, way=_way(hierarchy, level, value), few=values <= SHOWN,
    )  # fmt: skip


def _way(hierarchy: Hierarchy, level: int, value: str) -> set[tuple[int, str]]:
    """Return a value and those above it: of a large tree, only what is below these is shown."""
    row = next((row for row in hierarchy.rows if value and row[level] == value), ())
    return {(i, row[i]) for i in range(level, len(row))}


def _losses(scored: HierarchyScore) -> Iterator[tuple[tuple[int, str], float]]:
    """Yield for every value above the leaves the most that a leaf loses by becoming it."""
    most: dict[tuple[int, str], float] = {}
    for x in scored.transitions:
        key = (x.level, x.ancestor)
        most[key] = max(most.get(key, 0.0), x.loss)
    yield from most.items()


def edit(ask: PageRequest) -> str:
    """Change a hierarchy: rename a value, move it under another, give it a group of its own, or do without it."""
    table = ask.workspace.opened
    path = _known(table, ask.text("name"))
    hierarchy = Hierarchy.read(path)
    level, value, name = ask.number("level"), ask.raw("value"), ask.text("new")
    do = known(ask.text("do"), ("rename", "move", "group", "remove"), "change")
    if do == "rename":
        changed, value = trees.renamed(hierarchy, level, value, name), name
    elif do == "move":
        changed = trees.moved(hierarchy, level, value, ask.raw("above"))
    elif do == "remove":
        changed = trees.removed(hierarchy, level, value)
        value = next(row[level] for row, old in zip(changed.rows, hierarchy.rows, strict=True) if old[level] == value)
    else:
        changed = trees.grouped(hierarchy, level, value, name)
    label = f"{path.name}: {do} at level {level}"
    ask.workspace.change(ask.base, label, table.plan, {path.name: changed.to_csv().encode()})
    return address("/hierarchy", name=path.name, level=level, value=value) + "#change"
