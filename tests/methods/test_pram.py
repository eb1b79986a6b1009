"""PRAM: its matrices are those of the slow reference, keep frequencies, and leave the truth uncertain."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import slow_pram as slow
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym import Pram
from allonym.cli import app
from allonym.errors import OptionError, PlanError, TableError
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.ranges.numeric_metric import NumericMetric
from allonym.methods.pram import SCALE, Transitions, invariant, mixing, rounded
from allonym.methods.randomise import Drawing
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Records

counts = st.lists(st.integers(1, 40), min_size=2, max_size=6)


def words(parents: Dag) -> Attribute:
    t = taxonomy(parents)
    return Attribute("word", "text", ConceptMetric(list(parents), Scope(t, t.root)))


def fitted(attribute: Attribute, numbers: list[int], **parameters: Any) -> Transitions:
    found = Pram(**parameters).fitted(attribute, np.arange(len(numbers)), np.array(numbers))
    assert isinstance(found, Transitions)
    return found


def shares_of(numbers: list[int]) -> list[float]:
    return [x / sum(numbers) for x in numbers]


@given(
    parents=dags(6), data=st.data(), tau=st.sampled_from([0.02, 0.1, 0.5, 10.0]), odds=st.sampled_from([1.5, 4, 1e6])
)
def test_the_matrix_is_that_of_the_formulas(parents: Dag, data: st.DataObject, tau: float, odds: float) -> None:
    attribute = words(parents)
    numbers = data.draw(st.lists(st.integers(1, 40), min_size=len(parents), max_size=len(parents)))
    places = np.arange(len(numbers))
    d = attribute.metric.distances(places[:, None], places).tolist()
    f = shares_of(numbers)
    found = fitted(attribute, numbers, tau=tau, max_odds=odds)
    if len(numbers) < 2:
        assert found.matrix.tolist() == [[SCALE]]
        return
    r = slow.invariant(d, f, tau)
    share = slow.least_share(r, f, odds)
    assert found.mixing == pytest.approx(share, abs=1e-5)
    assert found.matrix / SCALE == pytest.approx(np.array(slow.mixed(r, f, share)), abs=1e-5)
    assert np.array(f) @ (found.matrix / SCALE) == pytest.approx(np.array(f), abs=1e-11)
    assert (found.matrix.sum(axis=1) == SCALE).all()
    assert slow.excess((found.matrix / SCALE).tolist(), f) <= odds
    figures = found.figures()
    assert figures["highest_odds"] == pytest.approx(slow.excess((found.matrix / SCALE).tolist(), f), rel=1e-6)
    assert figures["expected_changed"] == pytest.approx(slow.changed((found.matrix / SCALE).tolist(), f))


@given(numbers=counts, share=st.sampled_from([0.05, 0.2, 0.4]))
def test_so_many_records_change_as_asked(numbers: list[int], share: float) -> None:
    attribute = Attribute("age", "numeric", NumericMetric([float(i * i) for i in range(len(numbers))], 0))
    f = shares_of(numbers)
    places = np.arange(len(numbers))
    d = attribute.metric.distances(places[:, None], places).tolist()
    found = fitted(attribute, numbers, changed=share, max_odds=1e6)
    possible = 1 - math.fsum(x * x for x in f)
    assert found.figures()["possible_changed"] == pytest.approx(possible)
    assert found.figures()["expected_changed"] == pytest.approx(min(share, possible), abs=1e-3)
    if share < 0.9 * possible:
        assert found.tau == pytest.approx(slow.tau_for(d, f, share), rel=1e-3)


def test_the_share_counts_what_the_bound_adds() -> None:
    """Where some values are drawn by frequency for the sake of the bound, fewer are moved."""
    attribute = Attribute("job", "category", EqualityMetric(list("abcdef")))
    loose, strict = (fitted(attribute, [9, 8, 7, 6, 5, 4], changed=0.3, max_odds=x) for x in (1e6, 2.8))
    assert strict.mixing > loose.mixing == 0
    assert [x.figures()["expected_changed"] for x in (loose, strict)] == pytest.approx([0.3, 0.3], abs=1e-6)
    stricter = fitted(attribute, [9, 8, 7, 6, 5, 4], changed=0.3, max_odds=1.01)
    assert stricter.figures()["expected_changed"] > 0.3
    assert stricter.figures()["highest_odds"] <= 1.01


def test_a_value_that_most_records_have_is_measured_against_its_own_odds() -> None:
    attribute = Attribute("sex", "category", EqualityMetric(["f", "m"]))
    found = fitted(attribute, [99, 1], tau=0.1, max_odds=3)
    posterior = np.array([0.99, 0.01])[:, None] * found.matrix / SCALE / np.array([0.99, 0.01])
    odds = posterior / (1 - posterior)
    assert odds[0].max() <= 3 * 99  # three times its odds before
    assert odds[1].max() <= 3
    assert odds[0].max() > 99


def test_rounded_rows_sum_to_one_and_bounds_hold_after_rounding() -> None:
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.full(300, 0.05)) + 1e-7
    shares /= shares.sum()
    distances = np.abs(np.subtract.outer(*[rng.random(300)] * 2))
    matrix = invariant(distances, shares, 0.05)
    share = mixing(matrix, shares, 9.0)
    whole = rounded((1 - share) * matrix + share * shares)
    assert (whole.sum(axis=1) == SCALE).all()
    assert (whole >= 0).all()
    posterior = shares[:, None] * whole / (shares @ whole)
    highest = 9.0 * np.maximum(1, shares / (1 - shares))
    assert (posterior / (1 - posterior) <= highest[:, None]).all()


def test_what_is_drawn_follows_the_matrix_and_keeps_frequencies() -> None:
    parents = {0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2]}
    rng = np.random.default_rng(1)
    n = 60_000
    records = Records.of([words(parents)], [rng.choice(6, n, p=[0.05, 0.1, 0.15, 0.2, 0.2, 0.3])])
    method = Pram(changed=0.4)
    masking = method.mask(records, 7)
    mechanism = masking.mechanism
    assert mechanism is not None
    before, after = records.codes[masking.source, 0], masking.codes[:, 0]
    likely = np.exp(mechanism.log_likelihood(0, list(range(6)), list(range(6))))
    for value in range(6):
        drawn = np.bincount(after[before == value], minlength=6) / (before == value).sum()
        assert drawn == pytest.approx(likely[value], abs=0.02)
    assert (before != after).mean() == pytest.approx(0.4, abs=0.01)
    assert np.bincount(after) / n == pytest.approx(np.bincount(before) / n, abs=0.01)


def test_null_stays_and_a_value_never_seen_is_drawn_by_frequency() -> None:
    found = Transitions((3, 5), (1, 3), np.array([[SCALE // 2, SCALE // 2], [0, SCALE]]))
    likely = np.exp(found.log_likelihood([3, 5, 8, None], [3, 5, None]))
    assert likely == pytest.approx(np.array([[0.5, 0.5, 0], [0, 1, 0], [0.25, 0.75, 0], [0, 0, 1]]))
    assert found.one(None, (0, 0, 0, 0)) is None
    ends = [(0, 0, 0, 0), (2**64 - 1, 2**64 - 1, 0, 0)]
    assert [found.one(8, x) for x in ends] == [3, 5]
    assert [found.one(5, x) for x in ends] == [5, 5]


def test_attackers_know_what_categories_become() -> None:
    """Categories are texts, as are words that nobody linked; those of the column are none of these."""
    found = Drawing(("f", "m"), (1, 3)).log_likelihood(["f", "m", "zzz"], ["f", "m", None])
    assert np.exp(found) == pytest.approx(np.array([[0.25, 0.75, 0], [0.25, 0.75, 0], [0, 0, 1]]))


# --- plans ---------------------------------------------------------------------------------------------------------


def table(rows: int = 40) -> pd.DataFrame:
    """Return a table of every kind that the method masks."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "job": rng.choice(["cook", "plumber", "nurse", "dentist"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "sex": rng.choice(["f", "m"], rows),
            "size": rng.choice(["small", "medium", "large"], rows),
            "age": rng.integers(20, 30, rows).astype(str),
            "born": [f"2001-03-{x:02}" for x in rng.integers(1, 9, rows)],
        }
    )


