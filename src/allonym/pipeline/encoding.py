"""What the columns of a table are: words are linked, sets and numbers read, hierarchies prepared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.cells import Cells, text_counts
from allonym.errors import AllonymError, LinksError, PlanError, Problem, TableError, plural
from allonym.kinds.base import EncodedColumn, Kind
from allonym.kinds.category import Category
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.registry import WORDS, automatic_kind, kind_named
from allonym.kinds.text import with_hierarchy
from allonym.methods.record_level import RecordLevelMethod
from allonym.ontology.catalog import added, is_named, open_ontology, split_root, unknown_ontology
from allonym.ontology.joining.taxonomy import joined
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.accept import Unreviewed, with_suggestion
from allonym.ontology.linking.link import NARROWER, SAME, Link
from allonym.ontology.linking.readings.abbreviations import read_abbreviations
from allonym.ontology.linking.review_order import in_review_order, is_open
from allonym.ontology.linking.several import link
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import missing_source
from allonym.pipeline import record_level as rows
from allonym.plan.column import Column, Ontology
from allonym.privacy.spellings import same_values, united
from allonym.progress import Phase, Progress, part_of, phase

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared


def has_ontology(column: Column) -> bool:
    """Tell whether a plan states that a column holds words of an ontology."""
    stated = column.kind is not None and kind_named(column.kind).of(column).linked
    return bool(column.ontology or column.root or column.links or stated)


def encode_column(prepared: Prepared, name: str, scopes: dict[tuple[Any, Any], Scope], tick: Progress) -> None:
    """Encode one column by its kind, or by what its cells look like."""
    column, cells = prepared.plan.columns[name], prepared.cells[name]
    kind = _kind_of(prepared, name, cells)
    prepared.kinds[name] = kind.name
    if not kind.multivalued and any(isinstance(cell, tuple) for cell in cells.values):
        raise TableError("its cells are lists.", hint="say --set, or kind = set; or keep the column.")
    links: list[ColumnLinks] = []
    if kind.linked:
        links = prepared.links[name] = _accepted(_link(prepared, name, scopes, tick, kind), column)
        _check_links(prepared, name, column)
        _check_measure(prepared, name, column)
    prepared.encoded[name] = kind.encode(name, cells, links)
    if column.role == "quasi":
        if "candidates" in kind.options and isinstance(prepared.plan.method, RecordLevelMethod):
            rows.understand(prepared, name, linked=kind.linked)
        if "hierarchy" in kind.options and prepared.plan.method.needs_hierarchy:
            _add_hierarchy(prepared, name, column)


def _kind_of(prepared: Prepared, name: str, cells: Cells) -> Kind:
    """Return the kind of a column with its options: as stated, as its options require, or as its cells look."""
    plan, column, missing = prepared.plan, prepared.plan.columns[name], prepared.plan.missing_in(name)
    kind = column.kind or (WORDS if has_ontology(column) else automatic_kind(cells, missing))
    return kind_named(kind).of(column, missing=missing, folder=plan.folder, writes_codes=plan.method.codes)


def _add_hierarchy(prepared: Prepared, name: str, column: Column) -> None:
    """Place the values of a column in its hierarchy, which must have all of them."""
    if column.hierarchy is None:
        if all(x.scope.taxonomy.steps is None for x in prepared.links[name]):
            hint = f"hierarchy = FILE in the plan, --hierarchy {name}=FILE; `allonym hierarchy build` makes one."
            prepared.problems.append(Problem("no-hierarchy", "the column has no hierarchy.", hint, name))
        return
    scope = prepared.hierarchies[name] = _open_scope(str(column.hierarchy), None, prepared.plan.folder)
    words = text_counts(prepared.cells[name], prepared.plan.missing_in(name))
    links = {x.value: x for x in link(words, scope, senses="first")}
    unknown = [x.value for x in links.values() if x.status != "sure"]
    if unknown:
        text = f"{plural(len(unknown), 'value')} not in the hierarchy {scope.taxonomy.name}."
        prepared.problems.append(Problem("not-in-hierarchy", text, "add a row for each.", name, tuple(unknown)))
    else:
        prepared.encoded[name] = with_hierarchy(prepared.encoded[name], links, scope, column.measure, column.language)


def encode_sensitive(prepared: Prepared, name: str) -> EncodedColumn:
    """Return a sensitive column, encoded: as words, if it has an ontology; else by its kind, words as categories.

    What is promised of the column counts its values: those that differ only in spelling are one.
    """
    if name not in prepared.encoded:
        cells = prepared.table.cells([name])[name]
        kind = _kind_of(prepared, name, cells)
        kind = Category(missing=kind.missing) if kind.linked else kind
        prepared.encoded[name] = kind.encode(name, cells)
    if name not in prepared.united:
        prepared.encoded[name] = _unite_spellings(prepared, prepared.encoded[name])
    return prepared.encoded[name]


def _unite_spellings(prepared: Prepared, column: EncodedColumn) -> EncodedColumn:
    """Return a column in which the spellings of a value have one code; note which values were united."""
    missing = column.kind.missing
    code = same_values(column.attribute.values, missing)
    column = replace(column, code_of=code[column.code_of], original_of=code[column.original_of])
    prepared.united[column.attribute.name] = united(column.cells, column.code_of, missing)
    return column


@phase(Phase.LINK)
def _link(
    prepared: Prepared,
    name: str,
    scopes: dict[tuple[Any, Any], Scope],
    tick: Progress,
    kind: Kind,
) -> list[ColumnLinks]:
    """Link the words of a column to its ontology, or to each of those that are blended."""
    plan, column, cells = prepared.plan, prepared.plan.columns[name], prepared.cells[name]
    words, together = kind.words(cells), kind.words_together(cells)
    abbreviations = _abbreviations(column.abbreviations, plan.folder)
    linked = []
    ontologies = open_scopes(column, plan.folder, scopes)
    for place, scope in enumerate(ontologies):
        settled = _settled(column.links[place], plan.folder) if column.links else links_files.Settled()
        values = dict.fromkeys(settled.concepts, 0) | dict(words)  # settled values that this table lacks stay known
        links = link(
            values,
            scope,
            senses=column.senses or ("first" if plan.method.info.data_independent else "coherent"),
            individuals=column.individuals or (False if plan.method.info.data_independent else column.individuals),
            language=column.language,
            abbreviations=abbreviations,
            settled=settled.concepts,
            narrower=settled.narrower,
            strict=isinstance(plan.method, RecordLevelMethod),  # they draw replacements from what is under the root
            name=name,
            together=together,
            tick=part_of(tick, place, len(ontologies)),
        )
        source = column.links[place] if column.links else None
        file = source if isinstance(source, (str, Path)) else None
        marked = {x.value: x for x in settled.mark(links)}
        language = scope.taxonomy.lexicon.language(column.language)
        linked.append(ColumnLinks(scope, marked, settled, file, language, abbreviations))
    return linked


def _accepted(linked: list[ColumnLinks], column: Column) -> list[ColumnLinks]:
    """Return the links that count: with suggestions where the plan accepts all, without links it does not accept."""
    if column.accepted == "all":
        known = {x.value for words in linked for x in words.links.values() if x.status != "unmatched"}
        linked = [
            replace(
                words,
                links={
                    value: x
                    if value in known
                    else with_suggestion(words.suggested.get(value, x), words.scope, words.language)
                    for value, x in words.links.items()
                },
            )
            for words in linked
        ]
    return [x.without_unaccepted(column.accepted) for x in linked] if column.rest == "category" else linked


def unreviewed(prepared: Prepared, name: str) -> Unreviewed:
    """Return which values of a column nobody reviewed, although they are linked or are categories."""
    linked = {
        x.value: x for words in prepared.links[name] for x in words.links.values() if x.count and x.concept is not None
    }
    unlinked = {x.value: x for words in prepared.links[name] for x in words.present if x.value not in linked}
    keeps = prepared.plan.columns[name].keeps_unmatched
    return Unreviewed.of(linked.values(), [x for x in unlinked.values() if keeps and is_open(x)])


def unreviewed_values(prepared: Prepared) -> dict[str, dict[str, dict[str, int]]]:
    """Return for each masked column of words what became of the values that nobody reviewed."""
    columns = {
        name: unreviewed(prepared, name).to_dict() for name in prepared.with_role("quasi") if name in prepared.links
    }
    return {name: numbers for name, numbers in columns.items() if numbers}


def _open_scope(ontology: Ontology, root: str | None, folder: Path) -> Scope:
    if isinstance(ontology, str) and is_named(ontology):
        scope = open_ontology(ontology)
    elif isinstance(ontology, str):
        path, root_of_file = split_root(ontology, folder)
        if added.may_be_added(path) and not (folder / path).exists():
            raise unknown_ontology(
                ontology, f"`allonym ontologies add FILE --name {path.partition(':')[0]}` adds one from a file."
            )
        scope = open_ontology(f"{folder / path}{root_of_file}")
    else:
        scope = ontology if isinstance(ontology, Scope) else Scope(ontology, ontology.root)
    return scope if root is None else Scope.of(scope.taxonomy, root)


def open_scopes(column: Column, folder: Path, opened: dict[Any, Scope] | None = None) -> list[Scope]:
    """Open the ontologies of a column of words: one, those that are blended, or several joined to one.

    All problems are raised at once. `opened` has those that are open already.
    """
    opened = {} if opened is None else opened
    keys: list[tuple[Any, str | None]] = []
    problems: list[Problem] = []
    for ontology in column.ontology or ("wordnet",):
        keys.append((ontology if isinstance(ontology, str) else id(ontology), column.root))
        try:
            if keys[-1] not in opened:
                opened[keys[-1]] = _open_scope(ontology, column.root, folder)
        except AllonymError as error:
            problems += error.problems
    if problems:
        raise PlanError(problems)
    if not column.joins_ontologies:
        return [opened[key] for key in keys]
    if tuple(keys) not in opened:
        opened[tuple(keys)] = joined([opened[key] for key in keys])
    return [opened[tuple(keys)]]


def _settled(links: Any, folder: Path) -> links_files.Settled:
    """Return the links of a file, or of a mapping from values to concepts, or to pairs of concept and relation."""
    if not isinstance(links, Mapping):
        return links_files.read(folder / links)
    pairs = {value: (x, SAME) if isinstance(x, str) else tuple(x) for value, x in links.items()}
    unknown = sorted({relation for _, relation in pairs.values()} - {SAME, NARROWER})
    if unknown:
        raise LinksError(f"there is no relation {unknown[0]!r}.", hint=f"write {SAME} or {NARROWER}.")
    narrower = frozenset(value for value, (_, relation) in pairs.items() if relation == NARROWER)
    return links_files.Settled({value: concept for value, (concept, _) in pairs.items()}, narrower=narrower)


def _abbreviations(source: Any, folder: Path) -> Mapping[str, Sequence[str]]:
    """Return the abbreviations that a plan adds to the built-in ones."""
    if source is None or isinstance(source, Mapping):
        return source or {}
    return read_abbreviations(folder / source)


def open_links(prepared: Prepared, name: str) -> tuple[list[Link], list[Link]]:
    """Return the links of a column to review, and those of values that no ontology has, each in review order."""
    words = prepared.links[name]
    review = {x.value: x for u in words for x in u.with_status("review")}
    known = {x.value for u in words for x in u.present if x.status != "unmatched"}
    unmatched = {x.value: x for u in words for x in u.with_status("unmatched") if x.value not in known}
    return in_review_order(review.values()), in_review_order(unmatched.values())


def _counted(links: Sequence[Link]) -> str:
    """Say how many values there are, in how many cells."""
    verb = "is" if len(links) == 1 else "are"
    return f"{plural(len(links), 'value')} ({plural(sum(x.count for x in links), 'cell')}) {verb}"


def _check_measure(prepared: Prepared, name: str, column: Column) -> None:
    """Collect the problem of an ontology that lacks what the similarity measure needs."""
    lacking = {
        x.scope.name: missing_source(column.measure, x.scope.taxonomy, column.content) for x in prepared.links[name]
    }
    for ontology, what in lacking.items():
        if what:
            text = f"{ontology} has no {what}, which the measure {column.measure} needs here."
            hint = "choose another content: seco." if what == "word counts" else "choose another similarity measure."
            prepared.problems.append(Problem("measure-of-ontology", text, hint, name))


def _check_links(prepared: Prepared, name: str, column: Column) -> None:
    """Collect the problem of links to review and of unmatched values, unless the plan accepts them."""
    review, unmatched = (column.blocking(links) for links in open_links(prepared, name))
    if review:
        prepared.problems.append(
            Problem(
                "to-review",
                f"{_counted(review)} to be reviewed.",
                "`allonym check --write` writes the links to review; --accept review (in a plan: accept = "
                '"review") takes them as they are, --rest category (rest = "category") uses none of them.',
                name,
                tuple(x.value for x in review),
            )
        )
    if unmatched:
        prepared.problems.append(
            Problem(
                "unmatched",
                f"{_counted(unmatched)} not understood.",
                "settle them in a links file, or choose --unmatched opaque (as they are, like nothing else) "
                'or suppress (null); in a plan: unmatched = "opaque" or "suppress".',
                name,
                tuple(x.value for x in unmatched),
            )
        )
