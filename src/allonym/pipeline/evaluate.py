"""Measuring any masked file, ours or another tool's, against the table it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints, distinct
from allonym.errors import OptionError, PlanError, TableError
from allonym.measures import risk
from allonym.measures.measurement import BALANCE, THRESHOLD, Measurement, linkage_by_meaning, measured
from allonym.methods.base import ColumnwiseMethod
from allonym.ontology.similarity import MEASURES
from allonym.pipeline.alignment import MaskedTable
from allonym.pipeline.prepare import opened, prepare
from allonym.privacy import models as privacy
from allonym.progress import Progress, no_progress, part_of
from allonym.records import Pairs, Requirement

if TYPE_CHECKING:
    from allonym.plan.model import Plan


ITEMS = 2  # that an attacker is taken to know of a set


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a release lost, what it still tells, and what it promises."""

    records: int
    units: int | None
    tuples: tuple[int, int]  # before and after
    suppressed: int
    privacy: Sequence[Mapping[str, Any]]
    measures: Mapping[str, Measurement]
    sizes: Ints = field(repr=False)  # of the groups, in persons
    attackers: Mapping[str, Measurement] = field(default_factory=dict)  # linkage by meaning under other measures
    earlier: Mapping[str, Any] | None = None
    strange: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)  # masked values not understood

    @property
    def summary(self) -> dict[str, Any]:
        """The figures, as they are printed as JSON; no values of the data."""
        measures = {name: x.to_dict() for name, x in self.measures.items()}
        if self.attackers:
            measures["semantic_linkage"]["by_measure"] = {name: x.to_dict() for name, x in self.attackers.items()}
        return {
            "format": 1,
            "records": self.records,
            "units": self.units,
            "tuples": {"before": self.tuples[0], "after": self.tuples[1]},
            "suppressed": self.suppressed,
            "not_understood": {name: len(values) for name, values in self.strange.items()},
            "privacy": [dict(x) for x in self.privacy],
            "groups": group_sizes(self.sizes),
            "measures": measures,
            "earlier": None if self.earlier is None else dict(self.earlier),
        }


def evaluate(
    plan: Plan,
    original: Any,
    masked: Any,
    *,
    key: str | None = None,
    earlier: Any = None,
    balance: float = BALANCE,
    threshold: float = THRESHOLD,
    attackers: Sequence[str] = (),
    m: int = ITEMS,
    tick: Progress = no_progress,
) -> Evaluation:
    """Measure a masked table against the original, both files or frames."""
    _check(balance, threshold, attackers, m)
    found = prepare(plan, opened(plan, original), part_of(tick, 0, 2))
    if found.problems or found.records is None:
        raise PlanError(found.problems)
    if not found.table.n:
        raise TableError("The original has no rows: there is nothing to measure.")
    release = MaskedTable(found, masked, key, "the masked table")
    columns = {name: release.encoded(name) for name in found.with_role("quasi")}
    sensitive = {name: release.encode_sensitive(name) for name in found.with_role("sensitive")}
    common: dict[str, Any] = {
        "attributes": tuple(x.attribute for x in columns.values()),
        "original": [found.coded[name].original_of[found.coded[name].cells.codes] for name in columns],
        "masked": [x.codes for x in columns.values()],
        "weights": found.weights,
        "units": found.units,
        "sensitive": tuple(attribute for attribute, _ in sensitive.values()),
        "sensitive_codes": [codes for _, codes in sensitive.values()],
        "original_group_ids": distinct([found.canonical(name).codes for name in columns])[0],
    }
    pairs = Pairs.of_rows(**common, group_ids=release.group_ids)
    together = None
    if earlier is not None:
        before = MaskedTable(found, earlier, key, "the earlier release", partial=True)
        joint = Pairs.of_rows(**common, group_ids=risk.together(release.group_ids, before.group_ids))
        together = _narrowed(pairs, Pairs.of_rows(**common, group_ids=before.group_ids), joint)
    return Evaluation(
        records=found.table.n,
        units=None if found.units is None else found.records.persons,
        tuples=(len(found.records), int((pairs.sizes > 0).sum())),
        suppressed=int((release.group_ids < 0).sum()),
        privacy=[
            *_promises(pairs, plan, list(columns)),
            *release.combinations(plan.method.required_k, m),
        ],
        measures=measured(
            pairs,
            plan.method.required_k,
            balance=balance,
            threshold=threshold,
            seed=plan.seed or 0,
            tick=part_of(tick, 1, 2),
        ),
        sizes=pairs.sizes[pairs.sizes > 0],
        attackers={name: linkage_by_meaning(pairs, name, plan.seed or 0) for name in attackers},
        earlier=together,
        strange={name: x.unknown for name, x in columns.items() if x.unknown},
    )


