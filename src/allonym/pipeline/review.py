"""Reviewing the links of words: which concept each has, which others it may have, and settling it in a links file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from allonym.errors import LinksError
from allonym.kinds.registry import takes_option
from allonym.ontology.catalog import is_named, name_and_root, open_ontology, split_root
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.accept import SUGGESTED
from allonym.ontology.linking.link import NARROWER, REVIEW, SAME, SURE, UNMATCHED, Link
from allonym.ontology.linking.readings.abbreviations import read_abbreviations
from allonym.ontology.linking.review_order import ReviewProgress, in_review_order, is_open
from allonym.ontology.linking.several import link
from allonym.ontology.scope import Scope
from allonym.pipeline.check import ColumnCheck
from allonym.pipeline.encoding import open_scopes
from allonym.pipeline.hierarchies import editor as trees
from allonym.plan.column import Column
from allonym.plan.model import Plan

HAND = links_files.HAND
STATUSES = (REVIEW, UNMATCHED, SURE)
MIN_UNDER_ROOT = 0.6  # share of the cells that must lie under a concept that may be a root
MISSPELLED = ("similar", SUGGESTED)  # reasons of links to words that are spelled like a value
NOTHING = ""  # settles that the ontology has no concept for a value


@dataclass(frozen=True)
class Sense:
    """A concept, described for a person."""

    id: str
    label: str
    path: Sequence[str]  # from its parent up to the root
    about: str = ""  # a definition if there is one, else synonyms

    @property
    def short(self) -> str:
        """The beginning of the definition, or else the nearest ancestors, for a line of a list."""
        return links_files.first_clause(self.about) if self.about else " › ".join(self.path[:3])


@dataclass(frozen=True)
class Word:
    """A value of a column with its count, its linked concept, and other concepts it may mean."""

    value: str
    count: int
    status: str
    reason: str
    dropped: str
    sense: Sense | None
    others: Sequence[Sense]
    suggestions: Sequence[str]
    by_hand: bool
    variants: Sequence[str] = ()  # other spellings that are still to be reviewed
    cluster: Sense | None = None  # what the most frequent spelling means, if that is settled


@dataclass(frozen=True)
class Review:
    """The links of one column's words to one of its ontologies."""

    column: ColumnCheck
    place: int = 0
    language: str = "en"

    @property
    def scope(self) -> Scope:
        """The ontology, or the part of it under the column's root."""
        return self.column.words[self.place].scope

    def with_status(self, status: str = "", find: str = "") -> list[Link]:
        """Return the links of a status, or all, whose value contains a text: those worth review most first."""
        present = self.column.words[self.place].present
        settled, text = self._by_hand, find.casefold()
        chosen = [x for x in present if not status or (x.value in settled if status == HAND else x.status == status)]
        return in_review_order(x for x in chosen if text in x.value.casefold())

    def counts(self) -> dict[str, int]:
        """Return the number of values of each status, of those settled by a person, and of all."""
        present, settled = self.column.words[self.place].present, self._by_hand
        counts = {status: sum(x.status == status for x in present) for status in STATUSES}
        return counts | {HAND: sum(x.value in settled for x in present), "": len(present)}

    @property
    def progress(self) -> ReviewProgress:
        """How many cells are settled, and which values to review first."""
        return ReviewProgress.of(self.column.words[self.place].present)

    @property
    def _by_hand(self) -> set[str]:
        rows = self.column.words[self.place].settled.rows
        return {value for value, row in rows.items() if row.get("by") == HAND}

    def _spellings(self, value: str) -> list[Link]:
        """Return the links of all spellings of a value, with itself."""
        words = self.column.words[self.place]
        if value not in words.clusters:
            return [words.to_review[value]]
        return [words.to_review[x] for x, name in words.clusters.items() if name == words.clusters[value]]

    def variants(self, value: str) -> list[Link]:
        """Return the other spellings of a value that are still to be reviewed, in review order."""
        return in_review_order(x for x in self._spellings(value) if x.value != value and is_open(x))

    def _relation(self, value: str, concept: int | None) -> str:
        """Return how a value relates to a concept that a person chose: as a spelling of it was proposed, else same.

        A misspelled word that a person accepts is the same.
        """
        spellings = [x for x in self._spellings(value) if x.reason not in MISSPELLED]
        proposed = [x for x in spellings if concept in (x.concept, *x.alternatives)]
        return NARROWER if concept is not None and any(x.relation == NARROWER for x in proposed) else SAME

    def _meaning_of_cluster(self, value: str) -> Sense | None:
        """Return what the most frequent spelling of a value means, if that is another one, and settled."""
        words = self.column.words[self.place]
        name = words.clusters.get(value, value)
        concept = words.to_review[name].concept
        settled = name != value and not is_open(words.to_review[name])
        return sense_of(self.scope, concept) if settled and concept is not None else None

    def words(self, links: Sequence[Link]) -> list[Word]:
        """Return some links with all that a person needs to review them."""
        scope, rows, settled = self.scope, self.column.words[self.place].settled.rows, self._by_hand
        options: dict[str, Any] = {"senses": "first", "language": self.language, "individuals": True}
        options["abbreviations"] = self.column.words[self.place].abbreviations
        by_senses = {x.value: x for x in link({x.value: 1 for x in links}, scope, **options)}
        words = []
        for x in links:
            senses = by_senses[x.value]
            others = [c for c in (senses.concept, *senses.alternatives) if c is not None and c != x.concept]
            row = rows.get(x.value, {}) if x.reason == "settled" else {}
            word = Word(
                value=x.value,
                count=x.count,
                status=x.status,
                reason=row.get("reason") or x.reason,
                dropped=x.dropped or row.get("dropped", ""),
                sense=None if x.concept is None else sense_of(scope, x.concept),
                others=[sense_of(scope, c) for c in others],
                suggestions=self._suggestions(x, senses),
                by_hand=x.value in settled,
                variants=[y.value for y in self.variants(x.value)] if is_open(x) else [],
                cluster=self._meaning_of_cluster(x.value) if is_open(x) else None,
            )
            words.append(word)
        return words

    def _suggestions(self, link: Link, senses: Link) -> list[str]:
        """Return the suggestions for a value that are not among its senses."""
        suggested = self.column.words[self.place].suggested.get(link.value, senses).suggestions
        known = {link.concept, senses.concept, *senses.alternatives}
        return [x for x in suggested if not known.intersection(concepts(self.scope, x, self.language)[:1])]

    def settled(self, changes: Mapping[str, str | None]) -> str:
        """Return the links file with changes: values become an id or a word, `NOTHING`, or (None) stay as they are.

        The file holds the whole column, as by `allonym check --write`; unchanged values keep their status.
        """
        words, scope = self.column.words[self.place], self.scope
        before: dict[str, Mapping[str, str]] = dict(words.settled.rows)
        links = {**words.to_review, **words.suggested}
        wrong = [text for text in changes.values() if text and not concepts(scope, text, self.language)]
        if wrong:
            raise LinksError(
                f"{scope.name} has neither a word nor an id {wrong[0]!r}.",
                hint=f"{scope.taxonomy.hint(wrong[0])} Type an id (dog.n.01), a word, or a word and its sense (dog#2).",
                values=wrong,
            )
        for value, text in changes.items():
            if value not in links:
                continue
            old = links[value]
            known = before.get(value) or links_files.rows_of([old], scope)[0]
            code = old.concept if text is None else concepts(scope, text, self.language)[0] if text else None
            before[value] = {**known, "status": SURE, "by": HAND}
            relation = self._relation(value, code)
            status = UNMATCHED if code is None else SURE
            links[value] = Link(value, old.count, code, "settled", status, relation=relation)
        return links_files.to_csv(links.values(), scope, before, self.language)


