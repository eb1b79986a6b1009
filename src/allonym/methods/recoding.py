"""Local recoding (Martínez 2010): column by column, rare values are replaced by the most similar value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from allonym.arrays import Ints, distinct, frozen
from allonym.errors import Problem
from allonym.methods.base import ColumnwiseMethod, MethodInfo
from allonym.methods.fusion import GUIDES, HEURISTICS, fused, fused_into, guiding, options_without_effect
from allonym.methods.kernels.ties import DIGITS
from allonym.ontology.similarity import MEASURES
from allonym.parameters import parameter, redeclared
from allonym.progress import Progress, no_progress
from allonym.records import Masking, Records
from allonym.release_key import rng_of


@dataclass(frozen=True)
class Recoding(ColumnwiseMethod):
    """Record fusion on each column alone (Martínez 2010, MDAI): the rarest value takes the most similar one."""

    info: ClassVar = MethodInfo(
        "recoding",
        "replaces rare values by the most similar value of the column, for each column alone",
        guarantees=("k-anonymity of each column",),
    )
    heuristics: str = parameter("h1+h2+h3", "Which groups are fused first.", choices=HEURISTICS)
    guide: str = parameter("similarity", "What makes groups alike.", choices=(*GUIDES, *MEASURES))

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield options that have no effect together with others."""
        yield from options_without_effect(self.heuristics, self.guide, stated)

    @property
    def needs_hierarchy(self) -> bool:
        """Whether hierarchies are needed."""
        return self.guide == "hierarchy"

    def into(self, column: Records, rng: np.random.Generator) -> Ints:
        """Return what each value becomes."""
        return fused_into(column, self.k, rng, no_progress, self.heuristics, self.guide)

    def mask(self, records: Records, seed: int = 0, tick: Progress = no_progress) -> Masking:
        """Recode every column; draws are by seed and column."""
        columns, attributes = [], []
        for a, attribute in enumerate(records.attributes):
            tick(a, len(records.attributes))
            rng = rng_of(seed, "recoding", str(a))
            rows = np.repeat(records.codes[:, a], records.counts)
            if records.inverse is not None:
                rows = records.codes[records.inverse, a]
            own: dict[str, Any] = {"weights": records.weights, "units": records.units, "sensitive": records.sensitive}
            column = Records.of([attribute], [rows], **own, row_counts=records.row_counts)
            done = fused(column, self.into(column, rng), self.k)
            becomes = np.empty(len(attribute.values), np.int64)
            becomes[column.codes[done.source, 0]] = done.codes[:, 0]
            columns.append(becomes[records.codes[:, a]])
            attributes.append(done.attributes[0])
        codes = np.stack(columns, axis=1)
        groups = distinct(columns)[0]
        return Masking(np.arange(len(records)), records.counts, groups, frozen(codes), tuple(attributes))


RECODE_TO = ("reaching-k", "all")


@dataclass(frozen=True)
class RecodingOrdered(Recoding):
    """Recoding value by value in text order (Martínez 2010, IPMU): a rare value takes the most similar one.

    The prose of the article chooses among the values that reach k, its pseudo-code among all others. The pseudo-code
    goes through the records, here those of each value in text order: after a value took another that is still rare,
    the next of its records takes that one on.
    """

    info: ClassVar = MethodInfo(
        "recoding-ordered",
        "like recoding, but processes the values of a column in text order",
        guarantees=("k-anonymity of each column",),
    )
    heuristics: str = parameter("h1+h2+h3", "Not used: values are recoded in text order.", choices=["h1+h2+h3"])
    guide: str = redeclared(Recoding, "guide", choices=("similarity", "hierarchy", "random", *MEASURES))
    recode_to: str = parameter(
        "reaching-k",
        "Which values a rare value may become: those that reach k, or all others, as in the published pseudo-code.",
        choices=RECODE_TO,
    )

    def conflicts(self, stated: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield the problem of heuristics, which have no effect."""
        if "heuristics" in stated:
            text = "heuristics has no effect: recoding-ordered recodes values in text order."
            yield Problem("heuristics-without-effect", text, "leave heuristics out, or choose method recoding.")

    def into(self, column: Records, rng: np.random.Generator) -> Ints:
        """Return what each value becomes; of those that reach k, any other is taken if none does."""
        sizes = column.counts.astype(np.int64).copy()
        into = np.arange(len(column))
        metric, codes = guiding(column, self.guide)[0], column.codes[:, 0]

        def similar(one: int, others: Ints) -> int:
            if self.guide == "random":
                return int(others[rng.integers(len(others))])
            far = np.round(metric.distances(codes[one], codes[others]), DIGITS)
            return int(others[np.argmin(far)])

        while (sizes > 0).sum() > 1 and ((sizes > 0) & (sizes < self.k)).any():
            for value in range(len(sizes)):
                one = value
                for _ in range(int(column.counts[value]) if self.recode_to == "all" else 1):
                    while into[one] != one and self.recode_to == "all":
                        one = int(into[one])  # the value that the record has now
                    others = np.flatnonzero(sizes > 0)
                    others = others[others != one]
                    if not 0 < sizes[one] < self.k or not len(others):
                        break
                    enough = others[sizes[others] >= self.k]
                    other = similar(one, enough if len(enough) and self.recode_to == "reaching-k" else others)
                    sizes[other] += sizes[one]
                    sizes[one] = 0
                    into[one] = other
        while (into != into[into]).any():
            into = into[into]
        return into
