"""`allonym compare`: compare methods and parameters on a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli import declared, options
from allonym.cli.help import Command, option
from allonym.cli.output import progress, say, show_json, show_table
from allonym.errors import OptionError, OutputError

if TYPE_CHECKING:
    from allonym.report.comparison import Comparison

PAGES = (".html", ".htm")
ENDINGS = (*PAGES, ".csv", ".json")
CELLS = {
    "changed": "changed",
    "false": "false",
    "generalised": "general",
    "set_to_null": "null",
    "farthest": "farthest",
    "total_variation": "variation",
    "earth_movers_distance": "moved",
}  # figures of cells and distributions, and their heads
MEASURES = {
    "semantic_quality": "quality",
    "path_distance": "links",
    "clustering_distance": "clusters",
}  # heads of other measures; else, their names


@click.command(cls=Command)
@options.file
@options.plan
@option(
    "-o", "--output", "outputs", type=options.PATH, multiple=True, metavar="FILE",
    help="Page (.html) or figures (.csv, .json); may be repeated.",
)  # fmt: skip
@option("--methods", default="sa-mdav,s-mdav,fusion,mdav", metavar="NAMES", help="Methods, separated by commas.")
@option(
    "--k", default="2,3,5,10,15", metavar="NUMBERS", help="Values of k, separated by commas, for methods that have k."
)
@option("--grid", multiple=True, metavar="NAME=VALUES", help="Values of another parameter; may be repeated.")
@option(
    "--measures", default="semantic-quality,path-distance,discernibility,clustering-distance", metavar="NAMES",
    help="Measures besides loss and linkage, separated by commas, as `evaluate` names them; or none.",
)  # fmt: skip
@options.balance
@option(
    "--clusters", type=options.ClustersType(), default=14, show_default=True, metavar="NUMBER",
    help=f"Number of clusters of records that are compared before and after masking; {options.CLUSTERS_HELP}",
)  # fmt: skip
@options.hide_values
@options.as_json
@declared.plan_options(several_methods=True)
def compare(
    file: str, plan: Path | None, outputs: Sequence[Path], methods: str, k: str, grid: Sequence[str], measures: str,
    balance: float, clusters: int | str, hide_values: bool, as_json: bool, **option_values: Any,
) -> None:  # fmt: skip
    r"""Compare masking methods and parameters on a table.

    Reports information loss and record linkage for each method and each k: as a page with charts, as CSV or as JSON.
    No masked table is written.

    Examples:
      allonym compare survey.csv --plan plan.toml -o compare.html
      allonym compare survey.csv --plan plan.toml --k 3,5,10 \
          --methods sa-mdav,fusion,generalise -o compare.html -o compare.csv
      allonym compare survey.csv --plan plan.toml --methods sa-mdav,noise --k 5 \
          --grid alpha=0.1,0.3 --json
    """
    from allonym.cli.plan_options import named_files, plan_from_options
    from allonym.pipeline.compare import compare as compare_methods
    from allonym.release.write import check_outputs

    _check_endings(outputs)
    check_outputs(outputs, [file, plan, *named_files(option_values)])
    whole = plan_from_options(plan, option_values, hint=f"run `allonym inspect {file}` to see likely roles")
    check_outputs(outputs, [file, *whole.files])
    names = [name.strip() for name in methods.split(",") if name.strip()]
    parameters = {"k": _values("--k", k)} | _grid(grid)
    more = [x.strip().replace("-", "_") for x in measures.split(",") if x.strip() not in ("", "none")]
    with progress("Comparing") as tick:
        comparison = compare_methods(
            file, whole, names, parameters, balance=balance, measures=more, clusters=clusters, tick=tick
        )
    for path in outputs:
        comparison.save(path)
    if as_json:
        show_json(comparison.to_dict())
    else:
        _show(comparison, outputs)


def _check_endings(outputs: Sequence[Path]) -> None:
    """Refuse, before any work, files that cannot be written."""
    for path in outputs:
        if path.suffix.lower() not in ENDINGS:
            raise OutputError(f"{path}: unknown kind of file.", hint="the name must end in .html, .csv or .json.")
    if any(path.suffix.lower() in PAGES for path in outputs):
        from allonym.report import needed

        needed()


def _grid(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of each named parameter; a parameter that is repeated has more."""
    parameters: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name:
            raise OptionError(f"--grid {text} is not a parameter with values.", hint="write NAME=VALUE,VALUE.")
        if name == "k":
            raise OptionError("--grid cannot vary k.", hint="use --k 2,3,5.")
        parameters.setdefault(name.replace("-", "_"), []).extend(_values(f"--grid {name}", values))
    return parameters


def _values(name: str, text: str) -> list[Any]:
    """Return values separated by commas: numbers, true and false, or words."""
    values = [_value(x.strip()) for x in text.split(",") if x.strip()]
    if not values:
        raise OptionError(f"{name} has no values.", hint="separate them by commas.")
    return values


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def _show(comparison: Comparison, outputs: Sequence[Path]) -> None:
    """Print the runs side by side; the best trade-offs are marked."""
    from allonym.report.html import figure, parameter_text

    heads = ("method", "k", "settings", "loss", "highest", "attacker", "by meaning", "by text", "score", "seconds", "")
    keys = ("method", "k", "parameters", "information_loss", "highest_linkage", "attacker", "semantic_linkage",
            "record_linkage", "score", "seconds")  # fmt: skip
    rows = [
        [*("" if row[key] is None else figure(row[key]) for key in keys), "best" if row["best"] else ""]
        for row in comparison.rows()
    ]
    _show_runs(heads, rows)
    say("\nloss: information loss; highest: records linked by the strongest attacker; by meaning, by text; all in %.")
    say("best: no other run is better in loss or the highest linkage and at least as good in the other.")
    say("\nCells of the masked columns, in %:")
    shown = ("method", "k", "parameters", *CELLS)
    rows = [["" if row[x] is None else figure(row[x]) for x in shown] for row in comparison.rows()]
    _show_runs(("method", "k", "settings", *CELLS.values()), rows)
    say("\nfalse: not true of the original; general: true, but less specific.")
    say("farthest: the largest distance of a released value from its original, from 0 to 1.")
    say("variation, moved: how much of each column's distribution moved, and how far (earth mover's); from 0 to 1.")
    if comparison.measures:
        _show_measures(comparison)
    for run in comparison.failed:
        parameters = "".join(f", {name} = {parameter_text(value)}" for name, value in run["parameters"].items())
        say(f"\nLeft out: {run['method']}{parameters}. {' '.join(run['problems'])}")
    for path in outputs:
        click.echo(f"Written: {path}")


def _show_measures(comparison: Comparison) -> None:
    """Print the measures besides loss and linkage."""
    from allonym.measures.measurement import QUESTIONS
    from allonym.report.html import figure

    say("\nOther measures:")
    heads = {x: MEASURES.get(x, x.replace("_", " ")) for x in comparison.measures}
    shown = ("method", "k", "parameters", *heads)
    rows = [["" if row[x] is None else figure(row[x]) for x in shown] for row in comparison.rows()]
    _show_runs(("method", "k", "settings", *heads.values()), rows)
    say("\n" + "\n".join(f"{head}: {QUESTIONS[name]}" for name, head in heads.items()))


def _show_runs(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a row for each run; settings only where there are some."""
    shown = [i for i, head in enumerate(heads) if head != "settings" or any(row[i] for row in rows)]
    numbers = [place for place, i in enumerate(shown) if heads[i] not in ("method", "settings", "attacker", "")]
    show_table([heads[i] for i in shown], [[row[i] for i in shown] for row in rows], right=numbers)
