"""What a report says: plain figures and texts, put together by the plan, drawn by templates and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from allonym.report import needed

Row = tuple[str, float, float, float | None]  # what, before, after, by a blind guess


PUBLIC = ("quasi", "sensitive", "weight", "keep")  # roles of columns that are in the release as such


@dataclass(frozen=True)
class Variable:
    """One column: its role, what it was understood as, and what became of it."""

    name: str
    role: str
    became: str
    kind: str = ""
    ontology: str = ""
    distinct: tuple[int, int] | None = None  # different values before and after
    changed: float | None = None  # share of the cells that are others now, in %
    loss: float | None = None  # in %


@dataclass(frozen=True)
class Question:
    """A question that a regulator asks, the answer in a sentence or two, and the figures behind it."""

    question: str
    answer: str
    figures: Sequence[Row] = ()


@dataclass(frozen=True)
class Node:
    """A concept of a tree: how many records had it or something under it, and have it now."""

    label: str
    before: int
    after: int
    own: tuple[int, int]  # the same, of the concept itself
    children: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Report:
    """A release told to people who must defend it, or use it.

    `public` says whether it may go out with the release: without the seed, values of the data, groups and whatever
    would help to guess these.
    """

    about: Mapping[str, str]
    made: str  # the day
    version: str
    summary: Mapping[str, Any]
    promises: Sequence[str]  # in words, as asked and as reached
    method: str  # what it does, in words
    verified: str  # how it was seen that the promises hold
    variables: Sequence[Variable]
    parameters: Mapping[str, Any]  # of the method, those that may be known
    ontologies: Sequence[Mapping[str, Any]]  # what is published of them
    who: str  # records or persons: what groups are counted in
    apart: bool  # whether nothing that is told outside may depend on the records
    questions: Sequence[Question]
    risks: Sequence[Row]  # in %
    cautions: Sequence[str]  # what this release does not protect
    sizes: tuple[Mapping[str, int], Mapping[str, int]]  # records by size of group, before and after
    replacements: Mapping[str, Sequence[tuple[str, str, int]]] = field(default_factory=dict)
    more_replacements: Mapping[str, int] = field(default_factory=dict)  # kinds of replacements beyond those told
    trees: Mapping[str, Node] = field(default_factory=dict)
    public: bool = False

    @property
    def title(self) -> str:
        """The title of the release."""
        return self.about["title"] or "A masked table"

    def published(self) -> Report:
        """Return what may go out with the release."""
        summary = {key: value for key, value in self.summary.items() if key != "seed"}
        known = {x["name"]: x["sha256"] for x in self.ontologies if "sha256" in x}
        summary |= {"parameters": self.parameters}
        summary["sha256"] = {"ontologies": known, "output": self.summary["sha256"]["output"]}
        named = {x.get("name") for x in self.ontologies}
        shown = [x if x.ontology in named else replace(x, ontology="") for x in self.variables if x.role in PUBLIC]
        if self.apart:  # every figure would tell something of the records
            shown = [replace(x, distinct=None, changed=None, loss=None) for x in shown]
            summary |= {"measures": {}, "noise": {}}
        return replace(
            self,
            summary=summary,
            variables=shown,
            questions=() if self.apart else self.questions,
            risks=() if self.apart else self.risks,
            sizes=({}, {}),
            replacements={},
            more_replacements={},
            trees={},
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
        if self.sizes[0]:
            drawn["sizes"] = charts.sizes(*self.sizes, self.who)
        return drawn

    def html(self, *, public: bool = False) -> str:
        """Return the report as one page that needs nothing else."""
        from allonym.report.html import page

        needed()
        report = self.published() if public and not self.public else self
        return page("report.html", report=report, s=report.summary, charts=report.charts)

    def save(self, path: str | Path, *, public: bool = False) -> None:
        """Write the report; only its owner may read one that is not public."""
        from allonym.release.write import save_text

        save_text(Path(path), self.html(public=public), private=not public)

    def _repr_html_(self) -> str:
        """Show the report in a notebook, apart from the styles around it."""
        from allonym.report.html import framed

        return framed(self.html())
