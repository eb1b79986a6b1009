"""Record fusion gives what the algorithm gives, arm by arm, ties and draws included."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reference
import slow_masking as slow
from both_kernels import BOTH, use
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym import Fusion, Recoding, RecodingOrdered
from allonym.errors import PlanError
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.methods.fusion import GUIDES, HEURISTICS, fused_into
from allonym.methods.kernels.fusion import Fusing
from allonym.metric import Metric
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Records
from allonym.release_key import rng_of

SEXES = ("f", "m", None)
Row = tuple[object, ...]


@pytest.fixture(scope="module", params=BOTH, autouse=True)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test with compiled kernels and with NumPy."""
    with use(request.param):
        yield


def slowly(
    counts: dict[Row, int], order: list[Row], k: int, heuristics: str, far: object, rng: np.random.Generator
) -> dict[Row, Row]:
    """Return the tuple whose values each tuple takes, by the algorithm of Martínez (2010), §4.3."""
    sizes = dict(counts)
    into = {row: row for row in order}

    def draw(rows: list[Row]) -> Row:
        return rows[int(rng.integers(len(rows)))] if len(rows) > 1 else rows[0]

    def others(row: Row) -> list[Row]:
        return [other for other in order if other in sizes and other != row]

    def best(row: Row) -> list[Row]:
        least = min(far(row, other, sizes) for other in others(row))
        return [other for other in others(row) if far(row, other, sizes) == least]

    while len(sizes) > 1 and min(sizes.values()) < k:
        smallest = min(sizes.values())
        s1 = [row for row in order if sizes.get(row) == smallest]
        if heuristics == "none":
            one = draw([row for row in order if row in sizes and sizes[row] < k])
            target = draw(others(one))
        elif heuristics == "h1":
            one = draw(s1)
            target = draw(others(one))
        else:
            found = s1
            if "h2" in heuristics:
                quality = {row: far(row, best(row)[0], sizes) for row in found}
                found = [row for row in found if quality[row] == min(quality.values())]
            if heuristics == "h1+h2+h3-printed":  # eq. 20: the minimum over all other records
                result = {row: sizes[row] + min(sizes[other] for other in others(row)) for row in found}
                found = [row for row in found if result[row] == min(result.values())]
            elif "h3" in heuristics:
                result = {row: min(sizes[other] for other in best(row)) for row in found}
                found = [row for row in found if result[row] == min(result.values())]
            one = draw(found)
            target = min(best(one), key=lambda other: (sizes[other], order.index(other)))
        sizes[target] += sizes.pop(one)
        into = {row: target if now == one else now for row, now in into.items()}
    return into


@pytest.mark.parametrize("guide", [*GUIDES, "path"])
@pytest.mark.parametrize("heuristics", HEURISTICS)
@given(parents=dags(7), k=st.integers(2, 5), seed=st.integers(0, 9), data=st.data())
def test_groups_are_those_of_the_algorithm(
    heuristics: str, guide: str, parents: Dag, k: int, seed: int, data: st.DataObject
) -> None:
    words = [*(f"c{c}" for c in parents), None]
    rows = data.draw(st.lists(st.tuples(st.sampled_from(words), st.sampled_from(SEXES)), min_size=1, max_size=25))
    assume(len(rows) >= k)
    t = taxonomy(parents)
    tree = data.draw(dags(len(parents), min_size=len(parents))) if guide == "hierarchy" else parents
    own = taxonomy(tree)
    attributes = [
        Attribute(
            "word",
            "text",
            ConceptMetric([*parents, None], Scope(t, t.root)),
            hierarchy=ConceptMetric([*tree, None], Scope(own, own.root)),
        ),
        Attribute("sex", "category", EqualityMetric(SEXES)),
    ]
    records = Records.of(attributes, [[words.index(w) for w, _ in rows], [SEXES.index(s) for _, s in rows]])
    tuples = [(words[a], SEXES[b]) for a, b in records.codes]
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in tree.items()}

    @functools.cache
    def apart(a: Hashable, b: Hashable) -> float:
        if guide == "path" and a is not None and b is not None:
            return reference.distance("path", parents, words.index(a), words.index(b))
        return slow.wu_palmer_distance(named, a, b)

    distance = slow.record_distance([apart, slow.equality])

    def far(one: Row, other: Row, sizes: dict[Row, int]) -> float:
        return float(sizes[other]) if guide == "discernibility" else round(distance(one, other), slow.DECIMALS)

    if guide == "discernibility" and "h2" in heuristics:
        heuristics = "h1+target"  # the best target of all is the smallest other group
    if guide == "random" and heuristics != "none":
        heuristics = "h1"
    expected = slowly(dict(Counter(rows)), tuples, k, heuristics, far, np.random.default_rng(seed))
    into = fused_into(records, k, np.random.default_rng(seed), no_progress, heuristics, guide)
    assert {tuples[i]: tuples[j] for i, j in enumerate(into)} == expected


