"""The order in which links are reviewed, and how much the first of them settle."""

from __future__ import annotations

import pytest

from allonym.ontology.linking.link import Link
from allonym.ontology.linking.review_order import ReviewProgress, doubt, in_review_order, round_up


def of(value: str, count: int, status: str, reason: str = "exact", confidence: float = 1.0) -> Link:
    return Link(value, count, None if status == "unmatched" else 1, reason, status, confidence=confidence)


def test_doubt_is_one_minus_confidence_and_falls_back_on_the_status() -> None:
    assert doubt(of("a", 1, "review", confidence=0.75)) == 0.25
    assert doubt(of("a", 1, "review")) == 0.5  # no confidence was estimated
    assert doubt(of("a", 1, "unmatched")) == 1.0
    assert doubt(of("a", 1, "sure", confidence=0.98)) == pytest.approx(0.02)
    assert doubt(of("a", 1, "sure")) == 0.0
    assert doubt(of("a", 1, "unmatched", "settled")) == 0.0  # a person decided that the value has no concept


def test_values_are_ordered_by_cells_times_doubt_and_settled_ones_come_last() -> None:
    links = [
        of("frequent", 1000, "sure"),
        of("no concept", 900, "unmatched", "settled"),
        of("rather sure", 100, "review", confidence=0.95),  # 5
        of("doubtful", 20, "review", confidence=0.4),  # 12
        of("unknown", 11, "unmatched"),  # 11
    ]
    expected = ["doubtful", "unknown", "rather sure", "frequent", "no concept"]
    assert [x.value for x in in_review_order(links)] == expected
    assert [x.value for x in in_review_order(links[::-1])] == expected


def test_progress_counts_the_first_values_that_settle_most_cells() -> None:
    counts = [10_000 // (i + 5) ** 2 for i in range(100)]
    links = [of(f"v{i}", counts[i], "unmatched") for i in range(100)] + [of("sure", 5000, "sure")]
    progress = ReviewProgress.of(links)
    open_cells = sum(counts)
    assert (progress.cells, progress.to_review, progress.cells_to_review) == (5000 + open_cells, 100, open_cells)
    assert progress.first % 5 == 0
    settled = sum(counts[: progress.first])
    fewer = sum(counts[: progress.first - 5])
    assert fewer < 0.9 * open_cells <= settled
    assert str(progress).startswith(f"The first {progress.first} of 100 values settle 9")
    assert str(progress).endswith(f" % of the {open_cells:,} cells to review.")
    assert progress.settled == pytest.approx(5000 / (5000 + open_cells))


def test_progress_says_nothing_where_every_value_is_needed() -> None:
    assert str(ReviewProgress.of([of("a", 1, "review"), of("b", 1, "review")])) == ""
    assert str(ReviewProgress.of([of("a", 1, "sure")])) == ""
    assert ReviewProgress.of([]).share == "100 %"
    assert ReviewProgress.of([of("a", 999, "sure"), of("b", 1, "review")]).share == "99 %"  # never 100 before the end
    assert ReviewProgress.of([of("a", 1, "sure"), of("b", 999, "review")]).share == "0 %"


def test_numbers_are_rounded_up_to_round_ones() -> None:
    assert [round_up(n) for n in (1, 9, 11, 38, 99, 101, 1203)] == [1, 9, 15, 40, 100, 150, 1500]
