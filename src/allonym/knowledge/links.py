"""Links files: the table in which a person reviews how values were understood, and settles them.

The columns are `COLUMNS`. To feed back, a file needs only value and concept; a concept is an id, a word (its first
sense) or `word#2`. A row still marked `review` whose path is the one that was written for its concept has not been
looked at, and stays to be reviewed.
"""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from allonym.errors import LinksError
from allonym.knowledge.linking import REVIEW, SURE, Link
from allonym.knowledge.scope import Scope
from allonym.knowledge.taxonomy import Taxonomy

COLUMNS = (
    "value", "count", "concept", "label", "path", "definition", "reason", "dropped", "status", "alternatives",
    "suggestions",
)  # fmt: skip
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
        "alternatives": " | ".join(f"{taxonomy.ids[c]} ({gloss(taxonomy, c, root)})" for c in link.alternatives),
        "suggestions": " | ".join(link.suggestions),
    }
    if concept is not None:
        row["concept"], row["label"] = taxonomy.ids[concept], taxonomy.labels[concept]
        row["path"] = path_text(taxonomy, concept, root)
        row["definition"] = taxonomy.definitions[concept] if taxonomy.definitions is not None else ""
    return row


def gloss(taxonomy: Taxonomy, concept: int, root: int | None = None) -> str:
    """Say what a sense is: its definition if there is one, else what it is a kind of."""
    if taxonomy.definitions is not None and taxonomy.definitions[concept]:
        return textwrap.shorten(taxonomy.definitions[concept].split(";")[0].split(". ")[0], 90, placeholder=" …")
    return ARROW.join(taxonomy.labels[c] for c in taxonomy.path(concept, root)[1:4])


def to_csv(links: Iterable[Link], scope: Scope) -> str:
    """Write a links file."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(links, scope))
    return text.getvalue()


@dataclass(frozen=True)
class Settled:
    """What a links file says: value to concept, and which of them nobody has looked at yet."""

    concepts: Mapping[str, str] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()

    def mark(self, links: Iterable[Link]) -> list[Link]:
        """Give links that nobody has looked at back their status."""
        return [replace(x, status=REVIEW) if x.value in self.unseen and x.status == SURE else x for x in links]


def read(path: str | Path, scope: Scope) -> Settled:
    """Read a links file; every problem of it in one error. A row without a concept settles nothing."""
    path = Path(path)
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise LinksError(f"{path} cannot be read as UTF-8 text.", hint="is it the right file?") from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = {"value", "concept"} - set(reader.fieldnames or ())
    if missing:
        raise LinksError(
            f"{path} has no column {' and '.join(sorted(missing))}.", hint="a links file begins value,concept."
        )
    concepts: dict[str, str] = {}
    unseen: set[str] = set()
    twice: list[int] = []
    for row in reader:
        value, concept = row["value"] or "", (row["concept"] or "").strip()
        if not concept:
            continue
        if concepts.setdefault(value, concept) != concept:
            twice.append(reader.line_num)
        if (row.get("status") or "").strip() == REVIEW and _untouched(row.get("path") or "", concept, scope):
            unseen.add(value)
    if twice:
        raise LinksError(
            f"{path} gives {len(twice)} values two concepts, first on line {twice[0]}.", hint="keep one row each."
        )
    return Settled(concepts, frozenset(unseen))


def _untouched(path: str, concept: str, scope: Scope) -> bool:
    """Tell whether a row's path is the one that was written for its concept."""
    code = scope.taxonomy.find(concept)
    return code is not None and path == path_text(scope.taxonomy, code, scope.root)
