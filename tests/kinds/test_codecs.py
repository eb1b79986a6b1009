"""Single cells of columns that a plan was fitted to: read, written, and stored as JSON."""

import datetime
import json
from pathlib import Path

import pandas as pd
import pytest

import allonym as al
from allonym.errors import TableError

FRAME = pd.DataFrame(
    {
        "sex": ["f", "m", "F", "m", None] * 4,
        "school": ["low", "middle", "high", "middle", "low"] * 4,
        "born": ["4 March 2001", "2 January 2000", "30 December 1999", "5 March 2001", "9 May 1998"] * 4,
        "seen": [datetime.date(2020, 1, 1 + i % 5) for i in range(20)],
    }
)
PLAN = al.Plan(
    {
        "sex": al.quasi("category"),
        "school": al.quasi("ordinal", levels=["low", "middle", "high"]),
        "born": al.quasi("date"),
        "seen": al.quasi("date"),
    },
    method="randomise-frequency",
    seed=7,
)
RECORDS = FRAME.astype(object).where(FRAME.notna(), None).to_dict("records")


def test_a_row_alone_and_a_table_are_masked_alike() -> None:
    table, fitted = PLAN.run(FRAME).frame, PLAN.fit(FRAME)
    alone = [fitted.mask_one(record, key=row) for row, record in enumerate(RECORDS)]
    assert alone == table.astype(object).where(table.notna(), None).to_dict("records")


def test_values_come_from_the_table_and_null_stays() -> None:
    masked = PLAN.run(FRAME).frame
    for column in FRAME:
        assert set(masked[column].dropna()) <= set(FRAME[column].dropna())
    assert masked["sex"].isna().tolist() == FRAME["sex"].isna().tolist()


def test_a_stored_plan_writes_the_same_cells(tmp_path: Path) -> None:
    fitted = PLAN.fit(FRAME)
    expected = [PLAN.fit(FRAME).mask_one(record, key=row) for row, record in enumerate(RECORDS)]
    fitted.save(tmp_path / "fit.json", stream=True)
    loaded = al.Fitted.load(tmp_path / "fit.json", resume=True)
    assert [loaded.mask_one(record, key=row) for row, record in enumerate(RECORDS)] == expected


@pytest.mark.parametrize(("column", "cell"), [("sex", "unheard"), ("school", "unheard"), ("born", "2001 to 2003")])
def test_a_cell_that_the_table_cannot_have_is_refused(column: str, cell: str) -> None:
    with pytest.raises(TableError, match=column) as error:
        PLAN.fit(FRAME).mask_one(RECORDS[0] | {column: cell})
    assert cell not in str(error.value)


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("sex", {"spellings": {"f": "x"}}),
        ("school", {"levels": ["low", "low"]}),
        ("school", {"values": [7], "counts": [1]}),
        ("born", {"format": {"unit": "day"}}),
        ("born", {"values": ["soon"], "counts": [1]}),
    ],
)
def test_damaged_figures_are_refused(tmp_path: Path, column: str, change: dict[str, object]) -> None:
    path = tmp_path / "fit.json"
    PLAN.fit(FRAME).save(path)
    stored = json.loads(path.read_text("utf-8"))
    stored["columns"][column] |= change
    path.write_text(json.dumps(stored), "utf-8")
    with pytest.raises(TableError, match="damaged"):
        al.Fitted.load(path)
