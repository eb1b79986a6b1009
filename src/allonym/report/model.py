"""The contents of a report: plain figures and texts, built by the pipeline, shown by templates and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from allonym.measures.changes import Counts, Replacement
from allonym.measures.dendrogram import Dendrograms
from allonym.report import needed

Row = tuple[str, float | None, float | None, float | None]  # name, before, after, blind guess; None: not shown
PUBLIC_ROLES = ("quasi", "sensitive", "weight", "keep")  # of columns that the release has
CHANGES = {
    "spelling_only": "only spelled otherwise",
    "generalised": "true, but generalised",
    "set_to_null": "null",
    "false": "false",
}  # counts of changed cells, as a chart names them
PARTS = (
    "header",
    "cards",
    "requirements",
    "questions",
    "uniques",
    "cautions",
    "columns",
    "changes",
    "clusters",
    "replacements",
    "concepts",
    "glossary",
    "provenance",
)  # templates of a report, in the order of the page


@dataclass(frozen=True)
class Variable:
    """One column: its role, its treatment, its kind and its changes."""

    name: str
    role: str
    became: str
    kind: str = ""
    ontology: str = ""
    distinct: tuple[int, int] | None = None  # different values before and after
    changed: float | None = None  # share of changed cells, in %
    loss: float | None = None  # in %


@dataclass(frozen=True)
class Question:
    """A question of a regulator, the answer in a sentence or two, and its figures."""

    question: str
    answer: str
    figures: Sequence[Row] = ()


@dataclass(frozen=True)
class UniquePeople:
    """Who is unique in combinations of masked columns, in words and figures; for the steward."""

    before: str
    after: str
    combinations: Sequence[tuple[str, int, int]]  # columns, people whom all of them together single out: before, after
    more: int  # combinations that are not listed
    columns: Sequence[tuple[str, float, int]]  # column, share of the score in %, people unique without it: before
    population: Sequence[str] = ()  # in words, where weights estimate it
    who: str = "record"  # what is counted: a record or a person


@dataclass(frozen=True)
class ChangedCells:
    """How many cells of a column changed, and how; of all columns, if it has no name."""

    column: str
    counts: Counts
    farthest: float  # the largest distance of a released cell from its original; null has none
    variation: float  # of the distribution before and after: total variation
    earth_movers: float | None = None  # the earth mover's distance of both, if values have distances
    items: str = ""  # of sets, in words

    def share(self, count: str) -> float:
        """Return the share of a count in the cells, in %."""
        return 100 * getattr(self.counts, count) / max(self.counts.cells, 1)


@dataclass(frozen=True)
class Node:
    """A concept of a tree: how many records have it or a descendant, before and after masking."""

    label: str
    before: int
    after: int
    own: tuple[int, int]  # the same, without descendants
    children: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Report:
    """The report of a release, for people who must approve or defend it.

    A `public` report may accompany the release: it omits the seed, values of the data, groups, and figures that would
    help to guess these.
    """

    about: Mapping[str, str]
    made: str  # the date
    version: str
    summary: Mapping[str, Any]
    promises: Sequence[str]  # as required and as reached, in words
    method: str  # in words
    verified: str  # how the release was verified
    variables: Sequence[Variable]
    parameters: Mapping[str, Any]  # of the method, without private ones
    ontologies: Sequence[Mapping[str, Any]]  # name, version and licence of published ones
    who: str  # what groups are counted in: records or persons
    data_independent: bool  # whether a public report may hold no figure computed from the records
    questions: Sequence[Question]
    risks: Sequence[Row]  # in %
    cautions: Sequence[str]  # what the release does not protect
    sizes: tuple[Mapping[str, int], Mapping[str, int]]  # records by size of group, before and after
    changed_cells: Sequence[ChangedCells] = ()
    nulls: Sequence[tuple[str, str, int]] = ()  # column, why masking wrote null there, and how often
    replacements: Mapping[str, Sequence[Replacement]] = field(default_factory=dict)
    more_replacements: Mapping[str, int] = field(default_factory=dict)  # replacements that are not listed
    trees: Mapping[str, Node] = field(default_factory=dict)
    notes: Sequence[str] = ()  # which values count as one, which means were not written; not for the public
    unique_people: UniquePeople | None = None
    dendrograms: Dendrograms | None = None  # of the records before and after masking
    for_publication: Mapping[str, Any] = field(default_factory=dict)  # fields that a public report has instead
    rounding: float | None = None  # the step of rounded percentages, in points
    public: bool = False

    @property
    def title(self) -> str:
        """The title of the release."""
        return self.about["title"] or "A masked table"

    @property
    def attackers(self) -> list[tuple[str, str]]:
        """The label and the story of each attacker on the release."""
        from allonym.measures.attackers.registry import labelled

        risk = self.summary.get("risk")
        return [(label, story) for label, _, _, story in labelled(risk)] if risk else []

    def published(self) -> Report:
        """Return the report that may accompany the release."""
        summary = dict(self.for_publication["summary"])
        known = {x["name"]: x["sha256"] for x in self.ontologies if "sha256" in x}
        summary["sha256"] = {"ontologies": known, "output": self.summary["sha256"]["output"]}
        variables = [x for x in self.for_publication["variables"] if x.role in PUBLIC_ROLES]
        return replace(
            self,
            **{
                **self.for_publication,
                "summary": summary,
                "variables": variables,
                "for_publication": {},
            },
            sizes=({}, {}),
            changed_cells=(),
            nulls=(),
            replacements={},
            more_replacements={},
            trees={},
            notes=(),
            unique_people=None,
            dendrograms=None,
            public=True,
        )

    @cached_property
    def charts(self) -> dict[str, str]:
        """The charts, as SVG."""
        from allonym.report import charts

        drawn = {"risks": charts.before_and_after(self.risks, "%")} if self.risks else {}
        losses = {x.name: x.loss for x in self.variables if x.loss is not None}
        if losses:
            drawn["losses"] = charts.bars(losses, "information loss (%)")
        if self.changed_cells:
            drawn["cells"] = charts.shares(
                {x.column or "all columns": [x.share(count) for count in CHANGES] for x in self.changed_cells},
                list(CHANGES.values()),
            )
        if self.sizes[0]:
            drawn["sizes"] = charts.sizes(*self.sizes, self.who)
        if self.dendrograms is not None:
            trees = {"before": self.dendrograms.before, "after": self.dendrograms.after}
            drawn["dendrograms"] = charts.dendrograms(trees)
        return drawn

    def html(self, *, public: bool = False) -> str:
        """Return the report as one self-contained page."""
        from allonym.report.html import page

        needed()
        report = self.published() if public and not self.public else self
        return page("report.html", report=report, s=report.summary, charts=report.charts, parts=PARTS)

    def save(self, path: str | Path, *, public: bool = False) -> None:
        """Write the report; only the owner can read a file that is not public."""
        from allonym.release.write import save_text

        save_text(Path(path), self.html(public=public), private=not public)

    def _repr_html_(self) -> str:
        """Show the report in a notebook, in a frame of its own styles."""
        from allonym.report.html import framed

        return framed(self.html())
