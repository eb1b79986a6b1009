"""Commands on words: how alike they are, and what they mean."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allonym.cli.app import Json, app, console, progress, short, waiting
from allonym.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from allonym.ontology.linking.link import Link
    from allonym.ontology.scope import Scope
    from allonym.ontology.word_similarity import Comparison

ONTOLOGY_HELP = "wordnet, wordnet:ROOT, or a file: FILE or FILE#ROOT (OBO, OWL, SKOS, WN-LMF, MeSH, CSV)."
Ontology = Annotated[str, typer.Option("--ontology", help=ONTOLOGY_HELP)]
LanguageOption = Annotated[str, typer.Option("--language", help="Language of the words, as a two-letter code.")]


@app.command()
def similarity(
    word: Annotated[str, typer.Argument(help="A word (dog), one of its senses (dog#2), or an id (dog.n.01).")],
    other: Annotated[str, typer.Argument(help="Another.")],
    measure: Annotated[
        str, typer.Option("--measure", help="wu-palmer, path, lin, … (an unknown one lists them).")
    ] = "wu-palmer",
    depth: Annotated[
        str, typer.Option("--depth", help="Depth of the root: edges (0), nodes (1), virtual-root (2).")
    ] = "nodes",
    content: Annotated[
        str, typer.Option("--content", help="Information content: seco, sanchez-batet, corpus.")
    ] = "seco",
    ontology: Ontology = "wordnet",
    senses: Annotated[
        str, typer.Option("--senses", help="coherent (fitting each other), best-pair (closest), first.")
    ] = "coherent",
    language: LanguageOption = "en",
    as_json: Json = False,
) -> None:
    """Say how alike two words are, and why.

    Examples:

    `allonym similarity trekker jogger`

    `allonym similarity dog homeotherm --depth virtual-root --json`

    `allonym similarity asthma bronchitis --ontology doid.obo --measure lin`
    """
    from allonym.ontology.catalog import open_ontology
    from allonym.ontology.word_similarity import compare

    with waiting(f"reading {ontology}"):
        scope = open_ontology(ontology)
    found = compare(
        word,
        other,
        measure=measure,
        depth=depth,
        content=content,
        ontology=scope,
        senses=senses,
        language=language,
    )
    if as_json:
        ids = found.taxonomy.ids
        typer.echo(
            json.dumps(
                {
                    "format": 1,
                    "measure": measure,
                    "depth": depth,
                    "similarity": found.similarity,
                    "distance": found.distance,
                    "published": found.published,
                    "concepts": [ids[c] for c in found.concepts],
                    "subsumer": ids[found.subsumer],
                },
                indent=2,
            )
        )
    else:
        _print_comparison((word, other), found, measure, depth)


def _print_comparison(words: tuple[str, str], found: Comparison, measure: str, depth: str) -> None:
    from rich.table import Table

    from allonym.ontology.linking.links_file import gloss

    taxonomy = found.taxonomy
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("word", "sense", "also called", "what it is"):
        table.add_column(name, overflow="fold")
    for name, concept in (*zip(words, found.concepts, strict=True), ("in common", found.subsumer)):
        others = [t for t in taxonomy.lexicon.terms(concept) if t.lower() != name.lower()]
        table.add_row(name, taxonomy.ids[concept], ", ".join(others[:3]), gloss(taxonomy, concept))
    out = console()
    out.print(table)
    convention = f", depth in {depth}" if measure == "wu-palmer" else ""
    out.print(f"\n{measure}{convention}: similarity {found.similarity:.4f}, distance {found.distance:.4f}")
    if found.published is not None:
        kind = {"path": "links", "jiang-conrath": "distance as published"}.get(measure, "similarity as published")
        out.print(f"{kind}: {found.published:.4g}")


@app.command()
def link(
    file: Annotated[str, typer.Argument(help="A CSV file (gzipped or not); - for standard input.")],
    column: Annotated[str, typer.Option("--column", help="The column's name, or its number with --no-header.")],
    ontology: Ontology = "wordnet",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the links file here, to review it.")
    ] = None,
    links: Annotated[Path | None, typer.Option("--links", help="A reviewed links file: what it settles stays.")] = None,
    senses: Annotated[
        str, typer.Option("--senses", help="coherent (fitting the column), first, or best-pair.")
    ] = "coherent",
    language: LanguageOption = "en",
    header: Annotated[
        bool, typer.Option("--header/--no-header", help="Whether the first line names the columns.")
    ] = True,
    delimiter: Annotated[str | None, typer.Option("--delimiter", help="Found by itself unless given.")] = None,
    hide_values: Annotated[bool, typer.Option("--hide-values", help="Print counts only.")] = False,
    as_json: Json = False,
) -> None:
    """Link the words of a column to concepts, and write a table that a person can review.

    Examples:

    `allonym link survey.csv --column job --ontology wordnet:person -o job.links.csv`

    `allonym link survey.csv --column job --ontology wordnet:person --links job.links.csv`

    `allonym link diagnoses.csv.gz --column text --ontology doid.obo -o text.links.csv`
    """
    from allonym.ontology.catalog import open_ontology
    from allonym.ontology.linking import links_file as links_files
    from allonym.ontology.linking.link import link as link_values
    from allonym.release.write import save_text
    from allonym.tables.files import Reading, read_column

    if output is not None and output.exists() and file != "-" and Path(file).exists() and output.samefile(file):
        raise OutputError(f"{output} is the data itself.", hint="write the links to a file of their own.")
    cells = read_column(file, column, Reading(delimiter=delimiter, header=header))
    with waiting(f"reading {ontology}"):
        scope = open_ontology(ontology)
    settled = links_files.read(links) if links else links_files.Settled()
    with progress("linking") as tick:
        found = link_values(cells.values, scope, senses=senses, language=language, settled=settled.concepts, tick=tick)
    found = settled.mark(found)
    if output is not None:
        save_text(output, links_files.to_csv(found, scope, settled.rows))
    if as_json:
        rows = _told(found, scope, hide_values)
        told = {"format": 1, "ontology": scope.name, "missing": cells.missing, "links": rows}
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        _print_links(found, scope, output, hide_values)
        idle = len(settled.concepts.keys() - cells.values.keys())
        if idle:
            typer.echo(f"{idle:,} values of {links} do not occur in this column.")
        outside = sum(x.concept is not None and x.concept not in scope for x in found)
        if outside:
            typer.echo(f"{outside:,} settled concepts lie outside {scope.name}.")
        if cells.missing:
            typer.echo(f"{cells.missing:,} cells are empty, or say so (?, NA, null, …), and were left out.")


def _told(found: list[Link], scope: Scope, hide_values: bool) -> list[dict[str, Any]]:
    """Return links for JSON: numbers as numbers, lists as lists, no words of the data where they are to be hidden."""
    ids = scope.taxonomy.ids
    told = []
    for x in found:
        row = {
            "value": x.value,
            "count": x.count,
            "concept": None if x.concept is None else ids[x.concept],
            "label": None if x.concept is None else scope.taxonomy.labels[x.concept],
            "reason": x.reason,
            "dropped": x.dropped,
            "status": x.status,
            "alternatives": [ids[c] for c in x.alternatives],
            "suggestions": list(x.suggestions),
        }
        told.append({k: v for k, v in row.items() if not (hide_values and k in ("value", "dropped", "suggestions"))})
    return told


def _print_links(found: list[Link], scope: Scope, output: Path | None, hide_values: bool) -> None:
    out = console()
    cells = sum(x.count for x in found)
    for status, meaning in (("sure", "understood"), ("review", "to review"), ("unmatched", "not understood")):
        some = [x for x in found if x.status == status]
        share = sum(x.count for x in some) / max(cells, 1)
        out.print(f"{len(some):>6,} of {len(found):,} values {meaning} ({share:.1%} of {cells:,} cells)")
    if not hide_values:
        todo = sorted((x for x in found if x.status != "sure"), key=lambda x: -x.count)
        if todo:
            out.print()
            for line in _lines_of(todo[:15], scope.taxonomy.ids, out.width):
                out.print(line)
        if len(todo) > 15:
            out.print(f"… and {len(todo) - 15:,} more")
    if output is not None:
        out.print(f"\nWritten to {output}: review it, then give it back with --links {output}.")
    elif any(x.status != "sure" for x in found):
        out.print("\nWrite them to a file to review with -o LINKS.csv.")


def _lines_of(links: list[Link], ids: Sequence[str], width: int) -> Iterator[str]:
    """Lay out what is to be reviewed, each in one line; a value without a concept is unmatched."""
    rows = [("value", "count", "concept", "reason", "or")]
    for x in links:
        other = [ids[c] for c in x.alternatives[:2]] or list(x.suggestions[:3])
        rows.append((x.value, f"{x.count:,}", "–" if x.concept is None else ids[x.concept], x.reason, ", ".join(other)))
    a, b, c, d = (min(max(len(row[i]) for row in rows), most) for i, most in enumerate((26, 11, 22, 10)))
    for value, count, concept, reason, others in rows:
        line = f"{short(value, a):{a}}  {count:>{b}}  {short(concept, c):{c}}  {reason:{d}}  {others}"
        yield short(line, width)
