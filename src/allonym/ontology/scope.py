"""The part of a taxonomy under one concept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import take_rows
from allonym.ontology.pickling import DropCaches
from allonym.ontology.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False, repr=False)
class _PartOfTaxonomy(Taxonomy):
    """A part of a taxonomy as a taxonomy of its own; it has the definitions and parts of the whole."""

    whole: Taxonomy | None = None
    own_concepts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # as the whole has them

    @property
    def origins(self) -> tuple[tuple[Taxonomy, NDArray[np.int64]], ...]:
        """The whole taxonomy, and the concept there of every concept here."""
        return () if self.whole is None else ((self.whole, self.own_concepts),)

    def definition(self, concept: int) -> str:
        """Return the definition of a concept; empty if the source has none."""
        return "" if self.whole is None else self.whole.definition(int(self.own_concepts[concept]))


@dataclass(frozen=True)
class Scope(DropCaches):
    """The part of a taxonomy under one concept; depths are those of the whole.

    >>> t = Taxonomy.build("animals", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> birds = Scope(t, t.code("bird"))
    >>> birds.name, t.code("parrot") in birds, t.code("cat") in birds, birds.cut().depth.tolist()
    ('animals:bird', True, False, [0, 1])
    """

    taxonomy: Taxonomy
    root: int

    @classmethod
    def of(cls, taxonomy: Taxonomy, root: str | None = None) -> Scope:
        """Return the scope under a word (its first sense) or an id; without a root, the whole taxonomy."""
        return cls(taxonomy, taxonomy.root if root is None else taxonomy.code(root))

    @property
    def name(self) -> str:
        """The name of the taxonomy and the id of the root, as on the command line."""
        whole = self.root == self.taxonomy.root
        return self.taxonomy.name if whole else f"{self.taxonomy.name}:{self.taxonomy.ids[self.root]}"

    @cached_property
    def members(self) -> NDArray[np.bool_]:
        """For every concept of the taxonomy, whether it is the root or below it."""
        if self.root == self.taxonomy.root:
            return np.ones(len(self.taxonomy), bool)
        inside = np.zeros(len(self.taxonomy), bool)
        inside[self.taxonomy.descendants(self.root)] = True
        return inside

    @property
    def concepts(self) -> NDArray[np.int64]:
        """The root and the concepts below it."""
        return np.flatnonzero(self.members)

    def __contains__(self, concept: int) -> bool:
        return bool(self.members[concept])

    def __len__(self) -> int:
        return int(self.members.sum())

    def cut(self) -> Taxonomy:
        """Return the part as a separate taxonomy with its own depths, without links that leave it."""
        whole, concepts = self.taxonomy, self.concepts
        new_code = np.full(len(whole), -1, np.int32)
        new_code[concepts] = np.arange(len(concepts))
        starts, above = take_rows(*whole.parents, concepts)
        child = np.repeat(np.arange(len(concepts)), np.diff(starts))
        inside = (new_code[above] >= 0) & (child != new_code[self.root])
        part = _PartOfTaxonomy.build(
            self.name,
            [whole.ids[c] for c in concepts],
            child=child[inside],
            parent=new_code[above[inside]],
            labels=[whole.labels[c] for c in concepts],
            lexicon=whole.lexicon.restrict(new_code),
            instances=whole.instances[concepts],
            source=whole.source,
        )
        assert isinstance(part, _PartOfTaxonomy)
        return replace(part, whole=whole, own_concepts=concepts)
