"""How often the heuristics of record fusion leave a choice, and how finely ontology and hierarchy compare values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from allonym.methods.fusion import fused_into
from allonym.methods.kernels.ties import DIGITS
from allonym.progress import no_progress
from allonym.records import Records

HEURISTICS = ("h1+h2+h3", "h1+h2+h3-printed", "h1+h2")
Choices = Mapping[str, tuple[int, int]]  # heuristics -> fusions, and those whose group had to be drawn


@dataclass
class CountingGenerator:
    """A random generator that counts its draws; fusion draws only where several groups are left to choose from."""

    rng: np.random.Generator
    draws: int = 0

    def integers(self, high: int) -> Any:
        """Draw a number below another."""
        self.draws += 1
        return self.rng.integers(high)


def choices(records: Records, ks: Sequence[int]) -> list[Choices]:
    """Count at each k how many groups are fused, and how many of these had to be drawn."""
    counted: list[Choices] = []
    for k in ks:
        of_k = {}
        for heuristics in HEURISTICS:
            generator = CountingGenerator(np.random.default_rng(0))
            rng = cast(np.random.Generator, generator)
            into = fused_into(records, k, rng, no_progress, heuristics, "wu-palmer")
            of_k[heuristics] = (int((into != np.arange(len(into))).sum()), generator.draws)
        counted.append(of_k)
    return counted


def different_distances(tables: Mapping[str, Records]) -> dict[str, tuple[int, int]]:
    """Return for each column how many different distances its values have, by the ontology and by the hierarchy."""
    numbers = {}
    for table, records in tables.items():
        for a, attribute in enumerate(records.attributes):
            if attribute.hierarchy is None:
                continue
            codes = np.unique(records.codes[:, a])
            pairs = np.triu_indices(len(codes), 1)
            own, tree = (
                len(np.unique(np.round(metric.distances(codes[:, None], codes)[pairs], DIGITS)))
                for metric in (attribute.metric, attribute.hierarchy)
            )
            numbers[f"{table}, {attribute.name}"] = (own, tree)
    return numbers
