"""Named ontologies: which of those at hand knows a column best, by its codes or by its words.

A wrong proposal is worse than none. A name such as `country` lowers the bars, and is never enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from allonym.kinds.proposal.available import NamedOntology
from allonym.kinds.proposal.codes import LEADING_ZERO
from allonym.kinds.proposal.evidence import NOT_INSTALLED, Evidence, percent
from allonym.kinds.proposal.profile import ColumnProfile, Proposal
from allonym.kinds.proposal.screen import Screen
from allonym.kinds.proposal.vocabulary import names_of_ontologies, shapes_of_codes
from allonym.kinds.proposal.words import LinkedWords, linked_words
from allonym.kinds.registry import WORDS
from allonym.ontology.scope import Scope

MIN_SCREENED = 0.5  # share of the cells or of the values that are worth linking
MIN_CODES, MIN_CODES_NAMED = 0.9, 0.8  # share of the cells, and of the values, that must be codes
EXPLICIT, NAMED, UNNAMED = "explicit", "named", "unnamed"  # how the name of a column announces an ontology
MAX_CHANCE = {EXPLICIT: 1.0, NAMED: 0.4, UNNAMED: 1e-4}  # probability that texts are codes by chance
MAX_CHANCE_OF_NUMBERS = {EXPLICIT: 1.0, NAMED: 0.01, UNNAMED: 1e-6}
MIN_WORDS = (0.95, 0.9)  # shares of the cells and of the values that must be words or codes
MIN_WORDS_NAMED = (0.8, 0.75)  # the same where the name announces the ontology
MIN_WORDS_OF_LANGUAGE = (0.75, 0.75)  # the same for ordinary words of another language than English
MIN_VALUES, MIN_VALUES_NAMED = 5, 2
BETTER = 0.2  # how much more values than WordNet an ontology must know that the name does not announce
WORSE = 0.1  # how much fewer it may know if the name announces it
MAX_SIZE = 2  # as a multiple of WordNet's part, if the name announces no ontology and both know the values
TIE = 0.02  # between shares of values


@dataclass(frozen=True, eq=False)
class Fit:
    """How well an ontology knows a column by its codes, or by its words."""

    column: ColumnProfile
    ontology: NamedOntology
    what: str  # codes | words

    @cached_property
    def announced(self) -> str:
        """How the name of the column announces the ontology; `explicit`, if it contains the ontology's."""
        own = self.ontology.name
        names = set(_phrases(self.column.name_words))
        if names & {own, own.replace("-", ""), own.rstrip("0123456789")}:
            return EXPLICIT
        if self.ontology.is_added:  # its words may be any things
            return NAMED if self.column.is_named("things") else UNNAMED
        patterns = (names_of_ontologies(x).get(own) for x in ("names", f"names_of_{self.what}"))
        return NAMED if any(_is_in(names, x) for x in patterns) else UNNAMED

    @property
    def is_named(self) -> bool:
        """Whether the name announces the ontology."""
        return self.announced != UNNAMED

    @property
    def is_plausible(self) -> bool:
        """Whether the ontology is worth opening: it is small, the name announces it, or codes have its shape."""
        if not self.ontology.is_large or self.is_named:
            return True
        shape = shapes_of_codes().get(self.ontology.name)
        if self.what == "words" or shape is None:
            return not self.ontology.has_english and self.what == "words"  # WordNet was asked before
        some = self.column.some
        return 2 * sum(shape.match(x) is not None for x in some) >= len(some)

    @cached_property
    def screen(self) -> Screen:
        """The values that are codes or words as they stand."""
        return Screen.of(self.column, self.ontology)

    @cached_property
    def least(self) -> tuple[float, float]:
        """The shares of cells and of values that must be known."""
        if not self.ontology.has_english:
            return MIN_WORDS_OF_LANGUAGE
        return MIN_WORDS_NAMED if self.is_named else MIN_WORDS

    @cached_property
    def linked(self) -> LinkedWords | None:
        """The links of the column to the ontology; None, where enough words are known as they stand."""
        if _reaches(self.screen.known, self.least):
            return None
        return linked_words(self.column, self.ontology.scope, self.screen.language)

    @cached_property
    def known(self) -> tuple[float, float]:
        """The shares of cells and of values that are words or codes of the ontology."""
        return self.screen.known if self.linked is None else self.linked.exact

    @property
    def coverage(self) -> float:
        """The share of all cells that the ontology knows."""
        return self.screen.coverage(self.column) if self.linked is None else self.linked.coverage(self.column)

    @property
    def rank(self) -> tuple[object, ...]:
        """Among equals, an explicit name comes first, then what the user added, then a much smaller ontology.

        Of the others, the one that the name announces is taken, then the first of the catalog.
        """
        digits = len(str(len(self.ontology.scope.taxonomy)))
        return self.announced != EXPLICIT, not self.ontology.is_added, digits, not self.is_named


def codes_in_numbers(column: ColumnProfile) -> Proposal | None:
    """Propose an ontology of which whole numbers are codes: by the name, or if they have zeros in front."""
    if column.whole_numbers is None or not all(x.isdigit() for x in column.counts) or column.is_named("measured"):
        return None
    zeros = any(LEADING_ZERO.fullmatch(x) for x in column.counts)
    if not (zeros or column.is_named("codes") or _is_announced(column)):
        return None
    return _codes(column, MAX_CHANCE_OF_NUMBERS)


def codes_in_texts(column: ColumnProfile) -> Proposal | None:
    """Propose an ontology of which the texts are codes."""
    return _codes(column, MAX_CHANCE)


