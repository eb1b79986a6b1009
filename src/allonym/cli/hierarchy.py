"""`allonym hierarchy`: score, compare and build value generalisation hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli import options
from allonym.cli.help import Group, argument, option, together
from allonym.cli.output import say, show_json
from allonym.cli.printing.hierarchies import show_score, show_side_by_side
from allonym.errors import OptionError

if TYPE_CHECKING:
    from allonym.pipeline.hierarchies import HierarchyComparison

links_option = option(
    "--links", type=options.PATH, metavar="FILE", help="Concepts of values: a file with the columns value and concept."
)
measuring = together(
    option("--measure", default="wu-palmer", metavar="NAME", help=f"Similarity measure: {options.MEASURES}"),
    option("--depth", default="virtual-root", metavar="NAME", help=options.DEPTH),
)
scoring = together(
    options.ontology,
    links_option,
    option(
        "--write", type=options.PATH, metavar="FILE",
        help="Write the concept of every value to this links file: review it, then use it with --links.",
    ),
    option("--accept-review", is_flag=True, help="Accept likely concepts of values that need review."),
    option(
        "--level-weights", "weights", default="constant", metavar="NAME|W,…,W",
        help="constant; level: lower levels count more; or a number for each level, from level 1 up.",
    ),
    option(
        "--aggregate", default="max", metavar="NAME",
        help="Loss of a level: max, mean, median or quantile:Q of its transitions.",
    ),
    measuring,
    options.language,
    options.as_json,
)  # fmt: skip


@click.group(cls=Group, no_args_is_help=True)
def hierarchy() -> None:
    """Score, compare and build value generalisation hierarchies."""


@hierarchy.command()
@argument(
    "vgh", type=options.PATH, metavar="VGH", about="A hierarchy: rows leaf;level 1;…;top as in ARX, or a tree in JSON."
)
@scoring
def score(vgh: Path, as_json: bool, **option_values: Any) -> None:
    r"""Compute how much meaning a hierarchy loses: per transition, per level and in all (0 is no loss).

    A leaf has the concept of the links file (by default the one beside the hierarchy, jobs.links.csv for jobs.csv),
    else the sense that lies under a sense of its ancestors. A value above it
    has the concept of the links file, else the sense that is a hypernym of the leaf. The concept of every value is
    shown. Without a sure concept of some value, no score is computed.

    Examples:
      allonym hierarchy score occupation.csv --write occupation.links.csv
      allonym hierarchy score occupation.csv --links occupation.links.csv
      allonym hierarchy score animals.json --level-weights 0.5,0.3,0.2 \
          --aggregate quantile:0.9
    """
    scored = _compared([vgh], **option_values).scores[0]
    if as_json:
        show_json(scored.to_dict())
    else:
        show_score(scored)
        _show_written(option_values["write"])


@hierarchy.command()
@argument("vgh", type=options.PATH, nargs=-1, required=True, metavar="VGH...", about="Two or more hierarchies.")
@scoring
def compare(vgh: Sequence[Path], as_json: bool, **option_values: Any) -> None:
    """Compare hierarchies of the same leaves, side by side and level by level.

    A leaf has the same concept in all of them. Levels that group the leaves as the level below does are left out.

    Examples:
      allonym hierarchy compare mine.csv yours.csv --links links.csv
      allonym hierarchy compare mine.csv yours.csv theirs.json --json
    """
    if len(vgh) < 2:
        raise OptionError(
            "At least two hierarchies are required.", hint="use `allonym hierarchy score` for a single one."
        )
    compared = _compared(vgh, **option_values)
    if as_json:
        show_json(compared.to_dict())
    else:
        show_side_by_side(compared)
        _show_written(option_values["write"])


@hierarchy.command()
@argument("file", type=options.PATH, metavar="FILE", about="The table: CSV or Parquet.")
@option("--column", required=True, metavar="COLUMN", help="Column whose values are generalised.")
@option(
    "-o", "--output", type=options.PATH, required=True, metavar="FILE",
    help="Path of the hierarchy; - writes to standard output.",
)  # fmt: skip
@option("--levels", type=click.IntRange(min=1), default=3, metavar="NUMBER", help="Number of levels, with the top.")
@option("--values", metavar="N,…,1", help="Number of values per level, instead of --levels.")
@option(
    "--ontology", metavar="WHAT",
    help="An ontology: wordnet or another name that `allonym ontologies` lists, NAME:ROOT, FILE or FILE#ROOT; or "
    "numeric, date or code. By default numbers and dates are recognised, and words have wordnet.",
)  # fmt: skip
@links_option
@option("--accept-review", is_flag=True, help="Accept links that need review.")
@option("--other", is_flag=True, help='Put values without a concept under "other".')
@measuring
@options.language
@options.as_json
@options.reading
def build(
    file: Path, column: str, output: Path, values: str | None, links: Path | None, as_json: bool,
    **option_values: Any,
) -> None:  # fmt: skip
    r"""Build a hierarchy for the values of a column, in the format of ARX.

    Words are generalised to concepts of an ontology that people know, numbers and dates to ranges and periods, codes to
    prefixes. Each level has fewer values than the one below; the top has one. `--values` sets the number of values per
    level; by default the number falls by about the same factor from level to level. The concepts of the values are
    written beside the hierarchy (jobs.csv, jobs.links.csv), where `allonym hierarchy score` finds them.

    Examples:
      allonym hierarchy build people.csv --column occupation -o occupation.csv \
          --ontology wordnet:person --levels 4
      allonym hierarchy build survey.csv --column hobby -o hobby.csv \
          --values 20,8,3,1 --accept-review
      allonym hierarchy build people.csv --column age -o age.csv --values 10,4,1
    """
    from allonym.cli.plan_options import READING, reading_from
    from allonym.pipeline.hierarchies import build as build_hierarchy
    from allonym.pipeline.hierarchies.building import links_path, links_text
    from allonym.release.write import check_outputs, save_text
    from allonym.tables.files import Reading, read_column

    to_stdout = str(output) == "-"
    beside = links_path(output)
    check_outputs([output, *([] if to_stdout else [beside])], [file, links])
    limits = _limits(values)
    reading = reading_from(Reading(), {name: option_values.pop(name) for name in READING})
    counts = read_column(file, column, reading).values
    built = build_hierarchy(counts, links=links, name=column, limits=limits, **option_values)
    written = [output]
    if to_stdout:
        click.echo(built.hierarchy.to_csv(), nl=False)
    else:
        save_text(output, built.hierarchy.to_csv(), private=True)
        if built.concepts:
            save_text(beside, links_text(built.concepts, built.narrower), private=True)
            written.append(beside)
    if as_json:
        show_json(built.to_dict() | {"notes": list(built.notes)}, err=to_stdout)
    elif not to_stdout:
        show_score(built)
        for note in built.notes:
            say(f"\n{note}")
        click.echo(f"\nWritten: {', '.join(map(str, written))}")


def _limits(values: str | None) -> list[int] | None:
    """Return the numbers of values of all levels."""
    if values is None:
        return None
    try:
        return [int(x) for x in values.split(",")]
    except ValueError:
        raise OptionError(f"--values {values!r} is not a list of numbers.", hint="write --values 10,4,1.") from None


def _compared(
    paths: Sequence[Path], *, ontology: str, links: Path | None, write: Path | None, accept_review: bool, weights: str,
    aggregate: str, measure: str, depth: str, language: str,
) -> HierarchyComparison:  # fmt: skip
    """Score hierarchies; the links file is written even if values without a sure concept prevent a score."""
    from allonym.errors import LinksError
    from allonym.pipeline.hierarchies import HierarchyComparison, link_hierarchies
    from allonym.pipeline.hierarchies.scoring import check_options
    from allonym.release.write import check_outputs, save_text

    level_weights = _weights(weights)
    check_options(aggregate, level_weights, measure)
    if write is not None:
        check_outputs([write], list(paths))
    own = _links_beside(paths) if links is None else links
    linked = link_hierarchies(paths, ontology, own, language=language, accept_review=accept_review)
    if write is not None:
        save_text(write, linked.to_csv(), private=True)
    try:
        return HierarchyComparison(linked.scores(aggregate, level_weights, measure, depth))
    except LinksError as error:
        if write is None:
            raise
        problem = error.problems[0]
        hint = f"settle them in {write}: write sure as the status of what is right. Then use --links {write}."
        raise LinksError(problem.text, hint=hint, values=problem.values) from None


def _links_beside(paths: Sequence[Path]) -> Path | dict[str, str] | None:
    """Return the links file beside a hierarchy, if there is one; of several, the concepts that they settle."""
    from allonym.pipeline.hierarchies import settled_of
    from allonym.pipeline.hierarchies.building import links_path

    files = [file for path in paths if (file := links_path(path)).is_file()]
    if len(files) < 2:
        return files[0] if files else None
    return {value: concept for file in reversed(files) for value, concept in settled_of(file).items()}


def _weights(text: str) -> str | list[float]:
    """Return the level weights: a name, or numbers."""
    try:
        return [float(x) for x in text.split(",")]
    except ValueError:
        return text


def _show_written(path: Path | None) -> None:
    if path is not None:
        click.echo(f"\nWritten: {path}. Review it, then use it with --links {path}.")
