"""Similar labels: the index against a straight computation with dictionaries, votes, and what is never proposed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from shared import DATA, needs

from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.link import Link, link
from allonym.ontology.linking.similar_labels.nearest import NearestConcepts
from allonym.ontology.linking.similar_labels.ngrams import MIN_WORD_SIMILARITY, LabelIndex, Tokeniser, grams_of
from allonym.ontology.linking.similar_labels.votes import count_votes
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.taxonomy import Taxonomy

EN = language("en")
THINGS = ["steel", "glass", "paper", "cotton", "rubber", "leather", "cement", "copper", "timber", "plastic", "ceramic",
          "carbon", "silicon", "nickel", "marble"]  # fmt: skip
ROLES = {"cutter": "slicer", "welder": "joiner", "painter": "varnisher", "polisher": "burnisher", "packer": "wrapper"}
MODIFIERS = ["", "industrial ", "machine ", "senior ", "workshop ", "hand ", "shop floor "]


def crafts() -> Taxonomy:
    """Return an ontology of crafts: material by material, five occupations with fourteen labels each."""
    ids, labels, child, parent, entries = ["craft"], ["craft"], list[int](), list[int](), list[Entry]()
    for thing in THINGS:
        group = len(ids)
        ids.append(thing)
        labels.append(f"{thing} crafts")
        child.append(group)
        parent.append(0)
        entries.append(Entry(labels[-1], group, preferred=True))
        for role, other in ROLES.items():
            craft = len(ids)
            ids.append(f"{thing}-{role}")
            labels.append(f"{thing} {role}")
            child.append(craft)
            parent.append(group)
            for modifier in MODIFIERS:
                for word in (role, other):
                    form = f"{modifier}{thing} {word}"
                    entries.append(Entry(form, craft, preferred=form == labels[-1]))
    return Taxonomy.build("crafts", ids, child=child, parent=parent, labels=labels, lexicon=Lexicon.build(entries))


CRAFTS = crafts()


def linked(value: str, taxonomy: Taxonomy = CRAFTS) -> tuple[str | None, Link]:
    [found] = link([value], taxonomy)
    return None if found.concept is None else taxonomy.ids[found.concept], found


class SlowIndex:
    """TF-IDF vectors of labels as dictionaries."""

    def __init__(self, labels: list[str]) -> None:
        self.tokeniser, self.labels = Tokeniser(EN), labels
        having = Counter(
            gram for label in labels for gram in {g for word in self.words(label) for g in self.grams(word)}
        )
        self.weights = {gram: log((1 + len(labels)) / (1 + n)) + 1 for gram, n in having.items()}
        self.unknown = log(1 + len(labels)) + 1

    def words(self, text: str) -> list[str]:
        return self.tokeniser.words(text)

    def grams(self, word: str) -> list[str]:
        return grams_of(word, self.tokeniser.stems([word])[0])

    def vector(self, word: str) -> dict[str, float]:
        return {gram: self.weights.get(gram, self.unknown) for gram in self.grams(word)}

    def similarity(self, text: str, label: str) -> float:
        total = 0.0
        for a in map(self.vector, self.words(text)):
            for b in map(self.vector, self.words(label)):
                product = sum(weight * b[gram] for gram, weight in a.items() if gram in b)
                total += product * (product >= MIN_WORD_SIMILARITY * length([a]) * length([b]))
        both = length(map(self.vector, self.words(text))) * length(map(self.vector, self.words(label)))
        return min(total / both, 1.0)


def length(vectors: object) -> float:
    return sqrt(sum(weight**2 for vector in vectors for weight in vector.values()))  # type: ignore[attr-defined]


TEXTS = ["glas cuter", "senior carbon fibre welder", "painter of cements", "unheard", "copper coppersmith wraper"]


def test_the_index_gives_the_similarity_of_dictionaries() -> None:
    nearest = NearestConcepts(CRAFTS, EN)
    slow = SlowIndex(nearest.index.texts)
    found = nearest.candidates(TEXTS, np.ones(len(CRAFTS), bool))
    assert len(found.concepts)
    for row, text in enumerate(TEXTS):
        for place in range(found.starts[row], found.starts[row + 1]):
            labels = [x for x, c in zip(slow.labels, nearest.index.concepts, strict=True) if c == found.concepts[place]]
            similar = {label: slow.similarity(text, label) for label in labels}
            assert found.best[place] == pytest.approx(max(similar.values()), abs=1e-5)
            assert similar[slow.labels[found.label[place]]] == pytest.approx(max(similar.values()), abs=1e-5)


def test_shares_of_words_are_those_of_dictionaries() -> None:
    nearest = NearestConcepts(CRAFTS, EN)
    labels, stems_of = (
        nearest.index.texts,
        lambda text: nearest.index.tokeniser.stems(nearest.index.tokeniser.words(text)),
    )
    having = Counter(stem for label in labels for stem in set(stems_of(label)))
    weight = lambda stem: log((1 + len(labels)) / (1 + having[stem])) + 1  # noqa: E731
    found = nearest.candidates(TEXTS, np.ones(len(CRAFTS), bool))
    for row, text in enumerate(TEXTS):
        words = stems_of(text)
        for place in range(found.starts[row], found.starts[row + 1]):
            of_concept = {
                s
                for x, c in zip(labels, nearest.index.concepts, strict=True)
                if c == found.concepts[place]
                for s in stems_of(x)
            }
            share = sum(weight(s) for s in words if s in of_concept) / sum(map(weight, words))
            assert found.words[place] == pytest.approx(share)
            of_label = stems_of(labels[found.label[place]])
            covered = sum(weight(s) for s in of_label if s in words) / sum(map(weight, of_label))
            assert found.covered[place] == pytest.approx(covered)


def test_the_nearest_occupation_wins() -> None:
    concept, found = linked("senior glass cutters and slicers")
    assert (concept, found.reason, found.relation) == ("glass-cutter", "nearest", "narrower")


def test_siblings_that_share_the_votes_give_their_group() -> None:
    concept, found = linked("glass worker")
    assert (concept, found.reason, found.relation) == ("glass", "nearest", "narrower")


def test_votes_never_go_to_the_root() -> None:
    nearest = NearestConcepts(CRAFTS, EN)
    candidates = nearest.candidates(["workshop cutter", "craft"], np.ones(len(CRAFTS), bool))
    assert CRAFTS.root not in count_votes(CRAFTS, candidates).chosen


def with_words(*words: tuple[str, str]) -> Taxonomy:
    """Return the crafts with further synonyms."""
    more = [Entry(form, CRAFTS.code(concept)) for form, concept in words]
    lexicon = CRAFTS.lexicon
    every = [Entry(lexicon.forms[f], c, preferred=p) for f, c, p in zip(
        lexicon.form_of.tolist(), lexicon.concepts.tolist(), lexicon.preferred.tolist(), strict=True)]  # fmt: skip
    return replace(CRAFTS, lexicon=Lexicon.build([*every, *more]))


def test_a_synonym_of_two_siblings_is_a_kind_of_their_group() -> None:
    taxonomy = with_words(("glazier", "glass-cutter"), ("glazier", "glass-polisher"))
    concept, found = linked("glazier", taxonomy)
    assert (concept, found.relation, found.status) == ("glass", "narrower", "review")
    assert {taxonomy.ids[c] for c in found.alternatives} == {"glass-cutter", "glass-polisher"}


def test_a_label_means_its_concept_although_it_is_a_synonym_of_another() -> None:
    taxonomy = with_words(("glass cutter", "glass-polisher"))
    concept, found = linked("glass cutter", taxonomy)
    assert (concept, found.relation, found.status) == ("glass-cutter", "same", "sure")


def test_a_synonym_that_is_a_word_of_many_labels_elsewhere_is_to_review() -> None:
    taxonomy = with_words(("machine welder", "glass-cutter"), ("vitrier", "glass-cutter"))
    assert [linked(value, taxonomy)[1].status for value in ("machine welder", "vitrier")] == ["review", "sure"]
    assert linked("machine welder", taxonomy)[0] == "glass-cutter"


def test_unmatched_values_have_suggestions_by_similar_labels() -> None:
    _, found = linked("worldwide artisans of all trades in cementitious things")
    assert found.status != "sure"
    if found.concept is None:
        assert found.suggestions


@pytest.mark.parametrize("value", ["no glass cutter", "other", "n/a", "12", "G7", "GLA"])
def test_negations_residual_values_and_codes_are_not_compared(value: str) -> None:
    concept, found = linked(value)
    assert concept is None
    assert found.reason != "nearest"


def test_a_word_is_not_similar_to_its_opposite() -> None:
    words = [Entry("married women", 1), Entry("wedded women", 1), Entry("unmarried men", 2)]
    filler = [Entry(f"label {n:04}", 2) for n in range(10)]
    people = Taxonomy.build(
        "people", ["a", "b", "c"], child=[1, 2], parent=[0, 0], lexicon=Lexicon.build([*words, *filler])
    )
    found = NearestConcepts(people, EN).candidates(["unmarried women"], np.ones(3, bool))
    assert found.concepts.tolist() == [2]


def test_numerals_differ() -> None:
    words = [Entry("diabetes type 1", 1), Entry("diabetes type 2", 2), Entry("diabetes", 3)]
    diseases = Taxonomy.build("t", list("abcd"), child=[1, 2, 3], parent=[0, 0, 0], lexicon=Lexicon.build(words))
    found = NearestConcepts(diseases, EN).candidates(["type 2 diabetes mellitus"], np.ones(4, bool))
    assert sorted(found.concepts.tolist()) == [2, 3]


def test_the_index_is_built_once() -> None:
    assert LabelIndex.of(CRAFTS.lexicon, EN, len(CRAFTS)) is LabelIndex.of(CRAFTS.lexicon, EN, len(CRAFTS))


def test_links_do_not_depend_on_other_values() -> None:
    values = ["senior glass cutters and slicers", "glass worker", "cement paintr", "copper"]
    alone = [link([value], CRAFTS)[0] for value in values]
    assert [(x.concept, x.status) for x in link(values, CRAFTS)] == [(x.concept, x.status) for x in alone]


@needs(DATA / "esco" / "occupations_en.csv")
def test_labels_are_sure_and_common_words_mean_their_group() -> None:
    esco = read_taxonomy(DATA / "esco")
    found = {x.value: x for x in link(["plumber", "accountant", "driver", "teacher", "technician", "supervisor"], esco)}
    labels = {value: esco.labels[x.concept] for value, x in found.items() if x.concept is not None}
    for value in ("plumber", "accountant"):  # the second is a synonym too, and nearly the label of its group
        assert (found[value].status, found[value].relation, labels[value]) == ("sure", "same", value)
    for value, group in (("driver", "Drivers and mobile plant operators"), ("teacher", "Teaching professionals")):
        assert (found[value].status, found[value].relation, labels[value]) == ("review", "narrower", group)
    assert {found[value].status for value in ("technician", "supervisor")} == {"review"}
