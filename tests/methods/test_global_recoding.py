"""Global recoding: equal values of a column have one replacement, in classes that hold what is promised."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import allonym as al
from allonym.errors import PlanError, ReleaseError
from allonym.kinds.category import EqualityMetric
from allonym.kinds.numeric import NumericMetric
from allonym.measures import loss
from allonym.methods.replacement import value_tree
from allonym.methods.replacement.global_recoding import recoded
from allonym.methods.replacement.value_tree import ValueTree
from allonym.plan.privacy import Privacy
from allonym.progress import no_progress
from allonym.records import Attribute, Masking, Pairs, Records
from allonym.tables.frame import Frame

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
AGES = [float(x) for x in range(20, 60, 2)]
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 19), st.integers(0, 7)), min_size=4, max_size=60)


def records_of(rows: list[tuple[int, int, int]], units: bool = False) -> Records:
    attributes = [
        Attribute("job", "category", EqualityMetric(["cook", "smith", "vicar", None])),
        Attribute("age", "numeric", NumericMetric(AGES)),
    ]
    columns = list(zip(*(row[:2] for row in rows), strict=True))
    return Records.of(attributes, columns, units=np.array([x[2] for x in rows]) if units else None)


def lost(records: Records, masking: Masking) -> float:
    return loss.sse(Pairs.of(records, masking))


@settings(max_examples=60)
@given(
    rows=ROWS,
    k=st.integers(2, 4),
    units=st.booleans(),
    represent=st.sampled_from(["auto", "truthful", "centroid", "subsumer"]),
    suppress=st.sampled_from([0.0, 0.3]),
)
def test_equal_values_have_one_replacement_and_classes_have_k(
    rows: list[tuple[int, int, int]], k: int, units: bool, represent: str, suppress: float
) -> None:
    if units and len({x[2] for x in rows}) < k:
        return
    records = records_of(rows, units)
    masking = recoded(records, k, represent, suppress, no_progress)
    gone = np.zeros(len(records), bool) if masking.suppressed is None else masking.suppressed
    assert masking.suppressed_rows <= suppress * len(rows)
    replacements: dict[tuple[int, int], set[int]] = defaultdict(set)
    for i in np.flatnonzero(~gone).tolist():
        for a in range(2):
            replacements[a, int(records.codes[i, a])].add(int(masking.codes[i, a]))
    assert all(len(x) == 1 for x in replacements.values())
    persons: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for row, own in enumerate(records.inverse.tolist()):
        persons[tuple(masking.codes[own].tolist())].add(rows[row][2] if units else row)
    assert min(map(len, persons.values())) >= k


def test_values_that_k_hold_in_every_combination_stay() -> None:
    records = records_of([(job, age, 0) for job in range(3) for age in (0, 9, 19)] * 3)
    masking = recoded(records, 3, "centroid", 0.0, no_progress)
    assert lost(records, masking) == 0


def test_near_values_are_united_before_far_ones() -> None:
    rows = [(0, age, 0) for age in (0, 1, 2, 17, 18, 19)]
    records = records_of(rows)
    masking = recoded(records, 3, "centroid", 0.0, no_progress)
    assert [masking.attributes[1].values[c] for c in masking.codes[:, 1]] == [22.0] * 3 + [56.0] * 3


def test_records_are_suppressed_where_that_loses_less() -> None:
    rows = [(0, 0, 0), (1, 19, 0)] * 20 + [(0, 19, 0), (1, 0, 0), (0, 19, 0)]
    records = records_of(rows)
    without, within = (recoded(records, 3, "truthful", share, no_progress) for share in (0.0, 0.1))
    assert (without.suppressed_rows, within.suppressed_rows) == (0, 3)
    assert lost(records, within) < lost(records, without)


def test_many_values_join_the_nearest_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_tree, "MAX_LEAVES", 3)
    records = records_of([(0, age, 0) for age in (0, 1, 2, 9, 10, 18, 19)])
    tree = ValueTree(records, 1, 2, "centroid")
    assert tree.leaves == 3
    assert sorted(tuple(node.codes) for node in tree.nodes[:3]) == [(0, 1, 2), (9, 10), (18, 19)]
    assert len(tree.nodes) == 5
    assert sorted(tree.nodes[-1].codes) == [0, 1, 2, 9, 10, 18, 19]


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    jobs = rng.choice(["cook", "Cook", "cooks", "baker", "smith", "welder", "nurse", "zzz", None], 400)
    ages = rng.integers(20, 60, 400).astype(str)
    return pd.DataFrame({"job": jobs, "age": ages, "ill": rng.choice(["flu", "cold", "gout"], 400)}, dtype=object)


def plan_of(**options: Any) -> al.Plan:
    columns = {"job": al.quasi(JOBS, unmatched="opaque", accept_review=True), "age": al.quasi("numeric")}
    parameters = {"replace": "global"} | options.pop("parameters", {})
    settings = {"k": 4, "seed": 1} | options
    return al.Plan(columns | {"ill": al.sensitive()}, parameters=parameters, **settings)


def replacements(original: pd.DataFrame, released: pd.DataFrame, column: str) -> set[tuple[Any, Any]]:
    return {(str(was), str(now)) for was, now in zip(original[column], released[column], strict=True)}


@pytest.mark.parametrize("represent", ["auto", "truthful", "centroid"])
def test_a_release_reads_the_same_everywhere(represent: str) -> None:
    table = frame()
    plan = plan_of(parameters={"represent": represent}, privacy=[Privacy("l-diversity", "ill", l=2)])
    release = plan.run(table)
    for column in ("job", "age"):
        assert len(replacements(table, release.frame, column)) == table[column].fillna("None").nunique()
        assert release.frame[column].nunique() > 1
    assert release.summary["verified"] == {"one_replacement": True}
    assert all(x["holds"] for x in release.summary["privacy"])


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_engines_give_the_same_release(engine: str) -> None:
    table, plan = frame(), plan_of()
    lazy = pl.from_pandas(table).lazy() if engine == "polars" else duckdb.from_arrow(pl.from_pandas(table).to_arrow())
    released = plan.run(lazy).frame
    written = released.collect().to_pandas() if engine == "polars" else released.to_df()
    expected = plan.run(table).frame
    rows = [sorted(map(tuple, x.astype(object).fillna("").to_numpy().tolist())) for x in (written, expected)]
    assert rows[0] == rows[1]


def test_a_shuffled_file_is_verified_too(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "in.csv", index=False)
    release = plan_of().run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert release.summary["row_order"] == "shuffle"
    assert release.summary["verified"] == {"one_replacement": True}


def test_a_column_of_one_value_is_told() -> None:
    table = pd.DataFrame({"a": [str(x) for x in range(12)], "b": ["x", "y"] * 6}, dtype=object)
    plan = al.Plan({x: al.quasi("category") for x in table}, k=3, parameters={"replace": "global"})
    cautions = " ".join(plan.run(table).summary["cautions"])
    assert "one replacement for each value leaves a single value in a." in cautions


def test_what_cannot_be_combined_is_refused() -> None:
    columns = {"age": al.quasi("numeric")}
    for parameters, message in (
        ({"refine": True}, "leave refine out"),
        ({"represent": "member"}, "choose represent = truthful, centroid or subsumer"),
        ({"values": "existing"}, "choose represent = truthful, centroid or subsumer"),
    ):
        with pytest.raises(PlanError, match=message):
            al.Plan(columns, parameters={"replace": "global"} | parameters)
    for method in ("sa-mdav-static", "s-mdav", "mdav", "fusion", "generalise", "noise"):
        with pytest.raises(PlanError, match="replace"):
            al.Plan(columns, method=method, parameters={"replace": "global"})


def test_a_release_with_two_replacements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pd.DataFrame({"sex": ["f"] * 8 + ["m"] * 8}, dtype=object)
    plan = al.Plan({"sex": al.quasi("category")}, k=3, parameters={"replace": "global"})
    assert plan.run(table).frame["sex"].tolist() == table["sex"].tolist()
    honest = Frame.changed

    def dishonest(self: Frame, *given: Any, **options: Any) -> Any:
        changed = honest(self, *given, **options)
        changed.loc[:2, "sex"] = "m"
        return changed

    monkeypatch.setattr(Frame, "changed", dishonest)
    with pytest.raises(ReleaseError, match="Values of column sex of the release have 1 replacements too many"):
        plan.run(table)
