"""Commands on value generalisation hierarchies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allonym.cli.app import Json, app, console, printable, short
from allonym.cli.link import LanguageOption, Ontology
from allonym.errors import LinksError, OptionError

if TYPE_CHECKING:
    from allonym.pipeline.hierarchies import HierarchyScore

hierarchy = typer.Typer(
    help="Value generalisation hierarchies: score them against an ontology, compare them, build them.",
    no_args_is_help=True,
)
app.add_typer(hierarchy, name="hierarchy")

Option = typer.Option
LINKS = "What values mean: a file with the columns value and concept."
File = Annotated[Path, typer.Argument(metavar="VGH", help="leaf;level 1;…;top as ARX has it, or a tree in JSON.")]
Files = Annotated[list[Path], typer.Argument(metavar="VGH…", help="Two or more.")]
Links = Annotated[Path | None, Option("--links", metavar="FILE", help=LINKS)]
Weights = Annotated[str, Option("--level-weights", help="constant, or level: lower levels count more.")]
Aggregate = Annotated[str, Option("--aggregate", help="What a level loses: max or mean of its transitions.")]
Measure = Annotated[str, Option("--measure", help="The similarity measure.")]
Depth = Annotated[str, Option("--depth", help="Depth of the root: edges (0), nodes (1), virtual-root (2).")]
Data = Annotated[Path, typer.Argument(metavar="FILE", help="A table: CSV or Parquet.")]
Column = Annotated[str, Option("--column", metavar="COLUMN", help="Whose values are to be generalised.")]
Output = Annotated[Path, Option("-o", "--output", metavar="FILE", help="The hierarchy; - for standard output.")]
Levels = Annotated[int, Option("--levels", min=1, help="How many, the top included.")]
Values = Annotated[str | None, Option("--values", metavar="N,…,1", help="Values per level, in place of --levels.")]
Accept = Annotated[bool, Option("--accept-review", help="Take likely meanings as they are.")]
Header = Annotated[bool, Option("--header/--no-header", help="Whether the first line names the columns.")]
WORST, BAR = 8, 40


@hierarchy.command()
def score(
    vgh: File,
    ontology: Ontology = "wordnet",
    links: Links = None,
    level_weights: Weights = "constant",
    aggregate: Aggregate = "max",
    measure: Measure = "wu-palmer",
    depth: Depth = "virtual-root",
    language: LanguageOption = "en",
    as_json: Json = False,
) -> None:
    """Say how much meaning a hierarchy loses: per transition, per level, and in all (0 is nothing).

    What its values mean comes from the links, from the ontology, and for values above the leaves from the hypernyms of
    these. Values nobody can be sure of are listed, and nothing is scored.

    Examples:

    `allonym hierarchy score occupation.csv --links occupation.links.csv`

    `allonym hierarchy score animals.json --level-weights level --aggregate mean --json`
    """
    found = _scored(vgh, ontology, links, level_weights, aggregate, measure, depth, language)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        _show(found)


@hierarchy.command()
def compare(
    vgh: Files,
    aggregate: Aggregate = "max",
    level_weights: Weights = "constant",
    ontology: Ontology = "wordnet",
    links: Links = None,
    language: LanguageOption = "en",
    measure: Measure = "wu-palmer",
    depth: Depth = "virtual-root",
    as_json: Json = False,
) -> None:
    """Compare hierarchies of the same values: what each loses, side by side, level by level.

    Examples:

    `allonym hierarchy compare mine.csv yours.csv --links links.csv`

    `allonym hierarchy compare mine.csv yours.csv theirs.json --json`
    """
    if len(vgh) < 2:
        raise OptionError("One hierarchy cannot be compared.", hint="name two or more, or see `hierarchy score`.")
    found = [_scored(x, ontology, links, level_weights, aggregate, measure, depth, language) for x in vgh]
    if as_json:
        typer.echo(json.dumps({"format": 1, "hierarchies": [x.to_dict() for x in found]}, indent=2, ensure_ascii=False))
    else:
        _show_side_by_side(found)


@hierarchy.command()
def build(
    file: Data,
    column: Column,
    output: Output,
    levels: Levels = 3,
    values: Values = None,
    ontology: Ontology = "wordnet",
    links: Links = None,
    accept_review: Accept = False,
    language: LanguageOption = "en",
    measure: Measure = "wu-palmer",
    depth: Depth = "virtual-root",
    header: Header = True,
    as_json: Json = False,
) -> None:
    """Build a hierarchy from an ontology for the values of a column, one that loses little, ready for ARX.

    Every level has fewer values than the one below, the top has one. `--values` says how many each level may have;
    else, the same share fewer from level to level.

    Examples:

    `allonym hierarchy build people.csv --column occupation --ontology wordnet:person --levels 4 -o occupation.csv`

    `allonym hierarchy build survey.csv --column hobby --values 20,8,3,1 --accept-review -o hobby.csv`
    """
    from allonym.pipeline.hierarchies import build
    from allonym.release.write import check_outputs, save_text
    from allonym.tables.files import Reading, read_column

    check_outputs([output], [file, links])
    limits = _limits(values)
    counts = read_column(file, column, Reading(header=header)).values
    options: dict[str, Any] = {"levels": levels, "limits": limits, "accept_review": accept_review, "language": language}
    with _listing():
        found = build(counts, ontology, links, measure=measure, depth=depth, name=column, **options)
    to_stdout = str(output) == "-"
    if to_stdout:
        typer.echo(found.hierarchy.to_csv(), nl=False)
    else:
        save_text(output, found.hierarchy.to_csv())
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False), err=to_stdout)
    elif not to_stdout:
        _show(found)
        console().print(f"\nWritten: {output}", soft_wrap=True)


def _limits(values: str | None) -> list[int] | None:
    """Return how many values levels may have, from numbers between commas."""
    if values is None:
        return None
    try:
        return [int(x) for x in values.split(",")]
    except ValueError:
        raise OptionError(f"--values {values!r} is not a list of numbers.", hint="e.g. --values 10,4,1.") from None


@contextmanager
def _listing() -> Iterator[None]:
    """List the values behind an error, with what they might mean."""
    try:
        yield
    except LinksError as error:
        if error.values:
            typer.echo("Not surely understood, with what they might mean:", err=True)
            for value in error.values:
                typer.echo(f"  {printable(value)}", err=True)
        raise


def _scored(vgh: Path, ontology: str, links: Path | None, weights: str, aggregate: str, *how: str) -> HierarchyScore:
    from allonym.pipeline.hierarchies import score

    measure, depth, language = how
    options: dict[str, Any] = {"aggregate": aggregate, "weights": weights, "measure": measure, "depth": depth}
    with _listing():
        return score(vgh, ontology, links, language=language, **options)


def _show(found: HierarchyScore) -> None:
    """Print what a hierarchy loses."""
    from allonym.cli.output import table_of

    out = console()
    h = found.hierarchy
    out.print(f"{h.name}: {len(h.rows):,} leaves, {h.height} levels\n")
    rows = [
        (str(x["level"]), f"{x['values']:,}", f"{x['gsl']:.4f}", f"{x['mean']:.4f}", f"{x['std']:.4f}", _bar(x["gsl"]))
        for x in found.levels
    ]
    out.print(table_of(("level", "values", "LevelGSL", "mean", "std", ""), rows, right=(1, 2, 3, 4)))
    how = "equal weights" if found.weights == "constant" else "lower levels count more"
    out.print(f"\nVghGSL {found.value:.4f} ({found.aggregate} of each level, {how})\n")
    worst = [
        (short(t.leaf, 30), "→", short(t.ancestor, 30), str(t.level), f"{t.loss:.4f}")
        for t in found.transitions[:WORST]
    ]
    out.print(table_of(("loses most", "", "", "level", "TransGSL"), worst, right=(3, 4)))
    for level in found.reversed:
        out.print(f"\nLevel {level} has values that are farther from a leaf than level {level + 1}.")
    if found.review:
        told = ", ".join(f"{short(x, 30)} ({found.concepts[x]})" for x in found.review)
        out.print(f"\nTaken on nobody's word, look whether it is meant: {told}")


def _show_side_by_side(found: list[HierarchyScore]) -> None:
    """Print hierarchies beside each other, with a chart of their levels."""
    from allonym.cli.output import table_of

    out = console()
    best = min(x.value for x in found)
    rows = [
        (
            x.hierarchy.name,
            f"{len(x.hierarchy.rows):,}",
            " → ".join(f"{level['values']:,}" for level in x.levels),
            f"{x.value:.4f}" + (" *" if x.value == best else ""),
            ", ".join(map(str, x.reversed)),
        )
        for x in found
    ]
    out.print(table_of(("hierarchy", "leaves", "values per level", "VghGSL", "reversed levels"), rows))
    out.print("\n* loses least\n")
    chart = [
        (f"level {i + 1}" if j == 0 else "", x.hierarchy.name, f"{x.levels[i]['gsl']:.4f}", _bar(x.levels[i]["gsl"]))
        for i in range(max(x.hierarchy.height for x in found))
        for j, x in enumerate(y for y in found if y.hierarchy.height > i)
    ]
    out.print(table_of(("", "", "LevelGSL", ""), chart, right=(2,)))


def _bar(value: float) -> str:
    """Return a bar as long as a loss from 0 to 1."""
    eighths = round(value * BAR * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]
