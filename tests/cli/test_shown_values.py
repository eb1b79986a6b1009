"""Messages about cells name the cells, unless values are hidden."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.commands import call

CASES = {
    "number": (["--quasi", "age=numeric"], "age", "forty"),
    "level": (["--quasi", "size=ordinal:levels.txt"], "size", "XXL"),
    "weight": (["--quasi", "age=category", "--weight", "w"], "w", "-7"),
    "unmatched": (["--quasi", "job=wordnet:person"], "job", "zorbist"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    frame = pd.DataFrame(
        {
            "id": range(6),
            "age": ["20", "forty", "21", "30", "31", "32"],
            "size": ["S", "M", "L", "XXL", "S", "M"],
            "w": ["1", "2", "-7", "1", "1", "1"],
            "job": ["cook", "zorbist", "cook", "baker", "cook", "cook"],
        }
    )
    frame.to_csv(tmp_path / "in.csv", index=False)
    frame.assign(id=[0, 1, 1, 3, 4, 5]).to_csv(tmp_path / "twice.csv", index=False)
    frame.assign(id=[0, 1, 777, 3, 4, 5]).to_csv(tmp_path / "other.csv", index=False)
    (tmp_path / "levels.txt").write_text("S\nM\nL\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_problems_name_the_cells(case: str, folder: Path) -> None:
    options, column, value = CASES[case]
    options = [*options, "--keep-rest", "--k", "2", "--keep", "id"]
    shown = [call("mask", "in.csv", "-o", "out.csv", *options).stderr, call("check", "in.csv", *options).stdout]
    hidden = [
        call("mask", "in.csv", "-o", "out.csv", *options, "--hide-values").stderr,
        call("check", "in.csv", *options, "--hide-values").stdout,
    ]
    for text in shown:
        assert column in text
        assert value in text
    assert not any(value in text for text in hidden)


@pytest.mark.parametrize(("masked", "value"), [("twice.csv", "1"), ("other.csv", "777")])
def test_keys_that_do_not_pair_are_named(masked: str, value: str, folder: Path) -> None:
    options = ["evaluate", "in.csv", masked, "--key", "id", "--quasi", "size=category", "--keep-rest", "--keep", "id"]
    done = call(*options)
    assert done.returncode == 2
    assert f"Values: {value}\n" in done.stderr
    assert "Values" not in call(*options, "--hide-values").stderr
