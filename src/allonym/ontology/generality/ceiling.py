"""The ceiling of a column of words: concepts that are too general to stand for different values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import Floats, Ints, frozen, sum_by
from allonym.errors import UnknownConceptError
from allonym.ontology.generality.upper_layer import upper_layer
from allonym.ontology.joining.virtual_roots import virtual_roots
from allonym.ontology.pickling import DropCaches
from allonym.ontology.scope import Scope

Bools = NDArray[np.bool_]
NO_CEILING = "none"
NEARLY_ALL = 0.95  # share of the records of a column: what is true of so many says nothing about anyone
MOST_VALUES = 0.5  # share of its distinct concepts that must lie below, too


class Ceiling(DropCaches):
    """Which concepts say too little to stand for different values of a column.

    By default these are the root of the column and all above it, the abstract upper layer of the ontology, and
    concepts that are true of nearly all records and of most distinct values. If concepts are named, these and all above
    them are, instead of the two latter. Under the ceiling "none", only virtual roots are, which have no name.

    >>> from allonym.ontology.wordnet import wordnet
    >>> people = wordnet("person")
    >>> concepts = [people.taxonomy.code(x) for x in ("nurse", "doctor", "cook")]
    >>> ceiling = Ceiling(people, concepts=concepts, counts=[5, 4, 1])
    >>> [x for x in ("person", "worker", "cook") if ceiling.too_general[people.taxonomy.code(x)]]
    ['person']
    """

    def __init__(
        self,
        scope: Scope,
        named: Sequence[int] | None = (),
        concepts: Sequence[int] = (),
        counts: Sequence[float] = (),
        language: str = "en",
    ) -> None:
        self.scope, self.named, self.language = scope, None if named is None else tuple(named), language
        self.concepts, self.counts = np.array(concepts, np.int64), np.array(counts, np.float64)

    @cached_property
    def present(self) -> frozenset[int]:
        """The concepts of the column."""
        return frozenset(self.concepts.tolist())

    @cached_property
    def too_general(self) -> Bools:
        """For every concept of the ontology, whether it says too little."""
        taxonomy, root = self.scope.taxonomy, self.scope.root
        general = np.zeros(len(taxonomy), bool)
        general[virtual_roots(taxonomy)] = True
        if self.named is None:
            return frozen(general)
        general[taxonomy.above([root, *self.named])] = True
        if not self.named:
            general |= upper_layer(taxonomy)
            general[self._true_of_nearly_all()] = True
        return frozen(general)

    def _true_of_nearly_all(self) -> Ints:
        """Return the concepts that say nothing about the records of the column, except those of single values."""
        distinct, place = np.unique(self.concepts, return_inverse=True)
        held = sum_by(place.ravel(), self.counts, len(distinct))
        if len(distinct) < 2 or held.sum() <= 0:
            return distinct[:0]
        starts, above, _ = self.scope.taxonomy.closure(distinct)
        ancestors, which = np.unique(above, return_inverse=True)
        sizes = np.diff(starts)
        records: Floats = sum_by(which.ravel(), np.repeat(held, sizes), len(ancestors))
        values = np.bincount(which.ravel(), minlength=len(ancestors))
        nearly_all = (records >= NEARLY_ALL * held.sum()) & (values >= MOST_VALUES * len(distinct)) & (values > 1)
        return ancestors[nearly_all].astype(np.int64)


def named_concepts(names: str | Sequence[str], scopes: Sequence[Scope]) -> list[list[int] | None]:
    """Return for each ontology of a column the concepts that its ceiling names; None, if it is to have none.

    Raises:
        UnknownConceptError: no ontology has a name.
    """
    names = (names,) if isinstance(names, str) else tuple(names)
    if names == (NO_CEILING,):
        return [None for _ in scopes]
    senses = [{name: scope.taxonomy.senses(name)[:1] for name in names} for scope in scopes]
    for name in names:
        if not any(known[name] for known in senses):
            taxonomy = scopes[0].taxonomy
            text = f"the ceiling {name!r} is neither a word nor an id of {taxonomy.name}."
            raise UnknownConceptError(text, hint=taxonomy.hint(name))
    return [[concept for concepts in known.values() for concept in concepts] for known in senses]
