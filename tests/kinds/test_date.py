"""The kind `date`: reading and writing, distances and periods against slow references."""

from __future__ import annotations

import datetime
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allonym as al
from allonym.cells import merged
from allonym.errors import AllonymError, TableError
from allonym.kinds.base import EncodedColumn
from allonym.kinds.dates.calendar import day_of, last_day_of, unit_of
from allonym.kinds.dates.formats import DateFormat
from allonym.kinds.dates.kind import Dates
from allonym.kinds.dates.metric import DateMetric
from allonym.kinds.registry import automatic_kind

DAYS = st.dates(datetime.date(1900, 1, 1), datetime.date(2099, 12, 31))
FORMATS = ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y", "%Y%m%d", "%Y/%m/%d",
           "%d-%b-%Y", "%Y-%m-%d 00:00:00", "%Y-%m-%dT00:00:00Z"]  # fmt: skip


def encoded(values: list[Any], **options: Any) -> EncodedColumn:
    return Dates(**options).encode("born", merged(values, np.arange(len(values))))


def day(text: str) -> float:
    return float(datetime.date.fromisoformat(text).toordinal())


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["2021-03-04", "2021-12-31"], ["2021-03-04", "2021-12-31"]),
        (["04.03.2021", "05.04.2021"], ["2021-03-04", "2021-04-05"]),
        (["4/3/2021", "25/3/2021"], ["2021-03-04", "2021-03-25"]),
        (["3/4/2021", "3/25/2021"], ["2021-03-04", "2021-03-25"]),
        (["4 Mar 2021", "12 sept 2021"], ["2021-03-04", "2021-09-12"]),
        (["March 4, 2021", "Dec. 5, 2021"], ["2021-03-04", "2021-12-05"]),
        (["20210304", "20211231"], ["2021-03-04", "2021-12-31"]),
        (["2021-03-04T13:45:00+02:00", "2021-03-05 08:00"], ["2021-03-04", "2021-03-05"]),
        (["3/25/2021 1:45 PM", "3/4/2021 11:00 AM"], ["2021-03-25", "2021-03-04"]),
        ([datetime.date(2021, 3, 4)], ["2021-03-04"]),
        ([datetime.datetime(2021, 3, 4, 13, 45), None], ["2021-03-04", None]),
        ([20210304, 20210305], ["2021-03-04", "2021-03-05"]),
    ],
)
def test_dates_are_read_in_the_usual_forms(texts: list[Any], days: list[str | None]) -> None:
    coded = encoded(texts)
    values = [coded.attribute.values[c] for c in coded.code_of]
    assert values == [None if x is None else day(x) for x in days]


@pytest.mark.parametrize(
    ("texts", "unit", "numbers"),
    [
        (["2021-03", "2021-12"], "month", [24254.0, 24263.0]),
        (["March 2021", "Dec 2021"], "month", [24254.0, 24263.0]),
        (["03/2021", "12/2021"], "month", [24254.0, 24263.0]),
        (["2021", "1999"], "year", [2021.0, 1999.0]),
        ([2021, 1999], "year", [2021.0, 1999.0]),
        (["2021-03", "2021"], "month", [24254.0, (24252.0, 24263.0)]),
        (["2021 Q2", "2021 Q3"], "month", [(24255.0, 24257.0), (24258.0, 24260.0)]),
    ],
)
def test_months_and_years_count_as_such(texts: list[Any], unit: str, numbers: list[Any]) -> None:
    coded = encoded(texts)
    assert coded.attribute.metric.written.unit == unit
    assert [coded.attribute.values[c] for c in coded.code_of] == numbers


def test_an_open_order_of_day_and_month_is_refused() -> None:
    with pytest.raises(TableError, match="whether the day or the month comes first") as error:
        encoded(["3/4/2021", "5/6/2021"])
    assert "day_first" in str(error.value)
    assert encoded(["3/4/2021"], day_first=True).attribute.values == (day("2021-04-03"),)
    assert encoded(["3/4/2021"], day_first=False).attribute.values == (day("2021-03-04"),)
    assert encoded(["4/4/2021"]).attribute.values == (day("2021-04-04"),)
    with pytest.raises(TableError, match="others the month"):
        encoded(["25/3/2021", "3/25/2021"])


