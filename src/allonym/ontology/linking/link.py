"""From the values of a column to concepts of an ontology, with the reason and how sure it is (methods.md §3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from allonym.errors import LinksError, OptionError, first_few
from allonym.ontology.linking.languages import language as language_of
from allonym.ontology.linking.match import Match, Matcher
from allonym.ontology.linking.senses import Choice, Column, coherent, first
from allonym.ontology.linking.suggest import similar_words
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

SURE, REVIEW, UNMATCHED = "sure", "review", "unmatched"
STRATEGIES = ("coherent", "first", "best-pair")
MARGIN = 0.05  # a sense that wins by less is to be reviewed
BRIEF = 2  # words of so few letters are to be reviewed: they may be codes of another kind (m, f)
WEAK = ("stem", "head")  # reasons that are to be reviewed whatever the margin


@dataclass(frozen=True)
class Link:
    """How one value was understood."""

    value: str
    count: int
    concept: int | None
    reason: (
        str  # settled | id | notation | exact | spelling | inflection | stem | head | outside | individual | unknown
    )
    status: str
    dropped: str = ""  # words of the value that played no part
    alternatives: tuple[int, ...] = ()  # other senses under the root
    suggestions: tuple[str, ...] = ()  # for an unmatched value: words spelled like it


@dataclass(frozen=True)
class _Candidates:
    """The senses a value may have under the root, most usual first, and how usual they are."""

    senses: tuple[int, ...]
    usual: tuple[float, ...]
    match: Match


def link(
    values: Mapping[str, int] | Sequence[str],
    ontology: Scope | Taxonomy,
    *,
    senses: str = "coherent",
    language: str = "en",
    settled: Mapping[str, str] | None = None,
    individuals: bool | None = None,
    suggest: bool = True,
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> list[Link]:
    """Link the values of a column, in the order given.

    Arguments: values with their counts; the ontology, or the part of it that may be meant; how to choose among
    senses (`coherent`, `first`, `best-pair`); the language of the values; what a person settled, value to id or word
    (an empty one leaves the value unmatched); whether named individuals may be meant (by default, if at least half
    are); whether to look for words spelled like unmatched values; what to call with the work done and its total.

    >>> from allonym.ontology.wordnet import wordnet
    >>> people = wordnet(root="person")
    >>> [(x.value, people.taxonomy.ids[x.concept], x.reason, x.status) for x in link(["Nurses", "carpenter"], people)]
    [('Nurses', 'nurse.n.01', 'inflection', 'sure'), ('carpenter', 'carpenter.n.01', 'exact', 'sure')]
    """
    if senses not in STRATEGIES:
        raise OptionError.of("sense strategy", senses, STRATEGIES)
    scope = ontology if isinstance(ontology, Scope) else Scope(ontology, ontology.root)
    if not scope.taxonomy.lexicon.has_language(language):
        known = [name for name in scope.taxonomy.lexicon.language_names if name]
        raise OptionError(f"{scope.taxonomy.name} has no words in {language!r}.", hint=f"it has {first_few(known)}.")
    counts = dict(values) if isinstance(values, Mapping) else Counter(values)
    decided = _settled(settled or {}, scope, language)
    linker = _Linker(scope, language)
    open_values = [v for v in counts if v not in decided]
    found = {}
    for done, v in enumerate(open_values):
        found[v] = linker.candidates(v)
        tick(done, 2 * len(open_values))
    if individuals is None:
        individuals = _mostly_individuals(found, decided, scope.taxonomy)
    if not individuals:
        found = {v: _without_individuals(c, scope.taxonomy) for v, c in found.items()}
    chosen = _choose(found, decided, counts, scope.taxonomy, senses)
    lost = [v for v in open_values if v not in chosen]
    allowed = scope.members if individuals else scope.members & ~scope.taxonomy.instances
    first_tick = 2 * len(open_values) - len(lost)
    close = (
        similar_words(scope.taxonomy.lexicon, lost, allowed, lambda n: tick(first_tick + n, 2 * len(open_values)))
        if suggest
        else [[] for _ in lost]
    )
    suggestions = dict(zip(lost, close, strict=True))
    links = []
    for value, count in counts.items():
        if value in decided:
            concept = decided[value]
            links.append(Link(value, count, concept, "settled", UNMATCHED if concept is None else SURE))
        elif value in chosen:
            links.append(replace(chosen[value], count=count))
        else:
            reason = linker.why_not[value]
            links.append(Link(value, count, None, reason, UNMATCHED, suggestions=tuple(suggestions[value])))
    return links


def _settled(settled: Mapping[str, str], scope: Scope, language: str) -> dict[str, int | None]:
    """Resolve what a person settled: an id wherever it lies, a word among its senses under the root.

    All names that are not there are in one error.
    """
    decided: dict[str, int | None] = {}
    wrong = []
    for value, name in settled.items():
        known = scope.taxonomy.find(name)
        senses = [c for c in scope.taxonomy.senses(name, language) if c in scope]
        if not name:
            decided[value] = None
        elif known is not None or senses:
            decided[value] = senses[0] if known is None else known
        else:
            wrong.append(name)
    if wrong:
        raise LinksError(
            f"{len(wrong):,} settled concepts are not in {scope.name}: {first_few(map(repr, wrong))}.",
            hint="write an id (dog.n.01), a word (its first sense) or dog#2.",
            values=wrong,
        )
    return decided


class _Linker:
    """Finds the candidate senses of values under one root."""

    def __init__(self, scope: Scope, language: str) -> None:
        self.scope, self.taxonomy, self.language = scope, scope.taxonomy, language
        self.matcher = Matcher.of(self.taxonomy.lexicon, language_of(language))
        self.why_not: dict[str, str] = {}  # for values without a concept: unknown | outside the root | individual

    def candidates(self, value: str) -> _Candidates | None:
        """Return the senses of the best form of a value that has any under the root."""
        self.why_not[value] = "unknown"
        exact = self.taxonomy.find(value.strip())
        if exact is not None and exact in self.scope and not self._is_word(value):
            return _Candidates((exact,), (1.0,), Match(value, "id"))
        for step in self.matcher.steps(value):
            found = [(match, entries) for match in step if (entries := self._entries(match)).size]
            if found:
                self.why_not[value] = "individual"  # if what is found here is left out later
                return self._candidates(found)
            if any(self.taxonomy.lexicon.entries(match.form, self.language).size for match in step):
                self.why_not[value] = "outside"
        return None

    def _is_word(self, value: str) -> bool:
        """In an ontology whose ids are its words, a value that is one is found as a word."""
        words = self.taxonomy.lexicon
        return bool((~words.notation[words.entries(value)]).any())

    def _entries(self, match: Match) -> NDArray[np.int64]:
        """Return the entries of a form under the root: its notations if it is one, else its senses."""
        words = self.taxonomy.lexicon
        entries = words.entries(match.form, self.language)
        entries = entries[self.scope.members[words.concepts[entries]]]
        codes = entries[words.notation[entries]]
        return codes if codes.size and match.reason == "exact" else entries[~words.notation[entries]]

    def _candidates(self, found: list[tuple[Match, NDArray[np.int64]]]) -> _Candidates:
        """Put the senses of one or more forms together; how usual a sense is, its counts say, else its place."""
        words = self.taxonomy.lexicon
        match, entries = found[0]
        if words.notation[entries[0]]:
            coded = tuple(int(c) for c in np.unique(words.concepts[entries]))
            return _Candidates(coded, (1.0,) * len(coded), replace(match, reason="notation"))
        usual: dict[int, float] = {}
        for _, some in found:
            for place, entry in enumerate(some):
                weight = float(words.counts[entry]) + 1 if words.has_counts else 1 / (place + 1)
                usual[int(words.concepts[entry])] = max(weight, usual.get(int(words.concepts[entry]), 0))
        total = sum(usual.values())
        return _Candidates(tuple(usual), tuple(weight / total for weight in usual.values()), match)


def _mostly_individuals(
    found: Mapping[str, _Candidates | None], decided: Mapping[str, int | None], taxonomy: Taxonomy
) -> bool:
    """Tell whether the column is one of names: at least half its values are individuals, as settled or most usually."""
    known = [c.senses[0] for c in found.values() if c is not None] + [c for c in decided.values() if c is not None]
    return int(taxonomy.instances[known].sum()) * 2 >= max(len(known), 1)


def _without_individuals(candidates: _Candidates | None, taxonomy: Taxonomy) -> _Candidates | None:
    if candidates is None or candidates.match.reason in ("id", "notation"):
        return candidates
    kept = [i for i, c in enumerate(candidates.senses) if not taxonomy.instances[c]]
    if not kept:
        return None
    return _Candidates(
        tuple(candidates.senses[i] for i in kept), tuple(candidates.usual[i] for i in kept), candidates.match
    )


def _choose(
    found: Mapping[str, _Candidates | None],
    decided: Mapping[str, int | None],
    counts: Mapping[str, int],
    taxonomy: Taxonomy,
    strategy: str,
) -> dict[str, Link]:
    """Choose a sense for every value with candidates; settled values take part but never change."""
    fixed = {v: c for v, c in decided.items() if c is not None and v in counts}
    known = {v: c for v, c in found.items() if c is not None}
    everyone = {**known, **{v: _Candidates((c,), (1.0,), Match("", "settled")) for v, c in fixed.items()}}
    if not known:
        return {}
    starts = np.cumsum([0, *(len(c.senses) for c in everyone.values())])
    senses = np.array([s for c in everyone.values() for s in c.senses], np.int64)
    prior = np.concatenate([1 - np.array(c.usual) / max(c.usual) for c in everyone.values()])
    weights: NDArray[np.float64] = np.array([counts[v] for v in everyone], np.float64)
    column = Column(taxonomy, starts, senses, prior, weights)
    choice: Choice = (coherent if strategy == "coherent" else first)(column)
    links = {}
    for i, (value, candidates) in enumerate(known.items()):
        concept = candidates.senses[choice.chosen[i]]
        reason = candidates.match.reason
        one_code = reason != "notation" or len(candidates.senses) == 1
        brief = reason not in ("id", "notation") and len(value.strip()) <= BRIEF and any(map(str.isalpha, value))
        status = SURE if reason not in WEAK and one_code and not brief and choice.margin[i] >= MARGIN else REVIEW
        others = tuple(c for c in candidates.senses if c != concept)
        links[value] = Link(value, 0, concept, reason, status, candidates.match.dropped, others)
    return links
