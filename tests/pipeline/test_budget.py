"""The privacy budget of a person: shared, printed, enforced, and not spent twice by repeated answers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import allonym as al
from allonym.cli import app
from allonym.errors import OptionError, PlanError, TableError

JOBS = ["plumber", "cook", "carpenter", "welder", "dentist", "nurse"]


def visits(rows: int = 3, people: int = 40) -> pd.DataFrame:
    """Return a table in which each person has some rows."""
    who = [f"p{i}" for i in range(people) for _ in range(rows)]
    jobs = [JOBS[i % len(JOBS)] for i in range(len(who))]
    return pd.DataFrame({"who": who, "job": jobs, "other": jobs[::-1]})


def plan_of(unit: bool = True, columns: int = 1, seed: int | None = None, **parameters: Any) -> al.Plan:
    """Return a plan with few candidates, which calibrate fast."""
    masked = {x: al.quasi("wordnet:person", candidates=JOBS) for x in ("job", "other")[:columns]}
    others = {"who": al.unit() if unit else al.identifier(), "other": al.identifier()}
    return al.Plan(others | masked, method="exponential", keep_rest=True, seed=seed, parameters=parameters)


def of_person(release: al.Release) -> dict[str, Any]:
    """Return what is promised of a person."""
    (entry,) = [x for x in release.summary["privacy"] if x.get("per") == "person"]
    return entry


# --- what adds up --------------------------------------------------------------------------------------------------


def test_each_value_gets_a_share_of_the_budget() -> None:
    done = plan_of(columns=2, budget=12.0, max_rows=3, releases=2).run(visits())
    each = [x for x in done.summary["privacy"] if len(x["columns"]) == 1]
    assert [x["asked"] for x in each] == [1.0, 1.0]
    entry = of_person(done)
    assert entry["asked"] == 12
    assert 0.999 * 12 <= entry["reached"] <= 12
    assert entry["holds"]
    assert (entry["rows"], entry["releases"]) == (3, 2)
    mechanism = done.masking.mechanism
    assert [x.epsilon for x in mechanism.perturbations] == [1.0, 1.0]  # type: ignore[union-attr]


def test_rows_of_a_person_that_exceed_what_was_asked_break_the_promise() -> None:
    entry = of_person(plan_of(epsilon=2.0).run(visits(rows=3)))
    assert entry["asked"] == 2
    assert entry["reached"] == pytest.approx(6, rel=0.001)
    assert not entry["holds"]
    assert "exceeded" in entry["note"]
    alone = of_person(plan_of(epsilon=2.0).run(visits(rows=1)))
    assert alone["holds"]
    assert "note" not in alone


def test_a_table_with_more_rows_of_a_person_is_refused() -> None:
    for parameters in ({"budget": 6.0, "max_rows": 2}, {"budget": 6.0}, {"max_rows": 2}):
        with pytest.raises(PlanError, match="40 persons have more rows than max_rows"):
            plan_of(**parameters).run(visits(rows=3))
    assert of_person(plan_of(max_rows=3, epsilon=2.0).run(visits(rows=3)))["asked"] == 6
    assert [x.code for x in plan_of(max_rows=2).check(visits(rows=3)).problems] == ["too-many-rows"]
    assert plan_of(max_rows=3).check(visits(rows=3)).problems == []


def test_without_a_unit_column_the_key_tells_who_a_row_is_about() -> None:
    frame = visits(rows=2).assign(who=[f"p{i // 2} x" for i in range(80)])
    plan = plan_of(unit=False, key="who", max_rows=1)
    plan = replace(plan, columns={**plan.columns, "who": al.keep(confirmed=True)})
    with pytest.raises(PlanError, match="40 persons have more rows than max_rows = 1"):
        plan.run(frame)
    assert of_person(replace(plan, parameters={"key": "who", "max_rows": 2}).run(frame))["holds"]
    assert not of_person(replace(plan, parameters={"key": "who"}).run(frame))["holds"]


def test_a_bound_on_rows_needs_a_column_of_persons() -> None:
    with pytest.raises(PlanError, match="no column tells which rows are of one person"):
        plan_of(unit=False, max_rows=2).run(visits(rows=1))


def test_one_budget_is_stated() -> None:
    with pytest.raises(PlanError, match="epsilon is the budget of a value, budget that of a person"):
        plan_of(budget=2.0, epsilon=3.0)


def test_a_seed_still_makes_it_not_private() -> None:
    entry = of_person(plan_of(seed=1, budget=6.0, max_rows=3).run(visits()))
    assert not entry["holds"]
    assert entry["note"] == "reproducible: not private"


def test_a_public_report_does_not_tell_how_many_rows_a_person_has() -> None:
    done = plan_of(epsilon=2.0).run(visits(rows=3))
    (entry,) = [x for x in done.codebook()["privacy"] if x.get("per") == "person"]
    assert entry["reached"] is None
    assert not entry["holds"]


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_engines_count_persons_with_several_rows(engine: str, tmp_path: Path) -> None:
    for rows in (1, 2):
        visits(rows=rows).to_parquet(tmp_path / f"in{rows}.parquet")
    done = plan_of(epsilon=2.0).run(tmp_path / "in2.parquet", tmp_path / "out.parquet", engine=engine)
    assert not of_person(done)["holds"]
    assert of_person(plan_of().run(tmp_path / "in1.parquet", tmp_path / "out.parquet", engine=engine))["holds"]
    with pytest.raises(PlanError, match="more rows than max_rows = 1"):
        plan_of(budget=2.0).run(tmp_path / "in2.parquet", tmp_path / "out.parquet", engine=engine)
    with pytest.raises(PlanError, match="does not count the rows"):
        plan_of(max_rows=2).run(tmp_path / "in2.parquet", tmp_path / "out.parquet", engine=engine)


def test_the_console_prints_the_budget(tmp_path: Path) -> None:
    visits(rows=2).to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "jobs.txt").write_text("\n".join(JOBS))
    options = ["--quasi", "job=wordnet:person", "--unit", "who", "--identifier", "other", "--method", "exponential"]
    options += ["--candidates", str(tmp_path / "jobs.txt")]
    files = [str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv")]
    told = CliRunner().invoke(app, ["mask", *files, *options, "--budget", "4", "--max-rows", "2"]).output
    assert "ε = 4 for a person (2 rows, 1 release), of which 3.99" in told
    told = CliRunner().invoke(app, ["mask", *files, *options, "--epsilon", "2"]).output
    assert "ε = 2 for a person (1 row, 1 release), but 3.99" in told
    assert "exceeded" in told


# --- repeated answers ----------------------------------------------------------------------------------------------


def test_a_key_repeats_answers_within_a_fit_but_not_between_fits() -> None:
    plan, record = plan_of(key="who", epsilon=0.1), {"who": "p0", "job": "cook", "other": "x"}
    fitted = plan.fit(visits())
    assert len({fitted.mask_one(record)["job"] for _ in range(30)}) == 1
    frame = pd.DataFrame([record] * 5)
    assert set(fitted.mask(frame)["job"]) == {fitted.mask_one(record)["job"]}
    assert len({plan.fit(visits()).mask_one(record)["job"] for _ in range(30)}) > 1
    anew = plan_of(epsilon=0.1).fit(visits())
    assert len({anew.mask_one(record)["job"] for _ in range(30)}) > 1


def test_a_key_is_refused_where_answers_would_not_be_repeated(tmp_path: Path) -> None:
    fitted = plan_of(key="who").fit(visits())
    fitted.save(tmp_path / "fitted.json")
    with pytest.raises(OptionError, match="key column"):
        al.Fitted.load(tmp_path / "fitted.json")
    first = fitted.mask_one({"who": "p0", "job": "cook", "other": "x"})
    fitted.save(tmp_path / "fitted.json", stream=True)
    again = al.Fitted.load(tmp_path / "fitted.json", resume=True)
    assert again.mask_one({"who": "p0", "job": "cook", "other": "x"}) == first


# --- the running budget of a fitted plan ---------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [True, False])
def test_a_key_with_a_spent_budget_is_refused(unit: bool) -> None:
    fitted = plan_of(unit, key="who", budget=2.0, max_rows=2).fit(visits(rows=1))

    def ask(who: str, job: str) -> str:
        return str(fitted.mask_one({"who": who, "job": job, "other": "x"})["job"])

    first = ask("p0", "cook")
    assert [ask("p0", "cook") for _ in range(5)] == [first] * 5  # costs nothing anew
    ask("p0", "nurse")
    with pytest.raises(TableError, match="The privacy budget of a person is spent"):
        ask("p0", "welder")
    assert ask("p0", "cook") == first
    ask("p1", "welder")
    fitted.mask(pd.DataFrame({"who": ["p1", "p2", "p2"], "job": ["cook", "cook", "cook"], "other": "x"}))
    with pytest.raises(TableError, match="budget of 2 persons"):
        fitted.mask(
            pd.DataFrame({"who": ["p1", "p2", "p2", "p3"], "job": ["nurse", "nurse", "welder", "cook"], "other": "x"})
        )
    fitted.mask_one({"who": "p2", "job": "nurse", "other": "x"})  # nothing of a refused table was counted


def test_without_a_key_every_answer_is_paid_for() -> None:
    fitted = plan_of(budget=2.0, max_rows=2).fit(visits())
    record = {"who": "p0", "job": "cook", "other": "x"}
    assert [len(fitted.mask_one(record)) for _ in range(2)] == [1, 1]
    with pytest.raises(TableError, match="is spent"):
        fitted.mask_one(record)
    with pytest.raises(TableError, match="is spent"):
        list(fitted.stream([record]))
    with pytest.raises(TableError, match="empty who"):
        fitted.mask_one(record | {"who": None})


def test_a_resumed_stream_has_spent_what_it_had(tmp_path: Path) -> None:
    path, record = tmp_path / "fitted.json", {"who": "p0", "job": "cook", "other": "x"}
    fitted = plan_of(budget=2.0, max_rows=2).fit(visits())
    fitted.mask_one(record)
    with pytest.raises(OptionError, match="would spend it a second time"):
        fitted.save(path)
    fitted.save(path, stream=True)
    with pytest.raises(OptionError, match="budget"):
        al.Fitted.load(path)
    resumed = al.Fitted.load(path, resume=True)
    resumed.mask_one(record)
    with pytest.raises(TableError, match="is spent"):
        resumed.mask_one(record)
    assert math.isclose(resumed._columns["job"].perturbation.epsilon, 1.0)  # type: ignore[attr-defined]
