"""The labels of concepts in a built hierarchy: words that people know, each for one group of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

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
    shared: Mapping[tuple[int, int], str]  # of a concept at a level: the label of another concept, which it shares

    def at(self, leaf: int, level: int, text: str) -> str:
        """Return the label of a value at a level; a value that stays itself keeps its text."""
        own, _, texts = self.leaves[leaf]
        concept = int(self.above[leaf, level])
        if level == self.above.shape[1] - 1:
            return self.top
        if concept == ITSELF:
            return text if len(texts) == 1 else self.of_concept[own]
        return self.shared.get((concept, level), self.of_concept[concept])

    @property
    def concepts(self) -> dict[str, int]:
        """The concept of every label that has one; each value finds a shared one among its own hypernyms."""
        several = set(self.shared.values())
        own = {text: c for c, text in self.of_concept.items() if text not in several}
        return own | {self.top: int(self.above[0, -1])}


def labels_of(above: Ints, leaves: Sequence[Leaf], scope: Scope, *, is_top_open: bool) -> Labels:
    """Return the labels of concepts above leaves, and of concepts with several spellings among the leaves.

    Of two concepts with the same label, one is written by another of its words, or with its id. They share the label
    where they are similar and at the same level under the same concepts. A label that is a value of the data must mean
    the same.
    """
    taxonomy = scope.taxonomy
    used = {c for c in above[:, :-1].ravel().tolist() if c != ITSELF}
    used |= {concept for i, (concept, _, texts) in enumerate(leaves) if len(texts) > 1 and (above[i] == ITSELF).any()}
    top = int(above[0, -1])
    top_label = label(taxonomy, top) if says_anything(scope, top) and not is_top_open else ANYTHING
    owners: dict[str, int | None] = {key(x): None if is_kind else c for c, is_kind, texts in leaves for x in texts}
    owners |= {key(top_label): top} | ({key(OTHER): None} if is_top_open else {})
    spelled = {key(text): text for _, _, texts in leaves for text in texts}
    labels, shared = {top: top_label}, dict[tuple[int, int], str]()
    for c in sorted(used - {top}):
        plain = label(taxonomy, c)
        first = owners.get(key(plain), c)
        if first is not None and first in labels and first != c:
            shared |= {(c, level): labels[first] for level in _levels_of_both(above, first, c, scope)}
        free = (x for x in (plain, *_words(scope, c)) if owners.get(key(x), c) == c)
        text = next(free, f"{plain} ({taxonomy.ids[c]})")
        owners[key(text)] = c
        labels[c] = spelled.get(key(text), text)
    return Labels(above, leaves, labels, top_label, shared)


def _words(scope: Scope, concept: int) -> list[str]:
    """Return the words of a concept."""
    words = scope.taxonomy.lexicon
    return [words.forms[words.form_of[e]].replace("_", " ") for e in words.entries_of(concept) if not words.notation[e]]


def _levels_of_both(above: Ints, first: int, second: int, scope: Scope) -> list[int]:
    """Return the levels at which two concepts of one word are under the same concepts; none, if they differ much."""
    distance = similarity.distance("wu-palmer", scope.taxonomy, first, second, depth="virtual-root")
    if float(distance) > 1 - ALIKE:
        return []
    rows = np.where(above == second, first, above).tolist()
    own_rows = above.tolist()

    def paths(concept: int, level: int) -> set[tuple[int, ...]]:
        pairs = zip(own_rows, rows, strict=True)
        return {tuple(row[level + 1 :]) for own, row in pairs if own[level] == concept}

    levels = range(above.shape[1] - 1)
    return [i for i in levels if (own := paths(first, i)) and own == paths(second, i)]
