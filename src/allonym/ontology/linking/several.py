"""Link values to several ontologies that were joined: the first that knows a value decides.

A value is linked in the first ontology in which its link is sure; else in the first that has a link to review; else it
is unmatched. In an ontology alone, values are linked as always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from allonym.errors import LinksError, OptionError, first_few
from allonym.ontology.joining.taxonomy import JoinedTaxonomy
from allonym.ontology.linking import link as one
from allonym.ontology.linking.link import REVIEW, SETTLED, SURE, Link
from allonym.ontology.linking.suggest import MAX_SUGGESTIONS
from allonym.ontology.scope import Scope
from allonym.progress import no_progress, part_of


def link(
    values: Mapping[str, int] | Sequence[str],
    ontology: Scope,
    *,
    settled: Mapping[str, str] | None = None,
    narrower: Collection[str] = (),
    language: str = "en",
    tick: Callable[[int, int], None] = no_progress,
    **options: Any,
) -> list[Link]:
    """Link the values of a column to an ontology, or to joined ones; options are those of `allonym.link`.

    In joined ontologies, values may only mean concepts under the roots.

    Raises:
        OptionError: an option is unknown, or no ontology has words of the language.
        LinksError: a settled concept is not in the ontologies.
    """
    taxonomy = ontology.taxonomy
    if not isinstance(taxonomy, JoinedTaxonomy):
        options |= {"settled": settled, "narrower": narrower, "language": language, "tick": tick}
        return one.link(values, ontology, **options)
    counts = dict(values) if isinstance(values, Mapping) else Counter(values)
    places = [i for i, x in enumerate(taxonomy.branches) if x.taxonomy.lexicon.has_language(language)]
    if not places:
        raise OptionError(f"{taxonomy.name} have no words in {language!r}.", hint="choose another language.")
    decided = _settled(settled or {}, taxonomy, language)
    each: list[list[Link]] = []
    for n, place in enumerate(places):
        branch = taxonomy.branches[place]
        own = {value: _own_id(concept, place, taxonomy) for value, concept in decided.items()}
        of_branch: dict[str, Any] = {"settled": {value: id for value, id in own.items() if id is not None}}
        of_branch |= {"strict": True, "narrower": narrower, "language": language}
        links = one.link(counts, branch, tick=part_of(tick, n, len(places)), **(options | of_branch))
        each.append([_joined_link(x, place, taxonomy) for x in links])
    return [_first_that_knows(links) for links in zip(*each, strict=True)]


def with_suggestions(column: Iterable[Link], scope: Scope, language: str = "en") -> dict[str, Link]:
    """Return the links of a column that a person has to review, with suggestions from each joined ontology in turn."""
    from allonym.ontology.linking import meaning

    taxonomy, column = scope.taxonomy, list(column)
    if not isinstance(taxonomy, JoinedTaxonomy):
        return meaning.with_suggestions(column, scope, language)
    each = []
    for place, branch in enumerate(taxonomy.branches):
        if branch.taxonomy.lexicon.has_language(language):
            links = [_own_link(x, place, taxonomy) for x in column]
            each.append((place, meaning.with_suggestions(links, branch, language)))
    suggested: dict[str, Link] = {}
    for x in column:
        texts = [
            [_suggestion(text, place, taxonomy, language) for text in links[x.value].suggestions]
            for place, links in each
            if x.value in links
        ]
        if texts:
            suggested[x.value] = replace(x, suggestions=_in_turn(texts))
    return suggested


def _settled(settled: Mapping[str, str], taxonomy: JoinedTaxonomy, language: str) -> dict[str, int | None]:
    """Resolve settled links: an id, with or without the name of its ontology, or a word; empty: no concept."""
    decided: dict[str, int | None] = {}
    unknown = []
    for value, name in settled.items():
        senses = taxonomy.senses(name, language) if name else []
        if name and not senses:
            unknown.append(name)
        decided[value] = senses[0] if senses else None
    if unknown:
        raise LinksError(
            f"{len(unknown):,} settled concepts are not in {taxonomy.name}: {first_few(map(repr, unknown))}.",
            hint="write an id (wordnet:dog.n.01), a word (its first sense) or dog#2.",
            values=unknown,
        )
    return decided


def _own_id(concept: int | None, place: int, taxonomy: JoinedTaxonomy) -> str | None:
    """Return the id of a settled concept in one ontology: empty if the value has none, None if it is elsewhere."""
    if concept is None:
        return ""
    if taxonomy.branch_of(concept) != place:
        return None
    return taxonomy.branches[place].taxonomy.ids[taxonomy.own_concept(concept)]


def _joined_link(link: Link, place: int, taxonomy: JoinedTaxonomy) -> Link:
    """Return a link in one ontology as a link in the joined ones."""
    concept = None if link.concept is None else taxonomy.joined_concept(place, link.concept)
    others = (taxonomy.joined_concept(place, c) for c in link.alternatives)
    return replace(link, concept=concept, alternatives=tuple(c for c in others if c is not None))


def _own_link(link: Link, place: int, taxonomy: JoinedTaxonomy) -> Link:
    """Return a link in the joined ontologies as one in a single ontology; without a concept if it is elsewhere."""
    if link.concept is None or taxonomy.branch_of(link.concept) != place:
        return replace(link, concept=None, alternatives=())
    others = tuple(taxonomy.own_concept(c) for c in link.alternatives)
    return replace(link, concept=taxonomy.own_concept(link.concept), alternatives=others)


def own_links(links: Mapping[str, Link], place: int, taxonomy: JoinedTaxonomy) -> dict[str, Link]:
    """Return the links to one of the joined ontologies, with its concepts."""
    return {
        value: _own_link(x, place, taxonomy)
        for value, x in links.items()
        if x.concept is not None and taxonomy.branch_of(x.concept) == place
    }


def _first_that_knows(links: Sequence[Link]) -> Link:
    """Return the link of a value that counts, of those in each ontology."""
    for knows in (_is_settled, _is_sure, _is_to_review):
        for x in links:
            if knows(x):
                return x
    return replace(links[0], suggestions=_in_turn([x.suggestions for x in links]))


def _is_settled(link: Link) -> bool:
    return link.reason == SETTLED


def _is_sure(link: Link) -> bool:
    return link.status == SURE


def _is_to_review(link: Link) -> bool:
    return link.status == REVIEW


def _in_turn(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the first texts of several lists, then the second ones, and so on, each text once."""
    longest = max(map(len, lists), default=0)
    texts = [texts[i] for i in range(longest) for texts in lists if i < len(texts)]
    return tuple(dict.fromkeys(texts))[:MAX_SUGGESTIONS]


def _suggestion(text: str, place: int, taxonomy: JoinedTaxonomy, language: str) -> str:
    """Return a suggestion from one ontology so that it means the same concept in the joined ones."""
    branch = taxonomy.branches[place]
    senses = [c for c in branch.taxonomy.senses(text, language) if c in branch]
    concept = taxonomy.joined_concept(place, senses[0]) if senses else None
    is_id = branch.taxonomy.ids.find(text) is not None
    if concept is None or (not is_id and taxonomy.senses(text, language)[:1] == [concept]):
        return text
    return taxonomy.ids[concept]
