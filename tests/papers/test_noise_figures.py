"""Tables I to IV of Rodriguez-Garcia et al. on the occupations of Adult, checked by an independent implementation."""

from __future__ import annotations

import noise
import numpy as np
import pytest
from shared import needs

from allonym import wordnet
from allonym.kinds.domain import Domain
from allonym.ontology.similarity import lcs, wu_palmer

pytestmark = needs(noise.LINKS)
INDEPENDENT = {  # α: mean distance, mean |ε|
    0.1: (0.194, 0.120), 0.2: (0.231, 0.170), 0.3: (0.261, 0.208), 0.4: (0.285, 0.240), 0.5: (0.304, 0.269),
}  # fmt: skip


def test_all_records_give_the_published_figures_up_to_alpha_one_half() -> None:
    frame = noise.occupations()
    assert len(frame) == 30_162
    published = noise.PUBLISHED["all"]
    for place, (alpha, (distance, target)) in enumerate(INDEPENDENT.items()):
        summary = noise.noise_summaries(frame, "noise", [0], alpha=alpha)[0]
        assert summary["mean_before"] == summary["mean_after"] == "employee.n.01"
        assert summary["variance_before"] == pytest.approx(0.23, abs=0.005)
        assert summary["mean_error"] == pytest.approx(distance, abs=0.003)
        assert summary["target_mean_error"] == pytest.approx(target, abs=0.001)
        assert summary["mean_error"] == pytest.approx(published["mean distance"][place], abs=0.0075)
        assert summary["target_mean_error"] == pytest.approx(published["target"][place], abs=0.005)
        deviation = summary["expected_variance"] - summary["variance"]
        assert 0.5 * alpha * summary["variance_before"] < deviation  # the claim of (1 + α)·σ² does not hold


def test_baselines_give_the_published_distances() -> None:
    frame = noise.occupations()
    for method, independent in (("randomise-uniform", 0.562), ("randomise-frequency", 0.545)):
        error = np.mean([summary["mean_error"] for summary in noise.noise_summaries(frame, method, [0, 1, 2])])
        assert error == pytest.approx(
            noise.BASELINES["all"][method][0], abs=0.009
        )  # printed with two digits, of one run
        assert error == pytest.approx(independent, abs=0.003)


def test_the_sample_has_the_published_mean_and_another_variance() -> None:
    summary = noise.noise_summaries(noise.sample(), "noise", [0], alpha=0.1)[0]
    assert summary["mean_before"] == "craftsman.n.03"
    assert summary["variance_before"] == pytest.approx(0.147, abs=0.0005)  # published: .13


def test_distances_under_person_are_the_published_ones() -> None:
    people = wordnet(root="person")
    domain, code = Domain(people), people.taxonomy.code
    for one, other, expected in (
        ("skilled worker", "employee", 0.33),
        ("skilled worker", "craftsman.n.03", 0.14),
        ("craftsman.n.03", "technician", 0.25),
        ("craftsman.n.03", "laborer", 0.56),
    ):
        distance = float(domain.distances_from(code(one))[domain.place(code(other))])
        assert distance == pytest.approx(expected, abs=0.005)


def test_the_printed_similarity_exceeds_1_on_a_dag() -> None:
    """2·depth(LCS) / (depth(c1) + depth(c2)) (eq. 8), with depths in nodes by the shortest path to the root."""
    taxonomy = wordnet(root="person").cut()

    def depth(concept: int) -> int:
        parents = taxonomy.parents_of(concept).tolist()
        return 1 + min(map(depth, parents)) if parents else 1

    wave, goldbrick = taxonomy.code("wave.n.09"), taxonomy.code("goldbrick.n.01")
    soldier = int(lcs(taxonomy, wave, goldbrick))
    assert [taxonomy.ids[soldier], depth(wave), depth(goldbrick), depth(soldier)] == ["soldier.n.01", 4, 5, 6]
    assert 2 * 6 / (4 + 5) > 1
    assert float(wu_palmer(taxonomy, wave, goldbrick)) == pytest.approx(0.8)