@pytest.mark.parametrize("heuristics", ["h1+target", "h1+h2", "h1+h2+h3", "h1+h2+h3-printed"])
@given(parents=dags(8), k=st.integers(2, 5), seed=st.integers(0, 9), data=st.data())
def test_fused_groups_take_a_new_value_near_both(
    heuristics: str, parents: Dag, k: int, seed: int, data: st.DataObject
) -> None:
    words = [f"c{c}" for c in parents]
    rows = data.draw(st.lists(st.tuples(st.sampled_from(words), st.sampled_from(SEXES)), min_size=k, max_size=25))
    t = taxonomy(parents)
    word = Attribute("word", "text", ConceptMetric(list(parents), Scope(t, t.root)))
    attributes = [word, Attribute("sex", "category", EqualityMetric(SEXES))]
    records = Records.of(attributes, [[words.index(w) for w, _ in rows], [SEXES.index(s) for _, s in rows]])
    tuples = [(words[a], SEXES[b]) for a, b in records.codes]
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    rng, counts = np.random.default_rng(seed), Counter(rows)
    distance = slow.record_distance([functools.partial(slow.wu_palmer_distance, named), slow.equality])
    groups = {one: [one] for one in tuples}  # the tuple that stayed -> all its tuples

    def size(group: Row) -> int:
        return sum(counts[one] for one in groups[group])

    def place(group: Row) -> Row:  # the new value of each column: the centroid of its records
        words_, sexes = ([(one[a], counts[one]) for one in groups[group]] for a in range(2))
        return slow.semantic_centroid(named, words_), slow.mode(sexes, SEXES)

    def far(one: Row, other: Row) -> float:
        return round(distance(place(one), place(other)), slow.DECIMALS)

    def best(one: Row) -> list[Row]:
        others = [other for other in tuples if other in groups and other != one]
        return [other for other in others if far(one, other) == min(far(one, x) for x in others)]

    while len(groups) > 1 and min(map(size, groups)) < k:
        found = [one for one in tuples if one in groups and size(one) == min(map(size, groups))]
        if "h2" in heuristics:
            quality = {one: far(one, best(one)[0]) for one in found}
            found = [one for one in found if quality[one] == min(quality.values())]
        if heuristics == "h1+h2+h3":
            result = {one: min(map(size, best(one))) for one in found}
            found = [one for one in found if result[one] == min(result.values())]
        one = found[int(rng.integers(len(found)))] if len(found) > 1 else found[0]
        target = min(best(one), key=lambda other: (size(other), tuples.index(other)))
        groups[target] = sorted(groups[target] + groups.pop(one), key=tuples.index)
    into = fused_into(records, k, np.random.default_rng(seed), no_progress, heuristics, "similarity", new=True)
    assert {tuples[i]: tuples[j] for i, j in enumerate(into)} == {x: one for one, xs in groups.items() for x in xs}


def test_a_new_value_need_not_occur_in_the_data() -> None:
    t = taxonomy({0: [], 1: [0], 2: [1], 3: [1], 4: [1], 5: [0]})
    job = Attribute("job", "text", ConceptMetric([2, 3, 4, 5], Scope(t, 0)))
    records = Records.of([job], [[0, 1, 2, *[3] * 3]])
    written = {}
    for towards in ("existing", "new"):
        masking = Fusion(k=3, towards=towards, refine=False).mask(records)
        written[towards] = {masking.attributes[0].values[c] for c in masking.codes[:3, 0]}
    assert written["existing"] < {2, 3, 4}
    assert written["new"] == {1}


