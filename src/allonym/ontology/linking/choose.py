"""Choose one concept for each value of a column, with the probability that it is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from allonym.arrays import Floats, Ints
from allonym.ontology.linking.candidates import PARTIAL, Candidate, CandidateFinder
from allonym.ontology.linking.confidence import Features, log_odds
from allonym.ontology.linking.glosses import GlossEvidence
from allonym.ontology.linking.match import Match
from allonym.ontology.linking.senses import Column, Senses, sizes_of
from allonym.ontology.scope import Scope

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
    """

    def __init__(
        self,
        candidates: Mapping[str, Sequence[Candidate]],
        settled: Sequence[int],
        finder: CandidateFinder,
        scope: Scope,
        *,
        in_context: bool,
        name: str = "",
    ) -> None:
        self.finder, self.scope, self.in_context, self.name = finder, scope, in_context, name
        self.values: dict[tuple[Candidate, ...], list[str]] = {}
        for value, each in candidates.items():
            if each:
                self.values.setdefault(tuple(each), []).append(value)
        self.words = [*self.values, *((Candidate(c, 0.0, Match("", "settled")),) for c in sorted(set(settled)))]

    @cached_property
    def _starts(self) -> Ints:
        return np.cumsum([0, *map(len, self.words)])

    @cached_property
    def _concepts(self) -> Ints:
        return np.array([x.concept for word in self.words for x in word], np.int64)

    @cached_property
    def _family(self) -> Ints:
        numbers: dict[str, int] = {}
        forms = [word[0].match.form or f" {place}" for place, word in enumerate(self.words)]
        return np.array([numbers.setdefault(form, len(numbers)) for form in forms], np.int64)

    @cached_property
    def _column(self) -> Column:
        weights: Floats = np.array([x.weight for word in self.words for x in word], np.float64)
        details = self.scope.taxonomy.details
        if self.in_context and details is not None:
            texts = [" ".join(self.values.get(word, ())) for word in self.words]
            forms = [word[0].match.form for word in self.words]
            glosses = GlossEvidence(details, self._starts, self._concepts, self._family, texts, forms, self.name)
            weights = weights + GLOSS_WEIGHT * glosses.weights(weights)
        return Column(self.scope.taxonomy, self._starts, self._concepts, weights, self._family)

    def choices(self) -> dict[str, Choice]:
        """Return the choice for every value that has candidates."""
        if not self.values:
            return {}
        senses: Senses = self._column.senses() if self.in_context else self._column.without_context()
        alone = not self.in_context or self._column.families < 2
        neighbours = np.full(len(self.words), USUAL_NEIGHBOUR) if alone else self._column.neighbours(senses.probability)
        sizes = sizes_of(self.scope.taxonomy)
        chosen = {}
        for place, (word, values) in enumerate(self.values.items()):
            probability = senses.probability[self._starts[place] : self._starts[place + 1]]
            at = int(np.argmax(probability))
            best = word[at]
            doubt, near = self._doubt_of_noun(best.match), float(neighbours[place])
            features = Features(
                log_odds=log_odds(float(probability[at])),
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
