"""Baselines of semantic noise (Rodriguez-Garcia, Batet and Sánchez): any value of the column, drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.kinds.codec import CellCodec
from allonym.methods.base import MethodInfo
from allonym.methods.draws import Words, below, below_of_one
from allonym.methods.record_level import ByValue, Perturbation, RecordLevelMethod
from allonym.metric import Value
from allonym.ontology.narrower import broader
from allonym.records import Attribute

SINGLE_VALUED = ("text", "category", "date", "ordinal", "numeric")
KINDS = (*SINGLE_VALUED, "set")


@dataclass(frozen=True)
class _Randomise(RecordLevelMethod):
    """Any value of the column, drawn whatever a row was."""

    def restored(self, codec: CellCodec, stored: Mapping[str, Any]) -> Perturbation:
        """Return the values and the counts that were stored."""
        values, counts = tuple(codec.from_json(x) for x in stored["values"]), tuple(stored["counts"])
        if not all(type(x) is int and x >= 0 for x in counts) or len(counts) != len(values) or not sum(counts):
            raise ValueError("counts")
        return Drawing(values, counts)


@dataclass(frozen=True)
class RandomiseUniform(_Randomise):
    """Every value of the column is as likely, the value itself included."""

    info: ClassVar = MethodInfo(
        "randomise-uniform",
        "replaces each value by a random value of the column, all with equal probability (a baseline)",
        kinds=KINDS,
        guarantees=(),
        min_values=2,
    )

    def fitted(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Take the values as they are."""
        return _drawing(attribute, codes, np.ones(len(codes), np.int64))


@dataclass(frozen=True)
class RandomiseFrequency(_Randomise):
    """Every value of the column is as likely as it is frequent."""

    info: ClassVar = MethodInfo(
        "randomise-frequency",
        "replaces each value by a random value of the column, drawn by frequency (a baseline)",
        kinds=KINDS,
        guarantees=(),
        min_values=2,
    )

    def fitted(self, attribute: Attribute, codes: Ints, counts: Ints) -> Perturbation:
        """Take the values with their counts."""
        return _drawing(attribute, codes, counts)


def _drawing(attribute: Attribute, codes: Ints, counts: Ints) -> Drawing:
    """Return the values that rows may become."""
    known = counts_of_values(attribute, codes, counts)
    return Drawing(tuple(known), tuple(known.values()))


def counts_of_values(attribute: Attribute, codes: Ints, counts: Ints) -> dict[Value, int]:
    """Return how many rows have each value but null; a leaf below a concept counts as the concept."""
    known: dict[Value, int] = {}
    for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
        if (value := broader(attribute.values[code])) is not None:
            known[value] = known.get(value, 0) + count
    return known


@dataclass(frozen=True, eq=False)
class Drawing(ByValue):
    """Values with how likely each is, as whole numbers. Null stays null."""

    known: tuple[Value, ...]
    counts: tuple[int, ...]

    def to_dict(self, to_json: Callable[[Value], Any]) -> dict[str, Any]:
        """Return the values and their counts."""
        return {"values": [to_json(value) for value in self.known], "counts": list(self.counts)}

    @property
    def outcomes(self) -> Sequence[Value]:
        """The values, and null."""
        return [*self.known, None]

    def probabilities(self, value: Value) -> Floats:
        """Return how likely each value is, whatever a row was."""
        counts = np.array([*([0] * len(self.counts) if value is None else self.counts), value is None], np.float64)
        return counts / counts.sum()

    def places(self, value: Value, drawn: Words) -> Ints:
        """Return what rows become, whatever they were."""
        if value is None:
            return np.full(drawn.shape[1], len(self.known))
        total = np.cumsum(self.counts)
        return np.searchsorted(total, below(int(total[-1]), drawn[0], drawn[1]), side="right")

    def one(self, value: Value, drawn: Sequence[int]) -> Value:
        """Return what a single row becomes."""
        if value is None:
            return None
        total = np.cumsum(self.counts)
        return self.known[int(np.searchsorted(total, below_of_one(int(total[-1]), drawn[0], drawn[1]), side="right"))]