@pytest.mark.parametrize("text", ["4/3/21", "2021-02-30", "yesterday", "12:30", "44259.5", "2021-13"])
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(TableError, match="no dates") as error:
        encoded(["2021-03-04", text])
    assert "2021-03-04" in str(error.value)


@given(st.lists(DAYS, min_size=1, max_size=8), st.sampled_from(FORMATS), st.booleans())
def test_a_date_is_written_as_the_column_writes_dates(days: list[datetime.date], form: str, bare: bool) -> None:
    texts = [x.strftime(form) for x in [*days, datetime.date(2021, 3, 25), datetime.date(2021, 9, 5)]]
    if bare and form[-2:] == "%Y":
        texts = [f"{'/'.join(str(int(y)) for y in x.split('/'))}" if "/" in form else x for x in texts]
    coded = encoded(texts)
    for text, code in zip(texts, coded.codes, strict=True):
        assert coded.label(coded.attribute.values[code]) == text


@given(st.lists(DAYS, min_size=2, max_size=7), st.sampled_from(["day", "month", "year"]))
def test_distances_are_days_by_span(days: list[datetime.date], unit: str) -> None:
    texts = [x.isoformat()[: {"day": 10, "month": 7, "year": 4}[unit]] for x in days]
    coded = encoded(texts)
    numbers = [{"day": x.toordinal(), "month": x.year * 12 + x.month, "year": x.year}[unit] for x in days]
    span = max(numbers) - min(numbers)
    for i, a in enumerate(coded.codes):
        for j, b in enumerate(coded.codes):
            expected = abs(numbers[i] - numbers[j]) / span if span else 0.0
            assert coded.attribute.metric.distances(a, b) == pytest.approx(expected)


