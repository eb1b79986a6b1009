"""A part of a taxonomy under one concept, seen in place or cut out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.arrays import take_rows, to_rows
from allonym.ontology.pickling import DropCaches
from allonym.ontology.taxonomy import Taxonomy


@dataclass(frozen=True)
class Scope(DropCaches):
    """The part of a taxonomy under one concept; depths stay those of the whole.

    >>> t = Taxonomy.build("animals", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> birds = Scope(t, t.code("bird"))
    >>> birds.name, t.code("parrot") in birds, t.code("cat") in birds, birds.cut().depth.tolist()
    ('animals:bird', True, False, [0, 1])
    """

    taxonomy: Taxonomy
    root: int

    @classmethod
    def of(cls, taxonomy: Taxonomy, root: str | None = None) -> Scope:
        """Return the scope under a word (its first sense) or an id; the whole taxonomy without one."""
        return cls(taxonomy, taxonomy.root if root is None else taxonomy.code(root))

    @property
    def name(self) -> str:
        """The taxonomy's name and the id of the root, as on the command line."""
        whole = self.root == self.taxonomy.root
        return self.taxonomy.name if whole else f"{self.taxonomy.name}:{self.taxonomy.ids[self.root]}"

    @cached_property
    def members(self) -> NDArray[np.bool_]:
        """For every concept of the taxonomy, whether it lies under the root."""
        if self.root == self.taxonomy.root:
            return np.ones(len(self.taxonomy), bool)
        inside = np.zeros(len(self.taxonomy), bool)
        inside[self.taxonomy.descendants(self.root)] = True
        return inside

    @property
    def concepts(self) -> NDArray[np.int64]:
        """The concepts under the root, the root included."""
        return np.flatnonzero(self.members)

    def __contains__(self, concept: int) -> bool:
        return bool(self.members[concept])

    def __len__(self) -> int:
        return int(self.members.sum())

    def cut(self) -> Taxonomy:
        """Cut the part out as a taxonomy of its own, with its own depths; links that leave it are gone."""
        whole, kept = self.taxonomy, self.concepts
        new_code = np.full(len(whole), -1, np.int32)
        new_code[kept] = np.arange(len(kept))
        starts, above = take_rows(*whole.parents, kept)
        child = np.repeat(np.arange(len(kept)), np.diff(starts))
        inside = (new_code[above] >= 0) & (child != new_code[self.root])
        parts = None
        if whole.parts is not None:
            part_starts, others = take_rows(*whole.parts, kept)
            owner, other = np.repeat(np.arange(len(kept)), np.diff(part_starts)), new_code[others]
            parts = to_rows(owner[other >= 0], other[other >= 0], len(kept))
        return Taxonomy.build(
            self.name,
            [whole.ids[c] for c in kept],
            child=child[inside],
            parent=new_code[above[inside]],
            labels=[whole.labels[c] for c in kept],
            lexicon=whole.lexicon.restrict(new_code),
            instances=whole.instances[kept],
            source=whole.source,
            definitions=None if whole.definitions is None else [whole.definitions[c] for c in kept],
            parts=parts,
        )
