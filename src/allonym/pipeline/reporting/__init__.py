"""The report of a release, built section by section.

A section is a function from `ReleaseFacts` to fields of `report.model.Report`; a template of the same name in
`report/templates/report` shows these fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from allonym.pipeline.reporting.changes import changed_cells, replacements
from allonym.pipeline.reporting.clusters import clusters
from allonym.pipeline.reporting.columns import columns, group_sizes
from allonym.pipeline.reporting.concepts import concepts
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.pipeline.reporting.public import PublicFacts
from allonym.pipeline.reporting.questions import questions
from allonym.pipeline.reporting.requirements import provenance, requirements
from allonym.pipeline.reporting.threats import not_protected
from allonym.pipeline.reporting.uniques import uniques
from allonym.report.model import Report

if TYPE_CHECKING:
    from allonym.pipeline.run import Release

SECTIONS: tuple[Callable[[ReleaseFacts], Mapping[str, Any]], ...] = (
    requirements,
    questions,
    uniques,
    not_protected,
    columns,
    group_sizes,
    changed_cells,
    clusters,
    replacements,
    concepts,
    provenance,
)


def report(release: Release) -> Report:
    """Build the report of a release."""
    facts = ReleaseFacts(release)
    fields: dict[str, Any] = {}
    for section in SECTIONS:
        fields |= section(facts)
    return Report(**fields, for_publication=_for_publication(release))


def _for_publication(release: Release) -> dict[str, Any]:
    """Return the fields that differ in the report that may accompany the release."""
    facts = PublicFacts(release)
    fields: dict[str, Any] = {"summary": facts.summary, "rounding": facts.rounding.step, "questions": (), "risks": ()}
    fields |= {"promises": requirements(facts)["promises"]} | not_protected(facts) | columns(facts)
    return fields | (questions(facts) if facts.informative else {})
