"""The Matches page: how values were matched with concepts; a person reviews and corrects it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.responses import JSONResponse, Response

from allonym.errors import OptionError
from allonym.pipeline import review as reviewing
from allonym.pipeline.check import Check, ColumnCheck, links_name
from allonym.pipeline.choices import ACCEPT, REST, UNMATCHED, elsewhere
from allonym.pipeline.review import HAND, NOTHING, Review, Word
from allonym.plan import Plan
from allonym.plan.column import Column
from allonym.studio import forms
from allonym.studio.history import safe_name
from allonym.studio.open_table import OpenTable
from allonym.studio.page_request import ROWS_PER_PAGE, Page, PageRequest, address, page_of, require_choice
from allonym.studio.pages.columns import other_problems
from allonym.studio.rendering import render

STATUSES = {
    "review": "To review",
    "unmatched": "Unmatched",
    "sure": "Matched",
    "": "All",
    HAND: "Set by you",
}
REASONS = {
    "settled": "from the links file",
    "id": "concept id",
    "notation": "concept code",
    "finer-code": "code below the concept's",
    "doubtful-code": "code in doubt",
    "exact": "exact match",
    "spelling": "spelling variant",
    "inflection": "inflected form",
    "inverted": "words in another order",
    "abbreviation": "abbreviation",
    "derived": "related noun",
    "stem": "same stem",
    "head": "head word",
    "part": "part of the value",
    "longer": "beginning of a longer name",
    "similar": "similar spelling",
    "nearest": "similar labels",
    "suggested": "first suggestion",
    "outside": "match outside the root",
    "individual": "proper name",
    "unknown": "no match",
}
MAX_ROOTS = 5  # proposed for a column
KEEP_MATCH, NO_MATCH = "as-it-is", "nothing"  # choices of the form besides concepts


def show(request: PageRequest) -> Response:
    """Show the values of a column with their matches, page by page."""
    table = request.workspace.table
    check = request.workspace.check() if table is not None else None
    columns = _text_columns(table, check) if table is not None and check is not None else []
    if table is None or check is None or table.plan is None or not columns:
        waiting = table is not None and check is None
        problems = request.without_paths(check.problems if check is not None else ())
        return render(request, "words.html", columns=[], waiting=waiting, column_problems=problems)
    plan = table.plan
    current = next((x for x in columns if x.name == request.raw("column")), None) or _most_urgent(plan, columns)
    column = plan.columns[current.name]
    typed = {name: x for name, x in request.form.items() if isinstance(x, str)} if request.problems else {}
    blocking = [x.name for x in columns if blocks_masking(plan, x)]
    return render(
        request,
        "words.html",
        waiting=False,
        columns=columns,
        current=current,
        column=column,
        typed=typed,
        content=forms.content_of(column),
        root=forms.root_of(column),
        ontologies=forms.ontologies(table.ontology_files(), column),
        labels=forms.POLICY_LABELS,
        column_problems=request.without_paths(_column_problems(check, current.name)),
        next_column=next((name for name in blocking if name != current.name), ""),
        blocking=blocking,
        **(_values(request, current, column) if current.words else {"roots": []}),
    )


def _values(request: PageRequest, current: ColumnCheck, column: Column) -> dict[str, Any]:
    """Return a page of the values of a column."""
    review = _review(request, current, column)
    counts, status, find = review.counts(), _status(request), request.text("find")
    if status not in STATUSES:
        status = next((x for x in ("review", "unmatched") if counts[x]), "")
    links = review.with_status(status, find)
    page, pages = page_of(len(links), request.page)
    values = review.words(links[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE])
    return {
        "ontology": review.place, "progress": review.progress, "counts": counts, "statuses": STATUSES,
        "status": status, "find": find, "values": values, "page": page, "pages": pages, "number": len(links),
        "reasons": REASONS,
        "outside": {x.value: elsewhere(review.scope, x.value, column.language) for x in values if _is_outside(x)},
        "roots": reviewing.roots(current, review.place)[:MAX_ROOTS], "keep_match": KEEP_MATCH, "no_match": NO_MATCH,
        "wrong_values": request.wrong_values, "focus": min(request.number("at"), len(values)),
        "selected": request.form.getlist("pick") if request.problems else [],
    }  # fmt: skip


def _review(request: PageRequest, current: ColumnCheck, column: Column) -> Review:
    return Review(current, min(request.number("ontology"), len(current.words) - 1), column.language)


def _column_problems(check: Check, name: str) -> list[Any]:
    return [x for x in other_problems(check.problems) if x.column == name]


def _text_columns(table: OpenTable, check: Check) -> list[ColumnCheck]:
    """Return the columns whose values are matched, or could not be because their root or links are wrong."""

    def failed(checked: ColumnCheck) -> bool:
        column = table.plan_columns.get(checked.name)
        if column is None or checked.kind not in ("text", "set") or column.elements != "text":
            return False
        return bool(_column_problems(check, checked.name))

    return [x for x in check.columns if x.words or failed(x)]


def _is_outside(word: Word) -> bool:
    """Return whether a value matches outside the root only; suggestions by spelling would be wrong for it."""
    return word.sense is None and word.reason == "outside"


def blocks_masking(plan: Plan, checked: ColumnCheck) -> bool:
    """Return whether values of a column must be resolved before masking."""
    return bool(plan.columns[checked.name].blocking([*checked.review, *checked.unmatched]))


def _status(request: PageRequest) -> str:
    """Return the filter; in addresses, all values are named `all`, since empty parameters are left out."""
    status = request.text("status", "-")
    return "" if status == "all" else status or "-"


def _most_urgent(plan: Plan, columns: list[ColumnCheck]) -> ColumnCheck:
    """Return the column that needs review most."""
    return max(columns, key=lambda x: (blocks_masking(plan, x), not x.words, len(x.review) + len(x.unmatched)))


# --- changing matches --------------------------------------------------------------------------------------------


def set_matches(request: PageRequest) -> str:
    """Take the concepts that a person chose for values."""
    table, name, action = request.workspace.require_table(), request.raw("column"), request.text("do", "apply")
    if action == "apply" and request.text("bulk"):  # Enter in the bulk field presses the first button
        action = "set"
    check = request.workspace.check(seconds=60)
    current = next((x for x in check.columns if x.name == name and x.words), None) if check is not None else None
    if current is None or table.plan is None:
        raise _no_column()
    column = table.plan.columns[name]
    review = _review(request, current, column)
    values = _form_values(request, review)
    changes = _changes(request, review, action, values)
    links, files = _links_files(table, column, review, changes)
    plan = replace(table.plan, columns={**table.plan.columns, name: replace(column, links=links)})
    request.workspace.change_plan(request.base, f"{name}: {_label(changes)}", plan, files)
    return address(
        "/words",
        column=name,
        ontology=review.place,
        status=request.text("status"),
        find=request.text("find"),
        page=request.page if action == "apply" else 1,
        at=_next_row(request, review, values),
    )


def _no_column() -> OptionError:
    return OptionError("There is no such text column.", hint="choose a column of the list.", code="no-column")


def _next_row(request: PageRequest, review: Review, values: Mapping[int, str]) -> int:
    """Return the row to focus, from 1: the one after the row that was changed, or the first."""
    row = request.text("one") or request.text("cluster") or request.text("suggest").partition(" ")[0]
    if not row.isdecimal():
        return 1
    stays = (
        review.column.words[review.place].to_review[values[int(row)]].status == "sure"
    )  # else the next takes its place
    return int(row) + (2 if stays else 1)


def _label(changes: Mapping[str, str | None]) -> str:
    if len(changes) > 1:
        return f"{len(changes):,} matches set"
    ((value, concept),) = changes.items()
    shown = value if len(value) <= 30 else value[:29] + "…"
    return f"{shown} {'accepted' if concept is None else f'= {concept}' if concept else 'has no match'}"


def _form_values(request: PageRequest, review: Review) -> dict[int, str]:
    """Return the values that the form shows, by row."""
    values = {i: request.raw(f"value-{i}") for i in range(ROWS_PER_PAGE) if f"value-{i}" in request.form}
    present = {x.value for x in review.column.words[review.place].present}
    by_line = {" ".join(x.splitlines()): x for x in present}  # browsers change line ends
    values = {i: x if x in present else by_line.get(" ".join(x.splitlines()), x) for i, x in values.items()}
    buttons = (request.text("one"), request.text("cluster"), request.text("suggest").partition(" ")[0])
    rows = [x for x in buttons if x.isdecimal()]
    if not present.issuperset(values.values()) or any(int(x) not in values for x in rows):
        raise OptionError("A value of this list is no longer in the column.", hint="reload the list.", code="no-value")
    return values


def _changes(request: PageRequest, review: Review, action: str, values: Mapping[int, str]) -> dict[str, str | None]:
    """Return the changed values with their concepts: by the button pressed, and by the choice of each row."""
    chosen = _row_choices(request, values)
    row, _, concept = request.text("suggest").partition(" ")
    if request.text("one").isdecimal():
        return {**chosen, values[int(request.text("one"))]: None}
    if row.isdecimal():
        return {**chosen, values[int(row)]: concept}
    if request.text("cluster").isdecimal():
        return chosen | _cluster_changes(review, values[int(request.text("cluster"))], chosen)
    changes = _bulk_changes(request, review, action, values) if action != "apply" else chosen
    if not changes:
        raise OptionError("Nothing was changed.", hint="choose a concept, or select values first.", code="no-change")
    return changes | chosen if action in ("accept", "accept-all") else chosen | changes


def _cluster_changes(review: Review, value: str, chosen: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the changes that give all spellings of a value one concept: the one chosen, proposed or settled."""
    (word,) = review.words([review.column.words[review.place].to_review[value]])
    sense = word.cluster or word.sense
    concept = chosen.get(value) if value in chosen else sense.id if sense is not None else None
    if concept is None:
        raise OptionError(
            "No concept was given for these spellings.", hint="choose one in their row first.", code="no-concept"
        )
    return dict.fromkeys([value, *word.variants], concept)


