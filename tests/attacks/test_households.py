"""Attacks from inside a household: somebody who knows everybody at home must still face k - 1 others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.commands import call

import allonym as al
from allonym.errors import PlanError, ReleaseError
from allonym.release.recount import Promise, recount

K = 4
CASES = (("sa-mdav", 1), ("sa-mdav", 3), ("s-mdav", 2), ("mdav", 1), ("fusion", 1), ("generalise", 2))  # and rows each


def homes(seed: int = 0, visits: int = 1) -> pd.DataFrame:
    """Return a table in which members of a household resemble each other, some of them with several rows."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for household in range(24):
        job, age = rng.choice(["cook", "nurse", "plumber", "teacher", "farmer", "pilot"]), int(rng.integers(20, 60))
        for member in range(int(rng.integers(1, K + 3))):
            who = {"who": f"p{household}.{member}", "home": f"h{household}", "job": job, "age": age + member}
            rows += [who | {"illness": f"i{rng.integers(5)}"} for _ in range(int(rng.integers(1, visits + 1)))]
    return pd.DataFrame(rows)


def plan(method: str = "sa-mdav", *, household: bool, unit: bool = True, **options: Any) -> al.Plan:
    columns = {"job": al.quasi("category"), "illness": al.sensitive()}
    columns["age"] = al.quasi("category" if method == "generalise" else "numeric")
    columns["who"] = al.unit() if unit else al.identifier()
    columns["home"] = al.household() if household else al.identifier()
    return al.Plan(columns, method=method, k=K, seed=3, **options)


def exposed(frame: pd.DataFrame, release: Any, k: int = K) -> int:
    """Return how many persons an intruder at home, or next door, finds among fewer than k - 1 others.

    Somebody knows which rows are about the own household, takes them out of every class, and looks at who is left: the
    others of a class are fewer than k - 1. If nobody is left, a neighbour who finds the class has found the household.
    """
    classes = pd.DataFrame(release).groupby(["job", "age"], dropna=False).ngroup().to_numpy()
    found: set[str] = set()
    for _, rows in frame.groupby(classes):
        for home, own in rows.groupby("home"):
            others = rows[rows["home"] != home]
            if others["who"].nunique() < k - 1:
                found |= set(others["who"]) or set(own["who"])
    return len(found)


@pytest.mark.parametrize(("method", "visits"), CASES)
def test_persons_alone_let_a_household_reveal_others_households_do_not(method: str, visits: int) -> None:
    frame = homes(visits=visits)
    assert exposed(frame, plan(method, household=False).run(frame).frame) > 0
    release = plan(method, household=True).run(frame)
    assert exposed(frame, release.frame) == 0
    assert "home" not in release.frame
    assert "who" not in release.frame
    assert release.summary["units"] == frame["who"].nunique()
    assert release.summary["households"] == frame["home"].nunique()
    assert release.summary["privacy"][0]["reached"] >= K


def test_without_a_unit_each_row_is_a_person() -> None:
    frame = homes()
    release = plan(household=True, unit=False).run(frame)
    assert exposed(frame, release.frame) == 0
    assert release.summary["units"] is None
    assert release.summary["households"] == frame["home"].nunique()


def test_a_household_of_k_members_is_no_group() -> None:
    frame = pd.DataFrame({"home": ["a"] * K + list("bcdefgh"), "job": ["cook"] * K + ["nurse"] * 7, "age": 30})
    columns = {"home": al.household(), "job": al.quasi("category"), "age": al.quasi("numeric")}
    release = al.Plan(columns, k=K, seed=1).run(frame)
    assert release.frame["job"].nunique(dropna=False) == 1  # the cooks are one household
    with pytest.raises(PlanError, match="k is 9, but the table has only 8 households"):
        al.Plan(columns, k=9).run(frame)


