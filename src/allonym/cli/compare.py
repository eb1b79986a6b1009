"""The command that compares methods on a table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from allonym.cli import options as o
from allonym.cli.app import Json, app, progress
from allonym.errors import OptionError, OutputError, PlanError

Option = typer.Option
Outputs = Annotated[
    list[Path] | None,
    Option("-o", "--output", metavar="FILE", help="A page (.html) or numbers (.csv, .json); may be given again."),
]
Methods = Annotated[str, Option("--methods", metavar="NAMES", help="Methods, with commas between them.")]
Ks = Annotated[str, Option("--k", metavar="NUMBERS", help="For methods that promise k, with commas between them.")]
Grid = Annotated[
    list[str] | None, Option("--grid", metavar="NAME=VALUES", help="Values of another parameter; may be given again.")
]
ENDINGS = (".html", ".htm", ".csv", ".json")


@app.command()
def compare(
    file: o.File,
    plan: o.NeededPlan,
    output: Outputs = None,
    methods: Methods = "sa-mdav,s-mdav,fusion,mdav",
    k: Ks = "2,3,5,10,15",
    grid: Grid = None,
    accept_review: o.Accept = False,
    unmatched: o.Unmatched = None,
    balance: o.Balance = 0.5,
    hide_values: o.HideValues = False,
    as_json: Json = False,
) -> None:
    """Mask a table in several ways and compare them; nothing of it is written but figures.

    What is lost, and who can be linked, for each method and each k: as a page with charts, as CSV, as JSON.

    Examples:

    `allonym compare survey.csv --plan plan.toml -o compare.html`

    `allonym compare survey.csv --plan plan.toml --methods sa-mdav,fusion,generalise --k 3,5,10 -o compare.html -o
    compare.csv`

    `allonym compare survey.csv --plan plan.toml --methods sa-mdav,noise --k 5 --grid alpha=0.1,0.3 --json`
    """
    from allonym.cli.mask import show_details
    from allonym.cli.output import show_comparison
    from allonym.pipeline.compare import compare as run
    from allonym.plan import Plan
    from allonym.release.write import check_outputs

    _check(output or [])
    check_outputs(output or [], [file, plan])
    loaded = Plan.load(plan)
    check_outputs(output or [], [file, *loaded.files])
    changed: dict[str, Any] = {"accept_review": True} if accept_review else {}
    changed |= {} if unmatched is None else {"unmatched": unmatched}
    columns = {x: replace(y, **changed) if y.role == "quasi" else y for x, y in loaded.columns.items()}
    wanted = {"k": _values("--k", k)} | _named(grid or [])
    with progress("comparing") as tick:
        try:
            names = [x.strip() for x in methods.split(",") if x.strip()]
            whole = replace(loaded, columns=columns)
            found = run(file, whole, names, wanted, balance=balance, tick=tick)
        except PlanError as error:
            if not hide_values:
                show_details(error)
            raise
    for path in output or []:
        found.save(path)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        show_comparison(found, output or [])


def _check(outputs: list[Path]) -> None:
    """Refuse, before any work, what cannot be written."""
    for path in outputs:
        if path.suffix.lower() not in ENDINGS:
            raise OutputError(f"{path} is neither a page nor numbers.", hint="end its name in .html, .csv or .json.")
    if any(path.suffix.lower() in (".html", ".htm") for path in outputs):
        from allonym.report import needed

        needed()


def _named(texts: list[str]) -> dict[str, list[Any]]:
    """Return the values of each parameter that is named; one that is named again has more."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, split, values = text.partition("=")
        if not split or not name:
            raise OptionError(f"--grid {text}: that names no parameter with values.", hint="write NAME=VALUE,VALUE.")
        if name == "k":
            raise OptionError("--grid k: k has an option of its own.", hint="say --k 2,3,5.")
        found.setdefault(name.replace("-", "_"), []).extend(_values(f"--grid {name}", values))
    return found


def _values(option: str, text: str) -> list[Any]:
    """Return what commas separate: numbers, true and false, or words."""
    found = [_value(x.strip()) for x in text.split(",") if x.strip()]
    if not found:
        raise OptionError(f"{option} has no values.", hint="write them with commas between.")
    return found


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text
