"""The senses that each value of a hierarchy may have, before its place in the hierarchy is considered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.linking.link import SETTLED, Link, link, may_be_code
from allonym.ontology.scope import Scope

EVERYTHING = "*"  # the top value of ARX's hierarchies: the value is suppressed
WORD_REASONS = ("exact", "spelling", "inflection")  # matches of a whole value
CERTAIN_REASONS = (SETTLED, "id", "notation", *WORD_REASONS)


@dataclass(frozen=True)
class Candidates:
    """The senses of the values of a hierarchy.

    `first` has the link of every value but `*`, with the first sense that it has. `senses` lists the concepts of the
    whole value; `nouns` those that an adjective, adverb or verb leads to, where the ontology has no concept for it.
    """

    scope: Scope
    language: str
    settled: Mapping[str, str]
    first: Mapping[str, Link]

    @cached_property
    def senses(self) -> dict[str, list[int]]:
        """The concepts that each value as a whole may mean, most frequent first."""
        return {
            value: [x.concept, *x.alternatives] if x.concept is not None and is_whole(x) else []
            for value, x in self.first.items()
        }

    @cached_property
    def nouns(self) -> dict[str, list[int]]:
        """The nouns of the values that are adjectives, adverbs or verbs only, likeliest first."""
        details = self.scope.taxonomy.details
        if details is None or self.language != "en":
            return {}
        without = [value for value, senses in self.senses.items() if not senses]
        found = {
            value: [x.concept for x in details.nouns_of(value) if x.pointer != "antonym" and x.concept in self.scope]
            for value in without
        }
        return {value: concepts for value, concepts in found.items() if concepts}

    def whole(self, value: str) -> list[int]:
        """Return the senses of a value as a whole, else the nouns it leads to."""
        return self.senses[value] or self.nouns.get(value, [])

    def possible(self, value: str) -> Sequence[int]:
        """Return the senses of a value, else the nouns it leads to, else concepts of parts of it."""
        x = self.first[value]
        return self.whole(value) or ([] if x.concept is None else [x.concept, *x.alternatives])

    def under(self, value: str, above: Sequence[str], below: Sequence[str] = ()) -> list[int]:
        """Return the senses of a value that lie under senses of the most values above it; none, if these do not decide.

        Of senses under equally many values, those under the lower ones count.

        Args:
            value: the value.
            above: its ancestors in the hierarchy, from the lowest up.
            below: leaves of the value; a sense above a sense of some of them counts as one more.
        """
        subsumers = self.scope.taxonomy.subsumers
        senses = self.possible(value)
        over = [set(self.whole(x)) for x in dict.fromkeys(above) if x != value and x in self.first]
        lower = {int(c) for x in below for sense in self.whole(x) for c in subsumers(sense)}
        keys = {}
        for sense in senses:
            own = set(subsumers(sense).tolist())
            under = [bool(x & own) for x in over]
            keys[sense] = (sum(under) + (sense in lower), under)
        if not keys or max(keys.values()) == min(keys.values()):
            return []
        return [sense for sense in senses if keys[sense] == max(keys.values())]

    def is_settled(self, value: str) -> bool:
        """Tell whether a person gave the value a concept."""
        return self.first[value].reason == SETTLED and self.first[value].concept is not None


def candidates_of(hierarchy: Hierarchy, scope: Scope, settled: Mapping[str, str], language: str) -> Candidates:
    """Find the senses of all values of a hierarchy, as one column, so that countries stay countries."""
    above = [value for value in hierarchy.leaves_of if value != EVERYTHING or value in settled]
    values = list(dict.fromkeys([*hierarchy.leaves, *above]))
    own = {value: settled[value] for value in values if value in settled}
    links = link(values, scope, senses="first", settled=own, language=language)
    return Candidates(scope, language, own, {x.value: x for x in links if x.value in values})


def is_whole(x: Link) -> bool:
    """Tell whether a link is by the whole value, of which no word was dropped."""
    return x.reason in CERTAIN_REASONS and not (x.reason in WORD_REASONS and may_be_code(x.value))


def part_of_speech(value: str, scope: Scope) -> str:
    """Return what a word is that is no noun: adjective, verb or adverb; empty, if it is a noun or unknown.

    >>> from allonym.ontology.wordnet import wordnet
    >>> part_of_speech("warm-blooded", wordnet()), part_of_speech("eat", wordnet()), part_of_speech("dog", wordnet())
    ('adjective', 'verb', '')
    """
    details = scope.taxonomy.details
    if details is None or scope.taxonomy.senses(value):
        return ""
    senses = details.senses_of(value)
    return {"a": "adjective", "v": "verb", "r": "adverb"}[senses[0].part_of_speech] if senses else ""