def _check(balance: float, threshold: float, attackers: Sequence[str], m: int) -> None:
    """Refuse options that make no sense."""
    if m < 1:
        raise OptionError(f"m is {m}, it must be at least 1.")
    for what, value in (("balance", balance), ("threshold", threshold)):
        if not 0 <= value <= 1:
            raise OptionError(f"The {what} is {value:g}, it must be from 0 to 1.")
    for name in attackers:
        if name not in MEASURES:
            raise OptionError.of("measure", name, list(MEASURES))


def bins() -> Iterator[tuple[str, int, float]]:
    """Yield sizes of groups that are told together, with their least and most."""
    for low, after in pairwise((1, 2, 3, 5, 10, 20, 50, 100, 1000, np.inf)):
        high = after - 1
        yield str(low) if low == high else f"{low}-{int(high)}" if np.isfinite(high) else f"{low}-", int(low), high


def group_sizes(sizes: Ints) -> dict[str, Any]:
    """Return how many groups have how many persons."""
    by_size = {name: int(((sizes >= low) & (sizes <= high)).sum()) for name, low, high in bins()}
    return {
        "number": len(sizes),
        "smallest": int(sizes.min(initial=sizes.max(initial=0))),
        "median": float(np.median(sizes)) if sizes.size else 0.0,
        "mean": float(sizes.mean()) if sizes.size else 0.0,
        "largest": int(sizes.max(initial=0)),
        "by_size": by_size,
    }


def _promises(pairs: Pairs, plan: Plan, columns: list[str]) -> list[dict[str, Any]]:
    """Return what holds of the release: what the plan asks, of all columns or of each, and what it reaches beyond."""
    k, parts = plan.method.required_k, [(columns, pairs)]
    if isinstance(plan.method, ColumnwiseMethod):
        parts = [([name], pairs.column(a)) for a, name in enumerate(columns)]
    told: list[dict[str, Any]] = []
    for names, part in parts:
        reached = privacy.k_anonymity(part)
        asked, holds = (k, reached >= k) if k > 1 else (None, None)
        told.append({"model": "k-anonymity", "columns": names, "asked": asked, "reached": reached, "holds": holds})
    for a, attribute in enumerate(pairs.sensitive):
        for model, figure in (
            ("p-sensitive k-anonymity", privacy.l_diversity(pairs, a)),
            ("distinct l-diversity", privacy.l_diversity(pairs, a)),
            ("entropy l-diversity", privacy.entropy_l_diversity(pairs, a)),
            (f"recursive ({privacy.RECURSIVE:g},l)-diversity", privacy.recursive_l_diversity(pairs, a)),
            ("t-closeness", privacy.t_closeness(pairs, a)),
        ):
            told.append({"model": model, "columns": [attribute.name], "asked": None, "reached": figure, "holds": None})
    promised = [x for names, part in parts for x in _asked(part, plan, names)]
    about = {(x["model"], *x["columns"]) for x in promised}
    return [*(x for x in told if (x["model"], *x["columns"]) not in about), *promised]


def _asked(pairs: Pairs, plan: Plan, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what the plan promises beside k, and whether it holds."""
    sensitive = [x.name for x in pairs.sensitive]
    if pairs.group_ids is not None:  # of what they have in sensitive columns, suppressed records are a group
        pairs = replace(
            pairs, group_ids=np.where(pairs.group_ids < 0, pairs.group_ids.max(initial=0) + 1, pairs.group_ids)
        )
    for x in (x for x in plan.privacy if x.column in sensitive):
        requirement = x.requirement(sensitive.index(x.column))
        reached = reached_by(pairs, requirement)
        told: dict[str, Any] = {"model": x.name, "columns": [x.column], "asked": x.asked, "reached": reached}
        told |= {"holds": privacy.enough(requirement, reached)}
        yield told | ({"over": names} if isinstance(plan.method, ColumnwiseMethod) else {})


def reached_by(pairs: Pairs, requirement: Requirement) -> float:
    """Return what a release reaches of a demand."""
    if requirement.model == "t-closeness":
        return privacy.t_closeness(pairs, requirement.column)
    if requirement.model == "recursive-l-diversity":
        return privacy.recursive_l_diversity(pairs, requirement.column, requirement.c)
    if requirement.model == "entropy-l-diversity":
        return privacy.entropy_l_diversity(pairs, requirement.column)
    return privacy.l_diversity(pairs, requirement.column)


def _narrowed(alone: Pairs, before: Pairs, joint: Pairs) -> dict[str, Any]:
    """Return what somebody knows who has both releases, beside each alone."""
    return {
        what: {
            "smallest": privacy.k_anonymity(pairs),
            "unique": risk.uniqueness(pairs),
            "prosecutor_risk": risk.prosecutor(pairs).mean,
        }
        for what, pairs in (("alone", alone), ("earlier", before), ("together", joint))
    }
