"""The senses of leaves, in the context of the hierarchy: a sense under a sense of the leaf's own ancestors wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.hierarchy_senses.candidates import Candidates, is_whole
from allonym.ontology.linking.link import REVIEW, SETTLED, SURE, UNMATCHED, Link, link

# reasons of links: the sense lies under an ancestor's; the word has one sense; the sense fits the other leaves
UNDER, ONLY, COHERENT = "under ancestor", "only sense", "fits leaves"
NOMINALISED = "noun of"  # an adjective, adverb or verb


def leaf_links(
    hierarchy: Hierarchy, candidates: Candidates, proposed: Mapping[str, str]
) -> tuple[dict[str, Link], list[str]]:
    """Return the links of the leaves, and the leaves that a person has to settle."""
    scope = candidates.scope
    among = supported(hierarchy, candidates)
    for value, concept in proposed.items():
        code = scope.taxonomy.find(concept)
        if code is not None and value in candidates.senses and code in candidates.senses[value]:
            among[value] = [code]
    leaves = list(dict.fromkeys(hierarchy.leaves))
    settled = {value: x for value, x in candidates.settled.items() if value in leaves}
    links, undecided = {}, []
    for x in link(leaves, scope, settled=settled, language=candidates.language, among=among, suggest=False):
        if x.value not in candidates.first or x.value in links:
            continue
        if x.reason == SETTLED and x.concept is not None:
            links[x.value] = x
        elif x.concept is not None and x.concept in candidates.senses[x.value]:
            links[x.value] = _chosen(x, candidates, among, proposed)
        else:
            links[x.value], is_usable = _nominalised(x, candidates, among)
            undecided += [] if is_usable else [x.value]
    return links, undecided


def _chosen(x: Link, candidates: Candidates, among: Mapping[str, list[int]], proposed: Mapping[str, str]) -> Link:
    """Return the link of a leaf that is a word of the ontology, with its reason, status and other senses."""
    senses, best = candidates.senses[x.value], among.get(x.value, [])
    others = tuple(c for c in senses if c != x.concept)
    if x.reason in ("id", "notation"):
        return replace(x, alternatives=others)
    is_sure = is_whole(x) and (x.status == SURE or len(best) == 1)
    reason = ONLY if not others else UNDER if best else COHERENT
    status = REVIEW if not is_sure or x.value in proposed else SURE
    return replace(x, reason=reason, status=status, alternatives=others)


def _nominalised(x: Link, candidates: Candidates, among: Mapping[str, list[int]]) -> tuple[Link, bool]:
    """Return the link of a leaf that is no noun, and whether one of its nouns is evident: its only one, or in place."""
    nouns, best = candidates.nouns.get(x.value, []), among.get(x.value, [])
    first = candidates.first[x.value]
    if not nouns:
        found = first if x.concept is None else x
        return replace(found, status=UNMATCHED if found.concept is None else REVIEW), False
    chosen = (best or nouns)[0]
    others = tuple(c for c in nouns if c != chosen)
    found = replace(x, concept=chosen, reason=NOMINALISED, status=REVIEW, alternatives=others)
    return found, len(best or nouns) == 1


def supported(hierarchy: Hierarchy, candidates: Candidates) -> dict[str, list[int]]:
    """Return for each leaf the senses that lie under senses of the most ancestors; none, if no ancestor decides.

    A leaf that is itself an ancestor of other leaves may also have the senses above theirs.
    """
    found: dict[str, list[int]] = {}
    for leaf, *above in hierarchy.rows:
        if not candidates.is_settled(leaf):
            best = candidates.under(leaf, above, hierarchy.leaves_of.get(leaf, []))
            if best:
                found[leaf] = best
    return found
