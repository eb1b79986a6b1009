"""What is written for groups of sets, by every method that leaves it to the column: nobody's set, whatever the rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import both_kernels
import numpy as np
import pandas as pd
import pytest
from both_kernels import needs_compiled
from shared import same_key

import allonym as al

METHODS = ("sa-mdav", "sa-mdav-static", "s-mdav")
GOODS = ("bread", "milk", "beer", "wine", "tea", "coffee", "apple", "pear", "cheese", "butter", "xyzzy", "plugh")
K = 3
methods = pytest.mark.parametrize("method", METHODS)
elements = pytest.mark.parametrize("elements", ["text", "category"])


def table(seed: int, rows: int = 60) -> pd.DataFrame:
    """Return rows of persons, some with two, each with a set of goods and an age."""
    rng = np.random.default_rng(seed)
    sets = [sorted(rng.choice(GOODS, rng.integers(0, 5), replace=False).tolist()) for _ in range(rows)]
    persons = [f"p{i}" for i in rng.integers(0, rows * 3 // 4, rows)]
    return pd.DataFrame({"who": persons, "items": sets, "age": rng.integers(20, 40, rows)})


def masked(frame: pd.DataFrame, method: str, elements: str, **parameters: Any) -> pd.DataFrame:
    """Mask the sets and the ages of persons."""
    items = {"ontology": ("wordnet",), "accept_review": True, "unmatched": "opaque"} if elements == "text" else {}
    columns = {
        "who": al.unit(),
        "items": al.quasi(kind="set", elements=elements, **items),
        "age": al.quasi("numeric"),
    }
    return al.Plan(columns, method=method, k=K, seed=1, parameters=parameters).run(frame).frame


@methods
@elements
@pytest.mark.parametrize("seed", [0, 1])
def test_no_set_is_that_of_fewer_than_k_persons(method: str, elements: str, seed: int) -> None:
    frame = table(seed)
    released = masked(frame, method, elements)
    holders = defaultdict(set)
    for person, items in zip(frame["who"], frame["items"], strict=True):
        holders[frozenset(items)].add(person)
        for item in items:
            holders[item].add(person)
    written = Counter(frozenset(x) for x in released["items"] if x is not None)
    assert all(not x or not 0 < len(holders[x]) < K for x in written)
    assert all(len(holders[item]) >= K or item not in GOODS for x in written for item in x)
    assert min(Counter((str(a), b) for a, b in zip(released["items"], released["age"], strict=True)).values()) >= K


@methods
@elements
def test_the_order_of_rows_and_of_items_changes_nothing(method: str, elements: str) -> None:
    frame = table(2)
    order = np.random.default_rng(3).permutation(len(frame))
    other = frame.iloc[order].reset_index(drop=True)
    other["items"] = [x[::-1] for x in other["items"]]
    one, two = masked(frame, method, elements), masked(other, method, elements)
    assert Counter(map(str, one["items"])) == Counter(map(str, two["items"]))


@methods
def test_renaming_categories_in_order_changes_nothing(method: str) -> None:
    frame = table(4)
    renamed = frame.assign(items=[[f"x {item}" for item in x] for x in frame["items"]])
    with same_key():
        one, other = masked(frame, method, "category"), masked(renamed, method, "category")
    written = Counter(tuple(f"x {item}" for item in x) for x in one["items"] if x is not None)
    assert written == Counter(tuple(x) for x in other["items"] if x is not None)


@needs_compiled
@methods
@elements
def test_both_kernels_write_the_same(method: str, elements: str) -> None:
    frame = table(5)
    releases = []
    for name in ("numpy", "compiled"):
        with both_kernels.use(name):
            releases.append(masked(frame, method, elements)["items"].map(str).tolist())
    assert releases[0] == releases[1]
