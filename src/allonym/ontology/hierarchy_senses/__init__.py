"""The concepts of the values of a hierarchy (Ayala-Rivera et al., procedures 1 and 2, appendix D).

A leaf has the sense that lies under a sense of its own ancestors, among several the one that fits the other leaves. A
value above leaves has, for each leaf, the sense that is a hypernym of that leaf. People settle the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from allonym.arrays import Ints
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.hierarchy_senses.ancestors import AncestorSenses
from allonym.ontology.hierarchy_senses.candidates import EVERYTHING, candidates_of
from allonym.ontology.hierarchy_senses.leaves import leaf_links
from allonym.ontology.linking.link import REVIEW, Link
from allonym.ontology.scope import Scope

__all__ = ["EVERYTHING", "Meanings", "meanings"]


@dataclass(frozen=True, eq=False)
class Meanings:
    """The concepts of the values of a hierarchy, and the values that people have to settle."""

    paths: Ints  # leaves × (1 + levels): the concept of the leaf, and of its value at each level; -1 if unknown
    links: Mapping[str, Link] = field(default_factory=dict)  # of every value: leaves first, then by level
    undecided: Sequence[str] = ()  # values without a concept that could be used

    @property
    def unsure(self) -> list[Link]:
        """The links of undecided values."""
        return [self.links[value] for value in self.undecided]

    @property
    def review(self) -> list[str]:
        """The values whose concept a person should check."""
        return [x.value for x in self.links.values() if x.status == REVIEW and x.value not in self.undecided]


def meanings(
    hierarchy: Hierarchy,
    scope: Scope,
    settled: Mapping[str, str] | None = None,
    language: str = "en",
    *,
    proposed: Mapping[str, str] | None = None,
    accept_review: bool = False,
) -> Meanings:
    """Return the concepts of the values of a hierarchy.

    Args:
        hierarchy: the hierarchy.
        scope: the ontology.
        settled: the concepts that a person decided, by value.
        language: the language of the values.
        proposed: concepts of leaves that were proposed before and that nobody has reviewed; they are chosen again.
        accept_review: whether to use likely concepts of values that a person should settle.

    Raises:
        LinksError: a settled concept is not in the ontology.
    """
    candidates = candidates_of(hierarchy, scope, settled or {}, language)
    of_leaves, undecided = leaf_links(hierarchy, candidates, proposed or {})
    above = AncestorSenses(hierarchy, candidates, of_leaves, () if accept_review else undecided)
    links = {**of_leaves, **above.links}
    undecided += above.undecided
    if accept_review:
        undecided = [value for value in undecided if links[value].concept is None]
    return Meanings(above.paths, links, undecided)