def concepts(scope: Scope, text: str, language: str = "en") -> list[int]:
    """Return the concept of an id, or the concepts of a word under the root, most usual first."""
    by_id = scope.taxonomy.find(text.strip())
    if by_id is not None:
        return [by_id]
    language = scope.taxonomy.lexicon.language(language)
    return [c for c in scope.taxonomy.senses(text.strip(), language) if c in scope]


def sense_of(scope: Scope, concept: int) -> Sense:
    """Return a concept, described for a person."""
    taxonomy = scope.taxonomy
    path = [taxonomy.labels[c].replace("_", " ") for c in taxonomy.path(concept, scope.root)[1:]]
    about = taxonomy.definition(concept) or ", ".join(
        term.replace("_", " ") for term in taxonomy.lexicon.terms(concept) if term != taxonomy.labels[concept]
    )
    return Sense(taxonomy.ids[concept], taxonomy.labels[concept].replace("_", " "), path, about)


def search(column: Column, folder: Path, text: str, place: int = 0, most: int = 12) -> list[Sense]:
    """Return the senses of a word, or of similar words, in an ontology of a column."""
    from allonym.ontology.linking.suggest import similar_words

    scopes = open_scopes(column, folder)
    scope = scopes[min(place, len(scopes) - 1)]
    matches = concepts(scope, text, column.language)
    if not matches and text.strip():
        close = similar_words(scope.taxonomy.lexicon, [text], scope.members, language=column.language)[0]
        matches = [c for word in close for c in concepts(scope, word, column.language)]
    return [sense_of(scope, c) for c in dict.fromkeys(matches[:most])]


