"""The codebook of a release: what each variable is now, and which values it has, for those who will use it.

It tells nothing that the release and its plan do not: no seed, no value that was replaced, no group. Where nothing of a
release may depend on others' records, no figure that does.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym import __version__
from allonym.cells import Cells, cell_text, is_missing
from allonym.kinds.registry import WORDS, kind_named
from allonym.kinds.text import ConceptMetric
from allonym.ontology.scope import Scope

if TYPE_CHECKING:
    from allonym.pipeline.run import Release

LISTED = 1000  # values of a variable that are listed
PRIVATE = ("key",)  # parameters that name what is not in the release


def codebook(release: Release) -> dict[str, Any]:
    """Describe the variables of a release."""
    found, summary = release.prepared, release.summary
    plan = found.plan
    roles = {name: plan.columns[name].role if name in plan.columns else "keep" for name in found.table.names}
    dropped = [x for x in roles if roles[x] == "identifier" or (roles[x] == "unit" and not plan.long)]
    kept = [x for x in roles if x not in dropped]
    cells = found.table.cells([x for x in kept if roles[x] not in ("quasi", "unit")])
    lost = (
        {}
        if plan.method.info.data_independent
        else {"information_loss": summary["measures"]["information_loss"]["value"]}
    )
    return {
        "format": 1,
        **{name: plan.about[name] for name in ("title", "purpose", "note") if name in plan.about},
        "software": f"allonym {__version__}",
        "units" if plan.long else "records": summary["records"],
        "suppressed": summary["suppressed"],
        "method": {
            "name": plan.method.name,
            "about": plan.method.info.summary,
            "parameters": public_parameters(summary),
        },
        "privacy": summary["privacy"],
        **lost,
        "sha256": summary["sha256"]["output"],
        "dropped": len(dropped),
        "variables": [_variable(release, name, roles[name], cells.get(name)) for name in kept],
    }


def public_parameters(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a method without those that name what is not in the release."""
    return {x: y for x, y in summary["parameters"].items() if x not in PRIVATE}


def _variable(release: Release, name: str, role: str, cells: Cells | None) -> dict[str, Any]:
    found, plan = release.prepared, release.prepared.plan
    told: dict[str, Any] = {"name": name, "role": role, "altered": role in ("quasi", "unit")}
    if role == "unit":
        return told | {"how": "numbered anew, from 1 on", "distinct": release.summary["records"]}
    if name in found.kinds:
        told["kind"] = found.kinds[name]
    if role == "quasi":
        told |= {"how": f"{plan.method.name}: {plan.method.info.summary}"}
        if not plan.method.info.data_independent:
            told["information_loss"] = release.summary["measures"]["information_loss"]["by_column"][name]
        cells = release.written[name]
    if name in found.words:
        told["ontologies"] = [published(x.scope) for x in found.words[name]]
    assert cells is not None
    values, missing = _values(release, name, cells)
    told |= {"distinct": len(values), "missing": missing}
    if len(values) <= LISTED:
        concepts = _concepts(release, name) if role == "quasi" else {}
        told["values"] = [
            {"value": x, **({"concept": concepts[x]} if x in concepts else {}), "records": values[x]}
            for x in sorted(values)
        ]
    return told


def _values(release: Release, name: str, cells: Cells) -> tuple[Counter[str], int]:
    """Return what a column of the release says, or which items its lists have, in how many records; and the nulls."""
    plan, values, missing = release.prepared.plan, Counter[str](), 0
    kind = kind_named(release.prepared.kinds.get(name, WORDS)).of(plan.columns.get(name))
    for value, rows in zip(cells.values, cells.counts.tolist(), strict=True):
        if is_missing(value, plan.missing):
            missing += rows
        elif rows:
            values.update(dict.fromkeys(kind.listed(value), rows))
    return values, missing


def published(scope: Scope) -> dict[str, Any]:
    """Return which ontology it is; of one that nobody published only that it is one: it may list what people have."""
    source = scope.taxonomy.source
    if not (source.version or source.licence):
        return {"name": "a hierarchy of its own"}
    told = {"name": scope.name, "version": source.version, "licence": source.licence, "sha256": source.sha256}
    return {key: value for key, value in told.items() if value}


def _concepts(release: Release, name: str) -> dict[str, str | list[str]]:
    """Return the ids of the concepts behind the texts of a masked column of words, where they are published."""
    attribute = next(x for x in release.masking.attributes if x.name == name)
    scope = release.prepared.words[name][0].scope if name in release.prepared.words else None
    if scope is None or not isinstance(attribute.metric, ConceptMetric) or "version" not in published(scope):
        return {}
    cells, found = release.written[name], dict[str, list[str]]()
    for value, meant, rows in zip(cells.values, attribute.values, cells.counts.tolist(), strict=True):
        if rows and isinstance(meant, (int, np.integer)):
            found.setdefault(cell_text(value), []).append(scope.taxonomy.ids[int(meant)])
    return {text: ids[0] if len(ids) == 1 else ids for text, ids in found.items()}
