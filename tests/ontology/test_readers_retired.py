"""Retired concepts: their words and codes mean the concept that replaces them, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from allonym.ontology.lexicon import Entry
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.readers.retired import Retired
from allonym.ontology.taxonomy import Taxonomy

OBO = """format-version: 1.4
[Term]
id: X:1
name: illness
[Term]
id: X:2
name: influenza
alt_id: X:22
is_a: X:1
[Term]
id: X:3
name: cold
is_a: X:1
[Term]
id: X:4
name: obsolete grippe
synonym: "catarrhal fever" EXACT []
synonym: "cold" EXACT []
alt_id: X:44
is_obsolete: true
replaced_by: X:5
[Term]
id: X:5
name: la grippe
is_obsolete: true
replaced_by: X:2 ! influenza
[Term]
id: X:6
name: sniffles
is_obsolete: true
consider: X:3
[Term]
id: X:7
name: fever
is_obsolete: true
consider: X:2
consider: X:3
[Term]
id: X:8
name: miasma
is_obsolete: true
[Term]
id: X:9
name: phlogiston
is_obsolete: true
replaced_by: X:10
[Term]
id: X:10
name: caloric
is_obsolete: true
replaced_by: X:9
"""
TTL = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix x: <http://example.org/x/> .
x:1 a skos:Concept ; skos:prefLabel "illness"@en .
x:2 a skos:Concept ; skos:prefLabel "influenza"@en ; skos:notation "X:2", "X:22" ; skos:broader x:1 .
x:3 a skos:Concept ; skos:prefLabel "cold"@en ; skos:broader x:1 .
x:4 a skos:Concept ; owl:deprecated true ; skos:prefLabel "obsolete grippe"@en ; skos:notation "X:4", "X:44" ;
    skos:altLabel "catarrhal fever"@en, "cold"@en ; dct:isReplacedBy x:5 .
x:5 a skos:Concept ; owl:deprecated true ; skos:prefLabel "la grippe"@en ; dct:isReplacedBy x:2 .
x:6 a skos:Concept ; owl:deprecated true ; skos:prefLabel "sniffles"@en ; dct:isReplacedBy x:3 .
x:7 a skos:Concept ; owl:deprecated true ; skos:prefLabel "fever"@en ; dct:isReplacedBy x:2, x:3 .
x:8 a skos:Concept ; owl:deprecated true ; skos:prefLabel "miasma"@en .
x:9 a skos:Concept ; owl:deprecated true ; skos:prefLabel "phlogiston"@en ; dct:isReplacedBy x:10 .
x:10 a skos:Concept ; owl:deprecated true ; skos:prefLabel "caloric"@en ; dct:isReplacedBy x:9 .
"""
CSV = """id,parent,label,synonyms,obsolete,replaced_by
X:1,,illness,,false,
X:2,X:1,influenza,,false,
X:3,X:1,cold,,false,
X:4,X:1,obsolete grippe,catarrhal fever|cold,true,X:5
X:44,,grippe 44,,true,X:2
X:5,X:1,la grippe,,true,X:2
X:6,,sniffles,,true,X:3
X:7,,fever,,true,X:2|X:3
X:8,,miasma,,true,
X:9,,phlogiston,,true,X:10
X:10,,caloric,,true,X:9
"""


@pytest.fixture(params=["x.obo", "x.ttl", "x.csv"])
def taxonomy(request: pytest.FixtureRequest, tmp_path: Path) -> Taxonomy:
    path = tmp_path / request.param
    path.write_text({"x.obo": OBO, "x.ttl": TTL, "x.csv": CSV}[request.param])
    return read_taxonomy(path)


def test_words_and_codes_mean_the_replacement(taxonomy: Taxonomy) -> None:
    flu, cold = taxonomy.senses("influenza"), taxonomy.senses("cold")
    for word in ("grippe", "la grippe", "catarrhal fever", "X:4", "X:44"):
        assert taxonomy.senses(word) == flu, word
    assert taxonomy.senses("sniffles") == cold
    assert len(cold) == 1, "a word in use keeps its meaning"


def test_without_one_replacement_they_are_unknown(taxonomy: Taxonomy) -> None:
    for word in ("fever", "miasma", "phlogiston", "caloric", "X:7", "X:8"):
        assert taxonomy.senses(word) == [], word
    assert sorted(taxonomy.labels) == ["cold", "illness", "influenza"]


def test_a_retired_word_comes_after_words_in_use() -> None:
    retired = Retired()
    retired.add("b", ["a", "b"], [Entry("old", 0, rank=0, preferred=True), Entry("", 0)])
    (entry,) = retired.entries({"a": 7}, [])
    assert (entry.form, entry.concept, entry.preferred) == ("old", 7, False)
    assert entry.rank > 0


def test_owl_terms_replaced_by_a_code_or_an_iri(tmp_path: Path) -> None:
    path = tmp_path / "x.ttl"
    path.write_text("""@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix o: <http://www.geneontology.org/formats/oboInOwl#> .
obo:X_1 a owl:Class ; rdfs:label "illness" .
obo:X_2 a owl:Class ; rdfs:label "influenza" ; rdfs:subClassOf obo:X_1 .
obo:X_4 a owl:Class ; owl:deprecated "1" ; rdfs:label "grippe" ; obo:IAO_0100001 "X:2" .
obo:X_5 a owl:Class ; owl:deprecated "true" ; rdfs:label "la grippe" ; obo:IAO_0100001 obo:X_2 .
obo:X_6 a owl:Class ; owl:deprecated "true" ; rdfs:label "the grippe" ; o:consider obo:X_2 .
obo:X_7 a owl:Class ; rdfs:label "avian influenza" ; rdfs:subClassOf obo:X_5 .
""")
    t = read_taxonomy(path)
    for word in ("grippe", "la grippe", "the grippe", "X_4"):
        assert [t.labels[c] for c in t.senses(word)] == ["influenza"], word
    assert [t.labels[p] for p in t.parents_of(t.code("avian influenza"))] == ["influenza"]
