"""Columns of sets under methods that mask row by row: in a run, record by record, saved, and in engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from shared import same_key

import allonym as al
from allonym.errors import PlanError, TableError

FOOD = ["milk", "bread", "butter", "cheese", "wine", "beer"]
METHODS = ("noise", "randomise-uniform", "randomise-frequency", "exponential")


def baskets(rows: int = 60) -> pd.DataFrame:
    """Return a table of sets as text; two cells are empty."""
    rng = np.random.default_rng(1)
    cells = ["; ".join(rng.choice(FOOD, rng.integers(1, 5), replace=False)) for _ in range(rows - 2)]
    return pd.DataFrame({"basket": [*cells, "", ""], "age": [str(20 + i % 40) for i in range(rows)]})


def plan_of(method: str, *, seed: int | None = 1, parameters: Any = None, **column: Any) -> al.Plan:
    """Return a plan for a column of sets."""
    if method == "exponential":
        column = {"candidates": FOOD} | column
    columns = {"basket": al.quasi("wordnet:food", kind="set", **column), "age": al.keep()}
    return al.Plan(columns, method=method, seed=seed, parameters=parameters or {})


def sets_of(cells: Any) -> list[set[str] | None]:
    """Return the items of cells, as text or lists."""
    return [
        None if x is None or x is pd.NA or x != x or isinstance(x, float)  # noqa: PLR0124 not a number
        else set(x.split(";") if isinstance(x, str) else x)
        for x in cells
    ]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_sets_are_masked_the_same_alone_in_batches_and_as_lists(method: str) -> None:
    frame = baskets()
    plan = plan_of(method, unmatched="suppress")
    with same_key():
        masked = sets_of(plan.run(frame).frame["basket"])
        fitted = plan.fit(frame)
        lists = frame.assign(basket=[x.split("; ") if x else None for x in frame["basket"]])
        as_lists = plan.run(lists).frame["basket"]
        of_lists = plan.fit(lists)
    assert [sets_of([fitted.mask_one(x)["basket"]])[0] for x in frame.to_dict("records")] == masked
    assert sets_of(fitted.mask(frame, start=0)["basket"]) == masked
    assert all(x is None or isinstance(x, list) for x in as_lists)
    assert sets_of(as_lists) == masked
    record = {"basket": ["milk", "wine"], "age": "20"}
    assert isinstance(of_lists.mask_one(record)["basket"], list)
    assert isinstance(of_lists.mask(pl.DataFrame([record]))["basket"].to_list()[0], list)
    sizes = [(len(now or ()), len(set(was.split("; ")))) for now, was in zip(masked, frame["basket"], strict=True)]
    assert all(now <= was for now, was in sizes)


@pytest.mark.parametrize("method", METHODS)
def test_a_saved_fit_of_sets_goes_on(method: str, tmp_path: Path) -> None:
    frame, path = baskets(), tmp_path / "fitted.json"
    plan = plan_of(method)
    with same_key():
        expected = sets_of(plan.run(frame).frame["basket"])
        plan.fit(frame).save(path, stream=True)
    assert sets_of(al.Fitted.load(path, resume=True).mask(frame)["basket"]) == expected
    assert al.Fitted.load(path).mask_one({"basket": "milk;cheese", "age": "20"})["basket"]


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("method", ["noise", "exponential"])
def test_engines_mask_sets(method: str, engine: str, tmp_path: Path) -> None:
    baskets().to_parquet(tmp_path / "in.parquet")
    plan = replace(plan_of(method), row_order="keep")
    with same_key():
        plan.run(tmp_path / "in.parquet", tmp_path / "memory.parquet")
        plan.run(tmp_path / "in.parquet", tmp_path / "out.parquet", engine=engine)
    memory, out = (pd.read_parquet(tmp_path / f"{x}.parquet")["basket"] for x in ("memory", "out"))
    assert sets_of(out) == sets_of(memory)


def test_items_without_a_concept_are_left_out_if_asked() -> None:
    frame = baskets().assign(basket=["milk; xyzzy", "xyzzy"] * 30)
    with pytest.raises(PlanError, match="not understood"):
        plan_of("noise").run(frame)
    with pytest.raises(PlanError, match="cannot replace words it does not know"):
        plan_of("noise", unmatched="opaque").run(frame)
    plan = plan_of("noise", unmatched="suppress")
    frame = frame.assign(basket=["milk; xyzzy", "bread; wine", "xyzzy"] * 20)
    done = plan.run(frame)
    assert [len(x or ()) for x in sets_of(done.frame["basket"][:3])] == [1, 2, 0]
    fitted = plan.fit(frame)
    assert len(fitted.mask_one({"basket": "cheese;qwertz", "age": "20"})["basket"].split(";")) == 1
    with pytest.raises(TableError, match="A word in column basket is not understood"):
        plan_of("noise").fit(baskets()).mask_one({"basket": "cheese;qwertz", "age": "20"})


def test_sets_of_categories_are_refused() -> None:
    columns = {"basket": al.quasi("set", elements="category"), "age": al.keep()}
    with pytest.raises(PlanError, match="masks sets of words, not of categories"):
        al.Plan(columns, method="noise").run(baskets())


def test_the_summary_tells_the_budget_of_a_cell() -> None:
    done = plan_of("exponential", seed=None, parameters={"epsilon": 2.0, "max_items": 3}).run(baskets())
    (entry,) = done.summary["privacy"]
    assert (entry["asked"], entry["items"], entry["sizes_hidden"]) == (6, 3, False)
    assert 0.999 * 6 <= entry["reached"] <= 6
    masked = sets_of(done.frame["basket"])
    assert all(x is not None and len(x) <= 3 for x in masked)  # a null, too, becomes a candidate
    assert set().union(*(x for x in masked if x)) <= set(FOOD)
    assert any("more than max_items = 3" in x for x in done.summary["cautions"])
    assert "whose number is not hidden" in " ".join(done.report.promises)


def test_hidden_sizes_are_told() -> None:
    parameters = {"epsilon": 0.1, "max_items": 3, "hide_sizes": True, "nulls": True}
    done = plan_of("exponential", seed=None, parameters=parameters, candidates=FOOD[:2]).run(baskets(600))
    assert done.summary["privacy"][0]["sizes_hidden"]
    assert "not hidden" not in " ".join(done.report.promises)
    sizes = {len(x or ()) for x in sets_of(done.frame["basket"])}
    assert sizes == {0, 1, 2}  # of two candidates, and null


def test_a_budget_is_shared_by_items() -> None:
    frame = baskets().assign(who=[f"p{i // 2}" for i in range(60)])
    plan = plan_of("exponential", seed=None, parameters={"budget": 12.0, "max_rows": 2, "max_items": 3, "key": "who"})
    plan = replace(plan, columns={**plan.columns, "who": al.unit()})
    value, person = plan.run(frame).summary["privacy"]
    assert (value["asked"], person["asked"]) == (6, 12)
    assert person["holds"]
    fitted = plan.fit(frame)
    for basket in ("milk;bread;wine", "milk;bread", "butter;cheese;beer"):  # six different items
        fitted.mask_one({"basket": basket, "age": "20", "who": "p0"})
    with pytest.raises(TableError, match="is spent"):
        fitted.mask_one({"basket": "", "age": "20", "who": "p0"})
    with pytest.raises(TableError, match="is spent"):
        fitted.mask(pd.DataFrame({"basket": ["; ".join(FOOD)] * 3, "age": "20", "who": "p1"}))  # three times three


def test_attackers_know_the_mechanism_of_sets() -> None:
    done = plan_of("exponential", parameters={"epsilon": 30.0}).run(baskets())
    far = plan_of("exponential", parameters={"epsilon": 0.1}).run(baskets())
    assert done.summary["risk"]["highest"]["value"] > 2 * far.summary["risk"]["highest"]["value"]
