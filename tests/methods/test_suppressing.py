"""Suppression of records within a budget, and of single cells."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import allonym as al
import slow_suppression as slow
from allonym.cli.printing.suppression import suppression_lines
from allonym.errors import PlanError
from allonym.kinds.category import EqualityMetric
from allonym.measures import loss
from allonym.methods import METHODS, finish
from allonym.methods.groups import Groups
from allonym.records import Attribute, Masking, Pairs, Records, piece_of_rows

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
WORDS = ["cook", "baker", "smith", "welder", "nurse", None]
GROUPING = ["sa-mdav", "sa-mdav-static", "s-mdav", "abril", "mdav", "fusion"]
ROW = st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from(["x", "y", None]))
NAMES = ("one", "two")
Row = tuple[str | None, ...]
grouping = pytest.mark.parametrize("method", GROUPING)


def records_of(rows: list[Row]) -> Records:
    """Return rows of categories as records."""
    values = [sorted({row[a] for row in rows} | {None}, key=lambda x: (x is None, x)) for a in range(2)]
    attributes = [Attribute(name, "category", EqualityMetric(x)) for name, x in zip(NAMES, values, strict=True)]
    return Records.of(attributes, [[x.index(row[a]) for row in rows] for a, x in enumerate(values)])


def categories(rows: list[Row], method: str, k: int, **parameters: Any) -> tuple[list[Row], Masking]:
    """Mask rows of categories, and return what they became."""
    records = records_of(rows)
    represent = {} if method == "fusion" else {"represent": "centroid"}
    masking = METHODS[method](k=k, **represent | parameters).mask(records, 1)
    piece = piece_of_rows(records, masking.source, masking.share)
    cells = [[x.values[c] for c in codes[piece]] for x, codes in zip(masking.attributes, masking.codes.T, strict=True)]
    return list(zip(*cells, strict=True)), masking


def seen(frame: pd.DataFrame, columns: list[str]) -> list[Row]:
    cells = frame[columns].astype(object)
    return [tuple(row) for row in cells.where(cells.notna(), None).itertuples(index=False)]


@grouping
@settings(max_examples=12, deadline=None)
@given(
    rows=st.lists(ROW, min_size=4, max_size=14),
    k=st.integers(2, 3),
    share=st.sampled_from([0.2, 0.4, 0.6]),
    refine=st.booleans(),
)
def test_no_release_beats_the_best_one_and_none_loses_more_than_without(
    method: str, rows: list[Row], k: int, share: float, refine: bool
) -> None:
    """Compare with all partitions and all sets of suppressed records of a tiny table."""
    assume(len(set(rows)) <= 6)
    without, _ = categories(rows, method, k, refine=refine, suppress=0.0)
    released, masking = categories(rows, method, k, refine=refine, suppress=share)
    assert min(Counter(released).values()) >= k
    told, lost = masking.suppression, slow.loss(rows, released)
    assert told is not None
    assert told.records <= told.budget == int(share * len(rows) + 1e-9)
    assert lost <= slow.loss(rows, without) + 1e-9
    if not METHODS[method].info.splits_tuples:
        assert lost >= slow.least_loss(rows, k, len(rows)) - 1e-9  # groups without values are suppressed beside
    emptied = sum(now == (None, None) != was for was, now in zip(rows, released, strict=True))
    assert masking.suppressed_rows == emptied >= told.records
    assert (told.loss_before, told.loss) == pytest.approx((slow.loss(rows, without), lost))
    if told.records == 0 and (None, None) not in rows:  # records without values may join at no cost
        assert released == without


def test_it_comes_near_to_the_best_release_of_tiny_tables() -> None:
    rng, ratios = np.random.default_rng(0), []
    for _ in range(60):
        rows = [(("a", "b", "c", "d")[i], ("x", "y", "z")[j]) for i, j in rng.integers(0, [4, 3], (9, 2))]
        if len(set(rows)) > 6:
            continue
        best = slow.least_loss(rows, 2, 4)
        released, _ = categories(rows, "sa-mdav", 2, refine=True, suppress=0.5)
        ratios.append((slow.loss(rows, released), best))
    reached, optimum = np.array(ratios).sum(axis=0)
    assert len(ratios) > 20
    assert optimum <= reached <= 1.3 * optimum


def words(rows: list[Row], k: int, method: str = "sa-mdav", seed: int = 21, **parameters: Any) -> al.Release:
    frame = pd.DataFrame(rows, columns=["job", "town", "ill"], dtype=object)
    columns = {"job": al.quasi(JOBS), "town": al.quasi("category"), "ill": al.sensitive()}
    parameters = {"refine": False} | parameters
    return al.Plan(columns, method=method, k=k, seed=seed, parameters=parameters).run(frame)


FAR = [
    *[("cook", "Rome", "flu")] * 6, *[("baker", "Rome", "gout")] * 2, *[("smith", "Oslo", "flu")] * 6,
    ("nurse", "Rome", "flu"), ("nurse", "Oslo", "gout"), ("welder", "Oslo", "ague"), ("nurse", "Bonn", "ague"),
]  # fmt: skip


def test_the_records_whose_absence_saves_most_are_suppressed() -> None:
    without, release = (words(FAR, 3, represent="subsumer", suppress=x) for x in (0.0, 0.2))
    told = release.summary["suppression"]
    assert (told["budget"], told["records"], release.summary["suppressed"]) == (3, 3, 3)
    assert Counter(seen(release.frame, ["job", "town"]))[None, None] == 3
    losses = [x.summary["measures"]["information_loss"]["value"] for x in (without, release)]
    assert losses[1] < losses[0]
    assert 0 < told["loss_saved"] < 100


def test_suppression_is_reported() -> None:
    release = words(FAR, 3, represent="subsumer", suppress=0.2)
    saved = release.summary["suppression"]["loss_saved"]
    answer = release.report.questions[0].answer
    assert "3 records were suppressed" in answer
    assert f"This saves {saved:.1f} % of the information loss." in answer
    lines = dict(suppression_lines(release.summary))
    assert lines == {"records suppressed": f"3 of 18 (17 %), at most 3; saves {saved:.1f} % of the loss"}
    none = words(FAR, 3, represent="subsumer", suppress=0.15).summary
    assert dict(suppression_lines(none)) == {"records suppressed": "none, at most 2: no k of them would lose less"}


def test_fewer_than_k_are_never_suppressed() -> None:
    release = words(FAR, 3, represent="subsumer", suppress=0.15)
    assert release.summary["suppression"] == {"budget": 2, "records": 0, "loss_saved": 0.0}
    assert release.frame.equals(words(FAR, 3, represent="subsumer", suppress=0.0).frame)
    empty = [*FAR, *[(None, None, "flu")] * 3]
    joined = words(empty, 4, represent="subsumer", suppress=0.1)
    assert joined.summary["suppression"]["records"] in (1, 2)  # with those that have no values, they are four
    assert Counter(seen(joined.frame, ["job", "town"]))[None, None] >= 4


def test_suppressed_records_stay_where_they_are_when_others_are_merged() -> None:
    """Persons, and what sensitive columns require, are counted in the class of suppressed records too."""
    rng = np.random.default_rng(3)
    for _ in range(8):
        rows = [(WORDS[a], ("Rome", "Oslo", None)[b], ("flu", "gout", "ague")[c])
                for a, b, c in rng.integers(0, [6, 3, 3], (40, 3))]  # fmt: skip
        frame = pd.DataFrame(rows, columns=["job", "town", "ill"], dtype=object)
        frame["person"] = [f"p{x}" for x in rng.integers(0, 25, len(rows))]
        columns = {"job": al.quasi(JOBS), "town": al.quasi("category"), "ill": al.sensitive(), "person": al.unit()}
        privacy = (al.Privacy("l-diversity", "ill", l=2), al.Privacy("t-closeness", "ill", t=0.5))
        for method in GROUPING:
            extra = {} if method == "fusion" else {"represent": "subsumer"}
            plan = al.Plan(columns, method=method, k=3, seed=1, parameters=extra | {"suppress": 0.3}, privacy=privacy)
            release = plan.run(frame)
            persons, ills = defaultdict(set), defaultdict(set)
            for now, person, ill in zip(
                seen(release.frame, ["job", "town"]), frame["person"], frame["ill"], strict=True
            ):
                persons[now].add(person)
                ills[now].add(ill)
            assert min(map(len, persons.values())) >= 3
            assert min(map(len, ills.values())) >= 2
            told = release.summary["suppression"]
            assert told["records"] <= told["budget"] == 12


def test_survey_weights_count_for_loss_and_not_for_k() -> None:
    frame = pd.DataFrame(FAR, columns=["job", "town", "ill"], dtype=object).assign(w=[1.0] * 14 + [0.01] * 4)
    columns = {"job": al.quasi(JOBS), "town": al.quasi("category"), "ill": al.sensitive(), "w": al.weight()}
    plan = al.Plan(columns, k=3, seed=1, parameters={"suppress": 0.3, "represent": "subsumer", "refine": False})
    release = plan.run(frame)
    gone = [now == (None, None) for now in seen(release.frame, ["job", "town"])]
    assert sum(gone) >= 3
    assert all(weight < 1 for weight, is_gone in zip(frame["w"], gone, strict=True) if is_gone)


def test_a_share_is_a_number_below_one() -> None:
    with pytest.raises(PlanError, match="suppress is 1; it must be below 1"):
        words(FAR, 3, suppress=1.0)
    with pytest.raises(PlanError, match="suppress must be a number"):
        words(FAR, 3, suppress="1%")


# --- cells -----------------------------------------------------------------------------------------------------------


@grouping
@settings(max_examples=12, deadline=None)
@given(rows=st.lists(ROW, min_size=4, max_size=14), k=st.integers(2, 3))
def test_a_cell_is_suppressed_where_null_loses_less(method: str, rows: list[Row], k: int) -> None:
    without, _ = categories(rows, method, k, suppress=0.0)
    released, masking = categories(rows, method, k, suppress=0.0, suppress_cells=True)
    group = masking.groups[piece_of_rows(records_of(rows), masking.source, masking.share)].tolist()
    assert min(Counter(released).values()) >= k
    lost = slow.loss(rows, released)
    assert lost <= slow.loss(rows, without) + 1e-9
    for one in set(group):  # a group keeps its values, or has null, and no further null would lose less
        own = [i for i, x in enumerate(group) if x == one]
        [before], [now] = ({x[i] for i in own} for x in (without, released))
        assert all(y in (x, None) for x, y in zip(before, now, strict=True))
        for a in range(2):
            other = [
                tuple(None if i in own and b == a else x for b, x in enumerate(row)) for i, row in enumerate(released)
            ]
            assert slow.loss(rows, other) >= lost - 1e-9
    assert masking.suppression is not None
    for a, cells in enumerate(masking.suppression.cells or (0, 0)):
        assert cells == sum(x[a] is not None and y[a] is None for x, y in zip(without, released, strict=True))


@pytest.mark.parametrize("method", ["sa-mdav", "fusion"])
def test_existing_values_are_suppressed_as_whole_records_only(method: str) -> None:
    release = words(FAR, 3, method, values="existing", suppress=0.3)
    existing = {row[:2] for row in FAR} | {(None, None)}
    assert set(seen(release.frame, ["job", "town"])) <= existing
    with pytest.raises(PlanError, match="suppress_cells empties single cells"):
        words(FAR, 3, method, values="existing", suppress_cells=True)


# --- what is verified ------------------------------------------------------------------------------------------------


def test_a_class_that_lacks_something_does_not_hold() -> None:
    job = Attribute("job", "category", EqualityMetric(["a", "b", None]))
    records = Records.of([job], [[0, 0, 0, 1, 1, 1, 1]])

    def masking(codes: list[int], share: list[int]) -> Masking:
        return Masking(np.array([0, 1, 1]), np.array(share), np.array([0, 1, 2]), np.array(codes)[:, None], (job,))

    assert finish.holds(records, masking([0, 1, 1], [3, 3, 1]), 3)
    assert not finish.holds(records, masking([0, 1, 2], [3, 3, 1]), 3)


def test_a_proposal_that_does_not_hold_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with_it = words(FAR, 3, represent="subsumer", suppress=0.2)
    assert with_it.summary["suppressed"] == 3
    monkeypatch.setattr(finish, "holds", lambda *given: False)
    assert words(FAR, 3, represent="subsumer", suppress=0.2).summary["suppressed"] == 0


def test_the_older_name_of_the_share_of_generalise_still_works(tmp_path: Path) -> None:
    older, newer = (al.Plan({"job": al.quasi(JOBS)}, method="generalise", k=3, parameters={name: 0.25})
                    for name in ("suppression", "suppress"))  # fmt: skip
    assert older == newer
    assert older.method == METHODS["generalise"](k=3, suppression=0.25) == METHODS["generalise"](k=3, suppress=0.25)
    assert replace(older, k=4).method.suppress == 0.25
    with pytest.raises(PlanError, match="unknown parameter 'suppression'"):
        al.Plan({"job": al.quasi(JOBS)}, method="generalise", parameters={"suppression": 0.1, "suppress": 0.2})
    path = tmp_path / "plan.toml"
    path.write_text(
        'format = 1\n[method]\nname = "generalise"\nsuppression = 0.25\n[columns]\njob = {role = "quasi"}\n'
    )
    assert al.Plan.load(path).method.suppress == 0.25


def test_a_group_that_is_suppressed_joins_no_other() -> None:
    pieces = np.array([[0, 3, 0], [1, 2, 1], [2, 2, 2]])
    groups = Groups.of(pieces, 2)
    assert (groups.suppressed, len(groups)) == (2, 3)
    assert Groups.of(pieces[[0, 2]], 2).suppressed == 1
    job = Attribute("job", "category", EqualityMetric(["a", "b", "c"]))
    records = Records.of([job], [[0, 0, 0, 1, 1, 2, 2]])
    masking = al.SAMDAV(k=2).mask(records)
    assert loss.sse(Pairs.of(records, masking)) == 0
