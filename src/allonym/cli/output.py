"""What the commands print."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.cli.app import console, short
from allonym.report.html import figure as _number
from allonym.report.html import told as _told

if TYPE_CHECKING:
    from rich.console import Console

    from allonym.pipeline.check import Check, ColumnCheck
    from allonym.pipeline.evaluate import Evaluation
    from allonym.pipeline.inspect import ColumnInspection, Inspection
    from allonym.pipeline.run import Release
    from allonym.report.comparison import Comparison
    from allonym.tables.files import Reading

MOST = 10  # values shown of a kind


def table_of(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> Any:
    """Lay out a table."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i in right else "left", overflow="fold", no_wrap=i == 0)
    for row in rows:
        table.add_row(*row)
    return table


def show_inspection(found: Inspection, file: str, plan: Path | None, reading: Reading) -> None:
    """Print a table at first sight, and how to go on."""
    out = console()
    out.print(f"{file}: {found.records:,} records, {len(found.columns)} columns\n")
    rows = [
        (
            x.name,
            f"{x.distinct:,}",
            f"{x.unique:,}",
            f"{x.missing:,}",
            x.role,
            _kind(x),
            "" if x.coverage is None else f"{x.coverage:.0%}",
        )
        for x in found.columns
    ]
    heads = ("column", "distinct", "unique", "missing", "likely role", "kind", "WordNet")
    out.print(table_of(heads, rows, right=(1, 2, 3, 6)))
    out.print("\nRoles are guesses from names and counts: you know better.")
    begin = plan or Path("plan.toml")
    if plan is None:
        how = shlex.join(["allonym", "inspect", file, *_options(reading), "-o", str(begin)])
        out.print(f"Write a plan:  {how}", soft_wrap=True)
    else:
        out.print(f"Edit them in   {plan}")
    out.print(
        f"Check it:      {shlex.join(['allonym', 'check', file, '--plan', str(begin), '--write'])}", soft_wrap=True
    )
    if plan is None:
        out.print(f"Or at once:    {_suggested(found, file, reading)}", soft_wrap=True)


def _kind(column: ColumnInspection) -> str:
    if column.role in ("identifier", "unit", "weight", "keep"):
        return ""
    return column.ontology or ("category" if column.kind == "set" else column.kind)


def _options(reading: Reading) -> list[str]:
    """Return the options that say how a file is read."""
    told = [
        f"--{name}={value}"
        for name in ("encoding", "delimiter", "sheet")
        if (value := getattr(reading, name)) is not None
    ]
    return told if reading.header else [*told, "--no-header"]


def _suggested(found: Inspection, file: str, reading: Reading) -> str:
    """Return a command that masks the table with the likely roles."""
    parts = ["allonym", "mask", file, "-o", f"masked{found.suffix}", *_options(reading)]
    for x in found.columns:
        if x.role == "quasi":
            parts += ["--set" if x.kind == "set" else "--quasi", f"{x.name}={_kind(x)}"]
        elif x.role != "keep":
            parts += [f"--{x.role}", x.name]
    return shlex.join([*parts, "--keep-rest", "--k", "5"])


def show_check(found: Check, hide_values: bool, written: Sequence[Path], plan: Path) -> None:
    """Print what a plan would meet in a table."""
    out = console()
    rows = [
        (x.name, x.role or "none", x.kind or "", "" if x.distinct is None else f"{x.distinct:,}", *_coverage(x))
        for x in found.columns
    ]
    heads = ("column", "role", "kind", "distinct", "cells understood", "to review", "not understood")
    out.print(table_of(heads, rows, right=(3, 4, 5, 6)))
    for column in found.columns:
        _show_links(out, column, hide_values)
    risk = found.risk
    if risk is not None:
        who = "rows" if risk.units is None else "persons"
        out.print(f"\nRisk before masking, over the quasi-identifiers ({risk.records:,} records):")
        out.print(f"  {risk.tuples:,} distinct tuples, {risk.unique:,} of them of one {who.removesuffix('s')} only")
        asked = f"; k = {found.k} is asked for" if found.k > 1 else ""
        out.print(f"  groups of {risk.smallest:,} to {risk.largest:,} {who}{asked}")
        if asked:
            out.print(f"  {risk.below:,} records ({risk.below / risk.records:.1%}) are in groups smaller than that")
        out.print(f"  {risk.linkage:.1f} % of the records can be linked back by text")
    for file in written:
        out.print(f"Written: {file}")
    if written:
        out.print(f"Review these (change a concept, or set its status to sure); {plan} names them.")
    if found.problems:
        out.print(f"\nNot ready, {len(found.problems)} {'problem' if len(found.problems) == 1 else 'problems'}:")
        for problem in found.problems:
            out.print(f"  - {problem}")
    else:
        out.print("\nReady to mask.")


