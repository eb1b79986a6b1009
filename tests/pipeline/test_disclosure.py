"""What a data protection officer asks: who is unique and why, how many of a population share a record, risk per row."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import allonym as al
from allonym.cli import app
from allonym.errors import OptionError, OutputError, PlanError
from allonym.pipeline.check import Check
from allonym.pipeline.inspect import inspect

TREE = "cook;kitchen;*\nbaker;kitchen;*\nsmith;workshop;*\njoiner;workshop;*\n"
PEOPLE = pd.DataFrame(
    {
        "id": list("abcdef"),
        "job": ["cook", "baker", "smith", "joiner", "cook", "cook"],
        "age": [20, 30, 40, 60, 20, 30],
        "sex": ["f", "m", "f", "f", "f", "m"],
    }
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.csv").write_text(TREE)
    PEOPLE.to_csv("people.csv", index=False)
    plan_of().save("plan.toml")
    return tmp_path


def plan_of(**changes: al.Column) -> al.Plan:
    columns = {
        "id": al.identifier(),
        "job": al.quasi("jobs.csv"),
        "age": al.quasi("numeric"),
        "sex": al.quasi("category"),
    }
    return al.Plan(columns | changes, k=2)


def figures(checked: Check) -> dict[str, Any]:
    told = checked.to_dict()
    return {name: told[name] for name in ("unique_combinations", "population", "risk")}


@pytest.mark.usefixtures("folder")
class TestUniqueCombinations:
    def test_of_a_check(self) -> None:
        uniques = plan_of().check(PEOPLE).uniques
        assert uniques is not None
        assert (uniques.people, uniques.unique) == (6, 4)
        assert uniques.ranked() == [
            (("job",), 3),
            (("age",), 2),
            (("job", "age"), 1),
            (("job", "sex"), 1),
        ]
        assert uniques.scores.tolist() == [0, 2, 4, 4, 0, 2]
        assert uniques.contributions.tolist() == pytest.approx([100 * 8 / 12, 100 * 5 / 12, 100 * 1 / 12])
        assert uniques.without.tolist() == [2, 4, 4]

    def test_equal_concepts_are_one_value(self) -> None:
        spelled = PEOPLE.assign(job=["cook", "baker", "smith", "joiner", "cooks", "Cook"])
        assert figures(plan_of().check(spelled)) == figures(plan_of().check(PEOPLE))

    def test_of_an_inspection(self) -> None:
        inspection = inspect(PEOPLE)
        assert inspection.uniques is not None
        assert inspection.uniques.columns == ("job", "age", "sex")
        assert inspection.to_dict()["unique_combinations"]["unique"] == 4
        assert inspect(PEOPLE, combination_size=0).to_dict()["unique_combinations"] is None
        assert inspect(PEOPLE[["id"]]).uniques is None

    def test_smaller_combinations(self) -> None:
        uniques = plan_of().check(PEOPLE, combination_size=1).uniques
        assert uniques is not None
        assert {len(names) for names, _ in uniques.ranked()} == {1}
        assert plan_of().check(PEOPLE, combination_size=0).uniques is None

    def test_persons_with_several_rows(self) -> None:
        twice = pd.concat([PEOPLE, PEOPLE], ignore_index=True)
        alone = plan_of(id=al.unit()).check(PEOPLE).uniques
        both = plan_of(id=al.unit()).check(twice).uniques
        assert alone is not None
        assert both is not None
        assert both.to_dict() == alone.to_dict()
        assert both.scores.tolist() == [*alone.scores.tolist()] * 2

    @pytest.mark.parametrize("unit", [False, True])
    def test_engines_give_the_same(self, unit: bool) -> None:
        plan = plan_of(id=al.unit()) if unit else plan_of()
        people = pd.concat([PEOPLE.assign(id=[f"{x}{i}" for x in PEOPLE["id"]]) for i in range(2)])
        people = pd.concat([people, PEOPLE[:3]], ignore_index=True)
        population = pd.concat([people, people.assign(sex="f")], ignore_index=True)
        table = pa.Table.from_pandas(people, preserve_index=False)
        expected = figures(plan.check(people, population=population))
        expected_inspection = inspect(people, population=population).to_dict()
        for native in (pl.from_arrow(table).lazy(), duckdb.connect().from_arrow(table)):
            assert figures(plan.check(native, population=population)) == expected
            told = inspect(native, population=population).to_dict()
            assert told["unique_combinations"] == expected_inspection["unique_combinations"]
            assert told["population"] == expected_inspection["population"]

    @pytest.mark.parametrize("unit", [False, True])
    def test_engines_give_the_same_with_weights(self, unit: bool) -> None:
        people = pd.concat([PEOPLE.assign(weight=[1.1, 0.7, 3.3, 2.9, 5.7, 0.3])] * 5, ignore_index=True)
        people["id"] = [f"p{row % 20}" for row in range(len(people))]
        plan = plan_of(id=al.unit() if unit else al.keep(), weight=al.weight())
        table, expected = pa.Table.from_pandas(people, preserve_index=False), figures(plan.check(people))
        assert expected["population"]["individual_risk"]["highest"] > 0
        for native in (pl.from_arrow(table).lazy(), duckdb.connect().from_arrow(table)):
            assert figures(plan.check(native)) == expected


@pytest.mark.usefixtures("folder")
class TestPopulation:
    def test_people_are_counted_by_meaning(self) -> None:
        population = pd.DataFrame(
            {"job": ["cooks", "cook", "baker", "smith"], "age": [20, 20, 30, 40], "sex": ["f"] * 4}
        )
        risk = plan_of().check(PEOPLE, population=population).population
        assert risk is not None
        assert risk.counts.tolist() == [2, 0, 1, 0, 2, 0]
        assert risk.to_dict()["fewer_than_in_table"] == 3
        assert risk.to_dict()["expected_reidentifications"] == pytest.approx(1 / 2 + 1 + 1 + 1 + 1 / 2 + 1)

    def test_general_values_are_true_of_those_below(self) -> None:
        """As other tools release them: a label of a hierarchy, a range, a star."""
        general = pd.DataFrame(
            {
                "job": ["kitchen", "kitchen", "workshop", "workshop", "kitchen", "kitchen"],
                "age": ["20-30", "20-30", "40-60", "40-60", "20-30", "20-30"],
                "sex": ["*"] * 6,
            }
        )
        evaluation = plan_of().evaluate(PEOPLE, general, population=PEOPLE)
        assert evaluation.population is not None
        assert evaluation.population.counts.tolist() == [4, 4, 2, 2, 4, 4]
        assert evaluation.uniques is not None
        assert evaluation.uniques.unique == 0

    def test_a_register_with_fewer_columns(self) -> None:
        risk = plan_of().check(PEOPLE, population=PEOPLE[["age", "id"]]).population
        assert risk is not None
        assert risk.columns == ("age",)
        assert risk.counts.tolist() == risk.sizes.tolist() == [2, 2, 1, 1, 2, 2]

    def test_persons_of_the_register_count_once(self) -> None:
        register = pd.concat([PEOPLE, PEOPLE], ignore_index=True)
        risk = plan_of(id=al.unit()).check(PEOPLE, population=register).population
        assert risk is not None
        assert (risk.people, risk.counts.tolist()) == (6, [2, 1, 1, 1, 2, 1])
        named = {"id": "person_id"}
        shouted = register.assign(id=[*PEOPLE["id"], *PEOPLE["id"].str.upper()]).rename(columns=named)
        inspected = inspect(register.rename(columns=named), population=shouted).population
        assert inspected is not None
        assert (inspected.people, inspected.counts.tolist()) == (6, [2, 1, 1, 1, 2, 1] * 2)

    def test_a_register_without_quasi_identifiers_is_refused(self) -> None:
        with pytest.raises(PlanError) as error:
            plan_of().check(PEOPLE, population=PEOPLE[["id"]])
        assert [x.code for x in error.value.problems] == ["population-columns"]
        with pytest.raises(PlanError):
            inspect(PEOPLE, population=PEOPLE[["id"]])

    def test_weights_estimate_it(self) -> None:
        weighted = PEOPLE.assign(survey_weight=[10, 20, 30, 40, 50, 60])
        plan = plan_of(survey_weight=al.weight())
        risk = plan.check(weighted).population
        assert risk is not None
        assert (risk.source, risk.people) == ("weights", 210)
        assert risk.counts.tolist() == [60, 20, 30, 40, 60, 60]
        inspected = inspect(weighted).population
        assert inspected is not None
        assert inspected.to_dict() == risk.to_dict()
        assert plan.check(weighted, population=PEOPLE).population.source == "table"  # type: ignore[union-attr]
        assert plan_of().check(PEOPLE).population is None


def invoke(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


@pytest.mark.usefixtures("folder")
class TestCommands:
    def test_check_writes_the_risk_of_every_row_for_its_owner(self) -> None:
        options = ("check", "people.csv", "--plan", "plan.toml", "--population", "people.csv")
        result = invoke(*options, "--record-risk", "risk.csv")
        assert result.exit_code == 0, result.output
        assert "4 of 6 records are unique in 3 quasi-identifiers." in result.output
        assert "k-map 1" in result.output
        assert stat.S_IMODE(Path("risk.csv").stat().st_mode) == 0o600
        risks = pd.read_csv("risk.csv")
        assert risks["row"].tolist() == [1, 2, 3, 4, 5, 6]
        assert risks["group_size"].tolist() == risks["population_size"].tolist() == [2, 1, 1, 1, 2, 1]
        assert risks["suda_score"].tolist() == [0, 2, 4, 4, 0, 2]
        assert risks["prosecutor_risk"].tolist() == risks["journalist_risk"].tolist() == [0.5, 1, 1, 1, 0.5, 1]

    @pytest.mark.parametrize("target", ["risk.csv", "people.csv", "plan.toml"])
    def test_no_file_is_overwritten(self, target: str) -> None:
        Path("risk.csv").write_text("mine")
        before = Path(target).read_bytes()
        options = ("--plan", "plan.toml", "--record-risk", target)
        for command in (("check", "people.csv"), ("evaluate", "people.csv", "people.csv")):
            result = invoke(*command, *options)
            assert result.exit_code != 0
            assert Path(target).read_bytes() == before

    def test_json(self) -> None:
        told = json.loads(invoke("check", "people.csv", "--plan", "plan.toml", "--json").output)
        assert told["unique_combinations"]["combinations"][0] == {"columns": ["job"], "people": 3}
        told = json.loads(invoke("inspect", "people.csv", "--json", "--population", "people.csv").output)
        assert told["population"]["k_map"] == 1
        told = json.loads(invoke("evaluate", "people.csv", "people.csv", "--plan", "plan.toml", "--json").output)
        assert told["unique_combinations"]["unique"] == 4
        assert told["population"] is None

    def test_evaluate_prints_and_writes_the_risk_after_masking(self) -> None:
        assert invoke("mask", "people.csv", "-o", "masked.csv", "--plan", "plan.toml").exit_code == 0
        options = ("--plan", "plan.toml", "--population", "people.csv", "--record-risk", "risk.csv")
        result = invoke("evaluate", "people.csv", "masked.csv", *options)
        assert result.exit_code == 0, result.output
        assert "0 of 6 records are unique in 3 quasi-identifiers." in result.output
        risks = pd.read_csv("risk.csv")
        assert (risks["group_size"] >= 2).all()
        assert (risks["suda_score"] == 0).all()
        assert np.allclose(
            risks["journalist_risk"], 1 / np.maximum(risks["population_size"], risks["group_size"]), 1e-5
        )

    def test_rows_of_an_engine_have_no_numbers(self) -> None:
        pq.write_table(pa.Table.from_pandas(PEOPLE, preserve_index=False), "people.parquet")
        checked = plan_of().check(pl.scan_parquet("people.parquet"))
        assert checked.record_risk is not None
        with pytest.raises(OptionError, match="no numbers"):
            checked.record_risk.save("risk.csv")
        assert not Path("risk.csv").exists()


@pytest.mark.usefixtures("folder")
def test_the_risk_of_every_row_in_python() -> None:
    record_risk = plan_of().check(PEOPLE).record_risk
    assert record_risk is not None
    assert list(record_risk.columns) == ["row", "group_size", "suda_score", "prosecutor_risk"]
    record_risk.save("risk.csv")
    with pytest.raises(OutputError, match="already exists"):
        record_risk.save("risk.csv")
