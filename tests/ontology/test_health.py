"""The ontologies of health: structure, words and versions of icd10, icd10cm and hpo."""

from __future__ import annotations

import pytest

from allonym.ontology.catalog import ontology


@pytest.mark.parametrize(
    ("name", "code", "ancestors"),
    [
        ("icd10", "E11.9", ["E11", "E10-E14", "E00-E90"]),
        ("icd10", "C50.9", ["C50", "C50-C50", "C00-C75", "C00-C97", "C00-D48"]),
        ("icd10cm", "S03.40XA", ["S03.40", "S03.4", "S03", "S00-S09", "S00-T88"]),
        ("icd10cm", "C34.1", ["C34", "C30-C39", "C00-C75", "C00-C96", "C00-D49"]),
    ],
)
def test_blocks_and_chapters_are_the_parents_of_diagnoses(name: str, code: str, ancestors: list[str]) -> None:
    taxonomy = ontology(name).taxonomy
    path = [taxonomy.ids[c] for c in taxonomy.path(taxonomy.code(code))]
    assert path == [code, *ancestors, "*"]


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("icd10", ["chickenpox", "Varicella"], "B01"),
        ("icd10", ["essential hypertension", "primary hypertension"], "I10"),
        ("icd10", ["HIV disease"], "B20-B24"),
        ("icd10", ["Diabetes mellitus"], "E10-E14"),
        ("icd10", ["chapter IV"], "E00-E90"),
        ("icd10cm", ["high blood pressure"], "I10"),
        ("icd10cm", ["Type 2 diabetes mellitus", "insulin resistant diabetes"], "E11"),
        ("hpo", ["HP:0000819", "HP:0004908", "Diabetes mellitus"], "HP:0000819"),
        ("hpo", ["HP:0000057", "HP:0008665"], "HP:0008665"),
    ],
)
def test_words_of_health(name: str, words: list[str], code: str) -> None:
    taxonomy = ontology(name).taxonomy
    assert [taxonomy.ids[taxonomy.code(word)] for word in words] == [code] * len(words)


@pytest.mark.parametrize(("name", "version"), [("icd10", "2019"), ("icd10cm", "April 2026"), ("hpo", "2025-01-16")])
def test_the_version_is_that_of_the_classification(name: str, version: str) -> None:
    assert ontology(name).taxonomy.source.version.startswith(f"{version} (")


def test_labels_have_no_blank_before_a_colon() -> None:
    taxonomy = ontology("icd10").taxonomy
    assert taxonomy.labels[taxonomy.code("F16.2")].endswith("hallucinogens: dependence syndrome")
    assert not [label for label in taxonomy.labels if " :" in label]


def test_a_name_that_leaves_the_kind_open_is_that_of_the_whole() -> None:
    for name in ("icd10", "icd10cm"):
        taxonomy = ontology(name).taxonomy
        assert [taxonomy.ids[c] for c in taxonomy.senses("cholera")] == ["A00"]
        assert [taxonomy.ids[c] for c in taxonomy.senses("Cholera, unspecified")] == ["A00.9"]
        assert taxonomy.find("I") is None
        assert taxonomy.senses("4") == []
