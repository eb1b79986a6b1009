"""`values = "existing"`: every record of a release reads as a record of the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import adult
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from commands import call
from shared import needs

import allonym as al
from allonym.cells import Cells
from allonym.errors import PlanError, ReleaseError
from allonym.methods import METHODS
from allonym.plan.privacy import Privacy
from allonym.release import recount
from allonym.release.original_rows import OriginalRows
from allonym.tables.frame import Frame

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
WITH_VALUES = ["sa-mdav", "sa-mdav-static", "s-mdav", "mdav", "abril", "fusion"]
N = 300
ADULT = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def table(seed: int = 0) -> pd.DataFrame:
    """Return a table with spellings, unlinked words, missing-value markers, sets, numbers and rare values."""
    rng = np.random.default_rng(seed)
    words = ["cook", "Cook", "cooks", "baker", "smith", "welder", "nurse", "zzz", "?", "ship's cook"]
    frame = pd.DataFrame(
        {
            "job": rng.choice(words, N),
            "sex": rng.choice(["f", "m", None], N),
            "size": rng.choice(["small", "large"], N),
            "age": [f"{x:.1f}" for x in rng.normal(40, 8, N).round()],
            "skills": rng.choice(["cook;baker", "baker;cook", "smith; cooks", "nurse;zzz;smith", "yyy", None], N),
            "ill": rng.choice(["flu", "cold", "gout"], N),
        },
        dtype=object,
    )
    frame.loc[7, ["job", "age"]] = ["only one", "17.5"]
    return frame


def plan_of(method: str = "sa-mdav", k: int = 4, **options: Any) -> al.Plan:
    columns = {
        "job": al.quasi(JOBS, unmatched="opaque", accept="all"),
        "sex": al.quasi("category"),
        "size": al.quasi("ordinal", levels=["small", "medium", "large"]),
        "age": al.quasi("numeric"),
        "skills": al.quasi(JOBS, kind="set", unmatched="opaque", accept="all"),
        "ill": al.sensitive(),
    }
    if "set" not in METHODS[method].info.kinds:
        columns["skills"] = al.keep()
    parameters = {"values": "existing"} | options.pop("parameters", {})
    return al.Plan(columns, method=method, k=k, seed=1, parameters=parameters, **options)


def rows(frame: pd.DataFrame, plan: al.Plan) -> list[tuple[Any, ...]]:
    columns = [x for x in plan.columns if plan.columns[x].role == "quasi"]
    plain = frame[columns].astype(object).where(frame[columns].notna(), None)
    return list(plain.itertuples(index=False, name=None))


def assert_existing(plan: al.Plan, frame: pd.DataFrame, release: al.Release, written: pd.DataFrame) -> None:
    released = [x for x in rows(written, plan) if any(x)]
    assert set(released) <= set(rows(frame, plan))
    assert len(frame) - len(released) == release.summary["suppressed"]
    for a in range(len(released[0])):
        held = [x[a] for x in rows(frame, plan)]
        for text in {x[a] for x in released} - {None}:
            is_set = ";" in text
            assert is_set or held.count(text) >= plan.method.required_k


@pytest.mark.parametrize("method", WITH_VALUES)
@pytest.mark.parametrize("refine", [False, True])
def test_every_record_of_the_release_is_one_of_the_table(method: str, refine: bool) -> None:
    frame, plan = table(), plan_of(method, parameters={"refine": refine})
    release = plan.run(frame)
    assert_existing(plan, frame, release, release.frame)
    assert release.summary["verified"] == {"existing_values": True}
    assert len(set(rows(release.frame, plan))) > 10


@pytest.mark.parametrize("method", ["sa-mdav", "fusion"])
def test_it_is_not_so_without_being_asked_for(method: str) -> None:
    frame, plan = table(), plan_of(method, parameters={"values": "any"})
    release = plan.run(frame)
    assert not set(rows(release.frame, plan)) <= set(rows(frame, plan))
    assert "verified" not in release.summary


def test_sensitive_columns_units_and_weights_are_respected() -> None:
    frame = table(1)
    frame["person"] = np.arange(N) // 2
    frame["weight"] = 1.0 + np.arange(N) % 3
    plan = plan_of("s-mdav")
    columns = dict(plan.columns) | {"person": al.unit(), "weight": al.weight()}
    plan = al.Plan(columns, method="s-mdav", k=4, seed=1, parameters={"values": "existing"},
                   privacy=[Privacy("l-diversity", "ill", l=2)])  # fmt: skip
    release = plan.run(frame)
    assert_existing(plan, frame, release, release.frame)
    assert all(x["holds"] for x in release.summary["privacy"])


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_files_read_the_same(ending: str, tmp_path: Path) -> None:
    frame, plan = table(), plan_of(row_order="keep")
    source, target = tmp_path / f"in{ending}", tmp_path / f"out{ending}"
    if ending == ".csv":
        frame.to_csv(source, index=False)
        read = {"dtype": str, "keep_default_na": False, "na_values": [""]}
    else:
        pl.from_pandas(frame).write_parquet(source)
    plan.run(source, target)
    written = pd.read_csv(target, **read) if ending == ".csv" else pl.read_parquet(target).to_pandas()
    assert_existing(plan, frame, plan.run(frame), written)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_engines_write_existing_records_too(engine: str) -> None:
    frame, plan = table(), plan_of()
    lazy = pl.from_pandas(frame).lazy() if engine == "polars" else duckdb.from_arrow(pl.from_pandas(frame).to_arrow())
    release = plan.run(lazy)
    written = release.frame.collect().to_pandas() if engine == "polars" else release.frame.to_df()
    assert_existing(plan, frame, plan.run(frame), written)


def test_numbers_keep_their_notation() -> None:
    frame = pd.DataFrame({"age": [20, 21, 35, 36, 60, 61] * 5, "pay": [1.50, 2.0, 2.25] * 10})
    plan = al.Plan({x: al.quasi("numeric") for x in frame}, k=3, seed=1, parameters={"values": "existing"})
    released = plan.run(frame).frame
    assert set(released.itertuples(index=False, name=None)) <= set(frame.itertuples(index=False, name=None))
    assert released.dtypes.to_dict() == frame.dtypes.to_dict()


def test_a_table_without_a_record_to_write_is_refused() -> None:
    frame = pd.DataFrame({"age": [str(x) for x in range(10)]}, dtype=object)
    with pytest.raises(PlanError, match=r"every record has a value that fewer than 3 hold.*choose values = any"):
        al.Plan({"age": al.quasi("numeric")}, k=3, parameters={"values": "existing"}).run(frame)


def test_what_cannot_write_existing_values_refuses_and_names_what_can() -> None:
    columns = {"age": al.quasi("numeric")}
    for represent in ("truthful", "subsumer", "centroid"):
        with pytest.raises(PlanError, match=r"values = existing writes records .* choose represent = member"):
            al.Plan(columns, parameters={"values": "existing", "represent": represent})
    with pytest.raises(PlanError, match="choose represent = member"):
        al.Plan(columns, method=al.SAMDAV(values="existing", represent="subsumer"))
    for method in ("generalise", "noise", "recoding", "exponential"):
        with pytest.raises(PlanError, match=r"unknown parameter 'values'.*Methods with values: sa-mdav, .*fusion"):
            al.Plan(columns, method=method, parameters={"values": "existing"})
    assert al.SAMDAV(values="existing").represent == "member"
    assert al.Plan(columns, parameters={"values": "existing", "represent": "member"}).method.writes_existing


def test_a_plan_is_saved_and_loaded(tmp_path: Path) -> None:
    plan = al.Plan({"age": al.quasi("numeric")}, parameters={"values": "existing"})
    plan.save(tmp_path / "plan.toml")
    assert al.Plan.load(tmp_path / "plan.toml").method == plan.method


def test_a_release_with_another_combination_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"job": ["cook"] * 6 + ["smith"] * 6, "sex": ["f"] * 6 + ["m"] * 6}, dtype=object)
    plan = al.Plan({x: al.quasi("category") for x in frame}, k=3, parameters={"values": "existing"})
    assert plan.run(frame).frame["job"].tolist() == frame["job"].tolist()
    honest = Frame.changed

    def dishonest(self: Frame, *given: Any, **options: Any) -> Any:
        changed = honest(self, *given, **options)
        changed.loc[:2, "sex"] = "m"  # three cooks: k holds, and so does every value
        return changed

    monkeypatch.setattr(Frame, "changed", dishonest)
    with pytest.raises(ReleaseError, match="3 rows of the release have values, or combinations of values, of no"):
        plan.run(frame)


def test_suppressed_rows_are_set_aside_only_where_some_were_promised() -> None:
    original = OriginalRows([Cells(["a", "b"], np.array([0, 0, 1, 1]))], ())
    frame = pd.DataFrame({"x": ["a", "a", None, None]})
    promise = recount.Promise(["x"], 2, 4, ["x"], original=original)
    with pytest.raises(ReleaseError, match="2 rows of the release"):
        recount.recount(frame, ["x"], promise)
    assert recount.recount(frame, ["x"], recount.Promise(["x"], 2, 4, ["x"], suppressed=2, original=original)).k == [2]


def test_the_command_line_and_the_report_tell_it(tmp_path: Path) -> None:
    source, report = tmp_path / "in.csv", tmp_path / "report.html"
    source.write_text("age,town\n" + "".join(f"{20 + i % 7},{'Oslo' if i % 3 else 'Bergen'}\n" for i in range(42)))
    options = ["--quasi", "age", "--quasi", "town=category", "--k", "3", "--values", "existing", "--seed", "1"]
    done = call("mask", str(source), "-o", str(tmp_path / "out.csv"), *options, "--report", str(report))
    assert done.returncode == 0, done.stderr
    told = "all records have the quasi-identifiers of a record of the table, compared as text"
    assert told in " ".join(done.stdout.split())
    assert told in report.read_text("utf-8")


@needs(adult.FILE)
def test_adult_with_eight_quasi_identifiers(tmp_path: Path) -> None:
    adult.write(tmp_path / "adult.csv")
    frame = pd.read_csv(tmp_path / "adult.csv", dtype=object)[list(ADULT)][:6000]
    columns = {x: al.quasi("numeric" if x == "age" else "category") for x in ADULT}
    plan = al.Plan(columns, k=5, seed=1, parameters={"values": "existing"})
    release = plan.run(frame)
    assert_existing(plan, frame, release, release.frame)
    assert release.summary["suppressed"] == 0
