"""`allonym compare`: compare methods and parameters on a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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


@click.command(cls=Command)
@options.file
@options.required_plan
@option(
    "-o", "--output", "outputs", type=options.PATH, multiple=True, metavar="FILE",
    help="Page (.html) or figures (.csv, .json); may be repeated.",
)  # fmt: skip
@option("--methods", default="sa-mdav,s-mdav,fusion,mdav", metavar="NAMES", help="Methods, separated by commas.")
@option(
    "--k", default="2,3,5,10,15", metavar="NUMBERS", help="Values of k, separated by commas, for methods that have k."
)
@option("--grid", multiple=True, metavar="NAME=VALUES", help="Values of another parameter; may be repeated.")
@options.accept_review
@options.unmatched
@declared.accepting()
@options.balance
@options.hide_values
@options.as_json
def compare(
    file: str, plan: Path, outputs: Sequence[Path], methods: str, k: str, grid: Sequence[str], accept_review: bool,
    unmatched: str | None, accept: str | None, rest: str | None, balance: float, hide_values: bool, as_json: bool,
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
    from allonym.pipeline.compare import compare as compare_methods
    from allonym.plan import Plan
    from allonym.release.write import check_outputs

    _check_endings(outputs)
    check_outputs(outputs, [file, plan])
    loaded = Plan.load(plan)
    check_outputs(outputs, [file, *loaded.files])
    policies = {"unmatched": unmatched, "accept": accept, "rest": rest}
    changes: dict[str, Any] = {name: x for name, x in policies.items() if x is not None}
    changes |= {"accept_review": accept_review} if accept_review or accept else {}
    columns = {name: replace(x, **changes) if x.role == "quasi" else x for name, x in loaded.columns.items()}
    names = [name.strip() for name in methods.split(",") if name.strip()]
    parameters = {"k": _values("--k", k)} | _grid(grid)
    with progress("Comparing") as tick:
        whole = replace(loaded, columns=columns)
        comparison = compare_methods(file, whole, names, parameters, balance=balance, tick=tick)
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
    shown = [i for i, head in enumerate(heads) if head != "settings" or any(row[i] for row in rows)]
    numbers = [place for place, i in enumerate(shown) if heads[i] not in ("method", "settings", "attacker", "")]
    show_table([heads[i] for i in shown], [[row[i] for i in shown] for row in rows], right=numbers)
    say("\nloss: information loss; highest: records linked by the strongest attacker; by meaning, by text; all in %.")
    say("best: no other run is better in loss or the highest linkage and at least as good in the other.")
    for run in comparison.failed:
        parameters = "".join(f", {name} = {parameter_text(value)}" for name, value in run["parameters"].items())
        say(f"\nLeft out: {run['method']}{parameters}. {' '.join(run['problems'])}")
    for path in outputs:
        click.echo(f"Written: {path}")
