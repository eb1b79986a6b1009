"""The benchmarks can be started: every module imports, and code that is stored as text runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import adult
import many_rows
import mask_adult
import pytest
from paths import ROOT
from shared import needs

BENCHMARKS = ROOT / "benchmarks"


def test_every_benchmark_imports() -> None:
    names = [file.stem for file in sorted(BENCHMARKS.glob("*.py")) if not file.stem.startswith("peer_")]
    program = f"import sys; sys.path.insert(0, sys.argv[1]); import {', '.join(names)}"
    run = subprocess.run([sys.executable, "-c", program, str(BENCHMARKS)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@needs(adult.FILE)
def test_the_masking_step_of_adult_runs(tmp_path: Path) -> None:
    adult.write(tmp_path / "adult.csv")
    assert float(mask_adult.last_line(mask_adult.MASKING_STEP, str(BENCHMARKS), str(tmp_path / "adult.csv"))) > 0


@needs(adult.FILE)
def test_the_stages_of_a_run_are_found_in_its_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_rows, "PROFILED", 1)
    adult.write(tmp_path / "adult.csv")
    table = many_rows.stages(tmp_path / "adult.csv", tmp_path / "masked.csv")
    assert all(stage in table for stage in many_rows.STAGES)
