"""What is demanded of sensitive columns holds: groups merge as the rule says, and the text that was written is counted.

The rule is that of `slow_requirements`; figures are counted anew from the cells of a release by `slow_measures`.
"""

from __future__ import annotations

import datetime
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slow_masking
import slow_measures
import slow_requirements as slow
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from strategies import dags, taxonomy

import allonym as al
from allonym.arrays import Ints
from allonym.errors import PlanError, ReleaseError
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.methods import METHODS
from allonym.methods.base import ColumnwiseMethod, KAnonymityMethod
from allonym.methods.groups import Groups
from allonym.methods.record_level import RecordLevelMethod
from allonym.methods.requirements import _Enforcing, enforced
from allonym.ontology.scope import Scope
from allonym.plan.column import Column
from allonym.privacy.base import PrivacyModel
from allonym.privacy.earth_mover import Closeness
from allonym.privacy.registry import MODELS
from allonym.records import Attribute, Records, Requirement, SensitiveColumns
from allonym.release import recount as release
from allonym.release.recount import Guarantee, Promise
from allonym.tables.csv import TextFile
from allonym.tables.files import Reading
from allonym.tables.frame import Frame
from allonym.tables.jsonl import JsonLines


def few(examples: int) -> Callable[[Any], Any]:
    """Draw so many examples; what fails is not made smaller, since the slow rule would take minutes."""
    return settings(
        max_examples=examples,
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )


# --- (a) groups merge as the slow rule says ------------------------------------------------------------------------

NUMBERS = (1.0, 2.0, 2.5, 4.0, 7.0, 8.0, 9.0, None)
LETTERS = ("a", "b", "c", "d", None)
ILLS = ("flu", "gout", "mumps", None)
SPENT = (10.0, 20.0, 25.0, 70.0, None)
Parents = dict[Hashable, list[Hashable]]


def model_of(requirement: slow.Requirement) -> PrivacyModel:
    model = MODELS[requirement.model]
    c = {"c": requirement.c} if requirement.model == "recursive-l-diversity" else {}
    return model(**{model.info.figure: float(requirement.asked), **c})


@dataclass(frozen=True, eq=False)
class Drawn:
    """A small table with a partition of its tuples: as methods see it, and as the slow rule does."""

    records: Records
    groups: Groups
    table: slow.Table
    start: list[slow.Group]
    stands_for: Callable[[slow.Group], Hashable]

    def demanding(self, requirements: Sequence[slow.Requirement]) -> Records:
        """Return the table with demands."""
        assert self.records.sensitive is not None
        asked = tuple(Requirement(model_of(x), x.column) for x in requirements)
        return replace(self.records, sensitive=replace(self.records.sensitive, requirements=asked))

    def fast(self, requirements: Sequence[slow.Requirement]) -> list[list[int]]:
        """Return the groups, as rows, after enforcement."""
        records = self.demanding(requirements)
        metrics = [attribute.metric for attribute in records.attributes]
        groups, _, _ = enforced(records, self.groups, 1, metrics, self._look)
        assert len(groups.source) == len(records)  # no tuple was split
        return self._rows(groups)

    def _rows(self, groups: Groups) -> list[list[int]]:
        assert self.records.inverse is not None
        return [np.flatnonzero(np.isin(self.records.inverse, groups.source[m])).tolist() for m in groups.members()]

    def _look(self, groups: Groups) -> tuple[Ints, tuple[Attribute, ...]]:
        """Number what stands for each group, the same number for the same."""
        each = [self.stands_for(rows) for rows in self._rows(groups)]
        numbers = {x: number for number, x in enumerate(sorted(set(each), key=str, reverse=True))}
        return np.array([numbers[x] for x in each], np.int64)[groups.group][:, None], ()

    def slowly(self, requirements: Sequence[slow.Requirement]) -> list[list[int]]:
        """Return the groups, as rows, by the slow rule."""
        return [sorted(group) for group in slow.enforced(self.table, requirements, self.start, self.stands_for)]