COLUMNS = {
    "job": al.quasi("wordnet:person"),
    "sex": al.quasi("category"),
    "size": al.quasi("ordinal", levels=["small", "medium", "large"]),
    "age": al.quasi("numeric"),
    "born": al.quasi("date"),
}


def test_the_matrix_is_published_as_it_was_drawn(tmp_path: Path) -> None:
    release = al.Plan(COLUMNS, method="pram", seed=1).run(table(300))
    release.save_matrix(tmp_path / "matrix.json")
    release.save_matrix(tmp_path / "matrix.csv")
    stored = json.loads((tmp_path / "matrix.json").read_text())
    assert list(stored) == list(COLUMNS)
    probabilities: dict[tuple[str, str], float] = {}
    with (tmp_path / "matrix.csv").open() as file:
        for row in csv.DictReader(file):
            key = row["column"], row["original"]
            probabilities[key] = probabilities.get(key, 0.0) + float(row["probability"])
    assert set(probabilities) == {(name, value) for name, x in stored.items() for value in x["values"]}
    assert list(probabilities.values()) == pytest.approx([1.0] * len(probabilities), abs=1e-10)
    for name, x in stored.items():
        assert set(release.frame[name]) <= set(x["values"])
        shares = [(table(300)[name] == value).mean() for value in x["values"]]
        assert np.array(shares) @ np.array(x["matrix"]) == pytest.approx(np.array(shares))
        figures = release.summary["transitions"][name]
        assert figures["expected_changed"] == pytest.approx(1 - np.array(shares) @ np.diag(x["matrix"]))
        assert figures["highest_odds"] <= 9


