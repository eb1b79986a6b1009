"""Measuring a masked file, from any tool, against the original table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym import privacy
from allonym.arrays import Ints, distinct
from allonym.errors import OptionError, PlanError, TableError
from allonym.kinds.base import ReleasedColumn
from allonym.measures import risk
from allonym.measures.changes import Changes
from allonym.measures.clusters import CLUSTERS, check_clusters
from allonym.measures.dendrogram import Dendrograms, dendrograms
from allonym.measures.measurement import BALANCE, THRESHOLD, Measurement, linkage_by_meaning, measured
from allonym.measures.population import PopulationRisk, class_sizes
from allonym.measures.uniques import SIZE, UniqueCombinations, unique_combinations
from allonym.methods.base import ColumnwiseMethod
from allonym.ontology.similarity import MEASURES
from allonym.pipeline.alignment import MaskedTable
from allonym.pipeline.changes.cell_pairs import changes_of
from allonym.pipeline.disclosure.linkage import risk_of_pairs
from allonym.pipeline.disclosure.population import population_risk
from allonym.pipeline.disclosure.record_risk import RecordRisk
from allonym.pipeline.disclosure.uniques import uniques_of
from allonym.pipeline.prepare import prepare
from allonym.pipeline.source import open_source
from allonym.privacy.registry import MODELS
from allonym.progress import Progress, no_progress, part_of
from allonym.records import Pairs

if TYPE_CHECKING:
    from allonym.plan.model import Plan


KNOWN_ITEMS = 2  # of a set, that an attacker is assumed to know
SHUFFLES, TESTED_ROWS = 19, 5000  # random pairings of so many rows, to which rows paired by position are compared


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The information loss, the disclosure risk and the privacy of a release."""

    records: int
    units: int | None  # persons
    tuples: tuple[int, int]  # before and after
    suppressed: int
    privacy: Sequence[Mapping[str, Any]]
    measures: Mapping[str, Measurement]
    sizes: Ints = field(repr=False)  # of the groups, in persons
    attackers: Mapping[str, Measurement] = field(default_factory=dict)  # linkage by meaning under other measures
    risk: Mapping[str, Any] = field(default_factory=dict)  # every attacker, the highest of them, and inference
    earlier: Mapping[str, Any] | None = None
    strange: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)  # masked values without a meaning
    uniques: UniqueCombinations | None = None  # the combinations of released columns that make people unique
    uniques_before: UniqueCombinations | None = None  # the same of the original
    population: PopulationRisk | None = None  # people of the population who share the released values of each record
    record_risk: RecordRisk | None = field(default=None, repr=False)  # values of single rows: for the steward alone
    households: int | None = None
    united: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # columns whose spellings count as one value
    paired_by: str = "position"  # how rows were matched: position, index, key or row map
    looks_unpaired: bool = False  # whether rows paired by position are no more alike than rows paired at random
    dendrograms: Dendrograms | None = field(default=None, repr=False)  # of the records before and after masking
    changes: Changes | None = field(default=None, repr=False)  # lists replacements, which are values of the data

    @property
    def summary(self) -> dict[str, Any]:
        """The figures for JSON; they hold no values of the data."""
        measures = {name: x.to_dict() for name, x in self.measures.items()}
        if self.dendrograms is not None:
            measures["clustering_distance"]["clusters"] = self.dendrograms.number
        if self.attackers:
            measures["semantic_linkage"]["by_measure"] = {name: x.to_dict() for name, x in self.attackers.items()}
        return {
            "format": 1,
            "records": self.records,
            "units": self.units,
            **({} if self.households is None else {"households": self.households}),
            "tuples": {"before": self.tuples[0], "after": self.tuples[1]},
            "suppressed": self.suppressed,
            "paired_by": self.paired_by,
            "looks_unpaired": self.looks_unpaired,
            "not_understood": {name: len(values) for name, values in self.strange.items()},
            "privacy": [dict(x) for x in self.privacy],
            **({"united": dict(self.united)} if self.united else {}),
            "groups": group_sizes(self.sizes),
            "changes": {} if self.changes is None else self.changes.to_dict(),
            "measures": measures,
            "risk": dict(self.risk),
            "earlier": None if self.earlier is None else dict(self.earlier),
            "unique_combinations": None if self.uniques is None else self.uniques.to_dict(),
            "unique_combinations_before": None if self.uniques_before is None else self.uniques_before.to_dict(),
            "population": None if self.population is None else self.population.to_dict(),
        }