@st.composite
def drawn_tables(draw: st.DrawFn, most: int = 36, number: int = 12) -> Drawn:
    """Draw rows with three sensitive columns, maybe with weights and persons, and groups of their tuples.

    What is sensitive is mostly the same in a group, so that groups lack something, alone and together with others.
    """
    parents = draw(dags(7, min_size=2))
    known: Parents = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    words = [*known, "?alone", None]
    kinds = draw(st.sampled_from([(1, 0, 2), (1, 2), (2, 0), (1,)]))
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    n = rng.randint(most // 3, most)
    values = [[LETTERS, NUMBERS, words][kind] for kind in kinds]
    columns = [rng.choices(v, k=n) for v in values]
    into = {row: rng.randrange(number) for row in sorted(set(zip(*columns, strict=True)), key=str)}
    group_of = [into[row] for row in zip(*columns, strict=True)]

    def column(values: Sequence[Any]) -> list[Any]:
        usual, often = rng.choices(values, k=number), rng.choice([0.5, 0.7, 0.9])
        return [usual[g] if rng.random() < often else rng.choice(values) for g in group_of]

    sensitive = [column(ILLS), column(SPENT), column(words)]
    weights = rng.choices([0.5, 1.0, 2.0, 3.0], k=n) if draw(st.booleans()) else None
    persons = rng.choices(range(max(n // 2, 2)), k=n) if draw(st.booleans()) else None

    def meant(value: Hashable) -> Hashable:
        return words.index(value) if value in known else value

    word = ConceptMetric([meant(w) for w in words], Scope(t := taxonomy(parents), t.root))
    all_kinds = [
        Attribute("letter", "category", EqualityMetric(LETTERS)),
        Attribute("number", "numeric", NumericMetric(NUMBERS, 1)),
        Attribute("word", "text", word),
    ]
    sensitive_columns = SensitiveColumns(
        (
            Attribute("ill", "category", EqualityMetric(ILLS)),
            Attribute("spent", "numeric", NumericMetric(SPENT, 0)),
            all_kinds[2],
        ),
        tuple(
            np.array([v.index(x) for x in c], np.int64) for v, c in zip((ILLS, SPENT, words), sensitive, strict=True)
        ),
    )
    records = Records.of(
        [all_kinds[kind] for kind in kinds],
        [[v.index(x) for x in c] for v, c in zip(values, columns, strict=True)],
        weights=None if weights is None else np.array(weights),
        units=None if persons is None else np.unique(persons, return_inverse=True)[1].astype(np.int64),
        sensitive=sensitive_columns,
    )
    distances = [slow_masking.equality, lambda a, b: slow_masking.numeric(a, b, 8.0), _far(known)]
    centroids = [
        lambda p: slow_masking.mode(p, LETTERS),
        lambda p: slow_masking.mean(p, 1),
        lambda p: slow_masking.semantic_centroid(known, p, words),
    ]
    table = slow.Table(
        records=list(zip(*columns, strict=True)),
        distance=slow_masking.record_distance([distances[kind] for kind in kinds]),
        centroids=[centroids[kind] for kind in kinds],
        sensitive=sensitive,
        grounds=[slow_masking.equality, slow_measures.ordered_ground(sensitive[1]), _far(known)],
        persons=persons,
        weights=weights,
    )
    assert records.inverse is not None
    groups = Groups.of([(source, 1, g) for source, g in zip(records.inverse.tolist(), group_of, strict=True)])
    start = [np.flatnonzero(np.isin(records.inverse, groups.source[m])).tolist() for m in groups.members()]
    part = draw(st.sampled_from([1, len(kinds)]))  # where some attributes alone are written, more groups look alike
    return Drawn(records, groups, table, start, lambda rows: slow.centre(table, rows)[:part])


def _far(known: Parents) -> slow.Distance:
    return lambda a, b: slow_masking.float_wu_palmer_distance(known, a, b)


count_by = st.one_of(
    st.builds(slow.Requirement, st.sampled_from(["l-diversity", "p-sensitive"]), st.integers(0, 2), st.integers(2, 3)),
    st.builds(
        slow.Requirement, st.just("entropy-l-diversity"), st.integers(0, 2), st.sampled_from([1.3, 1.8, 2.0, 2.7])
    ),
    st.builds(
        slow.Requirement,
        st.just("recursive-l-diversity"),
        st.integers(0, 2),
        st.integers(2, 3),
        st.sampled_from([1, 3, 0.5]),
    ),
)
close = st.builds(slow.Requirement, st.just("t-closeness"), st.integers(0, 1), st.sampled_from([0.05, 0.15, 0.3, 0.5]))
by_meaning = st.builds(slow.Requirement, st.just("t-closeness"), st.just(2), st.sampled_from([0.05, 0.1, 0.2, 0.4]))


@few(60)
@given(drawn=drawn_tables(), requirements=st.lists(count_by, min_size=1, max_size=2))
def test_groups_merge_as_the_rule_says_until_they_are_diverse(
    drawn: Drawn, requirements: list[slow.Requirement]
) -> None:
    assert drawn.fast(requirements) == drawn.slowly(requirements)


@few(25)
@given(
    drawn=drawn_tables(12, 6), requirements=st.lists(close, min_size=1, max_size=1), more=st.lists(count_by, max_size=1)
)
def test_groups_merge_as_the_rule_says_until_they_are_close(
    drawn: Drawn, requirements: list[slow.Requirement], more: list[slow.Requirement]
) -> None:
    assert drawn.fast([*requirements, *more]) == drawn.slowly([*requirements, *more])


@few(12)
@given(drawn=drawn_tables(12, 6), requirement=by_meaning, more=st.lists(count_by, max_size=1))
def test_groups_merge_as_the_rule_says_by_meaning_where_every_lack_is_exact(
    drawn: Drawn, requirement: slow.Requirement, more: list[slow.Requirement]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Closeness, "_at_least", lambda self, group: 0.0)  # shows nothing, so that all is solved exactly
        assert drawn.fast([requirement, *more]) == drawn.slowly([requirement, *more])


@few(25)
@given(drawn=drawn_tables(20), requirement=by_meaning, other=count_by)
def test_nothing_lacks_by_meaning_unless_all_is_one_group(
    drawn: Drawn, requirement: slow.Requirement, other: slow.Requirement
) -> None:
    found = drawn.fast([requirement, other])
    assert sorted(row for group in found for row in group) == list(range(drawn.records.n))
    assert len(found) == 1 or max(slow.deficit(drawn.table, [requirement, other], group) for group in found) == 0
    assert len({drawn.stands_for(group) for group in found}) == len(found)


@few(15)
@given(drawn=drawn_tables(20, 8), requirements=st.lists(count_by | close, min_size=1, max_size=3))
def test_each_group_joins_the_one_that_the_rule_says(drawn: Drawn, requirements: list[slow.Requirement]) -> None:
    records = drawn.demanding(requirements)
    merging = _Enforcing(records, drawn.groups, [attribute.metric for attribute in records.attributes])
    lacks = [slow.deficit(drawn.table, requirements, group) for group in drawn.start]
    assert merging.lacks.tolist() == pytest.approx(lacks, abs=1e-9)
    for one in (place for place, lack in enumerate(lacks) if lack > 0 and len(lacks) > 1):
        found, together = merging.partner(one)
        assert found == slow.partner(drawn.table, requirements, drawn.start, one)
        union = drawn.start[found] + drawn.start[one]
        assert together == pytest.approx(slow.deficit(drawn.table, requirements, union), abs=1e-9)


def test_the_cheapest_group_with_which_nothing_lacks_is_joined_by_hand() -> None:
    ages = Attribute("age", "numeric", NumericMetric([20.0, 22.0, 30.0, 80.0]))
    ills = Attribute("ill", "category", EqualityMetric(["flu", "gout"]))
    ill = np.array([0, 0, 0, 0, 0, 1, 0, 1])
    records = Records.of(
        [ages],
        [[0, 0, 1, 1, 2, 2, 3, 3]],
        sensitive=SensitiveColumns((ills,), (ill,), (Requirement(MODELS["l-diversity"](2.0), 0),)),
    )
    groups = Groups.of([(0, 2, 0), (1, 2, 1), (2, 2, 2), (3, 2, 3)])
    # 20 lacks, as does 22; 22 is nearer to 20, but together they still lack; 30 has both illnesses
    found, _, _ = enforced(records, groups, 2, [ages.metric], lambda g: (g.group[:, None], ()))
    assert [sorted(found.source[m].tolist()) for m in found.members()] == [[0, 1, 2], [3]]


# --- (b) every method, on the text of its release ------------------------------------------------------------------

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
PARENTS: Parents = {
    "worker": [], "food worker": ["worker"], "metal worker": ["worker"], "health worker": ["worker"],
    "cook": ["food worker"], "baker": ["food worker"], "smith": ["metal worker"], "welder": ["metal worker"],
    "nurse": ["health worker"],
}  # fmt: skip
WORDS = ["cook", "Cook", "cooks", "baker", "smith", "welder", "nurse", "zzz", "yyy", None]
CELLS = {
    "job": WORDS, "sex": ["f", "m", None], "size": ["small", "medium", "large", None],
    "age": ["20", "31", "44", "60", None], "skills": ["cook", "cook;baker", "smith; cooks", "nurse;zzz", None],
    "ill": ["flu", "gout", "mumps", None], "spent": ["5", "7.50", "7.5", "20", "80", None],
    "task": ["cook", "Cook", "baker", "smith", "nurse", "zzz", None], "grade": ["low", "mid", "high", None],
}  # fmt: skip
KINDS = {
    "job": al.quasi(JOBS, unmatched="opaque", accept_review=True),
    "sex": al.quasi("category"),
    "size": al.quasi("ordinal", levels=["small", "medium", "large"]),
    "age": al.quasi("numeric"),
    "skills": al.quasi(JOBS, kind="set", unmatched="opaque", accept_review=True),
}
OF_KIND = {"job": "text", "sex": "category", "size": "ordinal", "age": "numeric", "skills": "set"}
SENSITIVE = {
    "ill": al.sensitive(),
    "spent": al.sensitive(),
    "task": al.sensitive(JOBS),
    "grade": al.sensitive("ordinal", levels=["low", "mid", "high"]),
}
LEVELS = {"low": 0, "mid": 1, "high": 2}
NAMES = {
    "l-diversity": "distinct l-diversity", "entropy-l-diversity": "entropy l-diversity",
    "recursive-l-diversity": "recursive ({c:g},l)-diversity", "p-sensitive": "p-sensitive k-anonymity",
    "t-closeness": "t-closeness",
}  # fmt: skip
WITH_K = [name for name, method in METHODS.items() if issubclass(method, KAnonymityMethod)]
ways = pytest.mark.parametrize(
    "name", [*WITH_K, "sa-mdav as centroid", "sa-mdav as subsumer", "sa-mdav as member", "generalise with suppression"]
)


def promises_of(column: str) -> st.SearchStrategy[al.Privacy]:
    """Draw something to promise of a column."""
    return st.one_of(
        st.builds(lambda x: al.Privacy("l-diversity", column, l=x), st.integers(2, 3)),
        st.builds(lambda x: al.Privacy("p-sensitive", column, p=x), st.integers(2, 3)),
        st.builds(lambda x: al.Privacy("entropy-l-diversity", column, l=x), st.sampled_from([1.5, 2, 2.5])),
        st.builds(
            lambda x, c: al.Privacy("recursive-l-diversity", column, l=x, c=c),
            st.just(2),
            st.sampled_from([None, 1, 2.5]),
        ),
        st.builds(lambda x: al.Privacy("t-closeness", column, t=x), st.sampled_from([0.1, 0.25, 0.4])),
    )


promised = st.lists(
    st.sampled_from(list(SENSITIVE)).flatmap(promises_of),
    min_size=1,
    max_size=2,
    unique_by=lambda x: (x.model, x.column),
)
rows_of = st.lists(st.fixed_dictionaries({x: st.sampled_from(c) for x, c in CELLS.items()}), min_size=4, max_size=30)


def frame_of(rows: list[dict[str, Any]], persons: list[int] | None = None) -> pd.DataFrame:
    """Make a table of text, with a survey weight and maybe persons."""
    frame = pd.DataFrame(rows, columns=list(CELLS), dtype=object)
    frame["weight"] = [1.0 + i % 3 for i in range(len(rows))]
    return frame if persons is None else frame.assign(person=[f"p{x}" for x in persons])


def plan_of(name: str, k: int, privacy: Sequence[al.Privacy], *, units: bool = False) -> al.Plan:
    """Make a plan in which the method masks every kind it can."""
    method = name.partition(" ")[0]
    columns: dict[str, Column] = {"weight": al.weight(), **SENSITIVE}
    columns |= {x: KINDS[x] if kind in METHODS[method].info.kinds else al.keep() for x, kind in OF_KIND.items()}
    columns |= {"person": al.unit()} if units else {}
    parameters: dict[str, Any] = {"represent": name.split(" as ")[1]} if " as " in name else {}
    parameters |= {"suppression": 0.3} if "suppression" in name else {}
    parameters |= {"per_attribute": True} if issubclass(METHODS[method], ColumnwiseMethod) else {}
    return al.Plan(columns, method=method, k=k, seed=3, parameters=parameters, privacy=privacy)


def cells_of(frame: Any, column: str) -> list[str | None]:
    return [None if pd.isna(x) else str(x) for x in frame[column].tolist()]


def meanings(column: str, cells: Iterable[str | None]) -> list[Hashable]:
    """Say what the cells of a sensitive column are."""
    if column == "spent":
        return [None if x is None else float(x) for x in cells]
    if column == "grade":
        return [None if x is None else LEVELS[x] for x in cells]
    if column == "task":
        return [x if x is None else x.lower() if x.lower() in PARENTS else f"?{x}" for x in cells]
    return list(cells)


def reached(asked: al.Privacy, group_ids: Sequence[Any], values: Sequence[Any], persons: Sequence[Any] | None) -> float:
    """Return what groups of rows that look alike reach; rows that look like None are in no group."""
    here = [row for row, look in enumerate(group_ids) if look is not None]
    masked, own = [group_ids[row] for row in here], [values[row] for row in here]
    who = None if persons is None else [persons[row] for row in here]
    if asked.model == "entropy-l-diversity":
        return slow_measures.entropy_l(masked, own, who)
    if asked.model == "recursive-l-diversity":
        return slow_measures.recursive_l(masked, own, who, 3 if asked.c is None else asked.c)
    if asked.model != "t-closeness":
        return slow_measures.distinct_l(masked, own, who)
    grounds: dict[str, slow.Distance] = {"task": lambda a, b: slow_masking.wu_palmer_distance(PARENTS, a, b)}
    if asked.column in ("spent", "grade"):
        grounds[asked.column] = slow_measures.ordered_ground(values)
    ground = grounds.get(asked.column, slow_masking.equality)
    groups = slow_measures._value_counts(masked, own, who)
    [whole] = slow_measures._value_counts([()] * len(values), values, persons)  # suppressed rows are of the table
    return max(slow_measures._earth_movers_distance(counts, whole, ground) for counts in groups)


def holds(asked: al.Privacy, figure: float) -> bool:
    return figure <= asked.asked + 1e-9 if asked.model == "t-closeness" else figure >= asked.asked - 1e-9


def told(asked: al.Privacy, figure: float, over: list[str] | None = None) -> dict[str, Any]:
    """Return how the summary tells what was promised."""
    name = NAMES[asked.model].format(c=3 if asked.c is None else asked.c)
    entry = {"model": name, "columns": [asked.column], "asked": asked.asked, "holds": True}
    return entry | {"reached": pytest.approx(figure, abs=1e-7)} | ({} if over is None else {"over": over})


def told_figure(problem: str) -> float:
    """Return what all records reach, as a problem tells it."""
    return float(problem.partition("all records together reach ")[2].split()[0])


def verify(plan: al.Plan, done: al.Release, persons: list[int] | None) -> None:
    """Count anew, from the text of a release, everything it promises."""
    columns = [x for x in OF_KIND if plan.columns[x].role == "quasi"]
    n = len(done.frame)
    who = persons or list(range(n))
    expected: list[dict[str, Any]] = []
    parts = [[x] for x in columns] if isinstance(plan.method, ColumnwiseMethod) else [columns]
    each: list[list[Any]] = []
    for part in parts:
        group_ids: list[Any] = list(zip(*(cells_of(done.frame, x) for x in part), strict=True))
        silent = [look == (None,) * len(part) for look in group_ids]
        assert sum(silent) >= done.summary["suppressed"]
        each.append(group_ids)  # suppressed records are a group
        k = slow_masking.k_of(group_ids, who)
        assert k >= plan.method.required_k
        expected.append({"model": "k-anonymity", "columns": part, "asked": plan.k, "reached": k, "holds": True})
    for asked in plan.privacy:
        values = meanings(asked.column, cells_of(done.frame, asked.column))
        for part, group_ids in zip(parts, each, strict=True):
            figure = reached(asked, group_ids, values, persons)
            assert holds(asked, figure)
            expected.append(told(asked, figure, part if isinstance(plan.method, ColumnwiseMethod) else None))
    assert done.summary["privacy"] == expected


@ways
@few(5)
@given(rows=rows_of, k=st.integers(2, 3), privacy=promised, data=st.data())
def test_every_method_keeps_what_is_promised_on_the_text(
    name: str, rows: list[dict[str, Any]], k: int, privacy: list[al.Privacy], data: st.DataObject
) -> None:
    persons = data.draw(st.none() | st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    assume(persons is None or len(set(persons)) >= k)
    plan, frame = plan_of(name, k, privacy, units=persons is not None), frame_of(rows, persons)
    whole = {x: meanings(x.column, cells_of(frame, x.column)) for x in privacy}
    figures = {x: reached(x, [()] * len(rows), values, persons) for x, values in whole.items()}
    unmet = [x for x, figure in figures.items() if not holds(x, figure)]
    if unmet:
        with pytest.raises(PlanError) as error:
            plan.run(frame)
        assert len(error.value.problems) == len(unmet)
        for asked, problem in zip(unmet, map(str, error.value.problems), strict=True):
            assert f"column {asked.column}: " in problem
            assert f" of {asked.asked:g} is asked for" in problem
            assert told_figure(problem) == pytest.approx(figures[asked], rel=1e-3)
        return
    done = plan.run(frame)
    verify(plan, done, persons)
    for column in SENSITIVE:  # what is sensitive stays as it was
        assert done.frame[column].tolist() == frame[column].tolist()


@ways
def test_groups_merge_where_a_bound_on_their_distance_is_t_but_for_rounding(name: str) -> None:
    """The cooks are 0.5 from the table; a lower bound is 3/5 · 2/3, which is just above 0.4 in floating point."""
    jobs = ["cook", "cook", "smith", "smith", "smith"]
    frame = pd.DataFrame({"job": jobs, "task": ["smith", "zzz", "baker", "nurse", "nurse"]})
    asked = al.Privacy("t-closeness", "task", t=0.4)
    plan = replace(plan_of(name, 2, [asked]), columns={"job": KINDS["job"], "task": SENSITIVE["task"]})
    tasks = meanings("task", frame["task"])
    assert reached(asked, jobs, tasks, None) == pytest.approx(0.5)
    done = plan.run(frame)
    figure = reached(asked, [x or "null" for x in cells_of(done.frame, "job")], tasks, None)
    assert holds(asked, figure)
    assert done.summary["privacy"][1]["reached"] == pytest.approx(figure)


@few(4)
@given(rows=rows_of, privacy=promised, seed=st.integers(0, 99))
@pytest.mark.parametrize("name", ["sa-mdav", "fusion", "recoding", "generalise"])
def test_the_order_of_rows_changes_nothing(
    name: str, rows: list[dict[str, Any]], privacy: list[al.Privacy], seed: int
) -> None:
    plan = replace(plan_of(name, 2, privacy), keep_rest=True)
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    columns = [x for x in OF_KIND if plan.columns[x].role == "quasi"]

    def done(rows: list[dict[str, Any]]) -> Any:
        frame = frame_of(rows).assign(weight=1.0)
        try:
            release = plan.run(frame)
        except PlanError as error:
            return error.problems
        was = list(zip(*(_spelled(x, cells_of(frame, x)) for x in [*columns, *SENSITIVE]), strict=True))
        now = list(zip(*(cells_of(release.frame, x) for x in columns), strict=True))
        figures = [x["reached"] for x in release.summary["privacy"]]
        return Counter(zip(was, now, strict=True)), [pytest.approx(x, abs=1e-9) for x in figures]

    assert done(rows) == done(shuffled)


def _spelled(column: str, cells: list[str | None]) -> list[str | None]:
    """Return one spelling for what means the same."""
    if column == "skills":
        return [x and ";".join(sorted(w.strip().replace("cooks", "cook") for w in x.split(";"))) for x in cells]
    return [x and x.lower().replace("cooks", "cook") for x in cells] if column == "job" else cells


def test_suppression_spares_the_others_what_some_groups_lack() -> None:
    jobs = ["cook"] * 6 + ["smith"] * 6 + ["nurse"] * 2 + ["welder"]
    frame = pd.DataFrame({"job": jobs, "ill": ["flu", "gout"] * 7 + ["flu"]})
    columns = {"job": al.quasi(JOBS), "ill": al.sensitive()}
    plan = al.Plan(columns, method="generalise", k=3, privacy=[al.Privacy("l-diversity", "ill", l=2)])
    assert not set(plan.run(frame).frame["job"]) & set(jobs)
    done = replace(plan, parameters={"suppression": 0.2}).run(frame)
    assert cells_of(done.frame, "job") == ["cook"] * 6 + ["smith"] * 6 + [None] * 3
    assert done.summary["suppressed"] == 3
    assert [x["reached"] for x in done.summary["privacy"]] == [3, 2]


def test_suppressed_records_do_not_tell_what_they_have_in_common() -> None:
    """Who is neither cook nor smith is among the suppressed: if all of these have the flu, so has he."""
    jobs = ["cook"] * 6 + ["smith"] * 6 + ["nurse"] * 2 + ["welder"]
    frame = pd.DataFrame({"job": jobs, "ill": ["flu", "gout"] * 6 + ["flu"] * 3})
    columns = {"job": al.quasi(JOBS), "ill": al.sensitive()}
    plan = al.Plan(columns, method="generalise", k=3, parameters={"suppression": 0.2})
    assert plan.run(frame).summary["suppressed"] == 3
    done = replace(plan, privacy=[al.Privacy("l-diversity", "ill", l=2)]).run(frame)
    assert done.summary["suppressed"] == 0


TERMS = [
    ("thing", None), ("worker", 0), ("worker", 0), ("cook", 1), ("baker", 1), ("smith", 2), ("welder", 2),
    ("vicar", 0), ("nun", 7), ("monk", 7),
]  # fmt: skip
OBO = "format-version: 1.2\n" + "".join(
    f"\n[Term]\nid: X:{i}\nname: {name}\n" + (f"is_a: X:{up}\n" if up is not None else "")
    for i, (name, up) in enumerate(TERMS)
)


def test_groups_that_read_the_same_though_they_mean_something_else_are_refused(tmp_path: Path) -> None:
    """Both workers are written as worker; a's flu counts once there, so that gout outweighs it."""
    (tmp_path / "jobs.obo").write_text(OBO)
    jobs = al.quasi(al.read_taxonomy(tmp_path / "jobs.obo"), accept_review=True)
    frame = pd.DataFrame(
        {
            "who": ["a", "b", "a", "c", "d", "c"],
            "job": ["cook", "baker", "smith", "welder", "nun", "monk"],
            "ill": ["flu", "gout", "flu", "gout", "flu", "gout"],
        }
    )
    plan = al.Plan(
        {"who": al.unit(), "job": jobs, "ill": al.sensitive()},
        k=2,
        parameters={"represent": "subsumer"},
        privacy=[al.Privacy("entropy-l-diversity", "ill", l=2)],
    )
    with pytest.raises(ReleaseError, match="entropy l-diversity of 2 was promised"):
        plan.run(frame)


def test_a_hierarchy_that_guides_is_not_asked_of_sensitive_words(tmp_path: Path) -> None:
    tree = tmp_path / "jobs.csv"
    tree.write_text("cook;food;any\nbaker;food;any\nsmith;metal;any\nwelder;metal;any\n")
    frame = pd.DataFrame({"job": ["cook", "baker", "smith", "welder"] * 2, "task": ["cook", "nurse"] * 4})
    plan = al.Plan(
        {"job": al.quasi(JOBS, hierarchy=tree), "task": al.sensitive(JOBS)},
        method="fusion",
        k=2,
        parameters={"guide": "hierarchy"},
        privacy=[al.Privacy("t-closeness", "task", t=0.1)],
    )
    assert plan.run(frame).summary["privacy"][1]["holds"]


# --- (c) what cannot be met ----------------------------------------------------------------------------------------

TWO = "who,job,ill\n" + "".join(f"{i},{'cook' if i < 6 else 'smith'},{'flu' if i % 4 else 'gout'}\n" for i in range(12))
OF_TWO = {"who": al.identifier(), "job": al.quasi("category"), "ill": al.sensitive()}
UNMET = [
    (al.Privacy("l-diversity", "ill", l=3), "distinct l-diversity of 3 is asked for", 2),
    (al.Privacy("p-sensitive", "ill", p=4), "p-sensitive k-anonymity of 4 is asked for", 2),
    (al.Privacy("entropy-l-diversity", "ill", l=1.9), "entropy l-diversity of 1.9 is asked for", 4 / 3**0.75),
    (al.Privacy("recursive-l-diversity", "ill", l=2, c=2.5), "recursive (2.5,l)-diversity of 2 is asked for", 1),
]


@pytest.mark.parametrize("method", [*WITH_K, "noise"])
@pytest.mark.parametrize(("asked", "message", "figure"), UNMET, ids=[x[0].model for x in UNMET])
def test_what_not_even_all_records_hold_is_refused_and_leaves_no_file(
    method: str, asked: al.Privacy, message: str, figure: float, tmp_path: Path
) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(TWO)
    columns = OF_TWO | ({"job": al.quasi(JOBS)} if method == "noise" else {})
    plan = al.Plan(columns, method=method, k=2 if method != "noise" else None, privacy=[asked])
    for frame in (None, pd.read_csv(source)):
        with pytest.raises(PlanError) as error:
            plan.run(source, target) if frame is None else plan.run(frame)
        [*others, problem] = error.value.problems
        assert f"column ill: {message}, but all records together reach " in str(problem)
        assert told_figure(str(problem)) == pytest.approx(figure, rel=1e-3)
        assert len(others) == (method == "noise")
        assert not {"flu", "gout", "cook", "smith"} & set(str(error.value).replace(".", " ").split())
    assert list(plan.check(source).problems) == [*others, problem]
    assert [x.name for x in tmp_path.iterdir()] == ["in.csv"]
    target.write_text("older")
    with pytest.raises(PlanError):
        plan.run(source, target)
    assert target.read_text() == "older"


def test_every_demand_that_is_not_met_is_told_at_once() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4, "ill": ["flu"] * 4, "age": [1, 2, 2, 2]})
    asked = [al.Privacy("l-diversity", "ill", l=2), al.Privacy("p-sensitive", "age", p=3), UNMET[2][0]]
    plan = al.Plan({"job": al.quasi("category"), "ill": al.sensitive(), "age": al.sensitive()}, k=2, privacy=asked)
    with pytest.raises(PlanError) as error:
        plan.run(frame)
    assert [f"column {x.column}" for x in error.value.problems] == ["column ill", "column age", "column ill"]


def test_what_is_asked_and_what_is_reached_are_told_as_two_figures() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 101, "ill": ["flu"] * 51 + ["gout"] * 50})
    columns = {"job": al.quasi("category"), "ill": al.sensitive()}
    plan = al.Plan(columns, k=2, privacy=[al.Privacy("entropy-l-diversity", "ill", l=2)])
    with pytest.raises(PlanError) as error:
        plan.run(frame)
    assert told_figure(str(error.value.problems[0])) < 2  # 1.9999


def test_a_demanded_column_that_is_not_in_the_table_is_a_problem_of_the_plan() -> None:
    asked = [al.Privacy("l-diversity", "ill", l=2), al.Privacy("l-diversity", "gone", l=2)]
    columns = {"job": al.quasi("category"), "ill": al.sensitive(), "gone": al.sensitive()}
    frame = pd.DataFrame({"job": ["cook"] * 4, "ill": ["flu", "gout"] * 2})
    for privacy in (asked[1:], asked):
        with pytest.raises(PlanError, match="1 column of the plan not in the table: gone"):
            al.Plan(columns, k=2, privacy=privacy).run(frame)
        assert len(al.Plan(columns, k=2, privacy=privacy).check(frame).problems) == 1


def test_a_demanded_column_that_is_not_what_it_should_be_is_a_problem_of_the_plan() -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4, "age": ["20", "old", "30", "30"]})
    columns = {"job": al.quasi("category"), "age": al.sensitive("numeric")}
    with pytest.raises(PlanError, match="1 of 3 values of column age are no numbers") as error:
        al.Plan(columns, k=2, privacy=[al.Privacy("l-diversity", "age", l=2)]).run(frame)
    assert "old" not in str(error.value)


