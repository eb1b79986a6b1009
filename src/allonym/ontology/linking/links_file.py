"""Links files: the table in which a person reviews how values were understood, and settles them.

The columns are `COLUMNS`. To feed back, a file needs only value and concept; a concept is an id, a word (its first
sense) or `word#2`. A row still marked `review` with the concept that was proposed has not been looked at, and stays
to be reviewed. A row without a concept that is marked `sure` settles that the value has none.
"""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from allonym.decoding import decode, delimiter_of, table_of
from allonym.errors import LinksError
from allonym.ontology.linking.link import REVIEW, SURE, Link
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

COLUMNS = (
    "value", "count", "concept", "label", "path", "definition", "reason", "dropped", "status", "alternatives",
    "suggestions", "proposed",
)  # fmt: skip
FORMULA = re.compile(r"'*[=+@\t\r-]")  # what a spreadsheet would run
KEPT = ("reason", "dropped", "status", "alternatives", "suggestions", "proposed")
ARROW = " > "


def path_text(taxonomy: Taxonomy, concept: int, root: int | None = None) -> str:
    """Return the way up from a concept, as a person reads it."""
    return ARROW.join(taxonomy.labels[c] for c in taxonomy.path(concept, root))


def rows(links: Iterable[Link], scope: Scope) -> list[dict[str, str]]:
    """Return links as rows of a table, those to review first, then the frequent ones."""
    order = {"review": 0, "unmatched": 1, "sure": 2}
    taxonomy = scope.taxonomy
    return [
        _row(link, taxonomy, scope.root) for link in sorted(links, key=lambda x: (order[x.status], -x.count, x.value))
    ]


def _row(link: Link, taxonomy: Taxonomy, root: int) -> dict[str, str]:
    concept = link.concept
    row = dict.fromkeys(COLUMNS, "") | {
        "value": link.value,
        "count": str(link.count),
        "reason": link.reason,
        "dropped": link.dropped,
        "status": link.status,
        "alternatives": " | ".join(sense(taxonomy, c, root) for c in link.alternatives),
        "suggestions": " | ".join(link.suggestions),
    }
    if concept is not None:
        row["concept"], row["label"] = taxonomy.ids[concept], taxonomy.labels[concept]
        row["path"] = path_text(taxonomy, concept, root)
        row["proposed"] = "" if link.reason == "settled" else taxonomy.ids[concept]
        row["definition"] = taxonomy.definitions[concept] if taxonomy.definitions is not None else ""
    return row


def gloss(taxonomy: Taxonomy, concept: int, root: int | None = None) -> str:
    """Say what a sense is: its definition if there is one, else what it is a kind of."""
    if taxonomy.definitions is not None and taxonomy.definitions[concept]:
        return textwrap.shorten(taxonomy.definitions[concept].split(";")[0].split(". ")[0], 90, placeholder=" …")
    return ARROW.join(taxonomy.labels[c] for c in taxonomy.path(concept, root)[1:4])


def sense(taxonomy: Taxonomy, concept: int, root: int | None = None) -> str:
    """Say which sense a concept is: its id, its way up and, where there is one, its definition."""
    way = ARROW.join(taxonomy.labels[c] for c in taxonomy.path(concept, root)[1:])
    meaning = gloss(taxonomy, concept, root) if taxonomy.definitions is not None else ""
    return f"{taxonomy.ids[concept]} ({way}{': ' if meaning else ''}{meaning})"


def as_text(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: with an apostrophe before what looks like one.

    >>> as_text("=cmd()"), as_text("'=cmd()"), as_text("cook"), from_text("'=cmd()"), from_text("'s")
    ("'=cmd()", "''=cmd()", 'cook', '=cmd()', "'s")
    """
    return f"'{cell}" if FORMULA.match(cell) else cell


def from_text(cell: str) -> str:
    """Return a cell without that apostrophe."""
    return cell[1:] if cell[:1] == "'" and FORMULA.match(cell) else cell


def to_csv(links: Iterable[Link], scope: Scope, before: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Write a links file; what one before it said of values that are still as they were there stays as it is."""
    text = io.StringIO(newline="")
    before = before or {}
    extra = [name for name in dict.fromkeys(n for row in before.values() for n in row) if name not in COLUMNS]
    names = [*COLUMNS, *extra]
    writer = csv.DictWriter(text, names, "", lineterminator="\n", quoting=csv.QUOTE_ALL)  # a lone CR needs quotes too
    writer.writeheader()
    for row in rows(links, scope):
        known = before.get(row["value"], {})
        if row["reason"] == "settled":  # how it was found, and whether anybody has looked
            row |= {name: known[name] for name in KEPT if known.get(name)}
        whole = row | {name: known.get(name, "") for name in extra}
        writer.writerow({name: as_text(x) if isinstance(x, str) else x for name, x in whole.items()})
    return text.getvalue()


@dataclass(frozen=True)
class Settled:
    """What a links file says: value to concept, and which of them nobody has looked at yet."""

    concepts: Mapping[str, str] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # all of the file, by value

    def mark(self, links: Iterable[Link]) -> list[Link]:
        """Give links that nobody has looked at back their status."""
        return [replace(x, status=REVIEW) if x.value in self.unseen and x.status == SURE else x for x in links]


def read(path: str | Path) -> Settled:
    """Read a links file; a row without a concept settles nothing, unless it is marked sure."""
    path = Path(path)
    try:
        text = decode(path.read_bytes())
    except OSError as error:
        raise LinksError(f"{path} cannot be read: {error.strerror}.", hint="is the name right?") from error
    try:
        rows = list(table_of(text, delimiter_of(text)))
    except csv.Error as error:
        raise LinksError(f"{path} cannot be read as a table: {error}.", hint="is it the right file?") from error
    names = [name.strip() for name in rows[0]] if rows else []
    missing = {"value", "concept"} - set(names)
    if missing:
        raise LinksError(
            f"{path} has no column {' and '.join(sorted(missing))}.", hint="a links file begins value,concept."
        )
    concepts: dict[str, str] = {}
    unseen: set[str] = set()
    whole: dict[str, dict[str, str]] = {}
    twice: list[int] = []
    for number, cells in enumerate(rows[1:], 2):
        row = dict(zip(names, (from_text(cell.strip()) for cell in cells), strict=False))
        value, concept, status = (row.get(name, "") for name in ("value", "concept", "status"))
        whole.setdefault(value, row)
        if not concept and status != SURE:
            continue
        if concepts.setdefault(value, concept) != concept:
            twice.append(number)
        if status == REVIEW and concept == row.get("proposed", ""):
            unseen.add(value)
    if twice:
        raise LinksError(
            f"{path} gives {len(twice)} values two concepts, first in row {twice[0]}.", hint="keep one row each."
        )
    return Settled(concepts, frozenset(unseen), whole)
