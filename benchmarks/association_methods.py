"""Methods without groups compared at equal linkage. Writes a block of docs/methods/perturbation.md.

Each method has one parameter of strength, which is tuned until the strongest attacker links about as many records as
with sa-mdav and k = 5. Baselines without such a parameter stand as they are.
"""

from __future__ import annotations

import io
import math
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import adult
import census
import numpy as np
import pages
import pandas as pd
from paths import ROOT

import allonym as al
from allonym.arrays import Floats
from allonym.measures.association import association_change
from allonym.measures.marginals import total_variation
from allonym.methods import METHODS
from allonym.pipeline.demo import WORDS, survey
from allonym.records import Pairs

PAGE = ROOT / "docs" / "methods" / "perturbation.md"
ROWS = 500  # of each table, drawn once
K = 5  # of sa-mdav, whose linkage the others are to reach
STEPS = 4  # of bisection
FREQUENT = 0.1  # share of the records that have a word which has a coefficient of its own
NUMBERS = ("age", "education-num", "hours-per-week")
SEED = 1


class Table(NamedTuple):
    """A table, the columns that are masked, and the column that a regression explains, which is kept."""

    frame: pd.DataFrame
    columns: dict[str, Any]
    target: Floats


class Tuned(NamedTuple):
    """A method, its parameter of strength with the weakest and the strongest value, and other parameters."""

    method: str
    parameter: str | None = None
    weakest: float = 0.0
    strongest: float = 0.0
    others: dict[str, Any] = {}  # noqa: RUF012 never changed

    @property
    def label(self) -> str:
        """How the page names it."""
        return " ".join([self.method, *(f"--{x.replace('_', '-')}" for x in self.others)])


LISTED = (
    Tuned("noise", "alpha", 0.03, 30),
    Tuned("noise", "alpha", 0.03, 30, {"correlated": True}),
    Tuned("swap", "window", 0.003, 0.5),
    Tuned("pram", "changed", 0.1, 0.95),
    Tuned("randomise-uniform"),
    Tuned("randomise-frequency"),
)