def test_who_lives_in_two_households_joins_them() -> None:
    frame = pd.DataFrame(
        {
            "who": ["x", "x", "a", "b", "c", "d", "e", "f", "g"],
            "home": ["1", "2", "1", "2", "3", "4", "5", "6", "7"],
            "job": ["cook"] * 4 + ["nurse"] * 5,
        }
    )
    columns = {"who": al.unit(), "home": al.household(), "job": al.quasi("category")}
    release = al.Plan(columns, k=3, seed=1).run(frame)
    # the cooks are three persons of two households that know each other
    assert release.frame["job"].nunique(dropna=False) == 1
    assert release.summary["households"] == 7


def test_a_word_of_one_household_is_not_written() -> None:
    frame = pd.DataFrame({"home": ["a"] * K + [f"h{i}" for i in range(20)], "job": ["zorbist"] * K + ["cook"] * 20})
    columns = {"home": al.household(), "job": al.quasi("wordnet:person", unmatched="opaque")}
    assert "zorbist" not in set(al.Plan(columns, k=K, seed=1).run(frame).frame["job"])


def test_a_value_of_one_household_is_no_diversity() -> None:
    frame = homes(visits=2)
    asked = plan(household=True, privacy=[al.Privacy("recursive-l-diversity", "illness", l=2, c=2)])
    release = asked.run(frame)
    found = asked.evaluate(frame, release.frame).summary
    assert found["households"] == release.summary["households"]
    for name, reached in ((x["model"], x["reached"]) for x in release.summary["privacy"]):
        assert [x["reached"] for x in found["privacy"] if x["model"] == name] == [reached]


@pytest.mark.parametrize("make", [pl.DataFrame.lazy, pl.DataFrame])
def test_an_engine_counts_households(make: Any) -> None:
    frame = homes(visits=2)
    release = plan(household=True).run(make(pl.from_pandas(frame)))
    lazy = release.frame
    masked = (lazy.collect() if isinstance(lazy, pl.LazyFrame) else lazy).to_pandas()
    assert exposed(frame, masked) == 0
    assert release.summary["households"] == frame["home"].nunique()


def test_the_recount_counts_persons_and_households_by_themselves() -> None:
    frame = pl.DataFrame({"job": ["cook"] * 4}).to_arrow()

    def reached(persons: list[int] | None, households: list[int]) -> int:
        who = None if persons is None else np.array(persons)
        promise = Promise(["job"], 3, 4, ["job"], persons=who, households=np.array(households))
        return recount(frame, ["job"], promise).k[0]

    assert reached([0, 1, 2, 3], [0, 1, 2, 3]) == 4
    assert reached([0, 1, 2, 3], [0, 1, 2, 2]) == 3
    assert reached(None, [0, 1, 2, 2]) == 3
    with pytest.raises(ReleaseError, match="a group of the release has only 2 households"):
        reached([0, 1, 2, 3], [0, 0, 1, 1])
    with pytest.raises(ReleaseError, match="a group of the release has only 2 persons"):
        reached([0, 0, 1, 1], [0, 1, 2, 3])


def test_the_command_line_takes_a_household(tmp_path: Path) -> None:
    frame = homes()
    frame.drop(columns="who").to_csv(tmp_path / "in.csv", index=False)
    options = ["--quasi", "job=category", "--quasi", "age=numeric", "--sensitive", "illness", "--household", "home"]
    output = tmp_path / "out.csv"
    result = call("mask", str(tmp_path / "in.csv"), "-o", str(output), "--row-order", "keep", "--k", str(K), *options)
    assert result.returncode == 0, result.stderr
    assert f"of {frame['home'].nunique()} households" in result.stdout
    masked = pd.read_csv(output)
    assert list(masked) == ["job", "age", "illness"]
    assert exposed(frame, masked) == 0


def test_every_row_needs_its_household() -> None:
    frame = homes()
    frame.loc[3, "home"] = None
    with pytest.raises(PlanError, match="1 row has an empty value in the household column"):
        plan(household=True).run(frame)
    with pytest.raises(PlanError, match="2 columns have the role household"):
        al.Plan({"a": al.household(), "b": al.household(), "c": al.quasi("numeric")})
