"""Similarity of words, by their senses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from allonym.errors import OptionError, UnknownConceptError
from allonym.ontology import similarity as measures
from allonym.ontology.content import CONTENTS
from allonym.ontology.linking.languages import language as language_of
from allonym.ontology.linking.link import STRATEGIES, language_in, link
from allonym.ontology.linking.match import Matcher
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet


@dataclass(frozen=True)
class Comparison:
    """Two compared words: the senses chosen, their subsumer, and the values of the measure."""

    concepts: tuple[int, int]
    subsumer: int
    distance: float  # in [0, 1], as used for masking
    published: float | None  # the value of the measure, unless it is 1 - distance
    taxonomy: Taxonomy

    @property
    def similarity(self) -> float:
        """One minus the distance."""
        return 1 - self.distance


def compare(
    one: str,
    other: str,
    *,
    measure: str = "wu-palmer",
    depth: str = "nodes",
    content: str = measures.DEFAULT_CONTENT,
    ontology: Scope | Taxonomy | None = None,
    senses: str = "coherent",
    language: str = "en",
) -> Comparison:
    """Compare two words (`dog`, `dog#2`) or ids (`dog.n.01`).

    Args:
        one: a word or id.
        other: a word or id.
        measure: a name in `similarity.ALL_MEASURES`.
        depth: the depth convention of Wu-Palmer: `edges`, `nodes` or `virtual-root`.
        content: the information content: `seco`, `sanchez-batet` or `corpus`.
        ontology: the ontology or a part of it; by default WordNet.
        senses: how to choose among senses: `coherent` (those that fit each other and are frequent, as in linking),
            `best-pair` (the closest, as in studies of human judgements) or `first`.
        language: the language of the words.

    Raises:
        OptionError: an option is unknown, or the ontology has no words of the language.
        UnknownConceptError: the ontology does not have a word.
    """
    scope = ontology or wordnet()
    scope = scope if isinstance(scope, Scope) else Scope(scope, scope.root)
    taxonomy = scope.taxonomy
    if senses not in STRATEGIES:
        raise OptionError.of("sense strategy", senses, STRATEGIES)
    if content not in CONTENTS:
        raise OptionError.of("information content", content, CONTENTS)
    language = language_in(taxonomy, language)
    senses_of = [_senses(word, scope, language) for word in (one, other)]
    if senses != "coherent":  # a farmer is not Fannie Farmer
        senses_of = [[c for c in concepts if not taxonomy.instances[c]] or concepts for concepts in senses_of]
    if senses == "first":
        senses_of = [concepts[:1] for concepts in senses_of]
    elif senses == "coherent" and one != other:
        pairs = zip((one, other), senses_of, strict=True)
        fixed = {word: taxonomy.ids[concepts[0]] for word, concepts in pairs if len(concepts) == 1}
        links = link([one, other], scope, language=language, settled=fixed, suggest=False)
        senses_of = [old if x.concept is None else [x.concept] for x, old in zip(links, senses_of, strict=True)]
    a, b = map(np.array, senses_of)
    table = measures.distance(measure, taxonomy, a[:, None], b, depth=depth, content=content)
    i, j = np.unravel_index(int(np.argmin(table)), table.shape)
    pair = int(a[i]), int(b[j])
    registered = measures.ALL_MEASURES[measure]
    options = {"content": content} if registered.by_content else {}
    published = registered.published(taxonomy, *pair, **options) if registered.published else None
    common = measures.lcs(taxonomy, *pair, measure=measure, depth=depth, content=content)
    return Comparison(pair, int(common), float(table[i, j]), None if published is None else float(published), taxonomy)


def similarity(one: str, other: str, **options: Any) -> float:
    """Return the similarity of two words, from 0 to 1; options as for `compare`.

    >>> round(similarity("dog", "homeotherm", measure="wu-palmer", depth="virtual-root"), 4)
    0.8421
    """
    return compare(one, other, **options).similarity


def _senses(word: str, scope: Scope, language: str) -> list[int]:
    """Return the senses under the root of a word, or else of its singular."""
    taxonomy = scope.taxonomy
    senses = taxonomy.senses(word, language)
    if not senses:
        matches = (
            m
            for m in Matcher.of(taxonomy.lexicon, language_of(language)).matches(word)
            if m.reason not in ("stem", "head")
        )
        senses = [int(c) for match in matches for c in taxonomy.lexicon.senses(match.form, language)]
    inside = [c for c in senses if c in scope]
    if not inside:
        where = f"under {taxonomy.ids[scope.root]}" if senses else f"in {taxonomy.name}"
        raise UnknownConceptError(f"There is no {word!r} {where}.", hint=taxonomy.hint(word), values=[word])
    return inside