# --- (d) the recount refuses ---------------------------------------------------------------------------------------

FOUR = "job,ill\n" + "cook,flu\ncook,gout\nsmith,flu\nsmith,gout\n" * 2
DIVERSE = al.Privacy("l-diversity", "ill", l=2)
CLOSE = al.Privacy("t-closeness", "ill", t=0.2)
Change = Callable[[str], str]


def lost(text: str) -> str:
    """Make everybody in one group have the flu."""
    return text.replace("cook,gout", "cook,flu")


def moved(text: str) -> str:
    """Make a group of those with the flu."""
    return text.replace("cook,flu", "nurse,flu")


REFUSED = [
    (DIVERSE, lost, "distinct l-diversity of 2 was promised for column ill, but a group of the release has .*1"),
    (DIVERSE, moved, "distinct l-diversity of 2 was promised for column ill, but a group of the release has .*1"),
    (CLOSE, lost, r"t-closeness of 0.2 was promised for column ill, but a group of the release has .*0\.25"),
    (CLOSE, moved, r"t-closeness of 0.2 was promised for column ill, but a group of the release has .*0\.5"),
    (DIVERSE, lambda text: text.replace("flu", "ague", 1), "Column ill of the release has values that it did not have"),
    (CLOSE, lambda text: text.replace(",flu", ",", 1), "Column ill of the release has values that it did not have"),
    (CLOSE, lambda text: text.replace(",flu", ",Flu", 1), "Column ill of the release has values that it did not have"),
]
changes = pytest.mark.parametrize(("asked", "change", "message"), REFUSED)