def test_analysts_correct_a_table_of_two_columns() -> None:
    """The expected counts of a release are Rᵀ·T·R; the inverse matrices give back T."""
    frame = pd.DataFrame({"job": ["cook"] * 300 + ["nurse"] * 300, "sex": ["m"] * 250 + ["f"] * 330 + ["m"] * 20})
    columns = {"job": al.quasi("wordnet:person"), "sex": al.quasi("category")}
    seen = np.zeros((2, 2))
    for seed in range(40):
        release = al.Plan(columns, method="pram", seed=seed).run(frame)
        seen += pd.crosstab(release.frame["job"], release.frame["sex"]).loc[["cook", "nurse"], ["f", "m"]].to_numpy()
    from allonym.pipeline.transition_matrix import transition_matrices

    stored = transition_matrices(release.prepared)
    job, sex = (np.array(stored[name]["matrix"]) for name in ("job", "sex"))
    assert [stored[name]["values"] for name in ("job", "sex")] == [["cook", "nurse"], ["f", "m"]]
    corrected = np.linalg.inv(job.T) @ (seen / 40) @ np.linalg.inv(sex)
    truth = np.array([[50, 250], [280, 20]])
    assert np.abs(seen / 40 - truth).max() > 40
    assert np.abs(corrected - truth).max() < 12


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="changed and tau both say how much changes"):
        al.Plan(COLUMNS, method="pram", parameters={"changed": 0.2, "tau": 0.1})
    with pytest.raises(PlanError, match="changed is 1; it must be below 1"):
        al.Plan(COLUMNS, method="pram", parameters={"changed": 1.0})
    many = pd.DataFrame({"age": [str(x) for x in range(1_001)]})
    with pytest.raises(OptionError, match="age has 1,001 different values"):
        al.Plan({"age": al.quasi("numeric")}, method="pram").run(many)
    many.to_csv(tmp_path / "in.csv", index=False)
    more = ["--quasi", "age=numeric", "--method", "noise", "--matrix", str(tmp_path / "m.csv")]
    result = CliRunner().invoke(app, ["mask", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), *more])
    assert "Method noise has no transition matrix" in str(result.exception)
    assert not (tmp_path / "out.csv").exists()


