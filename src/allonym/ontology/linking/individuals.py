"""Whether values mean named individuals: Paris, Beethoven, the Mediterranean.

By default the values of a column mean individuals if at least half of them do, as countries do; else none does, or
"farmer" would be Fannie Farmer. Items of sets, such as queries, are of both sorts. There, a name is kept where hardly
anything else has it: every other sense of the text is written with a capital letter, too, or is rare (a berlin is a
carriage). If the text is a common noun (turkey, crane, rice), it is that, unless it is written with a capital letter
among items that are not; one capital letter makes no person of a noun (Rice, Bush).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import exp

from allonym.ontology.linking.candidates import PARTIAL, Candidate, CandidateFinder
from allonym.ontology.linking.codes.index import CODE_REASONS
from allonym.ontology.linking.readings.negation import words_of
from allonym.ontology.taxonomy import Taxonomy

WHOLE = frozenset({"exact", "spelling", "inverted"})  # reasons by which a text may be a name
NOUN = WHOLE | {"inflection"}  # and a common noun
RARE = 0.1  # share of the senses of a text that are common nouns, below which it is a name
PERSON = "person.n.01"  # whose individuals one word does not name


def mostly_individuals(
    candidates: Mapping[str, Sequence[Candidate]], decided: Mapping[str, int | None], taxonomy: Taxonomy
) -> bool:
    """Tell whether at least half of the values mean individuals, by their settled or most likely sense."""
    concepts = [c[0].concept for c in candidates.values() if c]
    concepts += [c for c in decided.values() if c is not None]
    return int(taxonomy.instances[concepts].sum()) * 2 >= max(len(concepts), 1)


def without_individuals(value: str, candidates: list[Candidate], finder: CandidateFinder) -> list[Candidate]:
    """Return the candidates of a value that are classes, and those that it has by a code."""
    instances = finder.taxonomy.instances
    classes = [x for x in candidates if x.match.reason in CODE_REASONS or not instances[x.concept]]
    if candidates and not classes:
        finder.reason_unmatched[value] = "individual"
    return classes


class Names:
    """Decides which items of sets are names of individuals.

    Args:
        finder: where candidates come from.
        values: the values of the column.
    """

    def __init__(self, finder: CandidateFinder, values: Collection[str]) -> None:
        self.finder = finder
        initials = [text[0] for value in values if (text := value.strip()) and text[0].isalpha()]
        self._capitals_count = sum(x.islower() for x in initials) * 2 >= len(initials)

    def candidates(self, value: str, candidates: list[Candidate]) -> list[Candidate]:
        """Return the candidates of a value that count: names, classes, or both."""
        taxonomy = self.finder.taxonomy
        classes = without_individuals(value, candidates, self.finder)
        names = [x for x in candidates if taxonomy.instances[x.concept] and x.match.reason in WHOLE]
        common = [x for x in classes if x.match.reason in NOUN and not self._is_capitalised(x)]
        if common and _share(common, names) >= RARE:
            if not self._is_capital(value):
                return classes
            names = [x for x in names if not is_one_name_of_a_person(value, x.concept, taxonomy)]
        if not names:
            return classes
        kept = {x.concept for x in (*names, *(x for x in classes if x not in common))}
        return [x for x in candidates if x.concept in kept]

    def is_unknown_name(self, value: str, reason: str) -> bool:
        """Tell whether a value is a name of several words, of which the ontology has a part only: Harry Potter."""
        words = value.split()
        capital = all(word[:1].isupper() and word[1:].islower() for word in words)
        return reason in PARTIAL and len(words) > 1 and capital and self._is_capital(value)

    def _is_capitalised(self, candidate: Candidate) -> bool:
        """Tell whether the ontology writes the noun of a candidate with a capital letter only."""
        forms = self.finder.spellings(candidate)
        return bool(forms) and all(form != form.lower() for form in forms)

    def _is_capital(self, value: str) -> bool:
        """Tell whether a value is written with a capital letter, as most values of the column are not."""
        return self._capitals_count and value.strip()[:1].isupper()


def _share(some: Sequence[Candidate], others: Sequence[Candidate]) -> float:
    """Return how likely some candidates are, against others."""
    own = sum(exp(x.weight) for x in some)
    return own / (own + sum(exp(x.weight) for x in others))


def is_one_name_of_a_person(value: str, concept: int, taxonomy: Taxonomy) -> bool:
    """Tell whether one word names a person: others have the name, too."""
    person = taxonomy.find(PERSON)
    if person is None or not taxonomy.instances[concept] or len(words_of(value)) > 1:
        return False
    return person in taxonomy.above([concept])
