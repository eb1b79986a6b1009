"""Missing-value markers: those that are built in, of a plan, and of single columns."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import allonym as al
from allonym.cells import is_missing
from allonym.pipeline.inspect import inspect

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")


@pytest.mark.parametrize("marker", ["", "?", "NA", "N/A", "n/a", "-", ".", "null", "Null", "NULL", "#N/A", "<NA>"])
def test_the_usual_markers_are_built_in(marker: str) -> None:
    assert is_missing(marker)


@pytest.mark.parametrize("word", ["None", "none", "unknown", "Unknown", "0", "-1", "+", "No"])
def test_answers_are_no_markers(word: str) -> None:
    assert not is_missing(word)


def test_a_column_has_markers_of_its_own() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4 + ["unknown"] * 4, "town": ["unknown"] * 4 + ["Ulm"] * 4})
    columns = {"job": al.quasi(JOBS, missing=["unknown", "refused"]), "town": al.quasi("category")}
    plan = al.Plan(columns, k=4)
    release = plan.run(frame)
    assert release.frame["job"].tolist() == frame["job"].tolist()  # null is written as the column writes it
    assert None in release.prepared.encoded["job"].attribute.values
    assert "unknown" in release.prepared.encoded["town"].attribute.values
    assert release.summary["changes"]["changed"] == 0
    codebook = {x["name"]: x["missing"] for x in release.codebook()["variables"]}
    assert codebook == {"job": 4, "town": 0}
    assert plan.evaluate(frame, release.frame).summary["changes"]["changed"] == 0


def test_nulls_of_a_release_are_written_by_the_marker_of_the_column() -> None:
    frame = pd.DataFrame({"town": ["Ulm"] * 4 + ["no answer"] * 4 + ["Bonn"]})
    release = al.Plan({"town": al.quasi("category", missing="no answer")}, k=4).run(frame)
    assert set(release.frame["town"]) <= {"Ulm", "no answer"}


def test_numbers_with_a_marker() -> None:
    frame = pd.DataFrame({"age": ["20", "21", "22", "refused", "refused", "refused"]})
    release = al.Plan({"age": al.quasi("numeric", missing=("refused",))}, k=3).run(frame)
    assert release.frame["age"].tolist()[3:] == ["refused"] * 3


def test_plans_keep_the_markers_of_columns(tmp_path: Path) -> None:
    plan = al.Plan({"job": al.quasi("category", missing=["-9", "unknown"])}, k=3)
    plan.save(tmp_path / "plan.toml")
    assert 'missing = ["-9", "unknown"]' in (tmp_path / "plan.toml").read_text()
    loaded = al.Plan.load(tmp_path / "plan.toml")
    assert loaded.columns["job"].missing == ("-9", "unknown")
    assert loaded.missing_in("job")[-2:] == ("-9", "unknown")
    assert loaded.missing_in("other") == tuple(loaded.missing)


def test_inspect_proposes_words_for_missing_values() -> None:
    ages = [str(x) for x in range(20, 60)] + ["Unknown"] * 5
    frame = pd.DataFrame({"age": ages, "answer": ["unknown", "unknown", *["known"] * 43]})
    inspection = inspect(frame)
    age, answer = inspection.columns
    assert (age.kind, age.markers, age.missing) == ("numeric", ("Unknown",), 5)
    assert "missing-markers" in {x.code for x in age.evidence}
    assert answer.markers == ()  # known or unknown is an answer
    assert inspection.plan().columns["age"].missing == ("Unknown",)
