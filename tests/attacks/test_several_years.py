"""Several years of one person: who knows one year, and so its error, learns nothing about the errors of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import allonym as al
from allonym.kinds.domain import Domain
from allonym.methods.draws import Words
from attacks.judging import judge

PEOPLE = 400
SHARED = 0.2  # the largest correlation of errors that passes: 4 standard deviations of chance for 400 people
JOBS = (["cook", "plumber"], ["dentist", "welder"])  # of the two years


def years() -> pd.DataFrame:
    """Return two rows of each person, with another value each year; the rows are numbered."""
    rng = np.random.default_rng(5)
    people = [f"p{i:03}" for i in range(PEOPLE)]
    frames = []
    for year, jobs in enumerate(JOBS):
        pay = rng.permutation(PEOPLE) + 1000.0 + 0.25 * year  # no value occurs in both years
        chosen = [jobs[i] for i in rng.integers(2, size=PEOPLE)]
        frames.append(pd.DataFrame({"person": people, "job": chosen, "pay": pay}))
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(row=[f"r{i:03}" for i in range(len(frame))])


def plan(distribution: str = "normal") -> al.Plan:
    columns = {"job": al.quasi("wordnet:person"), "pay": al.quasi("numeric"), "person": al.keep(), "row": al.keep()}
    parameters = {"key": "person", "distribution": distribution}
    return al.Plan(columns, method="noise", parameters=parameters)


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.table({x: pa.array(frame[x].tolist()) for x in frame})


WAYS: dict[str, Callable[[al.Plan, pd.DataFrame], pd.DataFrame]] = {
    "a run": lambda plan, frame: plan.run(frame).frame,
    "a batch": lambda plan, frame: plan.fit(frame).mask(frame),
    "single records": lambda plan, frame: pd.DataFrame(map(plan.fit(frame).mask_one, frame.to_dict("records"))),
    "a stream": lambda plan, frame: pd.DataFrame(plan.fit(frame).stream(frame.to_dict("records"))),
    "polars": lambda plan, frame: plan.run(pl.from_arrow(arrow(frame)).lazy()).frame.collect().to_pandas(),
    "DuckDB": lambda plan, frame: plan.run(duckdb.from_arrow(arrow(frame))).frame.to_arrow_table().to_pandas(),
}


def moved(before: pd.Series, after: pd.Series) -> np.ndarray:
    """Return the errors of numbers; of words, how far they moved compared with others."""
    if pd.api.types.is_numeric_dtype(before):
        return (after.astype(float) - before).to_numpy()
    scope = al.wordnet(root="person")
    domain = Domain(scope)

    def concept(word: str) -> int:
        return next(c for c in scope.taxonomy.senses(word) if domain.places(np.array(c)) >= 0)

    far = pd.Series(domain.between(*(np.array([concept(x) for x in texts]) for texts in (before, after))))
    return far.groupby(before).rank(pct=True).to_numpy()  # among all who had the word


def correlations(frame: pd.DataFrame, masked: pd.DataFrame) -> dict[str, float]:
    """Return the correlation of the errors of the two years, for words and numbers."""
    masked = masked.sort_values("row").reset_index(drop=True)
    found = {}
    for name in ("job", "pay"):
        errors = moved(frame[name], masked[name])
        found[name] = abs(float(np.corrcoef(errors[:PEOPLE], errors[PEOPLE:])[0, 1]))
    return found


@pytest.mark.parametrize("distribution", ["normal", "laplace"])
@pytest.mark.parametrize("way", WAYS)
def test_a_known_year_does_not_reveal_the_other(way: str, distribution: str) -> None:
    frame = years()
    found = correlations(frame, WAYS[way](plan(distribution), frame))
    for name, correlation in found.items():
        judge("correlation of the errors of two years", f"{name}, {way}, {distribution}", correlation, SHARED)


def test_the_attack_works_where_draws_go_by_the_person_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from allonym.methods import draws

    honest = draws.words

    def by_person(seed: int | None, attribute: str, keys: Any, values: Any) -> Words:
        return honest(seed, attribute, keys, np.zeros_like(values))

    monkeypatch.setattr(draws, "words", by_person)
    frame = years()
    found = correlations(frame, replace(plan(), seed=1).run(frame).frame)
    assert found["pay"] > 0.99
    assert found["job"] > 1.5 * SHARED


def test_the_same_value_of_a_person_has_the_same_answer_in_all_rows() -> None:
    """Answers that repeat cannot be averaged."""
    frame = years()
    again = pd.concat([frame, frame], ignore_index=True).assign(row=[f"r{i:04}" for i in range(2 * len(frame))])
    for way in ("a run", "single records"):
        masked = WAYS[way](plan(), again)[["job", "pay"]].to_numpy().tolist()
        assert masked[: len(frame)] == masked[len(frame) :]
