"""Changes of releases: from files, lists, long tables, frames and engines; what rests on links; rare values."""

from __future__ import annotations

import csv
import io
import json
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from shared import same_key

import allonym as al
from allonym.errors import OptionError, OutputError
from cli.running import run

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
DIRTY = Path(__file__).parents[1] / "data" / "survey-dirty.csv"
ROLES = ("--quasi", "reason=wordnet", "--quasi", "activity=wordnet", "--quasi", "age=numeric", "--unit", "visitor",
         "--keep-rest", "--accept-review", "--unmatched", "opaque", "--k", "3", "--represent", "centroid")  # fmt: skip
WORDS = ["cook", "cooks", "Cook", "baker", "smith", "welder", "nurse", "zzz", "yyy"]


def table_of(n: int = 120) -> pa.Table:
    """Return a table with spellings, nulls, numbers written in several ways, booleans, dates and lists."""
    return pa.table(
        {
            "job": [WORDS[i * i % 9] if i % 11 else None for i in range(n)],
            "age": [["20", "20.0", "31", "44,5", "60", ""][i * 7 % 6].replace(",", ".") for i in range(n)],
            "born": pa.array([pd.Timestamp(2020 + i % 5, 1, 1).date() for i in range(n)]),
            "member": [bool(i % 3) for i in range(n)],
            "size": [("small", "medium", "large", "NA")[i % 4] for i in range(n)],
        }
    )


def plan_of(**changes: Any) -> al.Plan:
    columns = {
        "job": al.quasi(JOBS, unmatched="opaque", accept_review=True),
        "age": al.quasi("numeric"),
        "born": al.quasi("category"),
        "member": al.quasi("category"),
        "size": al.quasi("ordinal", levels=["small", "medium", "large"]),
    }
    return al.Plan(columns, k=4, seed=1, **changes)


def differing(before: list[Any], after: list[Any]) -> int:
    """Count the cells that differ; null and the empty text are the same."""
    return sum((a or "" if a is not False else a) != (b or "" if b is not False else b)
               for a, b in zip(before, after, strict=True))  # fmt: skip


def test_every_kind_is_counted_on_what_is_written() -> None:
    table = table_of()
    release = plan_of(parameters={"represent": "centroid"}).run(table)
    for name in table.column_names:
        before, after = table[name].to_pylist(), release.frame[name].to_pylist()
        own = release.changes.columns[name]
        assert own.counts.changed == differing(before, after)
        assert own.counts.changed == own.counts.meaning_changed + own.counts.spelling_only
        assert sum(x.cells for x in own.replacements) == own.counts.changed
        assert release.summary["changes"]["by_column"][name]["changed"] == own.counts.changed
    assert release.changes.columns["age"].counts.spelling_only > 0  # 20.0 is written 20
    assert {x.released for x in release.changes.columns["age"].replacements if x.original == "20.0"} >= {"20"}


@pytest.mark.parametrize("open_table", [lambda x: pl.from_arrow(x).lazy(), lambda x: duckdb.connect().from_arrow(x)])
@pytest.mark.parametrize("method", ["sa-mdav", "fusion", "abril"])
def test_engines_count_the_same(open_table: Any, method: str) -> None:
    table, plan = table_of(), replace(plan_of(method=method), seed=None)
    with same_key():
        eager, lazy = plan.run(table), plan.run(open_table(table))
    assert lazy.summary["changes"] == eager.summary["changes"]
    for name, own in eager.changes.columns.items():
        assert lazy.changes.columns[name].replacements == own.replacements
        assert lazy.replacements(name) == eager.replacements(name)


def test_an_engine_that_masks_row_by_row_counts_nothing(tmp_path: Path) -> None:
    plan = al.Plan({"job": al.quasi(JOBS, unmatched="suppress", accept_review=True)}, method="noise",
                   parameters={"alpha": 0.3}, keep_rest=True)  # fmt: skip
    release = plan.run(pl.from_arrow(table_of()).lazy())
    assert release.summary["changes"] == {}
    assert release.changes is None
    for call in (lambda: release.replacements("job"), lambda: release.save_replacements(tmp_path / "r.csv")):
        with pytest.raises(OutputError, match="not measured"):
            call()


