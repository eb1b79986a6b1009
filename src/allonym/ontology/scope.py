"""The part of a taxonomy under one concept."""

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
        parts = None
        if whole.parts is not None:
            part_starts, others = take_rows(*whole.parts, concepts)
            owner, other = np.repeat(np.arange(len(concepts)), np.diff(part_starts)), new_code[others]
            parts = to_rows(owner[other >= 0], other[other >= 0], len(concepts))
        return Taxonomy.build(
            self.name,
            [whole.ids[c] for c in concepts],
            child=child[inside],
            parent=new_code[above[inside]],
            labels=[whole.labels[c] for c in concepts],
            lexicon=whole.lexicon.restrict(new_code),
            instances=whole.instances[concepts],
            source=whole.source,
            definitions=None if whole.definitions is None else [whole.definitions[c] for c in concepts],
            parts=parts,
        )
