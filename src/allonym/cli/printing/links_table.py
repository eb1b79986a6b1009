"""The table of links to review, as `link` and `check` print it: below each link, the definition of its concept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from allonym.cli.output import short, width

if TYPE_CHECKING:
    from allonym.ontology.linking.link import Link
    from allonym.ontology.taxonomy import Taxonomy

MAX_OTHERS = 3  # alternatives or suggestions shown of a link
WIDTHS = (26, 11, 22, 10)  # at most, of value, count, concept and reason


def show_links(links: Sequence[Link], taxonomy_of: Callable[[Link], Taxonomy], indent: str = "") -> None:
    """Print links as a table; a value without a concept is unmatched."""
    for line in _lines(links, taxonomy_of, width() - len(indent)):
        click.echo(indent + line)


def _lines(links: Sequence[Link], taxonomy_of: Callable[[Link], Taxonomy], room: int) -> Iterator[str]:
    from allonym.ontology.linking.links_file import readable_name

    rows = [("value", "cells", "concept", "reason", "or")]
    definitions = [""]
    for x in links:
        taxonomy = taxonomy_of(x)
        others = list(x.suggestions[:MAX_OTHERS]) or [readable_name(taxonomy, c) for c in x.alternatives[:MAX_OTHERS]]
        concept = "–" if x.concept is None else readable_name(taxonomy, x.concept)
        rows.append((x.value, f"{x.count:,}", concept, x.reason, "\n".join(others)))
        definitions.append("" if x.concept is None else _definition(taxonomy, x.concept))
    a, b, c, d = (min(max(len(row[i]) for row in rows), most) for i, most in enumerate(WIDTHS))
    for (value, count, concept, reason, others_text), definition in zip(rows, definitions, strict=True):
        line = f"{short(value, a):{a}}  {count:>{b}}  {short(concept, c):{c}}  {reason:{d}}  "
        yield short(line + _fitting(others_text.split("\n"), room - len(line)), room).rstrip()
        if definition:
            yield short(f"    {definition}", room)


def _fitting(texts: Sequence[str], room: int) -> str:
    """Join as many texts as have room, at least the first.

    >>> _fitting(["dog.n.01", "cat.n.01"], 12), _fitting(["dog.n.01", "cat.n.01"], 20)
    ('dog.n.01', 'dog.n.01, cat.n.01')
    """
    fitting = [", ".join(texts[:number]) for number in range(1, len(texts) + 1)]
    return next((text for text in reversed(fitting) if len(text) <= room), fitting[0])


def _definition(taxonomy: Taxonomy, concept: int) -> str:
    from allonym.ontology.linking.links_file import short_definition

    if not taxonomy.definition(concept):
        return ""
    return f"{taxonomy.labels[concept].replace('_', ' ')}: {short_definition(taxonomy, concept)}"
