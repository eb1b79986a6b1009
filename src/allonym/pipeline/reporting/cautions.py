"""Section: what the release does not protect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from allonym.errors import first_few, plural
from allonym.kinds.dominance import DominanceRule
from allonym.methods.base import ColumnwiseMethod
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline.reporting.facts import ReleaseFacts


def cautions(facts: ReleaseFacts) -> dict[str, Any]:
    """Return what the release does not protect."""
    return {"cautions": [*_columns(facts), *_row_order(facts), *_groups(facts), *_persons(facts)]}


def _columns(facts: ReleaseFacts) -> Iterator[str]:
    plan = facts.plan
    roles = {name: plan.columns[name].role if name in plan.columns else "keep" for name in facts.prepared.table.names}
    unchanged = [name for name, role in roles.items() if role in ("keep", "sensitive", "weight")]
    if unchanged:
        yield (
            f"Unchanged columns ({first_few(unchanged, 20)}): people can be identified by them if others know their "
            "values. Columns that others may know are quasi-identifiers and should be masked."
        )
    confirmed = [name for name in roles if name in plan.columns and plan.columns[name].confirmed]
    if confirmed:
        yield (
            "Unchanged columns that the plan keeps although they may identify people or tell what was masked: "
            f"{first_few(confirmed, 20)}."
        )


def _row_order(facts: ReleaseFacts) -> Iterator[str]:
    order, dropped = facts.summary["row_order"], facts.prepared.dropped
    if order == "aligned":
        yield "The order of rows: it is that of the table. Shuffle the rows before others get them."
    elif order == "keep" and (columns := facts.summary.get("ordered_by")):
        named = [x for x in columns if x not in dropped]
        named += [plural(len(columns) - len(named), "dropped column")] if len(named) < len(columns) else []
        yield f"The order of rows: it is that of the table, and correlates with {first_few(named, 20)}."
    elif order == "keep":
        yield "The order of rows: it is that of the table."


def _groups(facts: ReleaseFacts) -> Iterator[str]:
    method, suppressed = facts.method, facts.summary["suppressed"]
    recordwise = isinstance(method, RecordLevelMethod)
    if recordwise:
        yield "Combinations of values: each value is replaced on its own, and records need not form groups."
    else:
        yield "Membership in the table, and what the members of a group have in common: k-anonymity hides neither."
    if recordwise and facts.plan.seed is not None:
        yield (
            "Errors that can be repeated: the release has a seed. Anyone who knows the seed and the plan can test a "
            "guess of the table against the release. Publish releases without a seed, or keep seed and plan secret."
        )
    if isinstance(method, ColumnwiseMethod):
        yield "Combinations of columns: k holds in each column alone."
    required = {x.column for x in facts.plan.privacy}
    unprotected = [x for x in facts.prepared.with_role("sensitive") if x not in required]
    if unprotected and not recordwise:
        yield (
            f"Sensitive columns of which nothing is required ({first_few(unprotected, 20)}): all records of a group "
            "may have the same value."
        )
    if suppressed:
        yield (
            f"Suppressed records ({suppressed:,}): their other columns are unchanged. A person whose values are in no "
            "other group must be one of them; they count as a group, of at least k."
        )
    default = DominanceRule()
    rules = facts.summary.get("dominance", {})
    weak = [name for name, x in rules.items() if x["p"] < default.p or x["n"] < default.n or x["k"] > default.k]
    if weak and not recordwise:
        yield (
            f"Numbers that stand out in their group ({first_few(weak, 20)}): the mean of a group may reveal them, "
            "since the rules that prevent it are weaker than by default."
        )
    if not method.truthful and not recordwise:
        yield "The truth of single values: the value of a group is close to all its records, and may be untrue of some."


def _persons(facts: ReleaseFacts) -> Iterator[str]:
    yield (
        "What several releases reveal together: `allonym evaluate --earlier` measures what an attacker with an earlier "
        "release knows."
    )
    if facts.prepared.units is None:
        yield "People with several records: each record counts as one person."
