"""The laws of values that are a kind of a concept, for every method: each is a value of its own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from shared import same_key

import allonym as al
from allonym.errors import PlanError
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod, KAnonymityMethod
from allonym.methods.record_level import RecordLevelMethod
from allonym.ontology.narrower import Narrower
from allonym.plan.column import Column
from allonym.plan.privacy import Privacy

ONTOLOGY = Path(__file__).parents[1] / "data" / "mini-jobs.csv"
JOBS = al.read_taxonomy(ONTOLOGY)
KIND_OF = {
    "ship's cook": "cook",
    "Ship's Cook": "cook",
    "pastry cook": "cook",
    "bread baker": "baker",
    "night nurse": "nurse",
    "nurse (retired)": "nurse",
    "odd worker": "worker",
}
SETTLED = {value: (concept, "narrower") for value, concept in KIND_OF.items()}
WORDS = ["cook", "Cooks", "baker", "smith", "nurse", "zzz", None, *KIND_OF]
SETS = [None, "cook", "zzz", *KIND_OF, "cook;ship's cook", "pastry cook;smith", "night nurse;baker;zzz"]
WAYS = [
    *METHODS, "sa-mdav as centroid", "sa-mdav as truthful",
    "sa-mdav as subsumer", "sa-mdav as member", "sa-mdav as refined", "fusion as refined",
    "generalise as suppressing", "mdav as member", "sa-mdav as existing", "fusion as existing",
    "sa-mdav as global",
]  # fmt: skip
tables = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["f", "m"]), st.sampled_from(SETS)), min_size=3,
                  max_size=30)  # fmt: skip
few = settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
Row = tuple[str | None, ...]


def key(text: str) -> str:
    """Return a leaf in one spelling."""
    return text.lower()


def plan_of(way: str, k: int, links: dict[str, tuple[str, str]] = SETTLED, **changes: Column) -> al.Plan:
    name, _, option = way.partition(" as ")
    by_row = issubclass(METHODS[name], RecordLevelMethod)
    unmatched = "suppress" if by_row else "opaque"
    columns = {
        "job": al.quasi(JOBS, unmatched=unmatched, accept_review=True, links=links),
        "sex": al.quasi("category"),
        "skills": al.quasi(JOBS, kind="set", unmatched=unmatched, accept_review=True, links=links),
    }
    kinds = {"job": "text", "sex": "category", "skills": "set"}
    columns = {x: c if kinds[x] in METHODS[name].info.kinds else al.keep() for x, c in columns.items()}
    parameters: dict[str, object] = (
        {"represent": option} if option in ("centroid", "truthful", "subsumer", "member") else {}
    )
    parameters |= {"refine": True} if option == "refined" else {}
    parameters |= {"suppress": 0.4} if option == "suppressing" else {}
    parameters |= {"values": "existing"} if option == "existing" else {}
    parameters |= {"replace": "global"} if option == "global" else {}
    parameters |= {"per_attribute": True} if issubclass(METHODS[name], ColumnwiseMethod) else {}
    own = k if issubclass(METHODS[name], KAnonymityMethod) else None
    return al.Plan(columns | changes, method=name, k=own, seed=3, parameters=parameters)


def varied(way: str, rows: list[Row]) -> list[Row]:
    """Return rows whose columns have different values, where a method refuses others."""
    method = METHODS[way.partition(" as ")[0]]
    different: list[Row] = [("cook", "f", "cook"), ("night nurse", "m", "night nurse;cook")]
    return [*rows, *different] if issubclass(method, RecordLevelMethod) and method.info.min_values > 1 else rows


def frame_of(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["job", "sex", "skills"], dtype=object)


def texts(frame: pd.DataFrame) -> list[Row]:
    return [tuple(None if pd.isna(x) else x for x in row) for row in frame.itertuples(index=False)]


def items(cell: object) -> set[str]:
    return set() if cell is None or pd.isna(cell) else {key(x.strip()) for x in str(cell).split(";")}


def assert_leaves_are_their_own(plan: al.Plan, rows: list[Row], written: pd.DataFrame, k: int) -> None:
    """The text of a leaf is written only in records that hold it, and only if k hold that spelling."""
    leaves = {key(x) for x in KIND_OF}
    for place, column in ((0, "job"), (2, "skills")):
        if plan.columns[column].role != "quasi":
            continue
        held = defaultdict(int)
        for row in rows:
            for text in {x.strip() for x in (row[place] or "").split(";")}:
                held[text] += 1
        for row, after in zip(rows, written[column].tolist(), strict=True):
            assert items(after) & leaves <= items(row[place])
            if after is not None and not pd.isna(after):
                assert all(held[x.strip()] >= k for x in str(after).split(";") if key(x.strip()) in leaves)
                assert not (isinstance(plan.method, RecordLevelMethod) and items(after) & leaves)


@pytest.mark.parametrize("way", WAYS)
@few
@given(rows=tables, k=st.integers(2, 4))
def test_no_record_has_the_text_of_a_leaf_that_it_did_not_hold(way: str, rows: list[Row], k: int) -> None:
    assume(len(rows) >= k)
    rows = varied(way, rows)
    plan = plan_of(way, k)
    try:
        release = plan.run(frame_of(rows))
    except PlanError as error:
        assert {x.code for x in error.problems} <= {"all-null", "no-existing-record"}  # noqa: PT017
        return
    assert_leaves_are_their_own(plan, rows, release.frame, k)
    for a, attribute in enumerate(release.masking.attributes):  # the figures are of what was written
        before = release.records.codes[release.masking.source, a]
        for was, now in zip(before.tolist(), release.masking.codes[:, a].tolist(), strict=True):
            if isinstance(attribute.values[now], Narrower):
                assert was == now


@pytest.mark.parametrize(
    "way", ["sa-mdav", "fusion", "generalise", "noise", "exponential", "randomise-frequency", "pram", "swap"]
)
@settings(few, max_examples=5)
@given(rows=tables, k=st.integers(2, 3))
def test_engines_keep_the_law(way: str, rows: list[Row], k: int) -> None:
    assume(len(rows) >= k)
    rows = [(job, sex, f"r{i}") for i, (job, sex, _) in enumerate(varied(way, rows))]
    plan = plan_of(way, k, skills=al.keep())
    frame = frame_of(rows)
    table = pa.table({x: pa.array(frame[x].tolist(), pa.string()) for x in frame})
    for masked in (plan.run(pl.from_arrow(table).lazy()).frame, plan.run(duckdb.from_arrow(table)).frame):
        arrow = masked.collect().to_arrow() if isinstance(masked, pl.LazyFrame) else masked.to_arrow_table()
        written = dict(zip(arrow.column("skills").to_pylist(), arrow.column("job").to_pylist(), strict=True))
        assert_leaves_are_their_own(plan, rows, pd.DataFrame({"job": [written[row[2]] for row in rows]}), k)


@pytest.mark.parametrize("way", ["noise", "randomise-uniform", "randomise-frequency", "pram", "exponential"])
@few
@given(rows=tables)
def test_streams_keep_the_law_and_agree(way: str, rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    """A fitted plan masks rows alone as it masks them together, also after it was saved, and knows new leaves."""
    rows = [*rows, ("cook", "f", "cook"), ("night nurse", "m", "night nurse;cook")]
    folder = tmp_path_factory.mktemp("fitted")
    lines = [f'"{value}",{concept},narrower,sure' for value, concept in KIND_OF.items()]
    (folder / "links.csv").write_text("\n".join(["value,concept,relation,status", *lines]))
    job = al.quasi(str(ONTOLOGY), unmatched="suppress", accept_review=True, links=str(folder / "links.csv"))
    of_sets = replace(job, kind="set") if "set" in METHODS[way].info.kinds else al.keep()
    plan, frame = plan_of(way, 1, job=job, skills=of_sets), frame_of(rows)
    masked = plan.run(frame).frame
    once, skills = masked["job"].tolist(), [items(x) for x in masked["skills"]]
    path = folder / "fitted.json"
    plan.fit(frame).save(path, stream=True)
    for fitted in (plan.fit(frame), al.Fitted.load(path, resume=True)):
        batch, alone = fitted.mask(frame, start=0), list(fitted.stream(frame.to_dict("records"), start=0))
        assert batch["job"].tolist() == [x["job"] for x in alone] == once
        assert [items(x) for x in batch["skills"]] == [items(x["skills"]) for x in alone] == skills
        new = fitted.mask_one({"job": "head nurse", "sex": "f", "skills": None})["job"]
        assert new is None or new in JOBS.labels
    assert_leaves_are_their_own(plan, rows, masked, 1)


@pytest.mark.parametrize("way", [x for x in WAYS if issubclass(METHODS[x.split(" as ")[0]], KAnonymityMethod)])
@few
@given(rows=tables)
def test_without_a_demand_nothing_changes(way: str, rows: list[Row]) -> None:
    """Where every tuple has k records anyway, narrower values stay as they are and none are merged."""
    rows = [row for row in rows for _ in range(3)]
    rows = [(job, sex, None) for job, sex, _ in rows if job not in ("Ship's Cook", "Cooks")]
    assume(rows)
    plan = plan_of(way, 3, skills=al.keep())
    if way.startswith(("sa-mdav", "fusion", "recoding", "generalise")):
        release = plan.run(frame_of(rows))
        assert release.frame["job"].tolist() == frame_of(rows)["job"].tolist()
        assert release.summary["measures"]["information_loss"]["value"] == 0


@pytest.mark.parametrize("way", ["sa-mdav", "sa-mdav as refined", "fusion", "recoding", "generalise", "mdav"])
@settings(few, max_examples=5)
@given(rows=tables, k=st.integers(2, 4), seed=st.integers(0, 99))
def test_permuting_rows_and_renaming_leaves_change_nothing(way: str, rows: list[Row], k: int, seed: int) -> None:
    assume(len(rows) >= k)
    leaf = re.compile("|".join(map(re.escape, KIND_OF)))

    def renamed(cell: str | None) -> str | None:
        return None if cell is None else leaf.sub(lambda x: f"{x[0]} too", cell)  # in the same order

    def plain(cell: str | None) -> str | None:
        """Return a set in one spelling: which of several is written is drawn."""
        return None if cell is None else ";".join(sorted(map(key, cell.split(";"))))

    order = np.random.default_rng(seed).permutation(len(rows))
    others = [(renamed(rows[i][0]), rows[i][1], renamed(rows[i][2])) for i in order]
    links = SETTLED | {f"{value} too": link for value, link in SETTLED.items()}
    with same_key():
        one, other = (plan_of(way, k, links).run(frame_of(x)) for x in (rows, others))
    expected = Counter((renamed(a), b, plain(renamed(c))) for a, b, c in texts(one.frame))
    assert Counter((a, b, plain(c)) for a, b, c in texts(other.frame)) == expected
    loss = [x.summary["measures"]["information_loss"]["value"] for x in (one, other)]
    assert loss[0] == pytest.approx(loss[1])


@few
@given(rows=tables, data=st.data())
def test_a_link_with_less_confidence_never_lowers_the_loss(rows: list[Row], data: st.DataObject) -> None:
    """The loss of a given release is no less with narrower links than with `same`, and no less with none."""
    rows = [(job, sex, None) for job, sex, _ in rows if job is not None]
    assume(len({job for job, _, _ in rows}) > 2)
    masked = frame_of(
        [(data.draw(st.sampled_from(["cook", "worker", "nurse", "smith"])), sex, None) for _, sex, _ in rows]
    )
    frame, sums = frame_of(rows), []
    settled = dict.fromkeys(KIND_OF, ("", "same"))
    for links in ({value: (c, "same") for value, c in KIND_OF.items()}, SETTLED, settled):
        plan = plan_of("sa-mdav", 2, links, skills=al.keep(), sex=al.keep())
        quality = plan.evaluate(frame, masked).measures["semantic_quality"].value
        sums.append(1 - quality)
    assert sums == sorted(sums) or np.allclose(sums, sorted(sums), atol=1e-12)


def test_two_narrower_values_are_two_and_their_spellings_one() -> None:
    rows = [(job, "f", None) for job in KIND_OF]
    release = plan_of("generalise", 2, skills=al.keep()).run(frame_of(rows))
    attribute = release.records.attributes[0]
    assert len(attribute.values) == len({key(x) for x in KIND_OF})
    assert all(isinstance(value, Narrower) for value in attribute.values)
    codes = np.arange(len(attribute.values))
    assert (attribute.metric.distances(codes[:, None], codes) + np.eye(len(codes)) > 0).all()


def test_the_label_of_the_concept_stands_for_several_kinds_of_it() -> None:
    rows = [("ship's cook", "f", None), ("pastry cook", "f", None), ("night nurse", "m", None)] * 2
    release = plan_of("sa-mdav as centroid", 4, skills=al.keep(), sex=al.keep()).run(frame_of(rows))
    assert set(release.frame["job"]) <= set(JOBS.labels)
    release = plan_of("sa-mdav", 2, skills=al.keep(), sex=al.keep()).run(frame_of(rows))
    assert release.frame["job"].tolist() == [job for job, _, _ in rows]


def test_a_leaf_without_a_spelling_of_k_units_is_its_concept_in_text_and_figures() -> None:
    rows = [("ship's cook", "f", None), ("Ship's Cook", "f", None)] * 2
    release = plan_of("sa-mdav", 3, skills=al.keep(), sex=al.keep()).run(frame_of(rows))
    assert release.frame["job"].tolist() == ["cook"] * 4
    assert release.summary["measures"]["information_loss"]["value"] > 0


def test_an_unknown_relation_is_refused() -> None:
    plan = plan_of("sa-mdav", 2, {"ship's cook": ("cook", "kind of")}, skills=al.keep())
    with pytest.raises(PlanError, match=r"column job: there is no relation 'kind of'\. Hint: write same or narrower"):
        plan.run(frame_of([("ship's cook", "f", None)] * 3))


def test_the_codebook_names_the_broader_concept() -> None:
    links = {"night nurse": ("nurse.n.01", "narrower"), "nurse": "nurse.n.01"}
    frame = frame_of([("night nurse", "f", None), ("nurse", "f", None)] * 2)
    job = al.quasi("wordnet:person", links=links)
    release = plan_of("sa-mdav", 2, job=job, skills=al.keep(), sex=al.keep()).run(frame)
    assert release.codebook()["variables"][0]["values"] == [
        {"value": "night nurse", "broader": "nurse.n.01", "records": 2},
        {"value": "nurse", "concept": "nurse.n.01", "records": 2},
    ]


def test_kinds_of_one_illness_are_no_diversity() -> None:
    """In a sensitive column, kinds of a concept count as the concept."""
    rows = [(job, "f", None) for job in ("ship's cook", "pastry cook", "cook", "Cooks")]
    plan = plan_of("sa-mdav", 2, job=al.sensitive(JOBS, links=SETTLED), skills=al.keep())
    plan = replace(plan, privacy=[Privacy("l-diversity", column="job", l=2)])
    with pytest.raises(PlanError, match="l-diversity"):
        plan.run(frame_of(rows))


def test_a_release_is_read_again_as_it_was_written() -> None:
    """The text of a leaf is that leaf; the label of a concept is the concept; other kinds are leaves of their own."""
    rows = [("ship's cook", "f", None), ("pastry cook", "f", None), ("cook", "m", None), ("nurse", "m", None)]
    plan = plan_of("sa-mdav", 2, skills=al.keep(), sex=al.keep())
    quality = {}
    for masked in ("ship's cook", "Ship's  Cook", "cook", "pastry cook", "sea cook"):
        frame = frame_of([(masked, "f", None), *rows[1:]])
        quality[masked] = plan.evaluate(frame_of(rows), frame).measures["semantic_quality"].value
    assert quality["ship's cook"] == quality["Ship's  Cook"] == 100
    assert 100 > quality["cook"] > quality["pastry cook"] == quality["sea cook"]