def test_a_group_may_come_nearer_by_a_fusion() -> None:
    t = taxonomy({0: [], 1: [0], 2: [1], 3: [1], 4: [0], 5: [1]})
    job = Attribute("job", "text", ConceptMetric([0, 2, 3, 4, 5], Scope(t, 0)))
    records = Records.of([job], [[0, 1, 2, 3, 3, 3, 4]])
    ends = {
        new: fused_into(records, 2, np.random.default_rng(0), no_progress, "h1+h2", "similarity", new=new).tolist()
        for new in (False, True)
    }
    assert ends[True] == [1, 1, 1, 3, 1]  # 2, 3 and 5 become 1, which is nearer to 0 than 4 is, or any of them
    assert ends[False][0] == 3


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"heuristics": "none", "guide": "path"}, "guide-without-effect"),
        ({"heuristics": "none", "guide": "similarity"}, "guide-without-effect"),  # the default, but stated
        ({"heuristics": "h1", "guide": "wu-palmer"}, "guide-without-effect"),
        ({"heuristics": "h1+h2", "guide": "random"}, "heuristics-without-effect"),
        ({"heuristics": "h1+h2+h3", "guide": "random"}, "heuristics-without-effect"),
        ({"heuristics": "h1+h2", "guide": "discernibility"}, "heuristics-without-effect"),
        ({"towards": "new", "values": "existing"}, "values-not-existing"),
        ({"towards": "new", "guide": "hierarchy"}, "new-not-in-hierarchy"),
        ({"heuristics": "none"}, None),
        ({"guide": "random"}, None),
        ({"guide": "path", "heuristics": "h1+h2"}, None),
    ],
)
def test_options_without_effect_are_refused(parameters: dict[str, str], code: str | None) -> None:
    assert [x.code for x in Fusion(**parameters).conflicts(parameters)] == ([] if code is None else [code])
    if code is None:
        al.Plan({"a": al.quasi("category")}, method="fusion", parameters=parameters)
    else:
        with pytest.raises(PlanError):
            al.Plan({"a": al.quasi("category")}, method="fusion", parameters=parameters)
    if set(parameters) <= {"heuristics", "guide"}:
        assert [x.code for x in Recoding(**parameters).conflicts(parameters)] == ([] if code is None else [code])


def test_heuristics_of_recoding_in_order_are_refused() -> None:
    with pytest.raises(PlanError, match="heuristics has no effect"):
        al.Plan({"a": al.quasi("category")}, method="recoding-ordered", parameters={"heuristics": "h1+h2+h3"})


def test_a_hierarchy_guides_only_columns_of_words() -> None:
    frame = pd.DataFrame({"a": list("xxyyz")})
    with pytest.raises(PlanError, match="guide = hierarchy has no effect"):
        al.Plan({"a": al.quasi("category")}, method="fusion", k=2, parameters={"guide": "hierarchy"}).run(frame)


def test_only_values_of_the_data_are_written() -> None:
    t = taxonomy({0: [], 1: [0], 2: [1], 3: [1], 4: [0]})
    job = Attribute("job", "text", ConceptMetric([2, 3, 4], Scope(t, 0)))
    records = Records.of([job], [[0, 0, 0, 1, 2, 2, 2]])
    masking = Fusion(k=3).mask(records)
    assert masking.attributes[0].values[:3] == (2, 3, 4)
    written = {job.values[c]: masking.attributes[0].values[m] for c, m in enumerate(masking.codes[:, 0])}
    assert written == {2: 2, 3: 2, 4: 4}  # 3 is nearer to 2 than to 4


def test_parameters_are_checked() -> None:
    assert list(Fusion().problems()) == []
    told = list(Fusion(heuristics="h4", guide="x").problems())
    assert "Known: none, h1" in told[0].hint
    assert "Known: similarity" in told[1].hint


def test_a_hierarchy_guides_in_place_of_the_ontology(tmp_path: Path) -> None:
    (tmp_path / "pets.csv").write_text("cat;house;*\ndog;house;*\nparrot;cage;*\neagle;sky;*\nowl;house;*\n")
    frame = pd.DataFrame({"pet": ["cat"] * 3 + ["parrot"] * 3 + ["owl"]})  # an owl is a bird
    for guide, expected in (("similarity", "parrot"), ("hierarchy", "cat")):
        column = al.quasi("wordnet:animal", hierarchy="pets.csv", accept_review=True)
        plan = al.Plan(
            {"pet": column}, method="fusion", k=2, parameters={"guide": guide, "refine": False}, folder=tmp_path
        )
        plan.save(tmp_path / "plan.toml")
        done = al.Plan.load(tmp_path / "plan.toml").run(frame)
        assert list(done.frame["pet"]) == [*frame["pet"][:-1], expected]
        assert ("pets" in done.summary["sha256"]["ontologies"]) == (guide == "hierarchy")
        ordered = al.Plan({"pet": column}, method="recoding-ordered", k=2, parameters={"guide": guide}, folder=tmp_path)
        assert list(ordered.run(frame).frame["pet"]) == [*frame["pet"][:-1], expected]


