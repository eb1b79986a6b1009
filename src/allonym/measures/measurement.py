"""Figures side by side: of a release, of the original table, and of a release in which one record replaces all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from allonym.kinds.registry import kind_named
from allonym.measures import association, loss, marginals, risk, verbatim
from allonym.measures.attackers.known_items import KNOWN_ITEMS, Reading, reading
from allonym.measures.clusters import CLUSTERS, clustering_distance
from allonym.progress import Phase, phase
from allonym.records import Attribute, Pairs

BALANCE = 0.5
THRESHOLD = 0.2


@dataclass(frozen=True)
class Measurement:
    """One figure of a release, the same of the table as it was (`before`), and of the blindest way (`baseline`)."""

    name: str
    value: float
    before: float | None = None
    baseline: float | None = None
    interval: tuple[float, float] | None = None  # of a sample, with 95 % confidence
    per_column: Mapping[str, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "value": self.value,
            "before": self.before,
            "baseline": self.baseline,
            "interval": None if self.interval is None else list(self.interval),
            "by_column": None if self.per_column is None else dict(self.per_column),
        }


QUESTIONS = {
    "information_loss": "How much meaning was lost? (%)",
    "sse": "Squared distances between records and replacements (sum)",
    "sst": "Squared distances between records and the centroid (sum)",
    "semantic_quality": "How similar are values and their replacements? (%)",
    "path_distance": "How many is-a links lie between them? (mean)",
    "content_loss": "How much less specific did the columns become? (nats)",
    "total_variation": "How much of each distribution moved? (mean, 0 to 1)",
    "earth_movers_distance": "… and how far? (mean, 0 to 1)",
    "association_change": "How much did relations of columns change? (0 to 1)",
    "clustering_distance": "Would a cluster analysis find other profiles? (0 to 1)",
    "loss_metric": "How far were values generalised? (sum over columns)",
    "certainty_penalty": "How uncertain is a cell? (0 to 1)",
    "discernibility": "How large are the groups? (sum of squared sizes)",
    "average_group_size": "How large are the groups, in multiples of k? (mean)",
    "set_loss": "How far are sets from their replacements, by avg? (Σ d²)",
    "set_loss_min_sum": "… by min-sum (Σ d²)",
    "record_linkage": "How many records are re-identified by their text? (%)",
    "semantic_linkage": "How many records are re-identified by their meaning? (%)",
    "prosecutor_risk": "Risk of a person known to be in the table (mean)",
    "prosecutor_risk_highest": "… in the smallest group",
    "prosecutor_risk_above": "… share of persons above the threshold",
    "journalist_risk": "Risk of a person known to be in the population (mean)",
    "journalist_risk_highest": "… in the smallest group",
    "journalist_risk_above": "… share of persons above the threshold",
    "marketer_risk": "Share of persons that an attack on everybody finds",
    "uniqueness": "How many records are unique? (%)",
    "verbatim_sets": "How many released sets are one person's whole set? (%)",
    "verbatim_rows": "… in how many records?",
    "rare_items": "How many released items do fewer than k persons hold? (%)",
    "read_by_1_item": "How many other items does one read who knows 1 item? (%)",
    "read_by_2_items": "… 2 items? (%)",
    "read_by_3_items": "… 3 items? (%)",
    "whole_sets_read": "How many whole sets does one read who knows 3 items? (%)",
    "score": "Weighted mean of loss and linkage by text",
}
READ = {f"read_by_{m}_item{'s' if m > 1 else ''}": m for m in KNOWN_ITEMS}  # by how many items
WHOLE = "whole_sets_read"
DISCLOSED = ("verbatim_sets", "verbatim_rows", "rare_items", *READ, WHOLE)  # by sets
OF_SETS = ("set_loss", "set_loss_min_sum", *DISCLOSED)
MARGINALS = {
    "total_variation": marginals.total_variation,
    "earth_movers_distance": marginals.earth_movers_distance,
}
BRIEF = ("information_loss", "sse", "sst", *MARGINALS, *OF_SETS, "record_linkage", "semantic_linkage", "score")
OF_THESIS = ("semantic_quality", "path_distance", "discernibility", "clustering_distance")  # Martínez (2010), §5
SCORED = ("information_loss", "record_linkage")
_BY_COLUMN = {
    "information_loss": loss.information_loss,
    "semantic_quality": loss.semantic_quality,
    "path_distance": loss.path_distance,
    "content_loss": loss.content_loss,
    "loss_metric": loss.loss_metric,
    "certainty_penalty": loss.certainty_penalty,
}


def score(information_loss: float, linkage: float, balance: float = BALANCE) -> float:
    """Return balance·L + (1 - balance)·RL (Martínez, Sánchez and Valls 2012, §4.3).

    >>> score(10.0, 2.0), score(10.0, 2.0, balance=1.0)
    (6.0, 10.0)
    """
    return balance * information_loss + (1 - balance) * linkage


def measured(
    pairs: Pairs,
    k: int,
    names: Sequence[str] = tuple(QUESTIONS),
    *,
    balance: float = BALANCE,
    threshold: float = THRESHOLD,
    seed: int = 0,
    exact: bool = False,
    clusters: int | str = CLUSTERS,
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Measurement]:
    """Measure a release in every way, or in some; linkage by meaning on all records, if it must be exact."""
    measurements: dict[str, Measurement] = {}
    functions = _functions(k, threshold, seed, clusters)
    readings: dict[int, tuple[Reading, Reading]] = {}
    if not any(kind_named(attribute.kind).multivalued for attribute in pairs.attributes):
        names = [name for name in names if name not in OF_SETS]
    if not association.can_be_associated(pairs):
        names = [name for name in names if name != "association_change"]
    for name in names:
        tick(len(measurements), len(names))
        if name == "semantic_linkage":
            measurements[name] = linkage_by_meaning(pairs, None, seed, exact=exact)
        elif name in READ or name == WHOLE:
            measurements[name] = _reading(name, pairs, seed, readings, exact=exact)
        elif name == "score":
            lost, linked = (measurements.get(x) or _measurement(x, functions[x], pairs) for x in SCORED)
            measurements[name] = _scored(lost, linked, balance)
        elif name in MARGINALS:
            measurements |= _marginal(name, pairs)
        else:
            measurements[name] = _measurement(name, functions[name], pairs)
    return measurements


@phase(Phase.RISK)
def linkage_by_meaning(pairs: Pairs, measure: str | None, seed: int, *, exact: bool = False) -> Measurement:
    """Measure linkage by meaning, under the plan's measure of similarity or another."""
    value, before, blind = (
        risk.semantic_linkage(x, measure, seed, exact=exact) for x in (pairs, pairs.unmasked, pairs.blind)
    )
    return Measurement("semantic_linkage", value.value, before.value, blind.value, value.interval)


