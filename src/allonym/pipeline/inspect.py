"""A first look at a table: what its columns hold, and what they may be to a plan."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from allonym.cells import MISSING, Cells
from allonym.errors import TableError
from allonym.kinds import encoding as encode
from allonym.kinds.set_cells import SEPARATOR, items_of
from allonym.ontology.linking.link import Link, link
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet
from allonym.pipeline.cached_table import CachedTable
from allonym.pipeline.encoding import guessed_kind
from allonym.pipeline.engines import ExecutionOptions, engine_for
from allonym.plan.column import Column, described
from allonym.plan.model import Plan
from allonym.progress import Progress, no_progress
from allonym.tables.base import Table
from allonym.tables.engines.grouped import GroupedTable
from allonym.tables.files import Reading, open_any

TOGETHER = 50  # columns that are read at a time
MOST = 500  # values of a column that are looked up
COVERED = 0.6  # share of cells that must be words for a column to be one of words
UNDER = 0.98  # share of those that must lie under a root for it to be suggested
NARROW = 0.2  # share of the ontology that a root may have under it and still say something

PERSON = re.compile(r"(^|[_\W])(id|nr|no|key|uuid|e?mail|phone|address|ssn|passport)$|names?$|^(id|nr|uuid)", re.I)
WHO = re.compile(r"person|patient|customer|visitor|client|member|user|household|respondent|subject|student", re.I)
PRIVATE = re.compile(
    r"income|salary|wage|spent|spend|amount|price|cost|debt|diagnos|illness|disease|condition|drug|religion|crime", re.I
)
WEIGHT = re.compile(r"(survey|sampl\w*|design|person|household|final|fnl).?(weight|wgt|wt)|wgt$", re.I)


@dataclass(frozen=True)
class ColumnInspection:
    """A column at first sight; role, kind and ontology are guesses, for a person to confirm."""

    name: str
    distinct: int
    unique: int
    missing: int
    role: str
    kind: str
    ontology: str | None = None
    coverage: float | None = None  # share of cells that are words of WordNet

    def column(self) -> Column:
        """Return it as a column of a plan."""
        if self.role not in ("quasi", "sensitive"):
            return Column(self.role)
        if self.kind == "set":
            options: dict[str, Any] = {"kind": "set"} if self.ontology else {"kind": "set", "elements": "category"}
            return described("quasi", self.ontology, **options)
        return described(self.role, self.ontology or self.kind) if self.role == "quasi" else Column("sensitive")


@dataclass(frozen=True)
class Inspection:
    """A table at first sight."""

    records: int
    columns: Sequence[ColumnInspection]
    suffix: str = ".csv"  # how files of this format end

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {"format": 1, "records": self.records, "columns": [dict(vars(x)) for x in self.columns]}

    def plan(self, reading: Reading | None = None) -> Plan:
        """Return a plan to begin with."""
        return Plan({x.name: x.column() for x in self.columns}, reading=reading or Reading())


def inspect(source: Any, reading: Reading | None = None, tick: Progress = no_progress) -> Inspection:
    """Look at every column of a frame or a file."""
    engine = None if isinstance(source, CachedTable) else engine_for(source, ExecutionOptions())
    table: Table = GroupedTable(engine) if engine is not None else _in_memory(source, reading)
    words = wordnet()
    looked = []
    for place, (name, cells) in enumerate(_columns(table)):
        tick(place, len(table.names))
        looked.append(_look(name, cells, words) if cells else ColumnInspection(name, 0, 0, 0, "keep", "category"))
        if looked[-1].role in ("unit", "weight") and any(x.role == looked[-1].role for x in looked[:-1]):
            looked[-1] = replace(looked[-1], role="quasi")  # one column can have it
    return Inspection(table.n, looked, getattr(source if isinstance(source, CachedTable) else table, "suffix", ".csv"))


def _in_memory(source: Any, reading: Reading | None) -> Table:
    return source.read(reading or source.reading) if isinstance(source, CachedTable) else open_any(source, reading)


def _columns(table: Table) -> Iterator[tuple[str, Cells | None]]:
    """Yield the columns of a table, read some at a time; those that hold no single values, nor lists, without cells."""
    for low in range(0, len(table.names), TOGETHER):
        names = table.names[low : low + TOGETHER]
        try:
            yield from table.cells(names).items()
        except TableError:
            for name in names:
                try:
                    yield name, table.cells([name])[name]
                except TableError:
                    yield name, None


def _look(name: str, cells: Cells, words: Scope) -> ColumnInspection:
    counts = cells.counts
    null = np.array([encode.is_missing(x) for x in cells.values], bool)
    here = counts[~null] if len(null) else counts
    distinct, unique, rows = len(here), int((here == 1).sum()), int(here.sum())
    kind = guessed_kind(cells, MISSING) if distinct else "category"
    ontology, coverage = None, None
    whole = kind == "numeric" and all("." not in str(x) and "," not in str(x) for x in cells.values)
    every = distinct == rows > 1
    present = encode.present(cells)
    named = bool(PERSON.search(name))
    if (every and (named or WHO.search(name) or kind != "numeric")) or (named and distinct > 0.9 * rows and rows > 20):
        role = "identifier"
    elif WHO.search(name) and (named or whole or distinct > 0.5 * rows) and distinct > 0.1 * rows:
        role = "unit"
    elif WEIGHT.search(name) and kind == "numeric":
        role = "weight"
    else:
        role = "sensitive" if PRIVATE.search(name) else "quasi" if distinct > 1 else "keep"
        brief = sum(c for x, c in present.items() if len(x) <= 2) * 2 > rows
        if _several(cells):
            role, kind = "quasi" if role == "sensitive" else role, "set"
            ontology, coverage = _ontology(_items(cells), words)
        elif kind == "text" and brief:
            kind = "category"
        elif kind == "text":
            ontology, coverage = _ontology(present, words)
            kind = "text" if ontology else "category"
    return ColumnInspection(name, distinct, unique, int(counts.sum()) - rows, role, kind, ontology, coverage)


def _several(cells: Cells) -> bool:
    """Tell whether cells hold several items: lists, or text with separators in at least a fifth of them."""
    said = [(x, n) for x, n in zip(cells.values, cells.counts.tolist(), strict=True) if not encode.is_missing(x)]
    if any(isinstance(x, tuple) for x, _ in said):
        return True
    return sum(n for x, n in said if isinstance(x, str) and SEPARATOR in x) * 5 >= sum(n for _, n in said) > 0


def _items(cells: Cells) -> Counter[str]:
    found: Counter[str] = Counter()
    for cell, n in zip(cells.values, cells.counts.tolist(), strict=True):
        if not encode.is_missing(cell):
            found.update(dict.fromkeys(items_of(cell), n))
    return found


def _ontology(values: Mapping[str, int], words: Scope) -> tuple[str | None, float]:
    """Return where in WordNet the words of a column lie, if most are there, and what share of cells is."""
    some = dict(sorted(values.items(), key=lambda x: (-x[1], x[0]))[:MOST])
    links = [x for x in link(some, words, suggest=False) if x.concept is not None]
    share = sum(x.count for x in links) / max(sum(some.values()), 1)
    if share < COVERED:
        return None, share
    root = common_root(links, words.taxonomy)
    if root is None:
        return "wordnet", share
    label = words.taxonomy.labels[root]
    first = words.taxonomy.senses(label)[:1] == [root] and " " not in label
    return f"wordnet:{label if first else words.taxonomy.ids[root]}", share


def common_root(links: Sequence[Link], taxonomy: Taxonomy) -> int | None:
    """Return the deepest concept that most of some links lie under, unless it is too general to say anything."""
    concepts = np.array([x.concept for x in links], np.int64)
    counts = np.array([x.count for x in links], np.float64)
    starts, above, _ = taxonomy.closure(concepts)
    under = np.bincount(above, weights=np.repeat(counts, np.diff(starts)), minlength=len(taxonomy))
    enough = np.flatnonzero(under >= UNDER * counts.sum())
    best = enough[np.lexsort((enough, -under[enough], -taxonomy.depth[enough]))][0]
    narrow = len(taxonomy.descendants(int(best))) <= NARROW * len(taxonomy)
    return int(best) if narrow and best not in concepts else None