def slow_period(days: list[datetime.date]) -> int:
    """Return how many days the narrowest month, quarter or year, or range of 24 months, 50 years or decades has."""
    low, high = min(days), max(days)
    months = (high.year - low.year) * 12 + high.month - low.month + 1
    after = datetime.date(high.year + high.month // 12, high.month % 12 + 1, 1)
    best = [(after - low.replace(day=1)).days] if months <= 24 else []
    if (low.year, (low.month - 1) // 3) == (high.year, (high.month - 1) // 3):
        start = datetime.date(low.year, (low.month - 1) // 3 * 3 + 1, 1)
        end = datetime.date(start.year + start.month // 10, (start.month + 2) % 12 + 1, 1)
        best.append((end - start).days)
    if high.year - low.year < 50:
        best.append((datetime.date(high.year + 1, 1, 1) - datetime.date(low.year, 1, 1)).days)
    best.append((datetime.date(high.year // 10 * 10 + 10, 1, 1) - datetime.date(low.year // 10 * 10, 1, 1)).days)
    return min(best)


@given(st.lists(DAYS, min_size=1, max_size=6), st.sampled_from([0, 3, 40, 400, 4_000, 40_000]))
def test_the_truthful_value_is_the_narrowest_period_that_is_true_of_all(days: list[datetime.date], near: int) -> None:
    days = [*days[:1], *(days[0] + datetime.timedelta(days=x.toordinal() % (near + 1)) for x in days[1:])]
    coded = encoded([x.isoformat() for x in days])
    metric, codes = coded.attribute.metric, coded.codes
    value = metric.truthful(codes, np.ones(len(codes)))
    assert value == metric.truthful(codes[::-1], np.ones(len(codes)))
    wider = metric.extend([value])
    assert wider.generalises(wider.places[value], codes).all()
    if len(set(days)) == 1:
        assert value == float(days[0].toordinal())
    else:
        assert value[1] - value[0] + 1 == slow_period(days)
    released = coded.kind.meanings(coded, coded.cells, {coded.label(value): 0}, ())
    assert released[coded.label(value)] == value


@given(st.lists(DAYS, min_size=1, max_size=6, unique=True), st.sampled_from([10, 7, 4]))
def test_generalisations_are_true_and_coarser_each_time(days: list[datetime.date], length: int) -> None:
    metric = encoded([x.isoformat()[:length] for x in days]).attribute.metric
    levels = metric.generalisations()
    assert levels[0] == list(metric.values)
    assert set(levels[-1]) == {None}
    for below, above in pairwise(levels):
        becomes: dict[Any, Any] = {}
        for was, now in zip(below, above, strict=True):
            assert becomes.setdefault(was, now) == now
        wider = metric.extend(above)
        assert all(wider.generalises(wider.places[x], np.array([i])).all() for i, x in enumerate(above))


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (["2021-03-04", "2021-03-30"], "2021-03"),
        (["2021-04-04", "2021-06-30"], "2021 Q2"),
        (["2021-03-04", "2021-05-30"], "2021-03 to 2021-05"),
        (["2021-01-04", "2021-12-30"], "2021"),
        (["2020-01-04", "2022-12-30"], "2020 to 2022"),
        (["1931-01-04", "1972-12-30"], "1931 to 1972"),
        (["1931-01-04", "1992-12-30"], "1930 to 1999"),
        (["2021-03", "2021-02"], "2021 Q1"),
        (["2021-03", "2021-06"], "2021-01 to 2021-06"),
        (["1993", "1998"], "1990 to 1999"),
        (["04.03.2021", "30.03.2021"], "2021-03"),
    ],
)
def test_periods_are_readable(days: list[str], expected: str) -> None:
    coded = encoded(days)
    assert coded.label(coded.attribute.metric.truthful(coded.codes, np.ones(len(days)))) == expected


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2021-03", "2021-03-01", "2021-03-31"),
        ("2021 Q2", "2021-04-01", "2021-06-30"),
        ("Q2 2021", "2021-04-01", "2021-06-30"),
        ("2021", "2021-01-01", "2021-12-31"),
        ("1990s", "1990-01-01", "1999-12-31"),
        ("2020 to 2022", "2020-01-01", "2022-12-31"),
        ("2021-03 to 2021-05", "2021-03-01", "2021-05-31"),
        ("2021-03-04 - 2021-03-09", "2021-03-04", "2021-03-09"),
        ("[2021-03-04..2021-03-09]", "2021-03-04", "2021-03-09"),
    ],
)
def test_periods_of_other_tools_are_read(text: str, first: str, last: str) -> None:
    coded = encoded(["2021-03-04", "2022-05-06"])
    assert coded.kind.meanings(coded, coded.cells, {text: 0}, ()) == {text: (day(first), day(last))}


def test_what_is_no_date_in_a_release_is_unknown() -> None:
    coded = encoded(["2021-03-04"])
    assert coded.kind.meanings(coded, coded.cells, {"*": 0, "spring": 1, "2022 to 2021": 2}, ()) == {"*": None}


@given(DAYS, st.sampled_from(["day", "month", "year"]))
def test_units_and_days_are_each_others_inverse(date: datetime.date, unit: str) -> None:
    number = unit_of(date.year, date.month, date.day, unit)
    assert day_of(number, unit) <= date <= last_day_of(number, unit)


def test_a_mean_gives_way_to_dates_of_few() -> None:
    metric = DateMetric([day("2021-03-04"), day("2021-03-06"), day("2021-03-05")], DateFormat())
    assert metric.beside(day("2021-03-05"), {day("2021-03-05")}) == day("2021-03-04")
    assert metric.beside(day("2021-03-05"), set(metric.values)) is None


@pytest.mark.parametrize("represent", ["centroid", "truthful", "member", "subsumer"])
@given(rows=st.lists(st.sampled_from([f"2021-03-{x:02}" for x in (1, 2, 3, 4, 20)]), min_size=4, max_size=12))
def test_a_rare_date_is_never_written_as_it_stands(represent: str, rows: list[str]) -> None:
    plan = al.Plan({"born": al.quasi("date")}, k=3, seed=1, parameters={"represent": represent})
    for text in set(plan.run(pd.DataFrame({"born": rows})).frame["born"].dropna()):
        assert rows.count(text) >= 3 or text not in rows


@pytest.mark.parametrize("represent", ["centroid", "truthful"])
@pytest.mark.parametrize(
    "make",
    [
        lambda days: pd.DataFrame({"born": pd.to_datetime(days)}),
        lambda days: pl.DataFrame({"born": [datetime.date.fromisoformat(x) for x in days]}),
        lambda days: pa.table({"born": pa.array([datetime.datetime.fromisoformat(x) for x in days])}),
    ],
)
def test_typed_columns_become_text_only_where_a_period_is_written(make: Any, represent: str) -> None:
    days = ["2021-03-04"] * 3 + ["2021-05-01", "2021-05-08", "2021-05-21"]
    frame = make(days)
    plan = al.Plan({"born": al.quasi("date")}, k=3, seed=1, parameters={"represent": represent})
    column = plan.run(frame).frame["born"]
    cells = column.to_pylist() if isinstance(frame, pa.Table) else list(column)
    texts = [str(x)[:10] for x in cells]
    assert texts == ["2021-03-04"] * 3 + (["2021-05"] * 3 if represent == "truthful" else ["2021-05-10"] * 3)
    assert all(isinstance(x, str) for x in cells) == (represent == "truthful")


def test_times_of_day_are_not_written_unless_k_share_them() -> None:
    rows = [f"2021-03-04 {hour:02}:15:00" for hour in (1, 5, 9)] + ["2021-03-05 10:00:00"] * 3
    release = al.Plan({"seen": al.quasi("date")}, k=3, seed=1).run(pd.DataFrame({"seen": rows}))
    assert release.frame["seen"].tolist() == ["2021-03-04"] * 3 + ["2021-03-05 10:00:00"] * 3


@pytest.mark.parametrize(
    ("represent", "expected"),
    [
        ("day", ["2021-03-06", "2021-09-15"]),
        ("month", ["2021-03", "2021-08 to 2021-10"]),
        ("quarter", ["2021 Q1", "2021-07 to 2021-12"]),
        ("year", ["2021", "2021"]),
        ("range", ["2021-03", "2021-08 to 2021-10"]),
    ],
)
@pytest.mark.parametrize("by_method", ["centroid", "truthful"])
def test_a_column_says_what_represents_its_dates(represent: str, expected: list[str], by_method: str) -> None:
    days = ["2021-03-01", "2021-03-08", "2021-03-09", "2021-08-19", "2021-09-13", "2021-10-15"]
    columns = {"born": al.quasi("date", represent=represent), "sex": al.quasi("category")}
    frame = pd.DataFrame({"born": days, "sex": ["f", "f", "f", "m", "m", "m"]})
    release = al.Plan(columns, k=3, seed=1, parameters={"represent": by_method}).run(frame)
    assert release.frame["born"].tolist() == [expected[0]] * 3 + [expected[1]] * 3


def test_a_representative_belongs_to_a_kind() -> None:
    problems = list(al.quasi("category", represent="month").problems())
    assert [x.code for x in problems] == ["option-of-kind"]


def test_generalise_finds_months() -> None:
    frame = pd.DataFrame({"born": ["2021-03-04", "2021-03-05", "2021-03-06", "2022-05-01", "2022-05-02", "2022-05-03"]})
    release = al.Plan({"born": al.quasi("date")}, method="generalise", k=3, seed=1).run(frame)
    assert release.frame["born"].tolist() == ["2021-03"] * 3 + ["2022-05"] * 3


def test_evaluate_reads_what_mask_writes() -> None:
    days = [f"20{year}-{month:02}-11" for year in (18, 19, 20, 21) for month in (1, 4, 5, 6, 11)]
    frame = pd.DataFrame({"born": days})
    plan = al.Plan({"born": al.quasi("date")}, k=3, seed=1, parameters={"represent": "truthful"})
    release = plan.run(frame)
    evaluation = plan.evaluate(frame, release.frame)
    assert evaluation.summary["changes"] == release.summary["changes"]
    assert evaluation.measures["information_loss"].value == pytest.approx(
        release.summary["measures"]["information_loss"]["value"]
    )


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (["2021-03-04", "2021-03-05", None], "date"),
        (["4 Mar 2021"], "date"),
        ([datetime.date(2021, 3, 4)], "date"),
        (["2021", "1999"], "numeric"),
        (["20210304"], "numeric"),
        (["2021-03-04", "cook"], "text"),
        (["3021-03-04"], "text"),
    ],
)
def test_dates_are_recognised(rows: list[Any], kind: str) -> None:
    assert automatic_kind(merged(rows, np.arange(len(rows)))) == kind


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("noise", "code"),
        ("exponential", "date"),
        ("exponential", "code"),
        ("randomise-uniform", "code"),
    ],
)
def test_methods_by_row_refuse_kinds_they_do_not_mask(method: str, kind: str) -> None:
    frame = pd.DataFrame({"date": ["2021-03-04", "2021-03-05"] * 5, "code": ["98101", "98102"] * 5})
    with pytest.raises(AllonymError, match=f"does not mask columns of kind {kind}"):
        al.Plan({kind: al.quasi(kind)}, method=method, keep_rest=True).run(frame)