def test_a_hierarchy_must_be_there_and_know_all_values(tmp_path: Path) -> None:
    (tmp_path / "pets.csv").write_text("cat;house;*\nparrot;cage;*\neagle;sky;*\n")
    frame = pd.DataFrame({"pet": ["cat", "cat", "owl", "dog"]})
    parameters = {"guide": "hierarchy"}
    with pytest.raises(PlanError, match="column pet: the column has no hierarchy"):
        al.Plan({"pet": al.quasi("wordnet:animal")}, method="fusion", k=2, parameters=parameters).run(frame)
    column = al.quasi("wordnet:animal", hierarchy=tmp_path / "pets.csv")
    with pytest.raises(PlanError, match="2 values not in the hierarchy pets") as error:
        al.Plan({"pet": column}, method="fusion", k=2, parameters=parameters).run(frame)
    assert error.value.values == ("owl", "dog")
    assert "owl" not in str(error.value)
    with pytest.raises(PlanError, match="hierarchy does not apply to a column of kind category"):
        al.Plan({"pet": al.quasi("category", hierarchy="pets.csv")})
    own = al.quasi(str(tmp_path / "pets.csv"), unmatched="opaque")  # an ontology that is a hierarchy needs no other
    done = al.Plan({"pet": own}, method="fusion", k=2, parameters=parameters).run(frame)
    assert done.summary["privacy"][0]["holds"]


# --- recoding ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heuristics", HEURISTICS)
@given(parents=dags(7), k=st.integers(2, 4), seed=st.integers(0, 5), data=st.data())
def test_recoding_is_fusion_of_each_column(
    heuristics: str, parents: Dag, k: int, seed: int, data: st.DataObject
) -> None:
    words = [f"c{c}" for c in parents]
    rows = data.draw(st.lists(st.tuples(st.sampled_from(words), st.sampled_from(words)), min_size=k, max_size=20))
    t = taxonomy(parents)
    attributes = [Attribute(n, "text", ConceptMetric(list(parents), Scope(t, t.root))) for n in "ab"]
    records = Records.of(attributes, [[words.index(row[a]) for row in rows] for a in range(2)])
    masking = Recoding(k=k, heuristics=heuristics, per_attribute=True).mask(records, seed)
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    for a in range(2):
        column = [(row[a],) for row in rows]
        order = sorted(set(column), key=lambda row: words.index(row[0]))
        rng = rng_of(seed, "recoding", str(a))

        def far(one: Row, other: Row, sizes: dict[Row, int]) -> float:
            return round(slow.wu_palmer_distance(named, one[0], other[0]), slow.DECIMALS)

        expected = slowly(dict(Counter(column)), order, k, heuristics, far, rng)
        values = masking.attributes[a].values
        for code, row in zip(masking.codes[:, a], records.codes, strict=True):
            assert f"c{values[code]}" == expected[(words[row[a]],)][0]


@given(parents=dags(8), k=st.integers(2, 5), data=st.data())
def test_recoding_in_order_is_that_of_the_pseudo_code(parents: Dag, k: int, data: st.DataObject) -> None:
    words = [f"c{c}" for c in parents]
    records_ = sorted(data.draw(st.lists(st.sampled_from(words), min_size=k, max_size=20)))
    t = taxonomy(parents)
    word = Attribute("w", "text", ConceptMetric(list(parents), Scope(t, t.root)))
    records = Records.of([word], [[words.index(w) for w in records_]])
    masking = RecodingOrdered(k=k, recode_to="all").mask(records)
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    now = list(records_)
    changed = True
    while changed:  # "while there are changes in the dataset", "for i in [1…n]"
        changed = False
        for i in range(len(now)):
            others = [w for w in words if w in now and w != now[i]]
            if now.count(now[i]) < k and others:
                one = now[i]
                near = min(others, key=lambda w, x=one: round(slow.wu_palmer_distance(named, x, w), slow.DECIMALS))
                now = [near if w == one else w for w in now]
                changed = True
    values = masking.attributes[0].values
    becomes = {words[c]: f"c{values[m]}" for c, m in zip(records.codes[:, 0], masking.codes[:, 0], strict=True)}
    assert [becomes[w] for w in records_] == now


