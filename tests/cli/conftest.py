"""A folder with tables, in which commands are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from allonym.pipeline.demo import survey


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "survey.csv").write_text(survey())
    (tmp_path / "jobs.csv").write_text(
        "name,job,age,income\n" + "".join(f"p{i},{'nurse' if i % 3 else 'cook'},{20 + i % 4},{i}\n" for i in range(24))
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path
