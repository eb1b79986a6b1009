"""A plan meets a table: every column is understood, the records are counted, every problem is found."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.errors import AllonymError, PlanError, TableError, listed, many
from allonym.knowledge import links as links_files
from allonym.knowledge.linking import Link, link
from allonym.knowledge.ontologies import is_wordnet, open_ontology
from allonym.knowledge.scope import Scope
from allonym.masking.base import Tick, silent
from allonym.masking.draws import key_of
from allonym.metrics.equality import Equality
from allonym.metrics.taxonomy import Taxonomic
from allonym.plan import rows
from allonym.plan.columns import Column, Ontology
from allonym.records import Floats, Ints, Keys, Metric, Records, Value
from allonym.tables import encode
from allonym.tables.base import Cells, Table
from allonym.tables.encode import Coded
from allonym.tables.files import Reading, TextFile, open_any
from allonym.tables.long import Long
from allonym.tables.sets import items_of, sets

if TYPE_CHECKING:
    from allonym.plan.plan import Plan


@dataclass(frozen=True)
class Understood:
    """How the words of one column were understood through one ontology."""

    scope: Scope
    links: Mapping[str, Link]
    settled: links_files.Settled
    file: str | Path | None = None  # the links file, if the plan names one

    def having(self, status: str) -> list[Link]:
        """Return the links of values in the table that have a status, frequent ones first."""
        return sorted((x for x in self.here if x.status == status), key=lambda x: (-x.count, x.value))

    @property
    def here(self) -> list[Link]:
        """The links of values that occur in the table."""
        return [x for x in self.links.values() if x.count]

    def knows(self, value: str) -> bool:
        """Tell whether the links file, if there is one, has a value."""
        return value in self.settled.rows or value in self.settled.concepts


@dataclass
class Prepared:
    """A table as a plan understands it, with every problem on the way."""

    plan: Plan
    table: Table
    cells: dict[str, Cells] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    words: dict[str, list[Understood]] = field(default_factory=dict)
    trees: dict[str, Scope] = field(default_factory=dict)  # the hierarchies of columns that have one
    coded: dict[str, Coded] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    details: dict[str, list[str]] = field(default_factory=dict)  # values behind problems, to show where asked for
    units: Ints | None = None
    weights: Floats | None = None
    keys: Keys | None = None  # what the draws of rows go by, where a column says so
    records: Records | None = None

    def having(self, role: str) -> list[str]:
        """Return the columns with a role, in the order of the table."""
        return [x for x in self.table.names if x in self.plan.columns and self.plan.columns[x].role == role]


def prepare(plan: Plan, table: Table, tick: Tick = silent) -> Prepared:
    """Understand a table; problems are collected, not raised."""
    found = Prepared(plan, table)
    found.problems += _names(plan, table)
    unread = ("keep", "identifier") if plan.long else ("keep",)  # in a long table, what is dropped may differ
    wanted = [x for x in table.names if x in plan.columns and plan.columns[x].role not in unread]
    worded = [x for x in wanted if plan.columns[x].role == "quasi" or _has_ontology(plan.columns[x])]
    keyed = [plan.chosen.key_column] if plan.chosen.key_column in table.names else []
    try:
        found.cells = table.cells(
            [x for x in table.names if x in (*keyed, *worded) or (x in wanted and plan.columns[x].role != "sensitive")]
        )
        if isinstance(table, Long):  # what stays must be the same in all rows of a unit
            table.cells([x for x in table.names if x not in plan.columns or plan.columns[x].role != "identifier"])
    except TableError as error:
        found.problems.append(str(error))
        return found
    _persons(found)
    _keys(found)
    opened: dict[tuple[Any, Any], Scope] = {}
    for place, name in enumerate(worded):
        try:
            _understand(found, name, opened, part_of(tick, place, len(worded)))
        except AllonymError as error:
            found.problems.append(f"column {name}: {error}")
            if error.values:
                found.details[name] = list(error.values)
    coded = [found.coded[x] for x in found.having("quasi") if x in found.coded]
    if coded and len(coded) == len(found.having("quasi")):
        columns = [c.codes for c in coded]
        found.records = Records.of(
            [c.attribute for c in coded], columns, weights=found.weights, units=found.units, keys=found.keys
        )
    return found


def opened(plan: Plan, source: Any, raw: bytes | None = None, reading: Reading | None = None) -> Any:
    """Open a table as a plan says; a long one as one with a row for each unit."""
    table = open_any(source, reading or plan.reading, raw)
    within = {column.separator for column in plan.columns.values() if column.kind == "set"}
    if isinstance(table, TextFile) and len(table.names) == 1 and table.delimiter in within:  # no delimiter, items
        table = open_any(source, replace(reading or plan.reading, delimiter="," if ";" in within else ";"), raw)
    if not plan.long:
        return table
    unit, item = (next(n for n, c in plan.columns.items() if test(c)) for test in (_is_unit, _is_set))
    return Long(table, unit, item, plan.missing)


def _is_unit(column: Column) -> bool:
    return column.role == "unit"


def _is_set(column: Column) -> bool:
    return column.kind == "set"


def part_of(tick: Tick, place: int, parts: int) -> Tick:
    """Return what to call from one of several parts of a job."""
    return lambda done, total: tick(place * 1000 + 1000 * done // max(total, 1), parts * 1000)


def _names(plan: Plan, table: Table) -> Iterator[str]:
    """Compare the columns of a plan with those of a table."""
    lost = [x for x in plan.columns if x not in table.names]
    if len(lost) == len(plan.columns):  # their names may be somebody's data
        yield (
            f"none of the plan's {many(len(lost), 'column')} is among the {len(table.names)} of the table. "
            "Hint: for a file without a header say --no-header, and number the columns from 1."
        )
        return
    if lost:
        close = [x for name in lost for x in difflib.get_close_matches(name, table.names, n=1)]
        hint = f"did you mean {listed(map(repr, close))}?" if close else "compare with `allonym inspect`."
        yield f"{many(len(lost), 'column')} of the plan not in the table: {listed(lost, 20)}. Hint: {hint}"
    extra = [x for x in table.names if x not in plan.columns]
    if extra and not plan.keep_rest:
        yield (
            f"{many(len(extra), 'column')} without a role: {listed(extra, 20)}. "
            "Hint: give each a role; --keep COLUMN leaves one as it is, --keep-rest all of them."
        )
    dropped = [x for x in table.names if x in plan.columns and plan.columns[x].role in ("identifier", "unit")]
    if len(dropped) == len(table.names):
        yield "every column would be dropped. Hint: keep at least one."


def _persons(found: Prepared) -> None:
    """Find who the rows are about, what they weigh, and identifiers that come again without a unit."""
    for name in found.having("unit"):
        cells = found.cells[name]
        null = np.array([encode.is_missing(x, found.plan.missing) for x in cells.values])
        if null.any() and (rows := int(cells.counts[null].sum())):
            found.problems.append(
                f"column {name}: {many(rows, 'row')} do not say who they are about. Hint: fill it in."
            )
        found.units = cells.codes
    for name in (x for x in found.having("identifier") if x in found.cells):
        counts = found.cells[name].counts
        null = np.array([encode.is_missing(x, found.plan.missing) for x in found.cells[name].values])
        again = int((counts[~null] > 1).sum()) if len(null) else 0
        if again and found.units is None:
            found.problems.append(
                f"column {name} is an identifier, but {many(again, 'value')} of it come more than once. "
                "Hint: if a person has several rows, give the role unit to the column that says who; "
                "otherwise it is no identifier."
            )
    for name in found.having("weight"):
        cells = found.cells[name]
        numbers, _ = encode.numbers_of([None if encode.is_missing(x) else str(x) for x in cells.values])
        wrong = sum(c for x, c in zip(numbers, cells.counts.tolist(), strict=True) if x is None or x < 0)
        if wrong:
            found.problems.append(
                f"column {name}: {many(wrong, 'survey weight')} are no numbers, or below 0. Hint: fill in 0 or more."
            )
        elif not any(numbers):
            found.problems.append(f"column {name}: all survey weights are 0. Hint: give the column another role.")
        else:
            found.weights = np.array(numbers, np.float64)[cells.codes]


def _keys(found: Prepared) -> None:
    """Find what the draws of rows go by."""
    name = found.plan.chosen.key_column
    if not name:
        return
    if name not in found.cells:
        found.problems.append(f"column {name}, whose texts draws go by (key), is not in the table.")
        return
    cells = found.cells[name]
    if any(encode.is_missing(x, found.plan.missing) and n for x, n in zip(cells.values, cells.counts, strict=True)):
        found.problems.append(f"column {name}, whose texts draws go by (key), has empty cells. Hint: fill them in.")
    found.keys = np.array([key_of(encode.as_text(x)) for x in cells.values], np.uint64)[cells.codes]


def _has_ontology(column: Column) -> bool:
    return bool(column.ontology or column.root or column.kind == "text")


def _understand(found: Prepared, name: str, opened: dict[tuple[Any, Any], Scope], tick: Tick) -> None:
    """Understand one column by its kind, or what its cells look like."""
    plan, column, cells = found.plan, found.plan.columns[name], found.cells[name]
    kind = column.kind or ("text" if _has_ontology(column) or column.links else guessed_kind(cells, plan.missing))
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
            coded=plan.chosen.by_codes,
            **common,
        )
        if plan.chosen.by_row and column.role == "quasi":
            rows.understand(found, name)
        if plan.chosen.by_hierarchy:
            _add_tree(found, name, column)


def _add_tree(found: Prepared, name: str, column: Column) -> None:
    """Place the values of a column in its hierarchy; every one must be there."""
    if column.hierarchy is None:
        if all(x.scope.taxonomy.steps is None for x in found.words[name]):
            found.problems.append(
                f"column {name} has no hierarchy. Hint: hierarchy = FILE in the plan, --hierarchy {name}=FILE; "
                "`allonym hierarchy build` makes one."
            )
        return
    scope = found.trees[name] = _open(str(column.hierarchy), None, found.plan.folder)
    links = {x.value: x for x in link(encode.present(found.cells[name], found.plan.missing), scope, senses="first")}
    strange = [x.value for x in links.values() if x.status != "sure"]
    if strange:
        found.details[f"{name}, not in the hierarchy"] = strange
        found.problems.append(
            f"column {name}: {many(len(strange), 'value')} not in the hierarchy {scope.taxonomy.name}. "
            "Hint: add a row for each."
        )
    else:
        found.coded[name] = encode.in_tree(found.coded[name], links, scope, column.measure)


def _understand_sets(found: Prepared, name: str, opened: dict[tuple[Any, Any], Scope], tick: Tick) -> None:
    """Understand a column of sets through what its items mean."""
    plan, column, cells = found.plan, found.plan.columns[name], found.cells[name]
    counts: Counter[str] = Counter()
    for cell, n in zip(cells.values, cells.counts.tolist(), strict=True):
        if not encode.is_missing(cell, plan.missing):
            counts.update(dict.fromkeys(items_of(cell, column.separator, column.phrases), n))
    meanings: dict[str, Value] = {text: text for text in counts}
    elements: Metric = Equality([])
    say: Callable[[Value], str] = str
    if column.elements == "text":
        words = found.words[name] = _link(found, name, opened, tick, counts)
        _policy(found, name, column)
        if len(words) > 1:
            found.problems.append(f"column {name}: sets have one ontology, this has {len(words)}. Hint: choose one.")
            return
        lost = None if column.unmatched == "suppress" else ""
        for text in counts:
            concept = words[0].links[text].concept
            meanings[text] = concept if concept is not None else lost if lost is None else text
        scope = words[0].scope
        elements = Taxonomic([], scope, column.measure, column.depth)
        say = encode.label_of(scope.taxonomy, encode.way_of_writing(words[0].links, scope, plan.chosen.by_codes))
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
    found: Prepared, name: str, opened: dict[tuple[Any, Any], Scope], tick: Tick, here: Mapping[str, int] | None = None
) -> list[Understood]:
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
            senses=column.senses or ("first" if plan.chosen.apart else "coherent"),
            individuals=column.individuals or (False if plan.chosen.apart else column.individuals),
            language=column.language,
            settled=settled.concepts,
            tick=part_of(tick, place, len(ontologies)),
        )
        known = column.links[place] if column.links else None
        file = known if isinstance(known, (str, Path)) else None
        understood.append(Understood(opened[key], {x.value: x for x in settled.mark(links)}, settled, file))
    return understood


def _open(ontology: Ontology, root: str | None, folder: Path) -> Scope:
    if isinstance(ontology, str):
        scope = open_ontology(ontology if is_wordnet(ontology) else str(folder / ontology))
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
    review = {x.value: x for u in words for x in u.having("review")}
    known = {x.value for u in words for x in u.here if x.status != "unmatched"}
    unmatched = {x.value: x for u in words for x in u.having("unmatched") if x.value not in known}
    return list(review.values()), list(unmatched.values())


def _told(links: Sequence[Link]) -> str:
    """Say how many values there are, and in how many cells."""
    verb = "is" if len(links) == 1 else "are"
    return f"{many(len(links), 'value')} ({many(sum(x.count for x in links), 'cell')}) {verb}"


def _policy(found: Prepared, name: str, column: Column) -> None:
    """Refuse what was not surely understood, unless the plan accepts it."""
    review, unmatched = open_links(found, name)
    if column.role != "quasi":
        return
    if review and not column.accept_review:
        found.details[f"{name}, to review"] = [x.value for x in review]
        found.problems.append(
            f"column {name}: {_told(review)} to be reviewed. "
            "Hint: `allonym check --write` writes the links to review; --accept-review takes them as they are."
        )
    if unmatched and column.unmatched == "error":
        found.details[f"{name}, not understood"] = [x.value for x in unmatched]
        found.problems.append(
            f"column {name}: {_told(unmatched)} not understood. "
            "Hint: settle them in a links file, or say --unmatched opaque (as they are, like nothing else) "
            "or suppress (null)."
        )


def refused(problems: list[str], found: Prepared) -> PlanError:
    """Return the error that tells every problem of a table, with the values behind them."""
    error = PlanError(problems, values=[v for values in found.details.values() for v in values])
    error.details = dict(found.details)
    return error
