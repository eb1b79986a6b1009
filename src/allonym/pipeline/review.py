"""Reviewing how words were understood: what each means and may mean, and settling it in a links file."""

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
from allonym.ontology.catalog import is_wordnet, open_ontology, split_root
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.link import REVIEW, SURE, UNMATCHED, Link, link
from allonym.ontology.scope import Scope
from allonym.pipeline import hierarchy_editor as trees
from allonym.pipeline.check import ColumnCheck
from allonym.pipeline.encoding import open_scopes
from allonym.plan.column import Column
from allonym.plan.model import Plan

HAND = "hand"  # in the column `by` of a links file: a person said so
ORDER = {REVIEW: 0, UNMATCHED: 1, SURE: 2}
MOSTLY = 0.6  # share of the cells that must lie under a concept for it to serve as a root
NOTHING = ""  # settles that a value means nothing that the ontology has


@dataclass(frozen=True)
class Sense:
    """A concept as a person reads it."""

    id: str
    label: str
    path: Sequence[str]  # the way up to the root, itself left out
    about: str = ""  # a definition, where there is one, or other words for it


@dataclass(frozen=True)
class Word:
    """A value of a column with its count, what it was taken to mean, and what else it may mean."""

    value: str
    count: int
    status: str
    reason: str
    dropped: str
    sense: Sense | None
    others: Sequence[Sense]
    suggestions: Sequence[str]
    by_hand: bool


@dataclass(frozen=True)
class Review:
    """The words of one column, as they are understood through one of its ontologies."""

    column: ColumnCheck
    place: int = 0
    language: str = "en"

    @property
    def scope(self) -> Scope:
        """The ontology, or the part of it that is meant."""
        return self.column.words[self.place].scope

    def with_status(self, status: str = "", find: str = "") -> list[Link]:
        """Return the links of a status, or all, whose value has a text in it; those to review first, then frequent."""
        here = self.column.words[self.place].here
        settled = self._by_hand
        some = [x for x in here if not status or (x.value in settled if status == HAND else x.status == status)]
        found = [x for x in some if find.casefold() in x.value.casefold()] if find else some
        return sorted(found, key=lambda x: (ORDER[x.status], -x.count, x.value))

    def counts(self) -> dict[str, int]:
        """Return how many values there are of each status, and how many a person settled."""
        here = self.column.words[self.place].here
        found, settled = {status: sum(x.status == status for x in here) for status in ORDER}, self._by_hand
        return found | {HAND: sum(x.value in settled for x in here), "": len(here)}

    @property
    def _by_hand(self) -> set[str]:
        rows = self.column.words[self.place].settled.rows
        return {value for value, row in rows.items() if row.get("by") == HAND}

    def words(self, links: Sequence[Link]) -> list[Word]:
        """Return some links with all that a person needs to judge them."""
        scope, rows, settled = self.scope, self.column.words[self.place].settled.rows, self._by_hand
        options: dict[str, Any] = {"senses": "first", "language": self.language, "individuals": True}
        discard_style = {x.value: x for x in link({x.value: 1 for x in links}, scope, **options)}
        found = []
        for x in links:
            may = [
                c
                for c in (discard_style[x.value].concept, *discard_style[x.value].alternatives)
                if c is not None and c != x.concept
            ]
            known = rows.get(x.value, {})
            reason = known.get("reason") or x.reason if x.reason == "settled" else x.reason
            dropped = x.dropped or (known.get("dropped", "") if x.reason == "settled" else "")
            sense = None if x.concept is None else sense_of(scope, x.concept)
            others = [sense_of(scope, c) for c in may]
            found.append(
                Word(x.value, x.count, x.status, reason, dropped, sense, others, discard_style[x.value].suggestions,
                     x.value in settled)
            )  # fmt: skip
        return found

    def settled(self, changes: Mapping[str, str | None]) -> str:
        """Return the links file in which some values are settled: as an id or a word, as `NOTHING`, or as they are.

        The whole column goes into it, as by `allonym check --write`: what nobody has looked at stays to be reviewed.
        """
        words, scope = self.column.words[self.place], self.scope
        before: dict[str, Mapping[str, str]] = dict(words.settled.rows)
        links = dict(words.links)
        wrong = [text for text in changes.values() if text and not concepts(scope, text, self.language)]
        if wrong:
            raise LinksError(
                f"{scope.name} has neither a word nor an id {wrong[0]!r}.",
                hint=f"{scope.taxonomy.hint(wrong[0])} An id (dog.n.01), a word or dog#2 will do.",
                values=wrong,
            )
        for value, text in changes.items():
            if value not in links:
                continue
            old = links[value]
            known = before.get(value) or links_files.rows_of([old], scope)[0]
            code = old.concept if text is None else concepts(scope, text, self.language)[0] if text else None
            before[value] = {**known, "status": SURE, "by": HAND}
            links[value] = Link(value, old.count, code, "settled", UNMATCHED if code is None else SURE)
        return links_files.to_csv(links.values(), scope, before)


def concepts(scope: Scope, text: str, language: str = "en") -> list[int]:
    """Return the concepts that an id stands for wherever it lies, or a word under the root; most usual first."""
    known = scope.taxonomy.find(text.strip())
    return [known] if known is not None else [c for c in scope.taxonomy.senses(text.strip(), language) if c in scope]