def _bulk_changes(
    request: PageRequest, review: Review, action: str, values: Mapping[int, str]
) -> dict[str, str | None]:
    """Return the changes to the selected values, or to all values of the list."""
    if action == "accept-all":
        status = require_choice(_status(request), STATUSES, "status")
        selected = [x.value for x in review.with_status(status, request.text("find"))]
    else:
        rows = [int(x) for x in request.form.getlist("pick") if isinstance(x, str) and x.isdecimal()]
        selected = [values[row] for row in rows if row in values]
    if action == "set" and not request.text("bulk"):
        raise OptionError(
            "No concept was given for the selected values.", hint="type a word or an id beside the button.",
            code="no-concept",
        )  # fmt: skip
    if action == "set" and not selected:
        raise OptionError(
            "No value is selected.", hint="select values, or clear the field beside Set.", code="no-selection"
        )
    if action in ("set", "nothing"):
        return dict.fromkeys(selected, request.text("bulk") if action == "set" else NOTHING)
    links = {x.value: x for x in review.column.words[review.place].present}
    if action != "suggest":
        return {x: None for x in selected if x in links and links[x].concept is not None}
    words = review.words([links[x] for x in selected if x in links])
    if words and all(map(_is_outside, words)):
        raise OptionError(
            "The selected values match outside the root only; suggestions by spelling do not fit them.",
            hint="choose their senses row by row, or a more general root.",
            code="outside-root",
        )
    return {x.value: x.suggestions[0] for x in words if x.suggestions and not _is_outside(x)}