def tables() -> dict[str, Table]:
    """Return samples of the bundled survey, Adult and census_income_kdd with columns that every method masks."""
    number = al.quasi("numeric")
    visitors = pd.read_csv(io.StringIO(survey()), dtype=str)
    links = {x: str(files("allonym") / "data" / f"{x}.links.csv") for x in WORDS}
    words = {x: al.quasi("wordnet", links=file) for x, file in links.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        adult.write(path)
        people = pd.read_csv(path, dtype=str)
        census.write(path, every=100)
        citizens = pd.read_csv(path, dtype=str)
    citizens = citizens[citizens["age"].astype(int) >= 18]
    country = al.quasi("wordnet", unmatched="suppress", accept_review=True)
    countries = dict.fromkeys(("country_of_birth_self", "country_of_birth_father"), country)
    return {
        "survey": _table(visitors, {**words, "age": number}),
        "Adult": _table(people, {**adult.plan().columns, **dict.fromkeys(NUMBERS, number)}),
        "census_income_kdd": _table(citizens, {**countries, "age": number}),
    }


def _table(frame: pd.DataFrame, columns: dict[str, Any]) -> Table:
    """Return a sample whose regression explains what visitors spent, or whether an income is high."""
    sample = frame.sample(ROWS, random_state=0)
    if "spent" in sample:
        return Table(sample, columns, sample["spent"].astype(float).to_numpy())
    return Table(sample, columns, sample["income"].str.contains(r">50K|50000\+").to_numpy(np.float64))


def released(table: Table, tuned: Tuned, strength: float | None) -> al.Release:
    """Mask a table by a method of some strength."""
    parameters = dict(tuned.others)
    k: dict[str, Any] = {}
    if tuned.parameter == "k":
        k = {"k": round(strength or K)}
    elif tuned.parameter is not None:
        parameters[tuned.parameter] = strength
    frame = table.frame[list(table.columns)].reset_index(drop=True)
    return al.Plan(table.columns, method=tuned.method, seed=SEED, parameters=parameters, **k).run(frame)


def tune(table: Table, tuned: Tuned, linkage: float) -> tuple[al.Release, float | None]:
    """Return the release whose strongest attacker comes nearest to a linkage, by bisection, and the strength."""
    if tuned.parameter is None:
        return released(table, tuned, None), None
    low, high = math.log(tuned.weakest), math.log(tuned.strongest)
    tried: list[tuple[float, al.Release, float]] = []
    for _ in range(STEPS):
        strength = float(f"{math.exp((low + high) / 2):.2g}")
        release = released(table, tuned, strength)
        found = release.summary["risk"]["highest"]["value"]
        tried.append((abs(math.log((found + 0.1) / (linkage + 0.1))), release, strength))
        low, high = (math.log(strength), high) if found > linkage else (low, math.log(strength))
    _, release, strength = min(tried, key=lambda x: x[0])
    return release, strength


def features(table: Table, release: al.Release | None) -> Floats:
    """Return numbers in units of the original, and whether a word is each of the frequent ones, with a constant."""
    frame = table.frame.reset_index(drop=True) if release is None else release.frame
    parts = [np.ones(len(frame))]
    for name, column in table.columns.items():
        original = table.frame[name].reset_index(drop=True)
        if column.kind == "numeric":
            numbers = pd.to_numeric(original)
            values = pd.to_numeric(frame[name]).fillna(numbers.mean())
            parts.append(((values - numbers.mean()) / numbers.std(ddof=0)).to_numpy())
        else:
            labels = labels_of(table, name)
            shown = frame[name] if release is not None else original.map(labels)
            shares = original.map(labels).value_counts(normalize=True)
            parts += [(shown == x).to_numpy(np.float64) for x in sorted(shares[shares >= FREQUENT].index)[1:]]
    return np.stack(parts, axis=1)


def labels_of(table: Table, name: str) -> dict[str, str]:
    """Return how a release writes each word of a column that does not change."""
    plan = al.Plan({name: table.columns[name]}, method="randomise-frequency", seed=SEED)
    fitted = plan.fit(table.frame[[name]].reset_index(drop=True))
    codec = fitted._columns[name].codec
    texts = [x for x in table.frame[name].dropna().unique().tolist() if codec.read(x) is not None]
    return {text: codec.write(codec.read(text), "") for text in texts}


def coefficients(x: Floats, y: Floats) -> Floats:
    """Return the coefficients of a least-squares regression, in standard deviations of what it explains."""
    scaled = (y - y.mean()) / y.std()
    return np.linalg.solve(x.T @ x + 1e-6 * len(x) * np.eye(x.shape[1]), x.T @ scaled)[1:]


def row(table: Table, tuned: Tuned, release: al.Release, strength: float | None) -> str:
    """Return a line of the table."""
    pairs = Pairs.of(release.records, release.masking)
    distance = float((pairs.counts * pairs.tuple_distances).sum() / pairs.counts.sum())
    before, after = (coefficients(features(table, x), table.target) for x in (None, release))
    highest = release.summary["risk"]["highest"]
    figures = [
        f"{highest['value']:.1f} ({highest['attacker']})",
        f"{association_change(pairs):.3f}",
        f"{np.mean(list(total_variation(pairs).values())):.3f}",
        f"{np.abs(after - before).mean():.3f}",
        f"{distance:.3f}",
    ]
    shown = "" if strength is None else f"`{tuned.parameter}` = {strength:g}"
    return f"| `{tuned.label}` | {shown} | {' | '.join(figures)} |"


def compared(name: str, table: Table) -> str:
    """Return the comparison of all methods on a table."""
    grouping = Tuned("sa-mdav", "k")
    grouped = released(table, grouping, K)
    linkage = grouped.summary["risk"]["highest"]["value"]
    rows = [row(table, grouping, grouped, K)]
    for tuned in LISTED:
        if tuned.method in METHODS:
            release, strength = tune(table, tuned, linkage)
            rows.append(row(table, tuned, release, strength))
    blind = grouped.summary["risk"]["blind_guess"]
    columns = ", ".join(table.columns)
    return "\n".join(
        [
            f"**{name}**, {len(table.frame):,} rows: {columns}. Blind guess {blind:.2f} %.",
            "",
            "| method | strength | strongest linkage, % | relations | marginals | coefficients | mean distance |",
            "|---|---|---:|---:|---:|---:|---:|",
            *rows,
            "",
            "",
        ]
    )


if __name__ == "__main__":
    parts = [compared(name, table) for name, table in tables().items()]
    pages.write(PAGE, "comparison", "".join(parts).rstrip("\n") + "\n")