def senses_of(column: Column, folder: Path, texts: Sequence[str], most: int = 8) -> dict[str, list[Sense]]:
    """Return the senses of some texts in the first ontology of a column; a text without any has an empty list."""
    scope = open_scopes(column, folder)[0]
    return {text: [sense_of(scope, c) for c in concepts(scope, text, column.language)[:most]] for text in texts}


def by_hand(text: str) -> str:
    """Return the rows of a links file that a person settled; all rows, if it has no column `by`."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows or "by" not in rows[0]:
        return text
    own = [row for row in rows if row["by"] == HAND]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(
        out, ["value", "concept", "relation", "status", "by"], extrasaction="ignore", lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(own)
    return out.getvalue() if own else ""


def carried_over(before: Column, after: Column, folder: Path) -> tuple[Column, dict[str, bytes]]:
    """Return a changed column with the links that still apply, and the new texts of its links files.

    With another root, links settled by a person stay and the others are linked again. With other ontologies, all are.
    """
    if not before.links or not all(isinstance(x, str) for x in before.links):
        return after, {}
    if not takes_option(after.kind, "links") or after.role not in ("quasi", "sensitive"):
        return after, {}
    was, now = before.ontology or ("wordnet",), after.ontology or ("wordnet",)
    if (now, after.root, after.joins_ontologies) == (was, before.root, before.joins_ontologies):
        return replace(after, links=before.links), {}
    same_ontologies = [_ontology_of(x) for x in was] == [_ontology_of(x) for x in now]
    if not same_ontologies or before.joins_ontologies != after.joins_ontologies:
        return after, {}
    texts = {str(x): by_hand((folder / str(x)).read_text("utf-8-sig")) for x in before.links}
    if not all(texts.values()):
        return after, {}
    return replace(after, links=before.links), {name: text.encode() for name, text in texts.items()}


def _ontology_of(name: Any) -> str:
    return name_and_root(str(name))[0]


def with_files(plan: Plan, move: Callable[[str], str]) -> Plan:
    """Return a plan with other names for its files: links, ontologies, hierarchies, abbreviations, …"""
    return replace(plan, columns={name: _moved(column, plan.folder, move) for name, column in plan.columns.items()})


def _moved(column: Column, folder: Path, move: Callable[[str], str]) -> Column:
    changed: dict[str, Any] = {"links": tuple(move(str(x)) if not isinstance(x, Mapping) else x for x in column.links)}
    changed["ontology"] = tuple(_renamed(x, folder, move) if isinstance(x, str) else x for x in column.ontology)
    for name in ("hierarchy", "levels", "candidates", "abbreviations"):
        path = getattr(column, name)
        changed[name] = move(str(path)) if isinstance(path, (str, Path)) and str(path) else path
    return replace(column, **changed)


def _renamed(ontology: str, folder: Path, move: Callable[[str], str]) -> str:
    if is_named(ontology):
        return ontology
    path, root = split_root(ontology, folder)
    return f"{move(path)}{root}"


def files_of(plan: Plan) -> list[str]:
    """Return the files that a plan names, each once."""
    files: list[str] = []

    def note(path: str) -> str:
        files.append(path)
        return path

    with_files(plan, note)
    return list(dict.fromkeys(files))


def roots(column: ColumnCheck, place: int = 0, most: int = 6) -> list[tuple[Sense, float]]:
    """Return concepts that may be the root of a column, with the share of cells under each, largest share first."""
    words = column.words[place]
    taxonomy = words.scope.taxonomy
    linked = [(x.concept, x.count) for x in words.present if x.concept is not None]
    if not linked:
        return []
    own, counts = np.array([x for x, _ in linked], np.int64), np.array([n for _, n in linked], np.float64)
    starts, above, _ = taxonomy.closure(own)
    under = np.bincount(above, weights=np.repeat(counts, np.diff(starts)), minlength=len(taxonomy))
    wide = np.setdiff1d(np.flatnonzero(under >= MIN_UNDER_ROOT * counts.sum()), [*own, taxonomy.root])
    best: dict[float, int] = {}  # the narrowest of concepts with the same share
    for c in wide[np.argsort(-taxonomy.depth[wide], kind="stable")].tolist():
        best.setdefault(float(under[c]), c)
    whole = Scope(taxonomy, taxonomy.root)
    return [(sense_of(whole, best[rows]), rows / counts.sum()) for rows in sorted(best, reverse=True)[:most]]


def tried(use: str, path: Path) -> None:
    """Read a file as an ontology, a hierarchy, abbreviations or links, and raise an error if it is none."""
    if use == "ontology":
        open_ontology(str(path))
    elif use == "hierarchy":
        trees.read(path)
    elif use == "abbreviations":
        read_abbreviations(path)
    else:
        links_files.read(path)
