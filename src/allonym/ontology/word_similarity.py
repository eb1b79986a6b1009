"""How alike two words are, with the senses that make them so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from allonym.errors import OptionError, UnknownConceptError
from allonym.ontology import similarity as measures
from allonym.ontology.content import CONTENTS
from allonym.ontology.linking.languages import language as language_of
from allonym.ontology.linking.link import STRATEGIES, link
from allonym.ontology.linking.match import Matcher
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet


@dataclass(frozen=True)
class Comparison:
    """Two words compared: the senses taken, what they have in common, and the figures."""

    concepts: tuple[int, int]
    subsumer: int
    distance: float  # in [0, 1], as used for masking
    published: float | None  # the measure's own figure, where that is not 1 - distance
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

    Of several senses those that fit each other are taken, usual ones first (`coherent`, as in linking); or the closest
    pair whatever it is (`best-pair`, as in the literature on human judgement); or the `first`.
    """
    scope = ontology or wordnet()
    scope = scope if isinstance(scope, Scope) else Scope(scope, scope.root)
    taxonomy = scope.taxonomy
    if senses not in STRATEGIES:
        raise OptionError.of("sense strategy", senses, STRATEGIES)
    if content not in CONTENTS:
        raise OptionError.of("information content", content, CONTENTS)
    if not taxonomy.lexicon.has_language(language):
        raise OptionError(f"{taxonomy.name} has no words in {language!r}.")
    found = [_senses(word, scope, language) for word in (one, other)]
    if senses != "coherent":  # a farmer is not Fannie Farmer
        found = [[c for c in each if not taxonomy.instances[c]] or each for each in found]
    if senses == "first":
        found = [each[:1] for each in found]
    elif senses == "coherent" and one != other:
        fixed = {word: taxonomy.ids[each[0]] for word, each in zip((one, other), found, strict=True) if len(each) == 1}
        links = link([one, other], scope, language=language, settled=fixed, suggest=False)
        found = [each if x.concept is None else [x.concept] for x, each in zip(links, found, strict=True)]
    a, b = (np.array(each) for each in found)
    table = measures.distance(measure, taxonomy, a[:, None], b, depth=depth, content=content)
    i, j = np.unravel_index(int(np.argmin(table)), table.shape)
    pair = int(a[i]), int(b[j])
    asked = measures.MEASURES[measure]
    options = {"content": content} if asked.by_content else {}
    raw = asked.published(taxonomy, *pair, **options) if asked.published else None
    common = measures.lcs(taxonomy, *pair, measure=measure, depth=depth, content=content)
    return Comparison(pair, int(common), float(table[i, j]), None if raw is None else float(raw), taxonomy)


def similarity(one: str, other: str, **options: Any) -> float:
    """Return how alike two words are, from 0 to 1; options as for `compare`.

    >>> round(similarity("dog", "homeotherm", measure="wu-palmer", depth="virtual-root"), 4)
    0.8421
    """
    return compare(one, other, **options).similarity


def _senses(word: str, scope: Scope, language: str) -> list[int]:
    """Return the senses of a word under the root, of its singular if the word itself is not there."""
    taxonomy = scope.taxonomy
    found = taxonomy.senses(word, language)
    if not found:
        plain = (
            m
            for m in Matcher.of(taxonomy.lexicon, language_of(language)).matches(word)
            if m.reason not in ("stem", "head")
        )
        found = [int(c) for match in plain for c in taxonomy.lexicon.senses(match.form, language)]
    inside = [c for c in found if c in scope]
    if not inside:
        where = f"under {taxonomy.ids[scope.root]}" if found else f"in {taxonomy.name}"
        raise UnknownConceptError(f"There is no {word!r} {where}.", hint=taxonomy.hint(word), values=[word])
    return inside
