"""The strongest attackers on every method: how many visitors of the survey does the best of them find?

Methods that group records leave at most one in k. Methods that replace each value by itself promise no such thing;
their figures, as documented in docs/measures/risk.md, must not rise.
"""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path
from typing import Any

import adult
import numpy as np
import pandas as pd
import pytest
from shared import needs

import allonym as al
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod, KAnonymityMethod
from allonym.pipeline.demo import WORDS, survey
from attacks.judging import judge

K = 5
GROUPING = [name for name, method in METHODS.items() if issubclass(method, KAnonymityMethod)]
UNGROUPED = [name for name in METHODS if name not in GROUPING]
HIGHEST = {
    "noise": 18.0,
    "exponential": 1.0,
    "randomise-uniform": 0.5,
    "randomise-frequency": 0.5,
    "pram": 10.0,
    "swap": 7.0,
}  # in %


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    """Return a folder with the survey, its links and its hierarchies."""
    where: Path = tmp_path_factory.mktemp("survey")
    (where / "survey.csv").write_text(survey(), "utf-8")
    for name in WORDS:
        for file in (f"{name}.links.csv", f"{name}.vgh.csv"):
            (where / file).write_bytes((files("allonym") / "data" / file).read_bytes())
    return where


def plan_of(folder: Path, method: str, words: tuple[str, ...] = WORDS, **parameters: Any) -> al.Plan:
    """Return a plan that masks words of the survey by a method, with its defaults unless parameters are given."""
    hierarchies = {"hierarchy": "{}.vgh.csv"} if METHODS[method]().needs_hierarchy else {}
    columns: dict[str, Any] = {"visitor": al.identifier(), "hobby": al.keep(), "origin": al.keep(), "age": al.keep()}
    for name in WORDS:
        given = {key: text.format(name) for key, text in hierarchies.items()}
        columns[name] = al.quasi("wordnet", links=f"{name}.links.csv", **given) if name in words else al.keep()
    columns["spent"] = al.sensitive()
    k = {"k": K} if method in GROUPING else {}
    return al.Plan(columns, method=method, folder=folder, seed=1, parameters=parameters, **k)


def release(folder: Path, method: str, words: tuple[str, ...] = WORDS) -> dict[str, Any]:
    """Mask the survey, and return the summary."""
    return plan_of(folder, method, words).run(folder / "survey.csv", folder / f"{method}.csv").summary


@pytest.mark.parametrize("method", GROUPING)
def test_nobody_finds_more_than_one_in_k_where_records_are_grouped(method: str, folder: Path) -> None:
    together = not issubclass(METHODS[method], ColumnwiseMethod)
    for words in [WORDS] if together else [(name,) for name in WORDS]:
        risk = release(folder, method, words)["risk"]
        judge("highest linkage on the survey, %", f"{method}, {' and '.join(words)}", risk["highest"]["value"], 100 / K)
        assert risk["highest"]["attacker"] == "re-run"
        assert set(risk["attackers"]) == {"re-run", "meaning", "text"}
        assert risk["highest"]["value"] < risk["highest"]["before"]
        with (folder / f"{method}.csv").open(encoding="utf-8") as file:
            seen = [tuple(row[name] for name in words) for row in csv.DictReader(file)]
        assert risk["highest"]["value"] == pytest.approx(100 * len(set(seen)) / len(seen))


@pytest.mark.parametrize("option", [{"values": "existing"}, {"replace": "global"}], ids=["existing", "global"])
def test_nobody_finds_more_with_restricted_values(option: dict[str, str], folder: Path) -> None:
    risk = plan_of(folder, "sa-mdav", **option).run(pd.read_csv(folder / "survey.csv", dtype=str)).summary["risk"]
    judge("highest linkage on the survey, %", f"sa-mdav, {option}", risk["highest"]["value"], 100 / K)


@pytest.mark.parametrize("method", UNGROUPED)
def test_figures_of_methods_without_groups_do_not_rise(method: str, folder: Path) -> None:
    risk = release(folder, method)["risk"]
    judge("highest linkage on the survey, %", method, risk["highest"]["value"], HIGHEST[method])
    assert set(risk["attackers"]) == {"re-run", "assignment", "meaning", "text"}
    assert risk["blind_guess"] == pytest.approx(100 / 975)


@pytest.mark.parametrize(
    ("parameters", "highest"),
    [
        ({"window": 0.02}, 13.0),
        ({"order": "reference"}, 7.0),
        ({"together": "all"}, 2.0),
        ({"pairs": "nearest"}, 12.0),
        ({"pairs": "nearest", "together": "all"}, 14.0),
    ],
    ids=str,
)
def test_figures_of_swapping_do_not_rise(parameters: dict[str, Any], highest: float, folder: Path) -> None:
    table = pd.read_csv(folder / "survey.csv", dtype=str)
    risk = plan_of(folder, "swap", **parameters).run(table).summary["risk"]
    judge("highest linkage on the survey, %", f"swap, {parameters}", risk["highest"]["value"], highest)


def test_every_method_without_groups_has_a_documented_figure() -> None:
    assert set(HIGHEST) == set(UNGROUPED)


@pytest.mark.parametrize("method", ["sa-mdav", "generalise", "randomise-frequency", "swap"])
def test_whoever_evaluates_the_release_finds_the_same_attackers(method: str, folder: Path) -> None:
    table = pd.read_csv(folder / "survey.csv", dtype=str)
    plan = plan_of(folder, method)
    made = plan.run(table)
    expected, evaluated = made.summary["risk"], plan.evaluate(table, made.frame).risk
    assert evaluated["attackers"] == pytest.approx(expected["attackers"], abs=0.1)
    assert evaluated["inference"]["spent"] == pytest.approx(expected["inference"]["spent"], abs=0.05)
    assert evaluated["blind_guess"] == expected["blind_guess"]


@needs(adult.FILE)
@pytest.mark.slow_attack
@pytest.mark.parametrize("method", METHODS)
def test_adult(method: str, tmp_path: Path) -> None:
    adult.write(tmp_path / "adult.csv")
    k = {"k": K} if method in GROUPING else {}
    columns = dict(adult.plan().columns)
    if issubclass(METHODS[method], ColumnwiseMethod):  # k holds in each column alone
        columns = {name: al.keep() if name == "native-country" else x for name, x in columns.items()}
    plan = al.Plan(columns, method=method, keep_rest=True, seed=1, **k)
    risk = plan.run(tmp_path / "adult.csv", tmp_path / "masked.csv").summary["risk"]
    judge("highest linkage on Adult, %", method, risk["highest"]["value"], 100 / K if method in GROUPING else 1.0)


@pytest.mark.parametrize(("method", "parameters"), [("noise", {"alpha": 0.2}), ("swap", {"window": 0.2})])
def test_several_rows_of_a_person_average_out(method: str, parameters: dict[str, float]) -> None:
    """Errors hide one row of a person; thirty rows of the same person give the person away."""
    rng = np.random.default_rng(3)
    ages = rng.integers(18, 90, 60)
    figures = []
    for rows in (2, 30):
        table = pd.DataFrame({"person": np.repeat(np.arange(60), rows), "age": np.repeat(ages, rows), "visit": 1})
        columns = {"person": al.unit(), "age": al.quasi("numeric"), "visit": al.keep()}
        plan = al.Plan(columns, method=method, parameters=parameters, seed=1)
        risk = plan.run(table).summary["risk"]
        assert risk["highest"]["attacker"] == "averaging"
        figures.append(risk["highest"]["value"])
    assert figures[1] > 2 * figures[0]