def _coverage(column: ColumnCheck) -> tuple[str, str, str]:
    if not column.words:
        return "", "", ""
    sure, review, lost = (column.cells(status) for status in ("sure", "review", "unmatched"))
    total = max(sure + review + lost, 1)
    return f"{sure / total:.1%}", f"{review / total:.1%}", f"{lost / total:.1%}"


def _show_links(out: Console, column: ColumnCheck, hide_values: bool) -> None:
    if column.new:
        shown = "" if hide_values else ": " + ", ".join(short(x.value, 30) for x in column.new[:MOST])
        more = f" and {len(column.new) - MOST:,} more" if len(column.new) > MOST and not hide_values else ""
        out.print(f"\n{column.name}: {len(column.new):,} values are new to its links file{shown}{more}")
    if hide_values:
        return
    for what, links in (("to review", column.review), ("not understood", column.unmatched)):
        if not links:
            continue
        out.print(f"\n{column.name}, {len(links):,} {what}:")
        rows = []
        for x in links[:MOST]:
            told = column.link_to_dict(x)
            others = ", ".join((told["alternatives"] if x.concept is not None else x.suggestions)[:3])
            rows.append(("  " + short(x.value, 30), f"{x.count:,}", told["concept"] or "–", x.reason, others))
        out.print(table_of(("  value", "cells", "concept", "reason", "or"), rows, right=(1,)))
        if len(links) > MOST:
            out.print(f"  … and {len(links) - MOST:,} more")


def show_release(done: Release, output: str, *, stderr: bool) -> None:
    """Print the figures of a release."""
    out = console(stderr=stderr)
    _figures(out, done)
    out.print(f"\nWritten and verified: {output}")


def _figures(out: Console, done: Release) -> None:
    s = done.summary
    persons = "" if s["units"] is None else f" of {s['units']:,} persons"
    rows = []
    for x in s["privacy"]:
        if "sensitivity" not in x:
            reached = f"{x['reached']:.4g}"
            rows.append((x["model"], f"asked {x['asked']}, reached {reached}, counted on what was written"))
        else:
            rows.append((x["model"], f"ε = {x['reached']:g}" + (f", {x['note']}" if "note" in x else "")))
        rows.append(("over", ", ".join(x["columns"])))
    if not s["privacy"]:
        rows.append(("promise", "none: values are replaced one by one, k-anonymity is not asked for"))
    suppressed = f", {s['suppressed']:,} of them suppressed" if s["suppressed"] else ""
    parameters = "".join(f"{n} = {_told(v)}, " for n, v in s["parameters"].items() if v != "")
    rows += [
        ("records", f"{s['records']:,}{persons}{suppressed}"),
        *_measured(s),
        ("method", f"{s['method']}, {parameters}{_seeded(s['seed'])}"),
        ("time", f"{s['seconds']:.2f} s"),
    ]
    width = max(len(name) for name, _ in rows)
    out.print("\n".join(f"{name:{width}}  {value}" for name, value in rows))


