"""The attackers on a release: how many people each finds, and what they infer from sensitive columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints, distinct
from allonym.errors import AllonymError
from allonym.measures.attackers.base import Estimate, Setting
from allonym.measures.attackers.inference import Inference, inferred, inferred_in_groups
from allonym.measures.attackers.registry import attacked
from allonym.measures.measurement import Measurement
from allonym.methods.base import UngroupedMethod
from allonym.pipeline.encoding import encode_sensitive
from allonym.progress import Phase, phase
from allonym.records import Masking, Pairs, piece_of_rows

if TYPE_CHECKING:
    from allonym.kinds.base import EncodedColumn
    from allonym.pipeline.prepare import Prepared

MEASURED = {"meaning": "semantic_linkage", "text": "record_linkage"}  # attackers among the measures


@phase(Phase.RISK)
def risk_of_masking(
    prepared: Prepared,
    masking: Masking,
    pairs: Pairs,
    measures: Mapping[str, Measurement],
    seed: int,
    *,
    exact: bool = False,
) -> dict[str, Any]:
    """Return the linkage and the inference of a release that was just made, for JSON."""
    linkage = _linkage(measures, Setting(pairs, masking.mechanism, tied_rows(prepared), seed, exact))
    sensitive = dict(_sensitive(prepared))
    if masking.mechanism is None:
        inference = dict(_from_groups(prepared, masking, sensitive))
    else:
        rows = _with_sensitive(prepared, masking, sensitive) if sensitive else pairs
        inference = {name: inferred(rows, a, grouped=False, seed=seed, exact=exact) for a, name in enumerate(sensitive)}
    return linkage | {"inference": {name: x.to_dict() for name, x in inference.items()}}


def risk_of_pairs(
    prepared: Prepared, pairs: Pairs, measures: Mapping[str, Measurement], seed: int, *, exact: bool = False
) -> dict[str, Any]:
    """Return the linkage and the inference of a release, by the plan's method or any tool, for JSON."""
    method, records = prepared.plan.method, prepared.records
    assert records is not None
    mechanism = method.mechanism(records) if isinstance(method, UngroupedMethod) else None
    inference = {
        x.name: inferred(pairs, a, grouped=mechanism is None, seed=seed, exact=exact).to_dict()
        for a, x in enumerate(pairs.sensitive)
    }
    setting = Setting(pairs, mechanism, tied_rows(prepared), seed, exact)
    return _linkage(measures, setting) | {"inference": inference}


def _linkage(measures: Mapping[str, Measurement], setting: Setting) -> dict[str, Any]:
    known = {name: measures[measure] for name, measure in MEASURED.items()}
    after = {name: Estimate(x.value, x.interval) for name, x in known.items()}
    before = {name: x.before for name, x in known.items() if x.before is not None}
    return attacked(setting, after, before).to_dict()


def tied_rows(prepared: Prepared) -> bool:
    """Return whether a release has columns that are not masked, by which rows of one person may be tied together."""
    hidden = {*prepared.dropped, *prepared.with_role("quasi")}
    return any(name not in hidden for name in prepared.table.names)


def _sensitive(prepared: Prepared) -> Iterator[tuple[str, EncodedColumn]]:
    """Yield the sensitive columns that can be read as the plan says."""
    for name in prepared.counted_together("sensitive"):
        try:
            yield name, encode_sensitive(prepared, name)
        except AllonymError:  # nothing is required of the column, and nothing is measured
            continue


def _from_groups(
    prepared: Prepared, masking: Masking, sensitive: Mapping[str, EncodedColumn]
) -> Iterator[tuple[str, Inference]]:
    """Yield what the groups of a release reveal of each sensitive column."""
    records = prepared.records
    assert records is not None
    assert records.inverse is not None
    if not sensitive:
        return
    classes: Ints = distinct(list(masking.codes.T))[0]
    after = classes[piece_of_rows(records, masking.source, masking.share)]
    row_counts = prepared.row_counts
    counts = np.ones(len(after)) if row_counts is None else row_counts.astype(np.float64)
    for name, column in sensitive.items():
        yield name, inferred_in_groups(records.inverse, after, column.codes, counts, prepared.units)


def _with_sensitive(prepared: Prepared, masking: Masking, sensitive: Mapping[str, EncodedColumn]) -> Pairs:
    """Return the rows before and after, with their sensitive values."""
    records = prepared.records
    assert records is not None
    assert records.inverse is not None
    return Pairs.of_rows(
        masking.attributes,
        list(records.codes[records.inverse].T),
        list(masking.codes[piece_of_rows(records, masking.source, masking.share)].T),
        units=prepared.units,
        sensitive=tuple(x.attribute for x in sensitive.values()),
        sensitive_codes=[x.codes for x in sensitive.values()],
        row_counts=prepared.row_counts,
    )
