"""Loss and linkage on four-row tables, by hand, and on random ones, by the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
import slow_masking as slow
from hypothesis import given
from hypothesis import strategies as st

from allonym.masking import MDAV
from allonym.measures import loss, risk
from allonym.metrics.equality import Equality
from allonym.metrics.numeric import Numeric
from allonym.records import Attribute, Pairs, Records, piece_of_rows

JOBS, AGES = ("cook", "smith", "vicar"), (20.0, 30.0, 40.0, None)


def table(rows: list[tuple[str, float | None]], weights: list[float] | None = None, age_weight: float = 1) -> Records:
    attributes = [
        Attribute("job", "category", Equality(JOBS)),
        Attribute("age", "numeric", Numeric(AGES, 0), age_weight),
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
    assert loss.sst(records) == pytest.approx(sum(d**2 for d in centre))
    assert loss.information_loss(loss.sse(pairs), loss.sst(records)) == pytest.approx(
        100 * (0.25**2 + 0.5**2) / sum(d**2 for d in centre)
    )
    by_column = loss.by_column(pairs, records)
    assert by_column["job"] == pytest.approx(100 * 1 / 1)
    assert by_column["age"] == pytest.approx(100 * 0.5**2 / (0.6**2 + 0.1**2 + 0.4**2 + 0.4**2))


def test_survey_weights_and_column_weights_count() -> None:
    records = table(FOUR, weights=[1, 1, 1, 5], age_weight=3)
    masked = np.array([[0, 0], [0, 0], [0, 2], [0, 2]])
    pairs = Pairs(records.attributes, records.codes, masked, records.counts, records.mass)
    assert loss.distances(pairs).tolist() == pytest.approx([0, (0 + 3 * 0.5) / 4, 0, (1 + 0) / 4])
    assert records.mass.tolist() == [1, 1, 5, 1]
    assert loss.sse(pairs) == pytest.approx(1 * (1.5 / 4) ** 2 + 1 * 0.25**2)


def test_a_table_of_one_kind_of_row_has_nothing_to_lose() -> None:
    assert loss.information_loss(0.0, loss.sst(table([("cook", 20.0)] * 3))) == 0


def test_linkage_of_four_rows_by_hand() -> None:
    records = table([("cook", 20.0), ("cook", 20.0), ("smith", 40.0), ("vicar", 40.0)])
    assert risk.linkage_before(records) == 100 * 3 / 4
    masked = np.array([[0, 0], [0, 0], [2, 2]])  # cook 20 twice as they were, smith as a cook, vicar as he was
    pairs = Pairs(records.attributes, records.codes, masked, records.counts, records.mass)
    assert risk.record_linkage(pairs) == 100 * (1 / 2 + 1 / 2 + 0 + 1) / 4
    same = Pairs(records.attributes, records.codes, records.codes, records.counts, records.mass)
    assert risk.record_linkage(same) == risk.linkage_before(records)


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
    distance = slow.record_distance([slow.equality, lambda a, b: slow.numeric(a, b, 20.0)])
    centre = slow.record_centroid([lambda p: slow.mode(p, JOBS), lambda p: slow.mean(p, 0)])(rows)
    ours = loss.information_loss(loss.sse(pairs), loss.sst(records))
    assert ours == pytest.approx(slow.information_loss(rows, masked, distance, centre), abs=1e-9)
    assert risk.record_linkage(pairs) == pytest.approx(slow.record_linkage(rows, masked))
    assert slow.k_of(masked) >= k or len(rows) < k
