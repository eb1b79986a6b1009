"""`allonym hierarchy`: score, compare and build value generalisation hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli import options
from allonym.cli.help import Group, argument, option, together
from allonym.cli.output import say, short, show_json, show_table
from allonym.errors import OptionError

if TYPE_CHECKING:
    from allonym.pipeline.hierarchies import HierarchyScore

MAX_TRANSITIONS, BAR_LENGTH = 8, 40
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
        "--level-weights", "weights", default="constant", metavar="NAME",
        help="constant, or level: lower levels count more.",
    ),
    option("--aggregate", default="max", metavar="NAME", help="Loss of a level: max or mean of its transitions."),
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
    """Compute how much meaning a hierarchy loses: per transition, per level and in all (0 is no loss).

    The concepts of its values come from the links file (by default the one beside it, jobs.links.csv for jobs.csv),
    then from the ontology, and above the leaves from the hypernyms of the leaves. Values whose concept is uncertain are
    listed, and no score is computed.

    Examples:
      allonym hierarchy score occupation.csv --links occupation.links.csv
      allonym hierarchy score animals.json --level-weights level --aggregate mean
    """
    scored = _scored(vgh, option_values)
    if as_json:
        show_json(scored.to_dict())
    else:
        _show(scored)


@hierarchy.command()
@argument("vgh", type=options.PATH, nargs=-1, required=True, metavar="VGH...", about="Two or more hierarchies.")
@scoring
def compare(vgh: Sequence[Path], as_json: bool, **option_values: Any) -> None:
    """Compare hierarchies of the same values, side by side and level by level.

    Examples:
      allonym hierarchy compare mine.csv yours.csv --links links.csv
      allonym hierarchy compare mine.csv yours.csv theirs.json --json
    """
    if len(vgh) < 2:
        raise OptionError(
            "At least two hierarchies are required.", hint="use `allonym hierarchy score` for a single one."
        )
    scores = [_scored(path, option_values) for path in vgh]
    if as_json:
        show_json({"format": 1, "hierarchies": [x.to_dict() for x in scores]})
    else:
        _show_side_by_side(scores)


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
        _show(built)
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


def _scored(vgh: Path, option_values: dict[str, Any]) -> HierarchyScore:
    from allonym.pipeline.hierarchies import score as score_hierarchy
    from allonym.pipeline.hierarchies.building import links_path

    beside = links_path(vgh)
    links = option_values["links"] or (beside if beside.is_file() else None)
    return score_hierarchy(vgh, **option_values | {"links": links})


def _show(scored: HierarchyScore) -> None:
    """Print the loss of a hierarchy."""
    tree = scored.hierarchy
    say(f"{tree.name}: {len(tree.rows):,} leaves, {tree.height} levels\n")
    rows = [
        (str(x["level"]), f"{x['values']:,}", f"{x['gsl']:.4f}", f"{x['mean']:.4f}", f"{x['std']:.4f}", _bar(x["gsl"]))
        for x in scored.levels
    ]
    show_table(("level", "values", "LevelGSL", "mean", "std", ""), rows, right=(1, 2, 3, 4))
    weights = "equal weights" if scored.weights == "constant" else "lower levels count more"
    say(f"\nVghGSL {scored.value:.4f} ({scored.aggregate} of each level, {weights})\n")
    transitions = [
        (short(t.leaf, 30), "→", short(t.ancestor, 30), str(t.level), f"{t.loss:.4f}")
        for t in scored.transitions[:MAX_TRANSITIONS]
    ]
    show_table(("largest losses", "", "", "level", "TransGSL"), transitions, right=(3, 4))
    for level in scored.reversed:
        say(f"\nSome values of level {level} are farther from a leaf than those of level {level + 1}.")
    if scored.review:
        uncertain = ", ".join(f"{short(value, 30)} ({scored.concepts[value]})" for value in scored.review)
        say(f"\nUncertain concepts, please check: {uncertain}")


def _show_side_by_side(scores: Sequence[HierarchyScore]) -> None:
    """Print hierarchies side by side, with a chart of their levels."""
    best = min(x.value for x in scores)
    rows = [
        (
            x.hierarchy.name,
            f"{len(x.hierarchy.rows):,}",
            " → ".join(f"{level['values']:,}" for level in x.levels),
            f"{x.value:.4f}" + (" *" if x.value == best else ""),
            ", ".join(map(str, x.reversed)),
        )
        for x in scores
    ]
    show_table(("hierarchy", "leaves", "values per level", "VghGSL", "reversed levels"), rows)
    say("\n* smallest loss\n")
    chart = [
        (f"level {i + 1}" if j == 0 else "", x.hierarchy.name, f"{x.levels[i]['gsl']:.4f}", _bar(x.levels[i]["gsl"]))
        for i in range(max(x.hierarchy.height for x in scores))
        for j, x in enumerate(y for y in scores if y.hierarchy.height > i)
    ]
    show_table(("", "", "LevelGSL", ""), chart, right=(2,))


def _bar(loss: float) -> str:
    """Return a bar whose length is a loss from 0 to 1."""
    eighths = round(loss * BAR_LENGTH * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]