def _measured(s: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is told of loss and linkage; nothing, where an engine masked row by row."""
    if not s["measures"]:
        yield "measures", "none: rows stayed in the engine; allonym evaluate measures samples"
        return
    loss = s["measures"]["information_loss"]
    columns = ", ".join(f"{name} {value:.1f} %" for name, value in loss["by_column"].items())
    yield "distinct tuples", f"{s['tuples']['before']:,} before, {s['tuples']['after']:,} after"
    yield from ((f"{name} moved", _moved(x)) for name, x in s.get("noise", {}).items())
    yield "information loss", f"{loss['value']:.2f} % ({columns})"
    yield "linked by meaning", _linked(s["measures"]["semantic_linkage"])
    yield "linked by text", _linked(s["measures"]["record_linkage"])


LOSS = (
    "information_loss", "semantic_quality", "path_distance", "content_loss", "clustering_distance", "loss_metric",
    "certainty_penalty", "set_loss", "set_loss_min_sum", "discernibility", "average_group_size",
)  # fmt: skip
RISK = (
    "semantic_linkage", "record_linkage", "prosecutor_risk", "prosecutor_risk_highest", "prosecutor_risk_above",
    "journalist_risk", "journalist_risk_highest", "journalist_risk_above", "marketer_risk", "uniqueness", "score",
)  # fmt: skip


def show_evaluation(found: Evaluation, hide_values: bool) -> None:
    """Print what a release promises, lost and still tells."""
    from allonym.measures.measurement import QUESTIONS

    out = console()
    s = found.summary
    persons = "" if s["units"] is None else f" of {s['units']:,} persons"
    suppressed = f", {s['suppressed']:,} of them suppressed" if s["suppressed"] else ""
    out.print(f"{s['records']:,} records{persons}{suppressed}; groups of {s['groups']['smallest']:,} to ", end="")
    out.print(f"{s['groups']['largest']:,}, {s['groups']['number']:,} of them ({s['tuples']['before']:,} before)\n")
    rows = []
    for x in found.privacy:
        asked = "" if x["asked"] is None else f"{x['asked']:,}: {'holds' if x['holds'] else 'does not hold'}"
        rows.append((x["model"], ", ".join(x["columns"]), _number(x["reached"]), asked))
    out.print(table_of(("promise", "over", "reached", "asked"), rows, right=(2,)))
    for heads, names in ((("what was lost",), LOSS), (("who can be found",), RISK)):
        rows = []
        for name in (x for x in names if x in found.measures):
            m = found.measures[name]
            between = "" if m.interval is None else f" ({_number(m.interval[0])} to {_number(m.interval[1])})"
            rows.append((QUESTIONS[name], _number(m.value) + between, _number(m.before or 0), _number(m.baseline or 0)))
            if name == "semantic_linkage":
                rows += [
                    (f"… by {other}", _number(y.value), _number(y.before or 0), _number(y.baseline or 0))
                    for other, y in found.attackers.items()
                ]
        out.print()
        out.print(table_of((*heads, "release", "before", "blind"), rows, right=(1, 2, 3)))
    if found.earlier is not None:
        rows = [
            (what, f"{x['smallest']:,}", _number(x["unique"]), _number(x["prosecutor_risk"]))
            for what, x in found.earlier.items()
        ]
        out.print("\nTo somebody who has an earlier release too:")
        out.print(table_of(("release", "smallest group", "unique (%)", "mean risk"), rows, right=(1, 2, 3)))
    for name, values in found.strange.items():
        shown = "" if hide_values else ": " + ", ".join(short(v, 30) for v in values[:MOST])
        out.print(f"\n{name}: {len(values):,} masked values were not understood and count as like nothing else{shown}")


def show_comparison(found: Comparison, outputs: Sequence[Path]) -> None:
    """Print several runs side by side; the best trade-offs are marked."""
    out = console()
    heads = ("method", "k", "settings", "loss", "by meaning", "by text", "score", "seconds", "")
    keys = ("method", "k", "parameters", "information_loss", "semantic_linkage", "record_linkage", "score", "seconds")
    rows = [
        [*("" if row[key] is None else _number(row[key]) for key in keys), "best" if row["best"] else ""]
        for row in found.rows()
    ]
    shown = [i for i, head in enumerate(heads) if head != "settings" or any(row[i] for row in rows)]
    numbers = [place for place, i in enumerate(shown) if heads[i] not in ("method", "settings", "")]
    out.print(table_of([heads[i] for i in shown], [[row[i] for i in shown] for row in rows], right=numbers))
    out.print("\nLoss, and records linked by meaning and by text, in %.")
    out.print("Best: no other run is better in loss or linkage by meaning, and as good in the other.")
    for x in found.failed:
        with_ = ", ".join(f"{name} = {_told(value)}" for name, value in x["parameters"].items())
        out.print(f"\nLeft out: {x['method']}{f', {with_}' if with_ else ''}. {' '.join(x['problems'])}")
    for path in outputs:
        out.print(f"Written: {path}")


def _seeded(seed: int | None) -> str:
    return "draws from the system" if seed is None else f"seed {seed}"


def _moved(x: dict[str, Any]) -> str:
    """Say what noise did to a column."""
    told = f"mean {_short(x['mean_before'])} → {_short(x['mean_after'])} ({x['mean_distance']:.2f} apart), "
    told += f"variance {x['variance_before']:.3g} → {x['variance']:.3g}"
    if "expected_variance" in x:
        told += f" (expected {x['expected_variance']:.3g})"
    told += f", moved by {x['mean_error']:.3g} on average, {x['rmse']:.3g} root mean square"
    if "target_rmse" in x:
        told += f" (targets {x['target_mean_error']:.3g}, {x['target_rmse']:.3g})"
    return told


def _short(mean: str | float) -> str:
    return mean if isinstance(mean, str) else f"{mean:.4g}"


def _linked(told: dict[str, Any]) -> str:
    """Say how many records an attacker finds."""
    about = "" if told["interval"] is None else "about "
    blind = told["baseline"]
    return f"{told['before']:.1f} % before, {about}{told['value']:.1f} % after; blind guess {blind:.1f} %"


def show_demo(done: Release, folder: Path, report: Path | None = None) -> None:
    """Print the demonstration in one screen."""
    out = console()
    out.print("Visitors of a park said why they came and what they did (invented answers).\n")
    _figures(out, done)
    rows = []
    for column in done.summary["privacy"][0]["columns"]:
        rows += [(column, str(a), "→", str(b), f"{n:,}") for a, b, n in done.replacements(column)[:4]]
    out.print()
    out.print(table_of(("column", "was", "", "is now", "records"), rows, right=(4,)))
    out.print(f"\nIn {folder}: survey.csv, masked.csv, plan.toml, summary.json, links", soft_wrap=True)
    if report is not None:
        out.print(f"Report: {report}", soft_wrap=True)
    out.print(f"Again: allonym mask {folder}/survey.csv -o masked.csv --plan {folder}/plan.toml", soft_wrap=True)
