"""What the columns of a table are: words are linked, sets and numbers read, hierarchies found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.cells import Cells, text_counts
from allonym.errors import Problem, TableError, plural
from allonym.kinds.base import EncodedColumn, Kind
from allonym.kinds.category import Category
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.registry import automatic_kind, kind_named
from allonym.kinds.text import with_hierarchy
from allonym.methods.record_level import RecordLevelMethod
from allonym.ontology.catalog import is_wordnet, open_ontology, parted
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.link import Link, link
from allonym.ontology.scope import Scope
from allonym.pipeline import record_level as rows
from allonym.plan.column import Column, Ontology
from allonym.progress import Progress, part_of

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared


def has_ontology(column: Column) -> bool:
    """Tell whether a plan states that a column is one of words."""
    return bool(column.ontology or column.root or column.links or column.kind == "text")


def encode_column(found: Prepared, name: str, opened: dict[tuple[Any, Any], Scope], tick: Progress) -> None:
    """Encode one column by its kind, or by what its cells look like."""
    column, cells = found.plan.columns[name], found.cells[name]
    kind = _kind_of(found, column, cells)
    found.kinds[name] = kind.name
    if not kind.multivalued and any(isinstance(cell, tuple) for cell in cells.values):
        raise TableError("its cells are lists.", hint="say --set, or kind = set; or keep the column.")
    links: list[ColumnLinks] = []
    if kind.linked:
        links = found.words[name] = _link(found, name, opened, tick, kind.words(cells))
        _policy(found, name, column)
    if len(links) > 1 and not kind.several_ontologies:
        text = f"sets have one ontology, this has {len(links)}."
        found.problems.append(Problem("several-ontologies", text, "choose one.", name))
        return
    found.coded[name] = kind.encode(name, cells, links)
    if links and kind.several_ontologies and column.role == "quasi":
        if isinstance(found.plan.method, RecordLevelMethod):
            rows.understand(found, name)
        if found.plan.method.needs_hierarchy:
            _add_tree(found, name, column)


def _kind_of(found: Prepared, column: Column, cells: Cells) -> Kind:
    """Return the kind of a column with its options: as stated, as its options require, or as its cells look."""
    plan = found.plan
    name = column.kind or ("text" if has_ontology(column) else automatic_kind(cells, plan.missing))
    return kind_named(name).of(column, missing=plan.missing, folder=plan.folder, writes_codes=plan.method.codes)


def _add_tree(found: Prepared, name: str, column: Column) -> None:
    """Place the values of a column in its hierarchy; every one must be there."""
    if column.hierarchy is None:
        if all(x.scope.taxonomy.steps is None for x in found.words[name]):
            hint = f"hierarchy = FILE in the plan, --hierarchy {name}=FILE; `allonym hierarchy build` makes one."
            found.problems.append(Problem("no-hierarchy", "the column has no hierarchy.", hint, name))
        return
    scope = found.trees[name] = _open(str(column.hierarchy), None, found.plan.folder)
    links = {x.value: x for x in link(text_counts(found.cells[name], found.plan.missing), scope, senses="first")}
    strange = [x.value for x in links.values() if x.status != "sure"]
    if strange:
        text = f"{plural(len(strange), 'value')} not in the hierarchy {scope.taxonomy.name}."
        found.problems.append(Problem("not-in-hierarchy", text, "add a row for each.", name, tuple(strange)))
    else:
        found.coded[name] = with_hierarchy(found.coded[name], links, scope, column.measure)


def encode_sensitive(found: Prepared, name: str) -> EncodedColumn:
    """Return a sensitive column, encoded: as words, if it has an ontology; else by its kind, words as categories."""
    if name not in found.coded:
        column, cells = found.plan.columns[name], found.table.cells([name])[name]
        kind = _kind_of(found, column, cells)
        kind = Category(missing=found.plan.missing) if kind.linked else kind
        found.coded[name] = kind.encode(name, cells)
    return found.coded[name]


def _link(
    found: Prepared,
    name: str,
    opened: dict[tuple[Any, Any], Scope],
    tick: Progress,
    words: Mapping[str, int],
) -> list[ColumnLinks]:
    """Link the words of a column, with their counts, to each of its ontologies."""
    plan, column = found.plan, found.plan.columns[name]
    ontologies = column.ontology or ("wordnet",)
    linked = []
    for place, ontology in enumerate(ontologies):
        key = (ontology if isinstance(ontology, str) else id(ontology), column.root)
        if key not in opened:
            opened[key] = _open(ontology, column.root, plan.folder)
        settled = _settled(column.links[place], plan.folder) if column.links else links_files.Settled()
        values = dict.fromkeys(settled.concepts, 0) | dict(words)  # what was settled for others stays known
        links = link(
            values,
            opened[key],
            senses=column.senses or ("first" if plan.method.info.data_independent else "coherent"),
            individuals=column.individuals or (False if plan.method.info.data_independent else column.individuals),
            language=column.language,
            settled=settled.concepts,
            tick=part_of(tick, place, len(ontologies)),
        )
        known = column.links[place] if column.links else None
        file = known if isinstance(known, (str, Path)) else None
        linked.append(ColumnLinks(opened[key], {x.value: x for x in settled.mark(links)}, settled, file))
    return linked


def _open(ontology: Ontology, root: str | None, folder: Path) -> Scope:
    if isinstance(ontology, str) and is_wordnet(ontology):
        scope = open_ontology(ontology)
    elif isinstance(ontology, str):
        path, root_of_file = parted(ontology, folder)
        scope = open_ontology(f"{folder / path}{root_of_file}")
    else:
        scope = ontology if isinstance(ontology, Scope) else Scope(ontology, ontology.root)
    return scope if root is None else Scope.of(scope.taxonomy, root)


def opened_for(column: Column, folder: Path) -> list[Scope]:
    """Open the ontologies of a column of words."""
    return [_open(ontology, column.root, folder) for ontology in column.ontology or ("wordnet",)]


def _settled(links: Any, folder: Path) -> links_files.Settled:
    return links_files.Settled(dict(links)) if isinstance(links, Mapping) else links_files.read(folder / links)


def open_links(found: Prepared, name: str) -> tuple[list[Link], list[Link]]:
    """Return the values of a column that are to be reviewed, and those no ontology knows."""
    words = found.words[name]
    review = {x.value: x for u in words for x in u.with_status("review")}
    known = {x.value for u in words for x in u.here if x.status != "unmatched"}
    unmatched = {x.value: x for u in words for x in u.with_status("unmatched") if x.value not in known}
    return list(review.values()), list(unmatched.values())


def _told(links: Sequence[Link]) -> str:
    """Say how many values there are, and in how many cells."""
    verb = "is" if len(links) == 1 else "are"
    return f"{plural(len(links), 'value')} ({plural(sum(x.count for x in links), 'cell')}) {verb}"


def _policy(found: Prepared, name: str, column: Column) -> None:
    """Refuse what was not surely understood, unless the plan accepts it."""
    review, unmatched = open_links(found, name)
    if column.role != "quasi":
        return
    if review and not column.accept_review:
        found.problems.append(
            Problem(
                "to-review",
                f"{_told(review)} to be reviewed.",
                "`allonym check --write` writes the links to review; --accept-review takes them as they are.",
                name,
                tuple(x.value for x in review),
            )
        )
    if unmatched and column.unmatched == "error":
        found.problems.append(
            Problem(
                "unmatched",
                f"{_told(unmatched)} not understood.",
                "settle them in a links file, or say --unmatched opaque (as they are, like nothing else) "
                "or suppress (null).",
                name,
                tuple(x.value for x in unmatched),
            )
        )