@changes
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "frame"])
def test_a_release_that_was_changed_is_refused_and_leaves_no_file(
    kind: str, asked: al.Privacy, change: Change, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = _parsed(FOUR)
    source, target = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    plan = al.Plan({"job": al.quasi("category"), "ill": al.sensitive()}, k=2, privacy=[asked])
    if kind == "csv":
        source.write_text(FOUR)
        honest: Any = TextFile.changed
        monkeypatch.setattr(
            TextFile, "changed", lambda *a, **o: iter([change(b"".join(honest(*a, **o)).decode()).encode()])
        )
    elif kind == "jsonl":
        source.write_text(frame.to_json(orient="records", lines=True))
        lines = [
            json.dumps({"job": a, "ill": b or None}).encode() + b"\n"
            for a, b in _parsed(change(FOUR)).itertuples(index=False)
        ]
        monkeypatch.setattr(JsonLines, "changed", lambda *a, **o: iter(lines))
    else:
        frame.to_parquet(source)
        made = _parsed(change(FOUR)).replace({"": None})
        monkeypatch.setattr(Frame, "changed", lambda *a, **o: pa.Table.from_pandas(made) if kind == "parquet" else made)
    with pytest.raises(ReleaseError, match=message) as error:
        plan.run(frame) if kind == "frame" else plan.run(source, target)
    assert not {"flu", "gout", "ague", "Flu", "cook", "smith"} & set(str(error.value).replace(".", " ").split())
    assert [x.name for x in tmp_path.iterdir()] == [source.name]


def _parsed(text: str) -> pd.DataFrame:
    head, *rows = [line.split(",") for line in text.splitlines()]
    return pd.DataFrame(rows, columns=head, dtype=object)


def test_that_a_figure_is_too_large_is_not_told_as_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _parsed(moved(FOUR))
    monkeypatch.setattr(Frame, "changed", lambda *a, **o: made)
    plan = al.Plan({"job": al.quasi("category"), "ill": al.sensitive()}, k=2, privacy=[CLOSE])
    with pytest.raises(ReleaseError, match="t-closeness") as error:
        plan.run(_parsed(FOUR))
    assert "only" not in str(error.value)  # 0.2 was promised, 0.5 is more


def test_suppressed_rows_are_a_group_of_their_own_and_columns_are_counted_alone() -> None:
    seen: list[list[int]] = []

    def reach(groups: Any, cells: Sequence[Any], places: Any, rows: release.Rows) -> float:
        seen.append(groups.tolist())
        return float(len({(g, cells[p]) for g, p in zip(groups.tolist(), places.tolist(), strict=True) if g == 0}))

    kept = Guarantee("ill", "distinct l-diversity", 2, reach, lambda figure: figure >= 2)
    table = pa.table({"a": ["x", "x", None, None], "b": ["p", "p", None, None], "ill": ["flu", "gout", "flu", None]})
    names = ["a", "b", "ill"]
    promise = Promise(["a", "b"], 2, 4, names, suppressed=2, guarantees=[kept])
    assert release.recount(table, names, promise) == release.Verified([2], [[2.0]])
    assert seen == [[0, 0, 1, 1]]
    each = release.recount(table, names, replace(promise, suppressed=0, per_column=True))
    assert each == release.Verified([2, 2], [[2.0], [2.0]])
    assert promise.counted_columns == ["a", "b", "ill"]
    with pytest.raises(ReleaseError, match="distinct l-diversity of 2 was promised for column ill"):
        release.recount(table.set_column(2, "ill", pa.array(["flu"] * 4)), names, promise)
    with pytest.raises(ReleaseError, match="values that it did not have"):
        release.recount(table, names, replace(promise, guarantees=[replace(kept, count=lambda *a: None)]))


# --- (e) plans -----------------------------------------------------------------------------------------------------

ALL = (
    al.Privacy("l-diversity", "ill", l=3),
    al.Privacy("entropy-l-diversity", "ill", l=2.5),
    al.Privacy("recursive-l-diversity", "ill", l=2, c=4),
    al.Privacy("p-sensitive", "ill", p=2),
    al.Privacy("t-closeness", "ill", t=0.15),
    al.Privacy("t-closeness", "age", t=0.3),
)
BASE = {"job": al.quasi("category"), "ill": al.sensitive(), "age": al.sensitive("numeric"), "note": al.keep()}


def test_promises_go_to_toml_and_back(tmp_path: Path) -> None:
    plan = al.Plan(BASE, k=4, privacy=ALL)
    plan.save(tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text()
    assert text.count("[[privacy]]") == len(ALL)
    assert 'model = "recursive-l-diversity"\ncolumn = "ill"\nl = 2\nc = 4\n' in text
    loaded = al.Plan.load(tmp_path / "plan.toml")
    assert tuple(loaded.privacy) == ALL
    assert [type(x.asked) for x in loaded.privacy] == [type(x.asked) for x in ALL]
    assert loaded == replace(plan, folder=tmp_path, parameters=loaded.parameters)
    loaded.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_text() == text
    al.Plan(BASE, k=4).save(tmp_path / "none.toml")
    assert "privacy" not in (tmp_path / "none.toml").read_text()


def test_a_plan_from_toml_keeps_its_promises(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(TWO)
    (tmp_path / "plan.toml").write_text(
        'format = 1\n[method]\nk = 2\n[[privacy]]\nmodel = "l-diversity"\ncolumn = "ill"\nl = 2\n'
        '[columns]\nwho.role = "identifier"\njob = {role = "quasi", kind = "category"}\nill.role = "sensitive"\n'
    )
    done = al.Plan.load(tmp_path / "plan.toml").run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert done.summary["privacy"][1] == told(DIVERSE, 2)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"model": "l-diversty", "l": 2}, "unknown model 'l-diversty'. Hint: did you mean 'l-diversity'?"),
    ({"model": "l-diversity"}, "l-diversity needs l. Hint: give l = …"),
    ({"model": "entropy-l-diversity"}, "entropy-l-diversity needs l."),
    ({"model": "p-sensitive"}, "p-sensitive needs p."),
    ({"model": "t-closeness"}, "t-closeness needs t."),
    ({"model": "t-closeness", "t": 0}, "t is 0; it must be above 0."),
    ({"model": "t-closeness", "t": 1}, "t is 1; it must be below 1."),
    ({"model": "t-closeness", "t": 0.2, "l": 2}, "t-closeness takes t, not l."),
    ({"model": "l-diversity", "l": 3, "c": 2}, "l-diversity takes l, not c."),
    ({"model": "l-diversity", "l": 1}, "l is 1; it must be at least 2."),
    ({"model": "l-diversity", "l": 2.5}, "l is 2.5; it must be a whole number."),
    ({"model": "recursive-l-diversity", "l": 1}, "l is 1; it must be at least 2."),
    ({"model": "p-sensitive", "p": 1}, "p is 1; it must be at least 2."),
    ({"model": "entropy-l-diversity", "l": 1}, "l is 1; it must be above 1."),
    ({"model": "recursive-l-diversity", "l": 2, "c": 0}, "c is 0; it must be above 0."),
    ({"model": "l-diversity", "l": math.inf}, "l is inf; it must be at least 2."),
    ({"model": "t-closeness", "t": math.nan}, "t is nan; it must be above 0."),
    ({"model": "entropy-l-diversity", "l": math.inf}, "l is inf"),
    ({"model": "recursive-l-diversity", "l": 2, "c": math.nan}, "c is nan; it must be above 0."),
]


