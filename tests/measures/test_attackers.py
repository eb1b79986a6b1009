"""Every attacker agrees with a slow version written from its definition, on random tables, and with known answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slow_attackers as slow
from allonym import privacy
from allonym.kinds.category import EqualityMetric
from allonym.kinds.numeric import NumericMetric
from allonym.measures import risk
from allonym.measures.attackers import assignment, averaging, inference, likelihood, meaning, rerun
from allonym.measures.attackers.base import Estimate, Setting
from allonym.measures.attackers.registry import ATTACKERS, Linkage, attacked
from allonym.records import Attribute, Pairs

NUMBERS, SEXES = (1.0, 2.0, 5.0), ("f", "m")
ATTRIBUTES = (
    Attribute("number", "numeric", NumericMetric(NUMBERS, 1)),
    Attribute("sex", "category", EqualityMetric(SEXES)),
)
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """A mechanism given as one table of probabilities for each attribute, by code."""

    tables: tuple[np.ndarray, ...]

    def log_likelihood(self, attribute: int, before: Sequence[Any], after: Sequence[Any]) -> np.ndarray:
        values = ATTRIBUTES[attribute].values
        rows, columns = ([values.index(v) for v in each] for each in (before, after))
        with np.errstate(divide="ignore"):
            return np.log(self.tables[attribute][np.ix_(rows, columns)])

    def likelihood(self, before: Row, after: Row) -> float:
        codes = [(ATTRIBUTES[a].values.index(x), ATTRIBUTES[a].values.index(y))
                 for a, (x, y) in enumerate(zip(before, after, strict=True))]  # fmt: skip
        return math.prod(float(table[code]) for table, code in zip(self.tables, codes, strict=True))


@dataclass(frozen=True)
class Drawn:
    original: list[Row]
    masked: list[Row]
    persons: list[int] | None
    values: list[str]
    mechanism: Table

    @property
    def owners(self) -> list[int]:
        return list(range(len(self.original))) if self.persons is None else self.persons

    @property
    def pairs(self) -> Pairs:
        sick = Attribute("illness", "category", EqualityMetric(("a", "b", "c")))
        return Pairs.of_rows(
            ATTRIBUTES,
            _codes(self.original),
            _codes(self.masked),
            units=None if self.persons is None else np.array(self.persons),
            sensitive=(sick,),
            sensitive_codes=[np.array(["abc".index(v) for v in self.values])],
        )


def _codes(rows: list[Row]) -> list[np.ndarray]:
    return [np.array([x.values.index(row[a]) for row in rows]) for a, x in enumerate(ATTRIBUTES)]


def distance(a: Row, b: Row) -> float:
    return (abs(a[0] - b[0]) / 4 + (a[1] != b[1])) / 2


def squared_distance(a: Row, b: Row) -> float:
    return ((abs(a[0] - b[0]) / 4) ** 2 + (a[1] != b[1])) / 2


@st.composite
def tables(
    draw: st.DrawFn,
    max_size: int = 12,
    units: bool | None = None,
    cells: Sequence[float] = (0.0, 0.1, 0.2, 0.5, 1.0),
) -> Drawn:
    row = st.tuples(st.sampled_from(NUMBERS), st.sampled_from(SEXES))
    n = draw(st.integers(1, max_size))
    original, masked = (draw(st.lists(row, min_size=n, max_size=n)) for _ in range(2))
    someone = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    persons = draw(someone if units else st.none() if units is False else st.none() | someone)
    values = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    cell = st.sampled_from(cells)
    chances = tuple(
        np.array(draw(st.lists(cell, min_size=size**2, max_size=size**2))).reshape(size, size)
        for size in (len(NUMBERS), len(SEXES))
    )
    return Drawn(original, masked, persons, values, Table(chances))


@given(tables())
def test_knowing_the_class(table: Drawn) -> None:
    expected = slow.known_class(table.masked, table.owners)
    assert rerun.rerun(Setting(table.pairs)).value == pytest.approx(expected)
    if table.persons is None:
        assert expected == pytest.approx(100 * len(set(table.masked)) / len(table.masked))


@given(tables())
def test_the_likeliest_person(table: Drawn) -> None:
    expected = slow.likeliest(table.original, table.masked, table.owners, table.mechanism.likelihood)
    assert rerun.rerun(Setting(table.pairs, table.mechanism)).value == pytest.approx(expected)


@given(tables(max_size=6, cells=(0.05, 0.1, 0.2, 0.5, 1.0)), st.integers(0, 3))
def test_the_optimal_assignment(table: Drawn, seed: int) -> None:
    least, most = slow.assigned(table.original, table.masked, table.owners, table.mechanism.likelihood)
    found = assignment.assignment(Setting(table.pairs, table.mechanism, seed=seed))
    assert least - 1e-6 <= found.value <= most + 1e-6
    assert found.interval is None


@given(tables(units=True))
def test_averaging_over_the_rows_of_a_person(table: Drawn) -> None:
    expected = slow.averaging(table.original, table.masked, table.owners, squared_distance)
    assert averaging.averaging(table.pairs).value == pytest.approx(expected)


@given(tables())
def test_inference_from_groups(table: Drawn) -> None:
    pairs = table.pairs
    expected = slow.guessed_in_groups(table.masked, table.values, table.owners)
    found = inference.inferred(pairs, 0, grouped=True)
    assert found.value == pytest.approx(expected) == pytest.approx(privacy.guessed_by_group(pairs, 0))
    assert found.before == pytest.approx(slow.guessed_in_groups(table.original, table.values, table.owners))
    assert found.baseline == pytest.approx(slow.guessed_in_groups([0] * len(table.values), table.values, table.owners))


@given(tables(units=False))
def test_inference_from_the_nearest_records(table: Drawn) -> None:
    expected = slow.guessed_by_nearest(table.original, table.masked, table.values, distance)
    found = inference.inferred(table.pairs, 0, grouped=False)
    assert found.value == pytest.approx(expected)
    shares = [table.values.count(v) / len(table.values) for v in table.values]
    assert found.marginal == pytest.approx(100 * sum(shares) / len(shares))


# --- known answers ---------------------------------------------------------------------------------------------------


class Gaussian:
    """Errors N(0, deviation²) on numbers."""

    def __init__(self, deviation: float) -> None:
        self.deviation = deviation

    def log_likelihood(self, attribute: int, before: Sequence[Any], after: Sequence[Any]) -> np.ndarray:
        error = np.array(after, float) - np.array(before, float)[:, None]
        return -((error / self.deviation) ** 2) / 2


def numbers(before: Sequence[float], after: Sequence[float], persons: Sequence[int] | None = None) -> Pairs:
    values = sorted({*map(float, before), *map(float, after)})
    codes = [np.searchsorted(values, x) for x in (before, after)]
    attribute = Attribute("number", "numeric", NumericMetric(values))
    return Pairs.of_rows((attribute,), [codes[0]], [codes[1]], units=None if persons is None else np.array(persons))


def test_where_nothing_changes_everybody_is_found() -> None:
    pairs = numbers([1, 2, 3, 4], [1, 2, 3, 4])
    found = attacked(Setting(pairs, Gaussian(0.1)))
    assert {name: x.value for name, x in found.attackers.items()} == {
        "re-run": 100, "assignment": 100, "meaning": 100, "text": 100,
    }  # fmt: skip
    assert (found.highest, set(found.before.values()), found.blind_guess) == ("re-run", {100}, 25)


def test_where_every_outcome_is_as_likely_guessing_is_blind() -> None:
    table = np.full((3, 3), 1 / 3), np.full((2, 2), 1 / 2)
    rows = [(1.0, "f"), (2.0, "m"), (5.0, "f"), (5.0, "m")]
    pairs = Drawn(rows, rows[::-1], None, list("aaaa"), Table(table)).pairs
    found = rerun.rerun(Setting(pairs, Table(table)))
    assert found.value == pytest.approx(25)


def test_an_assignment_uses_what_single_guesses_cannot() -> None:
    pairs = numbers([0, 1, 2], [0.9, 1.6, 2.5])  # singly, 0.9 is taken for 1, and 1.6 and 2.5 for 2
    setting = Setting(pairs, Gaussian(1.0))
    assert rerun.rerun(setting).value == pytest.approx(100 / 3)
    assert assignment.assignment(setting).value == pytest.approx(100)  # in order: the optimal one on a line


def test_the_order_of_the_records_does_not_help_an_assignment() -> None:
    pairs = numbers(range(40), [7] * 40)
    assert assignment.assignment(Setting(pairs, Gaussian(5.0))).value == pytest.approx(100 / 40)
    rows = Pairs.of_rows(pairs.attributes, [np.arange(40)], [np.arange(40)])
    found = [assignment.assignment(Setting(rows, Gaussian(math.inf), seed=seed)).value for seed in range(40)]
    assert np.mean(found) < 20  # all assignments are alike: the right one is not preferred


def test_errors_cancel_out_over_the_rows_of_a_person() -> None:
    persons = [0, 0, 0, 0, 1, 1, 1, 1]
    pairs = numbers([3] * 4 + [4] * 4, [1, 5, 2, 4, 2, 6, 3, 5], persons)
    assert averaging.averaging(pairs).value == 100
    assert meaning.semantic_linkage(pairs).value < 60
    found = attacked(Setting(pairs, Gaussian(2.0), tied_rows=True))
    assert (found.highest, found.before["averaging"]) == ("averaging", 100)


def test_averaging_applies_where_rows_of_a_person_can_be_tied() -> None:
    several, single = numbers([1, 1, 2], [1, 2, 2], [0, 0, 1]), numbers([1, 1, 2], [1, 2, 2], [0, 1, 2])
    applies = ATTACKERS["averaging"].applies
    assert applies(Setting(several, tied_rows=True))
    assert not applies(Setting(several))
    assert not applies(Setting(single, tied_rows=True))
    assert not applies(Setting(numbers([1], [1]), tied_rows=True))


def test_of_equal_classes_the_attacker_takes_the_one_with_most_rows_of_the_person() -> None:
    pairs = numbers([1, 2, 3, 4, 5], [1, 1, 1, 9, 9], [0, 1, 2, 0, 0])
    assert rerun.known_class(pairs) == pytest.approx(100 * (3 * 1 + 2 * 1 / 3) / 5)


# --- samples ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def noisy() -> Pairs:
    rng = np.random.default_rng(5)
    was = rng.integers(0, 60, 900).astype(float)
    return numbers(was, np.round(was + rng.normal(0, 2, 900), 1))


def test_samples_of_records_have_an_interval_that_holds_the_figure(noisy: Pairs, monkeypatch: Any) -> None:
    mechanism = Gaussian(2.0)
    exact = {name: ATTACKERS[name].attack(Setting(noisy, mechanism)) for name in ("re-run", "assignment")}
    assert all(x.interval is None for x in exact.values())
    monkeypatch.setattr(likelihood, "MAX_LIKELIHOODS", 60 * 150)
    for name, whole in exact.items():
        found = [ATTACKERS[name].attack(Setting(noisy, mechanism, seed=seed)) for seed in range(20)]
        held = [x.interval is not None and x.interval[0] <= whole.value <= x.interval[1] for x in found]
        assert sum(held) >= 17


def test_a_small_sample_of_records_is_not_balanced(noisy: Pairs, monkeypatch: Any) -> None:
    applies = ATTACKERS["assignment"].applies
    assert applies(Setting(noisy, Gaussian(2.0)))
    assert not applies(Setting(noisy))
    monkeypatch.setattr(likelihood, "MAX_LIKELIHOODS", 60 * 150)
    assert not applies(Setting(noisy, Gaussian(2.0)))


def test_many_records_are_balanced_about_as_well_as_they_are_assigned(noisy: Pairs, monkeypatch: Any) -> None:
    setting = Setting(noisy, Gaussian(2.0))
    single, exact = rerun.rerun(setting).value, assignment.assignment(setting).value
    monkeypatch.setattr(assignment, "MAX_RECORDS", 100)
    many = assignment.assignment(setting)
    assert many.interval is None
    assert many.value == pytest.approx(exact, rel=0.25)
    assert many.value >= single - 0.1


def test_balancing_gives_every_person_one_record(noisy: Pairs) -> None:
    likelihoods = Setting(noisy, Gaussian(2.0)).likelihoods
    weights = np.exp(assignment.balanced(likelihoods))
    matrix = weights[:, None] * likelihood.relative(likelihoods.logs)
    columns = np.bincount(likelihoods.columns, weights=likelihoods.weights)
    matrix *= columns / (likelihoods.sizes @ matrix)
    assert matrix.sum(axis=1) == pytest.approx(1, abs=0.05)


def test_samples_of_persons(monkeypatch: Any) -> None:
    rng = np.random.default_rng(2)
    persons = np.repeat(np.arange(200), 3)
    was = rng.integers(0, 100, 200).astype(float)[persons]
    pairs = numbers(was, was + rng.normal(0, 3, 600).round(), persons.tolist())
    exact = averaging.averaging(pairs)
    assert exact.interval is None
    monkeypatch.setattr(averaging, "MAX_PAIRS", 200 * 100)
    found = [averaging.averaging(pairs, seed) for seed in range(20)]
    held = [x.interval is not None and x.interval[0] <= exact.value <= x.interval[1] for x in found]
    assert sum(held) >= 17
    assert averaging.averaging(pairs, exact=True) == exact


@pytest.mark.parametrize("persons", [None, [i // 2 for i in range(300)]])
def test_an_exact_figure_is_that_of_all_records(monkeypatch: Any, persons: list[int] | None) -> None:
    rng = np.random.default_rng(3)
    was = rng.integers(0, 60, 300).astype(float)
    setting = Setting(numbers(was, was + rng.normal(0, 2, 300).round(), persons), Gaussian(2.0))
    expected = rerun.rerun(setting), meaning.semantic_linkage(setting.pairs)
    monkeypatch.setattr(likelihood, "MAX_LIKELIHOODS", 1000)
    monkeypatch.setattr(meaning, "MAX_PAIRS", 100)
    monkeypatch.setattr(meaning, "PART_OF_GROUPING", 10**6)
    sampled = Setting(setting.pairs, setting.mechanism)
    assert rerun.rerun(sampled).interval is not None
    assert meaning.semantic_linkage(sampled.pairs).interval is not None
    exact = Setting(setting.pairs, setting.mechanism, exact=True)
    assert rerun.rerun(exact).value == pytest.approx(expected[0].value)
    assert rerun.rerun(exact).interval is None
    assert ATTACKERS["meaning"].attack(exact) == expected[1]


def test_more_tuples_allow_more_comparisons(monkeypatch: Any) -> None:
    pairs = numbers(range(400), [x // 4 * 4 for x in range(400)])
    monkeypatch.setattr(meaning, "MAX_PAIRS", 100 * 50)
    assert meaning.targets(pairs, 0)[0].shape == (50,)  # 100 tuples after
    monkeypatch.setattr(meaning, "PART_OF_GROUPING", 16)
    assert meaning.targets(pairs, 0)[0].shape == (400 * 400 // 16 // 100,)
    monkeypatch.setattr(meaning, "PART_OF_GROUPING", 4)
    assert meaning.targets(pairs, 0)[1] is False


def test_nobody_is_found_in_an_empty_table() -> None:
    nobody = Pairs(ATTRIBUTES, *(np.zeros((0, 2), np.int64) for _ in range(2)), np.zeros(0, np.int64), np.zeros(0))
    found = attacked(Setting(nobody, Gaussian(1.0)))
    assert {x.value for x in found.attackers.values()} == {0}


def test_the_highest_is_named() -> None:
    after = {"re-run": Estimate(2.0), "meaning": Estimate(3.0, (2.0, 4.0)), "text": Estimate(3.0)}
    linkage = Linkage(after, dict.fromkeys(after, 9.0), 0.1)
    assert linkage.to_dict() == {
        "highest": {"attacker": "meaning", "value": 3.0, "before": 9.0, "interval": [2.0, 4.0]},
        "blind_guess": 0.1,
        "attackers": {"re-run": 2.0, "meaning": 3.0, "text": 3.0},
        "before": {"re-run": 9.0, "meaning": 9.0, "text": 9.0},
        "intervals": {"meaning": [2.0, 4.0]},
    }


@given(tables(units=False))
def test_no_attacker_on_groups_beats_the_one_who_knows_the_class(table: Drawn) -> None:
    found = attacked(Setting(table.pairs))
    assert found.highest == "re-run"
    assert found.attackers["re-run"].value == pytest.approx(100 * risk.prosecutor(table.pairs).mean)
