"""What the columns of a table are: words are linked, sets and numbers read, hierarchies found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.cells import Cells
from allonym.errors import Problem, TableError, plural
from allonym.kinds import encoding as encode
from allonym.kinds.category import EqualityMetric
from allonym.kinds.encoding import EncodedColumn
from allonym.kinds.set_cells import items_of, sets
from allonym.kinds.text import ConceptMetric
from allonym.ontology.catalog import is_wordnet, open_ontology, parted
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.link import Link, link
from allonym.ontology.scope import Scope
from allonym.pipeline import record_level as rows
from allonym.plan.column import Column, Ontology
from allonym.progress import Progress, part_of
from allonym.records import Metric, Value

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared


@dataclass(frozen=True)
class ColumnLinks:
    """How the words of one column were understood through one ontology."""

    scope: Scope
    links: Mapping[str, Link]
    settled: links_files.Settled
    file: str | Path | None = None  # the links file, if the plan names one

    def with_status(self, status: str) -> list[Link]:
        """Return the links of values in the table that have a status, frequent ones first."""
        return sorted((x for x in self.here if x.status == status), key=lambda x: (-x.count, x.value))

    @property
    def here(self) -> list[Link]:
        """The links of values that occur in the table."""
        return [x for x in self.links.values() if x.count]

    def knows(self, value: str) -> bool:
        """Tell whether the links file, if there is one, has a value."""
        return value in self.settled.rows or value in self.settled.concepts


def has_ontology(column: Column) -> bool:
    return bool(column.ontology or column.root or column.links or column.kind == "text")


def understand(found: Prepared, name: str, opened: dict[tuple[Any, Any], Scope], tick: Progress) -> None:
    """Understand one column by its kind, or what its cells look like."""
    plan, column, cells = found.plan, found.plan.columns[name], found.cells[name]
    kind = column.kind or ("text" if has_ontology(column) or column.links else guessed_kind(cells, plan.missing))
    found.kinds[name] = kind
    if kind != "set" and any(isinstance(cell, tuple) for cell in cells.values):
        raise TableError("its cells are lists.", hint="say --set, or kind = set; or keep the column.")
    common: dict[str, Any] = {"weight": column.weight, "missing": plan.missing}
    if kind == "numeric":
        found.coded[name] = encode.numeric(name, cells, **common)
    elif kind == "category":
        found.coded[name] = encode.category(name, cells, **common)
    elif kind == "ordinal":
        found.coded[name] = encode.ordinal(name, cells, levels_of(column, plan.folder), **common)
    elif kind == "set":
        _understand_sets(found, name, opened, tick)
    else:
        found.words[name] = _link(found, name, opened, tick)
        _policy(found, name, column)
        found.coded[name] = encode.text(
            name,
            cells,
            [x.links for x in found.words[name]],
            [x.scope for x in found.words[name]],
            unmatched="suppress" if column.unmatched == "suppress" else "opaque",
            measure=column.measure,
            depth=column.depth,
            coded=plan.method.writes_codes,
            **common,
        )
        if plan.method.record_level and column.role == "quasi":
            rows.understand(found, name)
        if plan.method.needs_hierarchy and column.role == "quasi":
            _add_tree(found, name, column)


def _add_tree(found: Prepared, name: str, column: Column) -> None:
    """Place the values of a column in its hierarchy; every one must be there."""
    if column.hierarchy is None:
        if all(x.scope.taxonomy.steps is None for x in found.words[name]):
            hint = f"hierarchy = FILE in the plan, --hierarchy {name}=FILE; `allonym hierarchy build` makes one."
            found.problems.append(Problem("no-hierarchy", "the column has no hierarchy.", hint, name))
        return
    scope = found.trees[name] = _open(str(column.hierarchy), None, found.plan.folder)
    links = {x.value: x for x in link(encode.present(found.cells[name], found.plan.missing), scope, senses="first")}
    strange = [x.value for x in links.values() if x.status != "sure"]
    if strange:
        text = f"{plural(len(strange), 'value')} not in the hierarchy {scope.taxonomy.name}."
        found.problems.append(Problem("not-in-hierarchy", text, "add a row for each.", name, tuple(strange)))
    else:
        found.coded[name] = encode.in_tree(found.coded[name], links, scope, column.measure)


def _understand_sets(found: Prepared, name: str, opened: dict[tuple[Any, Any], Scope], tick: Progress) -> None:
    """Understand a column of sets through what its items mean."""
    plan, column, cells = found.plan, found.plan.columns[name], found.cells[name]
    counts: Counter[str] = Counter()
    for cell, n in zip(cells.values, cells.counts.tolist(), strict=True):
        if not encode.is_missing(cell, plan.missing):
            counts.update(dict.fromkeys(items_of(cell, column.separator, column.phrases), n))
    meanings: dict[str, Value] = {text: text for text in counts}
    elements: Metric = EqualityMetric([])
    say: Callable[[Value], str] = str
    if column.elements == "text":
        words = found.words[name] = _link(found, name, opened, tick, counts)
        _policy(found, name, column)
        if len(words) > 1:
            text = f"sets have one ontology, this has {len(words)}."
            found.problems.append(Problem("several-ontologies", text, "choose one.", name))
            return
        lost = None if column.unmatched == "suppress" else ""
        for text in counts:
            concept = words[0].links[text].concept
            meanings[text] = concept if concept is not None else lost if lost is None else text
        scope = words[0].scope
        elements = ConceptMetric([], scope, column.measure, column.depth)
        say = encode.label_of(scope.taxonomy, encode.way_of_writing(words[0].links, scope, plan.method.writes_codes))
    found.coded[name] = sets(
        name,
        cells,
        meanings,
        elements,
        say,
        way=column.distance,
        separator=column.separator,
        weight=column.weight,
        missing=plan.missing,
        phrases=column.phrases,
    )


def encode_sensitive(found: Prepared, name: str) -> EncodedColumn:
    """Return a sensitive column, understood: as words, if it has an ontology; else as what its cells look like."""
    if name not in found.coded:
        column, missing = found.plan.columns[name], found.plan.missing
        cells = found.table.cells([name])[name]
        kind = column.kind or guessed_kind(cells, missing)
        if kind == "numeric":
            found.coded[name] = encode.numeric(name, cells, missing=missing)
        elif kind == "ordinal":
            found.coded[name] = encode.ordinal(name, cells, levels_of(column, found.plan.folder), missing=missing)
        else:
            found.coded[name] = encode.category(name, cells, missing=missing)
    return found.coded[name]


def guessed_kind(cells: Cells, missing: Sequence[str]) -> str:
    """Take a column of numbers for numeric, any other for words."""
    texts = [str(x) for x in cells.values if not encode.is_missing(x, missing)]
    return "numeric" if texts and None not in encode.numbers_of(texts)[0] else "text"


def levels_of(column: Column, folder: Path) -> Sequence[str]:
    """Return the levels of an ordinal column from low to high."""
    if isinstance(column.levels, tuple):
        return column.levels
    try:
        lines = (folder / column.levels).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(f"{column.levels} cannot be read.", hint="a file with one level a line, low first.") from error
    return [line.strip() for line in lines if line.strip()]


def _link(
    found: Prepared,
    name: str,
    opened: dict[tuple[Any, Any], Scope],
    tick: Progress,
    here: Mapping[str, int] | None = None,
) -> list[ColumnLinks]:
    """Link the words of a column, or its items with their counts, through each of its ontologies."""
    plan, column = found.plan, found.plan.columns[name]
    ontologies = column.ontology or ("wordnet",)
    here = encode.present(found.cells[name], plan.missing) if here is None else here
    understood = []
    for place, ontology in enumerate(ontologies):
        key = (ontology if isinstance(ontology, str) else id(ontology), column.root)
        if key not in opened:
            opened[key] = _open(ontology, column.root, plan.folder)
        settled = _settled(column.links[place], plan.folder) if column.links else links_files.Settled()
        values = dict.fromkeys(settled.concepts, 0) | dict(here)  # what was settled for others stays known
        links = link(
            values,
            opened[key],
            senses=column.senses or ("first" if plan.method.data_independent else "coherent"),
            individuals=column.individuals or (False if plan.method.data_independent else column.individuals),
            language=column.language,
            settled=settled.concepts,
            tick=part_of(tick, place, len(ontologies)),
        )
        known = column.links[place] if column.links else None
        file = known if isinstance(known, (str, Path)) else None
        understood.append(ColumnLinks(opened[key], {x.value: x for x in settled.mark(links)}, settled, file))
    return understood


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
