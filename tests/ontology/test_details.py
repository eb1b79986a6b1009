"""The details of the bundled WordNet: its file, glosses, related nouns, parts and domains."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from shared import WNDB, needs

from allonym.errors import OntologyError
from allonym.ontology import wordnet
from allonym.ontology.array_file import joined, parted
from allonym.ontology.compiled import unpack
from allonym.ontology.details import Details
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import DATA, DETAILS_FILE, FILE, bundled


@pytest.fixture
def details() -> Details:
    details = bundled().details
    assert details is not None
    return details


def ids(concepts: np.ndarray) -> list[str]:
    return [bundled().ids[c] for c in concepts]


def nouns(form: str) -> dict[str, str]:
    """The noun concepts of a form, with the pointer to each."""
    details = bundled().details
    assert details is not None
    return {bundled().ids[x.concept]: x.pointer for x in details.nouns_of(form)}


# --- the file ----------------------------------------------------------------------------------------------------


@needs(WNDB)
def test_the_bundled_details_equal_the_compiled_sources() -> None:
    from wordnet_details import pack_details

    assert pack_details(WNDB, read_taxonomy(WNDB)) == (DATA / DETAILS_FILE).read_bytes()


def test_the_details_belong_to_the_bundled_nouns() -> None:
    header, arrays = parted((DATA / DETAILS_FILE).read_bytes(), Path(DETAILS_FILE))
    assert header["sha256"] == bundled().source.sha256
    assert header["concepts"] == len(bundled()) == len(arrays["word_starts"]) - 1
    assert header["version"] == bundled().source.version
    for name in ("nouns", "wholes", "parts", "topic", "region", "usage"):
        assert 0 <= arrays[name].min() <= arrays[name].max() < len(bundled())


def test_the_file_is_small() -> None:
    assert (DATA / DETAILS_FILE).stat().st_size < 8_000_000


def test_details_of_other_nouns_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header, arrays = parted((DATA / DETAILS_FILE).read_bytes(), Path(DETAILS_FILE))
    del header["arrays"], header["size"], header["format"]
    (tmp_path / DETAILS_FILE).write_bytes(joined(arrays, header | {"sha256": "0" * 64}))
    monkeypatch.setattr(wordnet, "DATA", tmp_path)
    taxonomy = unpack((DATA / FILE).read_bytes(), Path(FILE), wordnet._Bundled)
    with pytest.raises(OntologyError, match="damaged"):
        taxonomy.details  # noqa: B018


def test_a_missing_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordnet, "DATA", tmp_path)
    taxonomy = unpack((DATA / FILE).read_bytes(), Path(FILE), wordnet._Bundled)
    with pytest.raises(OntologyError, match="cannot be read"):
        taxonomy.details  # noqa: B018


def test_details_are_loaded_only_when_needed() -> None:
    code = """
import sys, allonym as al
taxonomy = al.wordnet("person").taxonomy
taxonomy.code("nurse")
print("details" in vars(taxonomy), "allonym.ontology.details" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]


def test_other_ontologies_have_no_details() -> None:
    taxonomy = Taxonomy.build("animals", ["animal", "cat"], child=[1], parent=[0])
    assert taxonomy.details is None
    assert taxonomy.definition(1) == ""


def test_definitions_of_other_ontologies_are_their_own() -> None:
    taxonomy = Taxonomy.build("animals", ["animal", "cat"], child=[1], parent=[0], definitions=["", "it purrs"])
    assert taxonomy.definition(1) == "it purrs"


# --- glosses -----------------------------------------------------------------------------------------------------


def test_definitions_and_examples_are_separate(details: Details) -> None:
    dog = bundled().code("dog.n.01")
    assert details.definition(dog) == bundled().definition(dog)
    assert details.definition(dog).startswith("a member of the genus Canis")
    assert details.definition(dog).endswith("occurs in many breeds")
    assert details.examples(dog) == ("the dog barked all night",)
    assert details.examples(bundled().code("nurse.n.01")) == ()


def test_every_concept_has_a_definition(details: Details) -> None:
    definitions = [details.definition(c) for c in range(len(bundled()))]
    assert all(definitions)
    assert sum('"' in definition for definition in definitions) < 10
    assert not any(definition.endswith((";", ":", " ")) for definition in definitions)


@needs(WNDB)
def test_glosses_are_those_of_the_source(details: Details) -> None:
    source = read_taxonomy(WNDB)
    assert source.definitions is not None
    for concept in range(0, len(source), 97):
        gloss = " ".join(source.definitions[concept].split()).replace(" ;", ";")
        assert gloss.startswith(details.definition(concept))
        assert all(example.partition(" - ")[0] in gloss for example in details.examples(concept))


