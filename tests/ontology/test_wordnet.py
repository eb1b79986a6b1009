"""The bundled WordNet: its facts, its file, the time it takes to load."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from shared import WNDB, needs

from allonym.errors import OntologyError
from allonym.ontology.catalog import open_ontology
from allonym.ontology.compiled import pack, unpack
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking import links_file
from allonym.ontology.linking.link import link
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.word_similarity import compare
from allonym.ontology.wordnet import FILE, bundled, wordnet


def test_facts() -> None:
    t = bundled()
    assert (len(t), len(t.parents[1])) == (82_115, 84_427)
    assert t.ids[t.root] == "entity.n.01"
    assert t.deepest == 19
    people = wordnet(root="person")
    assert len(people) == 10_297
    assert int((people.members & t.instances).sum()) == 3_318
    assert t.source.version == "3.0"


def test_ids_are_as_in_nltk() -> None:
    t = bundled()
    dogs = ["dog.n.01", "frump.n.01", "dog.n.03", "cad.n.01", "frank.n.02", "pawl.n.01", "andiron.n.01"]
    assert [t.ids[c] for c in t.lexicon.senses("dog")] == dogs
    assert t.lexicon.terms(t.code("dog.n.01")) == ["dog", "Canis familiaris", "domestic dog"]
    assert [t.ids[c] for c in t.parents_of(t.code("dog.n.01"))] == ["canine.n.02", "domestic_animal.n.01"]
    assert len(set(t.ids)) == len(t)


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("ectotherm.n.01", "poikilotherm.n.01"),
        ("hot_dog.n.03", "frank.n.02"),
        ("dog.n.02", "frump.n.01"),
        ("dog.n.1", "dog.n.01"),
        ("Canis_familiaris.n.01", "dog.n.01"),
        ("canis familiaris.N.01", "dog.n.01"),
        ("u.s.a.n.01", None),
        ("U.S.A..n.01", "united_states.n.01"),
        ("dog.v.01", None),
        ("dog.n.99", None),
        ("dog.n.00", None),
        ("xyzzyq.n.01", None),
        (".n.01", None),
        ("dog.n.0١", None),
    ],
)
def test_any_word_with_its_sense_number_is_found(name: str, identifier: str | None) -> None:
    t = bundled()
    concept = t.find(name)
    assert (None if concept is None else t.ids[concept]) == identifier


def test_every_word_of_every_concept_is_found() -> None:
    t = bundled()
    words = t.lexicon
    for entry in range(0, len(words.concepts), 13):
        lemma = words.forms[words.form_of[entry]].lower().replace(" ", "_")
        assert t.find(f"{lemma}.n.{words.ranks[entry] + 1:02d}") == words.concepts[entry]


def test_roots_links_and_words_are_named_by_any_word(tmp_path: Path) -> None:
    assert wordnet(root="ectotherm.n.01").name == "wordnet:poikilotherm.n.01"
    assert open_ontology("wordnet:ectotherm.n.01").name == "wordnet:poikilotherm.n.01"
    (tmp_path / "links.csv").write_text("value,concept\nlizard?,ectotherm.n.01\n")
    settled = links_file.read(tmp_path / "links.csv")
    links = link(["lizard?", "ectotherm.n.01"], wordnet(), settled=settled.concepts)
    assert [bundled().ids[x.concept] for x in links if x.concept is not None] == ["poikilotherm.n.01"] * 2
    assert {row["concept"] for row in links_file.rows_of(links, wordnet())} == {"poikilotherm.n.01"}
    assert compare("ectotherm.n.01", "poikilotherm.n.01").similarity == 1


def test_ids_of_other_ontologies_are_found_only_as_they_are() -> None:
    lexicon = Lexicon.build([Entry("fever", 1), Entry("pyrexia", 1)])
    t = Taxonomy.build("symptoms", ["S.a.01", "S.b.01"], child=[1], parent=[0], lexicon=lexicon)
    assert t.find("S.b.01") == 1
    assert t.find("S.b.1") is None
    assert t.find("pyrexia.n.01") is None
    t = Taxonomy.build("symptoms", ["D001", "D002"], child=[1], parent=[0], lexicon=lexicon)
    assert t.find("pyrexia.n.01") is None


def test_named_individuals_are_known() -> None:
    t = bundled()
    assert t.instances[t.code("france.n.01")]
    assert not t.instances[t.code("farmer.n.01")]
    assert t.instances[t.code("farmer.n.03")]  # Fannie Farmer


def test_exceptions_and_counts_are_there() -> None:
    t = bundled()
    assert t.lexicon.exceptions["mice"] == ("mouse",)
    first = t.lexicon.entries("dog")[0]
    assert t.lexicon.counts[first] == 42
    assert t.lexicon.forms[np.searchsorted(t.lexicon.starts, first, side="right") - 1] == "dog"


def test_the_licence_notice_is_shipped() -> None:
    notice = (resources.files("allonym.ontology") / "data" / "WORDNET-LICENSE").read_text("utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in notice
    assert "appear on ALL copies" in notice


def test_packing_is_reproducible() -> None:
    content = pack(bundled(), checksum=False)
    assert pack(unpack(content, Path(FILE)), checksum=False) == content


@pytest.mark.parametrize("damage", [lambda x: x[:-1], lambda x: x[1:], lambda x: b"", lambda x: b"{}\n"])
def test_a_damaged_file_is_refused(damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(OntologyError, match="damaged"):
        unpack(damage(pack(bundled(), checksum=False)), Path(FILE))


def test_the_bundled_taxonomy_is_pickled_as_a_reference() -> None:
    t = bundled()
    sent = pickle.dumps(wordnet(root="person"))
    assert len(sent) < 1000
    assert pickle.loads(sent).taxonomy is t
    assert pickle.loads(pickle.dumps(t.lexicon)).senses("dog").tolist() == t.lexicon.senses("dog").tolist()


def test_linking_imports_nothing_heavy() -> None:
    code = """
import sys, allonym as al
al.link(["nurse", "carpenters", "Prime-Minister"], al.wordnet("person"))
print(*{"scipy", "rapidfuzz", "Stemmer", "pyoxigraph", "zipfile", "narwhals"} & set(sys.modules))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


@needs(WNDB)
def test_the_bundled_file_equals_the_compiled_sources() -> None:
    from build_wordnet import DATA, notice, nouns

    read = read_taxonomy(WNDB)
    assert nouns(read) == (DATA / FILE).read_bytes()
    assert (DATA / "WORDNET-LICENSE").read_text("utf-8") == notice(WNDB)
    assert read.definitions is not None
    assert read.definitions[read.code("dog.n.01")].startswith("a member of the genus Canis")
    assert read.parts is not None


def test_loading_takes_less_than_importing_numpy() -> None:
    """Loading is compared with importing NumPy in separate processes, not with an absolute time."""
    loads = "from allonym.ontology.wordnet import bundled; import time; t = time.process_time(); bundled(); "
    code = loads + "print(time.process_time() - t)"
    imports = "import time; t = time.process_time(); import numpy; print(time.process_time() - t)"

    def best(program: str) -> float:
        runs = [
            subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            for _ in range(3)
        ]
        return min(float(run.stdout) for run in runs)

    assert best(code) < best(imports) / 2


@pytest.mark.parametrize("word", ["dog", "Dog", "DOG", " dog ", "_dog_"])
def test_lookup_ignores_case_and_spaces(word: str) -> None:
    t = bundled()
    assert t.ids[t.code(word)] == "dog.n.01"
