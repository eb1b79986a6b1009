"""Full-domain generalisation finds the levels that lose least, and suppresses no more than it may."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import slow_masking as slow
import slow_measures
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym import Generalise
from allonym.errors import OptionError, ReleaseError
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.measures import loss
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Pairs, Records

JOBS = "cook;kitchen;*\nbaker;kitchen;*\nsmith;workshop;*\njoiner;workshop;*\n"


def steps(parents: Dag, values: list[object]) -> list[dict[object, object]]:
    """Return what values become level by level: those deepest down go up first, all the way to one."""
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    current = {v: v for v in values}
    found = [dict(current)]
    linked = [v for v in values if slow.is_linked(v)]
    while len({current[v] for v in linked}) > 1:
        deepest = max(slow.reference.depth(named, current[v]) for v in linked)
        for v in linked:
            if slow.reference.depth(named, current[v]) == deepest:
                current[v] = named[current[v]][0]
        found.append({v: current[v] if v in linked else None for v in values})
    if len(set(found[-1].values())) > 1:
        found.append(dict.fromkeys(values))
    return found


def subsets(groups: set[object]) -> Iterator[set[object]]:
    for size in range(len(groups) + 1):
        yield from map(set, itertools.combinations(sorted(groups, key=str), size))


@settings(max_examples=60)
@given(parents=dags(8, tree=True), k=st.integers(2, 4), limit=st.sampled_from([0.0, 0.2, 0.5]), data=st.data())
def test_no_other_levels_lose_less(parents: Dag, k: int, limit: float, data: st.DataObject) -> None:
    words = [*(f"c{c}" for c in parents), "?x", None]
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from(words), st.sampled_from(["f", "m", None])), min_size=k, max_size=14)
    )
    persons = data.draw(st.none() | st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows)))
    assume(persons is None or len(set(persons)) >= k)
    t = taxonomy(parents)
    used = [w for w in words if w in {row[0] for row in rows}]
    codes = [int(w[1:]) if isinstance(w, str) and slow.is_linked(w) else w for w in used]
    attributes = [
        Attribute("word", "text", ConceptMetric(codes, Scope(t, t.root))),
        Attribute("sex", "category", EqualityMetric(["f", "m", None])),
    ]
    columns = [[used.index(w) for w, _ in rows], [["f", "m", None].index(s) for _, s in rows]]
    records = Records.of(attributes, columns, units=None if persons is None else np.array(persons))
    masking = Generalise(k=k, suppression=limit).mask(records)
    pairs = Pairs.of(records, masking)
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    names = (lambda v: f"c{v}" if isinstance(v, int) else v, lambda v: v)
    centroids = slow_measures.centroids_of(attributes, records.codes, records.mass, names)
    distances = [lambda a, b: slow.wu_palmer_distance(named, a, b), slow.equality]
    distance = slow.record_distance(slow_measures.counting_nulls(distances, rows, centroids))
    ladders = steps(parents, used), [{s: s for s in ("f", "m", None)}, dict.fromkeys(("f", "m", None))]
    best = np.inf
    for one, two in itertools.product(*ladders):
        masked = [(one[w], two[s]) for w, s in rows]
        held: dict[object, set[int]] = {}
        for i, row in enumerate(masked):
            held.setdefault(row, set()).add(i if persons is None else persons[i])
        for some in subsets(set(held)):  # to be suppressed
            now = [(None, None) if row in some else row for row in masked]
            lost = sum(row in some and row != (None, None) for row in masked)
            if lost <= limit * len(rows) + 1e-9 and slow.k_of(now, persons) >= k:
                best = min(best, sum(distance(a, b) ** 2 for a, b in zip(rows, now, strict=True)))
    assert loss.sse(pairs) == pytest.approx(best, abs=1e-9)
    assert masking.suppressed_rows <= limit * len(rows) + 1e-9


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.csv").write_text(JOBS)
    return tmp_path


def test_a_hierarchy_that_is_given_is_climbed_level_by_level(folder: Path) -> None:
    frame = pd.DataFrame({"job": ["cook", "baker", "smith", "joiner"], "sex": ["f", "f", "m", "m"]})
    plan = al.Plan({"job": al.quasi("jobs.csv"), "sex": al.quasi("category")}, method="generalise", k=2)
    done = plan.run(frame)
    assert done.frame["job"].tolist() == ["kitchen", "kitchen", "workshop", "workshop"]
    assert done.frame["sex"].tolist() == ["f", "f", "m", "m"]
    assert plan.evaluate(frame, done.frame).privacy[0]["reached"] == 2


def test_suppressed_records_are_null_and_a_group(folder: Path) -> None:
    rows = ["cook"] * 60 + ["smith"] * 70 + ["joiner"]
    pd.DataFrame({"job": rows, "x": range(131)}).to_csv("in.csv", index=False)
    columns = {"job": al.quasi("jobs.csv"), "x": al.keep()}
    plan = al.Plan(columns, method="generalise", k=3, row_order="keep")
    some = replace(plan, parameters={"suppression": 0.02})
    for each in (plan, some):  # nobody could hide the joiner
        assert each.run("in.csv", "out.csv").summary["suppressed"] == 0
        assert set(pd.read_csv("out.csv")["job"]) == {"kitchen", "workshop"}
    pd.DataFrame({"job": [*rows, *["baker"] * 3], "x": range(134)}).to_csv("in.csv", index=False)
    done = replace(plan, parameters={"suppression": 0.05}).run("in.csv", "out.csv")
    written = pd.read_csv("out.csv")
    assert Counter(written["job"].fillna("")) == {"cook": 60, "smith": 70, "": 4}  # the bakers hide the joiner
    assert written["x"].tolist() == list(range(134))
    assert (done.summary["suppressed"], done.summary["privacy"][0]["reached"]) == (4, 4)
    found = some.evaluate("in.csv", "out.csv")
    assert (found.suppressed, found.privacy[0]["reached"]) == (4, 4)
    assert found.measures["discernibility"].value == 60**2 + 70**2 + 4 * 134
    frame = replace(plan, parameters={"suppression": 0.05}).run(pd.read_csv("in.csv")).frame
    assert frame["job"].isna().sum() == 4


def test_a_suppressed_record_that_speaks_is_refused(folder: Path) -> None:
    from allonym.release import recount as release

    promise = release.Promise(columns=["job"], k=2, rows=5, names=["job"], suppressed=2, missing=("?",))
    good = pd.DataFrame({"job": ["cook", "cook", "cook", None, None]})
    assert release.recount(good, ["job"], promise).k == [2]
    assert release.recount(good.fillna("?"), ["job"], promise).k == [2]
    with pytest.raises(ReleaseError, match="2 records were to be suppressed, 0 are"):
        release.recount(good.fillna("smith"), ["job"], promise)
    with pytest.raises(ReleaseError, match="only 1 rows"):
        release.recount(pd.DataFrame({"job": ["cook", "baker", None, None, None]}), ["job"], promise)


def test_an_ontology_of_many_parents_is_given_a_hierarchy(folder: Path) -> None:
    jobs = ["nurse", "surgeon", "carpenter", "joiner", "waiter", "cook"]
    plan = al.Plan({"job": al.quasi("wordnet:person", accept_review=True)}, method="generalise", k=2)
    done = plan.run(pd.DataFrame({"job": jobs}))
    assert done.frame["job"].value_counts().min() >= 2
    t = al.wordnet().taxonomy
    for was, now in zip(jobs, done.frame["job"], strict=True):
        senses = t.senses(now.replace(" ", "_"))
        assert any(c in t.subsumers(x) for x in t.senses(was) for c in senses), (was, now)


def test_what_it_cannot_do_is_said(folder: Path) -> None:
    assert next(Generalise(suppression=1).problems()).text == "suppress is 1; it must be below 1."


def test_the_levels_are_those_of_the_file(folder: Path) -> None:
    (folder / "x.csv").write_text("aaa;AAAA;AAAA;*\nbbb;AAAA;AAAA;*\nccc;ccc;CCCC;*\nddd;ddd;CCCC;*\n")
    frame = pd.DataFrame({"x": ["aaa", "bbb", *["ccc"] * 5, *["ddd"] * 5]})
    done = al.Plan({"x": al.quasi("x.csv")}, method="generalise", k=2).run(frame)
    assert Counter(done.frame["x"]) == {"AAAA": 2, "ccc": 5, "ddd": 5}


def test_suppression_on_files_with_blanks_and_where_all_become_null(folder: Path) -> None:
    (folder / "in.csv").write_text("x, job\n" + "1, cook\n" * 40 + "2, smith\n" * 50 + "3, joiner\n" + "4, ?\n" * 2)
    plan = al.Plan(
        {"job": al.quasi("jobs.csv"), "x": al.keep(confirmed=True)},
        method="generalise",
        k=3,
        parameters={"suppression": 0.02},
    )
    done = plan.run(folder / "in.csv", folder / "out.csv")  # the joiner is one of those without a job
    assert (done.summary["suppressed"], done.summary["privacy"][0]["reached"]) == (1, 3)
    empty = pd.DataFrame({"x": [None] * 10 + ["a"]})
    plan = al.Plan({"x": al.quasi("category")}, method="generalise", k=5, parameters={"suppression": 0.1})
    assert plan.run(empty).frame["x"].isna().all()


def test_too_many_combinations_are_refused_at_once(folder: Path) -> None:
    metric = ConceptMetric(list(range(6)), Scope(taxonomy({0: [], 1: [0], 2: [1], 3: [2], 4: [3], 5: [4]}), 0))
    records = Records.of([Attribute(str(i), "text", metric) for i in range(12)], [np.arange(6)] * 12)
    with pytest.raises(OptionError, match="combinations of levels"):
        Generalise(k=2).mask(records)