def _row_choices(request: PageRequest, values: Mapping[int, str]) -> dict[str, str | None]:
    """Return the values for which a concept was chosen or typed."""
    changes: dict[str, str | None] = {}
    for i, value in values.items():
        typed, sense = request.text(f"other-{i}"), request.text(f"sense-{i}", KEEP_MATCH)
        if typed:
            changes[value] = typed
        elif sense != KEEP_MATCH:
            changes[value] = NOTHING if sense == NO_MATCH else sense
    return changes


def _links_files(
    table: OpenTable, column: Column, review: Review, changes: Mapping[str, str | None]
) -> tuple[tuple[Any, ...], dict[str, bytes | Any]]:
    """Return the links of the column, and the contents of the links files that change: one file per ontology."""
    number = len(review.column.words)
    names = [safe_name(links_name(review.column.name, i, number)) for i in range(number)]
    links: list[Any] = list(column.links) or list(names)
    if not column.links and (table.folder / names[review.place]).exists():
        links[review.place] = f"{table.history.current.number}-{names[review.place]}"
    files = {str(links[review.place]): review.settled(changes).encode()}
    for i, name in enumerate(links):
        if not column.links and i != review.place:
            files[str(name)] = replace(review, place=i).settled({}).encode()
    return tuple(links), files


