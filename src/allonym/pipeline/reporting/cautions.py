"""Sentences on what a release does not protect; each attacker of `threats` names its own."""

from __future__ import annotations

from collections.abc import Iterator

from allonym.errors import first_few, plural
from allonym.kinds.dominance import DominanceRule
from allonym.methods.base import ColumnwiseMethod, UngroupedMethod
from allonym.pipeline.reporting.facts import ReleaseFacts

MANY_UNREVIEWED, MANY_DOUBTFUL = 0.2, 0.02  # shares of a column's cells that are cautioned about


def of_kept_columns(facts: ReleaseFacts) -> Iterator[str]:
    """Yield cautions on columns that are published unchanged."""
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


def of_row_order(facts: ReleaseFacts) -> Iterator[str]:
    """Yield cautions on the order of rows."""
    order, dropped = facts.summary["row_order"], facts.prepared.dropped
    if order == "aligned":
        yield "The order of rows: it is that of the table. Shuffle the rows before others get them."
    elif order == "keep" and (columns := facts.summary.get("ordered_by")):
        named = [x for x in columns if x not in dropped]
        named += [plural(len(columns) - len(named), "dropped column")] if len(named) < len(columns) else []
        yield f"The order of rows: it is that of the table, and correlates with {first_few(named, 20)}."
    elif order == "keep":
        yield "The order of rows: it is that of the table."


def of_combinations(facts: ReleaseFacts) -> Iterator[str]:
    """Yield cautions on combinations of values."""
    if isinstance(facts.method, UngroupedMethod):
        yield "Combinations of values: each value is replaced on its own, and records need not form groups."
    if facts.method.info.keeps_values:
        yield (
            "Rare values: every value of a masked column is in the release, also one that a single person has, and "
            "shows that somebody in the table has it. No k is promised; the strongest attacker says how often "
            "somebody is found."
        )
    if isinstance(facts.method, ColumnwiseMethod):
        yield "Combinations of columns: k holds in each column alone."
    if (m := facts.method.known_items) is not None:
        yield (
            f"Attackers who know more than {plural(m, 'item')} of a set: k holds for combinations of up to {m}. Whole "
            "sets may be unique."
        )


def of_sensitive_values(facts: ReleaseFacts) -> Iterator[str]:
    """Yield cautions on sensitive values of which nothing is required."""
    required = {x.column for x in facts.plan.privacy}
    unprotected = [x for x in facts.prepared.with_role("sensitive") if x not in required]
    if unprotected and not isinstance(facts.method, UngroupedMethod):
        yield (
            f"Sensitive columns of which nothing is required ({first_few(unprotected, 20)}): all records of a group "
            "may have the same value."
        )


def of_repeated_draws(facts: ReleaseFacts) -> Iterator[str]:
    """Yield cautions on random draws that a seed lets others repeat."""
    if isinstance(facts.method, UngroupedMethod) and facts.plan.seed is not None:
        yield (
            "Errors that can be repeated: the release has a seed. Anyone who knows the seed and the plan can test a "
            "guess of the table against the release. Publish releases without a seed, or keep seed and plan secret."
        )


def of_groups(facts: ReleaseFacts) -> Iterator[str]:
    """Yield cautions on what groups do not hide."""
    suppressed = facts.summary["suppressed"]
    recordwise = isinstance(facts.method, UngroupedMethod)
    if not recordwise:
        yield "Membership in the table, and what the members of a group have in common: k-anonymity hides neither."
    if suppressed:
        yield (
            f"Suppressed records ({suppressed:,}): their other columns are unchanged. A person whose values are in no "
            "other group must be one of them; they count as a group, of at least k."
        )
    near = [name for name, kind in _masked_kinds(facts).items() if not _is_true(facts, name, kind)]
    if near and not recordwise:
        columns = "" if len(near) == len(_masked_kinds(facts)) else f" in {', '.join(near)}"
        text = "the value of a group is close to all its records, and may be untrue of some."
        yield f"The truth of single values{columns}: {text}"


def _is_true(facts: ReleaseFacts, name: str, kind: str) -> bool:
    """Tell whether all values of a column are true of their groups, as the column or the method says."""
    represent = facts.prepared.encoded[name].attribute.represent
    return facts.method.truthful(kind) if represent is None else represent == "truthful"


def _masked_kinds(facts: ReleaseFacts) -> dict[str, str]:
    return {name: facts.prepared.kinds[name] for name in facts.prepared.with_role("quasi")}


def of_outliers(facts: ReleaseFacts) -> Iterator[str]:
    """Yield the caution on rules of dominance that are weaker than by default."""
    default = DominanceRule()
    rules = facts.summary.get("dominance", {})
    weak = [name for name, x in rules.items() if x["p"] < default.p or x["n"] < default.n or x["k"] > default.k]
    if weak and not isinstance(facts.method, UngroupedMethod):
        yield (
            f"Numbers that stand out in their group ({first_few(weak, 20)}): the mean of a group may reveal them, "
            "since the rules that prevent it are weaker than by default."
        )


def of_several_releases(facts: ReleaseFacts) -> Iterator[str]:
    """Yield the caution on other releases of the same people."""
    yield (
        "What several releases reveal together: `allonym evaluate --earlier` measures what an attacker with an earlier "
        "release knows."
    )


def of_known_items(facts: ReleaseFacts) -> Iterator[str]:
    """Yield the caution on sets of a release that are somebody's."""
    share = facts.measures.get("verbatim_sets", {}).get("value")
    if share:
        yield (
            f"Sets that are one person's whole set: {share:.1f} % of the released sets. Who knows some of the items "
            "may read the others. Choose represent = consensus for the column."
        )


def of_several_rows(facts: ReleaseFacts) -> Iterator[str]:
    """Yield the caution on people with several records."""
    if facts.prepared.persons is None:
        yield "People with several records: each record counts as one person."


def of_unreviewed_links(facts: ReleaseFacts) -> Iterator[str]:
    """Yield the caution on columns of which many cells rest on links that nobody reviewed."""
    columns = facts.summary.get("changes", {}).get("by_column", {})  # a public report does not count them
    many = {
        name: x
        for name, x in columns.items()
        if x["unreviewed"] > MANY_UNREVIEWED * x["cells"] or x["doubtful"] > MANY_DOUBTFUL * x["cells"]
    }
    if many:
        counts = [
            f"{name}: {x['unreviewed']:,} of {plural(x['cells'], 'cell')}, {x['doubtful']:,} of them doubtful"
            for name, x in many.items()
        ]
        yield (
            f"Links that nobody reviewed ({first_few(counts, 20)}): a wrong link gives a word another meaning, so that "
            "its replacement may be unrelated and the figures of loss and risk may be too low. Review the links, "
            "the most frequent first."
        )
