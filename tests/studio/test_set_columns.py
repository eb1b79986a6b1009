"""The studio with columns of sets: their options, and several ontologies for their items."""

from __future__ import annotations

import re

import pytest
from browsing import Browser, codes, shown

LOG = b"who,queries\n" + b"".join(
    b"%d,charger for a phone;cheap hotel\n%d,Paris;phone\n" % (n, n + 50) for n in range(8)
)


@pytest.fixture
def log(browser: Browser) -> Browser:
    browser.post("/open", files={"file": ("log.csv", LOG)})
    browser.fill("/column?column=queries", "/column", role="quasi", what="set", separator=";")
    return browser


def test_phrases_and_individuals_are_chosen_in_the_form(log: Browser) -> None:
    page = shown(log.get("/column", column="queries"))
    assert "Link each noun phrase of an item of a set." in page
    assert "Words may mean named individuals" in page
    log.fill("/column?column=queries", "/column", phrases="yes", individuals="yes")
    column = log.version.plan.columns["queries"]
    assert (column.phrases, column.individuals) == (True, True)
    log.settle()
    page = shown(log.get("/words", column="queries", status="all"))
    assert "charger for a phone" not in page
    assert "charger" in page
    log.fill("/column?column=queries", "/column", individuals="no")
    column = log.version.plan.columns["queries"]
    assert (column.phrases, column.individuals) == (True, False)
    form = log.version.plan.columns["queries"]
    log.fill("/column?column=queries", "/column", individuals="", distance="avg")
    assert log.version.plan.columns["queries"].individuals is None
    assert form.distance != log.version.plan.columns["queries"].distance


def test_an_unchecked_box_is_no(log: Browser) -> None:
    log.fill("/column?column=queries", "/column", phrases="yes")
    assert re.search(r'<input[^>]*name="phrases"[^>]*checked', log.get("/column", column="queries"))
    plain = {"column": "queries", "role": "quasi", "what": "set", "separator": ";"}
    log.post("/column", **plain)
    assert log.version.plan.columns["queries"].phrases is False


def test_phrases_do_not_apply_to_words(log: Browser) -> None:
    log.fill("/column?column=queries", "/column", what="wordnet", phrases="yes")
    column = log.version.plan.columns["queries"]
    assert (column.kind, column.phrases) == (None, False)
    assert "option-of-kind" not in codes(log.get("/columns"))


@pytest.mark.parametrize("combine", ["first", "blend"])
def test_several_ontologies_of_a_set_stay(log: Browser, combine: str) -> None:
    plan = f"""format = 1\nkeep_rest = true\n[columns.queries]\nrole = "quasi"\nkind = "set"
ontology = ["icd10", "wordnet:artifact"]\ncombine = "{combine}"\nunmatched = "opaque"\n"""
    log.post("/plan", files=[("plan", ("plan.toml", plan.encode()))])
    log.fill("/column?column=queries", "/column", distance="avg")
    column = log.version.plan.columns["queries"]
    assert (column.ontology, column.distance) == (("icd10", "wordnet:artifact"), "avg")
    assert (column.combine, column.kind) == (combine, "set")
    log.settle()
    assert not codes(log.get("/words", column="queries", status="all"))
    page = shown(log.get("/column", column="queries"))
    assert "Ontology icd10" in page
    assert "Ontology wordnet:artifact" in page
