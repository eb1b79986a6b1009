"""The key of a release, from its seed, its plan and the content of its table."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.arrays import Ints, Keys
from allonym.methods.base import Method
from allonym.methods.record_level import RecordLevelMethod
from allonym.methods.registry import RENAMED
from allonym.ontology.narrower import Narrower
from allonym.parameters import parameters_of
from allonym.plan.column import OPTIONS, Column
from allonym.records import Attribute, Records
from allonym.release_key import ReleaseKey

if TYPE_CHECKING:
    from allonym.pipeline.prepare import Prepared
    from allonym.plan.model import Plan

LATER = (
    "p_percent",
    "dominance_n",
    "dominance_k",
    "accept",
    "rest",
    "combine",
    "round",
    "ranges",
    "top",
    "bottom",
    "represent",
    "ceiling",
    "min_prefix",
    "day_first",
    "represent",
    "missing",
    "max_distance",
    "content",
    "feature_weights",
)  # options that were added later: draws stay as they were
LATER_PARAMETERS = (
    "values",
    "replace",
    "suppress",
    "suppress_cells",
    "correlated",
    "distribution",
    "budget",
    "max_rows",
    "releases",
    "max_items",
    "hide_sizes",
)  # of methods, likewise
FILES = ("ontology", "links", "hierarchy", "levels", "candidates", "abbreviations")  # options that may name files


def release_key(prepared: Prepared, input_hash: str | None) -> ReleaseKey:
    """Return the key of a release: a secret one, unless the plan has a seed.

    With a seed, distinct tuples and their counts stand for the content of the table, so that a frame, a file and an
    engine agree. Draws of record-level methods go by row; there, the hash of the file or the order of the rows (their
    keys, where the plan names a key column) counts too.
    """
    plan, records = prepared.plan, prepared.records
    if plan.seed is None:
        return ReleaseKey.random()
    assert records is not None
    digest = hashlib.blake2b()
    order = _hash_tuples(digest, records)
    if isinstance(plan.method, RecordLevelMethod):
        if input_hash is not None:
            digest.update(input_hash.encode())
        elif records.inverse is not None and records.row_counts is None:
            _hash_rows(digest, order[records.inverse], records.keys)
    return ReleaseKey.from_seed(plan.seed, settings_text(plan), digest.hexdigest())


def method_seed(plan: Plan, key: ReleaseKey) -> int | None:
    """Return the seed of the method; None for data-independent methods, whose draws come from the system one by one.

    With a key column, draws derive from the key of the release, so that a key and a value are answered once.
    """
    one_by_one = plan.method.info.data_independent and not plan.method.key and not key.reproducible
    return None if one_by_one else key.number("method")


def settings_text(plan: Plan) -> str:
    """Return the settings of a plan that shape a release, as canonical JSON; files count by what they hold."""
    method = plan.method
    settings: dict[str, Any] = {
        "method": method.name,
        "parameters": _parameters(method),
        "privacy": [x.to_dict() for x in plan.privacy],
        "columns": {
            name: {x: getattr(column, x) for x in OPTIONS if x not in FILES and _counts(column, x)}
            for name, column in plan.columns.items()
        },
    }
    return json.dumps(settings, sort_keys=True, default=str)


def _parameters(method: Method) -> dict[str, Any]:
    """Return the parameters of a method by their oldest names; later ones only where they are not the default."""
    older = {name: older for older, name in RENAMED.get(method.name, {}).items()}
    return {
        older.get(name, name): getattr(method, name)
        for name, x in parameters_of(method).items()
        if name in older or name not in LATER_PARAMETERS or getattr(method, name) != x.default
    }


def _counts(column: Column, option: str) -> bool:
    """Tell whether an option of a column is part of the key: later options are where they are not the default."""
    return option not in LATER or getattr(column, option) != getattr(Column(column.role), option)


def _hash_tuples(digest: Any, records: Records) -> Ints:
    """Hash the tuples and their counts in an order of their values; return the place of each tuple in it."""
    ranks = [_ranks(digest, attribute) for attribute in records.attributes]
    codes = np.stack([rank[records.codes[:, a]] for a, rank in enumerate(ranks)], axis=1)
    order = np.lexsort(codes.T[::-1])
    digest.update(np.ascontiguousarray(codes[order]).tobytes())
    digest.update(np.ascontiguousarray(records.counts[order]).tobytes())
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places


def _hash_rows(digest: Any, tuples: Ints, keys: Keys | None) -> None:
    """Hash which tuple each row has: in the order of the rows or, where they have keys, of their keys."""
    if keys is not None:
        order = np.lexsort((tuples, keys))
        digest.update(keys[order].tobytes())
        tuples = tuples[order]
    digest.update(tuples.tobytes())


def _ranks(digest: Any, attribute: Attribute) -> Ints:
    """Hash the values of an attribute in the order of their texts; return the rank of each."""
    texts = [_text(value) for value in attribute.values]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    digest.update(json.dumps([attribute.name, [texts[i] for i in order]]).encode())
    ranks = np.empty(len(texts), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _text(value: Any) -> str:
    """Return a value as text that differs from that of any other value."""
    if isinstance(value, (frozenset, tuple)):
        return f"({','.join(sorted(map(_text, value)))})"
    if isinstance(value, Narrower):
        return f"{float(value.concept)!r} > '{value.text}'"
    if value is None:
        return "null"
    return repr(float(value)) if isinstance(value, (int, float)) else f"'{value}'"
