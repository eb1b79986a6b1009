"""A taxonomy: an immutable directed acyclic graph of concepts and is-a links, on integer arrays.

Concepts are integers 0 … n-1. There is one root; if a source has several, a virtual root `*` is added above them.
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
from allonym.ontology.sense_names import find_sense
from allonym.ontology.strings import Strings, StringTuple

if TYPE_CHECKING:
    from allonym.ontology.ancestry import Ancestry
    from allonym.ontology.details import Details

ROOT = "*"  # id and label of a virtual root
Rows = tuple[NDArray[np.int64], NDArray[np.int32]]


@dataclass(frozen=True)
class Source:
    """The source of a taxonomy."""

    path: str = ""
    version: str = ""
    licence: str = ""
    sha256: str = ""
    name: str = ""  # by which commands and plans open it, if it is in the catalog or was added
    attribution: str = ""  # a statement that the publisher wants to be made


@dataclass(frozen=True, eq=False)
class Taxonomy(DropCaches):
    """Concepts, their is-a links and their words.

    >>> t = Taxonomy.build("animals", ["animal", "bird", "parrot", "cat"], child=[1, 2, 3], parent=[0, 1, 0])
    >>> t.depth.tolist(), t.ids[t.root], [t.ids[c] for c in t.subsumers(t.code("parrot"))]
    ([0, 1, 2, 1], 'animal', ['parrot', 'bird', 'animal'])
    """

    name: str
    ids: Strings
    labels: Sequence[str]
    parents: Rows
    lexicon: Lexicon
    instances: NDArray[np.bool_]  # True for named individuals, False for classes
    source: Source = field(default_factory=Source)
    definitions: Sequence[str] | None = None
    parts: Rows | None = None  # the wholes and parts of each concept
    steps: NDArray[np.int64] | None = None  # of a hierarchy: the value of each concept at every level, itself first
    proper_names: bool = False  # whether labels are proper names, of which similar ones mean different things

    def __post_init__(self) -> None:
        """Make the arrays read-only: taxonomies are shared."""
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
        """Build a taxonomy from pairs of concept numbers, with a virtual root above several roots.

        Args:
            name: the name of the ontology.
            ids: the id of every concept.
            child: the lower concept of every is-a link.
            parent: the upper concept of every is-a link.
            labels: the label of every concept; by default its id.
            lexicon: the words.
            instances: which concepts are named individuals.
            source: where the ontology comes from.
            definitions: the definition of every concept.
            parts: the wholes and parts of every concept, in CSR form.
            codes: the number of every id, if it is known already.

        Raises:
            CycleError: a concept is its own ancestor.
        """
        ids = list(ids)
        labels = list(ids if labels is None else labels)
        below, above = np.asarray(child, np.int64).ravel(), np.asarray(parent, np.int64).ravel()
        individuals = np.zeros(len(ids), bool) if instances is None else np.asarray(instances, bool)
        once = np.sort(np.unique(below * len(ids) + above, return_index=True)[1])
        below, above = below[once], above[once]
        roots = np.flatnonzero(np.bincount(below, minlength=len(ids)) == 0)
        if len(roots) > 1:
            below, above = np.append(below, roots), np.append(above, np.full(len(roots), len(ids)))
            ids.append(next(virtual for i in count() if (virtual := ROOT * (i + 1)) not in ids))
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
        taxonomy.depth  # noqa: B018  raises if there is a cycle
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
        """The longest path from every concept to the root, in links: a child is always deeper than its parents."""
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
        """Yield concepts level by level; a concept is released after its last parent."""
        waiting = np.diff(self.parents[0])
        level = np.flatnonzero(waiting == 0)
        while level.size:
            yield level
            below, released = np.unique(take_rows(*self.children, level)[1], return_counts=True)
            waiting[below] -= released
            level = below[waiting[below] == 0]

    def _cycle(self, unreleased: NDArray[np.bool_]) -> list[int]:
        """Return a cycle: go up among concepts that were never released until one is repeated."""
        starts, parents = self.parents
        path = [int(np.flatnonzero(unreleased)[0])]
        while True:
            above = parents[starts[path[-1]] : starts[path[-1] + 1]]
            step = int(above[unreleased[above]][0])
            if step in path:
                return path[path.index(step) :]
            path.append(step)

    @cached_property
    def deepest(self) -> int:
        """The largest depth, in links."""
        return int(self.depth.max(initial=0))

    @cached_property
    def root(self) -> int:
        """The concept without a parent."""
        return int(np.flatnonzero(np.diff(self.parents[0]) == 0)[0])

    @property
    def is_tree(self) -> bool:
        """Whether every concept has at most one parent."""
        return bool(np.diff(self.parents[0]).max(initial=0) <= 1)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which concepts have no child."""
        return np.diff(self.children[0]) == 0

    def parents_of(self, concept: int) -> NDArray[np.int32]:
        """Return the direct parents of a concept, in the order of the source."""
        starts, parents = self.parents
        return parents[starts[concept] : starts[concept + 1]]

    def children_of(self, concept: int) -> NDArray[np.int32]:
        """Return the direct children of a concept."""
        starts, children = self.children
        return children[starts[concept] : starts[concept + 1]]

    def descendants(self, concept: int) -> NDArray[np.int64]:
        """Return a concept and its descendants, by number."""
        return np.flatnonzero(self._reach(self.children, np.array([concept])))

    def leaves(self, concept: int) -> NDArray[np.int64]:
        """Return the leaves below a concept; a leaf returns itself."""
        below = self.descendants(concept)
        return below[self.is_leaf[below]]

    def above(self, concepts: ArrayLike) -> NDArray[np.int64]:
        """Return some concepts and all their ancestors, by number."""
        return np.flatnonzero(self._reach(self.parents, np.unique(np.asarray(concepts, np.int64))))

    def _reach(self, links: Rows, start: NDArray[np.int64]) -> NDArray[np.bool_]:
        reached = np.zeros(len(self), bool)
        frontier = start
        while frontier.size:
            reached[frontier] = True
            linked = np.unique(take_rows(*links, frontier)[1])
            frontier = linked[~reached[linked]]
        return reached

    def closure(self, concepts: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Return T(c) of many concepts in CSR form: starts, ancestors (the concept first), fewest links up to each."""
        start = np.asarray(concepts, np.int64).ravel()
        owner, concept = np.arange(len(start)), start
        steps: list[tuple[NDArray[np.int64], NDArray[np.int64], int]] = []
        links = 0
        while owner.size or not steps:
            steps.append((owner, concept, links))
            starts, above = take_rows(*self.parents, concept)
            pairs = np.unique(np.repeat(owner, np.diff(starts)) * len(self) + above)
            owner, concept = np.divmod(pairs, max(len(self), 1))
            links += 1
        owners = np.concatenate([step[0] for step in steps])
        ancestors = np.concatenate([step[1] for step in steps])
        ups = np.concatenate([np.full(len(step[0]), step[2], np.int32) for step in steps])
        first = np.unique(owners * len(self) + ancestors, return_index=True)[1]  # the first is the nearest
        first = first[np.lexsort((ancestors[first], ups[first], owners[first]))]
        return np.searchsorted(owners[first], np.arange(len(start) + 1)), ancestors[first], ups[first]

    def subsumers(self, concept: int) -> NDArray[np.int64]:
        """Return T(c): a concept and all its ancestors, nearest first."""
        return self.closure([concept])[1]

    def lcs(self, a: int, b: int) -> list[int]:
        """Return the least common subsumers of two concepts: those with no other common subsumer below them.

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
        if len(self.parents[1]) == len(self) - 1:  # a tree is summed level by level
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
        """The number of distinct descendants of every concept, without itself."""
        return self.summed_up(np.ones(len(self))) - 1

    @cached_property
    def leaves_below(self) -> NDArray[np.float64]:
        """The number of distinct leaves below every concept; 0 for a leaf."""
        return np.where(self.is_leaf, 0, self.summed_up(self.is_leaf.astype(np.float64)))

    @cached_property
    def subsumer_count(self) -> NDArray[np.int64]:
        """|T(c)| of every concept: its ancestors and itself."""
        blocks = np.array_split(np.arange(len(self)), len(self) // 100_000 + 1)
        tree = len(self.parents[1]) == len(self) - 1
        return (
            self.depth + np.int64(1) if tree else np.concatenate([np.diff(self.closure(block)[0]) for block in blocks])
        )

    # --- details ---------------------------------------------------------------------------------------------

    @cached_property
    def details(self) -> Details | None:
        """What the source says beside is-a links and words, if it does."""
        return None

    @property
    def origins(self) -> tuple[tuple[Taxonomy, NDArray[np.int64]], ...]:
        """The taxonomies that it was made from, and the concept there of every concept here; -1: none."""
        return ()

    def definition(self, concept: int) -> str:
        """Return the definition of a concept; empty if the source has none."""
        if self.definitions is not None:
            return self.definitions[concept]
        return "" if self.details is None else self.details.definition(concept)

    def ancestry(self, concepts: ArrayLike) -> Ancestry:
        """Return the ancestor table of some concepts, which compares many pairs of them quickly."""
        from allonym.ontology.ancestry import Ancestry

        return Ancestry(self, concepts)

    # --- names -----------------------------------------------------------------------------------------------

    def find(self, identifier: str) -> int | None:
        """Return the concept with this id, or None.

        Where ids are words with the number of their sense, as in NLTK, every word of a concept names it.

        >>> from allonym.ontology.wordnet import bundled
        >>> bundled().ids[bundled().find("ectotherm.n.01")]
        'poikilotherm.n.01'
        """
        concept = self.ids.find(identifier)
        return find_sense(identifier, self.lexicon, self.ids) if concept is None else concept

    def code(self, name: str, language: str = "") -> int:
        """Return the concept with this id, or else the first sense of this word (`dog#2` is the second).

        Raises:
            UnknownConceptError: the taxonomy has neither such an id nor such a word.
        """
        concept = self.find(name)
        if concept is not None:
            return concept
        senses = self.senses(name, language)
        if not senses:
            raise UnknownConceptError(f"{self.name} has neither a word nor an id {name!r}.", hint=self.hint(name))
        return senses[0]

    def senses(self, name: str, language: str = "") -> list[int]:
        """Return the senses of a word in order; `dog#2` is only the second, an id only its concept."""
        concept = self.find(name)
        if concept is not None:
            return [concept]
        senses = [int(c) for c in self.lexicon.senses(name, language)]
        word, _, number = name.rpartition("#")
        if not senses and number.isdecimal():
            senses = [int(c) for c in self.lexicon.senses(word, language)[int(number) - 1 : int(number)]]
        return senses

    def hint(self, name: str) -> str:
        """Return a hint with the words that are spelled like an unknown one."""
        from allonym.ontology.linking.suggest import similar_words

        similar = similar_words(self.lexicon, [name.rpartition("#")[0] or name])[0]
        return (
            f"did you mean {first_few(map(repr, similar), 3)}?" if similar else "search its words with `allonym link`."
        )

    @cached_property
    def _members_of_last_root(self) -> dict[int, NDArray[np.bool_]]:
        return {}

    def path(self, concept: int, root: int | None = None) -> list[int]:
        """Return a path from a concept up to a root, along the first parent that leads there."""
        root = self.root if root is None else root
        members = self._members_of_last_root.get(root)
        if members is None:
            members = self._reach(self.children, np.array([root])) if root != self.root else np.ones(len(self), bool)
            self._members_of_last_root.clear()
            self._members_of_last_root[root] = members
        path = [concept]
        while path[-1] != root and members[path[-1]]:
            parents = self.parents_of(path[-1])
            path.append(int(parents[members[parents]][0]))
        return path
