"""`allonym demo`: mask the bundled survey."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from allonym.cli import options
from allonym.cli.help import Command, option
from allonym.cli.mask import Documents, show_figures
from allonym.cli.output import progress, say, show_table, waiting
from allonym.errors import OptionError

if TYPE_CHECKING:
    from allonym.pipeline.run import Release


@click.command(cls=Command)
@option("-o", "--output", type=options.PATH, default="allonym-demo", metavar="FOLDER", help="Folder to write to.")
@options.k
@options.report
@options.public
def demo(output: Path, k: int | None, report: Path | None, public: bool) -> None:
    r"""Mask the bundled survey and print the result.

    Writes survey.csv (invented answers of visitors to a park), plan.toml, the reviewed links, masked.csv and
    summary.json.

    Examples:
      allonym demo -o demo
      allonym mask demo/survey.csv -o again.csv --plan demo/plan.toml
      allonym demo --report report.html
    """
    from allonym.pipeline.demo import FILES, demonstrate
    from allonym.release.write import check_outputs

    documents = Documents(report=report, public=public)
    documents.check()
    if report is not None and report.absolute() in [(output / name).absolute() for name in FILES]:
        raise OptionError(f"{report} is a file of the demonstration itself.", hint="give the report another name.")
    if report is not None and report.absolute().parent != output.absolute():
        check_outputs([report], [])
    with progress("Masking") as tick:
        release = demonstrate(output, 5 if k is None else k, tick)
    with waiting("Writing the report"):
        documents.save(release)
    show_demo(release, output, report)


def show_demo(release: Release, folder: Path, report: Path | None = None) -> None:
    """Print the demonstration on one screen."""
    say("Visitors to a park said why they came and what they did (invented answers).\n")
    show_figures(release, by_column=False)
    rows = []
    for column in release.summary["privacy"][0]["columns"]:
        rows += [
            (column, str(before), "→", "(empty)" if after is None else str(after), f"{cells:,}")
            for before, after, cells in release.replacements(column)[:3]
        ]
    say()
    show_table(("column", "original", "", "released", "cells"), rows, right=(4,))
    click.echo(f"\nIn {folder}: survey.csv, masked.csv, plan.toml, summary.json, links")
    if report is not None:
        click.echo(f"Report: {report}")
    click.echo(f"Run again: allonym mask {folder}/survey.csv -o masked.csv --plan {folder}/plan.toml")