def evaluate(
    plan: Plan,
    original: Any,
    masked: Any,
    *,
    key: str | None = None,
    row_map: str | Path | None = None,
    earlier: Any = None,
    earlier_row_map: str | Path | None = None,
    balance: float = BALANCE,
    threshold: float = THRESHOLD,
    attackers: Sequence[str] = (),
    m: int = KNOWN_ITEMS,
    population: Any = None,
    combination_size: int = SIZE,
    exact_risk: bool = False,
    clusters: int | str = CLUSTERS,
    tick: Progress = no_progress,
) -> Evaluation:
    """Measure a masked table, from any tool, against the original; both are files or frames.

    Args:
        plan: the roles and kinds of the columns, and the privacy requirements to test.
        original: the original table.
        masked: the masked table.
        key: the column that identifies rows; by default, pandas frames with the same index match by its labels, all
            others by position.
        row_map: the row map of a shuffled release, instead of a key.
        earlier: another release of the same people.
        earlier_row_map: the row map of that release.
        balance: the weight of loss against risk in the score, from 0 to 1.
        threshold: the probability of re-identification from which a record is at risk.
        attackers: other similarity measures for linkage by meaning.
        m: the number of items of a set that an attacker knows.
        population: a table of the population, for k-map.
        combination_size: the largest number of columns whose combinations are counted.
        exact_risk: whether to compare all records instead of a sample.
        tick: called with the work done and its total.

    Returns:
        The information loss, the disclosure risk and the privacy of the release; `summary` has them for JSON.

    Raises:
        PlanError: the plan does not fit the original.
        TableError: the original has no rows.
        OptionError: an option is out of range, or rows cannot be paired as asked.

    >>> import allonym as al, pandas as pd
    >>> plan = al.Plan({"job": al.quasi("wordnet:person")}, k=2)
    >>> jobs = pd.DataFrame({"job": ["plumber", "carpenter", "nurse", "nurse"]})
    >>> result = evaluate(plan, jobs, jobs.assign(job=["carpenter", "carpenter", "nurse", "nurse"]))
    >>> result.records, [(x["model"], x["reached"]) for x in result.privacy]
    (4, [('k-anonymity', 2)])
    """
    _check(balance, threshold, attackers, m)
    check_clusters(clusters)
    _check_pairing(key, row_map, earlier, earlier_row_map)
    prepared = prepare(plan, open_source(plan, original, in_memory=True), part_of(tick, 0, 2))
    if prepared.problems or prepared.records is None:
        raise PlanError(prepared.problems)
    if not prepared.table.n:
        raise TableError("The original has no rows: there is nothing to measure.")
    release = MaskedTable(prepared, masked, key, "the masked table", row_map=row_map)
    columns = {name: release.encoded(name) for name in prepared.with_role("quasi")}
    pairs_of = _pairs(release, columns)
    pairs = pairs_of(group_ids=release.group_ids, suppressed=release.suppressed)
    together = None
    if earlier is not None:
        before = MaskedTable(prepared, earlier, key, "the earlier release", partial=True, row_map=earlier_row_map)
        joint = pairs_of(group_ids=risk.together(release.group_ids, before.group_ids))
        together = _narrowed(pairs, pairs_of(group_ids=before.group_ids), joint)
    seed, k = plan.seed or 0, plan.method.required_k
    measures = measured(
        pairs,
        k,
        balance=balance,
        threshold=threshold,
        seed=seed,
        exact=exact_risk,
        clusters=clusters,
        tick=part_of(tick, 1, 2),
    )
    evaluation = Evaluation(
        records=prepared.table.n,
        **prepared.people(),
        tuples=(len(prepared.records), int((pairs.sizes > 0).sum())),
        suppressed=int(release.suppressed.sum()),
        privacy=[*_privacy(pairs, plan, list(columns)), *release.combinations(k, m)],
        measures=measures,
        dendrograms=dendrograms(pairs, clusters, seed),
        sizes=pairs.sizes[pairs.sizes > 0],
        attackers={name: linkage_by_meaning(pairs, name, seed, exact=exact_risk) for name in attackers},
        risk=risk_of_pairs(prepared, pairs, measures, seed, exact=exact_risk),
        earlier=together,
        strange={name: x.unknown for name, x in columns.items() if x.unknown},
        united=prepared.united_values(),
        paired_by=release.paired_by,
        looks_unpaired=release.paired_by == "position" and _looks_unpaired(release, columns),
        changes=changes_of(
            prepared,
            [x.attribute for x in columns.values()],
            release.written,
            {name: x.codes for name, x in columns.items()},
        ),
    )
    return replace(evaluation, **_disclosure(release, columns, population, combination_size))


def _disclosure(
    release: MaskedTable, columns: Mapping[str, ReleasedColumn], population: Any, size: int
) -> dict[str, Any]:
    """Return what makes people unique in a release and in its original, their number in a population, and each risk.

    Suppressed rows are a group: who is the only one of them is unique.
    """
    prepared = release.prepared
    texts = {name: release.cells[name].codes for name in columns}
    uniques = (
        unique_combinations(list(texts), list(texts.values()), size=size, units=prepared.persons) if size else None
    )
    people = population_risk(prepared, population, columns, texts)
    sizes = class_sizes(distinct(list(texts.values()))[0], prepared.units)
    return {
        "uniques": uniques,
        "uniques_before": uniques_of(prepared, size) if size else None,
        "population": people,
        "record_risk": RecordRisk(sizes, uniques, people),
    }


