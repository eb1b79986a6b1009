"""Numbers as a statistics office publishes them: rounded, in classes, top and bottom coded; means, medians, ranges."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import call
from hypothesis import given
from hypothesis import strategies as st

import allonym as al
from allonym.errors import PlanError
from allonym.kinds.numbers import number_label, number_or_range
from allonym.kinds.ranges.coding import NumberCoding, automatic_limits, rounded
from allonym.kinds.ranges.numeric_metric import NumericMetric

AGES = [int(x) for x in np.random.default_rng(1).integers(0, 95, 400)]
INCOMES = [int(x) for x in np.random.default_rng(2).lognormal(10, 0.9, 400)]


def released(options: dict[str, Any], numbers: list[Any], represent: str = "centroid", **plan: Any) -> pd.Series:
    frame = pd.DataFrame({"x": numbers})
    settings = {"method": "mdav", "k": 5, "seed": 1, "parameters": {"represent": represent}} | plan
    chosen = al.Plan({"x": al.quasi("numeric", **options)}, **settings)
    return chosen.run(frame).frame["x"]


@given(st.floats(-1e6, 1e6), st.sampled_from([5.0, 0.1, 2.5, 1000.0]))
def test_a_number_is_rounded_to_the_nearest_multiple(number: float, step: float) -> None:
    multiple = rounded(number, step)
    assert abs(multiple - number) <= step / 2 * (1 + 1e-9) + 1e-9
    assert round(multiple / step) * step == pytest.approx(multiple)


def test_round_writes_multiples_as_whole_numbers() -> None:
    written = released({"round": 5}, AGES)
    assert written.dtype == "int64"
    assert (written % 5 == 0).mean() > 0.95
    assert (np.abs(written - np.array(AGES)) <= 10).mean() > 0.9


def test_a_rounded_number_is_not_written_in_the_spelling_of_another() -> None:
    written = released({"round": 10}, [23] * 50 + [20] * 2)
    assert set(written) == {20}


@pytest.mark.parametrize("represent", ["centroid", "truthful"])
def test_classes_are_written_as_such(represent: str) -> None:
    limits = [0, 18, 30, 45, 65]
    written = released({"ranges": limits}, AGES, represent, method="sa-mdav")
    labels = ["0 to 17", "18 to 29", "30 to 44", "45 to 64", "65 or more"]
    assert set(written) == set(labels)
    place = np.searchsorted(limits, AGES, side="right") - 1
    assert [labels[i] for i in place] == written.tolist()  # all classes have k persons


def test_numbers_below_the_first_class_are_an_open_class() -> None:
    whole = {"method": "sa-mdav"}
    assert set(released({"ranges": [18, 65]}, AGES, **whole)) == {"under 18", "18 to 64", "65 or more"}
    written = released({"ranges": [18, 65]}, [x + 0.25 for x in AGES], **whole)
    assert set(written) == {"under 18.00", "18.00 to 64.99", "65.00 or more"}


def test_classes_of_few_are_joined() -> None:
    written = released({"ranges": [0, 20, 40, 60]}, [*[10] * 9, *[30] * 2, *[50] * 9, *[70] * 3], "truthful")
    assert set(written) == {"0 to 39", "40 or more"} or all("to" in x or "more" in x for x in written)
    assert min(Counter(written).values()) >= 5


def test_automatic_classes_do_not_depend_on_rare_numbers() -> None:
    assert automatic_limits(Counter(AGES), 0) == (0.0, 20.0, 40.0, 60.0, 80.0)
    assert automatic_limits(Counter([*AGES, 10**6]), 0) == (0.0, 20.0, 40.0, 60.0, 80.0)
    assert set(released({"ranges": "auto"}, AGES)) == {"0 to 19", "20 to 39", "40 to 59", "60 to 79", "80 or more"}
    assert set(released({"ranges": "auto"}, [7] * 9)) == {7}


def test_top_and_bottom_coding_keep_the_type_of_means() -> None:
    written = released({"top": 50_000, "bottom": 10_000}, INCOMES)
    assert written.dtype == "int64"
    assert written.max() == 50_000
    assert written.min() == 10_000


def test_top_and_bottom_are_open_ranges_where_values_are_true() -> None:
    written = released({"top": 50_000, "bottom": 10_000}, INCOMES, "truthful")
    assert {"50000 or more", "under 10000"} <= set(written)
    for number, text in zip(INCOMES, written, strict=True):
        value = number_or_range(text, [float(min(INCOMES)), float(max(INCOMES))])
        low, high = value if isinstance(value, tuple) else (value, value)
        assert low <= number <= high


def test_a_column_says_what_stands_for_a_group() -> None:
    exact = {"p_percent": 0, "dominance_k": 100}
    frame = pd.DataFrame({"a": AGES, "b": AGES, "c": AGES, "d": AGES})
    columns = {
        x: al.quasi("numeric", represent=r, **exact) for x, r in zip("abc", ("mean", "median", "range"), strict=True)
    }
    plan = al.Plan({**columns, "d": al.quasi("numeric", **exact)}, method="mdav", k=5, seed=1)
    now = plan.run(frame).frame
    groups = now.groupby(["a", "b", "c", "d"])
    for _, rows in groups:
        own = [AGES[i] for i in rows.index]
        assert rows["a"].iloc[0] == rows["d"].iloc[0] == round(sum(own) / len(own))
        assert (
            rows["b"].iloc[0] == sorted(own)[(len(own) - 1) // 2] or Counter(AGES)[sorted(own)[(len(own) - 1) // 2]] < 5
        )
    assert now["c"].str.contains(" to ").any()
    assert now[["a", "b", "d"]].dtypes.eq("int64").all()


def test_a_median_is_no_number_of_few() -> None:
    incomes = sorted(set(INCOMES))
    written = released({"represent": "median"}, incomes)
    assert not set(written) & set(incomes) or all(x % 10 == 0 for x in set(written) & set(incomes))


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"ranges": [18, 0]}, "unordered-ranges"),
        ({"ranges": [0, 18], "top": 5}, "ranges-and-limits"),
        ({"ranges": [0, 18], "represent": "mean"}, "represent-classes"),
        ({"top": 5, "bottom": 5}, "top-below-bottom"),
        ({"round": 0}, "out-of-range-round"),
        ({"ranges": "many"}, "wrong-type-ranges"),
        ({"represent": "mode"}, "unknown-represent"),
    ],
)
def test_options_that_make_no_sense_are_problems(options: dict[str, Any], code: str) -> None:
    with pytest.raises(PlanError) as error:
        al.Plan({"x": al.quasi("numeric", **options)}, k=5)
    assert code in [problem.code for problem in error.value.problems]


@pytest.mark.parametrize("option", [{"ranges": "auto"}, {"top": 9}, {"bottom": 1}, {"represent": "median"}])
def test_classes_need_a_method_that_groups(option: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="does not apply to method noise, which masks single records"):
        al.Plan({"x": al.quasi("numeric", **option)}, method="noise")
    with pytest.raises(PlanError, match="applies to quasi-identifiers only"):
        al.Plan({"y": al.quasi("category"), "x": al.sensitive("numeric", **option)}, k=5)


@pytest.mark.parametrize("method", ["sa-mdav", "s-mdav", "abril", "mdav", "fusion", "recoding", "generalise"])
@pytest.mark.parametrize("option", [{"round": 5}, {"ranges": [0, 18, 65]}, {"top": 60, "bottom": 10}])
def test_every_method_that_groups_takes_options_of_numbers(method: str, option: dict[str, Any]) -> None:
    frame = pd.DataFrame({"x": AGES[:80]})
    plan = al.Plan({"x": al.quasi("numeric", **option)}, method=method, k=5, seed=1)
    release = plan.run(frame)
    assert release.frame["x"].value_counts(dropna=False).min() >= 5
    assert plan.evaluate(frame, release.frame).privacy[0]["holds"]


def test_options_of_numbers_are_no_options_of_words() -> None:
    with pytest.raises(PlanError, match="round does not apply to a column of kind category"):
        al.Plan({"x": al.quasi("category", round=5)}, k=5)


def test_a_plan_with_options_of_numbers_is_saved_and_loaded(tmp_path: Any) -> None:
    columns = {
        "age": al.quasi("numeric", ranges=[0, 18, 65]),
        "income": al.quasi("numeric", round=100, top=90_000, bottom=500, represent="median"),
        "size": al.quasi("numeric", ranges="auto"),
    }
    plan = al.Plan(columns, k=5)
    plan.save(tmp_path / "plan.toml")
    assert dict(al.Plan.load(tmp_path / "plan.toml").columns) == dict(plan.columns)


def test_the_command_line_takes_options_of_numbers(tmp_path: Any) -> None:
    pd.DataFrame({"age": AGES, "income": INCOMES}).to_csv(tmp_path / "in.csv", index=False)
    options = ["--quasi", "age", "--quasi", "income=numeric", "--ranges", "age=0,18,30,45,65"]
    options += ["--round", "income=100", "--top", "income=50000", "--represent-column", "income=median", "--k", "5"]
    result = call("mask", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), *options)
    assert result.returncode == 0, result.stderr
    now = pd.read_csv(tmp_path / "out.csv")
    ends = {end for text in set(now["age"]) for end in text.removesuffix(" or more").split(" to ")}
    assert ends <= {"0", "17", "18", "29", "30", "44", "45", "64", "65"}
    assert now["income"].max() <= 50_000


def test_what_was_written_is_true_when_it_is_evaluated() -> None:
    frame = pd.DataFrame({"age": AGES, "income": INCOMES})
    columns = {"age": al.quasi("numeric", ranges=[18, 30, 65]), "income": al.quasi("numeric", top=50_000)}
    plan = al.Plan(columns, method="mdav", k=5, parameters={"represent": "truthful"}, seed=1)
    evaluated = plan.evaluate(frame, plan.run(frame).frame)
    assert evaluated.privacy[0]["holds"]
    assert not evaluated.strange


@given(st.integers(0, 2), st.lists(st.integers(-50, 50), min_size=1, max_size=5, unique=True), st.integers(-9000, 9000))
def test_a_class_has_its_number_and_is_read_as_it_was_written(decimals: int, limits: list[int], units: int) -> None:
    number = units / 10**decimals
    value = NumberCoding(limits=tuple(sorted(limits))).coded(number, decimals)
    assert isinstance(value, tuple)
    assert value[0] <= number <= value[1]
    text = number_label(value, decimals, comma=False, as_text=True)
    data = [-9000.0, 9000.0]
    low, high = value
    expected = (max(low, -9000.0), min(high, 9000.0))
    again = number_or_range(text, data)
    assert (again if isinstance(again, tuple) else (again, again)) == pytest.approx(expected)


def test_open_ranges_are_true_of_what_is_beyond() -> None:
    metric = NumericMetric([10.0, 70.0, 900.0, (65.0, np.inf), (-np.inf, 17.0), None], bounds=(0.0, 100.0))
    assert metric.generalises(3, np.arange(6)).tolist() == [False, True, True, True, False, False]
    assert metric.generalises(4, np.arange(6)).tolist() == [True, False, False, False, True, False]
    assert metric.distances(1, [3]) == pytest.approx([(25 + 900) / 70 / 100])