def _codes(column: ColumnProfile, max_chance: Mapping[str, float]) -> Proposal | None:
    """Propose the ontology with most of the values among its codes, unless that is likely to be chance."""

    def fits(fit: Fit) -> bool:
        least = MIN_CODES_NAMED if fit.is_named else MIN_CODES
        shares = fit.screen.shares(fit.screen.codes)
        enough = len(fit.screen.codes) >= MIN_VALUES_NAMED and min(shares) >= least
        return enough and fit.screen.chance <= max_chance[fit.announced]

    return _proposal(_best((Fit(column, x, "codes") for x in column.ontologies.named), fits))


def words_of_ontologies(column: ColumnProfile) -> Proposal | None:
    """Propose an ontology that is made for the words of the column, and knows them as they stand."""
    if column.numbers is not None:
        return None
    specific = (Fit(column, x, "words") for x in column.ontologies.named if x.has_english)
    return _proposal(_best(specific, _is_specific))


def words_of_other_languages(column: ColumnProfile) -> Proposal | None:
    """Propose an ontology of another language, if WordNet knows clearly fewer words."""
    general, others = column.ontologies.general, [x for x in column.ontologies.named if not x.has_english]
    if not others or linked_words(column, general).by_values >= MIN_WORDS_OF_LANGUAGE[1]:
        return None

    def fits(fit: Fit) -> bool:
        in_english = linked_words(column, general).exact[1]
        return _reaches(fit.known, fit.least) and fit.known[1] >= in_english + BETTER

    return _proposal(_best((Fit(column, x, "words") for x in others), fits))


def not_installed(column: ColumnProfile) -> list[Evidence]:
    """Return that ontologies are worth installing: the name announces them, and values look like their codes."""
    evidence = []
    for entry in column.ontologies.not_installed:
        shape, names = shapes_of_codes().get(entry.name), names_of_ontologies().get(entry.name)
        if shape is None or not _is_in(_phrases(column.name_words), names):
            continue
        if column.share([x for x in column.counts if shape.fullmatch(x)]) >= MIN_CODES:
            text = f"Its values look like codes of {entry.name}, which is not installed: {entry.how_to_install}."
            evidence.append(Evidence(NOT_INSTALLED, text))
    return evidence


def _is_announced(column: ColumnProfile) -> bool:
    """Tell whether the name announces the codes of an ontology at hand."""
    return any(Fit(column, x, "codes").is_named for x in column.ontologies.named)


def _is_in(names: Iterable[str], pattern: re.Pattern[str] | None) -> bool:
    return pattern is not None and any(pattern.fullmatch(x) for x in names)


def _phrases(words: Sequence[str], longest: int = 3) -> list[str]:
    """Return the words of a name, and those that follow each other as one.

    >>> _phrases(["icd", "10", "code"])
    ['icd', 'icd10', 'icd10code', '10', '10code', 'code']
    """
    return ["".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + longest, len(words)) + 1)]


def _is_specific(fit: Fit) -> bool:
    """Tell whether an ontology is better for the words of a column than WordNet."""
    enough = len(fit.screen.codes | fit.screen.words) >= (MIN_VALUES_NAMED if fit.is_named else MIN_VALUES)
    if not (enough and _reaches(fit.known, fit.least)):
        return False
    if fit.is_named and fit.known[1] >= 1 - WORSE:
        return True
    general = fit.column.ontologies.general
    ordinary = linked_words(fit.column, general)
    if fit.is_named:
        return fit.known[1] >= ordinary.exact[1] - WORSE
    if fit.known[1] >= ordinary.exact[1] + BETTER:
        return True
    root = ordinary.common_root()
    return root is not None and len(fit.ontology.scope.taxonomy) <= MAX_SIZE * len(Scope(general.taxonomy, root[0]))


def _reaches(shares: tuple[float, float], least: tuple[float, float]) -> bool:
    return shares[0] >= least[0] and shares[1] >= least[1]


def _best(fits: Iterable[Fit], is_fitting: Callable[[Fit], bool]) -> Fit | None:
    """Return the ontology that fits and knows most values; of those that know nearly as many, the first by rank.

    A column is linked only to ontologies that know enough of its values as they stand, and more than a better one.
    """
    opened = (x for x in fits if x.is_plausible and x.ontology.is_usable)
    best: Fit | None = None
    for fit in sorted((x for x in opened if max(x.screen.known) >= MIN_SCREENED), key=lambda x: x.rank):
        if best is not None and fit.screen.known[1] <= best.known[1] + TIE:
            continue
        if is_fitting(fit):
            best = fit
    return best


def _proposal(fit: Fit | None) -> Proposal | None:
    """Return the proposal of an ontology, with the shares that it knows."""
    if fit is None:
        return None
    name, what, (cells, values) = fit.ontology.name, fit.what, fit.known
    shares = f"{percent(cells)} of cells and {percent(values)} of values are {what} of {name}."
    evidence = [fit.column.distinct, Evidence(f"{what}-of-ontology", shares)]
    if fit.is_named:
        evidence.append(Evidence("name-of-ontology", f"The name announces values of {name}."))
    elif what == "codes":
        text = f"That so many are codes of {name} by chance has a probability of {fit.screen.chance:.1g}."
        evidence.append(Evidence("no-coincidence", text))
    several = len(fit.ontology.languages) > 1 and fit.screen.language != "en"
    found = Proposal(WORDS, tuple(evidence), ontology=name, coverage=fit.coverage)
    return replace(found, language=fit.screen.language if several else None)