@pytest.mark.parametrize(("given", "message"), BAD, ids=[str(x[0]) for x in BAD])
def test_a_promise_that_makes_no_sense_is_a_problem_of_the_plan(
    given: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(PlanError) as error:
        al.Plan(BASE, privacy=[al.Privacy(column="ill", **given)])
    assert [str(x).startswith(f"privacy: {message}") for x in error.value.problems] == [True]
    lines = [f"{key} = {json.dumps(x) if isinstance(x, str) else x}" for key, x in given.items()]
    text = "\n".join(["format = 1", "[[privacy]]", 'column = "ill"', *lines, "[columns]", 'job.role = "quasi"'])
    (tmp_path / "plan.toml").write_text(text + '\nill.role = "sensitive"\n')
    with pytest.raises(PlanError) as error:
        al.Plan.load(tmp_path / "plan.toml")
    assert [str(x).startswith(f"privacy: {message}") for x in error.value.problems] == [True]


def test_all_problems_of_promises_are_told_at_once(tmp_path: Path) -> None:
    bad: list[Any] = [
        al.Privacy("l-diversity", "ill", l=True),
        al.Privacy("t-closeness", "job", t=2, l=3),
        al.Privacy("l-diversity", "note", l=2),
        al.Privacy("p-sensitive", "nowhere", p=2),
        al.Privacy("l-diversity", "ill", l=2),
        {"model": "l-diversity"},
    ]
    with pytest.raises(PlanError) as error:
        al.Plan(BASE, privacy=bad, k=1)
    assert [str(x).partition(". Hint")[0].rstrip(".") for x in error.value.problems] == [
        "privacy: l must be a number",
        "privacy: t-closeness takes t, not l",
        "privacy: t is 2; it must be below 1",
        "privacy: column job is not sensitive",
        "privacy: column note is not sensitive",
        "privacy: column nowhere is not sensitive",
        "privacy: l-diversity of column ill is given twice",
        "privacy: a privacy model must be al.Privacy(…), not dict",
        "k is 1; it must be at least 2",
    ]
    (tmp_path / "plan.toml").write_text(
        'format = 1\n[[privacy]]\nmodel = "l-diversity"\nl = "2"\nk = 3\n[[privacy]]\ncolumn = "job"\nt = true\n'
        '[[privacy]]\nmodel = "t-closeness"\ncolumn = "job"\nt = 0.5\n[columns]\njob.role = "quasi"\n'
    )
    with pytest.raises(PlanError) as error:
        al.Plan.load(tmp_path / "plan.toml")
    assert [str(x).partition(". Hint")[0].rstrip(".") for x in error.value.problems] == [
        "privacy: l must be a number",
        "privacy: unknown key 'k'",
        "privacy: t must be a number",
        "privacy: column is missing",
        "privacy: model is missing",
        "privacy: column job is not sensitive",
    ]
    for wrong in ("[privacy]\nl = 2\n", "privacy = 3\n", "privacy = [3]\n"):
        (tmp_path / "plan.toml").write_text(f'format = 1\n{wrong}[columns]\njob.role = "quasi"\n')
        with pytest.raises(PlanError, match=r"privacy must be a (list of tables|table)"):
            al.Plan.load(tmp_path / "plan.toml")


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if issubclass(method, RecordLevelMethod)])
def test_methods_that_make_no_groups_promise_nothing_about_them(method: str, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(TWO)
    given = {"epsilon": 2.0} if method == "exponential" else {}
    plan = al.Plan(OF_TWO | {"job": al.quasi(JOBS)}, method=method, parameters=given, privacy=[DIVERSE])
    calls: list[Callable[[], object]] = [
        lambda: plan.run(tmp_path / "in.csv", tmp_path / "out.csv"),
        lambda: plan.fit(tmp_path / "in.csv"),
    ]
    for call in calls:
        with pytest.raises(PlanError, match=f"method {method} makes no groups"):
            call()
    assert any("makes no groups" in x.text for x in plan.check(tmp_path / "in.csv").problems)
    assert [x.name for x in tmp_path.iterdir()] == ["in.csv"]


# --- (f) files and frames ------------------------------------------------------------------------------------------

DAY = datetime.date(2024, 2, 29)
DATA: dict[str, list[Any]] = {
    "job": ["cook", "cook", "smith", "smith", "nurse", "nurse", "cook", "smith", "nurse", "baker", "baker", "baker"],
    "ill": ["flu", "gout", "flu", None, "gout", "gout", None, "mumps", "flu", "flu", "flu", "flu"],
    "visits": [1, 2, 2, None, 12, 3, 3, 1, 1, 2, 2, 2],
    "spent": [1.0, 2.5, 1.0, None, 1e22, 0.1, 0.1, -3.0, 2.5, 1.0, 1.0, 1.0],
    "smokes": [True, False, None, True, True, True, False, False, None, True, True, True],
    "day": [DAY, DAY + datetime.timedelta(1), None, *[DAY + datetime.timedelta(i % 3) for i in range(9)]],
}
ASKED = [
    *(al.Privacy("l-diversity", x, l=2) for x in ("ill", "visits", "smokes", "day")),
    *(al.Privacy("t-closeness", x, t=0.45) for x in DATA if x not in ("job", "spent")),
    al.Privacy("entropy-l-diversity", "visits", l=1.5),
]
TYPED = al.Plan(
    {"job": al.quasi("category"), "spent": al.sensitive("category")}
    | {x: al.sensitive() for x in DATA if x not in ("job", "spent")},
    method="mdav",
    k=2,
    privacy=[*ASKED, al.Privacy("l-diversity", "spent", l=2)],
    row_order="keep",
)


def expected_figures(jobs: list[str | None]) -> list[float]:
    """Count what the groups of a release hold, by the data as it was."""
    group_ids = [(x,) for x in jobs]
    found: list[float] = [slow_masking.k_of(group_ids)]
    for asked in TYPED.privacy:
        values = DATA[asked.column]
        if asked.model == "t-closeness" and asked.column in ("visits", "day"):
            found.append(slow_measures.t_closeness(group_ids, values, None, slow_measures.ordered_ground(values)))
        else:
            found.append(reached(asked, group_ids, values, None))
    return found


def arrow_table() -> pa.Table:
    return pa.table(DATA)


def frames() -> Iterator[tuple[str, Any]]:
    arrow = arrow_table()
    yield "arrow", arrow
    yield "arrow in chunks", pa.concat_tables([arrow.slice(0, 5), arrow.slice(5, 1), arrow.slice(6)])
    coded = arrow.set_column(1, "ill", arrow["ill"].dictionary_encode())
    yield "arrow, coded", coded
    yield "polars", pl.from_arrow(arrow)
    yield "pandas", arrow.to_pandas()
    yield "pandas, nullable", arrow.to_pandas().convert_dtypes()
    yield "pandas, categories", arrow.to_pandas().astype({"ill": "category", "smokes": "category"})


@pytest.mark.parametrize("name", [name for name, _ in frames()])
def test_frames_of_all_types_verify_and_give_the_same_figures(name: str) -> None:
    frame = dict(frames())[name]
    done = TYPED.run(frame)
    assert type(done.frame) is type(frame)
    jobs = done.frame["job"].to_pylist() if isinstance(frame, pa.Table) else done.frame["job"].to_list()
    figures = [x["reached"] for x in done.summary["privacy"]]
    assert figures == pytest.approx(expected_figures(jobs), abs=1e-9)
    assert all(x["holds"] for x in done.summary["privacy"])


def written(folder: Path, kind: str) -> Path:
    """Write the data to a file."""
    path = folder / f"in.{kind}"
    if kind == "parquet":
        pq.write_table(arrow_table(), path, row_group_size=5)
    elif kind == "jsonl":
        rows = [dict(zip(DATA, row, strict=True)) for row in zip(*DATA.values(), strict=True)]
        path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))
    else:
        lines = [",".join("?" if x is None else f" {x} " for x in row) for row in zip(*DATA.values(), strict=True)]
        path.write_text("\n".join([",".join(DATA), *lines]) + "\n")
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_files_of_all_kinds_verify_and_give_the_same_figures(kind: str, tmp_path: Path) -> None:
    source, target = written(tmp_path, kind), tmp_path / f"out.{kind}"
    done = TYPED.run(source, target)
    if kind == "parquet":
        jobs = pq.read_table(target)["job"].to_pylist()
    elif kind == "jsonl":
        jobs = [json.loads(line)["job"] for line in target.read_text().splitlines()]
    else:
        jobs = [line.split(",")[0].strip() for line in target.read_text().splitlines()[1:]]
        jobs = [x if x not in ("", "?") else None for x in jobs]
    assert [x["reached"] for x in done.summary["privacy"]] == pytest.approx(expected_figures(jobs), abs=1e-9)


