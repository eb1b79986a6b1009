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
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.wordnet import FILE, bundled, pack, unpack, wordnet


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
    content = pack(bundled())
    assert pack(unpack(content, Path(FILE))) == content


@pytest.mark.parametrize("damage", [lambda x: x[:-1], lambda x: x[1:], lambda x: b"", lambda x: b"{}\n"])
def test_a_damaged_file_is_refused(damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(OntologyError, match="damaged"):
        unpack(damage(pack(bundled())), Path(FILE))


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
    from build_wordnet import DATA, notice

    read = read_taxonomy(WNDB)
    assert pack(read) == (DATA / FILE).read_bytes()
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
