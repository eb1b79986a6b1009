"""The command that measures any masked file."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from allonym.cli.app import Json, app, progress
from allonym.cli.mask import show_details
from allonym.cli.options import Balance, HideValues, NeededPlan
from allonym.errors import PlanError

Option = typer.Option
Original = Annotated[str, typer.Argument(metavar="ORIGINAL", help="The table as it was: CSV or Parquet.")]
Masked = Annotated[str, typer.Argument(metavar="MASKED", help="The same, masked by allonym or any other tool.")]
Key = Annotated[str | None, Option("--key", metavar="COLUMN", help="Says which row is which; else, by position.")]
Earlier = Annotated[str | None, Option("--earlier", metavar="RELEASE", help="Another release of the same people.")]
Threshold = Annotated[float, Option("--threshold", min=0, max=1, help="Above it a person is at risk.")]
Attacker = Annotated[
    list[str] | None, Option("--attacker", metavar="MEASURE", help="Also link by meaning under this measure.")
]

Items = Annotated[int, Option("--items", min=1, metavar="NUMBER", help="Of a set an attacker knows: k^m-anonymity.")]


@app.command()
def evaluate(
    original: Original,
    masked: Masked,
    plan: NeededPlan,
    key: Key = None,
    earlier: Earlier = None,
    balance: Balance = 0.5,
    threshold: Threshold = 0.2,
    attacker: Attacker = None,
    items: Items = 2,
    hide_values: HideValues = False,
    as_json: Json = False,
) -> None:
    """Measure a masked table, whoever masked it: what it lost, who can be found, what it promises.

    The plan says what the columns are; its k is what is asked. `*` stands for anything, a range (`[20, 30[`, `20-30`)
    for its middle, and labels of a hierarchy for what the plan's hierarchy says.

    Examples:

    `allonym evaluate survey.csv masked.csv --plan plan.toml`

    `allonym evaluate people.csv from-another-tool.csv --plan plan.toml --key id --json`

    `allonym evaluate people.csv second.csv --plan plan.toml --earlier first.csv`

    `allonym evaluate people.csv masked.csv --plan plan.toml --attacker lin --attacker path`
    """
    from allonym.cli.output import show_evaluation
    from allonym.plan import Plan

    loaded = Plan.load(plan)
    options = {"key": key, "earlier": earlier, "balance": balance, "threshold": threshold, "attackers": attacker or []}
    options["m"] = items
    with progress("measuring") as tick:
        try:
            found = loaded.evaluate(original, masked, tick=tick, **options)
        except PlanError as error:
            if not hide_values:
                show_details(error)
            raise
    if as_json:
        typer.echo(json.dumps(found.summary, indent=2, ensure_ascii=False))
    else:
        show_evaluation(found, hide_values)