GOOD_CSV = {
    "blanks": " cook , flu \n cook,gout\nsmith,flu\nsmith , gout\n",
    "missing": "cook,?\ncook, gout\nsmith,\nsmith,gout\n",
    "missing in words": "cook, NA \ncook, gout\nsmith,?\nsmith,gout\n",
    "quoted": '"cook","flu"\n"cook","go""ut"\n"smith","flu"\n"smith","go""ut"\n',
    "delimiters in quotes": '"cook","flu, or so"\n"cook","gout"\n"smith","flu, or so"\n"smith",gout\n',
    "lines in quotes": '"cook","flu\nor so"\n"cook","gout"\n"smith","flu\nor so"\n"smith",gout\n',
    "blanks in quotes": '"cook"," flu "\n"cook","gout"\n"smith",flu\n"smith",gout\n',
    "blanks after quotes": '"cook","flu" \n"cook","gout"\t\n"smith",flu\n"smith",gout\n',
    "blanks before quotes": 'cook, "flu"\ncook, "gout"\nsmith, "flu"\nsmith, "gout"\n',
    "blanks before quotes with delimiters": 'cook, "flu, or so"\ncook, "gout"\nsmith, "flu, or so"\nsmith, "gout"\n',
    "quotes within": 'cook,5" pipe\ncook,gout\nsmith,5" pipe\nsmith,gout\n',
    "letters": "cook,grippé\ncook,gout\nsmith,grippé\nsmith,gout\n",
    "numbers": "cook,01\ncook,2\nsmith,1.0\nsmith,2\n",
    "decimal commas": 'cook,"1,5"\ncook,"2,25"\nsmith,"1,50"\nsmith,2\n',
}


