"""Items of sets are evidence for one another: by the formula, on words, and in what it is worth."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace

import linking_queries
import numpy as np
import pytest
from shared import DATA, needs

from allonym.ontology.linking import together
from allonym.ontology.linking.link import link
from allonym.ontology.linking.several import link as link_in_several
from allonym.ontology.linking.together import Together, Words, beside, sense_vectors
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet

WORDNET = wordnet()


@pytest.fixture(scope="module")
def taxonomy() -> Taxonomy:
    return WORDNET.taxonomy


# --- relatedness, straight from the formula -----------------------------------------------------------------------


def gloss_words(t: Taxonomy, concept: int) -> set[int]:
    assert t.details is not None
    around = {concept, *t.parents_of(concept).tolist(), *t.children_of(concept).tolist()}
    return {int(w) for c in around for w in t.details.gloss_words(np.array([c]))[1]}


def related(t: Taxonomy, a: int, b: int) -> float:
    assert t.details is not None
    one, other = set(t.above([a]).tolist()), set(t.above([b]).tolist())
    by_ancestors = len(one & other) / math.sqrt(len(one) * len(other))
    frequency = Counter(t.details.words.tolist())
    rarity = {w: (math.log(len(t) / frequency[w]) / math.log(len(t))) ** 2 for w in frequency}
    words, others = gloss_words(t, a), gloss_words(t, b)
    length = [math.sqrt(sum(rarity[w] ** 2 for w in each)) for each in (words, others)]
    by_words = sum(rarity[w] ** 2 for w in words & others) / (length[0] * length[1])
    return together.ANCESTORS * by_ancestors + together.WORDS * by_words


@pytest.mark.parametrize(
    "names", [("charger.n.02", "battery.n.02"), ("charger.n.01", "battery.n.02"), ("java.n.03", "crane.n.05")]
)
def test_relatedness_is_that_of_the_formula(taxonomy: Taxonomy, names: tuple[str, str]) -> None:
    a, b = map(taxonomy.code, names)
    vectors = sense_vectors(taxonomy, np.array([a, b])).toarray()
    assert vectors[0] @ vectors[1] == pytest.approx(related(taxonomy, a, b))


def words_of(taxonomy: Taxonomy, *senses: list[str]) -> Words:
    concepts = np.array([taxonomy.code(x) for each in senses for x in each], np.int64)
    starts = np.cumsum([0, *map(len, senses)])
    return Words(starts, concepts, np.arange(len(senses)), np.zeros(len(concepts), bool))


def test_the_evidence_is_that_of_the_most_related_word_by_its_probabilities(taxonomy: Taxonomy) -> None:
    words = words_of(taxonomy, ["charger.n.01", "charger.n.02"], ["battery.n.01", "battery.n.02"], ["cook.n.01"])
    evidence = Together(taxonomy, words, [[0, 1, 2]], [])
    probability = np.array([0.5, 0.5, 0.3, 0.7, 1.0])
    found = evidence.weights(probability)
    c = words.concepts.tolist()
    for sense in (0, 1):
        by_battery = 0.3 * related(taxonomy, c[sense], c[2]) + 0.7 * related(taxonomy, c[sense], c[3])
        expected = min(together.MAX_WEIGHT, max(by_battery, related(taxonomy, c[sense], c[4])))
        assert found[sense] == pytest.approx(expected)
    assert found[1] > found[0]


def test_weak_senses_have_no_evidence_and_are_none(taxonomy: Taxonomy) -> None:
    words = words_of(taxonomy, ["charger.n.01", "charger.n.02"], ["battery.n.02"])
    weak = replace(words, weak=np.array([False, True, False]))
    assert Together(taxonomy, weak, [[0, 1]], []).weights(np.ones(3))[1] == 0
    of_other = replace(words, weak=np.array([False, False, True]))
    assert not Together(taxonomy, of_other, [[0, 1]], []).weights(np.ones(3)).any()


# --- which words stand together -----------------------------------------------------------------------------------


def pairs_of(words: Words, sets: list[list[int]], taxonomy: Taxonomy) -> set[tuple[int, int]]:
    vectors = sense_vectors(taxonomy, words.concepts)
    return set(zip(*(x.tolist() for x in beside(words, sets, [], vectors)), strict=True))


def test_words_stand_together_if_oftener_than_by_chance(taxonomy: Taxonomy) -> None:
    words = words_of(taxonomy, ["dog.n.01"], ["cat.n.01"], ["cook.n.01"])
    assert pairs_of(words, [[0, 1], [0, 1], [2], [2]], taxonomy) == {(0, 1), (1, 0)}
    assert pairs_of(words, [[0, 1, 2], [0, 1, 2]], taxonomy) == set(), "all in every set: chance"
    same = replace(words, family=np.array([0, 0, 1]))
    assert pairs_of(same, [[0, 1], [0, 1], [2], [2]], taxonomy) == set(), "words of a family say nothing"


def test_a_large_set_says_nothing_and_few_words_count(taxonomy: Taxonomy, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["dog.n.01", "cat.n.01", "cook.n.01", "car.n.01", "bus.n.01", "wolf.n.01", "fox.n.01"]
    words = words_of(taxonomy, *([x] for x in names))
    sets = [list(range(7)), [], []]
    monkeypatch.setattr(together, "MAX_BESIDE", 2)
    found = pairs_of(words, [*sets, *([[]] * 9)], taxonomy)
    assert found == pairs_of(words, sets, taxonomy), "empty sets are none"
    assert {b for a, b in found if a == 3} >= {4}, "of many, the most related"
    assert all(sum(a == word for a, _ in found) == 2 for word in range(7))
    monkeypatch.setattr(together, "MAX_ITEMS", 6)
    assert pairs_of(words, sets, taxonomy) == set()


# --- links --------------------------------------------------------------------------------------------------------


def concepts(sets: list[list[str]], **options: bool) -> dict[str, str]:
    counts = Counter(x for items in sets for x in items)
    links = link(counts, WORDNET, suggest=False, together=sets, **options)
    return {x.value: WORDNET.taxonomy.ids[x.concept] for x in links if x.concept is not None}


OTHERS = [["garden hose", "lawn mower"], ["apple pie", "baking powder"], ["violin", "orchestra"], ["cough", "asthma"]]


@pytest.mark.parametrize(
    ("items", "means"),
    [
        (["cheap flights", "travel insurance", "airport parking"], {"flight.n.02", "flight.n.09"}),
        (["AC charger", "laptop battery"], {"charger.n.02"}),
        (["java", "programming language"], {"java.n.03"}),
        (["java", "espresso", "latte"], {"coffee.n.01"}),
    ],
)
def test_an_item_means_what_fits_those_beside_it(items: list[str], means: set[str]) -> None:
    assert concepts([items, *OTHERS])[items[0]] in means


def test_modifiers_are_evidence(taxonomy: Taxonomy) -> None:
    """Other words of a phrase say what its head is, also if nothing stands beside it."""
    sets = [["guitar chords"], ["laptop charger"], *OTHERS]
    found = concepts(sets)
    assert found["guitar chords"] == "chord.n.02"
    assert found["laptop charger"] == "charger.n.02"
    assert taxonomy.ids[link(["guitar chords"], WORDNET)[0].concept] == "chord.n.01"  # type: ignore[index]


def test_settled_items_are_evidence() -> None:
    sets = [["xqz", "java"], *OTHERS]
    counts = Counter(x for items in sets for x in items)
    for settled, means in (("programming_language.n.01", "java.n.03"), ("beverage.n.01", "coffee.n.01")):
        links = link(counts, WORDNET, suggest=False, together=sets, settled={"xqz": settled})
        found = {x.value: x.concept for x in links}
        assert WORDNET.taxonomy.ids[found["java"]] == means  # type: ignore[index]


def test_the_order_of_sets_and_items_changes_nothing() -> None:
    sets = linking_queries.queries("development").sets
    expected = concepts(sets)
    shuffled = [random.Random(1).sample(items, len(items)) for items in sets]
    random.Random(2).shuffle(shuffled)
    assert concepts(shuffled) == expected


def test_no_link_is_sure_by_what_stands_beside_it_alone() -> None:
    for part in ("development", "check"):
        items = linking_queries.queries(part)
        alone = {x.value: x for x in items.links(together=False)}
        for x in items.links(together=True):
            same = alone[x.value].concept == x.concept
            assert x.status != "sure" or (same and alone[x.value].confidence >= x.confidence - 0.05), x.value


def test_joined_ontologies_take_sets_and_first_senses_ignore_them(taxonomy: Taxonomy) -> None:
    sets = [["java", "programming language"], *OTHERS]
    counts = Counter(x for items in sets for x in items)
    first = [x.concept for x in link(counts, WORDNET, senses="first", together=sets)]
    assert first == [x.concept for x in link(counts, WORDNET, senses="first")]
    joined = {x.value: x.concept for x in link_in_several(counts, WORDNET, together=sets)}
    assert taxonomy.ids[joined["java"]] == "java.n.03"  # type: ignore[index]


# --- what it is worth ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "found", "sure"), [("development", 41, 25), ("check", 52, 36)])
def test_queries_are_linked_better_as_items_of_sets(part: str, found: int, sure: int) -> None:
    items = linking_queries.queries(part)
    before, after = (linking_queries.tally(items, together=x) for x in (False, True))
    assert after["found"] >= found > before["found"]
    assert after["sure right"] >= sure
    assert after["sure"] - after["sure right"] <= before["sure"] - before["sure right"]


@needs(DATA / "words" / "gold_dev.csv")
def test_the_page_has_the_figures() -> None:
    columns = [linking_queries.queries("development"), linking_queries.queries("check"), *linking_queries.labelled()]
    page = linking_queries.PAGE.read_text("utf-8")
    assert linking_queries.table(columns) in page
