"""Sections: the columns, the sizes of groups, and replacements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from allonym.arrays import count_by, distinct
from allonym.pipeline.evaluate import bins
from allonym.pipeline.reporting.facts import ReleaseFacts, shown
from allonym.pipeline.run import by_text
from allonym.records import Pairs
from allonym.report.model import Variable

MAX_REPLACEMENTS = 15  # shown for a column
TREATMENT = {
    "identifier": "dropped",
    "quasi": "masked",
    "sensitive": "unchanged",
    "unit": "dropped; identifies the person of a record",
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
        ontology = " and ".join(x.scope.name for x in prepared.links.get(name, ()))
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
    encoded = prepared.encoded[name]
    was, now = (encoded.kind.canonical(x) for x in (encoded.cells, facts.release.written[name]))
    before, after = (int(np.count_nonzero(by_text(x).counts)) for x in (was, now))
    number, _, first = distinct([was.codes, now.codes])
    counts = count_by(number, len(first), prepared.row_counts)
    differ = [shown(was.values[was.codes[i]]) != shown(now.values[now.codes[i]]) for i in first.tolist()]
    changed = 100 * float(counts[np.array(differ, bool)].sum()) / max(prepared.table.n, 1)
    return replace(variable, distinct=(before, after), changed=changed, loss=loss)


def group_sizes(facts: ReleaseFacts) -> dict[str, Any]:
    """Return how many records are in groups of each size, before and after masking."""
    return {"sizes": (_sizes(facts.pairs.unmasked), _sizes(facts.pairs))}


def _sizes(pairs: Pairs) -> dict[str, int]:
    grouped = pairs.groups >= 0
    rows = np.bincount(pairs.groups[grouped], weights=pairs.counts[grouped], minlength=len(pairs.sizes))
    return {name: int(rows[(pairs.sizes >= low) & (pairs.sizes <= high)].sum()) for name, low, high in bins()}


def replacements(facts: ReleaseFacts) -> dict[str, Any]:
    """Return the most frequent replacements of every masked column."""
    rows = {name: facts.release.replacements(name) for name in facts.prepared.with_role("quasi")}
    listed = {name: own[:MAX_REPLACEMENTS] for name, own in rows.items() if own}
    return {
        "replacements": {name: [(shown(a), shown(b), n) for a, b, n in own] for name, own in listed.items()},
        "more_replacements": {name: len(rows[name]) - len(own) for name, own in listed.items()},
    }
