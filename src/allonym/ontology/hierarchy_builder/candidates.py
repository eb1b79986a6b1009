"""The concepts that may stand above values in a hierarchy, and the loss of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints
from allonym.ontology import similarity
from allonym.ontology.generality.familiar import is_known, label
from allonym.ontology.generality.filler import filler
from allonym.ontology.generality.residual import names_the_rest
from allonym.ontology.generality.upper_layer import has_word_counts
from allonym.ontology.joining.virtual_roots import virtual_roots
from allonym.ontology.scope import Scope

Bools = NDArray[np.bool_]
DECIMALS = 9  # of losses that are compared
REST = 0.5  # generality that a class of the rest gains, so that others come first


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a hierarchy: their concepts, and which are a kind of their concept rather than the concept."""

    concepts: Ints
    is_kind: Bools
    scope: Scope
    measure: str
    depth: str
    broad: bool = False  # whether filler may name groups, too

    def __len__(self) -> int:
        return len(self.concepts)

    @cached_property
    def present(self) -> frozenset[int]:
        """The concepts that are values."""
        return frozenset(self.concepts[~self.is_kind].tolist())

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        """Every value with each concept at or above it."""
        starts, above, _ = self.scope.taxonomy.closure(self.concepts)
        return np.repeat(np.arange(len(self)), np.diff(starts)), above.astype(np.int64)

    @cached_property
    def _losses(self) -> Floats:
        """The loss of each pair: the distance of the value to the concept."""
        value, above = self._pairs
        losses = np.empty(len(value))
        for kind in (False, True):
            some = self.is_kind[value] == kind
            pairs = self.concepts[value[some]], above[some]
            losses[some] = similarity.distance(
                self.measure, self.scope.taxonomy, *pairs, depth=self.depth, below=(kind, False)
            )
        return losses

    def candidates(self) -> list[Candidate]:
        """Return the concepts above values that may be named, without those of single values that are the concept."""
        value, above = self._pairs
        order = np.argsort(above, kind="stable")
        concepts, starts = np.unique(above[order], return_index=True)
        members = np.split(value[order], starts[1:])
        losses = np.split(self._losses[order], starts[1:])
        return [
            Candidate(c, frozenset(values.tolist()), round(float(lost.mean()), DECIMALS), self._generality(c, lost))
            for c, values, lost in zip(concepts.tolist(), members, losses, strict=True)
            if self.may_name(c) and not (len(values) == 1 and c in self.present)
        ]

    @cached_property
    def _is_levelled(self) -> bool:
        """Whether the ontology is a classification: what is equally deep is equally general."""
        taxonomy = self.scope.taxonomy
        return taxonomy.is_tree and not has_word_counts(taxonomy)

    def _generality(self, concept: int, losses: Floats) -> float:
        """Return how general a concept is for these values: the mean loss; in a classification, by its level."""
        taxonomy = self.scope.taxonomy
        general = 1 - taxonomy.depth[concept] / taxonomy.deepest if self._is_levelled else float(losses.mean())
        return round(float(general), DECIMALS)

    def may_name(self, concept: int) -> bool:
        """Tell whether a concept may name a group: it is a value itself, or people know it and it says something."""
        scope, taxonomy = self.scope, self.scope.taxonomy
        if concept in self.present:
            return True
        if not scope.members[concept] or taxonomy.instances[concept]:
            return False
        if filler(taxonomy)[concept]:
            return self.broad and concept != taxonomy.root
        return is_known(taxonomy, concept)

    def names_the_rest(self, concept: int) -> bool:
        """Tell whether a concept is a class of the rest, such as "other diseases"."""
        return names_the_rest(label(self.scope.taxonomy, concept))

    def top(self) -> int:
        """Return the concept above all values if no group has all: the root."""
        return self.scope.root


@dataclass(frozen=True)
class Candidate:
    """A concept, the values at or below it, their mean loss when they become it, and how general it is for them."""

    concept: int
    members: frozenset[int]
    loss: float
    generality: float


def says_anything(scope: Scope, concept: int) -> bool:
    """Tell whether the name of the top of a hierarchy says something; else it is written as *."""
    taxonomy = scope.taxonomy
    if concept in virtual_roots(taxonomy).tolist():
        return False
    return not (has_word_counts(taxonomy) and filler(taxonomy)[concept] and taxonomy.root == scope.root)
