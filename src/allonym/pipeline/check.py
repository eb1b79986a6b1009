"""Dry-run a plan on a table: coverage, links to review, unmatched values, and the risk before masking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import count_units
from allonym.errors import OutputError, Problem, first_few
from allonym.kinds.linking import ColumnLinks
from allonym.measures.population import PopulationRisk, class_sizes
from allonym.measures.uniques import SIZE, UniqueCombinations
from allonym.ontology.linking.link import SURE, Link
from allonym.ontology.linking.review_order import ReviewProgress, in_review_order, is_open
from allonym.pipeline import budget
from allonym.pipeline.cached_table import CachedTable
from allonym.pipeline.disclosure.kept import review_kept
from allonym.pipeline.disclosure.population import population_risk
from allonym.pipeline.disclosure.record_risk import RecordRisk
from allonym.pipeline.disclosure.uniques import uniques_of
from allonym.pipeline.disclosure.wording import counted_as, uniques_in_words
from allonym.pipeline.encoding import open_links
from allonym.pipeline.prepare import Prepared, method_problems, prepare
from allonym.pipeline.source import ExecutionOptions, open_source
from allonym.plan import toml
from allonym.progress import Progress
from allonym.records import Records
from allonym.release.write import save_text

if TYPE_CHECKING:
    from allonym.plan.model import Plan


@dataclass(frozen=True)
class Risk:
    """The risk before masking: how small the groups of a table are, in households or persons where it has them."""

    records: int
    units: int | None
    tuples: int
    unique: int  # tuples that one unit has
    smallest: int  # the k of the table as it is
    largest: int
    below: int  # rows in groups of fewer than k
    linkage: float  # 100·p/n
    households: int | None = None

    @property
    def who(self) -> str:
        """What the groups are counted in."""
        return "household" if self.households is not None else "row" if self.units is None else "person"

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {name: x for name, x in vars(self).items() if name != "households" or x is not None}

    @classmethod
    def of(cls, records: Records, k: int) -> Risk:
        """Count the groups of a table."""
        size = records.counts
        if records.units is not None and records.inverse is not None:
            size = count_units(records.inverse, records.units, len(records))
        return cls(
            records=records.n,
            units=None if records.units is None else records.persons,
            tuples=len(records),
            unique=int((size == 1).sum()),
            smallest=int(size.min(initial=records.n)),
            largest=int(size.max(initial=0)),
            below=int(records.counts[size < k].sum()),
            linkage=100 * len(records) / records.n,
        )


@dataclass(frozen=True)
class ColumnCheck:
    """A column of a table as a plan encodes it."""

    name: str
    role: str
    kind: str | None
    distinct: int | None
    words: Sequence[ColumnLinks] = ()
    review: Sequence[Link] = ()
    unmatched: Sequence[Link] = ()
    new: Sequence[Link] = ()  # values that are not in the links file, if there is one

    def cells(self, status: str) -> int:
        """Return the number of cells whose links have a status; a match in any ontology counts."""
        links = {"review": self.review, "unmatched": self.unmatched}.get(status)
        if links is not None:
            return sum(x.count for x in links)
        total = sum(x.count for x in self.words[0].present) if self.words else 0
        return total - self.cells("review") - self.cells("unmatched")

    @property
    def to_review(self) -> list[Link]:
        """The links that a person has to decide on, the most worthwhile first."""
        return [x for x in in_review_order([*self.review, *self.unmatched]) if is_open(x)]

    @property
    def progress(self) -> ReviewProgress:
        """How many cells are settled, and how many values to review first."""
        open_values = {x.value: x for x in self.to_review}
        present = self.words[0].present if self.words else []
        return ReviewProgress.of(open_values.get(x.value, replace(x, status=SURE)) for x in present)

    def to_dict(self, hide_values: bool) -> dict[str, Any]:
        """Return it for JSON."""
        entry: dict[str, Any] = {"name": self.name, "role": self.role, "kind": self.kind, "distinct": self.distinct}
        if self.words:
            entry |= {
                "ontologies": [u.scope.name for u in self.words],
                "cells": {status: self.cells(status) for status in ("sure", "review", "unmatched")},
                "progress": self.progress.to_dict(),
                "review": len(self.review) if hide_values else [self.link_to_dict(x) for x in self.review],
                "unmatched": len(self.unmatched) if hide_values else [self.link_to_dict(x) for x in self.unmatched],
                "new": len(self.new) if hide_values else [x.value for x in self.new],
            }
        return entry

    def links_of(self, link: Link) -> ColumnLinks:
        """Return the links of the ontology that a link was found in."""
        return next((u for u in self.words if u.to_review[link.value].concept == link.concept), self.words[0])

    def link_to_dict(self, link: Link) -> dict[str, Any]:
        """Return a link for JSON, with ids of the ontology it was found in."""
        taxonomy = self.links_of(link).scope.taxonomy
        ids = taxonomy.ids
        return {
            "value": link.value,
            "count": link.count,
            "concept": None if link.concept is None else ids[link.concept],
            "definition": None if link.concept is None else taxonomy.definition(link.concept),
            "reason": link.reason,
            "alternatives": [ids[c] for c in link.alternatives],
            "suggestions": list(link.suggestions),
        }


@dataclass(frozen=True)
class Check:
    """A dry run of a plan; `problems` keep it from being run."""

    problems: Sequence[Problem]
    columns: Sequence[ColumnCheck]
    risk: Risk | None
    k: int
    uniques: UniqueCombinations | None = None  # the combinations of quasi-identifiers that make people unique
    population: PopulationRisk | None = None  # people of the population who share the values of each record
    record_risk: RecordRisk | None = field(default=None, repr=False)  # values of single rows: for the steward alone
    cautions: Sequence[Problem] = ()  # what weakens the release, and does not keep the plan from being run

    @property
    def ready(self) -> bool:
        """Whether the plan can be run as it is."""
        return not self.problems

    def __str__(self) -> str:
        """Return a few lines of text, without values of the data."""
        lines = ["Ready to mask." if self.ready else "Not ready:", *(f"  - {problem}" for problem in self.problems)]
        for column in (c for c in self.columns if c.words):
            counts = ", ".join(f"{column.cells(status):,} {status}" for status in ("sure", "review", "unmatched"))
            lines.append(f"{column.name}: cells {counts}; {column.progress.share} settled")
        if self.risk is not None:
            risk = self.risk
            lines.append(f"{risk.records:,} records, {risk.tuples:,} distinct tuples, {risk.unique:,} unique")
            if self.uniques is not None:
                lines.append(uniques_in_words(self.uniques, counted_as(risk.units is not None)))
        lines += [f"Caution: {caution}" for caution in self.cautions]
        return "\n".join(lines)

    def to_dict(self, hide_values: bool = False) -> dict[str, Any]:
        """Return it for JSON."""
        risk = None if self.risk is None else self.risk.to_dict()
        return {
            "format": 1,
            "ready": self.ready,
            "problems": list(map(str, self.problems)),
            "cautions": list(map(str, self.cautions)),
            "k": self.k,
            "risk": risk,
            "unique_combinations": None if self.uniques is None else self.uniques.to_dict(),
            "population": None if self.population is None else self.population.to_dict(),
            "columns": [column.to_dict(hide_values) for column in self.columns],
        }

    def pin(self, plan_path: str | Path) -> list[Path]:
        """Write the links of every column beside a plan, and name them in it; reviewed links stay reviewed."""
        path = Path(plan_path)
        named: dict[str, list[str]] = {}
        texts: dict[Path, str] = {}
        for column in self.columns:
            for place, words in enumerate(column.words):
                name = str(words.file) if words.file else links_name(column.name, place, len(column.words))
                file = path.parent / name
                if file in texts:
                    raise OutputError(f"Two columns would have the links file {file}.", hint="rename a column.")
                if words.file is None and file.exists():
                    raise OutputError(
                        f"{file} exists already, and the plan does not name it.",
                        hint=f'add links = "{name}" to column {column.name} of the plan, or remove the file.',
                    )
                texts[file] = words.to_csv()
                named.setdefault(column.name, []).append(name)
        for file, text in texts.items():
            save_text(file, text, private=True)
        if named:
            toml.pin_links(path, named)
        return list(texts)


def links_name(column: str, place: int = 0, ontologies: int = 1) -> str:
    """Return the name of the links file of a column, for one of its ontologies.

    >>> links_name("native country"), links_name("job", 1, 2)
    ('native_country.links.csv', 'job-2.links.csv')
    """
    safe = re.sub(r"[^\w.-]+", "_", column).strip("_.") or "column"
    return f"{safe}{f'-{place + 1}' if ontologies > 1 else ''}.links.csv"


def check(
    plan: Plan,
    source: Any,
    tick: Progress,
    *,
    population: Any = None,
    combination_size: int = SIZE,
    options: ExecutionOptions | None = None,
) -> Check:
    """Encode a table as a plan describes it, and report its problems, links and risk."""
    options = options or ExecutionOptions()
    table = source.table(plan) if isinstance(source, CachedTable) else open_source(plan, source, options)
    prepared = prepare(plan, table, tick)
    masked = {x: prepared.cells[x] for x in prepared.with_role("quasi") if x in prepared.cells}
    records, k = prepared.records, plan.method.required_k
    kept = review_kept(prepared)
    problems = [
        *prepared.problems,
        *kept.problems,
        *method_problems(prepared),
        *options.problems(plan),
        *table.problems(masked, prepared.dropped),
    ]
    checked = Check(
        problems=problems or list(budget.row_problems(prepared)),
        columns=list(_columns(prepared)),
        risk=None,
        k=k,
        cautions=[*_cautions(prepared), *prepared.cautions, *kept.cautions],
    )
    if records is None or not records.n:
        return checked
    assert records.inverse is not None
    uniques = None if combination_size < 1 else uniques_of(prepared, combination_size)
    people = population_risk(prepared, population)
    sizes = class_sizes(records.inverse, records.units, records.row_counts)
    return replace(
        checked,
        risk=replace(Risk.of(records, k), **prepared.people()),
        uniques=uniques,
        population=people,
        record_risk=RecordRisk(sizes, uniques, people, counted=table.counts_rows),
    )


def _cautions(prepared: Prepared) -> Iterator[Problem]:
    """Yield what others may learn from the order of rows."""
    hint = 'leave out row_order = "keep".'
    if prepared.plan.row_order == "keep" and prepared.ordered_columns is None:
        text = "the order of rows is kept; whether columns correlate with it was not tested, since an engine has them."
        yield Problem("row-order-untested", text, hint)
    elif prepared.plan.row_order == "keep" and (columns := prepared.ordered_columns):
        text = f"the order of rows is kept and correlates with {first_few(columns, 20)}: it gives values away."
        yield Problem("row-order", text, hint)


def _with_suggestions(links: Sequence[Link], words: Sequence[ColumnLinks]) -> list[Link]:
    """Return links with suggestions by meaning from the ontology that each was found in."""
    sources = [next(u for u in words if u.to_review[x.value] is x) for x in links]
    return [u.suggested.get(x.value, x) for x, u in zip(links, sources, strict=True)]


def _columns(prepared: Prepared) -> Iterator[ColumnCheck]:
    plan = prepared.plan
    if not set(plan.columns) & set(prepared.table.names):
        return
    for name in prepared.table.names:
        column = plan.columns.get(name)
        role = column.role if column is not None else "keep" if plan.keep_rest else ""
        cells = prepared.cells.get(name)
        distinct = None if cells is None else int(np.count_nonzero(cells.counts))
        if name not in prepared.links:
            yield ColumnCheck(name, role, prepared.kinds.get(name), distinct)
            continue
        words = prepared.links[name]
        review, unmatched = (_with_suggestions(links, words) for links in open_links(prepared, name))
        pinned = any(u.settled.rows for u in words)
        new = [x for x in words[0].present if pinned and not any(u.knows(x.value) for u in words)]
        yield ColumnCheck(name, role, prepared.kinds.get(name, "text"), distinct, words, review, unmatched, new)
