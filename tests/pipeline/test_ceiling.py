"""The ceiling of a column, from a plan to a release."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from commands import call

import allonym as al
from allonym.errors import PlanError

JOBS = ["nurse", "surgeon", "cook", "baker", "dog", "cat"]


def released(k: int = 2, **options: object) -> list[str | None]:
    """Mask one column of words in which each group has two different values."""
    frame = pd.DataFrame({"job": JOBS})
    plan = al.Plan(
        {"job": al.quasi("wordnet", accept="review", **options)}, k=k, seed=1, parameters={"represent": "truthful"}
    )
    written = plan.run(frame).frame["job"]
    return sorted(written.astype(object).where(written.notna(), None), key=str)


def test_true_values_are_not_too_general() -> None:
    assert released(k=6) == [None] * 6
    assert released(k=6, ceiling="none") == ["organism"] * 6


def test_a_named_concept_and_all_above_it_are_suppressed() -> None:
    assert "health professional" in released()
    assert "health professional" not in released(ceiling="health professional")
    assert released(ceiling=["health_professional.n.01", "carnivore"]).count(None) == 4


def test_an_unknown_ceiling_is_a_problem_of_its_column() -> None:
    with pytest.raises(PlanError) as error:
        released(ceiling="wrker")
    (problem,) = error.value.problems
    assert (problem.code, problem.column) == ("unknown-concept", "job")
    assert "'worker'" in problem.hint


def test_the_ceiling_is_an_option_of_plans_and_of_the_command_line(tmp_path: Path) -> None:
    column = al.quasi("wordnet", ceiling="worker")
    al.Plan({"job": column}, k=2).save(tmp_path / "plan.toml")
    assert al.Plan.load(tmp_path / "plan.toml").columns["job"].ceiling == "worker"
    al.Plan({"job": al.quasi("wordnet", ceiling=["worker", "animal"])}, k=2).save(tmp_path / "other.toml")
    assert al.Plan.load(tmp_path / "other.toml").columns["job"].ceiling == ("worker", "animal")
    (tmp_path / "jobs.csv").write_text("\n".join(["job", *JOBS]) + "\n")
    file, out = str(tmp_path / "jobs.csv"), str(tmp_path / "out.csv")
    options = "--quasi job=wordnet --accept review --k 6 --represent truthful --ceiling job=none"
    done = call("mask", file, "-o", out, *options.split())
    assert done.returncode == 0, done.stderr
    assert Path(out).read_text().split() == ["job", *["organism"] * 6]
    done = call("mask", file, "-o", out, "--quasi", "job", "--ceiling", "x=none")
    assert done.returncode
    assert "there is no column x of words" in done.stderr
