"""The blocks and the chart of docs/utility.md, from the figures of benchmarks/utility.py."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import charts
import numpy as np
import pages
from paths import ROOT
from processes import machine

from utility_measures import Interval

PAGE, CHART = ROOT / "docs" / "utility.md", ROOT / "docs" / "utility.svg"
METHODS_PAGE = ROOT / "docs" / "which-method.md"
DEFAULT = "allonym, default"
SYNTHETIC = "synthetic"
Found = Mapping[str, Sequence[Mapping[str, Any]]]  # table and k -> the figures of each release
CLASSIFIERS = {"auc_logistic": "logistic regression", "auc_boosting": "gradient boosting"}


def write(found: Found, survey: Mapping[str, Mapping[str, Any]], versions: Mapping[str, str]) -> None:
    """Write all blocks and the chart."""
    pages.write(PAGE, "run", run(versions))
    for place, figures in found.items():
        name, k = place.rsplit(" ", 1)
        pages.write(PAGE, f"{name.lower()} {k}", predictions(figures) + "\n" + contents(figures))
    pages.write(PAGE, "comparison", "".join(comparison(found)))
    pages.write(METHODS_PAGE, "utility", evidence(found, survey))
    panels = {x.removesuffix(" 5"): y for x, y in found.items() if x.endswith(" 5")}
    charts.dots(
        CHART, {x: lost(y) for x, y in panels.items()}, "AUC lost, in points (mean and 95 % interval of 5 folds)"
    )


def run(versions: Mapping[str, str]) -> str:
    """Return the machine, the versions, the date and the commit."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    others = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"`make utility`, {time.strftime('%Y-%m-%d')}, commit {commit}, "
        f"on {machine('numpy', 'scikit-learn')}; {others}.\n"
    )


def predictions(figures: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of what an analyst gets."""
    lines = [
        "| release | AUC, logistic | AUC, boosting | on released rows, logistic | boosting | Brier "
        "| group means, error in points | coefficients inside, % | overlap, % |",
        "|---|" + "---:|" * 8,
    ]
    for x in figures:
        cells = [interval(x[y]) for y in ("auc_logistic", "auc_boosting")]
        cells += [f"{np.mean(x[y]):.4f}" if x[y] else "" for y in ("own_logistic", "own_boosting")]
        cells += [f"{np.mean(x['brier']):.4f}", f"{x['group_error']:.2f}", f"{x['inside']:.0f}", f"{x['overlap']:.0f}"]
        lines.append(f"| {x['name']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def contents(figures: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of what the cells say, and what the release cost."""
    lines = [
        "| release | smallest class | rows suppressed, % | false cells, % | null cells, % | distance, % "
        "| marginals, mean | worst column | CPU s | peak MB |",
        "|---|" + "---:|" * 9,
    ]
    for x in figures[1:]:
        worst = max(x["marginals"], key=lambda name: float(x["marginals"][name]))
        invented = x["name"].startswith(SYNTHETIC)
        cells = ["none" if invented else str(x["smallest_class"]), f"{x['suppressed']:.2f}"]
        cells += ["" if invented else f"{x['false_cells']:.1f}", f"{x['null_cells']:.1f}"]
        cells += ["" if invented else f"{x['distance']:.1f}", f"{mean_variation(x):.2f}"]
        cells += [f"{x['marginals'][worst]:.1f} ({worst})"]
        cells += ["", ""] if invented else [f"{x['seconds']:.1f}", f"{x['megabytes']:.0f}"]
        lines.append(f"| {x['name']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def comparison(found: Found) -> Iterator[str]:
    """Yield how the default compares with each other tool: the difference in AUC, fold by fold, and in marginals."""
    yield "| table | k | other tool | AUC, logistic | AUC, boosting | total variation of marginals, points |\n"
    yield "|---|---:|---|---:|---:|---:|\n"
    for place, figures in found.items():
        name, k = place.rsplit(" ", 1)
        ours = next(x for x in figures if x["name"] == DEFAULT)
        for other in figures[1:]:
            if other["name"].startswith(("allonym", SYNTHETIC)):
                continue
            cells = [signed(Interval.of(np.subtract(ours[x], other[x]).tolist())) for x in CLASSIFIERS]
            cells += [f"{mean_variation(ours) - mean_variation(other):+.2f}"]
            yield f"| {name} | {k} | {other['name']} | {' | '.join(cells)} |\n"


def evidence(found: Found, survey: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what each variant of allonym loses and keeps, at k = 5."""
    lines = [
        "| table | variant | loss, % | false cells, % | null cells, % | marginals, % | AUC, logistic | AUC, boosting "
        "| group means, error in points |",
        "|---|---|" + "---:|" * 7,
    ]
    for name, summary in survey.items():
        changes, loss = summary["changes"], summary["measures"]["information_loss"]["value"]
        shares = [f"{100 * changes[x] / changes['cells']:.1f}" for x in ("false", "set_to_null")]
        lines.append(f"| survey | {name} | {loss:.2f} | {' | '.join(shares)} | | | | |")
    for place, figures in found.items():
        table, k = place.rsplit(" ", 1)
        for x in figures:
            if k != "5" or not x["name"].startswith(("allonym", "original")):
                continue
            cells = [f"{x['loss'] or 0:.2f}", f"{x['false_cells']:.1f}", f"{x['null_cells']:.1f}"]
            cells += [f"{mean_variation(x):.2f}", *(f"{np.mean(x[y]):.4f}" for y in CLASSIFIERS)]
            lines.append(
                f"| {table} | {x['name'].removeprefix('allonym, ')} | {' | '.join(cells)} | {x['group_error']:.2f} |"
            )
    return "\n".join(lines) + "\n"


def lost(figures: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Interval]]:
    """Return how much AUC each release loses against the original, in points, fold by fold."""
    original, *others = figures
    return {
        x["name"]: {
            label: Interval.of((100 * np.subtract(original[y], x[y])).tolist()) for y, label in CLASSIFIERS.items()
        }
        for x in others
    }


def mean_variation(figures: Mapping[str, Any]) -> float:
    """Return the total variation of the marginals, the mean over the columns."""
    return float(np.mean(list(figures["marginals"].values())))


def interval(folds: Sequence[float]) -> str:
    """Return a mean with its interval."""
    mean, half = Interval.of(list(folds))
    return f"{mean:.4f} ± {half:.4f}"


def signed(difference: Interval) -> str:
    """Return a difference with its interval."""
    return f"{difference.mean:+.4f} ± {difference.half:.4f}"
