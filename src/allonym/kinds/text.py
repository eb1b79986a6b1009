"""Words linked to concepts of an ontology."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from allonym.cells import MISSING, Cells, is_missing, united_spellings
from allonym.errors import TableError
from allonym.kinds.base import ANYTHING, EncodedColumn, Kind
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.linking import (
    LINKING_OPTIONS,
    ColumnLinks,
    concept_style,
    linked_value,
    spelling_key,
)
from allonym.kinds.several import ceilings_of, joined_value, value_writer
from allonym.kinds.word_codec import WordCodec
from allonym.metric import Metric, Value
from allonym.ontology.generality.ceiling import Ceiling
from allonym.ontology.linking.link import BEST_PAIR, Link
from allonym.ontology.linking.several import link
from allonym.ontology.narrower import Narrower, Senses
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import DEFAULT_CONTENT


@dataclass(frozen=True)
class Text(Kind):
    """Words, each linked to a concept of one ontology, or of several.

    A word that is a kind of its concept is a leaf of its own below it. In a sensitive column it counts as the concept:
    kinds of one illness are no diversity.
    """

    name: ClassVar[str] = "text"
    description: ClassVar[str] = "words"
    options: ClassVar[frozenset[str]] = LINKING_OPTIONS | {"candidates", "hierarchy"}
    automatic: ClassVar[bool] = True
    max_true_distance: ClassVar[float | None] = 0.4
    without_ontology: ClassVar[Mapping[str, str]] = {"kind": "category"}

    role: str = "quasi"
    measure: str = Kind.default_measure
    depth: str = "nodes"
    content: str = DEFAULT_CONTENT
    weights_of_features: Sequence[float] | None = None
    senses: str | None = None  # best-pair: a word keeps all its senses
    unmatched: str = "opaque"  # an unlinked word stands for itself, or becomes null (suppress)
    language: str = "en"
    individuals: bool | None = None
    accepted: str = "sure"  # which links of new words count
    ceiling: str | Sequence[str] = ()  # concepts that are too general, or none; by default, by a rule

    @classmethod
    def recognises(cls, cells: Cells, missing: Sequence[str] = MISSING) -> bool:
        """Take any column for words that is of no other kind."""
        return True

    @property
    def linked(self) -> bool:
        """Whether values are words that are linked to an ontology, and reviewed."""
        return True

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode words by their concepts; concepts are numbered by their most frequent spelling."""
        originals = [self._value(cell, links) for cell in cells.values]
        united = united_spellings([x if isinstance(x, str) else None for x in originals], cells.counts)
        originals = [united[x] if isinstance(x, str) else x for x in originals]
        values = [None if isinstance(v, str) and self.unmatched == "suppress" else v for v in originals]
        write = value_writer(links, self.writes_codes, self.language)

        def label(value: Value) -> str | None:
            return None if value is None or isinstance(value, str) else write(value)

        spelled = spellings(cells, originals)
        counts = zip(originals, cells.counts.tolist(), strict=True)
        ceilings = ceilings_of(counts, [x.scope for x in links], self.ceiling, self.language)
        return self._encoded(
            name, cells, values, lambda v: self._metric(v, ceilings), lambda v: spelled[v][1], label, originals
        )

    def _value(self, cell: Any, links: Sequence[ColumnLinks]) -> Value:
        if is_missing(cell, self.missing):
            return None
        value = joined_value([self._linked_value(x.links[str(cell)], x.scope) for x in links])
        return str(cell) if value is None else value

    def _linked_value(self, link: Link, scope: Scope) -> int | Narrower | Senses | None:
        if self.role != "quasi" or link.concept is None:
            return link.concept
        if self.senses != BEST_PAIR:
            return linked_value(link, scope, self.language)
        each = (replace(link, concept=c) for c in dict.fromkeys((link.concept, *link.alternatives)))
        return Senses(linked_value(x, scope, self.language) for x in each)

    def _metric(self, values: list[Value], ceilings: Sequence[Ceiling]) -> Metric:
        from allonym.kinds.blend import BlendedMetric
        from allonym.kinds.senses_metric import SensesMetric

        parts = [self._concept_metric([], x.scope, x) for x in ceilings]
        if self.senses == BEST_PAIR:
            return SensesMetric(values, parts[0])
        return parts[0].extend(values) if len(parts) == 1 else BlendedMetric(values, parts)

    def _concept_metric(self, values: Sequence[Value], scope: Scope, ceiling: Ceiling | None = None) -> ConceptMetric:
        options: dict[str, Any] = {"content": self.content, "weights": self.weights_of_features}
        return ConceptMetric(values, scope, self.measure, self.depth, ceiling=ceiling, **options)

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return the concepts of new words."""
        each = [self._new_values(encoded, cells, new, x) for x in links]
        together = {text: joined_value([values.get(text) for values in each]) for text in new}
        return {text: value for text, value in together.items() if value is not None}

    def _new_values(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: ColumnLinks
    ) -> dict[str, int | Narrower | Senses]:
        """Link new words; of several senses, take the one nearest to the concepts that the word replaces."""
        scope = links.scope
        settled = {x.value: scope.taxonomy.ids[x.concept] for x in links.links.values() if x.concept is not None}
        words = {text: 1 for text in new if text != ANYTHING}
        new_links = link(
            dict.fromkeys(settled, 1) | words,
            scope,
            senses="first",
            language=self.language,
            abbreviations=links.abbreviations,
            settled=settled,
            suggest=False,
        )
        values: dict[str, int | Narrower | Senses] = {ANYTHING: self._top(scope)} if ANYTHING in new else {}
        original = encoded.cells
        for x in new_links:
            if x.value not in words or x.concept is None:
                continue
            places, counts = np.unique(original.codes[cells.codes == new[x.value]], return_counts=True)
            replaced = []
            for place, count in zip(places.tolist(), counts.tolist(), strict=True):
                old = links.links.get(str(original.values[place]))
                if old is not None and old.concept is not None:
                    replaced.append((old.concept, count))
            concept = self._nearest([x.concept, *x.alternatives], replaced, scope)
            others = tuple(c for c in (x.concept, *x.alternatives) if c != concept)
            value = self._linked_value(replace(x, concept=concept, alternatives=others), scope)
            if value is not None:
                values[x.value] = value
        return values

    def _top(self, scope: Scope) -> int | Senses:
        return Senses((scope.root,)) if self.senses == BEST_PAIR else scope.root

    def codec(self, encoded: EncodedColumn, links: Sequence[ColumnLinks], domain: Any = None) -> WordCodec:
        """Return the codec of the words of one ontology."""
        scope, linked = links[0].scope, links[0].links
        values = {text: linked_value(x, scope, self.language) for text, x in linked.items()}
        individuals = bool(self.individuals) if domain is None else domain.individuals
        style = concept_style(linked, scope, self.writes_codes)
        return WordCodec(encoded.attribute.name, self, scope, values, style, individuals, domain)

    def stored_codec(self, name: str, stored: Mapping[str, Any], scopes: Sequence[Scope]) -> WordCodec:
        """Return the codec of words whose ontology is the same as when it was stored."""
        taxonomy = scopes[0].taxonomy
        if taxonomy.source.sha256 != stored["ontology"]["sha256"]:
            raise TableError(f"The ontology of column {name} has changed since it was fitted.", hint="fit it again.")
        values: dict[str, int | Narrower | None] = {}
        for text, id in stored["links"].items():
            if isinstance(id, dict):
                values[text] = Narrower(
                    taxonomy.code(id["narrower"]), spelling_key(text, taxonomy.lexicon, self.language)
                )
            else:
                values[text] = None if id is None else taxonomy.code(id)
        return WordCodec(name, self, scopes[0], values, stored["written"], stored["individuals"])

    def _nearest(self, senses: list[int], replaced: Sequence[tuple[int, int]], scope: Scope) -> int:
        """Return the sense with the least Σ ω·d to some concepts with their counts; the first of equals."""
        if len(senses) == 1 or not replaced:
            return senses[0]
        values = list(dict.fromkeys([*senses, *(c for c, _ in replaced)]))
        metric = self._concept_metric(values, scope)
        codes = metric.codes_of([c for c, _ in replaced])
        counts = np.array([n for _, n in replaced], np.float64)
        costs = metric.distances(metric.codes_of(senses)[:, None], codes) @ counts
        return senses[int(np.argmin(np.round(costs, 9)))]


def with_hierarchy(
    encoded: EncodedColumn, links: Mapping[str, Link], scope: Scope, measure: str, language: str = "en"
) -> EncodedColumn:
    """Place the values of a column in a hierarchy beside its ontology, each by its most frequent spelling."""
    places: dict[int, Value] = {}
    for value, (_, cell) in spellings(encoded.cells, encoded.code_of.tolist()).items():
        places[value] = linked_value(links[cell], scope, language) if cell in links else None
    values = [places.get(code) for code in range(len(encoded.attribute.values))]
    hierarchy = ConceptMetric(values, scope, measure)
    return replace(encoded, attribute=replace(encoded.attribute, hierarchy=hierarchy))


def spellings(cells: Cells, values: Sequence[Value]) -> dict[Value, tuple[int, str]]:
    """Return for every value its negated count and its most frequent spelling; ties: text order."""
    frequent: dict[Value, tuple[int, str]] = {}
    for cell, value, count in zip(cells.values, values, cells.counts.tolist(), strict=True):
        frequent[value] = min(frequent.get(value, (1, "")), (-count, str(cell)))
    return frequent
