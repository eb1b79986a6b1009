"""The links of a column's words to the concepts of an ontology, and how concepts are written as words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from allonym.cells import comparable_text
from allonym.ontology.generality.familiar import label as known_label
from allonym.ontology.joining.taxonomy import JoinedTaxonomy
from allonym.ontology.lexicon import Lexicon, key
from allonym.ontology.linking.accept import as_category, is_accepted
from allonym.ontology.linking.clusters import clusters_of
from allonym.ontology.linking.codes.written import NOTATION, CodeForm, form_of_codes, is_code
from allonym.ontology.linking.link import NARROWER, REVIEW, SETTLED, Link
from allonym.ontology.linking.links_file import BY, HAND, Settled, to_csv
from allonym.ontology.linking.match import SUFFIXES
from allonym.ontology.linking.several import own_links
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_LAST_WORD = re.compile(r"[^\W\d_]+(?=\s*$|\s*[(\[{,])")
EACH_STYLE = " | "  # between the styles of joined ontologies
MAX_WITHOUT_PLURAL = 2  # letters of words that are not taken for plurals
LINKING_OPTIONS = frozenset(
    {"ontology", "root", "links", "similarity", "depth", "content", "feature_weights", "senses", "individuals",
     "language", "abbreviations", "unmatched", "accept_review", "accept", "rest", "combine", "ceiling"}
)  # fmt: skip


@dataclass(frozen=True)
class ColumnLinks:
    """The links of one column's words to the concepts of one ontology."""

    scope: Scope
    links: Mapping[str, Link]
    settled: Settled
    file: str | Path | None = None  # the links file, if the plan names one
    language: str = "en"
    abbreviations: Mapping[str, Sequence[str]] = field(default_factory=dict)  # beside the built-in ones
    proposals: Mapping[str, Link] = field(default_factory=dict)  # of values that are categories until they are reviewed

    def with_status(self, status: str) -> list[Link]:
        """Return the links of values in the table that have a status, frequent ones first."""
        return sorted((x for x in self.present if x.status == status), key=lambda x: (-x.count, x.value))

    @cached_property
    def to_review(self) -> Mapping[str, Link]:
        """All links as a person reviews them: as proposed, also where the proposal is not used."""
        return {**self.links, **self.proposals}

    @cached_property
    def suggested(self) -> Mapping[str, Link]:
        """The links that a person has to decide on, with suggestions by meaning as well as by spelling."""
        from allonym.ontology.linking.several import with_suggestions

        return with_suggestions(self.present, self.scope, self.language)

    @property
    def present(self) -> list[Link]:
        """The links, as a person reviews them, of values that occur in the table."""
        return [x for x in self.to_review.values() if x.count]

    def without_unaccepted(self, accept: str) -> ColumnLinks:
        """Return the links that count; values with another link become categories, and keep it as a proposal."""
        proposals = {
            value: x for value, x in self.links.items() if x.concept is not None and not is_accepted(x, accept)
        }
        links = {value: as_category(x) if value in proposals else x for value, x in self.links.items()}
        return replace(self, links=links, proposals=proposals)

    @cached_property
    def clusters(self) -> Mapping[str, str]:
        """For values with other spellings in the table, the most frequent spelling."""
        return clusters_of(self.present, self.language)

    def to_csv(self) -> str:
        """Return the links as a links file."""
        links = {**self.to_review, **self.suggested}
        return to_csv(links.values(), self.scope, self.settled.rows, self.language)

    @cached_property
    def unreviewed(self) -> dict[str, str]:
        """The values whose link nobody reviewed, with its status.

        Values of a links file are reviewed, except rows that are as they were proposed. If the file says who settled a
        row, only those that a person did are.
        """
        rows = self.settled.rows
        says_who = any(BY in row for row in rows.values())

        def is_reviewed(link: Link) -> bool:
            if link.reason != SETTLED or link.status == REVIEW or link.value in self.settled.untouched:
                return False
            return not says_who or rows.get(link.value, {}).get(BY) == HAND

        linked = [x for x in self.links.values() if x.count and x.concept is not None]
        return {x.value: x.status for x in linked if not is_reviewed(x)}

    @cached_property
    def holds_individuals(self) -> bool:
        """Whether at least half of the values mean named individuals."""
        concepts = [x.concept for x in self.links.values() if x.count and x.concept is not None]
        return int(self.scope.taxonomy.instances[concepts].sum()) * 2 >= max(len(concepts), 1)

    def knows(self, value: str) -> bool:
        """Tell whether the links file, if there is one, has a value."""
        return value in self.settled.rows or value in self.settled.concepts


def linked_value(link: Link, scope: Scope, language: str) -> int | Narrower | None:
    """Return what a word means: its concept, or a leaf of its own below the concept if it is a kind of that."""
    if link.concept is None or link.relation != NARROWER:
        return link.concept
    return Narrower(link.concept, spelling_key(link.value, scope.taxonomy.lexicon, language))


