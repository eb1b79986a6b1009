"""Any masked file is measured: ours, and another tool's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import allonym as al
from allonym.cli import app
from allonym.errors import OptionError, PlanError, TableError
from allonym.pipeline.demo import demonstrate
from allonym.pipeline.evaluate import Evaluation
from allonym.tables.files import Reading

TREE = "cook;kitchen;*\nbaker;kitchen;*\nsmith;workshop;*\njoiner;workshop;*\n"
PEOPLE = pd.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "job": ["cook", "baker", "smith", "joiner"],
        "age": [20, 30, 40, 60],
        "sex": ["f", "m", "f", "f"],
        "illness": ["flu", "gout", "flu", "flu"],
    }
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.csv").write_text(TREE)
    PEOPLE.to_csv("people.csv", index=False)
    plan_of().save("plan.toml")
    return tmp_path


def plan_of(**changes: object) -> al.Plan:
    columns = {
        "id": al.identifier(),
        "job": al.quasi("jobs.csv"),
        "age": al.quasi("numeric"),
        "sex": al.quasi("category"),
        "illness": al.sensitive(),
    }
    return al.Plan(columns, k=2, **changes)


def generalised(**changes: object) -> pd.DataFrame:
    """Return the people as a generalisation tool would write them."""
    frame = PEOPLE.assign(job=["kitchen", "kitchen", "*", "*"], age=["[20, 30]", "[20, 30]", ">=40", ">=40"], sex="*")
    return frame.assign(**changes)


def test_our_own_release_is_measured_as_it_was_when_it_was_made(tmp_path: Path) -> None:
    done = demonstrate(tmp_path)
    plan = al.Plan.load(tmp_path / "plan.toml")
    plan.run(tmp_path / "survey.csv", tmp_path / "masked.csv", row_map=tmp_path / "rows.csv")
    found = plan.evaluate(tmp_path / "survey.csv", tmp_path / "masked.csv", row_map=tmp_path / "rows.csv").summary
    for name, told in done.summary["measures"].items():
        assert found["measures"][name]["value"] == pytest.approx(told["value"]), name
        assert found["measures"][name]["before"] == pytest.approx(told["before"]), name
        assert found["measures"][name]["baseline"] == pytest.approx(told["baseline"]), name
    assert found["privacy"][0] == done.summary["privacy"][0]
    assert found["tuples"] == done.summary["tuples"]
    assert found["not_understood"] == {}
    same = plan.evaluate(tmp_path / "survey.csv", tmp_path / "survey.csv").summary
    assert same["measures"]["information_loss"]["value"] == 0
    assert same["measures"]["uniqueness"]["value"] == pytest.approx(100 * 118 / 975)


def test_what_another_tool_wrote_is_understood_through_the_hierarchies(folder: Path) -> None:
    found = plan_of().evaluate(PEOPLE, generalised())
    per_column = found.measures["loss_metric"].per_column
    assert per_column is not None
    # kitchen has two of four leaves, * all four; 20 to 30, and 40 to 60, of a range of 40; * is anything
    assert per_column["job"] == pytest.approx((2 * (2 - 1) / (4 - 1) + 2 * 1) / 4)
    assert per_column["age"] == pytest.approx((2 * 10 / 40 + 2 * 20 / 40) / 4)
    assert per_column["sex"] == pytest.approx(1)
    near = 1 - 2 * 2 / (1 + 2 * 2)  # cook to kitchen
    far = 1 - 2 * 1 / (2 + 2 * 1)  # smith to the root
    quality = found.measures["semantic_quality"].per_column
    assert quality is not None
    assert quality["age"] == pytest.approx(100 * (1 - (2 * 5 / 40 + 2 * 10 / 40) / 4))  # by the middles, 25 and 50
    assert quality["job"] == pytest.approx(100 * (1 - (2 * near + 2 * far) / 4))
    assert found.privacy[0]["reached"] == 2
    assert [x["reached"] for x in found.privacy if x["model"] == "distinct l-diversity"] == [1]
    assert found.strange == {}


def test_what_nobody_knows_counts_as_like_nothing_else(folder: Path) -> None:
    found = plan_of().evaluate(PEOPLE, generalised(job="gardening", age="old"))
    assert found.strange == {"job": ["gardening"], "age": ["old"]}
    assert found.summary["not_understood"] == {"job": 1, "age": 1}
    quality = found.measures["semantic_quality"].per_column
    suppressed = (3 * 0.25 + 1) / 4  # to the mode, and at least the mean of these distances
    assert quality == {"job": 0, "age": 0, "sex": 100 * (1 - suppressed)}
    assert "gardening" not in json.dumps(found.summary)


def test_rows_go_by_position_or_by_key(folder: Path) -> None:
    plan = plan_of()
    shuffled = generalised().iloc[[2, 0, 3, 1]].reset_index(drop=True)
    by_key, by_place = (plan.evaluate(PEOPLE, x, key=k) for x, k in ((shuffled, "id"), (generalised(), None)))
    assert by_key.summary == by_place.summary | {"paired_by": "key"}
    fewer = shuffled.iloc[:3].reset_index(drop=True)
    found = plan.evaluate(PEOPLE, fewer, key="id")
    assert found.suppressed == 1
    assert found.privacy[0]["reached"] == 1  # the cook is alone, the baker is gone
    with pytest.raises(TableError, match=r"The original has 4 rows, the masked table has 3\..*--key"):
        plan.evaluate(PEOPLE, fewer)
    with pytest.raises(TableError, match="The key column nr is not in the original, the masked table"):
        plan.evaluate(PEOPLE, fewer, key="nr")
    with pytest.raises(TableError, match="The key id is not unique in the masked table: 1 value repeated"):
        plan.evaluate(PEOPLE, shuffled.assign(id=["a", "a", "b", "c"]), key="id")
    with pytest.raises(TableError, match="The masked table has 1 row whose key is not in the original"):
        plan.evaluate(PEOPLE, shuffled.assign(id=["a", "x", "b", "c"]), key="id")
    with pytest.raises(PlanError, match="2 columns of the plan not in the masked table: job, sex"):
        plan.evaluate(PEOPLE, generalised().drop(columns=["job", "sex"]))


def test_rows_of_frames_with_the_same_labels_go_by_label(folder: Path) -> None:
    plan, original = plan_of(), PEOPLE.set_axis([3, 8, 2, 5])
    masked = generalised().set_axis(original.index)
    by_place = plan.evaluate(PEOPLE, generalised()).summary
    by_label = [plan.evaluate(original, x).summary for x in (masked, masked.iloc[[2, 0, 3, 1]])]
    assert by_label == [by_place | {"paired_by": "index"}] * 2
    shuffled = plan.evaluate(PEOPLE, generalised().iloc[[2, 0, 3, 1]]).summary  # labels 0 to 3 in another order
    assert shuffled == by_place | {"paired_by": "index"}
    assert plan.evaluate(original, generalised()).summary == by_place  # other labels: by position
    with pytest.raises(TableError, match="The original has 4 rows, the masked table has 3"):
        plan.evaluate(original, masked.iloc[:3])


def test_records_that_lost_all_values_are_suppressed_and_groups_by_their_text(folder: Path) -> None:
    frame = generalised(job=["kitchen", "kitchen", "*", None], age=["25", "25", "*", None], sex=["f", "f", "*", None])
    found = plan_of().evaluate(PEOPLE, frame)
    assert (found.suppressed, found.privacy[0]["reached"], sorted(found.sizes.tolist())) == (2, 1, [1, 1, 2])


def test_two_releases_together_narrow_what_each_hides(folder: Path) -> None:
    first = PEOPLE.assign(job="*", age=[25, 25, 50, 50], sex="f")
    second = PEOPLE.assign(job="*", age=[33, 50, 33, 50], sex="f")
    plan = plan_of()
    together = plan.evaluate(PEOPLE, second, earlier=first).earlier
    assert together is not None
    assert {what: x["smallest"] for what, x in together.items()} == {"alone": 2, "earlier": 2, "together": 1}
    assert together["together"]["unique"] == 100
    less = plan.evaluate(PEOPLE, second, earlier=first.drop(columns=["job", "sex"])).earlier
    assert less is not None
    assert less["together"] == together["together"]


def test_persons_count_where_there_are_units(folder: Path) -> None:
    frame = pd.concat([PEOPLE, PEOPLE], ignore_index=True).assign(id=[*"aabb", *"aabb"])
    plan = al.Plan({**plan_of().columns, "id": al.unit()}, k=2)
    found = plan.evaluate(frame, frame.assign(job="*", age=37, sex="f"))
    assert (found.units, found.privacy[0]["reached"], found.sizes.tolist()) == (2, 2, [2])
    assert found.measures["prosecutor_risk_highest"].value == 0.5
    assert found.measures["semantic_linkage"].value == 50


def test_sensitive_columns_of_every_kind_are_checked(folder: Path) -> None:
    people = PEOPLE.assign(income=[1000, 2000, 1500, 1500], size=[*"SMLS"])
    frame = people.assign(job="*", age=37, sex=["f", "f", "m", "m"])
    kinds = {"income": al.sensitive("numeric"), "size": al.sensitive("ordinal", levels=[*"SML"])}
    plan = al.Plan({**plan_of().columns, "illness": al.sensitive("jobs.csv", unmatched="opaque"), **kinds}, k=2)
    told = {(x["model"], *x["columns"]): x["reached"] for x in plan.evaluate(people, frame).privacy}
    assert told["distinct l-diversity", "size"] == 2
    # incomes by rank: a group has the first and the last third, the other the middle; the table 1/4, 1/2, 1/4
    assert told["t-closeness", "income"] == pytest.approx(1 / 4)
    assert told["distinct l-diversity", "illness"] == 1
    without = plan.evaluate(people, frame.drop(columns=["illness", "income", "size"]))
    assert {(x["model"], *x["columns"]): x["reached"] for x in without.privacy} == told


def test_files_without_a_header_are_numbered_anew(folder: Path) -> None:
    PEOPLE.to_csv("bare.csv", index=False, header=False)
    generalised().drop(columns="id").to_csv("masked.csv", index=False, header=False)
    columns = dict(zip("12345", plan_of().columns.values(), strict=True))
    plan = al.Plan(columns, k=2, reading=Reading(header=False))
    found = plan.evaluate("bare.csv", "masked.csv")
    assert found.privacy[0]["reached"] == 2


def test_the_command_prints_figures_and_json(folder: Path) -> None:
    generalised(job=["kitchen", "kitchen", "gardening", "gardening"]).to_csv("masked.csv", index=False)
    command = ["evaluate", "people.csv", "masked.csv", "--plan", "plan.toml", "--key", "id", "--earlier", "masked.csv"]
    shown = CliRunner().invoke(app, [*command, "--attacker", "lin"])
    assert shown.exit_code == 0, shown.output
    for part in ("k-anonymity", "How much meaning was lost?", "… by lin", "smallest group", "gardening"):
        assert part in shown.output, part
    hidden = CliRunner().invoke(app, [*command, "--hide-values"])
    assert "gardening" not in hidden.output
    told = json.loads(CliRunner().invoke(app, [*command, "--json", "--balance", "1"]).output)
    assert told["measures"]["score"]["value"] == told["measures"]["information_loss"]["value"]
    assert list(told["measures"]["prosecutor_risk"]) == ["value", "before", "baseline", "interval", "by_column"]
    assert told["earlier"]["together"]["smallest"] == 2
    assert told["groups"]["by_size"]["2"] == 2
    assert sum(told["groups"]["by_size"].values()) == told["groups"]["number"] == 2
    wrong = CliRunner().invoke(app, [*command, "--attacker", "lim"])
    assert "did you mean" in str(wrong.exception)
    assert np.isfinite([x["value"] for x in told["measures"].values()]).all()


def numbers(was: list[object], now: list[object]) -> Evaluation:
    return al.Plan({"x": al.quasi("numeric")}, k=2).evaluate(pd.DataFrame({"x": was}), pd.DataFrame({"x": now}))


def test_numbers_are_read_as_their_column_writes_them() -> None:
    decimal = ["1,5", "2,5", "4", "5,25"]
    assert numbers(decimal, decimal).measures["information_loss"].value == 0
    moved = numbers(decimal, ["2", "2", "4,63", "4,63"])
    assert moved.strange == {}
    assert moved.measures["sse"].value == pytest.approx((0.5**2 + 0.5**2 + 0.63**2 + 0.62**2) / 3.75**2)
    assert numbers([1000, 1234], ["1,000", "1,234"]).measures["information_loss"].value == 0
    ranges = numbers([25, 25, 35, 35], ["[20, 30[", "[20, 30[", "[30, 40[", "[30, 40["])
    far = (5**2 + 5**2) / (2 * 10)  # of 25 to a number between 20 and 30, in the mean
    assert ranges.measures["information_loss"].value == pytest.approx(100 * far**2 / 5**2)
    assert ranges.measures["loss_metric"].value == pytest.approx(1)  # as wide as the data
    assert ranges.measures["record_linkage"].value == 0  # no text is the same
    odd = numbers([1, None], ["12:30", "x"])
    assert odd.strange == {"x": ["12:30", "x"]}
    assert odd.measures["semantic_quality"].value == 0


def test_null_that_was_null_is_a_value_like_any_other() -> None:
    frame = pd.DataFrame({"x": ["a"] * 5 + [None]})
    plan = al.Plan({"x": al.quasi("category")}, k=5)
    found = plan.evaluate(frame, frame)
    assert (found.suppressed, found.privacy[0]["reached"], found.privacy[0]["holds"]) == (0, 1, False)
    stars = plan.evaluate(frame, frame.assign(x="*"))
    assert (stars.suppressed, stars.privacy[0]["reached"]) == (0, 6)  # all look alike


def test_the_masked_file_is_read_as_the_plan_says_or_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("x^y\nžena^1\nčaj^2\n".encode("cp1250"))
    reading = Reading(encoding="cp1250", delimiter="^")
    plan = al.Plan({"x": al.quasi("category")}, k=2, keep_rest=True, reading=reading)
    assert plan.evaluate(tmp_path / "a.csv", tmp_path / "a.csv").measures["information_loss"].value == 0
    (tmp_path / "b.csv").write_text("x;y\nžena;1\nčaj;2\n", "utf-8")
    assert plan.evaluate(tmp_path / "a.csv", tmp_path / "b.csv").measures["information_loss"].value == 0


def test_the_table_as_it_was_is_counted_as_text_too() -> None:
    words = pd.DataFrame({"x": ["dog", "dogs", "cat", "cats", "cat"]})
    found = al.Plan({"x": al.quasi("wordnet", accept_review=True)}, k=2).evaluate(words, words).measures
    assert found["uniqueness"].value == found["uniqueness"].before == 60
    assert found["discernibility"].value == found["discernibility"].before == 7


def test_sensitive_cells_are_understood_like_others(folder: Path) -> None:
    people = PEOPLE.assign(income=[1, 2, 3, 4], size=[*"SMLS"])
    kinds = {"income": al.sensitive(), "size": al.sensitive("ordinal", levels=[*"SML"])}
    plan = al.Plan({**plan_of().columns, **kinds}, k=2)
    masked = people.assign(job="*", age=37, sex="f", income=[1, 2, 3, "*"], size=[*"SML", "*"])
    told = {(x["model"], *x["columns"]): x["reached"] for x in plan.evaluate(people, masked).privacy}
    assert told["distinct l-diversity", "income"] == told["distinct l-diversity", "size"] == 4
    assert told["t-closeness", "income"] == pytest.approx(0, abs=1e-12)


def test_values_of_other_types_are_the_same_values() -> None:
    plan = al.Plan({"x": al.quasi("category"), "id": al.keep()}, k=2)
    was = pd.DataFrame({"x": [1, 1, 2, 2], "id": [1, 2, 3, 4]})
    now = pd.DataFrame({"x": [1.0, 1.0, 2.0, None], "id": [1.0, 2.0, 3.0, 4.0]})
    assert plan.evaluate(was, now, key="id").measures["semantic_quality"].value == 75
    truth = al.Plan({"x": al.quasi("category")}, k=2)
    texts = pd.DataFrame({"x": ["true", "false"]})
    assert truth.evaluate(pd.DataFrame({"x": [True, False]}), texts).measures["semantic_quality"].value == 100
    with pytest.raises(TableError, match="Some rows of the masked table have an empty key"):
        plan.evaluate(was, now.assign(id=[1, 2, 3, None]), key="id")


def test_options_and_tables_that_make_no_sense_are_refused(folder: Path) -> None:
    plan = plan_of()
    wrong = ({"balance": 7}, "balance is 7"), ({"threshold": -1}, "threshold"), ({"attackers": ["x"]}, "measure 'x'")
    for options, part in wrong:
        with pytest.raises(OptionError, match=part):
            plan.evaluate(PEOPLE, PEOPLE, **options)
    with pytest.raises(TableError, match="no rows"):
        plan.evaluate(PEOPLE.iloc[:0], PEOPLE.iloc[:0])
    gone = plan.evaluate(PEOPLE, PEOPLE.iloc[:0], key="id")
    assert (gone.suppressed, gone.privacy[0]["reached"]) == (4, 0)
