"""The third page: how words were understood, those to review first; a person settles what is not sure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.responses import JSONResponse, Response

from allonym.errors import OptionError
from allonym.pipeline import review as editing
from allonym.pipeline.check import Check, ColumnCheck, links_name
from allonym.pipeline.choices import UNMATCHED, elsewhere
from allonym.pipeline.review import HAND, NOTHING, Review, Word
from allonym.plan import Plan
from allonym.plan.column import Column
from allonym.studio import forms
from allonym.studio.history import safe_name
from allonym.studio.page_request import ROWS, PageRequest, address, cleaned, known, render
from allonym.studio.pages.columns import carried, of_column, ontologies, with_columns
from allonym.studio.workspace import Table

STATUSES = {
    "review": "To review",
    "unmatched": "Not understood",
    "sure": "Understood",
    "": "All",
    HAND: "Of all, settled by you",
}
REASONS = {
    "settled": "settled",
    "id": "its id",
    "notation": "its code",
    "exact": "the word itself",
    "spelling": "spelled a little otherwise",
    "inflection": "another form of the word",
    "stem": "the same stem",
    "head": "its main word",
    "outside": "known, but outside the root",
    "individual": "a name",
    "unknown": "not known",
}
KEEP, NONE = "as-it-is", "nothing"


def show(ask: PageRequest) -> Response:
    """Show the words of a column, page by page."""
    table = ask.workspace.table
    found = ask.workspace.check() if table is not None else None
    worded = [x for x in found.columns if x.words or _is_broken(table, x, found)] if found is not None and table else []
    if table is None or found is None or not worded or table.plan is None:
        told = list(map(str, found.problems)) if found is not None and not worded else []
        return render(ask, "words.html", worded=[], column=None, waiting=table is not None and found is None, told=told,
                      check=found)  # fmt: skip
    plan = table.plan
    column = next((x for x in worded if x.name == ask.raw("column")), None) or _first(plan, worded)
    chosen = plan.columns[column.name]
    given = {x: y for x, y in ask.form.items() if isinstance(y, str)} if ask.problems else {}
    common: dict[str, Any] = {
        "worded": worded, "column": column, "chosen": chosen, "given": given, "check": found, "waiting": False,
        "what": forms.what_of(chosen), "root": forms.root_of(chosen), "whats": _whats(table, chosen),
        "unmatched": UNMATCHED, "told": [cleaned(ask, x) for x in of_column(column.name, [*map(str, found.problems)])],
        "next_column": next((x.name for x in worded if x is not column and is_open(plan, x)), ""),
        "blocking": {x.name for x in worded if is_open(plan, x)},
    }  # fmt: skip
    return render(ask, "words.html", **common, **(_listed(ask, column, chosen) if column.words else {"roots": []}))


def _listed(ask: PageRequest, column: ColumnCheck, chosen: Column) -> dict[str, Any]:
    """Return a page of the words of a column."""
    place = min(ask.number("ontology"), len(column.words) - 1)
    review = Review(column, place, chosen.language)
    counts = review.counts()
    status = _status(ask)
    if status not in STATUSES:
        status = next((x for x in ("review", "unmatched") if counts[x]), "")
    find = ask.text("find")
    links = review.with_status(status, find)
    pages = max(1, -(-len(links) // ROWS))
    page = min(ask.page, pages)
    words = review.words(links[(page - 1) * ROWS : page * ROWS])
    outside = {x.value: elsewhere(review.scope, x.value, chosen.language) for x in words if _is_outside(x)}
    return {
        "place": place, "counts": counts, "status": status, "find": find, "words": words, "page": page,
        "pages_of": pages, "number": len(links), "statuses": STATUSES, "reasons": REASONS, "scope": review.scope,
        "roots": editing.roots(column, place)[:5], "keep": KEEP, "nothing": NONE, "wrong": ask.wrong,
        "picked": ask.form.getlist("pick") if ask.problems else [], "at": min(ask.number("at"), len(words)),
        "outside": outside,
    }  # fmt: skip


def _is_broken(table: Table, checked: ColumnCheck, found: Check) -> bool:
    """Tell whether a column holds words that could not even be looked up, since its root or its links are wrong."""
    column = table.plan.columns.get(checked.name) if table.plan is not None else None
    if column is None or checked.kind not in ("text", "set") or column.elements != "text":
        return False
    return bool(of_column(checked.name, list(map(str, found.problems))))


def _is_outside(word: Word) -> bool:
    """Tell whether a word is known, but outside the root; then words spelled like it are no better."""
    return word.sense is None and word.reason == "outside"


def is_open(plan: Plan, checked: ColumnCheck) -> bool:
    """Tell whether words of a column keep the plan from being run."""
    column = plan.columns[checked.name]
    if column.role != "quasi":
        return False
    return bool(checked.review and not column.accept_review) or bool(checked.unmatched and column.unmatched == "error")


def _status(ask: PageRequest) -> str:
    """Return which words are asked for; all of them have no name, so that an address can say so."""
    given = ask.text("status", "-")
    return "" if given == "all" else given or "-"


def _first(plan: Plan, worded: list[ColumnCheck]) -> ColumnCheck:
    """Return the column that needs somebody most."""
    return max(worded, key=lambda x: (is_open(plan, x), not x.words, len(x.review) + len(x.unmatched)))


def _whats(table: Table, column: Column) -> dict[str, str]:
    there = forms.whats(ontologies(table), column)
    return {x: y for x, y in there.items() if x == "wordnet" or x.startswith("file:") or x == forms.what_of(column)}


def _review(ask: PageRequest) -> tuple[Table, Check, Review, Column]:
    """Return the words that a form is about."""
    table = ask.workspace.opened
    found = ask.workspace.check(wait=60)
    name = ask.raw("column")
    column = next((x for x in found.columns if x.name == name and x.words), None) if found is not None else None
    if found is None or column is None or table.plan is None:
        raise OptionError("There is no such column of words.", hint="choose one of the list.")
    chosen = table.plan.columns[name]
    return table, found, Review(column, min(ask.number("ontology"), len(column.words) - 1), chosen.language), chosen


def settle(ask: PageRequest) -> str:
    """Take what a person says that words mean."""
    table, _, review, column = _review(ask)
    name, do = ask.raw("column"), ask.text("do", "apply")
    do = "set" if do == "apply" and ask.text("bulk") else do  # Enter beside "Set" presses the first button
    values = _values(ask, review)
    changes = _changes(ask, review, do, values)
    text = review.settled(changes)
    file = _file(table, column, name, review)
    assert table.plan is not None
    links = list(column.links) or [
        safe_name(links_name(name, i, len(review.column.words))) for i in range(len(review.column.words))
    ]
    links[review.place] = file
    files: dict[str, Any] = {file: text.encode()}
    for i, other in enumerate(links):  # the other ontologies need a links file too
        if not column.links and i != review.place:
            files[str(other)] = replace(review, place=i).settled({}).encode()
    columns = {**table.plan.columns, name: replace(column, links=tuple(links))}
    ask.workspace.change(ask.base, f"{name}: {_label(changes)}", replace(table.plan, columns=columns), files)
    return address("/words", column=name, ontology=review.place, status=ask.text("status"), find=ask.text("find"),
                   page=ask.page if do == "apply" else 1, at=_at(ask, review, values))  # fmt: skip


def _at(ask: PageRequest, review: Review, values: Mapping[int, str]) -> int:
    """Return the row to go on with, from 1: the one after that which was settled, or the first."""
    row = ask.text("one") or ask.text("suggest").partition(" ")[0]
    if not row.isdecimal():
        return 1
    stays = review.column.words[review.place].links[values[int(row)]].status == "sure"  # else the next takes its place
    return int(row) + (2 if stays else 1)


def _label(changes: dict[str, str | None]) -> str:
    if len(changes) > 1:
        return f"{len(changes):,} words settled"
    (value, text), *_ = changes.items()
    shown = value if len(value) <= 30 else value[:29] + "…"
    return f"{shown} {'accepted' if text is None else f'= {text}' if text else 'means nothing known'}"


def _values(ask: PageRequest, review: Review) -> dict[int, str]:
    """Return the words of the list that a form shows, by their rows."""
    values = {i: ask.raw(f"value-{i}") for i in range(ROWS) if f"value-{i}" in ask.form}
    there = {x.value for x in review.column.words[review.place].here}
    plain = {" ".join(x.splitlines()): x for x in there}  # browsers send line ends otherwise than they got them
    values = {i: x if x in there else plain.get(" ".join(x.splitlines()), x) for i, x in values.items()}
    if not there.issuperset(values.values()):
        raise OptionError("A word of this list is not in the column any more.", hint="look at the list again.")
    one, suggested = ask.text("one"), ask.text("suggest").partition(" ")[0]
    if any(x.isdecimal() and int(x) not in values for x in (one, suggested)):
        raise OptionError("There is no such word in the list.", hint="look at the list again.")
    return values


def _changes(ask: PageRequest, review: Review, do: str, values: Mapping[int, str]) -> dict[str, str | None]:
    """Return the words that were changed: by what was pressed, and each by its own choice."""
    chosen = _chosen(ask, values)
    place, _, word = ask.text("suggest").partition(" ")
    if ask.text("one").isdecimal():
        return {**chosen, values[int(ask.text("one"))]: None}
    if place.isdecimal():
        return {**chosen, values[int(place)]: word}
    pressed = _of_many(ask, review, do, values) if do != "apply" else chosen
    if not pressed:
        raise OptionError("No word was changed.", hint="choose a meaning, or tick words first.")
    return pressed | chosen if do in ("accept", "accept-all") else chosen | pressed


def _of_many(ask: PageRequest, review: Review, do: str, values: Mapping[int, str]) -> dict[str, str | None]:
    """Return what becomes of the words that were ticked, or of all of a list."""
    if do == "accept-all":
        values_listed = [
            x.value for x in review.with_status(known(_status(ask), list(STATUSES), "status"), ask.text("find"))
        ]
    else:
        picked = [int(x) for x in ask.form.getlist("pick") if isinstance(x, str) and x.isdecimal()]
        values_listed = [values[i] for i in picked if i in values]
    if do == "set" and not ask.text("bulk"):
        raise OptionError("What do the ticked words mean?", hint="type a word or an id beside the button.")
    if do == "set" and not values_listed:
        raise OptionError("No word was ticked.", hint="tick those that mean this, or empty the field beside Set.")
    if do in ("set", "nothing"):
        return dict.fromkeys(values_listed, ask.text("bulk") if do == "set" else NOTHING)
    here = {x.value: x for x in review.column.words[review.place].here}
    if do != "suggest":
        return {x: None for x in values_listed if x in here and here[x].concept is not None}
    found = review.words([here[x] for x in values_listed if x in here])
    if found and all(_is_outside(x) for x in found):
        raise OptionError(
            "The ticked words lie outside the root: words spelled like them mean something else.",
            hint="choose their sense row by row, or a wider root.",
        )
    return {x.value: x.suggestions[0] for x in found if x.suggestions and not _is_outside(x)}


def _chosen(ask: PageRequest, values: Mapping[int, str]) -> dict[str, str | None]:
    """Return the words for which a meaning was chosen, or typed."""
    changes: dict[str, str | None] = {}
    for i, value in values.items():
        other, sense = ask.text(f"other-{i}"), ask.text(f"sense-{i}", KEEP)
        if other:
            changes[value] = other
        elif sense != KEEP:
            changes[value] = NOTHING if sense == NONE else sense
    return changes


def _file(table: Table, column: Column, name: str, review: Review) -> str:
    """Return the links file of a column; one that no other column has."""
    if column.links:
        return str(column.links[review.place])
    usual = safe_name(links_name(name, review.place, len(review.column.words)))
    return usual if not (table.steps.now.folder / usual).exists() else f"{table.steps.now.number}-{usual}"


def understand(ask: PageRequest) -> str:
    """Take another ontology, or another part of it, and what is to be done with words nobody knows."""
    table, name = ask.workspace.opened, ask.raw("column")
    before = table.plan.columns.get(name) if table.plan is not None else None
    if before is None or before.role not in ("quasi", "sensitive"):
        raise OptionError("There is no such column of words.", hint="choose one of the list.")
    what = known(ask.raw("what"), list(_whats(table, before)), "ontology")
    column = forms.chosen(before.role, what, ask.text("root"), before)
    if before.role == "quasi":
        unmatched = known(ask.text("unmatched"), UNMATCHED, "way with unknown words")
        column = replace(column, unmatched=unmatched, accept_review=ask.text("accept_review") == "yes")
    column, files = carried(table, name, column) if ask.text("forget") != "yes" else (column, {})
    assert table.plan is not None
    plan = with_columns(table, {**table.plan.columns, name: column})
    label = f"{name}: {what.removeprefix('file:')}{f', root {root}' if (root := ask.text('root')) else ''}"
    if (column.ontology, column.root) == (before.ontology, before.root):
        label = f"{name}: unknown words {column.unmatched}{', review accepted' if column.accept_review else ''}"
    if column.ontology != before.ontology:
        editing.search(column, table.steps.now.folder, "")  # refuses an unknown root at once
    ask.workspace.change(ask.base, label, plan, files)
    return "/method" if ask.text("then") == "/method" else address("/words", column=name)


def concepts(ask: PageRequest) -> Response:
    """Return what a word may mean in a column's ontology, for the page to propose while somebody types."""
    table = ask.workspace.opened
    column = table.plan.columns.get(ask.raw("column")) if table.plan is not None else None
    if column is None and not ask.raw("column"):
        column = Column("quasi", ontology=("wordnet",))  # of a hierarchy
    text = ask.text("text")
    if column is None or len(text) < 2:
        return JSONResponse([])
    place = min(ask.number("ontology"), max(len(column.ontology), 1) - 1)
    found = editing.search(column, table.steps.now.folder, text, place)
    return JSONResponse([{"id": x.id, "label": f"{x.label} – {' › '.join(x.path[:3])}"} for x in found])
