"""Sections: the columns, and the sizes of groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from allonym.cells import by_text
from allonym.ontology.catalog.about import is_published
from allonym.pipeline.evaluate import bins
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.records import Pairs
from allonym.report.model import Variable

TREATMENT = {
    "identifier": "dropped",
    "quasi": "masked",
    "sensitive": "unchanged",
    "unit": "dropped; identifies the person of a record",
    "household": "dropped; identifies the household of a record",
    "weight": "unchanged; a survey weight",
    "keep": "unchanged",
}


def columns(facts: ReleaseFacts) -> dict[str, Any]:
    """Return the role, the treatment and the changes of every column."""
    return {"variables": list(_variables(facts))}


def _variables(facts: ReleaseFacts) -> Iterator[Variable]:
    prepared, plan = facts.prepared, facts.plan
    for name in prepared.table.names:
        role = plan.columns[name].role if name in plan.columns else "keep"
        kind = prepared.kinds.get(name, "")
        scopes = [x.scope for x in prepared.links.get(name, ())]
        shown = not facts.public or all(map(is_published, scopes))
        ontology = " and ".join(x.name for x in scopes) if shown else ""
        if role == "quasi":
            yield _masked(facts, Variable(name, role, TREATMENT[role], kind, ontology))
        else:
            treatment = "renumbered" if role == "unit" and plan.long else TREATMENT[role]
            yield Variable(name, role, treatment, kind, ontology)


def _masked(facts: ReleaseFacts, variable: Variable) -> Variable:
    """Return a masked column with its distinct values, its changed cells and its loss."""
    name, prepared = variable.name, facts.prepared
    loss = facts.measures["information_loss"]["by_column"][name]
    if facts.public:  # how many different values the original has depends on single persons
        return replace(variable, loss=loss)
    encoded, changes = prepared.encoded[name], facts.release.changes
    assert changes is not None  # a release without measures has no report
    was, now = (encoded.kind.canonical(x) for x in (encoded.cells, facts.release.written[name]))
    before, after = (int(np.count_nonzero(by_text(x).counts)) for x in (was, now))
    counts = changes.columns[name].counts
    changed = 100 * counts.changed / max(counts.cells, 1)
    return replace(variable, distinct=(before, after), changed=changed, loss=loss)


def group_sizes(facts: ReleaseFacts) -> dict[str, Any]:
    """Return how many records are in groups of each size, before and after masking."""
    return {"sizes": (_sizes(facts.pairs.unmasked), _sizes(facts.pairs))}


def _sizes(pairs: Pairs) -> dict[str, int]:
    grouped = pairs.groups >= 0
    rows = np.bincount(pairs.groups[grouped], weights=pairs.counts[grouped], minlength=len(pairs.sizes))
    return {name: int(rows[(pairs.sizes >= low) & (pairs.sizes <= high)].sum()) for name, low, high in bins()}