def test_gloss_words_of_many_concepts(details: Details) -> None:
    concepts = [bundled().code(name) for name in ("nurse.n.01", "dog.n.01", "nurse.n.01")]
    starts, words = details.gloss_words(concepts)
    rows = [words[low:high].tolist() for low, high in pairwise(starts)]
    assert rows[0] == rows[2] == sorted(set(rows[0]))
    for word in ("nurse", "skilled", "sick", "physicians", "supervise"):
        assert details.word_number(word) in rows[0], word
    for word in ("genus", "barking", "dogs", "canis"):
        assert details.word_number(word) in rows[1], word
    assert details.word_number("physician") not in rows[1]
    assert details.gloss_words([])[0].tolist() == [0]


@pytest.mark.parametrize("word", ["the", "of", "", "xyzzyq", "12", "who"])
def test_words_that_no_gloss_has(details: Details, word: str) -> None:
    assert details.word_number(word) is None


def test_word_frequencies(details: Details) -> None:
    frequency = details.word_frequencies
    number = details.word_number
    assert frequency.min() >= 2
    assert frequency[number("plant")] > frequency[number("obstetrician")]


# --- related nouns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "noun", "pointer"),
    [
        ("divorced", "divorce.n.01", "derivation"),
        ("divorced", "divorcee.n.01", "derivation"),
        ("retired", "retiree.n.01", "derivation"),
        ("Retired", "retirement.n.01", "derivation"),
        ("taught", "teacher.n.01", "derivation"),  # irregular verb
        ("teaching", "teacher.n.01", "derivation"),
        ("whitest", "white.n.02", "derivation"),  # adjective
        ("female", "sex.n.04", "attribute"),
        ("female", "female.n.01", "derivation"),
        ("Vietnamese", "vietnam.n.01", "pertainym"),
        ("obstetric", "obstetrics.n.01", "derivation"),
        ("dental", "tooth.n.01", "pertainym"),
        ("medically", "medicine.n.03", "adjective"),
        ("self-employed", "freelancer.n.01", "synonym"),
        ("self_employed", None, None),
        ("retired", "inactivity.n.03", "similar"),
        ("unmarried", "married.n.01", "antonym"),
        ("warm-blooded", "homeotherm.n.01", "satellite"),
        ("cold-blooded", "poikilotherm.n.01", "satellite"),
        ("unemployed", "employment.n.01", "antonym"),
        ("nurse's", None, None),
        ("", None, None),
    ],
)
def test_nouns_of_a_form(form: str, noun: str | None, pointer: str | None) -> None:
    assert nouns(form) == {} if noun is None else nouns(form).get(noun) == pointer


def test_nouns_are_ordered_by_how_likely_they_are(details: Details) -> None:
    for form in ("female", "divorced", "separated", "inactive", "given", "saw", "open"):
        found = details.nouns_of(form)
        weak = [x.pointer in ("synonym", "similar", "antonym", "satellite") for x in found]
        assert weak == sorted(weak)
        strong = [(-x.count, x.sense_rank) for x, is_weak in zip(found, weak, strict=True) if not is_weak]
        assert strong == sorted(strong)
        assert len({x.concept for x in found}) == len(found)


def test_a_participle_has_the_senses_of_the_adjective_and_of_the_verb(details: Details) -> None:
    senses = details.senses_of("married")
    assert {(x.lemma, x.part_of_speech) for x in senses} == {("married", "a"), ("marry", "v")}
    assert max(senses, key=lambda x: x.count).lemma == "marry"
    assert [x.rank for x in senses if x.lemma == "married"] == [0, 1]


def test_inflected_forms_of_unknown_words_have_no_senses(details: Details) -> None:
    assert details.senses_of("xyzzing") == []


# --- links between nouns -----------------------------------------------------------------------------------------


def test_parts_and_wholes(details: Details) -> None:
    assert "finger.n.01" in ids(details.parts(bundled().code("hand.n.01")))
    assert ids(details.wholes(bundled().code("finger.n.01"))) == ["hand.n.01"]
    assert len(details.parts(bundled().code("entity.n.01"))) == 0
    wholes, parts = details.part_links
    some = np.arange(0, len(wholes), 501)
    assert all(wholes[i] in details.wholes(int(parts[i])) for i in some)
    assert all(parts[i] in details.parts(int(wholes[i])) for i in some)


@needs(WNDB)
def test_parts_and_wholes_are_those_of_the_source(details: Details) -> None:
    source = read_taxonomy(WNDB)
    assert source.parts is not None
    starts, others = source.parts
    for concept in range(0, len(source), 41):
        expected = sorted(set(others[starts[concept] : starts[concept + 1]].tolist()))
        assert sorted({*details.parts(concept).tolist(), *details.wholes(concept).tolist()}) == expected


def test_topics_regions_and_usages(details: Details) -> None:
    assert ids(details.topics(bundled().code("pitcher.n.01"))) == ["baseball.n.01", "softball.n.02"]
    assert "trade_name.n.01" in ids(details.usages(bundled().code("aspirin.n.01")))
    assert len(details.regions(bundled().code("dog.n.01"))) == 0
