"""Columns of sets: lists, delimited text, long tables; what is written, verified and measured."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slow_sets as slow
from click.testing import CliRunner
from shared import same_key

import allonym as al
from allonym.cli import app
from allonym.errors import PlanError, ReleaseError, TableError
from allonym.measures.measurement import QUESTIONS
from allonym.privacy import km_anonymity
from allonym.tables.csv import TextFile
from allonym.tables.long import one_row_per_unit
from allonym.tables.second_reader import joined

FOOD = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
WORDS = ["cook", "baker", "smith", "welder", "nurse", "cooks"]
METHODS = ("sa-mdav", "sa-mdav-static", "s-mdav", "mdav", "fusion", "recoding", "recoding-ordered")


def baskets(n: int = 60, seed: int = 1, words: list[str] = WORDS) -> list[list[str]]:
    """Draw sets of words."""
    rng = np.random.default_rng(seed)
    return [sorted(set(rng.choice(words, rng.integers(1, 5)).tolist())) for _ in range(n)]


def plan_of(method: str = "s-mdav", k: int = 3, **options: Any) -> al.Plan:
    """Return a plan for one column of sets."""
    changes = {x: options.pop(x) for x in ("long", "keep_rest", "seed") if x in options}
    columns: dict[str, al.Column] = options.pop("columns", {})
    what = options.pop("what", FOOD)
    columns = {"items": al.quasi(what, kind="set", accept_review=True, **options)} | columns
    return al.Plan(columns, method=method, k=k, **changes)


def groups(sets: list[Any]) -> Counter[Any]:
    return Counter(frozenset(x) if x is not None else None for x in sets)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("distance", ["min-sum", "avg", "min", "max", "max-sum"])
def test_every_set_occurs_k_times_by_every_method_and_distance(method: str, distance: str) -> None:
    frame = pd.DataFrame({"items": baskets()})
    done = plan_of(method, distance=distance).run(frame)
    found = groups(done.frame["items"].tolist())
    assert min(found.values()) == done.summary["privacy"][0]["reached"] >= 3
    assert {x for items in found for x in items} <= {*WORDS, *FOOD.labels}
    if method == "fusion":
        meant = {frozenset(x.replace("cooks", "cook") for x in items) for items in frame["items"]}
        assert {frozenset(x.replace("cooks", "cook") for x in items) for items in found} <= meant


@same_key()
def test_all_forms_give_the_same_release(tmp_path: Path) -> None:
    sets = baskets()
    plan = replace(plan_of(), row_order="keep")
    lists = pd.DataFrame({"items": sets})
    expected = [frozenset(x) for x in plan.run(lists).frame["items"]]
    text = pd.DataFrame({"items": ["|".join(x) for x in sets]})
    by_text = plan_of(separator="|").run(text).frame["items"]
    assert [frozenset(x.split("|")) for x in by_text] == expected
    arrow = pa.table({"items": sets})
    for frame in (arrow, pl.DataFrame({"items": sets})):
        done = plan.run(frame).frame
        assert type(done) is type(frame)
        assert [frozenset(x) for x in done["items"].to_pylist() if x] == expected if frame is arrow else True
    pq.write_table(arrow, tmp_path / "in.parquet")
    plan.run(tmp_path / "in.parquet", tmp_path / "out.parquet")
    read = pq.read_table(tmp_path / "out.parquet")
    assert read.schema.field("items").type == arrow.schema.field("items").type
    assert [frozenset(x) for x in read["items"].to_pylist()] == expected
    lines = [json.dumps({"id": i, "items": x, "note": {"a": 1.5}}) for i, x in enumerate(sets)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    kept = replace(plan, columns=plan.columns | {"id": al.keep()}, keep_rest=True)
    kept.run(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    back = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [frozenset(x["items"]) for x in back] == expected
    assert [(x["id"], x["note"]) for x in back] == [(i, {"a": 1.5}) for i in range(len(sets))]
    rows = [f"c{i},{item},{'x' * (i % 2)}" for i, items in enumerate(sets) for item in items]
    (tmp_path / "in.csv").write_text("\n".join(["who,items,side", *rows]) + "\n")
    long = replace(plan, columns=plan.columns | {"who": al.unit(), "side": al.keep()}, long=True)
    long.save(tmp_path / "plan.toml") if FOOD.source.path else None
    long.run(tmp_path / "in.csv", tmp_path / "out.csv")
    written = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    assert [frozenset(x) for _, x in written.groupby(written["who"].astype(int))["items"]] == expected
    assert list(dict.fromkeys(written["who"])) == [str(i + 1) for i in range(len(sets))]
    assert written.groupby("who")["side"].nunique().max() == 1
    frame = pd.read_csv(tmp_path / "in.csv", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(long.run(frame).frame.astype(str), written.astype(str))
    found = long.evaluate(tmp_path / "in.csv", tmp_path / "out.csv")
    assert found.privacy[0]["holds"]
    assert found.records == len(sets)


def test_sets_are_masked_together_with_other_columns() -> None:
    sets = baskets(80)
    frame = pd.DataFrame({"items": sets, "age": [20 + i % 40 for i in range(80)], "sex": ["f", "m"] * 40})
    plan = plan_of("sa-mdav", columns={"age": al.quasi("numeric"), "sex": al.quasi("category")})
    done = plan.run(frame)
    rows = Counter((frozenset(a), b, c) for a, b, c in done.frame[["items", "age", "sex"]].itertuples(index=False))
    assert min(rows.values()) >= 3
    assert set(done.summary["measures"]["information_loss"]["by_column"]) == {"items", "age", "sex"}


def test_terms_are_those_that_k_units_hold_drawn_by_their_number_else_labels() -> None:
    sets = [["cook"]] * 10 + [["cooks"]] * 80 + [["Cook"]] * 2
    seen: Counter[str] = Counter()
    for seed in range(60):
        done = plan_of(k=5, seed=seed).run(pd.DataFrame({"items": sets}))
        [term] = {x for items in done.frame["items"] for x in items}
        seen[term] += 1
    assert set(seen) == {"cook", "cooks"}
    assert 0.75 < seen["cooks"] / 60 < 1  # 80 of 90
    rare = plan_of(k=5).run(pd.DataFrame({"items": [["Cook"]] * 3 + [["COOKS"]] * 3}))
    assert {x for items in rare.frame["items"] for x in items} == {"cook"}


def test_unknown_items_go_by_the_policy() -> None:
    frame = pd.DataFrame({"items": [["cook", "zzz"]] * 5 + [["cook", "yyy"]] * 2})
    with pytest.raises(PlanError, match=r"2 values .* not understood"):
        plan_of().run(frame)
    opaque = plan_of(unmatched="opaque").run(frame).frame["items"]
    assert {x for items in opaque for x in items} == {"cook", "zzz"}  # yyy has too few
    suppressed = plan_of(unmatched="suppress").run(frame)
    assert {x for items in suppressed.frame["items"] for x in items} == {"cook"}
    assert suppressed.summary["suppressed_cells"] == {"items": 7}


def test_items_may_be_categories() -> None:
    frame = pd.DataFrame({"items": ["a;b", "a;b", "a;c", "a;c", "q", "q"]})
    done = plan_of(k=2, what=None, elements="category").run(frame)
    assert list(done.frame["items"]) == list(frame["items"])
    with pytest.raises(PlanError, match="items that are categories have no ontology"):
        plan_of(elements="category")


def test_null_and_the_empty_set_are_told_apart_in_lists() -> None:
    frame = pa.table({"items": pa.array([None] * 3 + [[]] * 3 + [["cook"]] * 3, pa.list_(pa.string()))})
    done = plan_of().run(frame)
    assert done.frame["items"].to_pylist() == [None] * 3 + [[]] * 3 + [["cook"]] * 3


def test_noun_phrases_of_items_count_one_by_one() -> None:
    frame = pd.DataFrame({"items": [["a new cook for the baker"], ["baker", "cook"]] * 3})
    done = plan_of(k=6, phrases=True, represent="medoid").run(frame)
    assert {frozenset(x) for x in done.frame["items"]} <= {
        frozenset({"baker", "cook"}),
        frozenset({"baker", "new cook"}),
    }


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"distance": "nearest"}, "unknown distance 'nearest'"),
        ({"separator": ""}, "the separator is empty"),
        ({"phrases": 1}, "phrases must be true or false"),
        ({"long": True}, "a long table needs one column of sets and a column with the role unit"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        plan_of(**options)


def test_only_sets_have_what_sets_have() -> None:
    with pytest.raises(PlanError, match="separator does not apply to a column of kind category"):
        al.Plan({"a": al.quasi("category", separator="|")})
    with pytest.raises(PlanError, match="cannot have the role sensitive"):
        al.Plan({"a": al.quasi("category"), "b": al.sensitive(kind="set")})
    with pytest.raises(PlanError, match="method abril does not mask columns of kind set"):
        plan_of("abril").run(pd.DataFrame({"items": baskets()}))


def test_a_long_table_keeps_only_what_a_unit_has_in_common(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("who,items,day\na,cook,1\na,baker,2\nb,cook,1\nc,cook,1\n")
    plan = plan_of(k=2, long=True, columns={"who": al.unit(), "day": al.keep()})
    with pytest.raises(PlanError, match="Column day is not the same in all rows of 1 unit"):
        plan.run(source, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
    dropped = replace(plan, columns=plan.columns | {"day": al.identifier()})
    dropped.run(source, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().startswith("who,items\n1,")
    with pytest.raises(TableError, match="A long table needs who"):
        dropped.run(pd.DataFrame({"items": ["cook"], "day": ["1"]}))


def test_a_long_release_with_a_rare_set_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "in.csv"
    source.write_text("who,items\n" + "".join(f"p{i},cook\n" for i in range(4)))
    plan = plan_of(k=4, long=True, columns={"who": al.unit()})
    honest = TextFile.save

    def dishonest(self: TextFile, changed: Any, path: Path, **options: Any) -> None:
        honest(self, [b"".join(changed) + b"1,baker\n"], path, **options)

    monkeypatch.setattr(TextFile, "save", dishonest)
    with pytest.raises(ReleaseError, match="k = 4 was promised, but a group of the release has only"):
        plan.run(source, tmp_path / "out.csv")


# --- figures -------------------------------------------------------------------------------------------------------


def test_the_loss_of_sets_and_its_floor_are_those_of_the_formula() -> None:
    parents = {c: FOOD.parents_of(c).tolist() for c in range(len(FOOD))}
    words = ["cook", "baker", "smith", "welder", "nurse"]
    code = {x: FOOD.code(x) for x in {*words, *FOOD.labels}}
    sets = baskets(words=words)
    done = plan_of().run(pd.DataFrame({"items": sets}))
    original, masked = ([frozenset(code[x] for x in items) for items in xs] for xs in (sets, done.frame["items"]))
    for name, way in (("set_loss", "avg"), ("set_loss_min_sum", "min-sum")):
        expected = slow.set_loss(way, lambda a, b: slow.delta(parents, a, b), original, masked)
        told = done.summary["measures"][name]
        assert (told["value"], told["before"]) == pytest.approx(expected)
    assert done.summary["measures"]["set_loss_min_sum"]["before"] == 0


def test_km_anonymity_counts_every_combination() -> None:
    sets = [frozenset(x) for x in baskets(40)]
    for k, m in ((2, 1), (3, 2), (5, 3)):
        below = slow.km_violations(sets, k, m)
        least, number = km_anonymity(sets, [1] * len(sets), k, m)
        assert number == len(below)
        assert (least < k) == bool(below)
        if below:
            assert least == min(below.values())


def test_km_anonymity_is_told_of_any_release(tmp_path: Path) -> None:
    frame = pd.DataFrame({"items": ["a;b"] * 3 + ["a;c", "b;c", "a"]})
    plan = plan_of(k=3, what=None, elements="category")
    asked = plan.evaluate(frame, frame, m=1).privacy[-1]
    assert (asked["model"], asked["reached"], asked["holds"], asked["combinations_below"]) == (
        "k^1-anonymity",
        2,
        False,
        1,
    )
    done = plan.run(frame)
    told = plan.evaluate(frame, done.frame).privacy[-1]
    assert (told["model"], told["holds"]) == ("k^2-anonymity", True)
    frame.assign(id=range(6)).to_csv(tmp_path / "in.csv", index=False)
    plan = replace(plan, keep_rest=True)
    plan.save(tmp_path / "plan.toml")
    files = [str(tmp_path / x) for x in ("in.csv", "in.csv")]
    shown = CliRunner().invoke(app, ["evaluate", *files, "--plan", str(tmp_path / "plan.toml"), "--items", "1"])
    assert "k^1-anonymity" in shown.stdout
    assert "How far are sets from their replacements, by avg? (Σ d²)" in shown.stdout
    assert max(map(len, QUESTIONS.values())) <= 58  # figures must fit beside them on 80 columns


def test_the_command_masks_sets_in_every_form(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(
        "id,items\n" + "".join(f"{i},{'|'.join(x)}\n" for i, x in enumerate(baskets(words=["dog", "cat"])))
    )
    options = ["--set", "items=wordnet:animal", "--separator", "|", "--set-distance", "avg", "--accept-review"]
    done = CliRunner().invoke(app, ["mask", str(source), "-o", str(target), *options, "--keep", "id", "--k", "3"])
    assert done.exit_code == 0, done.output
    assert min(Counter(pd.read_csv(target)["items"]).values()) >= 3
    source.write_text("who,items\n" + "".join(f"{i},dog\n{i},cat\n" for i in range(5)))
    options = ["--set", "items=category", "--unit", "who", "--long", "--k", "3", "--row-order", "keep"]
    done = CliRunner().invoke(app, ["mask", str(source), "-o", str(target), *options])
    assert done.exit_code == 0, done.output
    assert target.read_text() == "who,items\n" + "".join(f"{i},cat\n{i},dog\n" for i in range(1, 6))


def test_a_first_look_takes_lists_and_separated_words_for_sets() -> None:
    from allonym.pipeline.inspect import inspect

    sets = baskets(words=["dog", "cat", "horse", "parrot"])
    for column in (sets, [";".join(x) for x in sets]):
        found = inspect(pd.DataFrame({"likes": column}))
        assert (found.columns[0].kind, found.columns[0].role) == ("set", "quasi")
        plan = found.plan()
        assert plan.columns["likes"].kind == "set"
        assert replace(plan, columns={"likes": replace(plan.columns["likes"], accept_review=True)}, k=3).run(
            pd.DataFrame({"likes": column})
        )


# --- what other files are like --------------------------------------------------------------------------------------


def test_km_anonymity_counts_persons_where_there_are_units() -> None:
    frame = pd.DataFrame({"who": ["p0"] * 6 + [f"p{i}" for i in range(1, 9)], "items": ["a;v"] * 6 + ["a;b"] * 8})
    plan = plan_of(k=5, what=None, elements="category", columns={"who": al.unit()})
    told = plan.evaluate(frame, frame[["items"]], m=1).privacy[-1]
    assert (told["reached"], told["holds"], told["combinations_below"]) == (1, False, 1)


def test_the_order_of_items_does_not_matter_to_those_who_look() -> None:
    frame = pd.DataFrame({"items": ["a;b"] * 3 + ["b;a;b"] * 3})
    found = plan_of(k=5, what=None, elements="category").evaluate(frame, frame)
    assert found.privacy[0]["reached"] == 6


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_json_lines_of_all_sorts(tmp_path: Path, packed: str) -> None:
    import gzip

    lines = [
        '{"x": 0}',
        '{"x": "a", "note": {"b": [1, {"c": 2}]}, "items": ["cook"]}',
        "",
        '{"items": ["cook", "baker"], "x": 1.5, "odd": "\\ud800", "line": "a\u2028b"}',
        *['{"items": ["cook", "baker"], "day": "2020-01-01"}'] * 3,
        *['{"items": ["cook"], "day": "2020-01-01 00:00:00"}'] * 3,
    ]
    source, target = tmp_path / f"in.jsonl{packed}", tmp_path / f"out.jsonl{packed}"
    raw = "\n".join(lines).encode()
    source.write_bytes(gzip.compress(raw) if packed else b"\xef\xbb\xbf" + raw)
    replace(plan_of(k=2, keep_rest=True, unmatched="opaque"), row_order="keep").run(source, target)
    content = gzip.decompress(target.read_bytes()) if packed else target.read_bytes()
    back = [json.loads(x) for x in content.decode().split("\n") if x]
    given = [json.loads(x) for x in lines if x]
    assert [{k: v for k, v in x.items() if k != "items"} for x in back] == [
        {k: v for k, v in x.items() if k != "items"} for x in given
    ]
    assert min(groups([x.get("items") for x in back]).values()) >= 2
    for bad in (b'{"a": "\xe4"}', b'{"a": 1}\n[1]', b'{"a": 1}\n{'):
        source.write_bytes(gzip.compress(bad) if packed else bad)
        with pytest.raises(TableError, match=r"in\.jsonl"):
            plan_of(k=2, keep_rest=True).run(source, target)


def test_the_rows_of_a_unit_must_agree_in_a_long_release() -> None:
    table = pa.table({"who": ["1", "1", "2"], "item": ["a", "b", "a"], "sex": ["f", "f", "m"]})
    units = one_row_per_unit(table, "who", "item", ["item", "sex"])
    assert units.to_pydict() == {"item": [joined(["b", "a"]), joined(["a"])], "sex": ["f", "m"]}
    damaged = table.set_column(2, "sex", [["f", "m", "m"]])
    with pytest.raises(ReleaseError, match="differ in what they have in common"):
        one_row_per_unit(damaged, "who", "item", ["item", "sex"])


@same_key()
def test_long_tables_in_other_forms(tmp_path: Path) -> None:
    sets = baskets(30)
    rows = [(f"c{i}", item) for i, items in enumerate(sets) for item in items]
    plan = plan_of(long=True, columns={"who": al.unit()})
    expected = Counter(frozenset(x) for x in plan_of().run(pd.DataFrame({"items": sets})).frame["items"])
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"who": w, "items": x}) + "\n" for w, x in rows))
    plan.run(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    back = pd.read_json(tmp_path / "out.jsonl", lines=True)
    assert Counter(frozenset(x) for _, x in back.groupby("who")["items"]) == expected
    for encoding in ("utf-16", "utf-8-sig"):
        (tmp_path / "in.csv").write_bytes(("who,items\n" + "".join(f"{w},{x}\n" for w, x in rows)).encode(encoding))
        plan.run(tmp_path / "in.csv", tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_bytes()[:2] == (tmp_path / "in.csv").read_bytes()[:2]
        back = pd.read_csv(tmp_path / "out.csv", encoding=encoding)
        assert Counter(frozenset(x) for _, x in back.groupby("who")["items"]) == expected
    arrow = pa.table(
        {"who": [w for w, _ in rows], "items": [x for _, x in rows], "n": pa.array([1] * len(rows), pa.int8())}
    )
    kept = replace(plan, columns=plan.columns | {"n": al.keep()})
    for frame in (arrow, pl.from_arrow(arrow), arrow.to_pandas()):
        done = kept.run(frame).frame
        assert type(done) is type(frame)
        assert str(done["n"].type if frame is arrow else done["n"].dtype).lower() == "int8"


def test_a_plan_that_could_not_be_run_is_not_ready(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("who,items,day\na,cook,1\na,baker,2\nb,cook,1\n")
    plan = plan_of(k=2, long=True, columns={"who": al.unit()}, keep_rest=True)
    assert any("Column day is not the same" in x.text for x in plan.check(tmp_path / "in.csv").problems)


def test_a_release_of_one_column_can_be_measured(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("who,items\n" + "".join(f"p{i},cook;baker\n" for i in range(6)))
    plan = plan_of(k=3, columns={"who": al.unit()})
    plan.run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert plan.evaluate(tmp_path / "in.csv", tmp_path / "out.csv").privacy[0]["reached"] == 6


def test_separators_and_nested_columns() -> None:
    spaced = plan_of(k=2, separator=" ", what="wordnet", unmatched="opaque")
    done = spaced.run(pd.DataFrame({"items": ["sandwich frankfurter", "frankfurter sandwich"] * 2}))
    assert all(len(x.split(" ")) == 2 for x in done.frame["items"])
    from allonym.pipeline.inspect import inspect

    looked = inspect(pa.table({"a": [{"b": 1}, {"b": 2}], "c": ["x", "y"]}))
    assert looked.columns[0].role == "keep"
    arrow = pd.DataFrame({"items": pd.Series([["cook"], ["baker"]] * 3, dtype=pd.ArrowDtype(pa.list_(pa.string())))})
    assert plan_of().run(arrow).summary["privacy"][0]["holds"]
