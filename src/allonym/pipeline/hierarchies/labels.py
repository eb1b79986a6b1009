"""The labels of concepts in a built hierarchy: words that people know, each for one group of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from allonym.arrays import Ints
from allonym.ontology import similarity
from allonym.ontology.generality.familiar import label
from allonym.ontology.hierarchy_builder import ITSELF, says_anything
from allonym.ontology.lexicon import key
from allonym.ontology.scope import Scope

ANYTHING = "*"  # the top of a hierarchy that no concept names
OTHER = "other"  # the values without a concept
ALIKE = 0.5  # similarity, at least, of two concepts of one word that are one group
Leaf = tuple[int, bool, tuple[str, ...]]  # concept, whether it is a kind of the concept, and its texts


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of the concepts at every level."""

    above: Ints
    leaves: Sequence[Leaf]
    of_concept: Mapping[int, str]
    top: str
    shared: frozenset[str]  # labels of several concepts, which each value finds among its own hypernyms

    def at(self, leaf: int, level: int, text: str) -> str:
        """Return the label of a value at a level; a value that stays itself keeps its text."""
        concept = int(self.above[leaf, level])
        if level == self.above.shape[1] - 1:
            return self.top
        if concept == ITSELF and len(self.leaves[leaf][2]) == 1:
            return text
        return self.of_concept[self.leaves[leaf][0] if concept == ITSELF else concept]

    @property
    def concepts(self) -> dict[str, int]:
        """The concept of every label that has one."""
        own = {text: c for c, text in self.of_concept.items() if text not in self.shared}
        return own | {self.top: int(self.above[0, -1])}


def labels_of(above: Ints, leaves: Sequence[Leaf], scope: Scope, *, is_top_open: bool) -> Labels:
    """Return the labels of concepts above leaves, and of concepts with several spellings among the leaves.

    Of two concepts with the same label, one is written by another of its words, or with its id, unless they are similar
    and have the same place in the hierarchy. A label that is a value of the data must mean the same.
    """
    taxonomy = scope.taxonomy
    used = {c for c in above[:, :-1].ravel().tolist() if c != ITSELF}
    used |= {concept for i, (concept, _, texts) in enumerate(leaves) if len(texts) > 1 and (above[i] == ITSELF).any()}
    top = int(above[0, -1])
    top_label = label(taxonomy, top) if says_anything(scope, top) and not is_top_open else ANYTHING
    taken = {key(text): (None if is_kind else c) for c, is_kind, texts in leaves for text in texts}
    spelled = {key(text): text for _, _, texts in leaves for text in texts}
    owners: dict[str, int | None] = {**taken, key(top_label): top, **({key(OTHER): None} if is_top_open else {})}
    labels: dict[int, str] = {}
    shared: set[str] = set()
    for c in sorted(used):
        if c == top:
            labels[c] = top_label
            continue
        plain = label(taxonomy, c)
        first = owners.get(key(plain), c)
        if first not in (None, c) and first in labels and _one_group(above, first, c, scope):
            labels[c] = labels[first]
            shared.add(labels[c])
            continue
        free = (x for x in (plain, *_words(scope, c)) if owners.get(key(x), c) == c)
        text = next(free, f"{plain} ({taxonomy.ids[c]})")
        owners[key(text)] = c
        labels[c] = spelled.get(key(text), text)
    return Labels(above, leaves, labels, top_label, frozenset(shared))


def _words(scope: Scope, concept: int) -> list[str]:
    """Return the words of a concept."""
    words = scope.taxonomy.lexicon
    return [words.forms[words.form_of[e]].replace("_", " ") for e in words.entries_of(concept) if not words.notation[e]]


def _one_group(above: Ints, first: int, second: int, scope: Scope) -> bool:
    """Tell whether two concepts of one word can be one value: they are similar, at the same levels, under the same."""
    rows = above.tolist()

    def places(concept: int) -> set[tuple[int, tuple[int, ...]]]:
        return {(i, tuple(row[i + 1 :])) for row in rows for i, c in enumerate(row) if c == concept}

    if places(first) != places(second) or len({level for level, _ in places(first)}) > 1:
        return False
    distance = similarity.distance("wu-palmer", scope.taxonomy, first, second, depth="virtual-root")
    return float(distance) <= 1 - ALIKE
