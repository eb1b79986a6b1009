"""An attacker looks for people whom few columns of a release single out: there are none in masked columns."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from shared import DATA, needs

import allonym as al
from allonym.measures.uniques import unique_combinations
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod, KAnonymityMethod
from allonym.pipeline.demo import survey
from attacks.judging import judge

K = 5
COLUMNS = ["reason", "activity", "origin", "age"]
QUASI = {
    "reason": al.quasi("wordnet", accept_review=True),
    "activity": al.quasi("wordnet", accept_review=True),
    "origin": al.quasi("wordnet:country.n.02", accept_review=True),
    "age": al.quasi("numeric"),
}
GROUPING = [name for name, method in METHODS.items() if issubclass(method, KAnonymityMethod)]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pd.read_csv(io.StringIO(survey()))


def uniques_of(frame: pd.DataFrame, columns: list[str]) -> Any:
    codes = [pd.factorize(frame[x], use_na_sentinel=False)[0].astype(np.int64) for x in columns]
    return unique_combinations(columns, codes)


def test_the_survey_itself_has_unique_people(people: pd.DataFrame) -> None:
    assert uniques_of(people, COLUMNS).unique > 500


@pytest.mark.parametrize("name", GROUPING)
def test_no_combination_of_masked_columns_is_unique(name: str, people: pd.DataFrame) -> None:
    check_release(name, people, QUASI)


@pytest.mark.slow_attack
@needs(DATA / "adult" / "adult.data")
@pytest.mark.parametrize("name", GROUPING)
def test_no_combination_of_masked_columns_of_adult_is_unique(name: str) -> None:
    adult = pd.read_csv(DATA / "adult" / "adult.data", header=None, skipinitialspace=True)
    columns = {0: "age", 3: "education", 5: "status", 6: "occupation", 9: "sex", 13: "country"}
    adult = adult[list(columns)].rename(columns=columns)[:5000]
    quasi = {x: al.quasi("numeric" if x == "age" else "category") for x in adult.columns}
    assert uniques_of(adult, list(quasi)).unique > 1000
    check_release(name, adult, quasi)


def check_release(name: str, table: pd.DataFrame, quasi: dict[str, al.Column]) -> None:
    """Mask a table by a method, and look for people who are unique."""
    method = METHODS[name]
    columns = [x for x, column in quasi.items() if (column.kind or "text") in method.info.kinds]
    columns = columns[:1] if issubclass(method, ColumnwiseMethod) else columns
    if not columns:
        pytest.skip(f"{name} masks none of the columns")
    plan = al.Plan({x: quasi[x] for x in columns}, method=name, k=K, seed=1)
    masked = plan.run(table[columns]).frame
    judge(
        "minimal unique combinations",
        f"{name}, {len(table):,} records",
        len(uniques_of(masked, columns).counts),
        0,
    )
    assert masked.groupby(columns, dropna=False).size().min() >= K


@pytest.fixture(scope="module")
def births() -> pd.DataFrame:
    """Return people with a time of birth and a postcode, of which nearly all are unique."""
    rng = np.random.default_rng(7)
    minutes = pd.Timestamp("1930-01-01") + pd.to_timedelta(rng.integers(0, 80 * 365 * 24 * 60, 240), unit="min")
    towns = rng.choice(["0213", "9810", "9805", "1000", "6060"], 240)
    zips = [f"{town}{digit}" for town, digit in zip(towns, rng.integers(0, 10, 240), strict=True)]
    return pd.DataFrame({"born": minutes.strftime("%Y-%m-%d %H:%M:%S"), "zip": zips})


@pytest.mark.parametrize("represent", ["centroid", "truthful", "subsumer", "member"])
@pytest.mark.parametrize("name", ["sa-mdav", "mdav", "generalise"])
def test_nobody_is_found_by_the_date_of_birth(name: str, represent: str, births: pd.DataFrame) -> None:
    """The attacker knows birth dates and postcodes to the last digit, and looks for them in the release."""
    if name == "generalise" and represent != "truthful":
        pytest.skip("it writes what is true")
    parameters = {} if name == "generalise" else {"represent": represent}
    plan = al.Plan({"born": al.quasi("date"), "zip": al.quasi("code")}, method=name, k=K, seed=1, parameters=parameters)
    released = plan.run(births).frame
    check_release(name, births, {"born": al.quasi("date"), "zip": al.quasi("code")})
    assert not set(released["born"]) & set(births["born"])
    assert not set(released["born"]) & set(births["born"].str[:10])
    assert not released["born"].astype(str).str.contains(":").any()
    held = births["zip"].value_counts()
    assert all(held[x] >= K for x in set(released["zip"].dropna()) & set(held.index))
    assert released.value_counts(dropna=False).min() >= K
