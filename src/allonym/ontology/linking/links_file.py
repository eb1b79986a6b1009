"""Links files: tables in which a person reviews and settles the links of values.

`COLUMNS` lists the columns. Value, concept, relation, status and cluster are read back. A concept is an id, a word
(its first sense) or `word#2`. A relation is `narrower` (the value is a kind of the concept) or `same`, the default. A
row that is still marked `review` and has the proposed concept has not been reviewed and keeps that status. A row
that was proposed as `sure` and is as it was proposed counts, but not as reviewed, unless `by` is `hand`. A row
without a concept that is marked `sure` settles that the value has none. The status `cluster` settles all spellings of
a cluster.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from allonym.decoding import decode, delimiter_of, table_of
from allonym.errors import LinksError
from allonym.ontology.linking.accept import SUGGESTED
from allonym.ontology.linking.clusters import clusters_of, settle_clusters
from allonym.ontology.linking.link import NARROWER, REVIEW, SAME, SETTLED, SURE, Link
from allonym.ontology.linking.review_order import in_review_order
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

COLUMNS = (
    "value", "count", "concept", "relation", "label", "path", "definition", "reason", "dropped", "status",
    "cluster", "alternatives", "suggestions", "proposed", "proposed_status",
)  # fmt: skip
FORMULA = re.compile(r"'*[=+@\t\r-]")  # as a spreadsheet recognises it
COLUMNS_CARRIED_OVER = ("reason", "dropped", "status", "alternatives", "suggestions", "proposed", "proposed_status")
BY, HAND = "by", "hand"  # the column that says who settled a row, where there is one: a person
ARROW = " > "
MAX_ANCESTORS = 3  # beside a definition
MAX_DEFINITION = 90  # letters of a short definition
_SENTENCE_END = re.compile(r"(?<=[a-z)][a-z)])\. (?=[A-Z])")


def path_text(taxonomy: Taxonomy, concept: int, root: int | None = None) -> str:
    """Return the labels from a concept up to the root, as text."""
    return ARROW.join(taxonomy.labels[c] for c in taxonomy.path(concept, root))


def rows_of(links: Iterable[Link], scope: Scope) -> list[dict[str, str]]:
    """Return links as rows of a table, those that are most worth a person's review first."""
    return [_row(link, scope.taxonomy, scope.root) for link in in_review_order(links)]


def _row(link: Link, taxonomy: Taxonomy, root: int) -> dict[str, str]:
    concept = link.concept
    row = dict.fromkeys(COLUMNS, "") | {
        "value": link.value,
        "count": str(link.count),
        "relation": "" if concept is None else link.relation,
        "reason": link.reason,
        "dropped": link.dropped,
        "status": link.status,
        "alternatives": " | ".join(sense_text(taxonomy, c, root) for c in link.alternatives),
        "suggestions": " | ".join(link.suggestions),
    }
    if concept is not None:
        row["concept"], row["label"] = taxonomy.ids[concept], taxonomy.labels[concept]
        row["path"] = path_text(taxonomy, concept, root)
        if link.reason != SETTLED:
            row["proposed"], row["proposed_status"] = taxonomy.ids[concept], link.status
        row["definition"] = taxonomy.definition(concept)
    return row


def short_definition(taxonomy: Taxonomy, concept: int, root: int | None = None) -> str:
    """Return the beginning of a definition, or the nearest ancestors if the source has no definition.

    >>> from allonym.ontology.wordnet import bundled
    >>> short_definition(bundled(), bundled().code("barrister"))
    'a British or Canadian lawyer who speaks in the higher courts of law on behalf of either …'
    """
    definition = taxonomy.definition(concept)
    return first_clause(definition) if definition else _ancestors(taxonomy, concept, root)


def first_clause(definition: str) -> str:
    """Return the beginning of a definition: its first clause or sentence, cut to a line.

    >>> first_clause("a hat (of felt; or straw); worn in the U.S. Navy. Rare.")
    'a hat (of felt; or straw)'
    """
    depth = 0
    for place, sign in enumerate(definition):
        depth += (sign == "(") - (sign == ")")
        if sign == ";" and depth <= 0:
            definition = definition[:place]
            break
    return textwrap.shorten(_SENTENCE_END.split(definition)[0], MAX_DEFINITION, placeholder=" …")


def _ancestors(taxonomy: Taxonomy, concept: int, root: int | None) -> str:
    return ARROW.join(taxonomy.labels[c] for c in taxonomy.path(concept, root)[1 : MAX_ANCESTORS + 1])


def id_has_label(taxonomy: Taxonomy, concept: int) -> bool:
    """Tell whether the id of a concept contains its label, as WordNet's ids do, and not those of classifications."""
    return taxonomy.labels[concept].replace(" ", "_").casefold() in taxonomy.ids[concept].casefold()


def readable_name(taxonomy: Taxonomy, concept: int) -> str:
    """Return the id of a concept if it contains the label, else the label.

    >>> from allonym.ontology.wordnet import bundled
    >>> readable_name(bundled(), bundled().code("nanny"))
    'nanny.n.01'
    """
    return taxonomy.ids[concept] if id_has_label(taxonomy, concept) else taxonomy.labels[concept]


def sense_text(taxonomy: Taxonomy, concept: int, root: int | None = None) -> str:
    """Return the id of a sense, its label unless the id contains it, and its ancestors.

    With a definition, the nearest ancestors and the beginning of the definition; without one, all ancestors.

    >>> from allonym.ontology.wordnet import bundled
    >>> sense_text(bundled(), bundled().code("nanny"))
    'nanny.n.01 (woman > female > person: a woman who is the custodian of children)'
    """
    definition = first_clause(taxonomy.definition(concept))
    above = taxonomy.path(concept, root)[1 : MAX_ANCESTORS + 1 if definition else None]
    named = above if id_has_label(taxonomy, concept) else [concept, *above]
    labels = ARROW.join(taxonomy.labels[c] for c in named)
    return f"{taxonomy.ids[concept]} ({': '.join(filter(None, [labels, definition]))})"