def test_the_command_line_writes_the_matrix(tmp_path: Path) -> None:
    table(60).to_parquet(tmp_path / "in.parquet", index=False)
    more = ["--quasi", "sex=category", "--quasi", "age=numeric", "--keep-rest", "--method", "pram", "--seed", "1"]
    printed = []
    for engine, name in (("memory", "m.csv"), ("duckdb", "other.csv")):
        files = ["-o", str(tmp_path / f"{name}.parquet"), "--matrix", str(tmp_path / name)]
        arguments = ["mask", str(tmp_path / "in.parquet"), *files, *more, "--engine", engine]
        result = CliRunner().invoke(app, arguments, catch_exceptions=False)
        printed.append(result.output)
    assert "transitions of sex" in printed[0]
    assert (tmp_path / "m.csv").read_text() == (tmp_path / "other.csv").read_text()


def test_a_damaged_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fitted.json"
    al.Plan({"sex": COLUMNS["sex"]}, method="pram", seed=1, keep_rest=True).fit(table()).save(path)
    stored = json.loads(path.read_text())
    al.Fitted.load(path)
    for damage in (
        {"matrix": [[SCALE, 1], [0, SCALE]]},
        {"matrix": [[SCALE]]},
        {"matrix": [[2 * SCALE, -SCALE], [0, SCALE]]},
        {"counts": [0, 1]},
        {"counts": [1]},
        {"mixing": 2},
        {"tau": 0},
        {"values": ["f", "f"]},
    ):
        path.write_text(json.dumps(stored | {"columns": {"sex": stored["columns"]["sex"] | damage}}))
        with pytest.raises(TableError, match="is damaged"):
            al.Fitted.load(path)


def test_a_column_of_one_value_is_refused() -> None:
    frame = pd.DataFrame({"x": list("abcab"), "y": "same"})
    with pytest.raises(PlanError, match="all its values are the same"):
        al.Plan({name: al.quasi("category") for name in frame}, method="pram").run(frame)
    alone = fitted(Attribute("y", "category", EqualityMetric(["same"])), [5])
    assert alone.figures()["highest_odds"] is None
    assert alone.one("same", (0, 0, 0, 0)) == "same"


def test_the_page_shows_what_its_example_gives() -> None:
    page = (Path(__file__).parents[2] / "docs" / "methods" / "pram.md").read_text("utf-8")
    names: dict[str, Any] = {}
    exec(compile("".join(re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)), "pram.md", "exec"), names)
    jobs, original, seen, corrected = (names[x] for x in ("jobs", "original", "seen", "corrected"))
    for i, job in enumerate(jobs):
        assert f"| {job} | {' | '.join(f'{x:.3f}' for x in names['job'][i])} |" in page
        cells = (f"{day:.0f}, {night:.0f}" for day, night in (original.iloc[i], seen.iloc[i], corrected[i]))
        assert f"| {job} | {' | '.join(cells)} |" in page


def test_the_report_says_how_sure_one_can_be_of_a_value(tmp_path: Path) -> None:
    release = al.Plan({"sex": COLUMNS["sex"]}, method="pram", seed=1, keep_rest=True).run(table(60))
    release.report.save(tmp_path / "report.html")
    release.report.save(tmp_path / "public.html", public=True)
    own, public = ((tmp_path / x).read_text("utf-8") for x in ("report.html", "public.html"))
    assert "30.0 % of the values of sex are expected to change" in own
    assert "expected to change" not in public
