"""Propose concepts for values that match no label, by the labels that are most like them.

For ontologies without the details of WordNet: classifications and terminologies that name a concept in many ways.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from allonym.ontology.lexicon import key
from allonym.ontology.linking.confidence import LabelFeatures, confidence_of_label, log_odds
from allonym.ontology.linking.languages import Language
from allonym.ontology.linking.readings.negation import has_negation, is_residual, words_of
from allonym.ontology.linking.readings.normalise import Normaliser
from allonym.ontology.linking.senses import sizes_of
from allonym.ontology.linking.similar_labels.nearest import NUMERAL, Candidates, NearestConcepts
from allonym.ontology.linking.similar_labels.ngrams import MAX_LABELS
from allonym.ontology.linking.similar_labels.votes import MAJORITY, Votes, count_votes, is_group
from allonym.ontology.taxonomy import Taxonomy

MIN_LABELS = 1_000  # of an ontology: with fewer, the weights of n-grams say little
MIN_LETTERS = 3  # of a word of a value that is compared with labels
MAX_ACRONYM = 5  # letters of a single word in capitals that is no word to compare
MAX_EXPANSIONS = 2  # readings of a value with abbreviations written out, or turned round
MAX_ALTERNATIVES = 4
MAX_BEHIND = 0.1  # how much less similar than others the other labels of a synonym's group may be
ALL_WORDS = 0.999  # share of the words of a synonym
MAX_WIDE = 0.1  # share of the concepts that a group of a synonym in doubt may have
MAX_COMMON = 0.01  # share of the concepts that have a word which alone means one of them
MIN_RIVAL = 0.6  # similarity of a label that casts doubt on a synonym
MIN_CONFIDENCE = 0.2  # of a proposal; with less, it is a suggestion for an unmatched value
REWRITTEN = frozenset({"abbreviation", "prefix", "inverted"})  # steps of readings
_BRACKETS = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")
_WORD = re.compile(rf"[^\W\d_]{{{MIN_LETTERS},}}")


@dataclass(frozen=True)
class Proposal:
    """The concept proposed for a value."""

    concept: int
    label: str  # the most similar label at or below it
    dropped: str  # the words of the value that no label of the concept has
    alternatives: tuple[int, ...]
    features: LabelFeatures
    confidence: float
    is_guess: bool = False  # the value was rewritten, or is one word of a longer label: never sure


def can_propose(taxonomy: Taxonomy, language: str) -> bool:
    """Tell whether concepts of an ontology are proposed by their labels: many labels, no proper names, no dictionary.

    Dictionaries know how often a word has each sense. A word that they lack means none of the words like it.
    """
    if taxonomy.details is not None or taxonomy.proper_names or taxonomy.lexicon.has_counts:
        return False
    counted: dict[str, int] = taxonomy.lexicon.cache.setdefault("numbers of labels", {})
    if language not in counted:
        counted[language] = len(taxonomy.lexicon.words_in(language))
    return MIN_LABELS <= counted[language] <= MAX_LABELS


def is_comparable(value: str, language: Language) -> bool:
    """Tell whether a value has words to compare: no code, no acronym, no negation, and nothing residual.

    >>> from allonym.ontology.linking.languages import language
    >>> [is_comparable(value, language("en")) for value in ("bus driver", "CVID9", "NSX", "no pain", "other")]
    [True, False, False, False, False]
    """
    words = words_of(value)
    if len(words) == 1 and (any(map(str.isdigit, value)) or (value.isupper() and len(words[0]) <= MAX_ACRONYM)):
        return False
    if not (_WORD.search(value) or not value.isascii()) or has_negation(words, language):
        return False
    return not is_residual(value, language)


def _without_brackets(value: str) -> str:
    """Return the key of a value without what is in brackets, which qualifies the rest.

    >>> _without_brackets("Acute sinusitis (disorder)"), _without_brackets("(none)")
    ('acute sinusitis', '(none)')
    """
    return key(rest if _WORD.search(rest := _BRACKETS.sub(" ", value)) else value)


class Proposer:
    """Proposes concepts of one ontology for values in one language."""

    def __init__(self, taxonomy: Taxonomy, language: Language, normaliser: Normaliser) -> None:
        self.taxonomy, self.language, self.normaliser = taxonomy, language, normaliser
        self._families: dict[int, frozenset[int]] = {}

    @cached_property
    def nearest(self) -> NearestConcepts:
        """The labels of the ontology, indexed when the first value is compared with them."""
        return NearestConcepts.of(self.taxonomy, self.language)

    def propose(self, values: Sequence[str], allowed: NDArray[np.bool_]) -> dict[str, Proposal]:
        """Return proposals for values; values that nothing is like have none.

        Args:
            values: the values.
            allowed: for every concept, whether it may be proposed.
        """
        comparable = [value for value in values if is_comparable(value, self.language)]
        texts: list[str] = []
        owners: list[str] = []
        for value in comparable:
            readings = [_without_brackets(value), *self._rewritten(value)]
            texts += readings
            owners += [value] * len(readings)
        if not texts:
            return {}
        candidates = self.nearest.candidates(texts, allowed & is_group(self.taxonomy))
        votes = count_votes(self.taxonomy, candidates)
        proposals: dict[str, Proposal] = {}
        for row, value in enumerate(owners):
            if votes.chosen[row] >= 0:
                proposal = self._proposal(texts[row], row, candidates, votes)
                if texts[row] != _without_brackets(value):
                    proposal = replace(proposal, is_guess=True)
                if value not in proposals or proposal.confidence > proposals[value].confidence:
                    proposals[value] = proposal
        return proposals

    def doubted(
        self, synonyms: Mapping[str, tuple[str, int]], allowed: NDArray[np.bool_]
    ) -> dict[str, tuple[int, ...]]:
        """Return the values whose synonym may mean another concept as well, with such concepts.

        A synonym is in doubt if labels of concepts outside its group have all its words, or are more similar to it
        than all other labels of its group: "supervisor" is an operator of refineries, and much else. A part of the
        label of its concept is not ("hypertension" is primary hypertension), unless it is a word of many concepts
        ("driver" may be other than a hearse driver). Neither is a synonym with numerals.

        Args:
            synonyms: the values that are a synonym, with this and its concept.
            allowed: for every concept, whether it may be meant.
        """
        values = [value for value, synonym in synonyms.items() if not self._is_part_of_label(*synonym)]
        if not values:
            return {}
        found = self.nearest.candidates([synonyms[value][0] for value in values], allowed, others=True)
        doubted = {}
        for row, value in enumerate(values):
            part = slice(found.starts[row], found.starts[row + 1])
            near, best = found.concepts[part], found.best[part]
            concept = synonyms[value][1]
            family = self._family(concept)
            kin = np.array([not family.isdisjoint(self._family(c)) for c in near.tolist()], bool)
            if not self.taxonomy.is_leaf[concept]:
                kin |= np.isin(near, self.taxonomy.descendants(concept))  # a kind of the concept is no rival
            most = float(best[kin].max(initial=0))
            rivals = ~kin & (best >= MIN_RIVAL) & ((best > most + MAX_BEHIND) | (found.words[part] >= ALL_WORDS))
            if rivals.any():
                order = np.argsort(-best[rivals], kind="stable")
                doubted[value] = tuple(near[rivals][order][:MAX_ALTERNATIVES].tolist())
        return doubted

    def _is_part_of_label(self, synonym: str, concept: int) -> bool:
        """Tell whether a synonym has a numeral, or only words of the label of a concept that are not all common."""
        tokeniser = self.nearest.index.tokeniser
        words = tokeniser.words(key(synonym))
        label = next(iter(self.taxonomy.lexicon.terms(concept, self.language.code)), "")
        stems = set(tokeniser.stems(words))
        if any(map(NUMERAL.fullmatch, words)):
            return True
        most = MAX_COMMON * len(self.taxonomy)
        is_common = all(len(self.nearest.concepts_with(stem)) > most for stem in stems)
        return stems <= set(tokeniser.stems(tokeniser.words(key(label)))) and not is_common

    def _family(self, concept: int) -> frozenset[int]:
        """Return a concept and its parents; concepts with a common member are in one group."""
        if concept not in self._families:
            self._families[concept] = frozenset([concept, *self.taxonomy.parents_of(concept).tolist()])
        return self._families[concept]

    def group_of_words(self, text: str) -> int | None:
        """Return the narrowest group of most of the concepts whose labels have all words of a text.

        The group is no large part of the ontology: drivers are mostly in one, supervisors everywhere.
        """
        tokeniser = self.nearest.index.tokeniser
        having = [self.nearest.concepts_with(stem) for stem in set(tokeniser.stems(tokeniser.words(key(text))))]
        meant = reduce(np.intersect1d, having) if having else np.empty(0, np.int64)
        above = self.taxonomy.closure(meant)[1]
        votes, sizes = np.bincount(above, minlength=len(self.taxonomy)), sizes_of(self.taxonomy)
        groups = np.flatnonzero((votes >= MAJORITY * max(len(meant), 1)) & (sizes <= MAX_WIDE * len(self.taxonomy)))
        return int(groups[np.argmin(sizes[groups])]) if groups.size and len(meant) > 1 else None

    def common_group(self, concepts: Sequence[int]) -> int | None:
        """Return the narrowest group that several concepts are in, unless it is a large part of the ontology."""
        above = [self.taxonomy.subsumers(c).tolist() for c in concepts]
        shared = [c for c in above[0] if all(c in others for others in above[1:])]
        groups = [c for c in shared if is_group(self.taxonomy)[c]]
        return max(groups, key=lambda c: (int(self.taxonomy.depth[c]), -c), default=None)

    def _rewritten(self, value: str) -> list[str]:
        """Return readings of a value with abbreviations written out, or turned round."""
        readings = self.normaliser.whole_readings(value)
        return [x.text for x in readings if not x.dropped and not x.part and not REWRITTEN.isdisjoint(x.steps)][
            :MAX_EXPANSIONS
        ]

    def _proposal(self, text: str, row: int, candidates: Candidates, votes: Votes) -> Proposal:
        best, chosen = int(votes.candidate[row]), int(votes.chosen[row])
        features = LabelFeatures(
            votes=log_odds(float(votes.votes[row])),
            best=float(candidates.best[best]),
            mean=float(candidates.mean[best]),
            words=float(candidates.words[best]),
            covered=float(candidates.covered[best]),
            group=float(chosen != candidates.concepts[best]),
        )
        part = slice(candidates.starts[row], candidates.starts[row + 1])
        order = np.argsort(-votes.probability[part], kind="stable")
        others = [c for c in candidates.concepts[part][order].tolist() if c != chosen][:MAX_ALTERNATIVES]
        label = self.nearest.index.texts[int(candidates.label[best])]
        of_label = set(words_of(label))
        dropped = " ".join([word for word in words_of(text) if word not in of_label])
        is_guess = " " not in text and features.covered < ALL_WORDS
        return Proposal(chosen, label, dropped, tuple(others), features, confidence_of_label(features), is_guess)
