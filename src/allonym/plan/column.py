"""A column of a plan: its role, its kind, and how its words are linked to an ontology."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from allonym.errors import PlanError, Problem
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.ranges.coding import AUTOMATIC
from allonym.kinds.registry import KINDS, WORDS, kind_named, takes_option
from allonym.kinds.set_metric import SET_DISTANCES
from allonym.methods.base import KAnonymityMethod, Method
from allonym.ontology.content import CONTENTS
from allonym.ontology.linking.accept import ACCEPT, REST, is_accepted
from allonym.ontology.linking.languages import LANGUAGES
from allonym.ontology.linking.link import BEST_PAIR, Link
from allonym.ontology.scope import Scope
from allonym.ontology.similarity import DEFAULT_CONTENT, DEPTHS, MEASURES, weights_problem
from allonym.ontology.taxonomy import Taxonomy
from allonym.parameters import REQUIRED, is_number, parameter, problems_of, unknown

ROLES = ("identifier", "quasi", "sensitive", "unit", "household", "weight", "keep")
DROPPED_ROLES = ("identifier", "unit", "household")  # of columns that a release drops; a long table numbers its units
UNMATCHED = ("error", "opaque", "suppress")
SENSES = ("coherent", "first", BEST_PAIR)
REPRESENT = ("mean", "median", "range", "day", "month", "quarter", "year", "consensus", "medoid")  # of some kinds each
COMBINE = ("first", "blend")
Ontology = str | Scope | Taxonomy
Links = str | Path | Mapping[str, str | tuple[str, str]]  # a concept, or a concept and `same` or `narrower`


@dataclass(frozen=True)
class Column:
    """One column of a plan. Without a kind, numbers are numeric and words are linked to WordNet."""

    role: str = parameter(REQUIRED, "What the column is used for.", choices=ROLES)
    kind: str | None = parameter(None, "What its values are; by default recognised.", choices=KINDS)
    ontology: tuple[Ontology, ...] = parameter(
        (), "Name or file of the ontology, or of several: see `combine`.", many=True
    )
    root: str | None = parameter(None, "Concept above all meanings and replacements: a word or an id.")
    levels: str | Path | tuple[str, ...] = parameter(
        (), "Levels of an ordinal column, lowest first, or a file with one per line.", many=True
    )
    similarity: str | None = parameter(
        None, "Similarity measure: by default wu-palmer; for sets, ancestor-overlap.", choices=tuple(MEASURES)
    )
    depth: str = parameter("nodes", "How the depth of a concept is counted.", choices=tuple(DEPTHS))
    content: str = parameter(
        DEFAULT_CONTENT,
        "Information content for the measures resnik, lin and jiang-conrath: by the concepts below (seco, "
        "sanchez-batet), or by the counts of words in a corpus.",
        choices=tuple(CONTENTS),
        option="content",
    )
    feature_weights: str | tuple[float, ...] = parameter(
        "auto",
        "Weights of synonyms, parts and neighbourhoods for the measure rodriguez-egenhofer, which sum to 1; auto: "
        "equal ones, of parts only if the ontology has parts.",
        type=float,
        many=True,
        words=("auto",),
        option="feature-weights",
    )
    senses: str | None = parameter(
        None,
        "How the sense of a word is chosen: by default coherent; for exponential, first. With best-pair, words keep "
        "all senses, and two are compared by their closest ones: for the method fusion, and to evaluate a release.",
        choices=SENSES,
        option="senses",
    )
    individuals: bool | None = parameter(
        None,
        "Words may mean named individuals; by default, if at least half of the values do, and items of sets where "
        "hardly anything else has their name.",
        type=bool,
        option="individuals",
    )
    links: tuple[Links, ...] = parameter((), "Reviewed links file; of blended ontologies, one for each.", many=True)
    separator: str = parameter(";", "Separator between the items of a set in text.")
    distance: str = parameter("min-sum", "Distance between sets.", choices=SET_DISTANCES)
    elements: str = parameter("text", "Items of sets: words, or categories.", choices=("text", "category"))
    phrases: bool = parameter(False, "Link each noun phrase of an item of a set.", option="phrases")
    candidates: str | Path | tuple[str, ...] = parameter(
        (), "Possible replacements for exponential and noise, or a file with one per line.", many=True
    )
    hierarchy: str | Path | None = parameter(None, "File with a hierarchy of the values.")
    unmatched: str = parameter("error", "What happens to words without a concept.", choices=UNMATCHED)
    accept_review: bool = parameter(False, "The same as accept = review.")
    accept: str = parameter(
        "sure",
        "Links that count without a person's review: sure ones, also those to review, or also the first suggestions "
        "for unmatched words.",
        choices=ACCEPT,
    )
    rest: str = parameter(
        "error",
        "What happens to words without an accepted link: they stop the run, or are categories.",
        choices=REST,
    )
    combine: str = parameter(
        "first",
        "Of several ontologies, the first that knows a word decides, or all are blended: each pair is compared "
        "by the one that finds it most alike.",
        choices=COMBINE,
    )
    ceiling: str | tuple[str, ...] = parameter(
        (),
        "Concepts that are too general to stand for different words, with all above them: ids or words, or none. "
        "By default the root, abstract concepts, and those that are true of nearly all records.",
        many=True,
    )
    missing: str | tuple[str, ...] = parameter(
        (), "Missing-value markers of the column, besides those of the plan.", many=True
    )
    max_distance: float | None = parameter(
        None,
        "How far the value of a group may be from each value that it replaces, as a distance; where it is farther, "
        "the cell is null. By default, with represent = auto or truthful: 0.4 for words, 0.25 of the range for "
        "numbers; with truthful, 0.6 for sets. 1: no bound.",
        above=0,
        maximum=1,
        type=float,
    )
    weight: float = parameter(1.0, "Weight of the column in distances.", above=0)
    language: str = parameter("en", "Language of the words; by default English, or the only one of the ontology.")
    abbreviations: str | Path | Mapping[str, Sequence[str]] | None = parameter(
        None, "CSV file with abbreviations of the words (columns short, long); they come before the built-in ones."
    )
    confirmed: bool = parameter(
        False, "Keep the column although it holds identifiers, or gives away a masked or dropped column."
    )
    p_percent: float = parameter(
        DominanceRule.p,
        "Numbers: no mean or range of a group lets a person be estimated to within p %; 0: off.",
        minimum=0,
        below=100,
    )
    dominance_n: int = parameter(
        DominanceRule.n, "Numbers: how many persons may not have most of the sum of a group.", minimum=1
    )
    dominance_k: float = parameter(
        DominanceRule.k, "Numbers: the share of the sum, in %, that they may have; 100: off.", above=0, maximum=100
    )
    round: float | None = parameter(
        None, "Numbers: round to a multiple of this before anything else.", type=float, above=0, option="round"
    )
    ranges: str | tuple[float, ...] = parameter(
        (),
        "Numbers: lower limits of fixed classes, ascending; or auto, for readable ones.",
        type=float,
        many=True,
        words=(AUTOMATIC,),
        option="ranges",
    )
    top: float | None = parameter(
        None,
        "Numbers: code all from here on as this number, or as an open range (65 or more).",
        type=float,
        option="top",
    )
    bottom: float | None = parameter(
        None, "Numbers: code all below as this number, or as an open range (under 18).", type=float, option="bottom"
    )
    represent: str | None = parameter(
        None,
        "What replaces the values of a group, whatever the method says. Numbers: the mean, the median or a range. "
        "Dates: the mean day, or periods of at least a month, quarter or year that are true of all, or the narrowest "
        "range. Sets: the consensus (nobody's set), or the medoid (a member's).",
        choices=REPRESENT,
        option="represent-column",
    )
    day_first: bool | None = parameter(
        None, "Dates: whether the day is before the month in 4/3/2021; by default, as the column says.", type=bool
    )
    min_prefix: int = parameter(1, "Codes: fewest characters of a prefix that is written; else null.", minimum=1)

    @property
    def measure(self) -> str:
        """The measure of similarity."""
        kind = self.kind if self.kind in KINDS else WORDS
        return self.similarity or kind_named(kind or WORDS).default_measure

    @property
    def weights_of_features(self) -> tuple[float, ...] | None:
        """The weights of synonyms, parts and neighbourhoods; None, if the measure chooses them."""
        return None if isinstance(self.feature_weights, str) else tuple(self.feature_weights)

    @property
    def accepted(self) -> str:
        """Which links count without a person's review."""
        return "review" if self.accept_review and self.accept == "sure" else self.accept

    @property
    def joins_ontologies(self) -> bool:
        """Whether it has several ontologies that count as one, in which the first that knows a word decides."""
        return len(self.ontology) > 1 and self.combine == "first"

    @property
    def _is_blended(self) -> bool:
        return len(self.ontology) > 1 and self.combine == "blend"

    @property
    def keeps_unmatched(self) -> bool:
        """Whether words without a concept are values of their own."""
        return self.unmatched == "opaque" or (self.unmatched == "error" and self.rest == "category")

    def blocking(self, links: Iterable[Link]) -> list[Link]:
        """Return the links that stop a run: of a quasi-identifier, those that are neither accepted nor categories."""
        if self.role != "quasi" or self.rest == "category":
            return []
        return [
            x for x in links if (self.unmatched == "error" if x.concept is None else not is_accepted(x, self.accepted))
        ]

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with the column, whatever the table."""
        yield from problems_of(self, skip=_PATHS)
        if isinstance(self.language, str) and self.language.partition("-")[0].lower() not in LANGUAGES:
            yield unknown("language", self.language, list(LANGUAGES))
        if self.role in ROLES and self.role not in ("quasi", "sensitive"):
            if self != Column(self.role, confirmed=self.role == "keep" and self.confirmed):
                text = f"a column with role {self.role} takes no other option."
                yield Problem("option-of-role", text, "leave them out.")
        elif self.kind is None or self.kind in KINDS:
            yield from self._problems_of_kind()
        ontologies = max(len(self.ontology), 1)
        if self.links and len(self.links) != (1 if self.joins_ontologies else ontologies):
            text = f"there are {len(self.links)} links files for {ontologies} ontologies."
            hint = "give one links file; only with combine = blend, each ontology has one."
            yield Problem("links-of-ontologies", text, hint)

    def problems_with(self, method: type[Method], name: str) -> Iterator[Problem]:
        """Yield which options do not apply to a method that masks single records, and not groups."""
        grouped = kind_named(self.kind).grouped_options if self.kind in KINDS else frozenset()
        default = Column(self.role)
        for option in OPTIONS if not issubclass(method, KAnonymityMethod) else ():
            if option in grouped and getattr(self, option) != getattr(default, option):
                text = f"{option} does not apply to method {name}, which masks single records."
                yield Problem("option-of-method", text, "leave it out, or choose a method that groups records.")

    def _problems_of_kind(self) -> Iterator[Problem]:
        kind, default = self.kind or WORDS, Column(self.role)
        for option in _OF_KINDS:
            if getattr(self, option) != getattr(default, option) and not takes_option(kind, option):
                others = [x for x in KINDS if takes_option(x, option)]
                text = f"{option} does not apply to a column of kind {kind}."
                yield Problem("option-of-kind", text, f"leave it out, or choose the kind {' or '.join(others)}.")
        names = kind_named(kind).representatives
        if self.represent in REPRESENT and takes_option(kind, "represent") and self.represent not in names:
            text = f"a column of kind {kind} cannot be represented by {self.represent}."
            yield Problem("represent-of-kind", text, f"choose {', '.join(names)}.")
        if self.role in ROLES and self.role not in kind_named(kind).roles:
            text = f"a column of kind {kind} cannot have the role {self.role}."
            yield Problem("role-of-kind", text, f"its role can be {' or '.join(kind_named(kind).roles)}.")
        yield from kind_named(kind).problems(self)
        if self.senses == BEST_PAIR and (kind != WORDS or self.role != "quasi" or self._is_blended):
            text = (
                "senses = best-pair applies to quasi-identifiers of words with one ontology, or with combine = first."
            )
            yield Problem("best-pair", text, "leave it out.")
        weights = self.weights_of_features
        if weights is not None and all(map(is_number, weights)) and (problem := weights_problem(weights)):
            yield Problem("feature-weights", problem, "for example 0.3, 0.2, 0.5.")
        for option in ("candidates", "hierarchy", "round", "ranges", "top", "bottom", "represent"):
            if self.role != "quasi" and getattr(self, option) not in (None, ()):
                yield Problem("option-of-role", f"{option} applies to quasi-identifiers only.", "leave it out.")
        if self.rest == "category" and self.unmatched == "suppress":
            text = "rest = category keeps words without a concept, unmatched = suppress removes them."
            yield Problem("rest-and-unmatched", text, "leave one of them out.")
        if self.confirmed:
            yield Problem("option-of-role", "confirmed applies to columns with role keep only.", "leave it out.")


OPTIONS = tuple(f.name for f in fields(Column))
_PATHS = ("ontology", "links", "levels", "candidates", "hierarchy", "abbreviations")  # paths, or objects in Python
_OF_KINDS = (
    "ontology",
    "root",
    "ceiling",
    "links",
    "abbreviations",
    "levels",
    "separator",
    "distance",
    "elements",
    "phrases",
    "candidates",
    "hierarchy",
    "min_prefix",
    "day_first",
    "round",
    "ranges",
    "top",
    "bottom",
    "represent",
)  # fmt: skip; others are ignored where they do not apply


def identifier() -> Column:
    """Return the role of a column that identifies a person: it is dropped."""
    return Column("identifier")


def unit() -> Column:
    """Return the role of the column that holds the person of each row: k counts persons; it is dropped."""
    return Column("unit")


def household() -> Column:
    """Return the role of the column that holds the household of each row: k counts households too; it is dropped."""
    return Column("household")


def weight() -> Column:
    """Return the role of a survey weight: it serves utility, never k, and stays."""
    return Column("weight")


def keep(*, confirmed: bool = False) -> Column:
    """Return the role of a column that is kept unchanged.

    `confirmed`: also if it holds identifiers, or gives away a column that is masked or dropped.
    """
    return Column("keep", confirmed=confirmed)


def quasi(what: Any = None, **options: Any) -> Column:
    """Return the role of a quasi-identifier, which others may know: it is masked.

    `what` is an ontology (or a list of several) such as `"wordnet:person"` or `"jobs.obo"`, or a kind: `"numeric"`,
    `"category"`, or `"ordinal"` with `levels=[…]`. Options are those of `Column`.

    >>> quasi("wordnet:person", weight=2).ontology
    ('wordnet:person',)
    """
    return described("quasi", what, **options)


def sensitive(what: Any = None, **options: Any) -> Column:
    """Return the role of a sensitive column, whose values nobody should learn about a person: it is kept unchanged."""
    return described("sensitive", what, **options)


def described(role: str, what: Any = None, **options: Any) -> Column:
    """Return a column from a role and one word for its kind or ontology, as on the command line."""
    problems = [unknown("option", name, OPTIONS[1:]) for name in options if name not in OPTIONS]
    if problems:
        raise PlanError(problems)
    settings = dict(options)
    kind, _, argument = what.partition(":") if isinstance(what, str) else ("", "", "")
    if argument and kind in KINDS and kind_named(kind).argument:
        settings |= {"kind": kind, kind_named(kind).argument: argument}
    elif isinstance(what, str) and what in KINDS:
        settings["kind"] = what
    elif what is not None:
        settings["ontology"] = what
    for name in ("ontology", "links"):
        if name in settings and not isinstance(settings[name], (list, tuple)):
            settings[name] = (settings[name],)
        settings[name] = tuple(settings.get(name, ()))
    if isinstance(settings.get("missing"), str):
        settings["missing"] = (settings["missing"],)
    for name in ("levels", "candidates", "ceiling", "missing"):
        if isinstance(settings.get(name), list):
            settings[name] = tuple(str(x) for x in settings[name])
    for name in ("ranges", "feature_weights"):
        if isinstance(settings.get(name), list):
            settings[name] = tuple(settings[name])
    return Column(role, **settings)