def test_the_pseudo_code_goes_through_records() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1]})
    job = Attribute("job", "text", ConceptMetric([1, 2, 3], Scope(t, 0)))
    records = Records.of([job], [[0, 0, 1, 2]])
    masking = RecodingOrdered(k=4, recode_to="all").mask(records)
    # the first record makes 1 into 3, its child; the second, which has 3 now, makes 3 into 2, the only other value
    assert {masking.attributes[0].values[c] for c in masking.codes[:, 0]} == {2}


@given(parents=dags(8), k=st.integers(2, 4), data=st.data())
def test_recoding_in_order_is_that_of_the_algorithm(parents: Dag, k: int, data: st.DataObject) -> None:
    words = [f"c{c}" for c in parents]
    rows = data.draw(st.lists(st.sampled_from(words), min_size=k, max_size=20))
    t = taxonomy(parents)
    word = Attribute("w", "text", ConceptMetric(list(parents), Scope(t, t.root)))
    records = Records.of([word], [[words.index(w) for w in rows]])
    masking = RecodingOrdered(k=k).mask(records)
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    now = list(rows)
    changed = True
    while changed:
        changed = False
        for word_ in words:
            others = [w for w in words if w in now and w != word_]
            if 0 < now.count(word_) < k and others:
                enough = [w for w in others if now.count(w) >= k] or others
                near = min(enough, key=lambda w, x=word_: round(slow.wu_palmer_distance(named, x, w), slow.DECIMALS))
                now = [near if w == word_ else w for w in now]
                changed = True
    values = masking.attributes[0].values
    becomes = {words[c]: f"c{values[m]}" for c, m in zip(records.codes[:, 0], masking.codes[:, 0], strict=True)}
    assert [becomes[w] for w in rows] == now


def test_two_columns_need_a_word_of_consent() -> None:
    frame = pd.DataFrame({"a": list("xxyyz"), "b": list("pqqpp")})
    columns = {"a": al.quasi("category"), "b": al.quasi("category")}
    for name in ("recoding", "recoding-ordered"):
        with pytest.raises(PlanError, match="promises k in each column alone, not in 2 together"):
            al.Plan(columns, method=name, k=2).run(frame)
        done = al.Plan(columns, method=name, k=2, parameters={"per_attribute": True}).run(frame)
        assert [x["columns"] for x in done.summary["privacy"]] == [["a"], ["b"]]
        plan = al.Plan(columns, method=name, k=2, parameters={"per_attribute": True})
        assert plan.evaluate(frame, done.frame).privacy == done.summary["privacy"]
        assert min(done.frame[x].value_counts(dropna=False).min() for x in frame) >= 2
    assert al.Plan({"a": al.quasi("category"), "b": al.keep()}, method="recoding", k=2).run(frame)


def test_random_recoding_draws_from_values_that_reach_k() -> None:
    job = Attribute("job", "category", EqualityMetric(["a", "b", "c", "d"]))
    records = Records.of([job], [[0] * 5 + [1] * 5 + [2, 3]])
    seen = set()
    for seed in range(20):
        masking = RecodingOrdered(k=5, guide="random").mask(records, seed)
        seen |= {masking.attributes[0].values[c] for c in masking.codes[2:, 0]}
    assert seen == {"a", "b"}


def test_of_groups_as_similar_the_one_goes_first_that_makes_the_smaller_group() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2], 6: [2]})
    job = Attribute("job", "text", ConceptMetric([3, 4, 5, 6], Scope(t, 0)))
    records = Records.of([job], [[0, *[1] * 3, 2, *[3] * 2]])  # 3 would join three of 4, 5 would join two of 6
    own: list[Metric] = [job.metric]

    class Watched(Fusing):
        def fuse(self, one: int, other: int) -> None:
            seen.append((one, other))
            super().fuse(one, other)

    for heuristics, first in (("h1+h2+h3", {(2, 3)}), ("h1+h2", {(0, 1), (2, 3)})):
        found = set()
        for seed in range(12):
            seen: list[tuple[int, int]] = []
            Watched(records, own, 2, np.random.default_rng(seed), heuristics, "similarity").run(no_progress)
            found.add(seen[0])
        assert found == first
