"""The kind `code`: distances and common prefixes against slow references, and how codes are read and written."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allonym as al
from allonym.cells import Cells, merged
from allonym.kinds.base import EncodedColumn
from allonym.kinds.codes.kind import Codes
from allonym.kinds.codes.metric import CodeMetric
from allonym.kinds.codes.scheme import Code, CodeScheme

POSTCODES = ["98101", "98104", "98052", "10001", "02139"]
DIAGNOSES = ["E11", "E11.9", "E11.65", "I10", "J45.909", "J45"]
OUTWARD = ["SW1A 1AA", "sw1a1aa", "SW1A 2AB", "M1 1AE", "M11 1AE"]


def encoded(values: list[Any], **options: Any) -> EncodedColumn:
    return Codes(**options).encode("zip", merged(values, np.arange(len(values))))


def codes_of(texts: list[str]) -> tuple[CodeScheme, list[Any]]:
    scheme = CodeScheme.of(texts)
    return scheme, list(dict.fromkeys(scheme.read(x) for x in texts))


def slow_distance(a: Any, b: Any) -> float:
    """Return 1 - shared / longer, character by character."""
    if a == b:
        return 0.0
    if not isinstance(a, Code) or not isinstance(b, Code):
        return 1.0
    shared = 0
    while shared < min(len(a.levels), len(b.levels)) and a.levels[shared] == b.levels[shared]:
        shared += 1
    return 1 - shared / max(len(a.levels) + a.is_prefix, len(b.levels) + b.is_prefix)


def slow_centroid(values: list[Any], pairs: list[tuple[int, int]]) -> Any:
    held = {c: sum(n for x, n in pairs if x == c) for c in sorted({c for c, _ in pairs})}
    costs = {c: sum(n * slow_distance(values[c], values[x]) for x, n in held.items()) for c in held}
    least = min(costs.values())
    return values[min((c for c in held if costs[c] <= least + 1e-9), key=lambda c: (-held[c], c))]


texts = st.text("019AB", min_size=1, max_size=6).filter(lambda text: any(map(str.isdigit, text)))
columns = st.lists(st.one_of(texts, texts.map(lambda x: f"{x}*")), min_size=1, max_size=7, unique=True)


@given(columns, st.data())
def test_distances_and_centroids_are_those_of_the_slow_reference(written: list[str], data: st.DataObject) -> None:
    scheme, values = codes_of(written)
    metric = CodeMetric([*values, None], scheme)
    every = np.arange(len(metric.values))
    expected = [[slow_distance(a, b) for b in metric.values] for a in metric.values]
    assert np.allclose(metric.distances(every[:, None], every), expected)
    for value in metric.values:
        assert np.allclose(metric.distances_from(value), [slow_distance(value, x) for x in metric.values])
    pairs = data.draw(st.lists(st.tuples(st.integers(0, len(values) - 1), st.integers(1, 4)), min_size=1, max_size=9))
    codes, counts = (np.array(x) for x in zip(*pairs, strict=True))
    assert metric.centroid(codes, counts.astype(float)) == slow_centroid(values, pairs)


@given(columns, st.integers(1, 4), st.data())
def test_the_truthful_value_is_the_longest_prefix_that_is_true_of_all(
    written: list[str], fewest: int, data: st.DataObject
) -> None:
    scheme, values = codes_of(written)
    metric = CodeMetric(values, scheme, fewest)
    some = np.array(data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1, max_size=6)))
    value = metric.truthful(some, np.ones(len(some)))
    assert value == metric.truthful(some[::-1], np.ones(len(some)))
    wider = metric.extend([value])
    assert wider.generalises(wider.places[value], some).all()
    members = [values[c].levels for c in some]
    if len(set(some.tolist())) == 1:
        assert value == values[some[0]]
    else:
        shared = next((n for n in range(7, 0, -1) if len({(x[:n], len(x) >= n) for x in members}) == 1
                       and len(members[0]) >= n), 0)  # fmt: skip
        assert value == (Code(members[0][:shared], is_prefix=True) if shared >= fewest else None)


@given(columns)
def test_each_level_of_generalisation_is_true_and_coarser_than_the_one_below(written: list[str]) -> None:
    scheme, values = codes_of(written)
    levels = CodeMetric(values, scheme).generalisations()
    assert levels[0] == values
    assert set(levels[-1]) == {None}
    for below, above in pairwise(levels):
        becomes: dict[Any, Any] = {}
        for was, now, own in zip(below, above, values, strict=True):
            assert becomes.setdefault(was, now) == now
            metric = CodeMetric([own], scheme).extend([now])
            assert metric.generalises(metric.places[now], np.array([0])).all()


@pytest.mark.parametrize(
    ("column", "group", "expected"),
    [
        (POSTCODES, ["98101", "98104"], "9810*"),
        (POSTCODES, ["98101", "98052"], "98*"),
        (POSTCODES, ["98101", "10001"], None),
        (DIAGNOSES, ["E11", "E11.9"], "E11*"),
        (DIAGNOSES, ["E11.9", "E11.65"], "E11*"),
        (DIAGNOSES, ["E11.9", None], None),
        (OUTWARD, ["SW1A 1AA", "SW1A 2AB"], "SW1A*"),
        (OUTWARD, ["SW1A 1AA", "sw1a1aa"], "SW1A 1AA"),
        (["11-1011", "11-1021", "29-1141"], ["11-1011", "11-1021"], "11-10*"),
        (["1.2.1", "1.12.3", "1.12.4", "1.1.9"], ["1.12.3", "1.12.4"], "1.12.*"),
        (["1.2.1", "1.12.3", "1.12.4", "1.1.9"], ["1.12.3", "1.1.9"], "1.*"),
        ([111, 11, 1, 2, 21, 211], [111, 11], "11*"),
        ([98101, 98104, 98105, 2139, 2138], [2139, 2138], "0213*"),
    ],
)
def test_a_group_is_written_by_its_prefix(column: list[Any], group: list[Any], expected: str | None) -> None:
    coded = encoded([*column, None])
    places = [coded.code_of[[*coded.cells.values].index(x)] for x in group]
    value = coded.attribute.metric.truthful(np.array(places), np.ones(len(places)))
    if isinstance(value, Code) and not value.is_prefix:
        assert coded.label(value) == expected
    else:
        assert (None if value is None else coded.label(value)) == expected


def test_leading_zeros_stay() -> None:
    frame = pd.DataFrame({"zip": ["02139"] * 3 + ["02138"] * 3})
    release = al.Plan({"zip": al.quasi("code")}, k=3, seed=1).run(frame)
    assert sorted(release.frame["zip"]) == ["02138"] * 3 + ["02139"] * 3


def test_spellings_are_one_value() -> None:
    coded = encoded(["SW1A 1AA", "sw1a1aa", "SW1A-1AA", " sw1a 1aa "])
    assert set(coded.code_of.tolist()) == {0}


def test_words_among_codes_are_no_codes() -> None:
    coded = encoded([*POSTCODES, "unknown", "unsettled"])
    assert {x for x in coded.attribute.values if isinstance(x, str)} == {"unknown", "unsettled"}
    both = np.array([coded.attribute.values.index(x) for x in ("unknown", "unsettled")])
    assert coded.attribute.metric.truthful(both, np.ones(2)) is None


def test_a_prefix_that_is_too_short_is_null() -> None:
    coded = encoded(["98101", "98052"], min_prefix=3)
    assert coded.attribute.metric.truthful(np.array([0, 1]), np.ones(2)) is None
    assert encoded(["98101", "98052"], min_prefix=2).attribute.metric.truthful(np.array([0, 1]), np.ones(2))


@pytest.mark.parametrize("text", ["981*", "981**", "981xx", "981XX", "981##", "981 **"])
def test_prefixes_of_other_tools_are_read(text: str) -> None:
    coded = encoded(POSTCODES)
    value = coded.kind.meanings(coded, coded.cells, {text: 0}, ())[text]
    assert value == Code(("9", "8", "1"), is_prefix=True)
    released = coded.kind.encode_release(coded, Cells([text] * 5, np.arange(5)), ())
    metric, place = released.attribute.metric, int(released.codes[0])
    assert metric.generalises(place, coded.codes).tolist() == [True, True, False, False, False]


def test_crosses_that_belong_to_codes_stay() -> None:
    coded = encoded(["123X", "124X", "1250"])
    assert coded.kind.meanings(coded, coded.cells, {"126X": 0}, ())["126X"] == Code(tuple("126X"))
    assert coded.kind.meanings(coded, coded.cells, {"12XX": 0}, ())["12XX"] == Code(("1", "2"), is_prefix=True)


@pytest.mark.parametrize("text", ["*", "*****"])
def test_a_code_that_was_cut_altogether_is_null(text: str) -> None:
    coded = encoded(POSTCODES)
    assert coded.kind.meanings(coded, coded.cells, {text: 0}, ())[text] is None


@pytest.mark.parametrize("represent", ["centroid", "truthful", "member", "subsumer"])
@given(rows=st.lists(st.sampled_from(POSTCODES), min_size=4, max_size=16))
def test_a_rare_code_is_never_written_as_it_stands(represent: str, rows: list[str]) -> None:
    release = al.Plan({"zip": al.quasi("code")}, k=3, seed=1, parameters={"represent": represent}).run(
        pd.DataFrame({"zip": rows})
    )
    for text in set(release.frame["zip"].dropna()):
        assert text.endswith("*") or rows.count(text) >= 3


def test_a_group_of_rare_codes_has_their_prefix_as_centroid() -> None:
    frame = pd.DataFrame({"zip": ["98101", "98102", "98103", "10001", "10002", "10003"]})
    release = al.Plan({"zip": al.quasi("code")}, k=3, seed=1, parameters={"represent": "centroid"}).run(frame)
    assert release.frame["zip"].tolist() == ["9810*"] * 3 + ["1000*"] * 3


def test_generalise_cuts_all_codes_alike() -> None:
    frame = pd.DataFrame({"zip": ["98101", "98102", "98103", "10001", "10002", "10003"]})
    release = al.Plan({"zip": al.quasi("code")}, method="generalise", k=3, seed=1).run(frame)
    assert release.frame["zip"].tolist() == ["9810*"] * 3 + ["1000*"] * 3


def test_evaluate_reads_what_mask_writes() -> None:
    frame = pd.DataFrame({"zip": ["98101", "98102", "98103", "10001", "10002", "10003"]})
    plan = al.Plan({"zip": al.quasi("code")}, k=3, seed=1, parameters={"represent": "truthful"})
    release = plan.run(frame)
    evaluation = plan.evaluate(frame, release.frame)
    assert evaluation.summary["changes"] == release.summary["changes"]


def test_whole_numbers_become_text_with_zeros_where_a_prefix_is_written() -> None:
    frame = pd.DataFrame({"zip": [98101, 98101, 98101, 2139, 2138, 2137, 98105, 98105, 98105, 98106, 98107, 98108]})
    release = al.Plan({"zip": al.quasi("code")}, k=3, seed=1, parameters={"represent": "truthful"}).run(frame)
    assert "0213*" in set(release.frame["zip"]) <= {"0213*", "9810*", "98101", "98105"}


def test_whole_numbers_stay_where_no_prefix_is_written() -> None:
    same = pd.DataFrame({"zip": [98101] * 3 + [98104] * 3})
    assert al.Plan({"zip": al.quasi("code")}, k=3, seed=1).run(same).frame["zip"].tolist() == same["zip"].tolist()
