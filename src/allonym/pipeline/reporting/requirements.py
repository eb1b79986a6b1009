"""Sections: what was required and reached, and how the release was made."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator
from typing import Any

import numpy as np

from allonym import __version__
from allonym.errors import plural
from allonym.ontology.catalog.about import published
from allonym.ontology.linking.accept import unreviewed_in_words
from allonym.pipeline.budget import spent_in_words
from allonym.pipeline.changes.nulls import null_cautions
from allonym.pipeline.changes.promised_values import verified_in_words
from allonym.pipeline.record_level import unchanged_cautions
from allonym.pipeline.reporting.facts import ReleaseFacts
from allonym.pipeline.reporting.public import PRIVATE_PARAMETERS
from allonym.plan.toml import RELEASE_KEYS

VERIFIED = (
    "The release was written to a temporary file, read by an independent reader, recounted as text, and only then "
    "moved into place."
)
RECOUNTED = "The release was recounted as text before it was returned."
MAX_SPELLINGS = 20  # that are listed
BY_ENGINE = "The release was read back and recounted by its engine ({}) before it was returned."


def requirements(facts: ReleaseFacts) -> dict[str, Any]:
    """Return what was required and reached, the method, and how the release was verified."""
    return {
        "promises": list(_requirements(facts)),
        "notes": [
            *_dominance(facts),
            *_united(facts),
            *_unreviewed(facts),
            *_nulls(facts),
            *_noise(facts),
            *_transitions(facts),
        ],
        "method": f"Method {facts.method.name}: {facts.method.description}.",
        "verified": _verified(facts),
        "who": facts.who,
    }


def _requirements(facts: ReleaseFacts) -> Iterator[str]:
    for x in facts.summary["privacy"]:
        columns = ", ".join(x["columns"])
        if x["model"] == "k-anonymity":
            yield (
                f"k-anonymity over {columns}: at least {x['asked']:,} {facts.who} per group of identical records "
                f"required, {x['reached']:,} reached."
            )
        elif "sensitivity" in x:
            what = "all values of" if "per" in x else "each value of"
            together = " together" if len(x["columns"]) > 1 and "per" not in x else ""
            yield f"{x['model']} for {what} {columns}{together}: {spent_in_words(x)}."
        else:
            alike = f"records with the same {x['over'][0]}" if "over" in x else "identical records"
            figures = f"{x['asked']:g} required, {x['reached']:.4g} reached"
            yield f"{x['model']} of {columns} in every group of {alike}: {figures}."
    yield from (f"{name[:1].upper()}{name[1:]}: {text}." for name, text in verified_in_words(facts.summary))
    if not facts.summary["privacy"]:
        protects = "What protects people is how few of them the strongest attacker links."
        yield f"No k-anonymity is promised: values change one by one. {protects}"


def _dominance(facts: ReleaseFacts) -> Iterator[str]:
    for name, x in facts.summary.get("dominance", {}).items():
        if x["groups"]:
            yield (
                f"In {plural(x['groups'], 'group')}, the mean of {name} would have revealed a person's number: a coded "
                f"or rounded value stands instead (p = {x['p']:g} %, n = {x['n']}, k = {x['k']:g} %)."
            )


def _united(facts: ReleaseFacts) -> Iterator[str]:
    units = [*facts.prepared.with_role("unit"), *facts.prepared.with_role("household")]
    for name in facts.summary.get("united", {}):
        united = facts.prepared.united[name]
        assert united is not None
        text = (
            f"{united.values:,} values of {name} count as {united.counted_as:,}, because they differ only in spelling"
        )
        if name in units:  # whose values identify persons
            yield f"{text}."
            continue
        shown = [" = ".join(x[:MAX_SPELLINGS]) for x in united.spellings[:MAX_SPELLINGS]]
        more = len(united.spellings) - len(shown)
        yield f"{text} or mean the same: {'; '.join(shown)}{f'; and {more:,} more' if more else ''}."


def _unreviewed(facts: ReleaseFacts) -> Iterator[str]:
    for name, numbers in facts.summary.get("unreviewed", {}).items():
        yield f"Words of {name}: {unreviewed_in_words(numbers)}."


def _nulls(facts: ReleaseFacts) -> Iterator[str]:
    if "nulls" in facts.summary:  # a public report does not have them
        yield from map(str, null_cautions(facts.summary["nulls"]))


def _noise(facts: ReleaseFacts) -> Iterator[str]:
    yield from (str(x) for x in facts.prepared.cautions if x.code == "no-root")
    yield from map(str, unchanged_cautions(facts.prepared, facts.summary.get("noise", {})))


def _transitions(facts: ReleaseFacts) -> Iterator[str]:
    for name, x in facts.summary.get("transitions", {}).items():  # a public report does not have them
        yield (
            f"{100 * x['expected_changed']:.1f} % of the values of {name} are expected to change. Given a value of the "
            f"release, no original value has a probability above {x['highest_posterior']:.2f}."
        )


def _verified(facts: ReleaseFacts) -> str:
    table = facts.prepared.table
    if table.engine_name is not None:
        return BY_ENGINE.format(table.engine_name)
    return VERIFIED if facts.summary["sha256"]["output"] else RECOUNTED


def provenance(facts: ReleaseFacts) -> dict[str, Any]:
    """Return title and purpose, software, parameters, ontologies and hashes."""
    return {
        "about": {name: facts.plan.about.get(name, "") for name in RELEASE_KEYS},
        "made": datetime.date.today().isoformat(),
        "version": f"{__version__}, Python {platform.python_version()}, NumPy {np.__version__}",
        "summary": facts.summary,
        "parameters": {x: y for x, y in facts.summary["parameters"].items() if x not in PRIVATE_PARAMETERS},
        "ontologies": [published(x) for x in facts.prepared.ontologies],
        "data_independent": facts.method.info.data_independent,
    }
