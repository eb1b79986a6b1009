"""The summary of a release: its settings and figures, as they are printed as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from allonym.kinds.numeric import dominance_figures
from allonym.measures.association import associations
from allonym.measures.changes import Changes
from allonym.measures.clusters import CLUSTERS
from allonym.measures.measurement import BRIEF, measured
from allonym.methods.base import ColumnwiseMethod, UngroupedMethod
from allonym.methods.lower_bound import lower_bound
from allonym.methods.noise import Noise
from allonym.ontology.catalog.about import described
from allonym.pipeline import budget, privacy
from allonym.pipeline import record_level as rows
from allonym.pipeline.changes import promised_values
from allonym.pipeline.changes.as_written import as_written
from allonym.pipeline.changes.nulls import Nulls, null_cautions
from allonym.pipeline.changes.suppression import suppression_figures
from allonym.pipeline.disclosure.linkage import risk_of_masking
from allonym.pipeline.encoding import unreviewed_values
from allonym.pipeline.prepare import Prepared
from allonym.plan import toml
from allonym.records import Masking, Pairs, piece_of_rows
from allonym.release.recount import Verified


def summary_of(
    prepared: Prepared,
    masking: Masking,
    changes: Changes | None,
    verified: Verified,
    balance: float,
    sha256: Mapping[str, Any],
    nulls: Nulls,
    *,
    exact: bool = False,
    thorough: bool = False,
    more_measures: Sequence[str] = (),
    clusters: int | str = CLUSTERS,
) -> dict[str, Any]:
    """Return the figures of a release, as they are printed as JSON; settings alone, if it was not measured.

    `exact`: risks are measured on all records, however long it takes. `thorough`: so is the distance from the optimum.
    `more_measures`: besides the usual ones, with a number of `clusters`.
    """
    if changes is None:
        return settings_of(prepared, sha256)
    method = prepared.plan.method
    pairs = _pairs(prepared, masking)
    names = (*BRIEF, *more_measures)
    figures = measured(pairs, method.required_k, names, balance=balance, exact=exact, clusters=clusters)
    before, after = (len(x[1]) for x in (pairs.original_tuples, pairs.masked_tuples))
    settings = settings_of(prepared, sha256)
    of_values = _of_values(prepared, masking, pairs) if isinstance(method, UngroupedMethod) else {}
    cautions = [*null_cautions(nulls.to_dict()), *rows.unchanged_cautions(prepared, of_values.get("noise", {}))]
    return settings | {
        "tuples": {"before": before, "after": after},
        "suppressed": masking.suppressed_rows,
        **suppression_figures(masking),
        "suppressed_cells": {name: x.suppressed for name, x in nulls.columns.items()},
        "nulls": nulls.to_dict(),
        "cautions": [*settings["cautions"], *map(str, cautions)],
        **({"dominance": dominance} if (dominance := dominance_figures(masking.attributes)) else {}),
        "privacy": [*budget.promised(prepared), *_privacy(prepared, verified)],
        **promised_values.verified_values(prepared),
        **of_values,
        "changes": changes.to_dict(),
        "measures": {name: x.to_dict() for name, x in figures.items()},
        "optimality": _optimality(prepared, masking, thorough=thorough),
        "risk": risk_of_masking(prepared, masking, pairs, figures, 0, exact=exact),
    }


def _of_values(prepared: Prepared, masking: Masking, pairs: Pairs) -> dict[str, Any]:
    """Return how far the values of each column moved, and what became of the relations between columns."""
    return {
        "noise": rows.noise_figures(prepared, pairs),
        **({"transitions": transitions} if (transitions := rows.fitted_figures(masking)) else {}),
        "association": _associations(prepared, pairs),
    }


def _associations(prepared: Prepared, pairs: Pairs) -> list[dict[str, Any]]:
    """Return what became of the relations between columns; with correlated errors, also by independent ones."""
    found = [x.to_dict() for x in associations(pairs)]
    method, records = prepared.plan.method, prepared.records
    if isinstance(method, Noise) and method.correlated and records is not None:
        independent = as_written(prepared, replace(method, correlated=False).mask(records, 0))
        for figure, other in zip(found, associations(_pairs(prepared, independent)), strict=True):
            figure["distance_correlation"]["independent"] = other.distance_correlation[1]
    return found


def _optimality(prepared: Prepared, masking: Masking, *, thorough: bool) -> dict[str, Any] | None:
    """Return the lower bound as an information loss in %, and by how many % the release may exceed the optimum.

    None, if there is no bound: the method forms no groups of whole tuples, columns were recoded before they were
    masked, representatives cannot be listed, or, unless `thorough`, the bound would take too long.
    """
    records, method = prepared.records, prepared.plan.method
    representative = method.bounded_representative
    assert records is not None
    if representative is None or any(prepared.encoded[x.name].recoded for x in records.attributes):
        return None
    bound = lower_bound(records, masking, method.required_k, representative, thorough=thorough)
    return None if bound is None else {"lower_bound": bound.information_loss, "gap": bound.gap}


def settings_of(prepared: Prepared, sha256: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of a release that was not measured: its settings, with its keys in order."""
    records, method = prepared.records, prepared.plan.method
    assert records is not None
    return {
        "format": 1,
        "records": records.n,
        **prepared.people(),
        "tuples": {"before": len(records), "after": None},
        "suppressed": 0,
        "suppressed_cells": {name: prepared.encoded[name].suppressed for name in prepared.with_role("quasi")},
        "method": method.name,
        "parameters": {f.name: getattr(method, f.name) for f in fields(method)},
        "seed": prepared.plan.seed,
        "reproducible": prepared.plan.seed is not None,
        "privacy": list(budget.promised(prepared)),
        **({"united": united} if (united := prepared.united_values()) else {}),
        **({"unreviewed": unreviewed} if (unreviewed := unreviewed_values(prepared)) else {}),
        **({"noise": {}, "association": []} if isinstance(method, UngroupedMethod) else {}),
        "changes": {},
        "nulls": {},
        "measures": {},
        "optimality": None,
        "risk": {},
        "cautions": list(map(str, prepared.cautions)),
        "seconds": 0.0,
        "seconds_by_phase": {},
        "ontologies": [described(x) for x in prepared.ontologies],
        "sha256": dict(sha256),
    }


