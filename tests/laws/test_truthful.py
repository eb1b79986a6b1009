"""The law of truthful releases: every cell that is written is null, or true of the value that it replaces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import allonym as al
from allonym.errors import PlanError
from allonym.methods import METHODS
from allonym.methods.base import GroupingMethod

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
LINKS = {"night nurse": ("nurse", "narrower"), "Night Nurse": ("nurse", "narrower"), "head cook": ("cook", "narrower")}
WORDS = ["cook", "Cook", "cooks", "baker", "smith", "welder", "nurse", "night nurse", "Night Nurse", "head cook", "zzz"]
SKILLS = ["cook", "cook;baker", "smith; cooks", "nurse;zzz;smith", "night nurse;cook", "yyy", "baker;cook;welder", ""]
CELLS = {
    "job": [*WORDS, None],
    "blended": [*WORDS, None],
    "joined": [*WORDS, None],
    "sex": ["f", "m", None],
    "age": ["20", "31", "44", "60", None],
    "skills": [*SKILLS, None],
    "postcode": ["98101", "98104", "98203", "70012", "n/k", None],
    "tags": ["cook", "cook;zzz", "yyy;zzz", None],
}
OPEN = {"unmatched": "opaque", "accept_review": True}
OTHER = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
COLUMNS = {
    "job": al.quasi(JOBS, links=[LINKS], **OPEN),
    "blended": al.quasi([JOBS, OTHER], combine="blend", links=[LINKS, LINKS], **OPEN),
    "joined": al.quasi([JOBS, OTHER], **OPEN),
    "sex": al.quasi("category"),
    "age": al.quasi("numeric"),
    "skills": al.quasi(JOBS, kind="set", links=[LINKS], **OPEN),
    "postcode": al.quasi("code"),
    "tags": al.quasi(kind="set", elements="category"),
}
GROUPING = [name for name, method in METHODS.items() if issubclass(method, GroupingMethod)]
ROW = st.tuples(*map(st.sampled_from, CELLS.values()))
few = settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("name", GROUPING)
@few
@given(rows=st.lists(ROW, min_size=4, max_size=24), k=st.integers(2, 4), several=st.integers(1, 3), data=st.data())
def test_what_is_written_is_true(
    name: str, refine: bool, rows: list[tuple[str | None, ...]], k: int, several: int, data: st.DataObject
) -> None:
    frame = pd.DataFrame(rows, columns=list(CELLS), dtype=object)
    kinds = METHODS[name].info.kinds
    names = [x for x in CELLS if (COLUMNS[x].kind or "text") in kinds]
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=several, unique=True))
    plan = al.Plan(
        {x: COLUMNS[x] for x in chosen},
        method=name,
        k=k,
        seed=3,
        parameters={"represent": "truthful", "refine": refine},
    )
    everything_written_is_true(plan.run(frame[chosen]))


def everything_written_is_true(release: al.Release) -> None:
    masking = release.masking
    for a, attribute in enumerate(masking.attributes):
        before, after = release.records.codes[masking.source, a], masking.codes[:, a]
        for code in np.unique(after).tolist():
            assert attribute.metric.generalises(code, before[after == code]).all(), attribute.values[code]
        written = [attribute.values[c] is not None for c in after.tolist()]
        assert release.frame[attribute.name].notna().sum() == masking.share[written].sum()


@pytest.mark.parametrize("recoding", ["local", "global"])
@few
@given(rows=st.lists(ROW, min_size=4, max_size=24), k=st.integers(2, 4), data=st.data())
def test_what_generalise_writes_of_sets_is_true(
    recoding: str, rows: list[tuple[str | None, ...]], k: int, data: st.DataObject
) -> None:
    frame = pd.DataFrame(rows, columns=list(CELLS), dtype=object)
    sets = data.draw(st.sampled_from([["skills"], ["tags"], ["skills", "tags"]]))
    others = data.draw(st.lists(st.sampled_from(["job", "age"]), max_size=2, unique=True))
    chosen = sets[:1] if recoding == "global" else [*sets, *others]
    parameters = {"recoding": recoding}
    plan = al.Plan({x: COLUMNS[x] for x in chosen}, method="generalise", k=k, seed=3, parameters=parameters)
    try:
        release = plan.run(frame[chosen])
    except PlanError as error:
        assert {x.code for x in error.problems} <= {"all-null"}  # noqa: PT017
        return
    everything_written_is_true(release)
