"""A release says how far it is from the optimum, if there is a lower bound on the loss."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import allonym as al
from cli.running import run

WORDS = ["nurse", "cook", "driver", "teacher"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    run("demo", "-o", "d")
    return tmp_path


def masked(folder: Path, *options: str) -> dict[str, object]:
    (folder / "m.csv").unlink(missing_ok=True)
    summary: dict[str, object] = json.loads(
        run("mask", "d/survey.csv", "-o", "m.csv", "--plan", "d/plan.toml", "--seed", "3", "--json", *options)
    )
    return summary


def test_the_gap_is_that_of_the_reported_loss(folder: Path) -> None:
    summary = masked(folder)
    optimality, lost = summary["optimality"], summary["measures"]["information_loss"]["value"]  # type: ignore[index]
    assert 0 < optimality["lower_bound"] <= lost  # type: ignore[index]
    assert optimality["gap"] == pytest.approx(100 * (lost / optimality["lower_bound"] - 1))  # type: ignore[index]


def test_mask_and_report_say_it_and_a_public_report_does_not(folder: Path) -> None:
    command = ("mask", "d/survey.csv", "--plan", "d/plan.toml", "--seed", "3", "-o")
    printed = " ".join(run(*command, "m.csv", "--report", "r.html").split())
    assert "% above the optimum (lower bound" in printed
    assert "% above the optimum (lower bound" in (folder / "r.html").read_text()
    run(*command, "m2.csv", "--report", "p.html", "--public")
    assert "above the optimum" not in (folder / "p.html").read_text()


@pytest.mark.parametrize("method", ["s-mdav", "generalise", "noise"])
def test_other_methods_have_no_bound(folder: Path, method: str) -> None:
    assert masked(folder, "--method", method)["optimality"] is None


def test_recoded_columns_have_no_bound() -> None:
    frame = {"job": WORDS * 5, "age": list(range(20, 40))}
    columns = {"job": al.quasi("category"), "age": al.quasi("numeric")}
    assert al.Plan(columns, method=al.SAMDAV(k=2)).run(_table(frame)).summary["optimality"] is not None
    columns["age"] = al.quasi("numeric", top=30)
    assert al.Plan(columns, method=al.SAMDAV(k=2)).run(_table(frame)).summary["optimality"] is None


def test_a_large_table_has_a_bound_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from allonym.methods.lower_bound import bound

    monkeypatch.setattr(bound, "MAX_SIZE", 10)
    frame = {"job": WORDS * 5, "age": list(range(20, 40))}
    plan = al.Plan({"job": al.quasi("category"), "age": al.quasi("numeric")}, method=al.SAMDAV(k=2))
    assert plan.run(_table(frame)).summary["optimality"] is None
    assert plan.run(_table(frame), optimality_gap=True).summary["optimality"] is not None


def _table(frame: dict[str, list[object]]) -> object:
    import pandas

    return pandas.DataFrame(frame)