def _pairs(release: MaskedTable, columns: Mapping[str, ReleasedColumn]) -> Callable[..., Pairs]:
    """Return the function that pairs rows of the original and of the release; it takes the `group_ids` of a release."""
    prepared = release.prepared
    sensitive = [release.encode_sensitive(name) for name in prepared.with_role("sensitive")]
    encoded = [prepared.encoded[name] for name in columns]
    return partial(
        Pairs.of_rows,
        tuple(x.attribute for x in columns.values()),
        [x.original_of[x.cells.codes] for x in encoded],
        [x.codes for x in columns.values()],
        weights=prepared.weights,
        units=prepared.units,
        sensitive=tuple(attribute for attribute, _ in sensitive),
        sensitive_codes=[codes for _, codes in sensitive],
        original_group_ids=distinct([prepared.canonical(name).codes for name in columns])[0],
    )


def _check_pairing(key: str | None, row_map: Any, earlier: Any, earlier_row_map: Any) -> None:
    """Refuse two ways to pair rows, and a row map of nothing."""
    if key is not None and (row_map is not None or earlier_row_map is not None):
        raise OptionError("Rows are paired by a key or by a row map, not by both.", hint="leave one out.")
    if earlier_row_map is not None and earlier is None:
        raise OptionError("--earlier-row-map requires --earlier.", hint="add --earlier RELEASE.")


def _looks_unpaired(release: MaskedTable, columns: Mapping[str, ReleasedColumn]) -> bool:
    """Tell whether rows paired by position are no closer to their originals than rows that are paired at random.

    They look so where one of `SHUFFLES` random pairings of up to `TESTED_ROWS` rows gives a smaller sum of distances.
    """
    rng = np.random.default_rng(0)
    n = release.prepared.table.n
    rows = np.sort(rng.permutation(n)[:TESTED_ROWS])
    encoded = [release.prepared.encoded[name] for name in columns]
    before = [x.original_of[x.cells.codes[rows]] for x in encoded]
    after = [x.codes[rows] for x in columns.values()]

    def distance(order: Ints) -> float:
        metrics = [x.attribute.metric for x in columns.values()]
        return sum(float(m.distances(a, b[order]).sum()) for m, a, b in zip(metrics, before, after, strict=True))

    by_position = distance(np.arange(len(rows)))
    at_random = [distance(rng.permutation(len(rows))) for _ in range(SHUFFLES)]
    return by_position > min(at_random)


def _check(balance: float, threshold: float, attackers: Sequence[str], m: int) -> None:
    """Refuse options out of range."""
    if m < 1:
        raise OptionError(f"m is {m}, it must be at least 1.")
    for what, value in (("balance", balance), ("threshold", threshold)):
        if not 0 <= value <= 1:
            raise OptionError(f"The {what} is {value:g}, it must be from 0 to 1.")
    for name in attackers:
        if name not in MEASURES:
            raise OptionError.of("measure", name, list(MEASURES))


def bins() -> Iterator[tuple[str, int, float]]:
    """Yield ranges of group sizes with their names and bounds."""
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


def _privacy(pairs: Pairs, plan: Plan, columns: list[str]) -> list[dict[str, Any]]:
    """Return the privacy models of the plan with what the release reaches, and what it reaches of other models."""
    k, parts = plan.method.required_k, [(columns, pairs)]
    if isinstance(plan.method, ColumnwiseMethod):
        parts = [([name], pairs.column(a)) for a, name in enumerate(columns)]
    entries: list[dict[str, Any]] = []
    for names, part in parts:
        reached = privacy.k_anonymity(part)
        asked, holds = (k, reached >= k) if k > 1 and plan.method.known_items is None else (None, None)
        entries.append({"model": "k-anonymity", "columns": names, "asked": asked, "reached": reached, "holds": holds})
    for a, attribute in enumerate(pairs.sensitive):
        for model in (model.measuring() for model in MODELS.values()):
            figure = model.reached_by(pairs, a)
            entries.append(
                {"model": model.title, "columns": [attribute.name], "asked": None, "reached": figure, "holds": None}
            )
    required = [x for names, part in parts for x in _required(part, plan, names)]
    stated = {(x["model"], *x["columns"]) for x in required}
    return [*(x for x in entries if (x["model"], *x["columns"]) not in stated), *required]


def _required(pairs: Pairs, plan: Plan, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the requirements of the plan besides k, and whether they hold."""
    sensitive = [x.name for x in pairs.sensitive]
    for x in (x for x in plan.privacy if x.column in sensitive):
        reached = x.as_model.reached_by(pairs, sensitive.index(x.column))
        entry: dict[str, Any] = {"model": x.name, "columns": [x.column], "asked": x.asked, "reached": reached}
        entry |= {"holds": x.as_model.is_met(reached)}
        yield entry | ({"over": names} if isinstance(plan.method, ColumnwiseMethod) else {})


def _narrowed(alone: Pairs, before: Pairs, joint: Pairs) -> dict[str, Any]:
    """Return the risk of both releases together, and of each alone."""
    return {
        what: {
            "smallest": privacy.k_anonymity(pairs),
            "unique": risk.uniqueness(pairs),
            "prosecutor_risk": risk.prosecutor(pairs).mean,
        }
        for what, pairs in (("alone", alone), ("earlier", before), ("together", joint))
    }
