"""What `inspect` proposes for made-up columns, and that plans take its proposals."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import allonym as al
from allonym.pipeline.inspect import ColumnInspection, inspect
from cli.running import run
from pipeline.made_up_columns import ORDINAL, ROWS
from pipeline.made_up_columns import TABLES as FIRST_TABLES
from pipeline.more_made_up_columns import MORE_TABLES

TABLES = {**FIRST_TABLES, **MORE_TABLES}
COLUMNS = [(table, name) for table, columns in TABLES.items() for name in columns]


def cells_of(table: str) -> dict[str, list[object]]:
    """Return the cells of all columns of a made-up table."""
    return {name: [cell(row) for row in range(ROWS)] for name, (cell, _) in TABLES[table].items()}


def proposal(column: ColumnInspection) -> str:
    """Return a proposal in one word: the role of a column that is dropped or weights, else its kind."""
    if column.role in ("identifier", "unit", "weight"):
        return column.role
    return "words" if column.ontology else column.kind


@pytest.fixture(scope="module")
def inspected() -> dict[tuple[str, str], ColumnInspection]:
    found = {table: inspect(pd.DataFrame(cells_of(table)), combination_size=0) for table in TABLES}
    return {(table, x.name): x for table, inspection in found.items() for x in inspection.columns}


@pytest.mark.parametrize(("table", "name"), COLUMNS, ids=lambda x: x)
def test_a_data_steward_accepts_the_proposal(
    table: str, name: str, inspected: dict[tuple[str, str], ColumnInspection]
) -> None:
    assert proposal(inspected[table, name]) in TABLES[table][name][1]


def test_every_column_has_evidence_without_cells(inspected: dict[tuple[str, str], ColumnInspection]) -> None:
    for (table, name), column in inspected.items():
        assert column.evidence, (table, name)
        for x in column.evidence:
            assert x.code
            assert x.text.endswith("."), x
    told = " ".join(x.text for x in inspected["hospital", "Diagnosis"].evidence)
    assert "pneumonia" not in told
    assert "10 distinct values in 600 cells." in told


def test_levels_go_from_low_to_high(inspected: dict[tuple[str, str], ColumnInspection]) -> None:
    assert inspected["airline", "q7"].levels == (
        "Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"
    )  # fmt: skip
    assert inspected["hospital", "Age Group"].levels == ("0 to 17", "18 to 29", "30 to 49", "50 to 69", "70 or Older")
    assert inspected["credit", "employment"].levels == (
        "less than 1 year", "1 to 4 years", "4 to 7 years", "7 years or more"
    )  # fmt: skip
    assert inspected["airline", "q7"].column() == al.quasi(ORDINAL, levels=inspected["airline", "q7"].levels)


@pytest.mark.parametrize("table", TABLES)
def test_the_proposed_plan_masks_the_table(table: str, tmp_path: Path) -> None:
    file, plan = tmp_path / "table.csv", tmp_path / "plan.toml"
    pd.DataFrame(cells_of(table)).to_csv(file, index=False)
    inspect(file, combination_size=0).plan().save(plan)
    check = al.Plan.load(plan).check(file)
    assert {x.code for x in check.problems} <= {"to-review", "unmatched"}
    masked = tmp_path / "masked.csv"
    reviewed = ["--accept", "review", "--rest", "category"]
    run("mask", str(file), "-o", str(masked), "--plan", str(plan), *reviewed, "--k", "3", "--method", "mdav")
    assert masked.exists()


def test_evidence_is_in_the_dictionary(inspected: dict[tuple[str, str], ColumnInspection]) -> None:
    told = inspected["survey", "zipcode"].to_dict()
    assert [x["code"] for x in told["evidence"]] == ["distinct", "fixed-width", "name-of-codes"]
    assert told["evidence"][1]["text"] == "Every value has 5 digits."
    assert inspected["airline", "Class"].to_dict()["levels"] == ["Eco", "Eco Plus", "Business"]


def test_names_that_repeat_are_dropped_and_record_numbers_need_a_unit() -> None:
    names = [f"N{x % 300}sen" for x in range(600)]
    first = [f"Ann{x % 25}" for x in range(600)]

    def roles(**columns: list[str]) -> dict[str, str]:
        return {x.name: x.role for x in inspect(pd.DataFrame(columns)).columns}

    assert roles(last_name=names, first_name=first) == {"last_name": "identifier", "first_name": "identifier"}
    serial = [f"A{x:05}" for x in range(600)]
    assert roles(last_name=names, serial=serial) == {"last_name": "identifier", "serial": "identifier"}
    case, mrn = [f"A{x % 200:05}" for x in range(600)], [f"M{x % 500:05}" for x in range(600)]
    assert roles(last_name=names, policy_no=case, mrn=mrn) == {
        "last_name": "identifier", "policy_no": "identifier", "mrn": "unit"
    }  # fmt: skip
    homes = [f"h{x % 250}" for x in range(600)]
    assert roles(hh_id=homes, last_name=names) == {"hh_id": "household", "last_name": "identifier"}
