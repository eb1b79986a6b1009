"""Published similarity figures, recomputed on the bundled WordNet 3.0."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.ontology import similarity
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.word_similarity import compare
from allonym.ontology.wordnet import bundled, wordnet

# Ayala-Rivera et al., Figure 1 and Table 1: 1 - Wu-Palmer with a virtual root; first senses, the third of amphibian
VERTEBRATES = [
    ("parrot", "bird", 0.0435), ("cat", "mammal", 0.1538), ("dog", "mammal", 0.1538), ("snake", "reptile", 0.0833),
    ("crocodile", "reptile", 0.12), ("frog", "amphibian#3", 0.0435), ("salmon", "fish", 0.0769),
    ("parrot", "homeotherm", 0.2381), ("cat", "homeotherm", 0.3333), ("dog", "homeotherm", 0.1579),
    ("snake", "ectotherm", 0.2727), ("crocodile", "ectotherm", 0.3043), ("frog", "ectotherm", 0.2381),
    ("salmon", "ectotherm", 0.3043), ("parrot", "vertebrate", 0.0909), ("frog", "vertebrate", 0.0909),
    ("cat", "vertebrate", 0.2), ("dog", "vertebrate", 0.2), ("snake", "vertebrate", 0.1304),
    ("crocodile", "vertebrate", 0.1667), ("salmon", "vertebrate", 0.1667),
]  # fmt: skip


@pytest.mark.parametrize(("leaf", "ancestor", "published"), VERTEBRATES)
def test_vertebrates_of_ayala_rivera(leaf: str, ancestor: str, published: float) -> None:
    t = bundled()
    got = similarity.distance("wu-palmer", t, t.code(leaf), t.code(ancestor), depth="virtual-root")
    assert round(float(got), 4) == published


@pytest.mark.parametrize(("leaf", "ancestor", "published"), VERTEBRATES)
def test_coherent_senses_give_the_same(leaf: str, ancestor: str, published: float) -> None:
    got = compare(leaf, ancestor.partition("#")[0], depth="virtual-root")
    assert round(got.distance, 4) == published


# Rodriguez-Garcia et al., §III: distances in the sub-taxonomy under person, whose root has depth 1
WORKERS = [
    ("skilled_worker.n.01", "employee.n.01", 0.333), ("skilled_worker.n.01", "craftsman.n.03", 0.143),
    ("craftsman.n.03", "technician.n.01", 0.25), ("craftsman.n.03", "laborer.n.01", 0.556),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "published"), WORKERS)
def test_workers_of_rodriguez_garcia_under_person(one: str, other: str, published: float) -> None:
    t = wordnet(root="person").cut()
    got = similarity.distance("wu-palmer", t, t.code(one), t.code(other), depth="nodes")
    assert round(float(got), 3) == published


def test_swimming_and_windsurfing_of_batet() -> None:
    """Batet et al. (2014) §3.1.1: T(Swimming) = {Sports, Water Sports, Swimming}, so the distance is (4 - 2) / 4."""
    t = Taxonomy.build(
        "sports",
        ["Thing", "Sports", "Water Sports", "Swimming", "Windsurfing"],
        child=[1, 2, 3, 4],
        parent=[0, 1, 2, 2],
    )
    cut = Taxonomy.build(
        "sports", ["Sports", "Water Sports", "Swimming", "Windsurfing"], child=[1, 2, 3], parent=[0, 1, 1]
    )
    assert float(similarity.ancestor_overlap(cut, 2, 3)) == (4 - 2) / 4 == 0.5
    assert float(similarity.ancestor_overlap(t, 3, 4)) == (5 - 3) / 5


def test_car_of_ayala_rivera_appendix_c() -> None:
    """The subsumer car has two links to the root, and compact car one link to car: 2·2 / (0 + 1 + 2·2) = 0.8."""
    t = Taxonomy.build("cars", ["thing", "vehicle", "car", "compact car"], child=[1, 2, 3], parent=[0, 1, 2])
    got = similarity.wu_palmer(t, t.code("car"), t.code("compact car"), depth="edges")
    assert float(got) == (2 * 2) / (0 + 1 + 2 * 2) == 0.8


def test_centroid_sums_of_martinez_example_3() -> None:
    """Martínez, Sánchez and Valls (2012) §3.3: contact sport 3.93, sport 5.23, with sport as a root of depth 1.

    Football, also a candidate there, has the smaller sum 3.56, because depth is the longest path to the root. In the
    hierarchy of the article, where football is only a contact sport, the sum is 3.77.
    """
    words = ["boxing.n.01", "soccer.n.01", "rugby.n.01", "contact_sport.n.01", "swimming.n.01", "surfing.n.01"]
    weights = np.array([1, 2, 2, 1, 1, 3])
    t = wordnet(root="sport.n.01").cut()
    values = np.array([t.code(word) for word in words])

    def total(candidate: str) -> float:
        return float((weights * similarity.distance("wu-palmer", t, t.code(candidate), values)).sum())

    assert round(total("contact_sport.n.01"), 3) == 3.933
    assert round(total("sport.n.01"), 3) == 5.233
    assert t.depth[t.code("football.n.01")] == 4  # over field game, outdoor game and athletic game
    assert round(total("football.n.01"), 2) == 3.56
    whole = bundled()
    values = np.array([whole.code(word) for word in words])
    sums = {
        c: float((weights * similarity.distance("wu-palmer", whole, whole.code(c), values)).sum())
        for c in ("contact_sport.n.01", "sport.n.01", "surfing.n.01")
    }
    assert min(sums, key=lambda c: sums[c]) == "contact_sport.n.01"
