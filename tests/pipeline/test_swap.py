"""Swapping from a table to a release: every column keeps its values, and nothing is promised beyond that."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import allonym as al
from allonym.errors import PlanError
from allonym.pipeline.demo import survey

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
COLUMNS = {
    "reason": al.quasi("wordnet", accept_review=True),
    "activity": al.quasi("wordnet", accept_review=True),
    "origin": al.quasi("category"),
    "age": al.quasi("numeric"),
    "spent": al.sensitive("numeric"),
}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pd.read_csv(io.StringIO(survey()), dtype=str)[[*COLUMNS]]


def plan_of(columns: dict[str, Any] = COLUMNS, seed: int | None = 1, **parameters: Any) -> al.Plan:
    return al.Plan(columns, method="swap", seed=seed, parameters=parameters)


@pytest.mark.parametrize(
    "parameters", [{}, {"together": "reason, activity; origin, age"}, {"pairs": "nearest"}], ids=str
)
def test_every_column_keeps_its_values(people: pd.DataFrame, parameters: dict[str, Any]) -> None:
    release = plan_of(**parameters).run(people)
    for name in ("origin", "age", "spent"):
        assert Counter(release.frame[name]) == Counter(people[name])
    measures = release.summary["measures"]
    assert measures["total_variation"]["value"] == measures["earth_movers_distance"]["value"] == 0
    assert release.summary["changes"]["meaning_changed"] > 0
    assert release.summary["privacy"] == []
    relations = {tuple(x["columns"]): x["distance_correlation"] for x in release.summary["association"]}
    kept = relations["reason", "activity"]
    assert (kept["before"] == pytest.approx(kept["after"])) == ("together" in parameters)


def test_the_order_of_rows_does_not_matter(people: pd.DataFrame) -> None:
    columns = {name: x for name, x in COLUMNS.items() if name in ("reason", "origin")} | {"spent": al.keep()}
    people = people[["reason", "origin"]].assign(spent="1")
    shuffled = people.sample(frac=1, random_state=2).reset_index(drop=True)
    ways = []
    for table in (people, shuffled):
        masked = plan_of(columns).run(table).frame
        ways.append(Counter(zip(table["reason"], table["origin"], masked["reason"], masked["origin"], strict=True)))
    assert ways[0] == ways[1]


def test_two_releases_share_no_draw(people: pd.DataFrame) -> None:
    one, other = (plan_of(seed=None).run(people).frame for _ in range(2))
    assert not one["age"].equals(other["age"])


def test_weights_stay_and_rows_of_a_person_swap_on_their_own() -> None:
    table = pd.DataFrame({"person": np.arange(200) // 4, "age": [str(20 + x % 50) for x in range(200)]})
    table["weight"] = np.arange(200) % 7 + 1.0
    columns = {"person": al.unit(), "age": al.quasi("numeric"), "weight": al.weight()}
    release = plan_of(columns, window=0.2).run(table)
    assert release.frame["weight"].tolist() == table["weight"].tolist()
    assert Counter(release.frame["age"]) == Counter(table["age"])
    assert "averaging" in release.summary["risk"]["attackers"]


def test_nulls_stay_and_unknown_words_are_swapped_too() -> None:
    words = ["cook", "baker", None, "zzz", "smith", "yyy", "", "nurse", "welder"] * 10
    column = {"job": al.quasi(JOBS, unmatched="opaque")}
    release = plan_of(column, window=0.5).run(pd.DataFrame({"job": words}, dtype=object))
    after = [x or None for x in release.frame["job"].where(release.frame["job"].notna(), None)]
    assert [x is None for x in after] == [not x for x in words]
    assert Counter(after) == Counter(x or None for x in words)
    assert any(was == "zzz" != now for was, now in zip(words, after, strict=True))


def test_what_cannot_be_swapped_together_is_a_problem(people: pd.DataFrame) -> None:
    with pytest.raises(PlanError) as error:
        plan_of(together="reason, spent; age, reason").run(people)
    assert [x.code for x in error.value.problems] == ["together-not-masked", "together-twice"]
    for wrong in ({"window": 5}, {"cap": 0}, {"order": "random"}, {"share": 1.5}, {"pairs": "any"}):
        with pytest.raises(PlanError):
            plan_of(**wrong)


def test_no_privacy_model_can_be_required(people: pd.DataFrame) -> None:
    plan = al.Plan(COLUMNS, method="swap", privacy=[al.Privacy("l-diversity", "spent", l=2)])
    with pytest.raises(PlanError, match="method swap makes no groups"):
        plan.run(people)
    with pytest.raises(PlanError, match="k"):
        al.Plan(COLUMNS, method="swap", k=5)
    with pytest.raises(PlanError, match="swap"):
        plan_of().fit(people)


def test_the_report_leads_with_the_strongest_attacker(people: pd.DataFrame) -> None:
    report = plan_of().run(people).report
    assert any("Rare values" in x and "No k is promised" in x for x in report.cautions)
    assert "linked by the strongest attacker" in report.html()
