"""Link the values of a column to concepts of an ontology, with the reason and the certainty of each link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
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
SAME, NARROWER = "same", "narrower"
SETTLED = "settled"  # the reason of a link that a links file, or the caller, gives
STRATEGIES = ("coherent", "first", "best-pair")
MIN_MARGIN = 0.05  # a sense chosen by a smaller margin needs review
MAX_CODE_LETTERS = 2  # words this short need review: they may be codes (m, f)
REASONS_TO_REVIEW = ("stem", "head")  # whatever the margin


@dataclass(frozen=True)
class Link:
    """The concept of one value, and how it was matched."""

    value: str
    count: int
    concept: int | None
    reason: (
        str  # settled | id | notation | exact | spelling | inflection | stem | head | outside | individual | unknown
    )
    status: str
    dropped: str = ""  # words of the value that were ignored
    alternatives: tuple[int, ...] = ()  # other senses under the root
    suggestions: tuple[str, ...] = ()  # words or ids of concepts that the value may mean, by spelling or meaning
    relation: str = SAME  # `narrower`: the value is a kind of the concept, not the concept itself
    confidence: float = 1.0  # probability that the link is right


@dataclass(frozen=True)
class _Candidates:
    """The senses that a value may have under the root, most frequent first, with their shares."""

    senses: tuple[int, ...]
    shares: tuple[float, ...]
    match: Match


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
    tick: Callable[[int, int], None] = lambda done, total: None,
) -> list[Link]:
    """Link the values of a column, in their order.

    Args:
        values: the values, optionally with their counts.
        ontology: the ontology, or the part of it that values may mean.
        senses: how to choose among senses: `coherent`, `first` or `best-pair`.
        language: the language of the values.
        settled: the links a person decided, from value to id or word; an empty one leaves the value unmatched.
        narrower: the settled values that are a kind of their concept; the others are the same.
        individuals: whether values may mean named individuals; by default, if at least half of them do.
        suggest: whether to search for words spelled like unmatched values.
        tick: called with the work done and its total.

    Returns:
        One link for each distinct value.

    Raises:
        OptionError: the strategy or language is unknown, or the ontology has no words of the language.
        LinksError: a settled concept is not in the ontology.

    >>> from allonym.ontology.wordnet import wordnet
    >>> people = wordnet(root="person")
    >>> [(x.value, people.taxonomy.ids[x.concept], x.reason, x.status) for x in link(["Nurses", "carpenter"], people)]
    [('Nurses', 'nurse.n.01', 'inflection', 'sure'), ('carpenter', 'carpenter.n.01', 'exact', 'sure')]
    """
    if senses not in STRATEGIES:
        raise OptionError.of("sense strategy", senses, STRATEGIES)
    scope = ontology if isinstance(ontology, Scope) else Scope(ontology, ontology.root)
    if not scope.taxonomy.lexicon.has_language(language):
        languages = [name for name in scope.taxonomy.lexicon.language_names if name]
        raise OptionError(
            f"{scope.taxonomy.name} has no words in {language!r}.", hint=f"it has {first_few(languages)}."
        )
    counts = dict(values) if isinstance(values, Mapping) else Counter(values)
    decided = _settled(settled or {}, scope, language)
    linker = _Linker(scope, language)
    open_values = [v for v in counts if v not in decided]
    candidates = {}
    for done, v in enumerate(open_values):
        candidates[v] = linker.candidates(v)
        tick(done, 2 * len(open_values))
    if individuals is None:
        individuals = _mostly_individuals(candidates, decided, scope.taxonomy)
    if not individuals:
        candidates = {v: _without_individuals(c, scope.taxonomy) for v, c in candidates.items()}
    chosen = _choose(candidates, decided, counts, scope.taxonomy, senses)
    unmatched = [v for v in open_values if v not in chosen]
    allowed = scope.members if individuals else scope.members & ~scope.taxonomy.instances
    first_tick = 2 * len(open_values) - len(unmatched)
    similar = (
        similar_words(scope.taxonomy.lexicon, unmatched, allowed, lambda n: tick(first_tick + n, 2 * len(open_values)))
        if suggest
        else [[] for _ in unmatched]
    )
    suggestions = dict(zip(unmatched, similar, strict=True))
    links = []
    for value, count in counts.items():
        if value in decided:
            concept = decided[value]
            relation = NARROWER if value in narrower else SAME
            status = UNMATCHED if concept is None else SURE
            links.append(Link(value, count, concept, SETTLED, status, relation=relation))
        elif value in chosen:
            links.append(replace(chosen[value], count=count))
        else:
            reason = linker.reason_unmatched[value]
            links.append(Link(value, count, None, reason, UNMATCHED, suggestions=tuple(suggestions[value])))
    return links


def may_be_code(value: str) -> bool:
    """Tell whether a word is so short that it may be a code.

    >>> may_be_code("m"), may_be_code("man"), may_be_code("12")
    (True, False, False)
    """
    return len(value.strip()) <= MAX_CODE_LETTERS and any(map(str.isalpha, value))


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


class _Linker:
    """Finds the candidate senses of values under one root."""

    def __init__(self, scope: Scope, language: str) -> None:
        self.scope, self.taxonomy, self.language = scope, scope.taxonomy, language
        self.matcher = Matcher.of(self.taxonomy.lexicon, language_of(language))
        self.reason_unmatched: dict[str, str] = {}  # unknown | outside (the root) | individual

    def candidates(self, value: str) -> _Candidates | None:
        """Return the senses of the best matching form that has senses under the root."""
        self.reason_unmatched[value] = "unknown"
        exact = self.taxonomy.find(value.strip())
        if exact is not None and exact in self.scope and not self._is_word(value):
            return _Candidates((exact,), (1.0,), Match(value, "id"))
        for step in self.matcher.steps(value):
            matched = [(match, entries) for match in step if (entries := self._entries(match)).size]
            if matched:
                self.reason_unmatched[value] = "individual"  # holds if these are excluded later
                return self._candidates(matched)
            if any(self.taxonomy.lexicon.entries(match.form, self.language).size for match in step):
                self.reason_unmatched[value] = "outside"
        return None

    def _is_word(self, value: str) -> bool:
        """Tell whether a value is a word, not only an id: in some ontologies ids are words."""
        words = self.taxonomy.lexicon
        return bool((~words.notation[words.entries(value)]).any())

    def _entries(self, match: Match) -> NDArray[np.int64]:
        """Return the entries of a form under the root: its notations if it has any, else its senses."""
        words = self.taxonomy.lexicon
        entries = words.entries(match.form, self.language)
        entries = entries[self.scope.members[words.concepts[entries]]]
        codes = entries[words.notation[entries]]
        return codes if codes.size and match.reason == "exact" else entries[~words.notation[entries]]

    def _candidates(self, matched: list[tuple[Match, NDArray[np.int64]]]) -> _Candidates:
        """Combine the senses of forms; their weights are the counts of the lexicon, else derived from their order."""
        words = self.taxonomy.lexicon
        match, entries = matched[0]
        if words.notation[entries[0]]:
            coded = tuple(int(c) for c in np.unique(words.concepts[entries]))
            return _Candidates(coded, (1.0,) * len(coded), replace(match, reason="notation"))
        weights: dict[int, float] = {}
        for _, entries_of_form in matched:
            for place, entry in enumerate(entries_of_form):
                weight = float(words.counts[entry]) + 1 if words.has_counts else 1 / (place + 1)
                weights[int(words.concepts[entry])] = max(weight, weights.get(int(words.concepts[entry]), 0))
        total = sum(weights.values())
        return _Candidates(tuple(weights), tuple(weight / total for weight in weights.values()), match)


def _mostly_individuals(
    candidates: Mapping[str, _Candidates | None], decided: Mapping[str, int | None], taxonomy: Taxonomy
) -> bool:
    """Tell whether at least half of the values mean individuals, by their settled or most frequent sense."""
    concepts = [c.senses[0] for c in candidates.values() if c is not None]
    concepts += [c for c in decided.values() if c is not None]
    return int(taxonomy.instances[concepts].sum()) * 2 >= max(len(concepts), 1)


def _without_individuals(candidates: _Candidates | None, taxonomy: Taxonomy) -> _Candidates | None:
    if candidates is None or candidates.match.reason in ("id", "notation"):
        return candidates
    classes = [i for i, c in enumerate(candidates.senses) if not taxonomy.instances[c]]
    if not classes:
        return None
    return _Candidates(
        tuple(candidates.senses[i] for i in classes), tuple(candidates.shares[i] for i in classes), candidates.match
    )


def _choose(
    candidates_of: Mapping[str, _Candidates | None],
    decided: Mapping[str, int | None],
    counts: Mapping[str, int],
    taxonomy: Taxonomy,
    strategy: str,
) -> dict[str, Link]:
    """Choose a sense for every value with candidates; settled values influence the choice but do not change."""
    fixed = {v: c for v, c in decided.items() if c is not None and v in counts}
    matched = {v: c for v, c in candidates_of.items() if c is not None}
    in_column = {**matched, **{v: _Candidates((c,), (1.0,), Match("", "settled")) for v, c in fixed.items()}}
    if not matched:
        return {}
    starts = np.cumsum([0, *(len(c.senses) for c in in_column.values())])
    senses = np.array([s for c in in_column.values() for s in c.senses], np.int64)
    prior = np.concatenate([1 - np.array(c.shares) / max(c.shares) for c in in_column.values()])
    weights: NDArray[np.float64] = np.array([counts[v] for v in in_column], np.float64)
    column = Column(taxonomy, starts, senses, prior, weights)
    choice: Choice = (coherent if strategy == "coherent" else first)(column)
    links = {}
    for i, (value, candidates) in enumerate(matched.items()):
        concept = candidates.senses[choice.chosen[i]]
        reason = candidates.match.reason
        one_code = reason != "notation" or len(candidates.senses) == 1
        ambiguous = reason not in ("id", "notation") and may_be_code(value)
        is_sure = reason not in REASONS_TO_REVIEW and one_code and not ambiguous and choice.margin[i] >= MIN_MARGIN
        status = SURE if is_sure else REVIEW
        others = tuple(c for c in candidates.senses if c != concept)
        relation = NARROWER if reason in REASONS_TO_REVIEW else SAME
        links[value] = Link(value, 0, concept, reason, status, candidates.match.dropped, others, (), relation)
    return links