def row_order_of(prepared: Prepared, *, written: bool) -> dict[str, Any]:
    """Return the order of rows for a summary; where a file keeps it, also the columns that it correlates with."""
    if not written:
        return {"row_order": "aligned"}
    order = prepared.plan.row_order
    return {"row_order": order} | ({"ordered_by": prepared.ordered_columns} if order == "keep" else {})


def hashes_of(prepared: Prepared, input: str | None) -> dict[str, Any]:
    """Return the hashes of what went into a release, as it was read; that of the data is given."""
    links: dict[str, str] = {}
    ontologies = {x.taxonomy.name: x.taxonomy.source.sha256 for x in prepared.ontologies}
    for column_links in prepared.links.values():
        links |= {str(x.file): x.settled.sha256 for x in column_links if x.file}
    ontologies |= {x.taxonomy.name: x.taxonomy.source.sha256 for x in prepared.hierarchies.values()}
    return {"input": input, "plan": toml.sha256(prepared.plan), "links": links, "ontologies": ontologies}


def _pairs(prepared: Prepared, masking: Masking) -> Pairs:
    """Return the records before and after; suppressed words count as they were."""
    records = prepared.records
    assert records is not None
    columns = [prepared.encoded[attribute.name] for attribute in records.attributes]
    if records.units is None and not any(column.recoded for column in columns):
        return Pairs.of(records, masking)
    original = [column.original_of[column.cells.codes] for column in columns]
    masked = masking.codes[piece_of_rows(records, masking.source, masking.share)].T
    return Pairs.of_rows(
        masking.attributes,
        original,
        list(masked),
        weights=records.weights,
        units=records.units,
        row_counts=records.row_counts,
    )


def _privacy(prepared: Prepared, verified: Verified) -> Iterator[dict[str, Any]]:
    """Yield k-anonymity, over all columns together or over each, and the guarantees, as promised and as reached."""
    method, columns = prepared.plan.method, prepared.with_role("quasi")
    if isinstance(method, UngroupedMethod):
        return
    together = [[name] for name in columns] if isinstance(method, ColumnwiseMethod) else [columns]
    m = method.known_items
    for over, k in zip(together, verified.k, strict=True):
        entry = {
            "model": "k-anonymity" if m is None else f"k^{m}-anonymity",
            "columns": over,
            "asked": method.required_k,
            "reached": k,
        }
        yield entry | {"holds": k >= method.required_k}
    for place, asked in enumerate(privacy.asked(prepared)):
        for over, figures in zip(together, verified.guarantees, strict=True):
            entry = {"model": asked.name, "columns": [asked.column], "asked": asked.asked, "reached": figures[place]}
            yield entry | {"holds": True} | ({"over": over} if isinstance(method, ColumnwiseMethod) else {})
