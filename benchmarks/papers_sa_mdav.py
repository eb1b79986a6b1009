"""Martínez, Sánchez and Valls (2012), semantic adaptive microaggregation: figures and measurements.

The tables are Adult and the bundled survey, which stands for the survey of the article.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import charts
import numpy as np
from claims import Figure
from numpy.typing import NDArray

import allonym as al
import papers_centroid_example
from allonym.kinds.category import EqualityMetric
from allonym.measures import loss, risk
from allonym.methods.base import Method
from allonym.records import Attribute, Pairs, Records
from variable_size import VMDAV, KWard

SURVEY, ADULT = "survey", "Adult"
KS = {
    SURVEY: tuple(range(2, 16)),
    ADULT: (2, 3, 5, 10, 15, 25, 50, 75, 100, 128, 200, 300, 400, 500, 600, 800, 900, 1000, 1200, 1500, 1800),
}
TABLE_KS = {SURVEY: (2, 3, 5, 8, 10, 15), ADULT: (2, 5, 15, 50, 128, 500, 900, 1800)}  # shown in the table
MIDDLE_K = {SURVEY: 8, ADULT: 900}  # §4.4 says "an intermediate level" without a number: the middle of each range
BALANCES = tuple(np.round(np.linspace(0, 1, 11), 1).tolist())
SEEDS = range(10)  # that break ties, of every method alike
SA, PLAIN = "sa-mdav", "sa-mdav, plain growth"
STATIC, STATIC_PLAIN = "sa-mdav-static", "sa-mdav-static, plain growth"
SMDAV, DFT, ABRIL = "s-mdav", "mdav (DF&T)", "abril"
VARIABLE, K_WARD = "v-mdav (up to 2k-1)", "k-Ward"
VARIANTS: dict[str, Callable[..., Method]] = {
    SA: partial(al.SAMDAV, growth="weighted", represent="centroid", refine=False),
    STATIC: partial(al.SAMDAVStatic, growth="weighted", represent="centroid", refine=False),
    PLAIN: partial(al.SAMDAV, growth="plain", represent="centroid", refine=False),
    STATIC_PLAIN: partial(al.SAMDAVStatic, growth="plain", represent="centroid", refine=False),
    SMDAV: partial(al.SMDAV, represent="centroid", refine=False),
    VARIABLE: partial(VMDAV, represent="centroid", refine=False),
    K_WARD: partial(KWard, represent="centroid", refine=False),
    DFT: partial(al.MDAV, represent="centroid", refine=False),
    ABRIL: partial(al.Abril, refine=False),
}
CHART_VARIANTS = (SA, STATIC, PLAIN, SMDAV, VARIABLE, K_WARD, DFT, ABRIL)
LOSS, TEXT, MEANING = "L", "RL by text", "linkage by meaning"
MEASURES: dict[str, Callable[[Pairs], float]] = {
    LOSS: loss.information_loss,
    TEXT: risk.record_linkage,
    MEANING: lambda pairs: risk.semantic_linkage(pairs).value,
}
Runs = NDArray[np.float64]  # one row per k, one column per seed


@dataclass(frozen=True)
class Microaggregated:
    """Loss, linkage and run time of every method on both tables."""

    ks: Mapping[str, tuple[int, ...]]
    middle_k: Mapping[str, int]
    figures: dict[str, dict[str, dict[str, Runs]]] = field(default_factory=dict)  # measure -> table -> variant
    seconds: dict[str, dict[str, Runs]] = field(default_factory=dict)  # table -> variant
    sums: dict[str, dict[str, float]] = field(default_factory=dict)  # column -> centroid, mode, subsumer

    def series(self, measure: str, table: str, variant: str) -> Runs:
        """Return the figures of a variant."""
        return self.figures[measure][table][variant]

    def score(self, table: str, variant: str, balance: float = 0.5) -> Runs:
        """Return balance · L + (1 - balance) · RL."""
        return balance * self.series(LOSS, table, variant) + (1 - balance) * self.series(TEXT, table, variant)


def measure(tables: Mapping[str, Records]) -> Microaggregated:
    """Mask both tables by every method at every k."""
    results = Microaggregated(KS, MIDDLE_K)
    for table, records in tables.items():
        for variant, method in VARIANTS.items():
            runs: dict[str, list[list[float]]] = {name: [] for name in MEASURES}
            seconds = []
            for k in KS[table]:
                spent, pairs = [], []
                for seed in SEEDS:
                    began = time.process_time()
                    masking = method(k=k).mask(records, seed)
                    spent.append(time.process_time() - began)
                    pairs.append(Pairs.of(records, masking))
                seconds.append(spent)
                for name, measure in MEASURES.items():
                    runs[name].append([measure(x) for x in pairs])
            results.seconds.setdefault(table, {})[variant] = np.array(seconds)
            for name, rows in runs.items():
                results.figures.setdefault(name, {}).setdefault(table, {})[variant] = np.array(rows)
        results.sums.update(
            {f"{table}, {a.name}": distance_sums(records, column) for column, a in enumerate(records.attributes)}
        )
    return results


def distance_sums(records: Records, column: int) -> dict[str, float]:
    """Return the sums of the distances of all records of a column to its centroid, mode and least common subsumer."""
    metric = records.attributes[column].metric
    codes, mass = records.codes[:, column], records.mass
    mode = int(np.argmax(np.bincount(codes, weights=mass)))
    candidates = {
        "centroid": metric.centroid(codes, mass),
        "mode": metric.values[mode],
        "subsumer": metric.subsumer(codes, mass),
    }
    return {name: float((mass * metric.distances_from(value)[codes]).sum()) for name, value in candidates.items()}


def example_2() -> Records:
    """Return the records of Example 2."""
    one = Attribute("one", "category", EqualityMetric(["v11", "v12", "v13"]))
    two = Attribute("two", "category", EqualityMetric(["v21", "v23"]))
    return Records.of([one, two], [[0] * 7 + [1] + [2] * 5, [0] * 7 + [1] * 6])


def clusters_of_example_2() -> tuple[float, ...]:
    """Return the numbers of clusters of fixed, bounded and adaptive size in the records of Example 2 at k = 3."""
    methods = (al.MDAV(k=3, represent="centroid", refine=False), VARIANTS[VARIABLE](k=3), VARIANTS[SA](k=3))
    return tuple(float(len(set(method.mask(example_2()).groups.tolist()))) for method in methods)


def published_figures(tables: Mapping[str, Records], results: Microaggregated) -> list[Figure]:
    """Return the published figures with ours."""
    example = Figure(
        "Example 2, k = 3: clusters of k records, of k to 2k - 1, of any size",
        "§3.1, Fig. 2",
        (4, 3, 2),
        clusters_of_example_2(),
        0,
    )
    return [*_data_figures(tables), example, *papers_centroid_example.published_figures(), *_time_figures(results)]


def _data_figures(tables: Mapping[str, Records]) -> list[Figure]:
    adult, survey = tables[ADULT].counts, tables[SURVEY].counts
    n = int(adult.sum())
    large = adult[adult > 1000]
    reason = "counted in the public file, which cannot yield 388 tuples or a largest one of 3,739"
    section = "§4.1, Fig. 4; synthetic answers with this distribution"
    return [
        Figure("Adult: records", "§4.1", (30162,), (n,), 0),
        Figure("Adult: distinct tuples, unique tuples, records of the largest", "§4.1", (388, 83, 3739),
               (len(adult), int((adult == 1).sum()), int(adult.max())), 0, reason),
        Figure("Adult: distinct tuples, % of records", "§4.1", (1.28,), (100 * len(adult) / n,), 2, "as above"),
        Figure("Adult: tuples with more than 1,000 records; % of records in them", "§4.1", ("9", 83.2),
               (str(len(large)), 100 * large.sum() / n), 1, "a tenth of a per cent is 30 records: as above"),
        Figure("Adult: % of records in tuples with at most 5 records", "§4.1", (1.9,),
               (100 * adult[adult <= 5].sum() / n,), 1, "as above"),
        Figure("Adult: % of records in tuples with fewer than 1,800 records", "§4.1", (31,),
               (100 * adult[adult < 1800].sum() / n,), 0),
        Figure("survey: records, distinct tuples, unique tuples, records of the largest", section, (975, 211, 118, 115),
               (int(survey.sum()), len(survey), int((survey == 1).sum()), int(survey.max())), 0),
        Figure("survey: % of distinct tuples, of the largest, of unique tuples", section, (21.6, 11.8, 12.1),
               tuple(100 * x / survey.sum() for x in (len(survey), survey.max(), (survey == 1).sum())), 1),
        Figure("survey: % of records that k = 15 masks, in tuples with fewer than 15 records", section, (50,),
               (100 * survey[survey < 15].sum() / survey.sum(),), 0, "“up to 50 %”; Table 5 of the thesis gives 49"),
        Figure("survey: % of records in tuples with at most 5 records", section, (31,),
               (100 * survey[survey <= 5].sum() / survey.sum(),), 0,
               "the survey follows Table 5 of the thesis, which gives 32"),
    ]  # fmt: skip


def _time_figures(results: Microaggregated) -> list[Figure]:
    def fastest(table: str, variant: str, *ks: int) -> tuple[float, ...]:
        spent = results.seconds[table][variant].min(axis=1)
        chosen = [spent[results.ks[table].index(k)] for k in ks] if ks else [spent.min(), spent.max()]
        return tuple(float(x) for x in chosen)

    reason = "another machine, and all methods on tuples with counts"
    return [
        Figure("Adult, seconds: SA-MDAV, minimum and maximum over k", "§4.4, Fig. 12", ("131", "205"),
               fastest(ADULT, SA), 2, reason),
        Figure("Adult, seconds: Abril, k = 2 and 128", "§4.4", ("7,873", "1,839"), fastest(ADULT, ABRIL, 2, 128), 2,
               reason),
        Figure("Adult, seconds: DF&T, k = 2 and 128", "§4.4", ("318", "242"), fastest(ADULT, DFT, 2, 128), 2, reason),
        Figure("survey, seconds: SA-MDAV, minimum and maximum over k", "§4.4", ("70", "80"),
               fastest(SURVEY, SA), 2, reason),
    ]  # fmt: skip


def over_k(results: Microaggregated) -> str:
    """Return tables of loss, linkage and score at some k: means, with the range of ten seeds where they differ."""
    lines: list[str] = []
    for table, ks in TABLE_KS.items():
        indices = [results.ks[table].index(k) for k in ks]
        for measure in (LOSS, TEXT, MEANING, "score"):
            lines += [f"| {table}: {measure} (%) | " + " | ".join(f"k={k}" for k in ks) + " |"]
            lines += ["|---|" + "---:|" * len(ks)]
            for variant in VARIANTS:
                runs = results.score(table, variant) if measure == "score" else results.series(measure, table, variant)
                lines.append(f"| {variant} | " + " | ".join(_cell(runs[i]) for i in indices) + " |")
            lines.append("")
    return "\n".join(lines)


def _cell(runs: NDArray[np.float64]) -> str:
    """Return the mean, with the range where it is visible after rounding."""
    digits = 2 if runs.mean() >= 1 else 3
    low, high = f"{runs.min():.{digits}f}", f"{runs.max():.{digits}f}"
    return f"{runs.mean():.{digits}f}" + ("" if low == high else f" ({low}–{high})")


def draw(results: Microaggregated, folder: Path) -> None:
    """Draw loss, linkage and score over k for each table, and the score over the balance."""
    folder.mkdir(exist_ok=True)
    for table, ks in results.ks.items():
        wide = table == ADULT
        panels = {
            "information loss L (%)": {
                "": {a: results.series(LOSS, table, a).mean(axis=1).tolist() for a in CHART_VARIANTS}
            },
            "linkage by text RL (%)": {
                "": {a: results.series(TEXT, table, a).mean(axis=1).tolist() for a in CHART_VARIANTS}
            },
            "score, balance 0.5": {"": {a: results.score(table, a).mean(axis=1).tolist() for a in CHART_VARIANTS}},
        }
        path = folder / f"sa-mdav-{table.lower()}.svg"
        marks = (2, 5, 15, 50, 200, 600, 1800) if wide else ks
        charts.lines(path, panels, ks, log=wide, log_y=wide, marks=marks, width=280, height=230)
    scores = {
        f"{table}, k = {k}": {
            variant: [float(results.score(table, variant, b)[results.ks[table].index(k)].mean()) for b in BALANCES]
            for variant in CHART_VARIANTS
        }
        for table, k in results.middle_k.items()
    }
    charts.lines(folder / "sa-mdav-balance.svg", {"score": scores}, BALANCES, x="balance: 0 all linkage, 1 all loss")
