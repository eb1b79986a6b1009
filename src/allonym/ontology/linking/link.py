"""Link the values of a column to concepts of an ontology, with the reason and the certainty of each link."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from allonym.errors import LinksError, OptionError, first_few
from allonym.ontology.linking.candidates import PARTIAL, Candidate, CandidateFinder
from allonym.ontology.linking.choose import Choice, ColumnChoice
from allonym.ontology.linking.codes.index import DOUBTFUL_CODE, FINER_CODE
from allonym.ontology.linking.confidence import confidence
from allonym.ontology.linking.individuals import (
    Names,
    is_one_name_of_a_person,
    mostly_individuals,
    without_individuals,
)
from allonym.ontology.linking.languages import language as language_of
from allonym.ontology.linking.match import Match, Matcher
from allonym.ontology.linking.readings.normalise import Normaliser
from allonym.ontology.linking.similar_labels.propose import MIN_CONFIDENCE, Proposal, Proposer, can_propose
from allonym.ontology.linking.suggest import names_of, similar_words
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

SURE, REVIEW, UNMATCHED = "sure", "review", "unmatched"
SAME, NARROWER = "same", "narrower"
SETTLED = "settled"  # the reason of a link that a links file, or the caller, gives
BEST_PAIR = "best-pair"
STRATEGIES = ("coherent", "first", BEST_PAIR)
MIN_SURE, MIN_SURE_PARTIAL = 0.79, 0.90  # confidence from which a link is sure; the second, if words were left out
MIN_SURE_NEAREST = 0.84  # the same, if the value is like labels of the concept but is none of them
MIN_SURE_UNCOVERED, MIN_WORDS = 0.92, 0.75  # the same, if these labels have less than that share of its words
NEAREST = "nearest"  # the reason of a link by similar labels
NEVER_SURE = frozenset({"stem", "longer", "similar", DOUBTFUL_CODE})
MAX_SUGGESTED = 300  # unmatched values with suggestions, the most frequent first: each takes some 10 ms
MAX_CODE_LETTERS = 2  # words this short need review: they may be codes (m, f)
CHINESE = "\u2e80"  # the first letter of the scripts of East Asia
_NUMBER = re.compile(r"(\d+([.,]\d+)?(st|nd|rd|th)?[%+]?\s*([-–/]|to)?\s*)+")
REASONS_OF_SYNONYM = frozenset({"exact", "spelling", "inflection", "inverted", "abbreviation"})
REASONS_OF_SAME = frozenset({"id", "notation", "exact", "spelling", "inflection", "inverted", "abbreviation"})


@dataclass(frozen=True)
class Link:
    """The concept of one value, and how it was matched."""

    value: str
    count: int
    concept: int | None
    reason: str  # how it was matched, or why not: see docs/ontologies/linking.md
    status: str
    dropped: str = ""  # words of the value that were ignored
    alternatives: tuple[int, ...] = ()  # other senses under the root
    suggestions: tuple[str, ...] = ()  # words or ids of concepts that the value may mean, by spelling or meaning
    relation: str = SAME  # `narrower`: the value is a kind of the concept, not the concept itself
    confidence: float = 1.0  # probability that the link is right


def link(
    values: Mapping[str, int] | Sequence[str],
    ontology: Scope | Taxonomy,
    *,
    senses: str = "coherent",
    language: str = "en",
    settled: Mapping[str, str] | None = None,
    narrower: Collection[str] = (),
    individuals: bool | None = None,
    suggest: bool = True,
    strict: bool = False,
    name: str = "",
    abbreviations: Mapping[str, Sequence[str]] | None = None,
    among: Mapping[str, Collection[int]] | None = None,
    together: Sequence[Collection[str]] = (),
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> list[Link]:
    """Link the values of a column, in their order.

    Args:
        values: the values, optionally with their counts.
        ontology: the ontology, or the part of it that values may mean.
        senses: how to choose among senses: `coherent`, `first` or `best-pair`.
        language: the language of the values; by default English, or the only language of the ontology.
        settled: the links a person decided, from value to id or word; an empty one leaves the value unmatched.
        narrower: the settled values that are a kind of their concept; the others are the same.
        individuals: whether values may mean named individuals; by default, if at least half of them do, and items of
            sets where nothing else has their name.
        suggest: whether to search for words spelled like unmatched values; only for the most frequent of many.
        strict: whether values may only mean concepts under the root; else these are preferred.
        name: the name of the column, which is evidence too.
        abbreviations: abbreviations with what they stand for, most likely first; they come before the built-in ones.
        among: for some values the concepts to choose from, if the value may mean any of them.
        together: sets of values that stand together, such as the items of one cell, which are evidence for one another.
        tick: called with the work done and its total.

    Returns:
        One link for each distinct value.

    Raises:
        OptionError: the strategy or language is unknown, or the ontology has no words of the language.
        LinksError: a settled concept is not in the ontology.

    >>> from allonym.ontology.wordnet import wordnet
    >>> people = wordnet(root="person")
    >>> [(x.value, people.taxonomy.ids[x.concept], x.reason, x.status) for x in link(["Plumbers", "carpenter"], people)]
    [('Plumbers', 'plumber.n.01', 'inflection', 'sure'), ('carpenter', 'carpenter.n.01', 'exact', 'sure')]
    """
    if senses not in STRATEGIES:
        raise OptionError.of("sense strategy", senses, STRATEGIES)
    scope = ontology if isinstance(ontology, Scope) else Scope(ontology, ontology.root)
    language = language_in(scope.taxonomy, language)
    counts = dict(values) if isinstance(values, Mapping) else Counter(values)
    decided = _settled(settled or {}, scope, language)
    open_values = [v for v in counts if v not in decided]
    in_context = senses == "coherent"
    finder = _finder(scope, language, abbreviations or {}, counts if in_context else (), strict)
    proposer = _proposer(finder)
    candidates: dict[str, list[Candidate]] = {}
    for done, value in enumerate(open_values):
        candidates[value] = finder.candidates(value, whole=proposer is not None)
        tick(done, 2 * len(open_values))
    names = Names(finder, counts) if individuals is None and together else None
    if individuals is None:
        individuals = mostly_individuals(candidates, decided, scope.taxonomy)
    allowed = scope.members if individuals else scope.members & ~scope.taxonomy.instances
    proposals = _proposals(proposer, candidates, finder, allowed) if proposer is not None else {}
    if not individuals:
        kept = partial(without_individuals, finder=finder) if names is None else names.candidates
        candidates = {v: kept(v, c) for v, c in candidates.items()}
    for value, concepts in (among or {}).items():
        candidates[value] = [x for x in candidates.get(value, []) if x.concept in concepts] or candidates.get(value, [])
    unmatched = [v for v, c in candidates.items() if not c and not _is_linked(proposals.get(v))]
    suggestions = _suggestions(unmatched, proposals, counts, finder, allowed, tick) if suggest else {}
    settled_concepts = {value: c for value, c in decided.items() if c is not None}
    choice = ColumnChoice(
        candidates, settled_concepts, finder, scope, in_context=in_context, name=name, together=together
    )
    calibrated = scope.taxonomy.details is not None  # elsewhere nobody has measured how often heads are right
    chosen = {
        value: _link(value, counts[value], x, candidates[value], calibrated) for value, x in choice.choices().items()
    }
    chosen |= _doubtful_names(chosen, names, scope.taxonomy)
    if proposer is not None:
        chosen |= _synonyms(chosen, candidates, proposer, finder, allowed)
    links = []
    for value, count in counts.items():
        if value in decided:
            links.append(_link_of_person(value, count, decided[value], NARROWER if value in narrower else SAME))
        elif value in chosen:
            links.append(chosen[value])
        elif _is_linked(proposals.get(value)):
            links.append(_link_of_proposal(value, count, proposals[value], scope.taxonomy))
        else:
            reason = finder.reason_unmatched[value]
            links.append(Link(value, count, None, reason, UNMATCHED, suggestions=tuple(suggestions.get(value, ()))))
    return links


def language_in(taxonomy: Taxonomy, language: str) -> str:
    """Return the language of the values: the one given, or the only one of the ontology.

    Raises:
        OptionError: the ontology has no words of the language.
    """
    language = taxonomy.lexicon.language(language)
    if not taxonomy.lexicon.has_words_in(language):
        languages = [name for name in taxonomy.lexicon.language_names if name]
        raise OptionError(f"{taxonomy.name} has no words in {language!r}.", hint=f"it has {first_few(languages)}.")
    return language


def _link_of_person(value: str, count: int, concept: int | None, relation: str) -> Link:
    """Return a link that a person decided."""
    return Link(value, count, concept, SETTLED, UNMATCHED if concept is None else SURE, relation=relation)


def _proposer(finder: CandidateFinder) -> Proposer | None:
    """Return what proposes concepts by similar labels, if the ontology has enough of them."""
    if not can_propose(finder.taxonomy, finder.language):
        return None
    return Proposer(finder.taxonomy, finder.matcher.language, finder.normaliser)


def _proposals(
    proposer: Proposer, candidates: dict[str, list[Candidate]], finder: CandidateFinder, allowed: NDArray[np.bool_]
) -> dict[str, Proposal]:
    """Propose concepts for values without candidates; others get candidates by their words."""
    unmatched = [v for v, c in candidates.items() if not c and finder.reason_unmatched[v] == "unknown"]
    proposals = proposer.propose(unmatched, allowed)
    for value in unmatched:
        proposal = proposals.get(value)
        if proposal is None or not _is_linked(proposal) or not proposal.features.words:  # or it may be misspelt
            candidates[value] = finder.candidates(value)
    return proposals


def _synonyms(
    chosen: Mapping[str, Link],
    candidates: Mapping[str, Sequence[Candidate]],
    proposer: Proposer,
    finder: CandidateFinder,
    allowed: NDArray[np.bool_],
) -> dict[str, Link]:
    """Return other links for synonyms that several concepts have, or may mean.

    Such a synonym is a kind of the common group of these concepts, if they have one. It is never sure, unless it is the
    label of a concept.
    """
    synonyms = {
        value: x.concept
        for value, x in chosen.items()
        if x.concept is not None
        and x.reason in REASONS_OF_SYNONYM
        and not finder.is_label(candidates[value], x.concept)
    }
    one = {
        value: (candidates[value][0].match.form, concept)
        for value, concept in synonyms.items()
        if len(candidates[value]) == 1 and chosen[value].status == SURE
    }
    found = {}
    for value, others in proposer.doubted(one, allowed).items():
        link = replace(chosen[value], alternatives=others, confidence=MIN_SURE)
        found[value] = _of_group(link, [synonyms[value], *others], proposer.group_of_words(one[value][0]))
    for value in synonyms:
        meant = [x.concept for x in candidates[value]]
        if len(meant) > 1 and chosen[value].confidence < MIN_SURE_PARTIAL:
            found[value] = _of_group(chosen[value], meant, proposer.common_group(meant))
    return found


def _of_group(link: Link, meant: Sequence[int], group: int | None) -> Link:
    """Return the link, to review, of a value that may mean several concepts: to their group, if they have one."""
    if group is not None and group not in meant:
        link = replace(link, concept=group, alternatives=tuple(meant), relation=NARROWER)
    return replace(link, status=REVIEW)


def _is_linked(proposal: Proposal | None) -> bool:
    return proposal is not None and proposal.confidence >= MIN_CONFIDENCE


def _suggestions(
    unmatched: Sequence[str],
    proposals: Mapping[str, Proposal],
    counts: Mapping[str, int],
    finder: CandidateFinder,
    allowed: NDArray[np.bool_],
    tick: Callable[[int, int], None],
) -> dict[str, Sequence[str]]:
    """Return the names of proposals for unmatched values; for the most frequent of the others, similar words."""
    found: dict[str, Sequence[str]] = {
        value: names_of(finder.taxonomy, [proposal.concept, *proposal.alternatives], finder.language)
        for value in unmatched
        if (proposal := proposals.get(value)) is not None
    }
    others = sorted((v for v in unmatched if v not in found), key=lambda v: -counts[v])[:MAX_SUGGESTED]
    total = 2 * len(counts)
    first_tick = total - len(others)
    similar = similar_words(finder.lexicon, others, allowed, lambda n: tick(first_tick + n, total), finder.language)
    return found | dict(zip(others, similar, strict=True))


def _link_of_proposal(value: str, count: int, proposal: Proposal, taxonomy: Taxonomy) -> Link:
    """Return the link of a value to a concept that similar labels propose: the value is a kind of it."""
    least = MIN_SURE_NEAREST if proposal.features.words >= MIN_WORDS else MIN_SURE_UNCOVERED
    is_sure = proposal.confidence >= least and not proposal.is_guess
    is_sure = is_sure and not taxonomy.instances[proposal.concept]
    return Link(
        value, count, proposal.concept, NEAREST, SURE if is_sure else REVIEW, proposal.dropped, proposal.alternatives,
        relation=NARROWER, confidence=proposal.confidence,
    )  # fmt: skip


def _link(value: str, count: int, choice: Choice, candidates: Sequence[Candidate], calibrated: bool) -> Link:
    """Return the link of a value."""
    best, match = choice.best, choice.best.match
    later_expansion = match.reason == "abbreviation" and match.penalty > 0
    relation = SAME if match.reason in REASONS_OF_SAME and not later_expansion else NARROWER
    certainty = confidence(choice.features)
    partial = match.reason in PARTIAL
    is_sure = certainty >= (MIN_SURE_PARTIAL if partial else MIN_SURE) and (calibrated or not partial)
    is_sure = is_sure and not later_expansion and not _is_doubtful(value, match)
    is_sure = is_sure and not (calibrated and is_number(value))
    if match.reason in ("id", "notation", FINER_CODE):
        is_sure, certainty = len(candidates) == 1, 1.0 if len(candidates) == 1 else certainty
    others = tuple(x.concept for x in candidates if x.concept != best.concept)
    return Link(
        value, count, best.concept, match.reason, SURE if is_sure else REVIEW, match.dropped, others,
        relation=relation, confidence=certainty,
    )  # fmt: skip


def _doubtful_names(links: Mapping[str, Link], names: Names | None, taxonomy: Taxonomy) -> dict[str, Link]:
    """Return, to review, links of items that may be names of others, and of names that the ontology has a part of."""
    return {
        value: replace(x, status=REVIEW)
        for value, x in links.items()
        if names is not None and x.concept is not None
        if is_one_name_of_a_person(value, x.concept, taxonomy) or names.is_unknown_name(value, x.reason)
    }


def _is_doubtful(value: str, match: Match) -> bool:
    """Tell whether a link needs review whatever its confidence: weak matches, first words and codes."""
    return match.reason in NEVER_SURE or match.first or may_be_code(value) or may_be_code(match.form)


def is_number(value: str) -> bool:
    """Tell whether a value is a number or a range: 12, 3rd, 5th-6th, 10+.

    >>> is_number("5th-6th"), is_number("3rd floor"), is_number("first")
    (True, False, False)
    """
    return _NUMBER.fullmatch(value.strip().casefold()) is not None


def _finder(
    scope: Scope, language: str, abbreviations: Mapping[str, Sequence[str]], column: Collection[str], strict: bool
) -> CandidateFinder:
    matcher = Matcher.of(scope.taxonomy.lexicon, language_of(language))
    normaliser = Normaliser.of(matcher.lexicon, matcher.language, abbreviations, column)
    return CandidateFinder(scope, matcher, normaliser, column, strict=strict)


def may_be_code(value: str) -> bool:
    """Tell whether a word is so short that it may be a code; words of Chinese characters are short.

    >>> may_be_code("m"), may_be_code("man"), may_be_code("12"), may_be_code("法国")
    (True, False, False, False)
    """
    return len(value.strip()) <= MAX_CODE_LETTERS and any(x.isalpha() and x < CHINESE for x in value)


def _settled(settled: Mapping[str, str], scope: Scope, language: str) -> dict[str, int | None]:
    """Resolve settled links: an id anywhere in the ontology, a word among its senses under the root.

    One error names all unknown concepts.
    """
    decided: dict[str, int | None] = {}
    unknown = []
    for value, name in settled.items():
        concept = scope.taxonomy.find(name)
        senses = [c for c in scope.taxonomy.senses(name, language) if c in scope]
        if not name:
            decided[value] = None
        elif concept is not None or senses:
            decided[value] = senses[0] if concept is None else concept
        else:
            unknown.append(name)
    if unknown:
        raise LinksError(
            f"{len(unknown):,} settled concepts are not in {scope.name}: {first_few(map(repr, unknown))}.",
            hint="write an id (dog.n.01), a word (its first sense) or dog#2.",
            values=unknown,
        )
    return decided