@phase(Phase.RISK)
def _reading(
    name: str, pairs: Pairs, seed: int, known: dict[int, tuple[Reading, Reading]], *, exact: bool
) -> Measurement:
    """Measure what an attacker who knows some items of a person reads of the others; what is `known` is not again."""
    m = READ.get(name, max(KNOWN_ITEMS))
    if m not in known:
        known[m] = reading(pairs, m, seed, exact=exact), reading(pairs.unmasked, m, seed, exact=exact)
    after, before = known[m]
    if name == WHOLE:
        return Measurement(name, after.whole.value, before.whole.value, after.whole_blind, after.whole.interval)
    return Measurement(name, after.share.value, before.share.value, after.share_blind, after.share.interval)


def _measurement(name: str, function: Callable[[Pairs], float], pairs: Pairs) -> Measurement:
    value, before = function(pairs), function(pairs.unmasked)
    baseline = risk.blind_guess(pairs) if name == "record_linkage" else function(pairs.blind)
    columns = None
    if name in _BY_COLUMN:
        columns = {x.name: _BY_COLUMN[name](pairs.column(a)) for a, x in enumerate(pairs.attributes)}
        if name == "path_distance":
            columns = {x.name: columns[x.name] for x in pairs.attributes if _has_ontology(x)}
    return Measurement(name, value, before, baseline, None, columns)


def _marginal(name: str, pairs: Pairs) -> dict[str, Measurement]:
    """Measure the distributions of columns, and their mean; nothing, if no column has distances."""
    columns, blind = (MARGINALS[name](x) for x in (pairs, pairs.blind))
    if not columns:
        return {}
    value, baseline = (float(np.mean(list(x.values()))) for x in (columns, blind))
    return {name: Measurement(name, value, 0.0, baseline, None, columns)}


def _has_ontology(attribute: Attribute) -> bool:
    no_codes = np.zeros(0, np.int64)
    return attribute.metric.links(no_codes, no_codes) is not None


def _scored(lost: Measurement, linked: Measurement, balance: float) -> Measurement:
    """Combine the information loss and the linkage by text of a release, before, after and of the baseline."""
    parts = ((x.value, x.before or 0.0, x.baseline or 0.0) for x in (lost, linked))
    value, before, baseline = (score(x, y, balance) for x, y in zip(*parts, strict=True))
    return Measurement("score", value, before, baseline)


def _functions(k: int, threshold: float, seed: int, clusters: int | str) -> dict[str, Callable[[Pairs], float]]:
    """Return the function of every measure that is one."""
    return {
        **_BY_COLUMN,
        "sse": loss.sse,
        "sst": loss.sst,
        "association_change": partial(association.association_change, seed=seed),
        "clustering_distance": partial(clustering_distance, clusters=clusters, seed=seed),
        "set_loss": loss.set_loss,
        "set_loss_min_sum": partial(loss.set_loss, distance="min-sum"),
        "discernibility": loss.discernibility,
        "average_group_size": partial(loss.group_size, k=k),
        "record_linkage": risk.record_linkage,
        **dict(_risks("prosecutor", risk.prosecutor, threshold)),
        **dict(_risks("journalist", risk.journalist, threshold)),
        "marketer_risk": risk.marketer,
        "uniqueness": risk.uniqueness,
        "verbatim_sets": partial(verbatim.verbatim_sets, k=max(k, 2)),
        "verbatim_rows": partial(verbatim.verbatim_rows, k=max(k, 2)),
        "rare_items": partial(verbatim.rare_items, k=max(k, 2)),
    }


def _risks(
    who: str, function: Callable[[Pairs, float], risk.Risks], threshold: float
) -> Iterator[tuple[str, Callable[[Pairs], float]]]:
    yield f"{who}_risk", lambda pairs: function(pairs, threshold).mean
    yield f"{who}_risk_highest", lambda pairs: function(pairs, threshold).highest
    yield f"{who}_risk_above", lambda pairs: function(pairs, threshold).above