def test_a_value_too_rare_to_be_written_is_lost_and_counts_as_lost() -> None:
    """Null stands for a category that fewer than k hold: it is a change of meaning, with a loss."""
    frame = pd.DataFrame({"town": ["Ulm"] * 2 + ["Bonn"] + ["?"] * 4 + ["Rome"] * 3, "age": [*"1119999555"]})
    plan = al.Plan({"town": al.quasi("category"), "age": al.quasi("category")}, k=3)
    release = plan.run(frame)
    assert set(release.frame["town"]) == {"?", "Rome"}  # as the column writes null
    assert release.summary["suppressed_cells"] == {"town": 3, "age": 0}
    assert release.summary["nulls"]["by_column"] == {"town": {"values": 6, "cells": 3, "by_reason": {"rare": 3}}}
    assert release.changes.columns["town"].counts.set_to_null == 3
    assert release.changes.columns["town"].counts.meaning_changed == 3
    assert release.summary["measures"]["information_loss"]["by_column"]["town"] > 0
    evaluation = plan.evaluate(frame, release.frame).summary
    assert evaluation["changes"] == release.summary["changes"]
    losses = [x["measures"]["information_loss"]["value"] for x in (evaluation, release.summary)]
    assert losses[0] == pytest.approx(losses[1])


def test_a_file_is_counted_on_its_text(tmp_path: Path) -> None:
    run("mask", str(DIRTY), "-o", str(tmp_path / "m.csv"), *ROLES, "--row-map", str(tmp_path / "rows.csv"),
        "--replacements", str(tmp_path / "r.csv"), "--summary", str(tmp_path / "s.json"))  # fmt: skip
    before, after, order = (
        list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig")), delimiter=sign))
        for path, sign in ((DIRTY, ";"), (tmp_path / "m.csv", ";"), (tmp_path / "rows.csv", ","))
    )
    pairs = [(before[int(x["input_row"]) - 1], after[int(x["release_row"]) - 1]) for x in order]
    summary = json.loads((tmp_path / "s.json").read_text())["changes"]
    listed = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    for name in ("reason", "activity", "age"):
        texts = [(a[name].strip(), b[name].strip()) for a, b in pairs]  # blanks around a cell are no text
        expected = Counter((a, b) for a, b in texts if a != b)
        assert summary["by_column"][name]["changed"] == expected.total()
        found = Counter[tuple[str, str]]()
        for x in listed:
            found.update({(x["original"], x["released"]): int(x["cells"])} if x["column"] == name else {})
        assert found == expected
    assert summary["spelling_only"] > 50
    assert [int(x["cells"]) for x in listed] == sorted((int(x["cells"]) for x in listed), reverse=True)
    united = {(x["original"], x["released"]) for x in listed if x["change"] == "spelling"}
    assert ("beaches", "beach") in united
    assert stat.S_IMODE((tmp_path / "r.csv").stat().st_mode) == 0o600


def test_sets_count_cells_and_items() -> None:
    rows = ["cook;baker", "baker; cook", "cooks", "smith;zzz", "smith", "smith;welder"] * 3
    plan = al.Plan({"skills": al.quasi(JOBS, kind="set", unmatched="opaque", accept_review=True)}, k=3, seed=2)
    for cells in (rows, [[x.strip() for x in row.split(";")] for row in rows]):
        frame = pl.DataFrame({"skills": cells})
        release = plan.run(frame)
        released = release.frame["skills"].to_list()
        own = release.changes.columns["skills"]
        assert own.counts.changed == differing(list(cells), released)
        items = own.items
        before, after = (
            [{i.strip() for i in (x.split(";") if isinstance(x, str) else x or [])} for x in column]
            for column in (cells, released)
        )
        assert items.original == sum(map(len, before))
        assert items.released == sum(map(len, after))
        assert items.removed == sum(len(a - b) for a, b in zip(before, after, strict=True))
        assert items.added == sum(len(b - a) for a, b in zip(before, after, strict=True))
        assert plan.evaluate(frame, release.frame).summary["changes"] == release.summary["changes"]


