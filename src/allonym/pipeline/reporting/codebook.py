"""The codebook of a release: its variables and their values, for people who use it.

It reveals nothing beyond the release and its plan: no seed, no replaced value, no group. Figures that depend on the
original are rounded (`public`); for a data-independent method there are none.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym import __version__
from allonym.cells import Cells, cell_text, is_missing
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.registry import WORDS, kind_named
from allonym.ontology.catalog.about import is_published, published
from allonym.ontology.joining.taxonomy import branches_of
from allonym.ontology.narrower import broader
from allonym.pipeline.reporting.public import PublicFacts

if TYPE_CHECKING:
    from allonym.pipeline.run import Release

MAX_LISTED = 1000  # values of a variable


def codebook(release: Release) -> dict[str, Any]:
    """Describe the variables of a release."""
    facts = PublicFacts(release)
    prepared, summary = release.prepared, facts.summary
    plan = prepared.plan
    roles = {name: plan.columns[name].role if name in plan.columns else "keep" for name in prepared.table.names}
    dropped = prepared.dropped
    kept = [x for x in roles if x not in dropped]
    cells = prepared.table.cells([x for x in kept if roles[x] not in ("quasi", "unit")])
    loss = (
        {}
        if plan.method.info.data_independent
        else {"information_loss": facts.loss["value"], "rounding": facts.rounding.step}
    )
    return {
        "format": 1,
        **{name: plan.about[name] for name in ("title", "purpose", "note") if name in plan.about},
        "software": f"allonym {__version__}",
        "units" if plan.long else "records": summary["records"],
        "suppressed": summary["suppressed"],
        "method": {
            "name": plan.method.name,
            "about": plan.method.description,
            "parameters": summary["parameters"],
        },
        "privacy": summary["privacy"],
        **loss,
        "sha256": summary["sha256"]["output"],
        "dropped": len(dropped),
        "variables": [_variable(facts, name, roles[name], cells.get(name)) for name in kept],
    }


def _variable(facts: PublicFacts, name: str, role: str, cells: Cells | None) -> dict[str, Any]:
    release, prepared, plan = facts.release, facts.prepared, facts.plan
    entry: dict[str, Any] = {"name": name, "role": role, "altered": role in ("quasi", "unit")}
    if role == "unit":
        return entry | {"how": "renumbered from 1", "distinct": release.summary["records"]}
    if name in prepared.kinds:
        entry["kind"] = prepared.kinds[name]
    if role == "quasi":
        entry |= {"how": f"{plan.method.name}: {plan.method.description}"}
        if not plan.method.info.data_independent:
            entry["information_loss"] = facts.loss["by_column"][name]
            entry["cells"] = _truth(facts, name)
        cells = release.written[name]
    if name in prepared.links:
        entry["ontologies"] = [published(scope) for x in prepared.links[name] for scope in branches_of(x.scope)]
    assert cells is not None
    values, missing = _values(release, name, cells)
    entry |= {"distinct": len(values), "missing": missing}
    if len(values) <= MAX_LISTED:
        concepts = _concepts(release, name) if role == "quasi" else {}
        entry["values"] = [{"value": x, **concepts.get(x, {}), "records": values[x]} for x in sorted(values)]
    return entry


def _truth(facts: PublicFacts, name: str) -> dict[str, float | None]:
    """Return the shares of a column's cells that are false, generalised and null, in %, rounded for publication."""
    assert facts.release.changes is not None  # a release without measures has no codebook
    counts = facts.release.changes.columns[name].counts
    shares = {"false": counts.false, "generalised": counts.generalised, "null": counts.set_to_null}
    return {what: facts.share(100 * cells / max(counts.cells, 1)) for what, cells in shares.items()}


def _values(release: Release, name: str, cells: Cells) -> tuple[Counter[str], int]:
    """Return the values of a column, or the items of its cells, with their numbers of records; and the empty cells."""
    plan, values, missing = release.prepared.plan, Counter[str](), 0
    kind = kind_named(release.prepared.kinds.get(name, WORDS)).of(plan.columns.get(name), missing=plan.missing_in(name))
    for value, rows in zip(cells.values, cells.counts.tolist(), strict=True):
        if is_missing(value, plan.missing_in(name)):
            missing += rows
        elif rows:
            values.update(dict.fromkeys(kind.listed(value), rows))
    return values, missing


def _concepts(release: Release, name: str) -> dict[str, dict[str, str | list[str]]]:
    """Return the ids of the concepts of a masked column's texts, if the ontology is published.

    A text that is a kind of a concept has it as `broader`, others as `concept`.
    """
    attribute = next(x for x in release.masking.attributes if x.name == name)
    scope = release.prepared.links[name][0].scope if name in release.prepared.links else None
    if scope is None or not isinstance(attribute.metric, ConceptMetric) or not is_published(scope):
        return {}
    cells, concepts = release.written[name], dict[str, dict[str, list[str]]]()
    for cell, value, rows in zip(cells.values, attribute.values, cells.counts.tolist(), strict=True):
        concept = broader(value)
        if rows and isinstance(concept, (int, np.integer)):
            relation = "concept" if concept == value else "broader"
            ids = concepts.setdefault(cell_text(cell), {}).setdefault(relation, [])
            ids.append(scope.taxonomy.ids[int(concept)])
    return {
        text: {relation: ids[0] if len(ids) == 1 else ids for relation, ids in relations.items()}
        for text, relations in concepts.items()
    }
