"""A hierarchy with its semantic loss, the senses of its values and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats
from allonym.measures.hierarchies import (
    Weights,
    deviations,
    hierarchy_loss,
    level_losses,
    level_weights,
    redundant_levels,
    reversals,
)
from allonym.ontology.hierarchy import Hierarchy
from allonym.pipeline.hierarchies.findings import Finding, findings


@dataclass(frozen=True)
class Transition:
    """A leaf and its generalisation at a level, with the semantic loss."""

    leaf: str
    ancestor: str
    level: int
    loss: float
    deviation: float = 0.0  # standard deviations above the mean loss of the level
    concept: str = ""  # the id of the ancestor's concept, for this leaf


@dataclass(frozen=True)
class ChosenSense:
    """The concept of a value, and why; a value with different senses for different leaves has several."""

    value: str
    level: int  # the lowest at which it occurs, 0 for leaves
    concept: str  # its id
    leaves: int  # below the value, with this sense
    reason: str  # settled | under ancestor | only sense | fits leaves | hypernym | per leaf | noun of | everything …
    status: str  # sure | review
    definition: str = ""
    alternatives: tuple[str, ...] = ()  # ids of the other senses


@dataclass(frozen=True, eq=False)
class HierarchyScore:
    """A hierarchy and its generalisation semantic loss.

    `losses` has TransGSL of each leaf (row) at each level; `value` is VghGSL, `levels` LevelGSL with statistics,
    `transitions` the losses, most unusual first, `findings` what is wrong, `senses` the concept of every value.
    """

    hierarchy: Hierarchy
    losses: Floats  # leaves × levels: TransGSL
    aggregate: str = "max"
    weights: Weights = "constant"
    concepts: Mapping[str, str] = field(default_factory=dict)  # the id of every value's concept, of its first leaf
    review: Sequence[str] = ()  # values whose concept a person should review
    senses: Sequence[ChosenSense] = ()
    ids: Sequence[Sequence[str]] = ()  # for each leaf, the ids of its concept and of those at all levels
    kinds: NDArray[np.bool_] | None = None  # leaves × levels: whether the leaf is a kind of the value
    parts: NDArray[np.bool_] | None = None  # leaves × levels: whether the leaf is a part of the value
    narrower: frozenset[str] = frozenset()  # values of a built hierarchy that are a kind of their concept
    notes: Sequence[str] = ()  # how a built hierarchy differs from what was asked for

    @property
    def value(self) -> float:
        """VghGSL."""
        return hierarchy_loss(self.losses, self.aggregate, self.weights)

    @property
    def levels(self) -> list[dict[str, Any]]:
        """LevelGSL of every level, with statistics of its transitions."""
        gsl = level_losses(self.losses, self.aggregate)
        weights = level_weights(self.hierarchy.height, self.weights)
        return [
            {
                "level": i + 1,
                "values": len(self.hierarchy.values(i + 1)),
                "gsl": float(gsl[i]),
                "weight": float(weights[i]),
                "max": float(column.max()),
                "mean": float(column.mean()),
                "std": float(column.std()),
            }
            for i, column in enumerate(self.losses.T)
        ]

    @cached_property
    def transitions(self) -> list[Transition]:
        """Every transition of a leaf to another value; those whose loss is most unusual for their level first."""
        unusual = deviations(self.losses)
        transitions = [
            Transition(
                row[0], row[i + 1], i + 1, float(self.losses[r, i]), float(unusual[r, i]),
                self.ids[r][i + 1] if self.ids else "",
            )
            for r, row in enumerate(self.hierarchy.rows)
            for i in range(self.hierarchy.height)
            if row[i + 1] != row[0]
        ]  # fmt: skip
        return sorted(transitions, key=lambda t: (-round(t.deviation, 9), -t.loss, t.level, t.leaf))

    @property
    def reversed(self) -> list[int]:
        """Levels with a value that is farther from some leaf than the value's parent is."""
        return (np.flatnonzero(reversals(self.losses).any(axis=0)) + 1).tolist()

    @property
    def redundant(self) -> list[int]:
        """Levels that group the leaves as the level below does."""
        return redundant_levels(self.hierarchy.groups)

    @property
    def comparable_value(self) -> float:
        """VghGSL without redundant levels, so that repeating a level does not change it."""
        levels = [i for i in range(self.hierarchy.height) if i + 1 not in self.redundant] or [0]
        weights = self.weights if isinstance(self.weights, str) else [self.weights[i] for i in levels]
        return hierarchy_loss(self.losses[:, levels], self.aggregate, weights)

    @cached_property
    def findings(self) -> list[Finding]:
        """What is wrong with the hierarchy, the most unusual losses first."""
        return findings(self.hierarchy, self.losses, self.kinds, self.parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the score for JSON."""
        return {
            "format": 1,
            "name": self.hierarchy.name,
            "leaves": len(self.hierarchy.rows),
            "height": self.hierarchy.height,
            "aggregate": self.aggregate,
            "level_weights": self.weights if isinstance(self.weights, str) else list(self.weights),
            "vgh_gsl": self.value,
            "levels": self.levels,
            "concepts": dict(self.concepts),
            "to_review": list(self.review),
            "senses": [asdict(x) for x in self.senses],
            "findings": [x.to_dict() for x in self.findings],
            "reversed_levels": self.reversed,
            "redundant_levels": self.redundant,
            "transitions": [vars(t) for t in self.transitions],
        }


@dataclass(frozen=True, eq=False)
class HierarchyComparison:
    """Hierarchies of the same leaves, scored with the same senses of leaves."""

    scores: Sequence[HierarchyScore]

    @property
    def best(self) -> float:
        """The smallest loss, without redundant levels."""
        return min(x.comparable_value for x in self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return {
            "format": 1,
            "hierarchies": [x.to_dict() | {"comparable_gsl": x.comparable_value} for x in self.scores],
        }