def escape_formula(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe precedes what looks like one.

    >>> escape_formula("=cmd()"), escape_formula("'=cmd()"), escape_formula("cook")
    ("'=cmd()", "''=cmd()", 'cook')
    >>> unescape_formula("'=cmd()"), unescape_formula("'s")
    ('=cmd()', "'s")
    """
    return f"'{cell}" if FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Return a cell without the apostrophe of `escape_formula`."""
    return cell[1:] if cell[:1] == "'" and FORMULA.match(cell) else cell


def to_csv(
    links: Iterable[Link],
    scope: Scope,
    before: Mapping[str, Mapping[str, str]] | None = None,
    language: str = "en",
) -> str:
    """Return a links file; settled values keep the details and extra columns they have in the previous file."""
    text = io.StringIO(newline="")
    before, links = before or {}, list(links)
    cluster_of = clusters_of(links, scope.taxonomy.lexicon.language(language))
    extra = [name for name in dict.fromkeys(n for row in before.values() for n in row) if name not in COLUMNS]
    names = [*COLUMNS, *extra]
    writer = csv.DictWriter(text, names, "", lineterminator="\n", quoting=csv.QUOTE_ALL)  # also quotes a single CR
    writer.writeheader()
    for row in rows_of(links, scope):
        previous = before.get(row["value"], {})
        if row["reason"] == "settled" or row["reason"] == SUGGESTED == previous.get("reason"):
            row |= {name: previous[name] for name in COLUMNS_CARRIED_OVER if previous.get(name)}
        cells = row | {"cluster": cluster_of.get(row["value"], "")} | {name: previous.get(name, "") for name in extra}
        writer.writerow({name: escape_formula(x) if isinstance(x, str) else x for name, x in cells.items()})
    return text.getvalue()


@dataclass(frozen=True)
class Settled:
    """The content of a links file: the concepts of values, and the values not reviewed yet."""

    concepts: Mapping[str, str] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()
    narrower: frozenset[str] = frozenset()  # the values that are a kind of their concept
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # all rows, by value
    sha256: str = ""  # of the file as it was read
    untouched: frozenset[str] = frozenset()  # the values whose rows are as they were proposed, and were sure then

    def mark(self, links: Iterable[Link]) -> list[Link]:
        """Return the links with those not reviewed yet marked `review`, and suggestions as such."""
        return [self._unseen(x) if x.value in self.unseen and x.status == SURE else x for x in links]

    def _unseen(self, link: Link) -> Link:
        is_suggested = self.rows[link.value].get("reason") == SUGGESTED
        return replace(link, status=REVIEW, reason=SUGGESTED if is_suggested else link.reason)


def read(path: str | Path) -> Settled:
    """Read a links file; a row without a concept counts only if it is marked sure.

    Raises:
        LinksError: the file cannot be read, lacks a column, gives a value two concepts or an unknown relation, or
            marks a row with a cluster that is not settled.
    """
    path = Path(path)
    raw, rows = _read_rows(path)
    concepts: dict[str, str] = {}
    unseen: set[str] = set()
    untouched: set[str] = set()
    narrower: set[str] = set()
    row_of: dict[str, dict[str, str]] = {}
    contradictory: list[int] = []
    unknown: list[int] = []
    for number, row in enumerate(settle_clusters(rows, path), 2):
        value, concept, status = (row.get(name, "") for name in ("value", "concept", "status"))
        row_of.setdefault(value, row)
        if not concept and status != SURE:
            continue
        if concepts.setdefault(value, concept) != concept:
            contradictory.append(number)
        relation = row.get("relation", "").lower()
        if relation not in ("", SAME, NARROWER):
            unknown.append(number)
        elif relation == NARROWER:
            narrower.add(value)
        if concept == row.get("proposed", ""):
            if status == REVIEW:
                unseen.add(value)
            elif status == row.get("proposed_status") == SURE and row.get(BY) != HAND:
                untouched.add(value)
    if contradictory:
        raise LinksError(
            f"{path} gives {len(contradictory)} values two concepts, first in row {contradictory[0]}.",
            hint="keep one row for each value.",
        )
    if unknown:
        raise LinksError(
            f"{path} has an unknown relation in {len(unknown)} rows, first in row {unknown[0]}.",
            hint=f"write {SAME} or {NARROWER}, or leave it empty.",
        )
    sets = frozenset(unseen), frozenset(narrower)
    return Settled(concepts, *sets, row_of, hashlib.sha256(raw).hexdigest(), frozenset(untouched))


def _read_rows(path: Path) -> tuple[bytes, list[dict[str, str]]]:
    """Return the bytes and the rows of a links file."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise LinksError(f"{path} cannot be read: {error.strerror}.", hint="check the name.") from error
    text = decode(raw)
    try:
        rows = list(table_of(text, delimiter_of(text)))
    except csv.Error as error:
        raise LinksError(f"{path} cannot be read as a table: {error}.", hint="is it a links file?") from error
    names = [name.strip() for name in rows[0]] if rows else []
    missing = {"value", "concept"} - set(names)
    if missing:
        raise LinksError(
            f"{path} has no column {' and '.join(sorted(missing))}.",
            hint="a links file needs the columns value and concept.",
        )
    return raw, [
        dict(zip(names, (unescape_formula(cell.strip()) for cell in cells), strict=False)) for cells in rows[1:]
    ]
