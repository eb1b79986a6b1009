"""`allonym ontologies`: list, show, add and remove."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from shared import DATA, needs

import allonym
from allonym.cli import app
from allonym.errors import OntologyError
from allonym.kinds.registry import KINDS
from allonym.ontology.catalog import about as catalog_about
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.registry import MODULES, entry
from cli.running import run

MINI = Path(__file__).parents[1] / "data" / "mini-animals.obo"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALLONYM_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "ontologies"


def fails(*words: str) -> OntologyError:
    done = CliRunner().invoke(app, ["ontologies", *words])
    assert isinstance(done.exception, OntologyError), done.output
    return done.exception


def test_the_list_has_every_name_and_what_to_know_about_it() -> None:
    run("ontologies", "add", str(MINI), "--name", "animals", "--licence", "CC0 1.0", "--version", "2024")
    out = " ".join(run("ontologies").split())
    assert "wordnet" in out
    for name in MODULES:
        declared = entry(name)
        for text in (name, declared.purpose, declared.publisher, declared.licence, f"{declared.concepts:,}"):
            assert text in out, (name, text)
        assert declared.family.capitalize() in out
        assert f"installed: {declared.packages[0]} {declared.version}" in out
    assert "animals" in out
    assert "CC0 1.0" in out
    assert "not installed" not in out


@pytest.mark.parametrize("columns", [80, 100])
def test_the_list_and_an_ontology_fit_the_terminal(columns: int) -> None:
    run("ontologies", "add", str(MINI), "--name", "animals")
    for words in (["ontologies"], ["ontologies", "show", "animals"], ["ontologies", "show", "icd10"]):
        out = CliRunner().invoke(app, words, env={"COLUMNS": str(columns)}).output
        assert max(map(len, out.splitlines())) <= columns, words


def test_ontologies_that_are_not_installed_say_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Package, "find", lambda name: None)
    assert f"to install it: {entry('icd10').how_to_install}" in run("ontologies")
    listed = {x["name"]: x for x in json.loads(run("ontologies", "--json"))["ontologies"]}
    assert listed["icd10"]["installed"] is False
    assert listed["wordnet"]["installed"] is True


def test_the_list_as_json() -> None:
    run("ontologies", "add", str(MINI), "--name", "animals")
    listed = {x["name"]: x for x in json.loads(run("ontologies", "--json"))["ontologies"]}
    assert set(listed) == {"wordnet", *MODULES, "animals"}
    assert listed["animals"]["concepts"] == 6
    assert listed["wordnet"]["concepts"] == len(allonym.wordnet().taxonomy)
    assert {"family", "languages", "licence", "version", "publisher", "url", "install"} <= set(listed["icd10"])


def test_show_has_the_first_levels_and_an_example() -> None:
    out = run("ontologies", "show", "icd10")
    for text in ("World Health Organization", "12,543 concepts", "Neoplasms", "Example:", "COLUMN=icd10:"):
        assert text in out
    shown = json.loads(run("ontologies", "show", "wordnet", "--json"))
    assert (shown["links"], shown["first_level"][0]["id"]) == (84_427, "physical_entity.n.01")


def test_show_counts_different_words_and_codes(tmp_path: Path) -> None:
    table = tmp_path / "tools.csv"
    table.write_text("code,parent,label,synonyms\n1,,tool,\n2,1,saw,blade\n3,1,knife,blade\n")
    run("ontologies", "add", str(table), "--name", "tools")
    shown = json.loads(run("ontologies", "show", "tools", "--json"))
    assert (shown["words"], shown["codes"]) == (4, 3)


@pytest.mark.parametrize("name", ["icd10", "m49"])
def test_show_states_the_same_source_as_text_and_as_json(name: str) -> None:
    out = " ".join(run("ontologies", "show", name).split())
    shown = json.loads(run("ontologies", "show", name, "--json"))
    for key in ("version", "licence", "attribution", "sha256"):
        assert shown[key] in out, key
    assert shown["version"] == allonym.ontology(name).taxonomy.source.version


def test_an_added_ontology_is_used_by_its_name_and_removed(own_folder: Path, tmp_path: Path) -> None:
    out = run("ontologies", "add", str(MINI), "--name", "animals", "--licence", "CC0 1.0")
    assert "6 concepts" in out
    assert str(own_folder / "animals.bin") in out
    assert (own_folder / "animals.bin").stat().st_mode & 0o077 == 0
    assert allonym.ontology("animals:bird").taxonomy.source.licence == "CC0 1.0"
    (tmp_path / "pets.csv").write_text("pet\n" + "parrot\ncat\n" * 6)
    run("mask", str(tmp_path / "pets.csv"), "-o", str(tmp_path / "m.csv"), "--quasi", "pet=animals", "--k", "3")
    assert "Removed animals" in run("ontologies", "remove", "animals")
    assert list(own_folder.iterdir()) == []
    assert "No ontology 'animals' was added" in str(fails("remove", "animals"))


def test_an_ontology_is_replaced_only_on_request(own_folder: Path, tmp_path: Path) -> None:
    run("ontologies", "add", str(MINI), "--name", "animals")
    before = (own_folder / "animals.bin").read_bytes()
    assert "--replace" in str(fails("add", str(MINI), "--name", "animals"))
    (tmp_path / "other.csv").write_text("id,parent\na,\nb,a\n")
    run("ontologies", "add", str(tmp_path / "other.csv"), "--name", "animals", "--replace")
    assert (own_folder / "animals.bin").read_bytes() != before
    (tmp_path / "bad.csv").write_text("id,parent\na,b\nb,a\n")
    kept = (own_folder / "animals.bin").read_bytes()
    fails("add", str(tmp_path / "bad.csv"), "--name", "animals", "--replace")
    assert [x.name for x in own_folder.iterdir()] == ["animals.bin"]
    assert (own_folder / "animals.bin").read_bytes() == kept


@pytest.mark.parametrize("name", [*KINDS, "date", "wordnet", "icd10", "Esco", "a b", "../x", ""])
def test_names_that_cannot_be_used_are_refused_and_leave_nothing(name: str, own_folder: Path) -> None:
    error = fails("add", str(MINI), "--name", name)
    assert "Hint: " in str(error)
    assert not own_folder.exists()


def test_a_file_that_cannot_be_read_leaves_nothing(own_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("id,parent\na,b\nb,a\n")
    assert "form a cycle" in str(fails("add", str(tmp_path / "bad.csv"), "--name", "bad"))
    assert "cannot be read" in str(fails("add", str(tmp_path / "none.csv"), "--name", "bad"))
    assert not own_folder.exists()


def test_words_with_line_breaks_are_kept_on_one_line_and_ids_with_line_breaks_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('id,parent,label,synonyms\na,,"garden\nflowers",\nb,a,rose,"rosa \n canina"\n')
    run("ontologies", "add", str(path), "--name", "flowers")
    taxonomy = allonym.ontology("flowers").taxonomy
    assert list(taxonomy.labels) == ["garden flowers", "rose"]
    assert taxonomy.senses("garden flowers") == [0]
    path.write_text('id,parent\n"a\nb",\nc,"a\nb"\n')
    assert "contain line breaks" in str(fails("add", str(path), "--name", "other"))


@needs(DATA / "taxonomies")
@pytest.mark.parametrize("file", ["doid_2019-03-07.obo.gz", "mesh_dhimmel_tree-numbers.tsv.gz"])
def test_published_ontologies_can_be_added(file: str) -> None:
    run("ontologies", "add", str(DATA / "taxonomies" / file), "--name", "published")
    again, read = allonym.ontology("published").taxonomy, allonym.read_taxonomy(DATA / "taxonomies" / file)
    assert list(again.ids) == list(read.ids)
    assert list(again.labels) == list(read.labels)


def test_the_language_of_a_file_that_states_none(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("code,label\nA,Blumen\nA1,Rosen\n")
    info = allonym.add_ontology(tmp_path / "t.csv", "blumen", language="de")
    assert (info.languages, info.concepts) == (("de",), 2)
    taxonomy = allonym.ontology("blumen").taxonomy
    assert taxonomy.senses("Rosen", "en") == []
    assert taxonomy.senses("Rosen", "de") == taxonomy.senses("A1", "en") == [taxonomy.code("A1")]
    assert "blumen" in {x.name for x in allonym.ontologies()}
    allonym.remove_ontology("blumen")
    assert "blumen" not in {x.name for x in allonym.ontologies()}


def test_a_damaged_ontology_is_listed_and_can_be_removed(own_folder: Path) -> None:
    run("ontologies", "add", str(MINI), "--name", "animals")
    (own_folder / "animals.bin").write_bytes(b"damaged")
    assert "damaged: add it again" in run("ontologies")
    assert catalog_about.about("animals").is_damaged
    run("ontologies", "remove", "animals")


def test_unknown_names_are_answered_with_similar_ones() -> None:
    assert "did you mean icd10" in str(fails("show", "icd1o"))
    assert "without a root" in str(fails("show", "icd10:E11"))
    assert "uninstall its packages" in str(fails("remove", "icd10"))


@needs(DATA / "esco")
def test_esco_by_name() -> None:
    assert "3,627 concepts" in run("ontologies", "add", str(DATA / "esco"), "--name", "esco", "--version", "1.1.1")
    esco = allonym.ontology("esco:2654")
    assert (esco.name, esco.taxonomy.source.version) == ("esco:C2654", "1.1.1")
    assert "Managers" in run("ontologies", "show", "esco")
