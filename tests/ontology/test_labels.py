"""Other names that the labels of a classification lead to, and classes for what is not specified."""

from __future__ import annotations

import pytest

from allonym.ontology.catalog import ontology
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.link import link
from allonym.ontology.linking.readings.labels import derived_entries, other_names
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy

EN = language("en")


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("Cholera, unspecified", {"Cholera"}),
        ("Pneumonia, unspecified organism", {"Pneumonia"}),
        ("Diarrhea NOS", {"Diarrhea"}),
        ("Stroke, not specified as haemorrhage or infarction", {"Stroke"}),
        ("Varicella [chickenpox]", {"Varicella", "chickenpox"}),
        ("Mucocutaneous lymph node syndrome [Kawasaki]", {"Kawasaki", "Kawasaki disease", "Kawasaki syndrome"}),
        ("Mood [affective] disorders", {"Mood disorders", "affective disorders"}),
        ("Severe acute respiratory syndrome [SARS], unspecified", {"SARS", "Severe acute respiratory syndrome"}),
        ("Migraine without aura [common migraine]", {"Migraine without aura", "common migraine"}),
        ("hypertension (arterial) (benign)", {"hypertension", "arterial hypertension", "benign hypertension"}),
        ("Acquired absence of finger(s)", {"Acquired absence of finger"}),
    ],
)
def test_labels_lead_to_other_names(label: str, names: set[str]) -> None:
    assert names <= set(other_names(label, EN))


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Asthma", "Asthma"),
        ("Other viral pneumonia", "viral pneumonia"),
        ("Dissection of aorta [any part]", "any part"),
        ("Exposure to human immunodeficiency virus [HIV]", "HIV"),
        ("Arthropathy in Crohn disease [regional enteritis]", "regional enteritis"),
        ("Epilepsy, unspecified, not intractable", "Epilepsy"),
    ],
)
def test_labels_do_not_lead_to_names_with_another_meaning(label: str, name: str) -> None:
    assert name not in other_names(label, EN)


def test_a_derived_name_belongs_to_the_highest_concept_unless_another_has_it() -> None:
    names = [Entry("Cholera", 0), Entry("Cholera, unspecified", 1), Entry("Plague NOS", 2), Entry("Plague, NEC", 3)]
    derived = derived_entries(names, {1: 0, 3: 2}, EN)
    assert {(x.form, x.concept) for x in derived} == {("Plague", 2)}


def test_a_word_that_always_follows_another_may_be_left_out() -> None:
    names = [Entry(f"Type {n} diabetes mellitus", n) for n in range(12)]
    names += [Entry(f"{how} fracture of bone {n}", 20) for n in range(12) for how in ("Closed", "Open")]
    assert Entry("Type 3 diabetes", 3, rank=100) in derived_entries(names, {}, EN)
    assert not [x for x in derived_entries(names, {}, EN) if "losed" in x.form]


def injuries() -> Scope:
    labels = ["Everything", "Injuries", "Injuries of unspecified parts", "Burn of unspecified body region", "Wound"]
    words = [Entry(label, c, preferred=True) for c, label in enumerate(labels)]
    lexicon = Lexicon.build([*words, Entry("burn", 3)])
    return Scope.of(
        Taxonomy.build("x", "abcde", child=[1, 2, 3, 4], parent=[0, 1, 2, 1], labels=labels, lexicon=lexicon)
    )


def test_a_class_of_what_is_not_specified_is_not_above_what_is() -> None:
    scope = injuries()
    whole, kind = link(["burn", "burn of foot"], scope)
    assert scope.taxonomy.labels[whole.concept or 0] == "Burn of unspecified body region"
    assert scope.taxonomy.labels[kind.concept or 0] == "Injuries"
    assert kind.relation == "narrower"


@pytest.mark.parametrize("name", ["icd10", "icd10cm"])
def test_codes_and_words_of_one_illness_are_one_concept_or_its_kind(name: str) -> None:
    scope = ontology(name)
    taxonomy = scope.taxonomy
    category = taxonomy.code("E11")
    same = ["Type 2 diabetes mellitus", "type II diabetes", "Type 2 diabetes", "diabetes type 2", "Diabetes, type II"]
    same.append("E11.-")
    assert {x.concept for x in link(same, scope)} == {category}
    assert {x.status for x in link(same, scope)} == {"sure"}
    for code in ("E11.9", "E119", "e11.9"):
        (found,) = link([code], scope)
        assert found.concept == taxonomy.code("E11.9")
        assert category in taxonomy.subsumers(found.concept or 0)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("Chronic kidney disease stage 3", "N18.3"),
        ("stage III chronic kidney disease", "N18.3"),
        ("Alzheimer's disease", "G30"),
        ("iron deficiency anemia", "D50"),
        ("Hypertension", "I10"),
        ("stroke", "I64"),
        ("cholera", "A00"),
    ],
)
def test_names_of_illnesses(value: str, code: str) -> None:
    scope = ontology("icd10")
    (found,) = link([value], scope)
    assert (scope.taxonomy.ids[found.concept or 0], found.status) == (code, "sure")