def test_the_order_of_items_in_a_long_table_is_no_text() -> None:
    rows = [(unit, item) for unit in range(12) for item in (("cook", "baker") if unit % 2 else ("baker", "cook"))]
    frame = pd.DataFrame(rows, columns=["unit", "item"])
    columns = {"unit": al.unit(), "item": al.quasi(JOBS, kind="set")}
    release = al.Plan(columns, k=3, long=True).run(frame)
    assert release.changes.counts.changed == 0


# --- links that nobody reviewed -----------------------------------------------------------------------------------


def people(**column: Any) -> dict[str, Any]:
    """Mask some jobs and return the counts of their links."""
    frame = pd.DataFrame({"job": ["cook"] * 4 + ["cooks"] * 2 + ["head cook"] * 3 + ["zzz", None]})
    plan = al.Plan({"job": al.quasi(JOBS, unmatched="opaque", accept_review=True, **column)}, k=2)
    counts = plan.run(frame).changes.counts
    return {"unreviewed": counts.unreviewed, "doubtful": counts.doubtful}


def links_file(folder: Path, text: str) -> Path:
    path = folder / "job.links.csv"
    path.write_text(text)
    return path


def test_links_nobody_settled_are_unreviewed_and_some_of_them_doubtful(tmp_path: Path) -> None:
    assert people() == {"unreviewed": 9, "doubtful": 3}
    assert people(links={"cook": "cook", "head cook": "cook"}) == {"unreviewed": 2, "doubtful": 0}
    reviewed = "value,concept,status,proposed\ncook,cook,sure,cook\nhead cook,cook,sure,cook\n"
    assert people(links=links_file(tmp_path, reviewed)) == {"unreviewed": 2, "doubtful": 0}
    waiting = "value,concept,status,proposed\ncook,cook,sure,cook\nhead cook,cook,review,cook\n"
    assert people(links=links_file(tmp_path, waiting)) == {"unreviewed": 5, "doubtful": 3}


