"""Choose one concept for each value of a column, with the probability that it is right."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import TYPE_CHECKING

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.ontology.linking.candidates import PARTIAL, Candidate, CandidateFinder
from allonym.ontology.linking.confidence import Features, log_odds
from allonym.ontology.linking.glosses import GlossEvidence
from allonym.ontology.linking.match import Match
from allonym.ontology.linking.senses import Column, Senses, sizes_of
from allonym.ontology.scope import Scope

if TYPE_CHECKING:
    from allonym.ontology.linking.together import Together

GLOSS_WEIGHT = 10.0
USUAL_NEIGHBOUR = 0.9  # similarity to the nearest values, where there are none to compare with
MAX_DOUBT_IF_AGREES = 0.4  # that a word is a noun, if the noun names what the adjective says


@dataclass(frozen=True)
class Choice:
    """The chosen candidate of a value, and what is known about it."""

    best: Candidate
    features: Features


class ColumnChoice:
    """The candidates of all values of a column, chosen together.

    Values with the same candidates are one word. Words that match the same form are a family: they say nothing of one
    another.

    Args:
        candidates: the candidates of each value; values without any are left out.
        settled: the concepts that a person chose for other values.
        finder: where the candidates come from.
        scope: the ontology.
        in_context: whether values of the column influence one another.
        name: the name of the column.
        together: sets of values that stand together; then the other words of a phrase are evidence, too. They count in
            an ontology with glosses.
    """

    def __init__(
        self,
        candidates: Mapping[str, Sequence[Candidate]],
        settled: Mapping[str, int],
        finder: CandidateFinder,
        scope: Scope,
        *,
        in_context: bool,
        name: str = "",
        together: Sequence[Collection[str]] = (),
    ) -> None:
        self.finder, self.scope, self.in_context, self.name = finder, scope, in_context, name
        explained = in_context and scope.taxonomy.details is not None
        self.settled, self.together = settled, together if explained else ()
        self.values: dict[tuple[Candidate, ...], list[str]] = {}
        for value, each in candidates.items():
            if each:
                self.values.setdefault(tuple(each), []).append(value)
        concepts = sorted(set(settled.values()))
        self.words = [*self.values, *((Candidate(c, 0.0, Match("", "settled")),) for c in concepts)]
        self.counted = len(self.words)
        self.words += self._modifiers if self.together else []

    @cached_property
    def _modifiers(self) -> dict[tuple[Candidate, ...], list[int]]:
        """The words that phrases have beside their heads, each with the numbers of the words that it belongs to."""
        found: dict[tuple[Candidate, ...], list[int]] = {}
        for number, word in enumerate(self.values):
            for modifier in self.finder.modifiers(word[0].match.dropped):
                found.setdefault(tuple(modifier), []).append(number)
        return found

    def _beside(self) -> Together:
        """Return the evidence of values that stand together, and of the other words of phrases."""
        from allonym.ontology.linking.together import Together, Words

        qualified = [(head, self.counted + i) for i, heads in enumerate(self._modifiers.values()) for head in heads]
        qualifiers: dict[int, list[int]] = {}
        for head, modifier in qualified:
            qualifiers.setdefault(head, []).append(modifier)
        numbers = {
            value: [i, *qualifiers.get(i, ())] for i, values in enumerate(self.values.values()) for value in values
        }
        place = {word[0].concept: i for i, word in enumerate(self.words[: self.counted]) if i >= len(self.values)}
        numbers |= {value: [place[concept]] for value, concept in self.settled.items()}
        sets = ([i for x in values for i in numbers.get(x, ())] for values in self.together)
        weak = np.array([self._is_weak(x) for word in self.words for x in word], bool)
        words = Words(self._starts, self._concepts, _numbered(self._forms), weak)
        return Together(self.scope.taxonomy, words, sets, [*qualified, *((b, a) for a, b in qualified)])

    def _is_weak(self, candidate: Candidate) -> bool:
        """Tell whether a candidate is no noun of its form, or not the head of its phrase."""
        match = candidate.match
        return match.first or (match.derived and candidate.concept not in self.finder.lexicon.senses(match.form))

    @cached_property
    def _starts(self) -> Ints:
        return np.cumsum([0, *map(len, self.words)])

    @cached_property
    def _concepts(self) -> Ints:
        return np.array([x.concept for word in self.words for x in word], np.int64)

    @cached_property
    def _forms(self) -> list[str]:
        """The matched form of each word; settled ones have forms of their own."""
        return [word[0].match.form or f" {place}" for place, word in enumerate(self.words)]

    @cached_property
    def _family(self) -> Ints:
        """The family of each word; modifiers are of no family of the column."""
        return _numbered([*self._forms[: self.counted], *(f" {x}" for x in self._forms[self.counted :])])

    @cached_property
    def _column(self) -> Column:
        weights: Floats = np.array([x.weight for word in self.words for x in word], np.float64)
        details = self.scope.taxonomy.details
        if self.in_context and details is not None:
            words = self.words[: self.counted]
            starts, family = self._starts[: self.counted + 1], self._family[: self.counted]
            texts = [" ".join(self.values.get(word, ())) for word in words]
            forms = [word[0].match.form for word in words]
            glosses = GlossEvidence(details, starts, self._concepts[: starts[-1]], family, texts, forms, self.name)
            weights[: starts[-1]] += GLOSS_WEIGHT * glosses.weights(weights[: starts[-1]])
        together = self._beside() if self.together else None
        taxonomy, words_in_column = self.scope.taxonomy, self.counted
        return Column(taxonomy, self._starts, self._concepts, weights, self._family, words_in_column, together)

    def choices(self) -> dict[str, Choice]:
        """Return the choice for every value that has candidates."""
        if not self.values:
            return {}
        senses: Senses = self._column.senses() if self.in_context else self._column.without_context()
        apart = self._column.senses(together=False) if self.together else senses
        alone = not self.in_context or self._column.families < 2
        neighbours = np.full(len(self.words), USUAL_NEIGHBOUR) if alone else self._column.neighbours(senses.probability)
        sizes = sizes_of(self.scope.taxonomy)
        chosen = {}
        for place, (word, values) in enumerate(self.values.items()):
            probability = senses.probability[self._starts[place] : self._starts[place + 1]]
            at = int(np.argmax(probability))
            best = word[at]
            doubt, near = self._doubt_of_noun(best.match), float(neighbours[place])
            without = float(apart.probability[self._starts[place] + at])
            features = Features(
                log_odds=min(log_odds(float(probability[at])), log_odds(without)),
                not_noun=doubt,
                neighbour=near,
                out_of_place=doubt * (1 - near),
                derived=float(best.match.derived),
                general_head=log(sizes[best.concept]) * float(best.match.reason in PARTIAL),
            )
            chosen.update(dict.fromkeys(values, Choice(best, features)))
        return chosen

    def _doubt_of_noun(self, match: Match) -> float:
        """Return how much oftener the matched word is no noun, as a logarithm."""
        if match.derived:
            return 0.0
        doubt = -log(self.finder.noun_share(match.form))
        return min(doubt / 2, MAX_DOUBT_IF_AGREES) if match.agrees else doubt


def _numbered(texts: Sequence[str]) -> Ints:
    """Return the number of each text, equal ones having the same."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)
