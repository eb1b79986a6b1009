"""`allonym evaluate`: measure the masked output of any tool."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli import declared, options
from allonym.cli.disclosure import check_record_risk, save_record_risk, show_disclosure
from allonym.cli.help import Command, argument, option
from allonym.cli.output import as_json_text, progress, say, say_pairs, short, show_json, show_table
from allonym.cli.printing.changes import change_lines, show_replacements

if TYPE_CHECKING:
    from allonym.pipeline.evaluate import Evaluation

EVALUATION = (
    "key", "row_map", "earlier", "earlier_row_map", "balance", "threshold", "attackers", "m", "population",
    "combination_size", "exact_risk", "clusters",
)  # options besides those of the plan  # fmt: skip
MAX_VALUES = 10  # unmatched values shown of a column
LOSS = (
    "information_loss", "semantic_quality", "path_distance", "content_loss", "total_variation",
    "earth_movers_distance", "association_change", "clustering_distance", "loss_metric", "certainty_penalty",
    "set_loss", "set_loss_min_sum", "discernibility", "average_group_size",
)  # fmt: skip
RISK = (
    "semantic_linkage", "record_linkage", "prosecutor_risk", "prosecutor_risk_highest", "prosecutor_risk_above",
    "journalist_risk", "journalist_risk_highest", "journalist_risk_above", "marketer_risk", "uniqueness",
    "verbatim_sets", "verbatim_rows", "rare_items", "read_by_1_item", "read_by_2_items", "read_by_3_items",
    "whole_sets_read", "score",
)  # fmt: skip


@click.command(cls=Command)
@argument("original", metavar="ORIGINAL", about="The table before masking: CSV or Parquet.")
@argument("masked", metavar="MASKED", about="The table after masking, by allonym or any other tool.")
@options.plan
@option("--key", metavar="COLUMN", help="Column that identifies rows; by default rows match by position.")
@option("--row-map", type=options.PATH, metavar="FILE", help="Row map of a shuffled release, as `mask` wrote it.")
@option("--earlier", metavar="RELEASE", help="Another release about the same people.")
@option("--earlier-row-map", type=options.PATH, metavar="FILE", help="Row map of the earlier release.")
@options.balance
@options.exact_risk
@option(
    "--threshold", type=click.FloatRange(0, 1), default=0.2, metavar="NUMBER", help="Risk above which a person counts."
)
@option(
    "--attacker", "attackers", multiple=True, metavar="MEASURE", help="Link records under this similarity measure too."
)
@option(
    "--items", "m", type=click.IntRange(min=1), default=2, metavar="NUMBER",
    help="Items of a set that an attacker knows: m of k^m-anonymity.",
)  # fmt: skip
@option(
    "--clusters",
    type=options.ClustersType(),
    default=14,
    metavar="NUMBER",
    help=f"Clusters into which the records are cut before and after; {options.CLUSTERS_HELP}",
)
@option("--dendrograms", type=options.PATH, metavar="FILE", help="Draw both cluster trees as SVG.")
@options.disclosure
@options.record_risk
@options.replacements
@options.summary
@declared.row_order()
@options.hide_values
@options.as_json
@declared.plan_options(without=("key", "items"))
@options.unused_execution
def evaluate(
    original: str, masked: str, plan: Path | None, record_risk: Path | None, replacements: Path | None,
    summary: Path | None, dendrograms: Path | None, hide_values: bool, as_json: bool, **option_values: Any,
) -> None:  # fmt: skip
    r"""Measure the loss and the risk of a masked table.

    Works with any tool's output. The plan describes the columns; its k is the required k. Options change it as they do
    for `mask`, so that a release is measured with the options that it was masked with. In the masked table `*`
    stands for any value, a range (`[20, 30[`, `20-30`) for its middle, and a label of the plan's hierarchy for the
    values below it.

    Examples:
      allonym evaluate survey.csv masked.csv --plan plan.toml --row-map rows.csv
      allonym evaluate survey.csv masked.csv --row-map rows.csv \
          --quasi job=wordnet:person --keep-rest --accept review --k 10
      allonym evaluate people.csv other-tool.csv --plan plan.toml --key id --json
      allonym evaluate people.csv second.csv --plan plan.toml --earlier first.csv
      allonym evaluate people.csv masked.csv --plan plan.toml --attacker lin
      allonym evaluate people.csv masked.csv --plan plan.toml \
          --population register.csv --record-risk risk.csv
    """
    from allonym.cli.plan_options import named_files, plan_from_options
    from allonym.pipeline.changes.replacements_file import listed, save_replacements
    from allonym.release.write import check_outputs, save_text

    if dendrograms is not None:
        from allonym.report import needed

        needed()
    evaluation_options = {name: option_values.pop(name) for name in EVALUATION}
    inputs = [original, masked, plan, evaluation_options["population"], evaluation_options["earlier"]]
    check_record_risk(record_risk, inputs)
    check_outputs([record_risk, replacements, summary, dendrograms], [*inputs, *named_files(option_values)])
    whole = plan_from_options(plan, option_values, hint=f"run `allonym inspect {original}` to see likely roles")
    with progress("Measuring") as tick:
        evaluation = whole.evaluate(original, masked, tick=tick, **evaluation_options)
    save_record_risk(evaluation.record_risk, record_risk)
    assert evaluation.changes is not None
    if summary is not None:
        save_text(summary, as_json_text(evaluation.summary) + "\n", private=True)
    if replacements is not None:
        save_replacements(evaluation.changes, replacements)
    if dendrograms is not None:
        save_text(dendrograms, _drawn(evaluation), private=True)
    if as_json:
        hidden = replacements is None or hide_values
        listing = {} if hidden else {"replacements": listed(evaluation.changes)}
        show_json(evaluation.summary | listing)
        return
    _show(evaluation, hide_values, replacements)
    if replacements is not None and not hide_values:
        show_replacements(evaluation.changes, replacements)


def _drawn(evaluation: Evaluation) -> str:
    """Return the cluster trees before and after masking as SVG."""
    from allonym.report import charts

    trees = evaluation.dendrograms
    assert trees is not None
    return charts.dendrograms({"before": trees.before, "after": trees.after})


def _show(evaluation: Evaluation, hide_values: bool, replacements: Path | None) -> None:
    """Print promises, loss and risk."""
    from allonym.pipeline.disclosure.wording import people_in_words
    from allonym.report.html import figure

    s = evaluation.summary
    suppressed = f", {s['suppressed']:,} of them suppressed" if s["suppressed"] else ""
    records, groups = f"{s['records']:,} records{people_in_words(s)}", s["groups"]
    say(
        f"{records}{suppressed}; {groups['number']:,} groups of {groups['smallest']:,} to "
        f"{groups['largest']:,} ({s['tuples']['before']:,} distinct tuples before)\n"
    )
    if evaluation.looks_unpaired:
        say(
            "Caution: rows were paired by position, and are no more alike than rows paired at random. If the masked "
            "table is in another order, the figures below mean nothing: give --row-map or --key.\n"
        )
    rows = []
    for x in evaluation.privacy:
        required = "" if x["asked"] is None else f"{x['asked']:,}: {'holds' if x['holds'] else 'does not hold'}"
        rows.append((x["model"], ", ".join(x["columns"]), figure(x["reached"]), required))
    show_table(("promise", "over", "reached", "required"), rows, right=(2,))
    for name, x in s.get("united", {}).items():
        say(f"{name}: {x['values']:,} values count as {x['counted_as']:,}, because they differ only in spelling")
    say()
    say_pairs(list(change_lines(s["changes"], replacements)))
    _show_attackers(evaluation)
    for head, names in (("information loss", LOSS), ("disclosure risk", RISK)):
        say()
        show_table((head, "release", "before", "blind"), _measure_rows(evaluation, names), right=(1, 2, 3))
    show_disclosure(
        evaluation.uniques, evaluation.population, before=evaluation.uniques_before, has_units=s["units"] is not None
    )
    if evaluation.earlier is not None:
        rows = [
            (release, f"{x['smallest']:,}", figure(x["unique"]), figure(x["prosecutor_risk"]))
            for release, x in evaluation.earlier.items()
        ]
        say("\nTo an attacker who also has an earlier release:")
        show_table(("release", "smallest group", "unique (%)", "mean risk"), rows, right=(1, 2, 3))
    for name, values in evaluation.strange.items():
        shown = "" if hide_values else ": " + ", ".join(short(v, 30) for v in values[:MAX_VALUES])
        say(f"\n{name}: {len(values):,} masked values have no concept and count as similar to nothing else{shown}")


def _show_attackers(evaluation: Evaluation) -> None:
    """Print what each attacker reaches, the highest first, and what is inferred of sensitive columns."""
    from allonym.measures.attackers.registry import labelled
    from allonym.report.html import figure

    risk = evaluation.risk
    blind = figure(risk["blind_guess"])
    rows = [
        (label, figure(after), figure(before), blind)
        for label, before, after, _ in sorted(labelled(risk), key=lambda x: -x[2])
    ]
    say()
    show_table(("attackers, highest first (%)", "release", "before", "blind"), rows, right=(1, 2, 3))
    if risk["inference"]:
        rows = [
            (name, figure(x["value"]), figure(x["before"]), figure(x["baseline"]))
            for name, x in risk["inference"].items()
        ]
        say()
        show_table(("sensitive value inferred (%)", "release", "before", "blind"), rows, right=(1, 2, 3))


def _measure_rows(evaluation: Evaluation, names: tuple[str, ...]) -> list[tuple[str, str, str, str]]:
    """Return a row for each measure, and one for each attacker."""
    from allonym.measures.measurement import QUESTIONS
    from allonym.report.html import figure

    rows = []
    for name in (x for x in names if x in evaluation.measures):
        m = evaluation.measures[name]
        interval = "" if m.interval is None else f" ({figure(m.interval[0])} to {figure(m.interval[1])})"
        question = QUESTIONS[name]
        if name == "clustering_distance" and evaluation.dendrograms is not None:
            question = question.replace("a cluster analysis find", f"{evaluation.dendrograms.number:,} clusters show")
        rows.append((question, figure(m.value) + interval, figure(m.before or 0), figure(m.baseline or 0)))
        if name == "semantic_linkage":
            rows += [
                (f"… by {attacker}", figure(x.value), figure(x.before or 0), figure(x.baseline or 0))
                for attacker, x in evaluation.attackers.items()
            ]
    return rows