def individual_leaf(value: int | Narrower | None, scope: Scope) -> int | Narrower | None:
    """Return a named individual, or a kind of one, as a leaf below the class of the individual; other values stay.

    >>> from allonym.ontology.wordnet import wordnet
    >>> words = wordnet()
    >>> paris = individual_leaf(words.taxonomy.code("paris.n.01"), words)
    >>> words.taxonomy.ids[paris.concept], paris.text
    ('national_capital.n.01', '= paris.n.01')
    """
    concept = value.concept if isinstance(value, Narrower) else value
    if concept is None or not scope.taxonomy.instances[concept] or concept == scope.root:
        return value
    text = value.text if isinstance(value, Narrower) else f"= {scope.taxonomy.ids[concept]}"
    while scope.taxonomy.instances[concept]:
        parents = scope.taxonomy.parents_of(concept).tolist()
        concept = next((x for x in parents if x in scope), parents[0])
    return Narrower(concept, text)


def spelling_key(text: str, lexicon: Lexicon, language: str = "en") -> str:
    """Return a text that is the same for all spellings of a value.

    It ignores case, blanks, underscores, hyphens between letters, Unicode variants and, in English, the plural of the
    last word and of the last word before a bracket or comma, if the ontology has the singular and not the plural.

    >>> from allonym.ontology.lexicon import Entry, Lexicon
    >>> words = Lexicon.build([Entry("driver", 0)])
    >>> {spelling_key(x, words) for x in ("Bus drivers (retired)", "bus_driver  (Retired)", "BUS-DRIVER (retired)")}
    {'bus driver (retired)'}
    """
    plain = _HYPHEN.sub(" ", key(comparable_text(text)))
    if lexicon.language(language).partition("-")[0].lower() != "en":
        return plain
    return _LAST_WORD.sub(lambda word: _singular(word[0], lexicon), plain)


def _singular(word: str, lexicon: Lexicon) -> str:
    """Return the singular of a word that the ontology has in the singular only."""
    if word in lexicon or len(word) <= MAX_WITHOUT_PLURAL or word.endswith("ss"):
        return word
    regular = [word.removesuffix(ending) + other for ending, other in SUFFIXES if word.endswith(ending)]
    return next((x for x in (*lexicon.exceptions.get(word, ()), *regular) if x and x in lexicon), word)


def concept_style(links: Mapping[str, Link], scope: Scope, writes_codes: bool | None = None) -> str:
    """Return how a column writes concepts: by `label`, by `id`, or by `notation` with the form of its codes.

    By default it writes codes if more than half of its linked cells are codes, in the form that most of these have.
    Of joined ontologies, each has its own style.
    """
    taxonomy = scope.taxonomy
    if isinstance(taxonomy, JoinedTaxonomy):
        each = [own_links(links, place, taxonomy) for place in range(len(taxonomy.branches))]
        styles = [concept_style(x, y, writes_codes) for x, y in zip(each, taxonomy.branches, strict=True)]
        return EACH_STYLE.join(styles)
    if writes_codes is not None:
        return form_of_codes(links, taxonomy).style if writes_codes else "label"
    total = coded = by_id = by_notation = 0
    has_notations = bool(taxonomy.lexicon.notation.any())
    for x in links.values():
        if x.concept is not None:
            is_id = x.value == taxonomy.ids[x.concept] != taxonomy.labels[x.concept]
            is_notation = has_notations and is_code(x.value, x.concept, taxonomy)
            total += x.count
            by_id += x.count * is_id
            by_notation += x.count * is_notation
            coded += x.count * (is_id or is_notation)
    if coded * 2 <= total:
        return "label"
    return "id" if by_id > by_notation else form_of_codes(links, taxonomy).style


def concept_writer(taxonomy: Taxonomy, style: str, language: str = "en") -> Callable[[int], str]:
    """Return the function that writes concepts by `label`, `id` or `notation` (those without a notation by id).

    Labels are those of the column's language, where the ontology has one.
    """
    if isinstance(taxonomy, JoinedTaxonomy):
        return _joined_writer(taxonomy, style, language)
    if style.startswith(NOTATION):
        form = CodeForm.of_style(style)
        return lambda c: form.write(taxonomy, c)
    if style == "id":
        return lambda c: taxonomy.ids[c]
    several_languages = bool((taxonomy.lexicon.languages[1:] != taxonomy.lexicon.languages[:-1]).any())

    def label(concept: int) -> str:
        own = taxonomy.lexicon.preferred_term(concept, language) if several_languages else None
        return (own or known_label(taxonomy, concept)).replace("_", " ")

    return label


def _joined_writer(taxonomy: JoinedTaxonomy, style: str, language: str) -> Callable[[int], str]:
    """Return the function that writes concepts of joined ontologies, each in the style of its own."""
    styles = style.split(EACH_STYLE)
    writers = [concept_writer(x.taxonomy, y, language) for x, y in zip(taxonomy.branches, styles, strict=True)]

    def write(concept: int) -> str:
        place = taxonomy.branch_of(concept)
        return taxonomy.labels[concept] if place is None else writers[place](taxonomy.own_concept(concept))

    return write