def test_rows_of_a_links_file_that_are_as_they_were_proposed_are_unreviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("jobs.csv").write_text("job\n" + "cook\n" * 4 + "cooks\n" * 2 + "head cook\n" * 3)
    tree = str(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
    run("link", "jobs.csv", "--column", "job", "--ontology", tree, "-o", "links.csv")
    rows = list(csv.DictReader(io.StringIO(Path("links.csv").read_text())))
    assert {x["value"]: x["proposed_status"] for x in rows} == {"cook": "sure", "cooks": "sure", "head cook": "review"}
    assert people(links="links.csv") == {"unreviewed": 9, "doubtful": 3}

    def edited(**cells: str) -> Path:
        own = [x | cells if x["value"] == "head cook" else x for x in rows]
        with Path("edited.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0], *(x for x in cells if x not in rows[0])], "")
            writer.writeheader()
            writer.writerows(own)
        return Path("edited.csv")

    assert people(links=edited(status="sure")) == {"unreviewed": 6, "doubtful": 0}
    assert people(links=edited(concept="baker")) == {"unreviewed": 6, "doubtful": 0}


def test_a_links_file_that_says_who_settled_a_value_counts_only_those(tmp_path: Path) -> None:
    by = "value,concept,status,by\ncook,cook,sure,\ncooks,cook,sure,hand\nhead cook,cook,sure,hand\n"
    assert people(links=links_file(tmp_path, by)) == {"unreviewed": 4, "doubtful": 0}


# --- the list of replacements -------------------------------------------------------------------------------------


def test_the_list_is_shown_and_written_only_if_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plain = run("mask", str(DIRTY), "-o", "m.csv", *ROLES)
    assert "--replacements FILE lists them" in plain
    assert "beaches" not in plain
    assert "cells changed" in plain
    assert "unreviewed links" in plain
    shown = run("mask", str(DIRTY), "-o", "m.csv", *ROLES, "--replacements", "r.csv")
    assert "distinct; see r.csv" in shown
    assert "beaches" in shown
    assert " more: see r.csv" in shown
    hidden = run("mask", str(DIRTY), "-o", "m.csv", *ROLES, "--replacements", "r.csv", "--hide-values")
    assert "beaches" not in hidden
    assert "replacements" not in json.loads(run("mask", str(DIRTY), "-o", "m.csv", *ROLES, "--json"))
    told = json.loads(run("mask", str(DIRTY), "-o", "m.csv", *ROLES, "--json", "--replacements", "r.json"))
    assert told["replacements"] == json.loads(Path("r.json").read_text())
    words = ("--json", "--replacements", "r.json", "--hide-values")
    assert "replacements" not in json.loads(run("mask", str(DIRTY), "-o", "m.csv", *ROLES, *words))
    first = told["replacements"]["reason"][0]
    assert list(first) == ["original", "released", "cells", "change", "distance"]
    assert sum(x["cells"] for x in told["replacements"]["reason"]) == told["changes"]["by_column"]["reason"]["changed"]
    with pytest.raises(OptionError, match="standard output"):
        run("mask", str(DIRTY), "-o", "m.csv", *ROLES, "--replacements", "-")


def test_a_file_of_replacements_has_no_formula(tmp_path: Path) -> None:
    frame = pd.DataFrame({"note": ["b"] * 9 + ["=1+1"] * 3, "x": ["u"] * 12})
    release = al.Plan({"note": al.quasi("category"), "x": al.quasi("category")}, k=9).run(frame)
    release.save_replacements(tmp_path / "r.csv")
    assert "'=1+1" in (tmp_path / "r.csv").read_text()
    release.save_replacements(tmp_path / "r.json")
    assert "=1+1" in {x["original"] for x in json.loads((tmp_path / "r.json").read_text())["note"]}


def test_an_evaluation_lists_the_same_replacements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("demo", "-o", "d")
    run(
        "mask",
        "d/survey.csv",
        "-o",
        "m.csv",
        "--plan",
        "d/plan.toml",
        "--row-map",
        "rows.csv",
        "--replacements",
        "r.csv",
    )
    words = ("evaluate", "d/survey.csv", "m.csv", "--plan", "d/plan.toml", "--row-map", "rows.csv")
    shown = run(*words, "--replacements", "e.csv")
    assert "cells changed" in shown
    assert "more: see e.csv" in shown
    assert Path("e.csv").read_text() == Path("r.csv").read_text()
    told = json.loads(run(*words, "--json"))
    assert "replacements" not in told
    assert told["changes"]["changed"] == sum(
        int(x["cells"]) for x in csv.DictReader(io.StringIO(Path("r.csv").read_text()))
    )
    with pytest.raises(OutputError, match="is the data itself"):
        run(*words, "--replacements", "m.csv")


def test_many_unreviewed_links_are_cautioned_about() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 40 + ["head cook"] * 2 + ["smith"] * 58})
    text = "Links that nobody reviewed (job: {} of 100 cells, {} of them doubtful): a wrong link gives"

    def cautions(**links: str) -> list[str]:
        column = al.quasi(JOBS, accept_review=True, links={name.replace("_", " "): x for name, x in links.items()})
        report = al.Plan({"job": column}, k=2).run(frame).report
        assert not any("nobody reviewed" in x for x in report.published().cautions)
        return [x for x in report.cautions if "nobody reviewed" in x]

    assert [x.startswith(text.format(100, 2)) for x in cautions()] == [True]
    assert [x.startswith(text.format(42, 2)) for x in cautions(smith="smith")] == [True]
    assert cautions(smith="smith", cook="cook") == []


def test_reports_have_the_counts_and_the_public_one_has_none(tmp_path: Path) -> None:
    frame = table_of().to_pandas()
    report = plan_of().run(frame).report
    page = report.html()
    assert "Changed cells" in page
    assert "20.0" in page
    assert sum(x.cells for x in report.replacements["job"]) == report.changed_cells[0].counts.changed
    assert report.changed_cells[-1].column == ""
    public = report.published()
    assert "Changed cells" not in public.html()
    assert not public.changed_cells
    assert not public.replacements
    assert "changes" not in public.summary
