"""The concepts that a value may mean, before the rest of the column is considered.

Each candidate has a logarithmic weight: the share of the sense among the senses of its form, less what the way of
matching costs. `COST` was chosen on labelled columns (benchmarks/linking_quality.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import exp, log
from typing import NamedTuple

import numpy as np

from allonym.ontology.details import Derivation
from allonym.ontology.lexicon import key
from allonym.ontology.linking.codes.index import CodeIndex
from allonym.ontology.linking.match import Match, Matcher
from allonym.ontology.linking.readings.labels import leaves_open
from allonym.ontology.linking.readings.negation import is_residual, words_of
from allonym.ontology.linking.readings.normalise import Normaliser
from allonym.ontology.linking.spelling import Spelling
from allonym.ontology.scope import Scope

COST = {
    "exact": 0.0, "spelling": 0.2, "inflection": 0.3, "inverted": 0.7, "abbreviation": 1.0, "derived": 2.0, "part": 2.0,
    "head": 2.0, "stem": 3.0, "longer": 1.0, "similar": 1.0,
}  # fmt: skip
PARTIAL = frozenset({"part", "head", "stem"})  # reasons that leave words out
UNSEEN = 0.5  # occurrences assumed of a sense that the tagged corpus lacks
DERIVED = 2.0  # cost of a noun for an adjective, adverb or verb
MOSTLY_NOUN = 0.6  # share from which a word is taken for a noun only
NOUN_BONUS = 4.0  # how much oftener a word is a noun in a table than in texts
DOERS, DOER = ("er", "or", "ist"), 6.0  # endings of nouns that name the doer, and their cost for a past participle
DERIVING = frozenset({"derivation", "pertainym", "participle", "verb", "adjective"})  # of `Derivation.pointer`
OUTSIDE = 4.0  # cost of a sense that is not under the root
USUAL = 0.94  # share of a sense from which it is the usual one, and does not cost that
CAPITALISED, ACRONYM = 1.0, 4.0  # cost of a name or an acronym for a word in lower case

APPOSITION = 2.0  # how much likelier the first word is, as a logarithm
AGREEMENT = 1.0  # how much likelier a noun is that names what the adjective says: married, female
MIN_LEADING = 3  # values that begin with a word
MAX_PHRASES = 200  # compared with a value that may be their beginning
MIN_LONGER, MAX_LONGER = 4, 8  # letters of the beginning of a phrase, and phrases that begin so


class Candidate(NamedTuple):
    """A concept that a value may mean."""

    concept: int
    weight: float  # a logarithm
    match: Match


class CandidateFinder:
    """Finds the candidate concepts of values, preferably under one root."""

    def __init__(
        self,
        scope: Scope,
        matcher: Matcher,
        normaliser: Normaliser,
        column: Iterable[str] = (),
        *,
        strict: bool = False,
    ) -> None:
        self.scope, self.taxonomy = scope, scope.taxonomy
        self.lexicon, self.language = scope.taxonomy.lexicon, matcher.language.code
        self.matcher, self.normaliser, self.strict = matcher, normaliser, strict
        column = list(column)
        self._cased = not column or any(value != value.lower() for value in column)
        begin = Counter(words[0] for value in column if len(words := words_of(value)) > 1)
        self._leading = {word for word, values in begin.items() if values >= MIN_LEADING}
        self._shares: dict[str, list[tuple[int, float, str]]] = {}
        self._noun_shares: dict[str, float] = {}
        self._is_verb: dict[str, bool] = {}
        self._codes = CodeIndex.of(scope.taxonomy)
        self._inside = scope.members.tobytes()  # for every concept, 1 if it is under the root
        self._ancestors: dict[int, frozenset[int]] = {}
        self.reason_unmatched: dict[str, str] = {}  # unknown | outside | individual

    def candidates(self, value: str, *, whole: bool = False) -> list[Candidate]:
        """Return the candidates of the strongest step of matching that has any, heaviest first.

        Args:
            value: the value.
            whole: whether to match it as a whole only, without dropping or correcting words.
        """
        self.reason_unmatched[value] = "unknown"
        if is_residual(value, self.matcher.language):
            return []
        exact = self.taxonomy.find(value.strip())
        if exact is not None and exact in self.scope and not self._is_word(value):
            return [Candidate(exact, 0.0, Match(value, "id"))]
        found = self._of_code(value) or (self._found_whole(value) if whole else self._found(value))
        if whole and not found:
            return []
        if not found or found[0].match.reason in ("part", "head"):
            found = self._best(found + self._misspelt(value))
        found = found or self._longer(value)
        if all(not self._inside[x.concept] for x in found) and any(self.taxonomy.instances[x.concept] for x in found):
            others = self._misspelt(value, whole=True) + self._longer(value)  # Columbia is no country, Colombia is
            found = self._best(x for x in others if self._inside[x.concept]) or found
        inside = [x for x in found if self._inside[x.concept]]
        if self.strict and found and not inside:
            self.reason_unmatched[value] = "outside"
        candidates = inside if self.strict else self._under_root(found)
        return self._labelled(candidates) if whole else candidates

    def modifiers(self, dropped: str) -> list[list[Candidate]]:
        """Return the candidates of words that were dropped from a phrase: of all of them as one form, else of each.

        A word that means named individuals only is one of them.
        """
        language, instances = self.matcher.language, self.taxonomy.instances
        words = [x for x in words_of(dropped) if x not in language.prepositions | language.determiners]
        whole = self._found_whole(" ".join(words))
        found = [whole] if whole else [x for word in words if (x := self._found_whole(word))]
        return [[x for x in each if not instances[x.concept]] or each for each in found]

    def _of_code(self, value: str) -> list[Candidate]:
        """Return the candidates of a value that is a code, or has one beside a name, and is no word."""
        codes = [] if self._codes is None else self._codes.find(value, self.matcher.language)
        return (
            [] if codes and self._is_word(value) else [Candidate(c, 0.0, Match(value, reason)) for c, reason in codes]
        )

    def _under_root(self, candidates: list[Candidate]) -> list[Candidate]:
        """Make senses outside the root less likely, unless they are the usual ones."""
        if all(self._inside[x.concept] for x in candidates):
            return candidates
        usual = USUAL * sum(exp(x.weight) for x in candidates)
        return self._best(
            x if self._inside[x.concept] or exp(x.weight) >= usual else x._replace(weight=x.weight - OUTSIDE)
            for x in candidates
        )

    def _misspelt(self, value: str, *, whole: bool = False) -> list[Candidate]:
        """Return the candidates of a value whose unknown words (or itself) are spelled as the nearest known ones."""
        texts = self._spelling.nearest(key(value)) if whole else self._spelling.corrected(value)
        found = [x for text in texts for x in self._found(text) if x.match.reason not in ("stem", "id", "notation")]
        return [self._weaker(x, "similar") for x in found]

    def _longer(self, value: str) -> list[Candidate]:
        """Return the candidates of the phrases that begin with a value: "Hong" may be "Hong Kong"."""
        begin = key(value)
        if len(begin) < MIN_LONGER or not begin.isalpha():
            return []
        keys = self.lexicon.keys
        low, high = bisect_left(keys, f"{begin} "), bisect_left(keys, f"{begin}!")
        phrases = [Match(keys[i], "exact") for i in range(low, min(high, low + MAX_PHRASES))]
        phrases = [x for x in phrases if any(c in self.scope for c, _, _ in self._senses(x.form))] or phrases
        if len(phrases) > MAX_LONGER:
            return []
        found = self.of_matches(value, phrases)
        return [self._weaker(x, "longer") for x in found]

    def _weaker(self, x: Candidate, reason: str) -> Candidate:
        return Candidate(x.concept, x.weight - COST[reason], x.match._replace(reason=reason))

    @cached_property
    def _spelling(self) -> Spelling:
        details = self.taxonomy.details

        def known(word: str) -> bool:
            return details is not None and bool(details.senses_of(word))

        return Spelling.of(self.lexicon, self.matcher.language, known)

    def _found_whole(self, value: str) -> list[Candidate]:
        """Return the candidates of a value as a whole."""
        matches = self.matcher.whole(value, self.normaliser)
        return self.of_matches(value, [match for match in matches if not match.derived])

    def _found(self, value: str) -> list[Candidate]:
        """Return the candidates of the strongest step of matching that has any."""
        outside: list[Candidate] = []
        for step in self.matcher.steps(value, self.normaliser, self._leads):
            every = self.of_matches(value, step)
            if any(self._inside[x.concept] for x in every):
                return every
            outside = outside or every
            if any(match.reason == "derived" and self._is_no_noun(match.form) for match in step):
                break  # "full-time" is no time
        return outside

    def _leads(self, word: str) -> bool:
        """Tell whether a word at the beginning of a phrase may be its head: as often in the column, or as a verb."""
        if word in self._leading:
            return True
        if word not in self._is_verb:
            self._is_verb[word] = self._is_mostly_verb(word)
        return self._is_verb[word]

    def _is_mostly_verb(self, word: str) -> bool:
        details = self.taxonomy.details
        if self.language != "en" or details is None:
            return False
        senses = details.senses_of(word)
        verb = sum(x.count for x in senses if x.part_of_speech == "v" and x.lemma == word)
        other = sum(x.count for x in senses if x.part_of_speech != "v")
        return verb > other and verb > other + int(self.lexicon.counts[self.lexicon.entries(word)].sum())

    def _is_no_noun(self, form: str) -> bool:
        """Tell whether a form is an adjective, adverb or verb as it stands."""
        details = self.taxonomy.details
        forms = (form, form.replace(" ", "-"))
        return self.language == "en" and details is not None and any(details.lemmas.find(x) is not None for x in forms)

    def of_matches(self, value: str, matches: Iterable[Match]) -> list[Candidate]:
        """Return the senses of some forms, each with its best match, heaviest first."""
        found: list[Candidate] = []
        for match in matches:
            of_match = self._of_match(value, match)
            if of_match and of_match[0].match.reason == "notation":
                return self._notations(value, match)
            found += of_match
        return self._best(self._appositions(found))

    def _appositions(self, candidates: list[Candidate]) -> list[Candidate]:
        """Keep first words where they may be the head, or are a kind of it: a burn injury is a burn."""
        heads = [x for x in candidates if not x.match.first]
        if len(heads) == len(candidates):
            return candidates
        kept = heads.copy()
        for x in candidates:
            if x.match.first:
                above = self._above(x.concept) if heads else frozenset()
                over = [head.weight for head in heads if head.concept in above and head.concept != x.concept]
                if over:
                    kept.append(x._replace(weight=max(over) + APPOSITION))
                elif x.match.leads:
                    kept.append(x)
        return kept

    def _above(self, concept: int) -> frozenset[int]:
        """Return a concept and its ancestors."""
        above = self._ancestors.get(concept)
        if above is None:
            starts, parents = self.taxonomy.parents
            direct = parents[starts[concept] : starts[concept + 1]].tolist()
            above = self._ancestors[concept] = frozenset([concept]).union(*map(self._above, direct))
        return above

    def _best(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return each concept with its best match, heaviest first."""
        best: dict[int, Candidate] = {}
        for x in candidates:
            other = best.get(x.concept)
            if other is not None and x.match.agrees and not other.match.derived and x.match.form == other.match.form:
                weight = max(x.weight, other.weight) + AGREEMENT
                best[x.concept] = Candidate(x.concept, weight, other.match._replace(agrees=True))
            elif other is None or x.weight > other.weight:
                best[x.concept] = x
        if len(best) < 2:
            return list(best.values())
        return sorted(best.values(), key=lambda x: (-x.weight, x.concept))

    def is_label(self, candidates: Iterable[Candidate], concept: int) -> bool:
        """Tell whether a concept was found by its label, not by a synonym."""
        forms = {x.match.form for x in candidates if x.concept == concept}
        entries = [e for form in forms for e in self.lexicon.entries(form, self.language).tolist()]
        return any(self.lexicon.concepts[e] == concept and self.lexicon.preferred[e] for e in entries)

    def _labelled(self, candidates: list[Candidate]) -> list[Candidate]:
        """Return only the concept that has a value as its label, if others have it as a synonym.

        Concepts above or below it may have the same label: accountants are a group, and an occupation in it.
        """
        if len(candidates) < 2:
            return candidates
        labelled = [x for x in candidates if self.is_label(candidates, x.concept)]
        if not labelled or labelled[0].match.reason not in ("exact", "spelling"):
            return candidates
        best, *others = [x.concept for x in labelled]
        unrelated = [x for x in others if best not in self._above(x) and x not in self._above(best)]
        return candidates if unrelated else labelled[:1]

    def _is_word(self, value: str) -> bool:
        """Tell whether a value is a word, not only an id: in some ontologies ids are words."""
        return bool((~self.lexicon.notation[self.lexicon.entries(value)]).any())

    def _notations(self, value: str, match: Match) -> list[Candidate]:
        entries = self.lexicon.entries(match.form, self.language)
        codes = np.unique(self.lexicon.concepts[entries[self.lexicon.notation[entries]]])
        return [Candidate(int(c), 0.0, match._replace(reason="notation")) for c in codes]

    def _of_match(self, value: str, match: Match) -> list[Candidate]:
        if match.derived:
            return self._derived(match)
        cost, noun = COST[match.reason] + match.penalty, log(self.noun_share(match.form))
        found = []
        for concept, share, form in self._senses(match.form):
            if not share:
                if match.reason == "exact":
                    return [Candidate(concept, 0.0, match._replace(reason="notation"))]
                continue
            weight = log(share) + noun - cost - _case_cost(form, value, self._cased)
            above = self._specified(concept) if match.reason in PARTIAL else concept
            if above is not None:
                found.append(Candidate(above, weight, match))
        return found

    def spellings(self, candidate: Candidate) -> list[str]:
        """Return how the ontology spells the matched form of a candidate."""
        return [form for concept, _, form in self._senses(candidate.match.form) if concept == candidate.concept]

    def _specified(self, concept: int) -> int | None:
        """Return the nearest class above that may contain what is specified further; None, if that is the root."""
        taxonomy = self.taxonomy
        if taxonomy.details is None:
            while leaves_open(taxonomy.labels[concept]):
                concept = int(next(iter(taxonomy.parents_of(concept)), taxonomy.root))
                if concept == taxonomy.root:
                    return None
        return concept

    def _senses(self, key: str) -> Sequence[tuple[int, float, str]]:
        """Return the concepts of a form, with their shares and spellings; notations first, with share 0."""
        if key not in self._shares:
            words = self.lexicon
            entries = words.entries(key, self.language)
            if entries.size == 1 and not words.notation[entries[0]]:
                only = int(entries[0])
                self._shares[key] = [(int(words.concepts[only]), 1.0, words.forms[words.form_of[only]])]
                return self._shares[key]
            is_code, concepts = words.notation[entries].tolist(), words.concepts[entries].tolist()
            counts, forms = words.counts[entries].tolist(), words.form_of[entries].tolist()
            named = [i for i, code in enumerate(is_code) if not code]
            weights = [(counts[i] + UNSEEN) / (1.0 + rank) for rank, i in enumerate(named)]
            total = max(sum(weights), 1e-9)
            self._shares[key] = [(c, 0.0, "") for c, code in zip(concepts, is_code, strict=True) if code] + [
                (concepts[i], weight / total, words.forms[forms[i]]) for i, weight in zip(named, weights, strict=True)
            ]
        return self._shares[key]

    def _derived(self, match: Match) -> list[Candidate]:
        """Return the nouns that an adjective, adverb or verb is derived from, or that are derived from it."""
        details = self.taxonomy.details
        if details is None or self.language != "en" or self.noun_share(match.form) >= MOSTLY_NOUN:
            return []
        found = [x for x in details.nouns_of(match.form) if x.pointer in DERIVING]
        total = sum(x.count + UNSEEN for x in found)
        cost = COST[match.reason] + match.penalty + DERIVED * (match.reason != "derived")
        cost -= log(1 - self.noun_share(match.form))
        adjective = match._replace(agrees=True)
        return [
            Candidate(
                x.concept,
                log((x.count + UNSEEN) / total) - cost - self._cost_of_noun(x, match.form),
                adjective if x.part_of_speech == "a" or x.lemma != match.form else match,
            )
            for x in found
        ]

    def _cost_of_noun(self, derivation: Derivation, form: str) -> float:
        """Return what it costs that a noun names the doer: the separated are no separators."""
        participle = derivation.part_of_speech == "v" and form.endswith("ed") and derivation.lemma != form
        doer = self.taxonomy.labels[derivation.concept].endswith(DOERS)
        return DOER * (participle and doer)

    def noun_share(self, form: str) -> float:
        """Return how often a form is a noun, not an adjective, adverb or verb, in the texts that WordNet counts."""
        if form not in self._noun_shares:
            share = 1.0
            details = self.taxonomy.details
            if details is not None and self.language == "en":
                senses = details.senses_of(form)
                if senses:
                    others = sum(x.count for x in senses) + UNSEEN
                    nouns = NOUN_BONUS * (float(self.lexicon.counts[self.lexicon.entries(form)].sum()) + UNSEEN)
                    share = nouns / (nouns + others)
            self._noun_shares[form] = min(max(share, 0.01), 0.99)
        return self._noun_shares[form]


def _case_cost(form: str, value: str, cased: bool = True) -> float:
    """Return what it costs that a name or an acronym is written in other letters; half, if the column has one case.

    >>> _case_cost("INC", "Self-emp-inc"), _case_cost("White", "White"), _case_cost("dog", "Dog")
    (4.0, 0.0, 0.0)
    """
    if form == form.lower() or form in value:
        return 0.0
    return (ACRONYM if form.isupper() and len(form) > 1 else CAPITALISED) / (1 if cased else 2)
