"""A taxonomy: an immutable directed acyclic graph of concepts with is-a links, on integer arrays.

Concepts are integers 0 … n-1. There is one root; where a source has several, a virtual one, `*`, is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.arrays import frozen, take_rows, to_rows
from allonym.errors import CycleError, UnknownConceptError, first_few
from allonym.ontology.lexicon import Lexicon
from allonym.ontology.pickling import DropCaches
from allonym.ontology.strings import Strings, StringTuple

if TYPE_CHECKING:
    from allonym.ontology.ancestry import Ancestry

ROOT = "*"  # id and label of a virtual root
Rows = tuple[NDArray[np.int64], NDArray[np.int32]]


@dataclass(frozen=True)
class Source:
    """Where a taxonomy comes from."""

    path: str = ""
    version: str = ""
    licence: str = ""
    sha256: str = ""


@dataclass(frozen=True, eq=False)
class Taxonomy(DropCaches):
    """Concepts, their is-a links, and the words that mean them.

    >>> t = Taxonomy.build("animals", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> t.depth.tolist(), t.ids[t.root], [t.ids[c] for c in t.subsumers(t.code("parrot"))]
    ([0, 1, 2, 1], 'animal', ['parrot', 'bird', 'animal'])
    """

    name: str
    ids: Strings
    labels: Sequence[str]
    parents: Rows
    lexicon: Lexicon
    instances: NDArray[np.bool_]  # named individuals, as against classes
    source: Source = field(default_factory=Source)
    definitions: Sequence[str] | None = None
    parts: Rows | None = None  # for each concept, what it is a part of or has as a part
    steps: NDArray[np.int64] | None = None  # of a hierarchy: what each value becomes, level by level, itself first

    def __post_init__(self) -> None:
        """Lock the arrays: a taxonomy is shared, and never changes."""
        for name in ("parents", "parts"):
            rows = getattr(self, name)
            object.__setattr__(self, name, None if rows is None else (frozen(rows[0]), frozen(rows[1])))
        object.__setattr__(self, "instances", frozen(self.instances))

    @classmethod
    def build(
        cls,
        name: str,
        ids: Sequence[str],
        *,
        child: ArrayLike,
        parent: ArrayLike,
        labels: Sequence[str] | None = None,
        lexicon: Lexicon | None = None,
        instances: ArrayLike | None = None,
        source: Source | None = None,
        definitions: Sequence[str] | None = None,
        parts: Rows | None = None,
        codes: dict[str, int] | None = None,
    ) -> Taxonomy:
        """Make a taxonomy from child-parent pairs of concept numbers; add a virtual root where there are several."""
        ids = list(ids)
        labels = list(ids if labels is None else labels)
        below, above = np.asarray(child, np.int64).ravel(), np.asarray(parent, np.int64).ravel()
        individuals = np.zeros(len(ids), bool) if instances is None else np.asarray(instances, bool)
        once = np.sort(np.unique(below * len(ids) + above, return_index=True)[1])
        below, above = below[once], above[once]
        roots = np.flatnonzero(np.bincount(below, minlength=len(ids)) == 0)
        if len(roots) > 1:
            below, above = np.append(below, roots), np.append(above, np.full(len(roots), len(ids)))
            ids.append(next(name for i in count() if (name := ROOT * (i + 1)) not in ids))
            codes = None if codes is None else codes | {ids[-1]: len(ids) - 1}
            labels.append(ROOT)
            individuals = np.append(individuals, False)
            definitions = None if definitions is None else [*definitions, ""]
            parts = None if parts is None else (np.append(parts[0], parts[0][-1]), parts[1])
        taxonomy = cls(
            name=name,
            ids=StringTuple(ids) if codes is None else StringTuple.indexed(ids, codes),
            labels=tuple(labels),
            parents=to_rows(below, above, len(ids)),
            lexicon=Lexicon.build([]) if lexicon is None else lexicon,
            instances=individuals,
            source=source or Source(),
            definitions=None if definitions is None else tuple(definitions),
            parts=parts,
        )
        taxonomy.depth  # noqa: B018  a cycle is found here, not at the first use
        return taxonomy

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<Taxonomy {self.name}: {len(self):,} concepts, {len(self.parents[1]):,} links, depth {self.deepest}>"

    # --- structure -------------------------------------------------------------------------------------------

    @cached_property
    def children(self) -> Rows:
        """The children of every concept, in CSR form."""
        starts, parents = self.parents
        below = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(starts))
        child_starts, children = to_rows(parents, below, len(self))
        return frozen(child_starts), frozen(children)

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """The longest way from every concept to the root, in links: a child is always deeper than its parent."""
        depth = np.full(len(self), -1, np.int32)
        for level, concepts in enumerate(self._levels()):
            depth[concepts] = level
        if (depth < 0).any():
            cycle = self._cycle(depth < 0)
            names = [self.ids[c] for c in cycle]
            error = CycleError(
                f"The is-a links of {self.name} have a cycle: {' → '.join([*names[:6], names[0]])}.",
                hint="remove one of these links.",
                values=names,
            )
            raise error
        return frozen(depth)

    def _levels(self) -> Iterator[NDArray[np.int64]]:
        """Yield concepts level by level; one is released when its last parent has been."""
        waiting = np.diff(self.parents[0])
        level = np.flatnonzero(waiting == 0)
        while level.size:
            yield level
            below, released = np.unique(take_rows(*self.children, level)[1], return_counts=True)
            waiting[below] -= released
            level = below[waiting[below] == 0]

    def _cycle(self, unreleased: NDArray[np.bool_]) -> list[int]:
        """Walk up among concepts that were never released until one comes again."""
        starts, parents = self.parents
        walk = [int(np.flatnonzero(unreleased)[0])]
        while True:
            above = parents[starts[walk[-1]] : starts[walk[-1] + 1]]
            step = int(above[unreleased[above]][0])
            if step in walk:
                return walk[walk.index(step) :]
            walk.append(step)

    @property
    def deepest(self) -> int:
        """The largest depth, in links."""
        return int(self.depth.max(initial=0))

    @cached_property
    def root(self) -> int:
        """The concept without a parent."""
        return int(np.flatnonzero(np.diff(self.parents[0]) == 0)[0])

    @property
    def is_tree(self) -> bool:
        """Whether every concept has one parent at most."""
        return bool(np.diff(self.parents[0]).max(initial=0) <= 1)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which concepts have no child."""
        return np.diff(self.children[0]) == 0

    def parents_of(self, concept: int) -> NDArray[np.int32]:
        """Return the direct parents of a concept, as its source lists them."""
        starts, parents = self.parents
        return parents[starts[concept] : starts[concept + 1]]

    def children_of(self, concept: int) -> NDArray[np.int32]:
        """Return the direct children of a concept."""
        starts, children = self.children
        return children[starts[concept] : starts[concept + 1]]

    def descendants(self, concept: int) -> NDArray[np.int64]:
        """Return a concept and everything below it, in the order of their numbers."""
        return np.flatnonzero(self._reach(self.children, np.array([concept])))

    def leaves(self, concept: int) -> NDArray[np.int64]:
        """Return the leaves below a concept (itself, if it is one)."""
        below = self.descendants(concept)
        return below[self.is_leaf[below]]

    def above(self, concepts: ArrayLike) -> NDArray[np.int64]:
        """Return some concepts and all their ancestors, in the order of their numbers."""
        return np.flatnonzero(self._reach(self.parents, np.unique(np.asarray(concepts, np.int64))))

    def _reach(self, links: Rows, start: NDArray[np.int64]) -> NDArray[np.bool_]:
        reached = np.zeros(len(self), bool)
        frontier = start
        while frontier.size:
            reached[frontier] = True
            found = np.unique(take_rows(*links, frontier)[1])
            frontier = found[~reached[found]]
        return reached

    def closure(self, concepts: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Return T(c) for many concepts: row starts, ancestors (the concept itself first), fewest links up to each."""
        start = np.asarray(concepts, np.int64).ravel()
        owner, concept = np.arange(len(start)), start
        found: list[tuple[NDArray[np.int64], NDArray[np.int64], int]] = []
        links = 0
        while owner.size or not found:
            found.append((owner, concept, links))
            starts, above = take_rows(*self.parents, concept)
            pairs = np.unique(np.repeat(owner, np.diff(starts)) * len(self) + above)
            owner, concept = np.divmod(pairs, max(len(self), 1))
            links += 1
        owners = np.concatenate([f[0] for f in found])
        ancestors = np.concatenate([f[1] for f in found])
        ups = np.concatenate([np.full(len(f[0]), f[2], np.int32) for f in found])
        first = np.unique(owners * len(self) + ancestors, return_index=True)[1]  # the first find is the shortest way
        first = first[np.lexsort((ancestors[first], ups[first], owners[first]))]
        return np.searchsorted(owners[first], np.arange(len(start) + 1)), ancestors[first], ups[first]

    def subsumers(self, concept: int) -> NDArray[np.int64]:
        """Return T(c): a concept and all its ancestors, nearest first."""
        return self.closure([concept])[1]

    def lcs(self, a: int, b: int) -> list[int]:
        """Return the common subsumers of two concepts that have no common subsumer below them.

        >>> diamond = Taxonomy.build("diamond", list("rxyab"), child=[1, 2, 3, 3, 4, 4], parent=[0, 0, 1, 2, 1, 2])
        >>> [diamond.ids[c] for c in diamond.lcs(3, 4)]
        ['x', 'y']
        """
        common = np.intersect1d(self.subsumers(a), self.subsumers(b))
        covered = {int(x) for c in common for x in self.subsumers(int(c))[1:]}
        return [int(c) for c in common if int(c) not in covered]

    def summed_up(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for every concept the sum of `amounts` over it and its distinct descendants."""
        total = amounts.astype(np.float64)
        if len(self.parents[1]) == len(self) - 1:  # a tree: level by level
            parent = np.full(len(self), -1)
            parent[np.repeat(np.arange(len(self)), np.diff(self.parents[0]))] = self.parents[1]
            by_depth = np.argsort(self.depth, kind="stable")
            ends = np.cumsum(np.bincount(self.depth))
            for low, high in zip(ends[-2::-1], ends[:0:-1], strict=True):
                np.add.at(total, parent[by_depth[low:high]], total[by_depth[low:high]])
            return total
        total[:] = 0
        for block in np.array_split(np.arange(len(self)), len(self) // 100_000 + 1):
            starts, ancestors, _ = self.closure(block)
            weights = np.repeat(amounts[block], np.diff(starts))
            total += np.bincount(ancestors, weights=weights, minlength=len(self))
        return total

    @cached_property
    def hyponyms(self) -> NDArray[np.float64]:
        """The number of distinct descendants of every concept, itself not counted."""
        return self.summed_up(np.ones(len(self))) - 1

    @cached_property
    def leaves_below(self) -> NDArray[np.float64]:
        """The number of distinct leaves below every concept; a leaf has none."""
        return np.where(self.is_leaf, 0, self.summed_up(self.is_leaf.astype(np.float64)))

    @cached_property
    def subsumer_count(self) -> NDArray[np.int64]:
        """|T(c)| of every concept: itself and its ancestors."""
        blocks = np.array_split(np.arange(len(self)), len(self) // 100_000 + 1)
        tree = len(self.parents[1]) == len(self) - 1
        return (
            self.depth + np.int64(1) if tree else np.concatenate([np.diff(self.closure(block)[0]) for block in blocks])
        )

    def ancestry(self, concepts: ArrayLike) -> Ancestry:
        """Return the ancestor table of some concepts, which answers questions on pairs of them quickly."""
        from allonym.ontology.ancestry import Ancestry

        return Ancestry(self, concepts)

    # --- names -----------------------------------------------------------------------------------------------

    def find(self, identifier: str) -> int | None:
        """Return the concept with this id, if there is one."""
        return self.ids.find(identifier)

    def code(self, name: str, language: str = "") -> int:
        """Return the concept with this id, or else the first sense of this word (`dog`, `dog#2` for its second)."""
        found = self.find(name)
        if found is not None:
            return found
        senses = self.senses(name, language)
        if not senses:
            raise UnknownConceptError(f"{self.name} has neither a word nor an id {name!r}.", hint=self.hint(name))
        return senses[0]

    def senses(self, name: str, language: str = "") -> list[int]:
        """Return the concepts a word may mean, first sense first; `dog#2` is its second, an id only itself."""
        found = self.find(name)
        if found is not None:
            return [found]
        senses = [int(c) for c in self.lexicon.senses(name, language)]
        word, _, number = name.rpartition("#")
        if not senses and number.isdecimal():
            senses = [int(c) for c in self.lexicon.senses(word, language)[int(number) - 1 : int(number)]]
        return senses

    def hint(self, name: str) -> str:
        """Say which words are spelled like one that is not there."""
        from allonym.ontology.linking.suggest import similar_words

        close = similar_words(self.lexicon, [name.rpartition("#")[0] or name])[0]
        return (
            f"did you mean {first_few(map(repr, close), 3)}?"
            if close
            else "see which words it has with `allonym link`."
        )

    @cached_property
    def _below(self) -> dict[int, NDArray[np.bool_]]:
        return {}

    def path(self, concept: int, root: int | None = None) -> list[int]:
        """Return a way from a concept up to a root, along the first parent that leads there."""
        root = self.root if root is None else root
        below = self._below.get(root)
        if below is None:
            below = self._reach(self.children, np.array([root])) if root != self.root else np.ones(len(self), bool)
            self._below.clear()  # the last root is asked for again and again
            self._below[root] = below
        way = [concept]
        while way[-1] != root and below[way[-1]]:
            above = self.parents_of(way[-1])
            way.append(int(above[below[above]][0]))
        return way
