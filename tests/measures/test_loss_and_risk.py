"""Loss and linkage on four-row tables, by hand, and on random ones, by the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
import slow_masking as slow
import slow_measures
from hypothesis import given
from hypothesis import strategies as st
from strategies import taxonomy

from allonym import MDAV, privacy
from allonym.kinds.blend import BlendedMetric
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.numeric import NumericMetric
from allonym.measures import clusters, loss, risk
from allonym.measures.attackers import meaning, nearest
from allonym.measures.measurement import BRIEF, OF_SETS, QUESTIONS, measured
from allonym.ontology.scope import Scope
from allonym.privacy import earth_mover as closeness
from allonym.privacy.base import Reference
from allonym.privacy.counts import SensitiveCounts
from allonym.privacy.registry import MODELS
from allonym.records import Attribute, Pairs, Records, piece_of_rows

JOBS, AGES = ("cook", "smith", "vicar"), (20.0, 30.0, 40.0, None)


def table(rows: list[tuple[str, float | None]], weights: list[float] | None = None, age_weight: float = 1) -> Records:
    attributes = [
        Attribute("job", "category", EqualityMetric(JOBS)),
        Attribute("age", "numeric", NumericMetric(AGES, 0, rule=DominanceRule(p=0, k=100)), age_weight),
    ]
    codes = [[JOBS.index(j) for j, _ in rows], [AGES.index(a) for _, a in rows]]
    return Records.of(attributes, codes, weights=None if weights is None else np.array(weights))


FOUR = [("cook", 20.0), ("cook", 30.0), ("smith", 40.0), ("cook", 40.0)]


def test_loss_of_four_rows_by_hand() -> None:
    records = table(FOUR)  # tuples in order: cook 20, cook 30, cook 40, smith 40
    masked = np.array([[0, 0], [0, 0], [0, 2], [0, 2]])  # cook 20, cook 20, cook 40, cook 40
    pairs = Pairs(records.attributes, records.codes, masked, records.counts, records.mass)
    assert loss.distances(pairs).tolist() == [0, (0 + 10 / 20) / 2, 0, (1 + 0) / 2]
    assert loss.sse(pairs) == 0.25**2 + 0.5**2
    # the centroid of all is cook, the mean age 32.5 rounded to 32 (to even)
    centre = [(0 + 12 / 20) / 2, (0 + 2 / 20) / 2, (0 + 8 / 20) / 2, (1 + 8 / 20) / 2]
    assert loss.sst(pairs) == pytest.approx(sum(d**2 for d in centre))
    assert loss.information_loss(pairs) == pytest.approx(100 * (0.25**2 + 0.5**2) / sum(d**2 for d in centre))
    per_column = measured(pairs, 2, ["information_loss"])["information_loss"].per_column
    assert per_column == pytest.approx({"job": 100 * 1 / 1, "age": 100 * 0.5**2 / (0.6**2 + 0.1**2 + 0.4**2 + 0.4**2)})


def test_survey_weights_and_column_weights_count() -> None:
    records = table(FOUR, weights=[1, 1, 1, 5], age_weight=3)
    masked = np.array([[0, 0], [0, 0], [0, 2], [0, 2]])
    pairs = Pairs(records.attributes, records.codes, masked, records.counts, records.mass)
    assert loss.distances(pairs).tolist() == pytest.approx([0, (0 + 3 * 0.5) / 4, 0, (1 + 0) / 4])
    assert records.mass.tolist() == [1, 1, 5, 1]
    assert loss.sse(pairs) == pytest.approx(1 * (1.5 / 4) ** 2 + 1 * 0.25**2)


def test_a_table_of_one_kind_of_row_has_nothing_to_lose() -> None:
    records = table([("cook", 20.0)] * 3)
    pairs = Pairs(records.attributes, records.codes, records.codes, records.counts, records.mass)
    assert loss.information_loss(pairs) == 0
    changed = Pairs(records.attributes, records.codes, np.array([[1, 0]]), records.counts, records.mass)
    assert loss.information_loss(changed) == 100


def test_linkage_of_four_rows_by_hand() -> None:
    records = table([("cook", 20.0), ("cook", 20.0), ("smith", 40.0), ("vicar", 40.0)])
    masked = np.array([[0, 0], [0, 0], [2, 2]])  # cook 20 twice as they were, smith as a cook, vicar as he was
    pairs = Pairs(records.attributes, records.codes, masked, records.counts, records.mass)
    assert risk.record_linkage(pairs) == 100 * (1 / 2 + 1 / 2 + 0 + 1) / 4
    assert risk.record_linkage(pairs.unmasked) == 100 * 3 / 4
    told = measured(pairs, 2, ["record_linkage", "score"], balance=0.25)
    assert (told["record_linkage"].before, told["record_linkage"].baseline) == (75, 25)
    expected = 0.25 * loss.information_loss(pairs) + 0.75 * risk.record_linkage(pairs)
    assert told["score"].value == pytest.approx(expected)
    assert told["score"].before == pytest.approx(0.75 * 75)
    assert told["score"].baseline == pytest.approx(0.25 * 100 + 0.75 * 25)


@given(
    rows=st.lists(st.tuples(st.sampled_from(JOBS), st.sampled_from(AGES)), min_size=4, max_size=25),
    k=st.integers(2, 4),
)
def test_figures_of_a_masked_table_agree_with_those_counted_row_by_row(
    rows: list[tuple[str, float | None]], k: int
) -> None:
    records = table(rows)
    masking = MDAV(k=k).mask(records)
    piece = piece_of_rows(records, masking.source, masking.share)
    masked = [
        tuple(a.values[c] for a, c in zip(masking.attributes, row, strict=True))
        for row in masking.codes[piece].tolist()
    ]
    pairs = Pairs.of(records, masking)
    centre = slow.record_centroid([lambda p: slow.mode(p, JOBS), lambda p: slow.mean(p, 0)])(rows)
    distances = [slow.equality, lambda a, b: slow.numeric(a, b, 20.0)]
    distance = slow.record_distance(slow_measures.counting_nulls(distances, rows, centre))
    assert loss.information_loss(pairs) == pytest.approx(
        slow.information_loss(rows, masked, distance, centre), abs=1e-9
    )
    assert risk.record_linkage(pairs) == pytest.approx(slow.record_linkage(rows, masked))
    assert slow.k_of(masked) >= k or len(rows) < k


# Four people: jobs by an ontology (a cook and a baker are kitchen staff, a smith is not), illnesses that stay.
#   0 staff: 1 kitchen staff (2 cook, 3 baker), 4 smith
STAFF = taxonomy({0: [], 1: [0], 2: [1], 3: [1], 4: [0]})


def people(masked: list[int], illness: list[int], **more: object) -> Pairs:
    """Return cook, cook, baker, smith after masking, with an illness each."""
    job = Attribute("job", "text", ConceptMetric([0, 1, 2, 3, 4], Scope(STAFF, 0)))
    ill = Attribute("illness", "category", EqualityMetric(["flu", "gout", "mumps"]))
    was = np.array([2, 2, 3, 4])
    return Pairs.of_rows(
        (job,), [was], [np.array(masked)], sensitive=(ill,), sensitive_codes=[np.array(illness)], **more
    )


def test_loss_of_four_people_by_hand() -> None:
    pairs = people([1, 1, 1, 4], [0, 0, 1, 2])  # the kitchen becomes kitchen staff, the smith stays
    near = 1 - 2 * 2 / (1 + 0 + 2 * 2)  # cook to kitchen staff, which is at depth 2
    assert loss.semantic_quality(pairs) == pytest.approx(100 * (1 - 3 * near / 4))
    assert loss.path_distance(pairs) == pytest.approx(3 * 1 / 4)
    # shares were 2/4, 1/4, 1/4 and are 3/4, 1/4
    before = (2 * np.log(4 / 2) + np.log(4) + np.log(4)) / 4
    assert loss.content_loss(pairs) == pytest.approx(before - (3 * np.log(4 / 3) + np.log(4)) / 4)
    # of the 3 values in the data, cook and baker are under kitchen staff
    assert loss.loss_metric(pairs) == pytest.approx(3 * ((2 - 1) / (3 - 1)) / 4)
    assert loss.certainty_penalty(pairs) == pytest.approx(3 * (2 / 3) / 4)
    assert loss.discernibility(pairs) == 3**2 + 1**2
    assert loss.group_size(pairs, 2) == 4 / (2 * 2)
    swapped = people([3, 2, 3, 4], [0, 0, 1, 2])  # a cook as a baker: scored at kitchen staff, which both are
    assert loss.loss_metric(swapped) == pytest.approx(1 * ((2 - 1) / (3 - 1)) / 4)


def test_risk_of_four_people_by_hand() -> None:
    pairs = people([1, 1, 1, 4], [0, 0, 1, 2])
    # both cooks and the baker find kitchen staff nearest, three rows; the smith finds himself
    assert risk.semantic_linkage(pairs).value == pytest.approx(100 * (3 * 1 / 3 + 1) / 4)
    assert risk.semantic_linkage(pairs.blind).value == pytest.approx(100 / 4)
    assert risk.prosecutor(pairs, threshold=0.5) == pytest.approx((1, 2 / 4, 1 / 4))
    assert risk.uniqueness(pairs) == 25
    weighty = people([1, 1, 1, 4], [0, 0, 1, 2], weights=np.array([1.0, 1.0, 2.0, 4.0]))  # 4 of each in the population
    assert risk.journalist(weighty, threshold=0.2) == pytest.approx((1 / 4, (3 / 4 + 1 / 4) / 4, 1))
    assert risk.marketer(weighty) == pytest.approx((3 / 4 + 1 / 4) / 4)
    one = people([1, 1, 1, 4], [0, 0, 1, 2], units=np.array([0, 0, 0, 1]))  # the kitchen is one person
    assert risk.prosecutor(one, threshold=0.5) == pytest.approx((1, 1, 1))
    assert risk.semantic_linkage(one).value == 100


def test_privacy_of_four_people_by_hand() -> None:
    pairs = people([0, 0, 1, 1], [0, 1, 0, 0])
    assert privacy.k_anonymity(pairs) == 2
    assert privacy.l_diversity(pairs, 0) == 1
    mixed = people([0, 0, 1, 1], [0, 1, 0, 2])
    assert privacy.l_diversity(mixed, 0) == 2
    assert privacy.entropy_l_diversity(mixed, 0) == pytest.approx(2)
    assert privacy.recursive_l_diversity(mixed, 0, c=3) == 2
    assert privacy.recursive_l_diversity(mixed, 0, c=1) == 1  # 1 < 1·(1 + 1), but not 1 < 1·1
    # flu 1/2, gout 1/4, mumps 1/4; a group has flu 1/2 and one of the others 1/2
    assert privacy.t_closeness(mixed, 0) == pytest.approx(1 / 4)


def test_t_closeness_of_salaries_as_published() -> None:
    """Li, Li and Venkatasubramanian 2007, example 3: {3k, 4k, 5k} is .375 and {6k, 8k, 11k} .167 from 3k … 11k."""
    salary = Attribute("salary", "numeric", NumericMetric([float(x) for x in range(3, 12)]))
    codes = np.arange(9)
    job = Attribute("job", "category", EqualityMetric(["a", "b", "c"]))
    for group, expected in (([0, 1, 2], 0.375), ([3, 5, 8], 1 / 6)):
        group_ids = np.where(np.isin(codes, group), 0, 1)
        pairs = Pairs.of_rows((job,), [group_ids], [group_ids], sensitive=(salary,), sensitive_codes=[codes])
        cells = np.zeros((1, 9))
        cells[0, group] = 1 / 3
        found = closeness.Closeness(salary, codes, np.full(9, 1 / 9)).largest(cells)
        assert found == pytest.approx(expected, abs=5e-4)
        assert privacy.t_closeness(pairs, 0) == pytest.approx(found)  # the others are twice as many, half as far


def test_a_suppressed_record_is_in_no_group() -> None:
    pairs = people([1, 1, 1, 4], [0, 0, 1, 2], group_ids=np.array([0, 0, 0, -1]))
    assert privacy.k_anonymity(pairs) == 3
    assert risk.prosecutor(pairs).highest == pytest.approx(1 / 3)
    assert risk.uniqueness(pairs) == 0
    assert loss.discernibility(pairs) == 3**2 + 1 * 4
    assert privacy.l_diversity(pairs, 0) == 2


def test_everything_can_be_measured_at_once_and_null_or_empty_tables_too() -> None:
    pairs = people([1, 1, 1, 4], [0, 0, 1, 2])
    told = measured(pairs, 2)
    assert list(told) == [x for x in QUESTIONS if x not in (*OF_SETS, "association_change")]  # one column, no sets
    assert set(BRIEF) - set(OF_SETS) <= set(told)
    assert all(np.isfinite(x.value) for x in told.values())
    assert told["information_loss"].baseline == pytest.approx(100)
    assert told["semantic_quality"].before == 100
    assert told["clustering_distance"].before == 0
    empty = np.zeros(0, np.int64)
    nobody = Pairs.of_rows(pairs.attributes, [empty], [empty], sensitive=pairs.sensitive, sensitive_codes=[empty])
    assert privacy.k_anonymity(nobody) == privacy.l_diversity(nobody, 0) == privacy.t_closeness(nobody, 0) == 0
    assert risk.semantic_linkage(nobody).value == risk.marketer(nobody) == loss.semantic_quality(nobody) * 0


def test_where_there_are_too_many_to_compare_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    age = Attribute("age", "numeric", NumericMetric([float(x) for x in range(300)]))
    was = rng.integers(0, 300, 4000)
    pairs = Pairs.of_rows((age,), [was], [was // 10 * 10 + 5])
    exact = risk.semantic_linkage(pairs)
    assert exact.interval is None
    monkeypatch.setattr(meaning, "MAX_PAIRS", 30 * 200)
    drawn = [risk.semantic_linkage(pairs, seed=seed) for seed in range(40)]
    assert drawn[0] == risk.semantic_linkage(pairs, seed=0)
    covered = sum(x.interval[0] <= exact.value <= x.interval[1] for x in drawn if x.interval)
    assert covered >= 33  # of 40, at 95 %


def test_an_attacker_may_go_by_another_measure() -> None:
    t = taxonomy({0: [], 1: [0], 2: [1], 3: [1], 4: [3]})
    word = Attribute("word", "text", ConceptMetric([0, 2, 4], Scope(t, 0)))
    pairs = Pairs.of_rows((word,), [np.array([1, 2])], [np.array([2, 0])])  # 2 became 4, and 4 became 0
    # from 2 it is two links to 0 and three to 4; but 4 shares more: 1 - 2·2/(3 + 2·2) against 1 - 2·1/(2 + 2·1)
    assert risk.semantic_linkage(pairs).value == pytest.approx(100 * (1 + 0) / 2)
    assert risk.semantic_linkage(pairs, "wu-palmer").value == pytest.approx(50)
    assert risk.semantic_linkage(pairs, "path").value == 0


def test_many_tuples_are_clustered_by_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    age = Attribute("age", "numeric", NumericMetric([float(x) for x in range(300)]))
    was = rng.integers(0, 300, 2000)
    pairs = Pairs.of_rows((age,), [was], [was // 30 * 30])
    exact = clusters.clustering_distance(pairs, 5)
    monkeypatch.setattr(clusters, "MAX_TUPLES", 200)
    assert clusters.clustering_distance(pairs, 5, seed=1) == pytest.approx(exact, abs=0.4)
    assert clusters.clustering_distance(pairs, 5, seed=1) == clusters.clustering_distance(pairs, 5, seed=1)


def test_records_that_tie_but_for_the_last_digit_are_equally_near() -> None:
    attributes = tuple(Attribute(n, "numeric", NumericMetric([float(x) for x in range(11)])) for n in "abc")
    columns = [np.array([0, 10, 10]), np.array([0, 10, 10]), np.array([0, 10, 10])]
    masked = [
        np.array([1, 3, 10]),
        np.array([2, 0, 10]),
        np.array([0, 0, 10]),
    ]  # (1, 2, 0) and (3, 0, 0) from (0, 0, 0)
    pairs = Pairs.of_rows(attributes, columns, masked)
    far = loss.distances(Pairs.of_rows(attributes, [np.zeros(2, int)] * 3, [x[:2] for x in masked]))
    assert far[0] != far[1]
    assert far[0] == pytest.approx(far[1])
    # the first finds two as near, one his; the others find the last, one of them his
    assert risk.semantic_linkage(pairs).value == pytest.approx(100 * (1 / 2 + 0 + 1) / 3)


def test_the_mean_risk_of_the_journalist_is_the_larger_of_two() -> None:
    group_ids = np.array([0, *[1] * 12])
    job = Attribute("job", "category", EqualityMetric(["a", "b"]))
    pairs = Pairs.of_rows((job,), [group_ids], [group_ids], weights=np.array([10.0, *[1.0] * 12]))
    assert risk.journalist(pairs).mean == pytest.approx(max(2 / (10 + 12), (1 / 10 + 12 / 12) / 13))
    assert risk.marketer(pairs) == pytest.approx((1 / 10 + 12 / 12) / 13)


def test_t_closeness_by_meaning_is_that_of_the_farthest_group() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2], 6: [2], 7: [3], 8: [3]})
    word = Attribute("illness", "text", ConceptMetric(list(range(9)), Scope(t, 0)))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        group_ids, ill = rng.integers(0, 12, 150), rng.integers(0, 9, 150)
        pairs = Pairs.of_rows((word,), [ill], [ill], group_ids=group_ids, sensitive=(word,), sensitive_codes=[ill])
        whole = np.bincount(ill, minlength=9) / 150
        cost = word.metric.distances(np.arange(9)[:, None], np.arange(9))
        each = [np.bincount(ill[group_ids == g], minlength=9) for g in range(12)]
        expected = max(closeness.earth_movers(x / x.sum(), whole, cost)[0] for x in each)
        assert privacy.t_closeness(pairs, 0) == pytest.approx(expected, abs=1e-9)


def test_a_group_lacks_closeness_only_by_its_distance_where_a_bound_on_it_is_t() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2], 6: [2], 7: [3], 8: [3]})
    word = Attribute("illness", "text", ConceptMetric(list(range(9)), Scope(t, 0)))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        ill = np.concatenate([np.arange(9), rng.integers(0, 9, 31)])
        table = SensitiveCounts.of(np.zeros_like(ill), ill, np.ones(40))
        counts = SensitiveCounts.of(np.zeros(4, np.int64), ill[-4:], np.ones(4))
        [[group]] = counts.shares(table.values)
        exact = Reference(word, table).closeness.exact(group)
        bound = Reference(word, table).closeness._at_least(group)
        for asked in (np.nextafter(bound, 0), bound, np.nextafter(bound, 1)):
            [lacking] = MODELS["t-closeness"](asked).lacking(counts, Reference(word, table))
            assert lacking == pytest.approx(max(exact - asked, 0) / asked, abs=1e-7)


def test_chains_of_neighbours_find_the_unions_of_always_the_cheapest() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        far = rng.random((25, 25))
        far = np.triu(far, 1) + np.triu(far, 1).T
        counts = rng.integers(1, 6, 25).astype(float)
        for number in (2, 5, 9):
            expected = slow_measures.ward(range(25), counts.tolist(), lambda a, b, far=far: float(far[a, b]), number)
            assert clusters.ward(far, counts, number).tolist() == expected


def test_many_different_numbers_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    age = Attribute("age", "numeric", NumericMetric([float(x) for x in range(400)]))
    was = np.arange(400)
    pairs = Pairs.of_rows((age,), [was], [was // 10 * 10 + 5])
    exact = risk.semantic_linkage(pairs)
    monkeypatch.setattr(nearest, "PAIRS_PER_BATCH", 1000)
    assert risk.semantic_linkage(pairs).value == pytest.approx(exact.value)


def test_clusters_do_not_depend_on_what_else_is_known_of_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "MAX_TUPLES", 50)
    rng = np.random.default_rng(1)
    age = Attribute("age", "numeric", NumericMetric([float(x) for x in range(40)]))
    was = rng.integers(0, 40, 300)
    alone = Pairs.of_rows((age,), [was], [was // 10 * 10])
    known = Pairs.of_rows((age,), [was], [was // 10 * 10], units=np.arange(300))
    assert clusters.clustering_distance(alone, 5) == clusters.clustering_distance(known, 5)


def test_several_ontologies_cover_what_the_nearest_does() -> None:
    parts = [ConceptMetric([], Scope(STAFF, 0)), ConceptMetric([], Scope(STAFF, 0))]
    single = ConceptMetric([2, 3, 4, 1], Scope(STAFF, 0))
    double = BlendedMetric([(2, 2), (3, None), (4, 4), (1, 1)], parts)
    was, now, data = np.array([0, 1, 2, 0]), np.array([3, 3, 0, 0]), np.arange(3)
    expected = single.covered(was, now, data)
    assert expected is not None
    assert expected.tolist() == [2, 2, 3, 1]
    assert double.covered(was, now, data).tolist() == [2, 2, 3, 1]
    apart = BlendedMetric([(2, None), (None, 3)], parts)
    assert apart.covered(np.array([0]), np.array([1]), np.arange(2)).tolist() == [2]
