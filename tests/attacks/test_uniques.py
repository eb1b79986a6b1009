"""An attacker looks for people whom few columns of a release single out: there are none in masked columns."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

import allonym as al
from allonym.measures.uniques import unique_combinations
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod
from allonym.methods.record_level import RecordLevelMethod
from allonym.pipeline.demo import survey

K = 5
COLUMNS = ["reason", "activity", "origin", "age"]
QUASI = {
    "reason": al.quasi("wordnet", accept_review=True),
    "activity": al.quasi("wordnet", accept_review=True),
    "origin": al.quasi("wordnet:country.n.02", accept_review=True),
    "age": al.quasi("numeric"),
}
GROUPING = [name for name, method in METHODS.items() if not issubclass(method, RecordLevelMethod)]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pd.read_csv(io.StringIO(survey()))


def uniques_of(frame: pd.DataFrame, columns: list[str]) -> Any:
    codes = [np.unique(frame[x].astype(str), return_inverse=True)[1].astype(np.int64) for x in columns]
    return unique_combinations(columns, codes)


def test_the_survey_itself_has_unique_people(people: pd.DataFrame) -> None:
    assert uniques_of(people, COLUMNS).unique > 500


@pytest.mark.parametrize("name", GROUPING)
def test_no_combination_of_masked_columns_is_unique(name: str, people: pd.DataFrame) -> None:
    columns = COLUMNS[:1] if issubclass(METHODS[name], ColumnwiseMethod) else COLUMNS
    kinds = METHODS[name].info.kinds
    columns = [x for x in columns if (QUASI[x].kind or "text") in kinds]
    plan = al.Plan({x: QUASI[x] for x in columns}, method=name, k=K, seed=1, keep_rest=True)
    masked = plan.run(people).frame
    assert uniques_of(masked, columns).counts == {}
    assert masked.groupby(columns, dropna=False).size().min() >= K