@pytest.mark.parametrize("what", GOOD_CSV)
@pytest.mark.parametrize("header", [True, False])
def test_cells_as_people_write_them_verify(what: str, header: bool, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(("job,ill\n" if header else "") + GOOD_CSV[what])
    job, ill = ("job", "ill") if header else ("1", "2")
    plan = al.Plan(
        {job: al.quasi("category"), ill: al.sensitive()},
        k=2,
        privacy=[al.Privacy("l-diversity", ill, l=2), al.Privacy("t-closeness", ill, t=0.3)],
        reading=Reading(header=header),
    )
    told = plan.run(source, target).summary["privacy"]
    assert [x["reached"] for x in told][:2] == [2, 2]
    assert told[2]["reached"] == pytest.approx(1 / 8 if what == "decimal commas" else 0, abs=1e-9)


def four(ill: Any, kind: str = "pandas") -> Any:
    """Return a frame of two cooks and two smiths."""
    job = ["cook", "cook", "smith", "smith"]
    if kind == "pandas":
        return pd.DataFrame({"job": job, "ill": ill})
    return (pl.DataFrame if kind == "polars" else pa.table)({"job": job, "ill": ill})


OF_FOUR = al.Plan({"job": al.quasi("category"), "ill": al.sensitive()}, k=2, privacy=[DIVERSE])


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_zero_is_a_zero_whatever_its_sign(kind: str) -> None:
    assert OF_FOUR.run(four([0.0, 1.5, -0.0, 1.5], kind)).summary["privacy"][1]["reached"] == 2


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_not_a_number_is_null_whatever_else_is_missing(kind: str) -> None:
    plan = replace(OF_FOUR, missing=("-",))
    assert plan.run(four([math.nan, 1.5, 1.5, math.nan], kind)).summary["privacy"][1]["reached"] == 2


@pytest.mark.parametrize("values", [[1, 2.5, 1.0, 2.5], [True, False, True, None], [1, "1", 2, None], ["a", 1, 1, 2]])
def test_values_of_json_verify_however_they_are_written(values: list[Any], tmp_path: Path) -> None:
    lines = [json.dumps({"job": "cook" if i < 2 else "smith", "ill": x}) for i, x in enumerate(values)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    done = replace(OF_FOUR, row_order="keep").run(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    assert done.summary["privacy"][1]["holds"]
    assert [json.loads(x)["ill"] for x in (tmp_path / "out.jsonl").read_text().splitlines()] == values


def test_what_is_true_in_json_is_not_one(tmp_path: Path) -> None:
    rows = [("cook", 1), ("cook", True), ("smith", 1), ("smith", True), ("smith", "x")]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"job": a, "ill": b}) + "\n" for a, b in rows))
    plan = replace(OF_FOUR, columns={**OF_FOUR.columns, "ill": al.sensitive("category")})
    assert plan.run(tmp_path / "in.jsonl", tmp_path / "out.jsonl").summary["privacy"][1]["holds"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_lists_hold_or_are_refused_before_anything_is_masked(kind: str) -> None:
    """What a method cannot promise is a problem of the plan, not of a release."""
    try:
        done = OF_FOUR.run(four([["flu"], ["gout", "flu"], ["flu"], ["gout"]], kind))
    except PlanError:
        return
    assert done.summary["privacy"][1]["reached"] == 2


LONG = al.Plan(
    {"who": al.unit(), "items": al.quasi(JOBS, kind="set"), "ill": al.sensitive(), "spent": al.sensitive()},
    method="s-mdav",
    k=2,
    long=True,
    privacy=[DIVERSE, al.Privacy("t-closeness", "spent", t=0.4)],
)
BASKETS = [
    ["cook"],
    ["cook", "baker"],
    ["smith"],
    ["smith", "welder"],
    ["nurse"],
    ["nurse", "cook"],
    ["smith"],
    ["cook"],
]
OF_LONG: dict[str, list[Any]] = {
    "who": [f"w{i}" for i, basket in enumerate(BASKETS) for _ in basket],
    "items": [item for basket in BASKETS for item in basket],
    "ill": [("flu", "flu", "gout", None)[i // 2] for i, basket in enumerate(BASKETS) for _ in basket],
    "spent": [(1.5, 2.0, 2.0, None)[i % 4] for i, basket in enumerate(BASKETS) for _ in basket],
}


def verify_long(rows: Sequence[dict[str, Any]], done: al.Release) -> None:
    """Count anew what a long release promises."""
    baskets: dict[str, set[str]] = {}
    for row in rows:
        baskets.setdefault(str(row["who"]), set()).add(row["items"])
    group_ids = [(frozenset(x),) for x in baskets.values()]
    first = [OF_LONG["who"].index(f"w{i}") for i in range(len(BASKETS))]
    ill, spent = ([OF_LONG[x][i] for i in first] for x in ("ill", "spent"))
    ground = slow_measures.ordered_ground(spent)
    expected = [
        slow_measures.distinct_l(group_ids, ill, None),
        slow_measures.t_closeness(group_ids, spent, None, ground),
    ]
    assert [x["reached"] for x in done.summary["privacy"]] == pytest.approx([slow_masking.k_of(group_ids), *expected])
    assert expected[0] >= 2
    assert expected[1] <= 0.4 + 1e-9


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "pandas", "polars", "arrow"])
def test_long_tables_keep_promises_about_persons(kind: str, tmp_path: Path) -> None:
    source, target = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame}.get(kind, pa.table)(OF_LONG)
    if kind == "csv":
        pd.DataFrame(OF_LONG).to_csv(source, index=False)
    elif kind == "jsonl":
        rows = [dict(zip(OF_LONG, row, strict=True)) for row in zip(*OF_LONG.values(), strict=True)]
        source.write_text("".join(json.dumps(x) + "\n" for x in rows))
    elif kind == "parquet":
        pq.write_table(frame, source)
    in_file = kind in ("csv", "jsonl", "parquet")
    done = replace(LONG, row_order="keep").run(source, target) if in_file else LONG.run(frame)
    if kind == "csv":
        found = pd.read_csv(target, keep_default_na=False).to_dict("records")
    elif kind == "jsonl":
        found = [json.loads(line) for line in target.read_text().splitlines()]
    elif kind == "pandas":
        found = done.frame.to_dict("records")
    else:
        arrow = pq.read_table(target) if kind == "parquet" else pa.table(done.frame)
        found = arrow.to_pylist()
    verify_long(found, done)
