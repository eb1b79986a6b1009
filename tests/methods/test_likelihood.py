"""The likelihoods of record-level methods are those of their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
import slow_noise as slow
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import Dag, dags, taxonomy

from allonym import Noise
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.domain import Domain
from allonym.kinds.numeric import NumericMetric
from allonym.methods.exponential import Candidates
from allonym.methods.numeric_noise import NumericNoise
from allonym.methods.randomise import Drawing
from allonym.methods.semantic_noise import SemanticNoise
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Records


def domain(parents: Dag) -> Domain:
    t = taxonomy(parents)
    return Domain(Scope(t, t.root))


LAWS = {"normal": stats.norm(), "laplace": stats.laplace(scale=math.sqrt(0.5))}  # of variance 1


def expected(
    parents: Dag, x: int, mu: int, deviation: float, same: bool, law: str, listed: tuple[int, ...] | None
) -> dict[int, float]:
    """Return how likely x becomes each concept: the errors are cut where the replacements may change."""
    distances = {slow.rounded(parents, x, c) for c in parents}
    cuts = sorted({0.0, *distances, *(d / 2 for d in distances)})
    likely = dict.fromkeys(parents, 0.0)
    for low, high in zip(cuts, [*cuts[1:], math.inf], strict=True):
        for sign in (-1, 1):
            error = sign * ((low + high) / 2 if math.isfinite(high) else low + 1)
            outcomes = slow.replacements(parents, x, mu, error, same, listed)
            mass = LAWS[law].cdf(high / deviation) - LAWS[law].cdf(low / deviation)
            for concept in outcomes:
                likely[concept] += mass / len(outcomes)
    return likely


@given(parents=dags(9), deviation=st.sampled_from([0.05, 0.2, 0.6]), same=st.booleans(), data=st.data())
def test_semantic_noise(parents: Dag, deviation: float, same: bool, data: st.DataObject) -> None:
    x, mu = (data.draw(st.sampled_from(list(parents))) for _ in range(2))
    law = data.draw(st.sampled_from(list(LAWS)))
    listed = data.draw(st.none() | st.lists(st.sampled_from(list(parents)), min_size=1, unique=True).map(tuple))
    noise = SemanticNoise(domain(parents), mu, deviation**2, 1.0, same, distribution=law, candidates=listed)
    found = np.exp(noise.log_likelihood([x, None, "?"], [*parents, None]))
    assert found[0] == pytest.approx([*expected(parents, x, mu, deviation, same, law, listed).values(), 0.0], abs=1e-12)
    assert found[1:].tolist() == [[0.0] * len(parents) + [1.0]] * 2


def test_values_that_do_not_vary_stay() -> None:
    noise = SemanticNoise(domain({0: [], 1: [0], 2: [0]}), 1, 0.0, 0.3)
    assert np.exp(noise.log_likelihood([1], [0, 1, 2])).tolist() == [[0, 1, 0]]
    number = NumericNoise(1.0, 0.0, 0.3, 1)
    assert np.exp(number.log_likelihood([1.0, None], [1.0, 1.1, None])).tolist() == [[1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("law", LAWS)
def test_numeric_noise(law: str) -> None:
    noise = NumericNoise(0.0, 4.0, 0.25, 0, law)  # errors of deviation 1, rounded to whole numbers
    found = noise.log_likelihood([0.0, 3.0], [0.0, 1.0, -3.0])
    for row, was in enumerate((0, 3)):
        for column, now in enumerate((0, 1, -3)):
            mass = LAWS[law].sf(abs(now - was) - 0.5) - LAWS[law].sf(abs(now - was) + 0.5)
            assert found[row, column] == pytest.approx(math.log(mass))
    far = noise.log_likelihood([0.0], [50.0, 60.0])
    assert np.isfinite(far).all()
    assert far[0, 0] > far[0, 1]


def test_baselines_and_candidates() -> None:
    drawing = Drawing((3, 5), (1, 3))
    assert np.exp(drawing.log_likelihood([3, 5, None], [3, 5, None])) == pytest.approx(
        np.array([[0.25, 0.75, 0], [0.25, 0.75, 0], [0, 0, 1]])
    )
    parents = {0: [], 1: [0], 2: [0], 3: [1]}
    candidates = Candidates(domain(parents), (1, 2, 3), 2.0)
    found = np.exp(candidates.log_likelihood([3, None], [1, 2, 3, 0]))
    scale = candidates.calibration.scale
    weights = [math.exp(-scale * slow.sd(parents, 3, c)) for c in (1, 2, 3)]
    assert found[0] == pytest.approx([*(w / sum(weights) for w in weights), 0], abs=1e-9)
    assert found[1] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-9)


def test_what_is_drawn_has_these_likelihoods() -> None:
    t = taxonomy({0: [], 1: [0], 2: [0], 3: [1], 4: [1], 5: [2]})
    words = Attribute("word", "text", ConceptMetric(list(range(6)), Scope(t, t.root)))
    numbers = Attribute("number", "numeric", NumericMetric([0.0, 1.0, 5.0], 0))
    rng = np.random.default_rng(1)
    n = 20_000
    records = Records.of([words, numbers], [rng.choice([1, 3, 5], n), rng.integers(0, 3, n)])
    method = Noise(alpha=0.5)
    masking = method.mask(records, 7)
    for mechanism in (masking.mechanism, method.mechanism(records)):
        assert mechanism is not None
        for a, attribute in enumerate(masking.attributes):
            before = records.codes[masking.source, a]
            for code in np.unique(before).tolist():
                counts = np.bincount(masking.codes[before == code, a], minlength=len(attribute.values))
                logs = mechanism.log_likelihood(a, [attribute.values[code]], attribute.values)
                assert np.exp(logs).sum() == pytest.approx(1, abs=0.001)
                assert counts / counts.sum() == pytest.approx(np.exp(logs)[0], abs=0.03)


@pytest.mark.parametrize("same", [False, True])
def test_laplace_errors_are_not_differential_privacy(same: bool) -> None:
    """A result that is possible under one value is impossible under another."""
    noise = SemanticNoise(domain({0: [], 1: [0], 2: [0], 3: [1], 4: [1]}), 1, 0.2, 1.0, same, distribution="laplace")
    of_three, of_one = (noise.probabilities(x) for x in (3, 1))
    assert of_three[4] == 0 < of_one[4]  # 4 is as far from the mean as 3
