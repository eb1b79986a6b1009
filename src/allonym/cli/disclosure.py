"""Printing what makes people unique and how many of a population share a record; the private file of risks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from allonym.cli.output import say, show_table

if TYPE_CHECKING:
    from allonym.measures.population import PopulationRisk
    from allonym.measures.uniques import UniqueCombinations
    from allonym.pipeline.disclosure.record_risk import RecordRisk


def show_disclosure(
    uniques: UniqueCombinations | None,
    population: PopulationRisk | None,
    *,
    before: UniqueCombinations | None = None,
    has_units: bool,
) -> None:
    """Print the combinations of columns that make people unique, and the figures of the population."""
    from allonym.pipeline.disclosure.wording import counted_as, population_in_words

    who = counted_as(has_units)
    if uniques is not None:
        show_uniques(uniques, who, "" if before is None else f" Before masking: {before.unique:,}.")
    if population is not None:
        say("\n" + "\n".join(population_in_words(population, who)))


def show_uniques(uniques: UniqueCombinations, who: str, before: str = "") -> None:
    """Print who is unique, by combination and by column."""
    from allonym.pipeline.disclosure.wording import SHOWN, column_figures, top_combinations, uniques_in_words

    say(f"\n{uniques_in_words(uniques, who)}{before}")
    if not uniques.counts:
        return
    rows = [(f"  {names}", f"{people:,}") for names, people in top_combinations(uniques)]
    show_table(("  smallest combinations", f"unique {who}s"), rows, right=(1,))
    if len(uniques.counts) > SHOWN:
        say(f"  … and {len(uniques.counts) - SHOWN:,} more")
    rows_by_column = [
        (f"  {name}", f"{contribution:.1f} %", f"{without:,}")
        for name, contribution, without in column_figures(uniques)
    ]
    show_table(("  column", "share of the score", "unique without it"), rows_by_column, right=(1, 2))


def check_record_risk(path: Path | None, inputs: Sequence[str | Path | None]) -> None:
    """Refuse, before any work, a file of risks that cannot be written or that exists."""
    from allonym.pipeline.disclosure.record_risk import check_new
    from allonym.release.write import check_outputs

    check_outputs([path], inputs)
    check_new(path)


def save_record_risk(risk: RecordRisk | None, path: Path | None) -> None:
    """Write the risk of every row, if it is asked for and known."""
    if risk is not None and path is not None:
        risk.save(path)
        click.echo(f"Written, for you alone: {path}", err=True)
