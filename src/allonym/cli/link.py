"""`allonym link`: link the words of a column to concepts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli import options
from allonym.cli.help import Command, argument, option
from allonym.cli.output import caution_language, progress, say, show_json, waiting
from allonym.cli.printing.links_table import show_links
from allonym.errors import OutputError, plural

if TYPE_CHECKING:
    from allonym.ontology.linking.link import Link
    from allonym.ontology.scope import Scope

MAX_LINKS = 15  # links shown
VALUE_KEYS = ("value", "dropped", "suggestions")  # of a link; their texts come from the data


@click.command(cls=Command)
@argument("file", metavar="FILE", about="A CSV file, gzipped or not; - reads standard input.")
@option("--column", required=True, metavar="COLUMN", help="Name of the column, or its number with --no-header.")
@options.ontology
@option("-o", "--output", type=options.PATH, metavar="FILE", help="Write the links to this file, for review.")
@option("--links", type=options.PATH, metavar="FILE", help="Reviewed links file; its links are kept.")
@option(
    "--senses", default="coherent", metavar="NAME",
    help="Choice of senses: coherent (they fit the column), first or best-pair.",
)  # fmt: skip
@options.language
@option(
    "--abbreviations",
    type=options.PATH,
    metavar="FILE",
    help="Abbreviations beside the built-in ones: CSV with the columns short and long.",
)
@options.hide_values
@options.as_json
@options.reading
def link(
    file: str, column: str, ontology: str, output: Path | None, links: Path | None, senses: str, language: str,
    abbreviations: Path | None, hide_values: bool, as_json: bool, **reading_options: Any,
) -> None:  # fmt: skip
    r"""Link the words of a column to concepts, for review.

    Examples:
      allonym link survey.csv --column job --ontology wordnet:person \
          -o job.links.csv
      allonym link survey.csv --column job --ontology wordnet:person \
          --links job.links.csv
      allonym link diagnoses.csv.gz --column text --ontology doid.obo \
          -o text.links.csv
    """
    from allonym.cli.plan_options import reading_from
    from allonym.ontology.catalog import open_ontology
    from allonym.ontology.linking import links_file
    from allonym.ontology.linking.link import link as link_values
    from allonym.ontology.linking.meaning import with_suggestions
    from allonym.ontology.linking.readings.abbreviations import read_abbreviations
    from allonym.release.write import save_text
    from allonym.tables.files import Reading, read_column

    if output is not None and output.exists() and file != "-" and Path(file).exists() and output.samefile(file):
        raise OutputError(f"{output} is the data itself.", hint="write the links to another file.")
    reading = reading_from(Reading(), reading_options)
    cells = read_column(file, column, reading)
    with waiting(f"Reading {ontology}"):
        scope = open_ontology(ontology)
    caution_language(scope.taxonomy.lexicon, language, ontology)
    settled = links_file.read(links) if links else links_file.Settled()
    with progress("Linking") as tick:
        linked = link_values(
            cells.values,
            scope,
            senses=senses,
            language=language,
            abbreviations=read_abbreviations(abbreviations) if abbreviations else None,
            settled=settled.concepts,
            narrower=settled.narrower,
            name=column if reading.header else "",
            tick=tick,
        )
    linked = settled.mark(linked)
    with waiting("Searching for suggestions"):
        suggested = with_suggestions(linked, scope, language)
    linked = [suggested.get(x.value, x) for x in linked]
    if output is not None:
        save_text(output, links_file.to_csv(linked, scope, settled.rows, language), private=True)
    if as_json:
        rows = [_to_dict(x, scope, hide_values) for x in linked]
        show_json({"format": 1, "ontology": scope.name, "missing": cells.missing, "links": rows})
        return
    _show(linked, scope, output, hide_values)
    if unused := len(settled.concepts.keys() - cells.values.keys()):
        say(f"{plural(unused, 'value')} of {links} not in this column.")
    if outside := sum(x.concept is not None and x.concept not in scope for x in linked):
        say(f"{plural(outside, 'value')} linked to concepts outside {scope.name}.")
    if cells.missing:
        say(f"{plural(cells.missing, 'missing cell')} (empty, ?, NA, null, …) left out.")


def _to_dict(link: Link, scope: Scope, hide_values: bool) -> dict[str, Any]:
    """Return a link for JSON, without texts of the data where these are to be hidden."""
    taxonomy, ids = scope.taxonomy, scope.taxonomy.ids
    row = {
        "value": link.value,
        "count": link.count,
        "concept": None if link.concept is None else ids[link.concept],
        "label": None if link.concept is None else taxonomy.labels[link.concept],
        "definition": None if link.concept is None else taxonomy.definition(link.concept),
        "relation": None if link.concept is None else link.relation,
        "confidence": None if link.concept is None else round(link.confidence, 3),
        "reason": link.reason,
        "dropped": link.dropped,
        "status": link.status,
        "alternatives": [ids[c] for c in link.alternatives],
        "suggestions": list(link.suggestions),
    }
    return {key: x for key, x in row.items() if not (hide_values and key in VALUE_KEYS)}


def _show(links: Sequence[Link], scope: Scope, output: Path | None, hide_values: bool) -> None:
    """Print how many values are linked, and the links that need review."""
    from allonym.ontology.linking.review_order import ReviewProgress, in_review_order

    cells = sum(x.count for x in links)
    for status, name in (("sure", "linked"), ("review", "to review"), ("unmatched", "unmatched")):
        of_status = [x for x in links if x.status == status]
        share = sum(x.count for x in of_status) / max(cells, 1)
        say(f"{len(of_status):>6,} of {len(links):,} values {name} ({share:.1%} of {cells:,} cells)")
    progress = ReviewProgress.of(links)
    say(f"{progress.share} of cells settled")
    if sentence := str(progress):
        say(sentence)
    unsure = [x for x in in_review_order(links) if x.status != "sure"]
    if unsure and not hide_values:
        say()
        show_links(unsure[:MAX_LINKS], lambda link: scope.taxonomy)
        if len(unsure) > MAX_LINKS:
            say(f"… and {len(unsure) - MAX_LINKS:,} more")
    if output is not None:
        say(f"\nWritten: {output}. Review it, then use it with --links {output}.")
    elif unsure:
        say("\nTo review the links, write them to a file: -o LINKS.csv.")
