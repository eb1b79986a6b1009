"""Local recoding (Martínez 2010): column by column, rare values are replaced by the most similar value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from allonym.arrays import Ints, distinct, frozen
from allonym.methods.base import ColumnwiseMethod, MethodInfo
from allonym.methods.fusion import GUIDES, HEURISTICS, fused, fused_into, guiding
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


@dataclass(frozen=True)
class RecodingOrdered(Recoding):
    """Recoding value by value in text order (Martínez 2010, IPMU): a rare value takes the most similar frequent one."""

    info: ClassVar = MethodInfo(
        "recoding-ordered",
        "like recoding, but processes the values of a column in text order",
        guarantees=("k-anonymity of each column",),
    )
    heuristics: str = parameter("h1+h2+h3", "Not used: values are recoded in text order.", choices=["h1+h2+h3"])
    guide: str = redeclared(Recoding, "guide", choices=("similarity", "hierarchy", "random", *MEASURES))

    def into(self, column: Records, rng: np.random.Generator) -> Ints:
        """Return what each value becomes; one that reaches k is preferred, any other taken if none does."""
        sizes = column.counts.astype(np.int64).copy()
        into = np.arange(len(column))
        metric, codes = guiding(column, self.guide)[0], column.codes[:, 0]
        while (sizes > 0).sum() > 1 and ((sizes > 0) & (sizes < self.k)).any():
            for one in range(len(sizes)):
                others = np.flatnonzero(sizes > 0)
                others = others[others != one]
                if not 0 < sizes[one] < self.k or not len(others):
                    continue
                enough = others[sizes[others] >= self.k]
                others = enough if len(enough) else others
                if self.guide == "random":
                    other = int(others[rng.integers(len(others))])
                else:
                    far = np.round(metric.distances(codes[one], codes[others]), DIGITS)
                    other = int(others[np.argmin(far)])
                sizes[other] += sizes[one]
                sizes[one] = 0
                into[one] = other
        while (into != into[into]).any():
            into = into[into]
        return into