# --- matching again ----------------------------------------------------------------------------------------------


def match_again(request: PageRequest) -> str:
    """Match a column with another ontology or root, or treat unmatched values differently."""
    table, name = request.workspace.require_table(), request.raw("column")
    before = table.plan_columns.get(name)
    if before is None or before.role not in forms.MASKED_ROLES:
        raise _no_column()
    content = require_choice(request.raw("what"), forms.ontologies(table.ontology_files(), before), "ontology")
    root = request.text("root")
    column = forms.column_of(before.role, content, root, before)
    if before.role == "quasi":
        column = replace(column, **_policies(request))
    column, files = (column, {}) if request.flag("forget") else table.with_reviewed_links(name, column)
    plan = table.with_columns({**table.plan_columns, name: column})
    label = f"{name}: {content.removeprefix(forms.NAMED).removeprefix(forms.FILE)}{f', root {root}' if root else ''}"
    if (column.ontology, column.root) == (before.ontology, before.root):
        rest = f", rest = {column.rest}" if column.rest != "error" else ""
        label = f"{name}: unmatched = {column.unmatched}, accept = {column.accept}{rest}"
    if column.ontology != before.ontology:
        reviewing.search(column, table.folder, "")  # raises an error for an unknown root
    request.workspace.change_plan(request.base, label, plan, files)
    return "/method" if request.text("then") == "/method" else address("/words", column=name)


def _policies(request: PageRequest) -> dict[str, Any]:
    """Return which links of a column count, and what becomes of the other values; `accept_review` means review."""
    accept = request.text("accept") or ("review" if request.flag("accept_review") else "sure")
    return {
        "unmatched": require_choice(request.text("unmatched"), UNMATCHED, "unmatched"),
        "accept": require_choice(accept, ACCEPT, "accept"),
        "rest": require_choice(request.text("rest") or "error", REST, "rest"),
        "accept_review": False,
    }


def concepts(request: PageRequest) -> Response:
    """Return the concepts that a typed text may mean in a column's ontology, as JSON."""
    table, name, text = request.workspace.require_table(), request.raw("column"), request.text("text")
    column = table.plan_columns.get(name) if name else Column("quasi", ontology=("wordnet",))  # of a hierarchy
    if column is None or len(text) < 2:
        return JSONResponse([])
    ontology = min(request.number("ontology"), max(len(column.ontology), 1) - 1)
    senses = reviewing.search(column, table.folder, text, ontology)
    return JSONResponse([{"id": x.id, "label": f"{x.label} – {x.short}"} for x in senses])


PAGE = Page(
    "/words",
    show,
    title="Matches",
    query=("column", "ontology", "status", "find", "page"),
    actions={"/words": set_matches, "/understanding": match_again},
    resources={"/concepts": concepts},
)
