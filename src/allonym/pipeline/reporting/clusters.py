"""Section: the clusters that an analyst would find before and after masking."""

from __future__ import annotations

from typing import Any

from allonym.measures.dendrogram import dendrograms
from allonym.pipeline.reporting.facts import ReleaseFacts

MIN_TUPLES = 3  # fewer different records have no clusters worth drawing


def clusters(facts: ReleaseFacts) -> dict[str, Any]:
    """Return the cluster trees before and after masking."""
    before, after = facts.pairs.original_tuples[1], facts.pairs.masked_tuples[1]
    return {"dendrograms": dendrograms(facts.pairs) if min(len(before), len(after)) >= MIN_TUPLES else None}
