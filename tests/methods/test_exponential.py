"""The exponential mechanism spends the ε that was asked for, and no more: on the weights that are drawn from."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import slow_noise as slow
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym import wordnet
from allonym.kinds.domain import Domain
from allonym.methods import calibration
from allonym.methods.calibration import PublicDistances, calibrated
from allonym.methods.exponential import Candidates
from allonym.metric import Value
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope

MEASURES = ("wu-palmer", "path", "leacock-chodorow", "ancestor-overlap", "lin", "jiang-conrath", "resnik")
TWINS: Dag = {0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [1], 6: [2], 7: [2], 8: [1, 2], 9: [1, 2]}


def domain(parents: Dag, measure: str = "wu-palmer") -> Domain:
    """Return the domain of a drawn taxonomy."""
    t = taxonomy(parents)
    return Domain(Scope(t, t.root), measure)


def public_values(parents: Dag) -> list[Value]:
    """Return every value that anyone may have: a concept, a leaf below one, or null."""
    return [*parents, *(Narrower(concept, "x") for concept in parents), None]


def largest_ratio(mechanism: Candidates, parents: Dag) -> Fraction:
    """Return the largest P(c | x) / P(c | y) exactly, but for a part in 2^64."""
    known = []
    for x in public_values(parents):
        weights = [int(w) for w in mechanism.weights(x)]
        known.append([Fraction(w, sum(weights)) for w in weights])
    return max(max(column) / min(column) for column in zip(*known, strict=True))


def chosen(data: st.DataObject, parents: Dag) -> tuple[Value, ...]:
    """Draw some candidates, perhaps with null."""
    some = data.draw(st.lists(st.sampled_from(list(parents)), min_size=1, unique=True))
    return (*some, None) if data.draw(st.booleans()) else tuple(some)


@given(
    parents=dags(9),
    epsilon=st.floats(0.001, 20) | st.sampled_from([1e-9, 60.0]),
    measure=st.sampled_from(MEASURES),
    data=st.data(),
)
def test_epsilon_is_spent_and_never_exceeded(parents: Dag, epsilon: float, measure: str, data: st.DataObject) -> None:
    mechanism = Candidates(domain(parents, measure), chosen(data, parents), epsilon)
    spent = mechanism.calibration
    ratio = largest_ratio(mechanism, parents)
    assert ratio * (1 + Fraction(1, 2**60)) <= Fraction(math.exp(epsilon))
    assert math.log(ratio) <= spent.epsilon <= epsilon
    assert spent.exact
    largest = (
        calibration.BITS
        * math.log(2)
        / min(
            (d for x in public_values(parents) for d in (mechanism.far(x) - mechanism.far(x).min()).tolist() if d > 0),
            default=1.0,
        )
    )
    if epsilon <= 20 and spent.scale < 0.999 * largest:
        assert math.log(ratio) >= 0.98 * epsilon - 1e-8


@given(parents=dags(8), scale=st.floats(0.01, 8), data=st.data())
def test_the_loss_is_that_of_the_definition(parents: Dag, scale: float, data: st.DataObject) -> None:
    candidates = chosen(data, parents)
    public = PublicDistances.of(domain(parents), candidates)
    assert public is not None
    assert public.loss(scale) == pytest.approx(slow.privacy_loss(parents, candidates, scale), abs=1e-8)


@pytest.mark.parametrize("candidates", [(3, 4, 5, 6, 7, 8, 9), (3, 4), (3, 3, 6, 6, 7), tuple(TWINS), (5, 8, None)])
def test_twins_are_counted_as_if_each_had_its_own_row(
    candidates: tuple[Value, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Concepts 3, 4 and 5 can be exchanged, 6 and 7, and 8 and 9: one row stands for them, with the same loss."""
    found = PublicDistances.of(domain(TWINS), candidates)
    monkeypatch.setattr(Domain, "twins", lambda self, labels: np.arange(len(self)))
    alone = PublicDistances.of(domain(TWINS), candidates)
    assert found is not None
    assert alone is not None
    assert len(found.own) < len(alone.own)
    for scale in (1e-3, 0.7, 5.0, 80.0):
        assert found.loss(scale) == pytest.approx(alone.loss(scale), abs=1e-13)


def test_the_candidates_of_a_column_double_the_scale() -> None:
    scope = wordnet(root="person")
    people = Domain(scope, individuals=True)
    names = ("cook", "carpenter", "dentist", "plumber", "welder", "nurse")
    spent = calibrated(people, tuple(scope.taxonomy.code(x) for x in names), 1.0)
    assert spent.scale > 0.8
    assert 0.999 <= spent.epsilon <= 1


def test_a_domain_that_is_too_large_gets_the_safe_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "MAX_PAIRS", 20)
    parents: Dag = {0: [], 1: [0], 2: [1], 3: [2], 4: [3], 5: [4]}
    mechanism = Candidates(domain(parents), tuple(parents), 3.0)
    assert not mechanism.calibration.exact
    assert mechanism.calibration.scale == pytest.approx(1.5)
    assert largest_ratio(mechanism, parents) <= Fraction(math.exp(3.0))


def test_other_distances_are_calibrated_anew() -> None:
    chain: Dag = {0: [], 1: [0], 2: [1], 3: [2]}
    fan: Dag = {0: [], 1: [0], 2: [0], 3: [0]}
    settings = [(chain, "wu-palmer", 1.0), (fan, "wu-palmer", 1.0), (chain, "path", 1.0), (chain, "wu-palmer", 2.0)]
    scales = [calibrated(domain(parents, measure), (1, 2, 3), epsilon).scale for parents, measure, epsilon in settings]
    assert len(set(scales)) == len(settings)
    assert calibrated(domain(chain), (1, 2, 3), 1.0) is calibrated(domain(chain), (1, 2, 3), 1.0)
    assert calibrated(domain(chain), (1, 2), 1.0).scale != scales[0]
