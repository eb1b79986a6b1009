"""Every ontology of the catalog, from a table to a release: link, mask, verify k, report version and licence."""

from __future__ import annotations

import csv
import json
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import call

import allonym as al
from allonym.errors import TableError
from allonym.ontology.catalog.registry import MODULES, entry
from allonym.ontology.linking.languages import LANGUAGES
from allonym.ontology.scope import Scope

K = 5
ROWS = 150
VALUES = 30
LINKED = 0.8  # the share of labels of an ontology that must be found in it


def language_of(name: str) -> str:
    """Return a language of the ontology whose words can be linked: its first."""
    return next(x for x in (*entry(name).languages, "en") if x.partition("-")[0].lower() in LANGUAGES)


def deep_concepts(scope: Scope, rng: np.random.Generator) -> list[int]:
    """Return concepts from the deeper half of an ontology: named individuals, or classes if it has more of them."""
    taxonomy = scope.taxonomy
    deep = np.flatnonzero(taxonomy.depth > taxonomy.deepest // 2)
    individuals = taxonomy.instances[deep]
    deep = deep[individuals == (individuals.mean() > 0.5)]
    return [int(c) for c in rng.choice(deep, min(VALUES, len(deep)), replace=False)]


def table_of(scope: Scope, path: Path, *, codes: bool, language: str) -> list[str]:
    """Write a table with labels, or codes, of an ontology in one column; return that column."""
    rng = np.random.default_rng(20260101)
    words = scope.taxonomy.lexicon
    texts = []
    for concept in deep_concepts(scope, rng):
        forms = words.notations(concept) if codes else words.terms(concept, language)
        texts += [x.replace("_", " ") for x in forms[:1]]
    column = [str(x) for x in rng.choice(texts, ROWS)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("value", "year"), *((x, 1950 + i % 4) for i, x in enumerate(column))])
    return column


@pytest.mark.parametrize("written", ["words", "codes"])
@pytest.mark.parametrize("name", MODULES)
def test_link_mask_and_report(name: str, written: str, tmp_path: Path) -> None:
    scope, language = al.ontology(name), language_of(name)
    if written == "codes" and not scope.taxonomy.lexicon.notation.any():
        pytest.skip("the ontology has no codes")
    table, plan, output = tmp_path / "in.csv", tmp_path / "plan.toml", tmp_path / "out.csv"
    report, summary = tmp_path / "report.html", tmp_path / "summary.json"
    column = table_of(scope, table, codes=written == "codes", language=language)
    links = al.link(sorted(set(column)), scope, language=language)
    found = sum(x.concept is not None for x in links)
    assert found >= LINKED * len(links), "an ontology knows its own words"
    columns = {
        "value": al.quasi(name, language=language, accept="review", unmatched="suppress"),
        "year": al.quasi("numeric"),
    }
    al.Plan(columns=columns, k=K, seed=7).save(plan)
    outputs = ("-o", str(output), "--report", str(report), "--summary", str(summary))
    done = call("mask", str(table), "--plan", str(plan), *outputs)
    assert done.returncode == 0, done.stderr
    with output.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert len(rows) == ROWS
    assert min(Counter(map(tuple, rows)).values()) >= K
    assert len({x[0] for x in rows}) > 1, "values keep some of their meaning"
    assert "*" not in {x[0] for x in rows}, "no group is represented by a virtual root"
    declared, taxonomy = entry(name), scope.taxonomy
    (told,) = json.loads(summary.read_text(encoding="utf-8"))["ontologies"]
    assert told["name"] == name
    assert told["version"] == taxonomy.source.version
    assert told["licence"] == declared.licence
    assert told["publisher"] == declared.publisher
    assert told["url"] == declared.url
    assert told["sha256"] == taxonomy.source.sha256
    page = report.read_text(encoding="utf-8")
    for text in (taxonomy.source.version, declared.licence, declared.publisher):
        assert text.replace("&", "&amp;").replace("'", "&#39;") in page


def test_a_fitted_plan_needs_the_ontology_it_was_fitted_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"diagnosis": ["E11.9", "E11.0", "J45.0", "J45.1", "I10"] * 4})
    fitted = al.Plan({"diagnosis": al.quasi("icd10")}, method="noise").fit(frame)
    fitted.save(tmp_path / "fitted.json")
    again = al.Fitted.load(tmp_path / "fitted.json")
    codes = al.ontology("icd10").taxonomy
    assert codes.find(again.mask_one({"diagnosis": "E11.2"})["diagnosis"]) is not None, "new codes are linked"
    text = (tmp_path / "fitted.json").read_text()
    (tmp_path / "fitted.json").write_text(text.replace(codes.source.sha256, "0" * 64))
    with pytest.raises(TableError, match="The ontology of column diagnosis has changed since it was fitted"):
        al.Fitted.load(tmp_path / "fitted.json")


@pytest.mark.parametrize("name", MODULES)
def test_a_pickled_ontology_is_the_same(name: str) -> None:
    scope = al.ontology(name)
    again = pickle.loads(pickle.dumps(scope))
    assert again.name == scope.name
    assert again.taxonomy.source == scope.taxonomy.source
    assert list(again.taxonomy.labels) == list(scope.taxonomy.labels)
    concept = int(np.argmax(scope.taxonomy.depth))
    assert again.taxonomy.lexicon.terms(concept) == scope.taxonomy.lexicon.terms(concept)
    assert again.taxonomy.ids.find(scope.taxonomy.ids[concept]) == concept
