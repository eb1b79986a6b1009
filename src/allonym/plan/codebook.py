"""The codebook of a release: what each variable is now, and which values it has, for those who will use it.

It tells nothing that the release and its plan do not: no seed, no value that was replaced, no group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from allonym import __version__
from allonym.knowledge.scope import Scope
from allonym.metrics.taxonomy import Taxonomic
from allonym.tables import encode
from allonym.tables.base import Cells

if TYPE_CHECKING:
    from allonym.plan.run import Release

LISTED = 1000  # values of a variable that are listed
PRIVATE = ("key",)  # parameters that name what is not in the release


def codebook(release: Release) -> dict[str, Any]:
    """Describe the variables of a release."""
    found, summary = release.prepared, release.summary
    plan = found.plan
    roles = {name: plan.columns[name].role if name in plan.columns else "keep" for name in found.table.names}
    dropped = [x for x in roles if roles[x] == "identifier" or (roles[x] == "unit" and not plan.long)]
    kept = [x for x in roles if x not in dropped]
    cells = found.table.cells([x for x in kept if roles[x] != "quasi"])
    return {
        "format": 1,
        **{name: plan.about[name] for name in ("title", "purpose", "note") if name in plan.about},
        "software": f"allonym {__version__}",
        "records": summary["records"],
        "suppressed": summary["suppressed"],
        "method": {
            "name": plan.chosen.name,
            "about": plan.chosen.about,
            "parameters": {x: y for x, y in summary["parameters"].items() if x not in PRIVATE},
        },
        "privacy": summary["privacy"],
        "information_loss": summary["measures"]["information_loss"]["value"],
        "sha256": summary["sha256"]["output"],
        "dropped": len(dropped),
        "variables": [_variable(release, name, roles[name], cells.get(name)) for name in kept],
    }


def _variable(release: Release, name: str, role: str, cells: Cells | None) -> dict[str, Any]:
    found, plan = release.prepared, release.prepared.plan
    altered = role == "quasi"
    told: dict[str, Any] = {"name": name, "role": role, "altered": altered}
    if name in found.kinds:
        told["kind"] = found.kinds[name]
    if altered:
        loss = release.summary["measures"]["information_loss"]["by_column"]
        told |= {"how": f"{plan.chosen.name}: {plan.chosen.about}", "information_loss": loss[name]}
        cells = release.written[name]
    if name in found.words:
        told["ontologies"] = [_ontology(x.scope) for x in found.words[name]]
    assert cells is not None
    concepts = _concepts(release, name) if altered else {}
    counts = np.bincount(cells.codes, minlength=len(cells.values)).tolist()
    values: dict[str, dict[str, Any]] = {}
    missing = 0
    for code, (value, rows) in enumerate(zip(cells.values, counts, strict=True)):
        if not rows:
            continue
        if encode.is_missing(value, plan.missing):
            missing += rows
            continue
        text = encode.as_text(value) if not isinstance(value, tuple) else plan.columns[name].separator.join(value)
        entry = values.setdefault(text, {"value": text, **concepts.get(code, {}), "records": 0})
        entry["records"] += rows
    told |= {"distinct": len(values), "missing": missing}
    if len(values) <= LISTED:
        told["values"] = sorted(values.values(), key=lambda x: x["value"])
    return told


def _ontology(scope: Scope) -> dict[str, Any]:
    source = scope.taxonomy.source
    told = {"name": scope.name, "version": source.version, "licence": source.licence, "sha256": source.sha256}
    return {key: value for key, value in told.items() if value}


def _concepts(release: Release, name: str) -> dict[int, dict[str, Any]]:
    """Return the id of the concept behind each value of a masked column of words."""
    attribute = next(x for x in release.masking.attributes if x.name == name)
    if not isinstance(attribute.metric, Taxonomic):
        return {}
    ids = release.prepared.words[name][0].scope.taxonomy.ids
    return {
        code: {"concept": ids[int(v)]} for code, v in enumerate(attribute.values) if isinstance(v, (int, np.integer))
    }