def sense_of(scope: Scope, concept: int) -> Sense:
    """Return a concept as a person reads it."""
    taxonomy = scope.taxonomy
    path = [taxonomy.labels[c].replace("_", " ") for c in taxonomy.path(concept, scope.root)[1:]]
    about = (taxonomy.definitions[concept] if taxonomy.definitions is not None else "") or ", ".join(
        term.replace("_", " ") for term in taxonomy.lexicon.terms(concept) if term != taxonomy.labels[concept]
    )
    return Sense(taxonomy.ids[concept], taxonomy.labels[concept].replace("_", " "), path, about)


def search(column: Column, folder: Path, text: str, place: int = 0, most: int = 12) -> list[Sense]:
    """Return the senses of a word, or of words spelled like it, that a column may mean."""
    from allonym.ontology.linking.suggest import similar_words

    scope = open_scopes(column, folder)[place]
    found = concepts(scope, text, column.language)
    if not found and text.strip():
        close = similar_words(scope.taxonomy.lexicon, [text], scope.members)[0]
        found = [c for word in close for c in concepts(scope, word, column.language)]
    return [sense_of(scope, c) for c in dict.fromkeys(found[:most])]


def by_hand(text: str) -> str:
    """Return of a links file what a person settled; all of it, if it does not tell who did."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows or "by" not in rows[0]:
        return text
    own = [row for row in rows if row["by"] == HAND]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, ["value", "concept", "status", "by"], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(own)
    return out.getvalue() if own else ""


def carried_over(before: Column, after: Column, folder: Path) -> tuple[Column, dict[str, bytes]]:
    """Return a column that is understood through another part of its ontologies, and its links files.

    What a person settled stays settled; the rest is understood anew. Through other ontologies, all of it is.
    """
    if not before.links or not all(isinstance(x, str) for x in before.links):
        return after, {}
    if not takes_option(after.kind, "links") or after.role not in ("quasi", "sensitive"):
        return after, {}
    was, now = before.ontology or ("wordnet",), after.ontology or ("wordnet",)
    if (now, after.root) == (was, before.root):
        return replace(after, links=before.links), {}
    if [_ontology_of(x) for x in was] != [_ontology_of(x) for x in now]:
        return after, {}
    texts = {str(x): by_hand((folder / str(x)).read_text("utf-8-sig")) for x in before.links}
    if not all(texts.values()):
        return after, {}
    return replace(after, links=before.links), {name: text.encode() for name, text in texts.items()}


def _ontology_of(name: Any) -> str:
    return "wordnet" if is_wordnet(str(name)) else str(name).partition("#")[0]


def with_files(plan: Plan, move: Callable[[str], str]) -> Plan:
    """Return a plan whose files (links, ontologies, hierarchies, levels, candidates) are named otherwise."""
    return replace(plan, columns={name: _moved(column, plan.folder, move) for name, column in plan.columns.items()})


def _moved(column: Column, folder: Path, move: Callable[[str], str]) -> Column:
    changed: dict[str, Any] = {"links": tuple(move(str(x)) if not isinstance(x, Mapping) else x for x in column.links)}
    changed["ontology"] = tuple(_renamed(x, folder, move) if isinstance(x, str) else x for x in column.ontology)
    for name in ("hierarchy", "levels", "candidates"):
        given = getattr(column, name)
        changed[name] = move(str(given)) if isinstance(given, (str, Path)) and str(given) else given
    return replace(column, **changed)


def _renamed(ontology: str, folder: Path, move: Callable[[str], str]) -> str:
    if is_wordnet(ontology):
        return ontology
    path, root = split_root(ontology, folder)
    return f"{move(path)}{root}"


def files_of(plan: Plan) -> list[str]:
    """Return the files that a plan names, each once, as it names them."""
    found: list[str] = []

    def note(path: str) -> str:
        found.append(path)
        return path

    with_files(plan, note)
    return list(dict.fromkeys(found))


def roots(column: ColumnCheck, place: int = 0, most: int = 6) -> list[tuple[Sense, float]]:
    """Return concepts that may serve as the root of a column, narrow ones first, with the share of cells under each."""
    words = column.words[place]
    taxonomy = words.scope.taxonomy
    here = [(x.concept, x.count) for x in words.here if x.concept is not None]
    if not here:
        return []
    own, counts = np.array([x for x, _ in here], np.int64), np.array([n for _, n in here], np.float64)
    starts, above, _ = taxonomy.closure(own)
    under = np.bincount(above, weights=np.repeat(counts, np.diff(starts)), minlength=len(taxonomy))
    wide = np.setdiff1d(np.flatnonzero(under >= MOSTLY * counts.sum()), [*own, taxonomy.root])
    best: dict[float, int] = {}  # of concepts with the same words below them, the narrowest
    for c in wide[np.argsort(-taxonomy.depth[wide], kind="stable")].tolist():
        best.setdefault(float(under[c]), c)
    whole = Scope(taxonomy, taxonomy.root)
    return [(sense_of(whole, best[rows]), rows / counts.sum()) for rows in sorted(best, reverse=True)[:most]]


def tried(use: str, path: Path) -> None:
    """Read a file that is to be an ontology, a hierarchy or links, and refuse it at once where it is none."""
    if use == "ontology":
        open_ontology(str(path))
    elif use == "hierarchy":
        trees.read(path)
    else:
        links_files.read(path)
