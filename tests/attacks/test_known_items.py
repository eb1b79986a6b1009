"""An attacker who knows some items of a person's set: what is written for a group is nobody's set by default."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from shared import DATA, needs

import allonym as al

GROCERIES = DATA / "setvalued" / "groceries.csv"
K = 5


def baskets(number: int = 400) -> list[list[str]]:
    """Return made-up baskets: some items are bought together."""
    rng = np.random.default_rng(5)
    goods = [f"item {i}" for i in range(40)]
    frequency = 1 / np.arange(2, 42)
    return [
        sorted(rng.choice(goods, rng.integers(2, 8), replace=False, p=frequency / frequency.sum()).tolist())
        for _ in range(number)
    ]


def released(rows: list[list[str]], represent: str, column: Any = None, **parameters: Any) -> al.Release:
    """Mask sets with a representative."""
    column = column or {"kind": "set", "elements": "category"}
    plan = al.Plan(
        {"items": al.quasi(**column, represent=represent)}, method="sa-mdav", k=K, seed=1, parameters=parameters
    )
    return plan.run(pd.DataFrame({"items": rows}))


def somebodys(rows: list[list[str]], release: al.Release) -> float:
    """Return the share of released sets, as text, that are the whole set of one to four persons."""
    held = Counter(frozenset(x) for x in rows)
    sets = [frozenset(x) for x in release.frame["items"] if x is not None]
    return sum(0 < held[x] < K for x in sets) / len(sets)


def test_no_released_set_is_somebodys_by_default() -> None:
    rows = baskets()
    default, medoid = released(rows, "consensus"), released(rows, "medoid")
    assert somebodys(rows, default) == 0 == default.summary["measures"]["verbatim_sets"]["value"]
    assert somebodys(rows, medoid) > 0.5
    assert medoid.summary["measures"]["verbatim_sets"]["value"] == pytest.approx(100 * somebodys(rows, medoid))
    assert default.summary["measures"]["rare_items"]["value"] == 0


def test_a_longer_search_writes_nobodys_sets_too() -> None:
    rows = baskets(150)
    assert somebodys(rows, released(rows, "consensus", suppress=0.05)) == 0


def test_who_knows_items_reads_less_of_the_others() -> None:
    rows = baskets()
    default, medoid = (released(rows, x).summary["measures"] for x in ("consensus", "medoid"))
    assert default["whole_sets_read"]["value"] < medoid["whole_sets_read"]["value"]
    assert default["read_by_3_items"]["value"] < medoid["read_by_3_items"]["value"]


@needs(GROCERIES)
def test_groceries_are_read_less_and_lose_less() -> None:
    rows = [line.split(",") for line in GROCERIES.read_text().splitlines()[:1500]]
    wordnet = {"ontology": ("wordnet",), "kind": "set", "accept_review": True, "unmatched": "opaque"}
    default, medoid = (released(rows, x, wordnet) for x in ("consensus", "medoid"))
    assert somebodys(rows, default) == 0
    measures, before = default.summary["measures"], medoid.summary["measures"]
    assert measures["verbatim_sets"]["value"] == 0 < before["verbatim_sets"]["value"]
    assert measures["whole_sets_read"]["value"] <= before["whole_sets_read"]["value"]
    assert measures["read_by_3_items"]["value"] < before["read_by_3_items"]["value"]
    assert measures["information_loss"]["value"] < before["information_loss"]["value"]
