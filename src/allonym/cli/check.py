"""`allonym check`: dry-run a plan on a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli import declared, options
from allonym.cli.disclosure import check_record_risk, save_record_risk, show_disclosure
from allonym.cli.help import Command, option
from allonym.cli.output import problem_lines, progress, say, short, show_json, show_table
from allonym.cli.printing.links_table import show_links
from allonym.errors import OptionError, plural

if TYPE_CHECKING:
    from allonym.pipeline.check import Check, ColumnCheck

LINK_PROBLEMS = ("to-review", "unmatched")  # whose links are shown with their columns
MAX_LINKS = 10  # links shown of a column


@click.command(cls=Command)
@options.file
@options.plan
@option("--write", is_flag=True, help="Write links files for review beside the plan, and name them in it.")
@options.disclosure
@options.record_risk
@declared.row_order()
@options.hide_values
@options.as_json
@declared.plan_options()
@options.execution
@click.pass_context
def check(
    ctx: click.Context,
    /,
    file: str,
    plan: Path | None,
    write: bool,
    record_risk: Path | None,
    population: str | None,
    combination_size: int,
    hide_values: bool,
    as_json: bool,
    **option_values: Any,
) -> None:
    r"""Dry-run a plan on a table.

    The plan is a file, or options as of `mask`, or both. Exits with 1 if `mask` would refuse the plan. Lists the links
    of words to concepts that need review, the values without a concept, with suggestions, and the disclosure risk of
    the table as it is: which columns make people unique, and how many people of a population share the values of a
    record.

    Examples:
      allonym check survey.csv --plan plan.toml
      allonym check survey.csv --plan plan.toml --write
      allonym check survey.csv --quasi job=wordnet:person --keep-rest --k 10
      allonym check survey.csv --plan plan.toml --population register.csv \
          --record-risk risk.csv
    """
    from allonym.cli.plan_options import named_files, plan_from_options

    if write and plan is None:
        raise OptionError("--write requires --plan.", hint="the links files are named in the plan.")
    check_record_risk(record_risk, [file, plan, population, *named_files(option_values)])
    whole = plan_from_options(plan, option_values, hint=f"run `allonym inspect {file}` to see likely roles")
    execution = {name: option_values[name] for name in ("engine", "master", "partition_by", "blocks_from")}
    with progress("Checking") as tick:
        checked = whole.check(file, tick, population=population, combination_size=combination_size, **execution)
    written = checked.pin(plan) if write and plan is not None else []
    save_record_risk(checked.record_risk, record_risk)
    if as_json:
        show_json(checked.to_dict(hide_values))
    else:
        _show(checked, hide_values, written, plan)
    ctx.exit(0 if checked.ready else 1)


def _show(checked: Check, hide_values: bool, written: Sequence[Path], plan: Path | None) -> None:
    """Print columns, links, risk and problems."""
    rows = [
        (x.name, x.role or "none", x.kind or "", "" if x.distinct is None else f"{x.distinct:,}", *_coverage(x))
        for x in checked.columns
    ]
    heads = ("column", "role", "kind", "distinct", "cells linked", "to review", "unmatched")
    show_table(heads, rows, right=(3, 4, 5, 6))
    for column in checked.columns:
        _show_links(column, hide_values)
    _show_risk(checked)
    for file in written:
        click.echo(f"Written: {file}")
    if written:
        say(f"Review these files (change a concept, or set its status to sure). {plan} names them.")
    for caution in checked.cautions:
        say(f"\nCaution: {caution}")
    if checked.problems:
        say(f"\nNot ready, {plural(len(checked.problems), 'problem')}:")
        for problem in checked.problems:
            first, *more = problem_lines(problem, hide_values or problem.code in LINK_PROBLEMS)
            say("\n".join([f"  - {first}", *(f"    {line}" for line in more)]))
    else:
        say("\nReady to mask.")


def _show_risk(checked: Check) -> None:
    risk = checked.risk
    if risk is None:
        return
    who = f"{risk.who}s"
    say(f"\nRisk before masking, over the quasi-identifiers ({risk.records:,} records):")
    say(f"  {risk.tuples:,} distinct tuples, {risk.unique:,} of them of one {risk.who} only")
    if checked.k > 1:
        say(f"  groups of {risk.smallest:,} to {risk.largest:,} {who}; the plan requires k = {checked.k}")
        say(f"  {risk.below:,} records ({risk.below / risk.records:.1%}) are in smaller groups")
    else:
        say(f"  groups of {risk.smallest:,} to {risk.largest:,} {who}")
    say(f"  {risk.linkage:.1f} % of the records can be linked by text")
    show_disclosure(checked.uniques, checked.population, has_units=risk.units is not None)


def _coverage(column: ColumnCheck) -> tuple[str, str, str]:
    """Return the shares of the cells that are linked, to be reviewed and unmatched."""
    if not column.words:
        return "", "", ""
    linked, review, unmatched = (column.cells(status) for status in ("sure", "review", "unmatched"))
    total = max(linked + review + unmatched, 1)
    return f"{linked / total:.1%}", f"{review / total:.1%}", f"{unmatched / total:.1%}"


def _show_links(column: ColumnCheck, hide_values: bool) -> None:
    """Print how many cells of a column are settled, and the links that need a person's look."""
    from allonym.ontology.linking.review_order import in_review_order

    if column.new:
        shown = "" if hide_values else ": " + ", ".join(short(x.value, 30) for x in column.new[:MAX_LINKS])
        more = f" and {len(column.new) - MAX_LINKS:,} more" if len(column.new) > MAX_LINKS and not hide_values else ""
        say(f"\n{column.name}: {plural(len(column.new), 'value')} not in its links file{shown}{more}")
    links = in_review_order([*column.review, *column.unmatched])
    if not links:
        return
    counts = f"{len(column.review):,} to review, {len(column.unmatched):,} unmatched"
    say(f"\n{column.name}: {column.progress.share} of cells settled; {counts}")
    if sentence := str(column.progress):
        say(f"  {sentence}")
    if hide_values:
        return
    show_links(links[:MAX_LINKS], lambda link: column.links_of(link).scope.taxonomy, indent="  ")
    if len(links) > MAX_LINKS:
        say(f"  … and {len(links) - MAX_LINKS:,} more")
