"""Spellings of a word that no ontology has are one value."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import allonym as al
from allonym.cells import plain_spelling

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
FULL = ["Full-time"] * 3 + ["full time"] * 2 + ["FULL TIME "] + ["full_time."]
COLUMNS = {"category": al.quasi("category"), "text": al.quasi(JOBS, unmatched="opaque")}


@pytest.mark.parametrize("kind", COLUMNS)
def test_spellings_count_together_and_the_most_frequent_is_written(kind: str) -> None:
    words = "zeit" if kind == "text" else "time"
    frame = pd.DataFrame(
        {"job": [x.replace("time", words).replace("TIME", words.upper()) for x in FULL] + ["part"] * 7}
    )
    release = al.Plan({"job": COLUMNS[kind]}, k=3).run(frame)
    assert release.frame["job"].tolist() == [f"Full-{words}"] * 7 + ["part"] * 7
    counts = release.changes.columns["job"].counts
    assert (counts.meaning_changed, counts.spelling_only, counts.set_to_null) == (0, 4, 0)
    assert release.summary["measures"]["information_loss"]["value"] == 0.0
    assert release.summary["measures"]["total_variation"]["value"] == 0.0


def test_a_spelling_that_few_hold_is_not_written() -> None:
    """Seven hold the value, but no spelling has k holders: it cannot be written."""
    frame = pd.DataFrame({"job": [*FULL, *["part"] * 7], "sex": ["f"] * 14})
    release = al.Plan({"job": COLUMNS["category"], "sex": al.quasi("category")}, k=4).run(frame)
    assert release.frame["job"].isna().sum() == 7
    assert release.summary["nulls"]["by_reason"] == {"rare": 7}


def test_another_tool_may_write_another_spelling() -> None:
    frame = pd.DataFrame({"job": [*FULL, *["part"] * 7]})
    plan = al.Plan({"job": COLUMNS["category"]}, k=3)
    counts = plan.evaluate(frame, pd.DataFrame({"job": ["FULL-TIME"] * 7 + ["Part"] * 7})).changes.counts
    assert (counts.meaning_changed, counts.spelling_only) == (0, 14)


def test_signs_and_numbers_are_no_spellings() -> None:
    texts = ["A", "A-", "A+", "1", "01", "1.0", "1-2", "12", "-1", "C#", "?"]
    assert len({plain_spelling(x) for x in texts}) == len(texts)
    assert plain_spelling("Ｃａｆé") == plain_spelling("café")
