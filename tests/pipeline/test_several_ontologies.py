"""Several ontologies for one column: the first that knows a value decides, in every method and every document."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from commands import call
from shared import DATA, needs

import allonym as al
from allonym.errors import PlanError, TableError
from allonym.ontology.catalog import added
from allonym.ontology.catalog.package import Package

JOBS = "child,parent\nbaker,cook\npastry cook,cook\ncook,worker\nsmith,worker\nwelder,smith\nlocksmith,smith\n"
SPORTS = "child,parent\nrower,athlete\nswimmer,athlete\ndiver,swimmer\nsprinter,runner\nrunner,athlete\nbaker,athlete\n"
VALUES = ["baker", "pastry cook", "welder", "locksmith", "rower", "diver", "swimmer", "sprinter"]
COLUMN = VALUES * 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "jobs.csv").write_text(JOBS)
    (tmp_path / "sports.csv").write_text(SPORTS)
    rows = [("job", "age"), *((x, 20 + i % 5) for i, x in enumerate(COLUMN))]
    with (tmp_path / "data.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return tmp_path


def plan(folder: Path, **options: Any) -> al.Plan:
    column = al.quasi(["jobs.csv", "sports.csv"], **options.pop("column", {}))
    settings: dict[str, Any] = {"k": 3, "seed": 7, "folder": folder, "keep_rest": True}
    return al.Plan({"job": column}, **(settings | options))


METHODS = ("sa-mdav", "mdav", "fusion", "recoding", "generalise", "noise", "randomise-uniform", "exponential", "swap")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_several_ontologies(folder: Path, method: str) -> None:
    parameters: dict[str, Any] = {"exponential": {"epsilon": 3.0}}.get(method, {})
    k = {} if method in ("noise", "randomise-uniform", "exponential", "swap") else {"k": 8}
    release = plan(folder, method=method, parameters=parameters, **{"k": None, **k}).run(pd.DataFrame({"job": COLUMN}))
    written = Counter(release.frame["job"].dropna())
    assert "*" not in written
    if k:
        assert min(written.values()) >= 8
    known = {x for line in (JOBS + SPORTS).splitlines() for x in line.split(",")}
    assert set(written) <= known


def test_a_group_of_both_ontologies_is_one_of_its_concepts(folder: Path) -> None:
    frame = pd.DataFrame({"job": ["rower", "rower", "smith"]})
    for represent in ("centroid", "member"):
        release = plan(folder, parameters={"represent": represent}).run(frame)
        assert set(release.frame["job"]) == {"rower"}, "it has more of the records"
    release = plan(folder, parameters={"represent": "subsumer"}).run(frame)
    assert set(release.frame["job"]) == {"*"}, "generalised up to the top"


def test_a_value_of_both_counts_in_the_first(folder: Path) -> None:
    checked = plan(folder).check(pd.DataFrame({"job": COLUMN}))
    (words,) = checked.columns[0].words
    ids = words.scope.taxonomy.ids
    assert ids[words.links["baker"].concept] == "jobs:baker"
    assert ids[words.links["rower"].concept] == "sports:rower"
    assert checked.to_dict()["columns"][0]["ontologies"] == ["jobs, then sports"]


def test_one_links_file_for_the_column(folder: Path) -> None:
    path = folder / "plan.toml"
    plan(folder, column={"unmatched": "opaque"}).save(path)
    frame = pd.DataFrame({"job": [*COLUMN, "zzz", "zzz", "zzz"]})
    (file,) = al.Plan.load(path).check(frame).pin(path)
    assert file.name == "job.links.csv"
    with file.open() as rows:
        concepts = {row["value"]: row["concept"] for row in csv.DictReader(rows)}
    assert (concepts["baker"], concepts["rower"], concepts["zzz"]) == ("jobs:baker", "sports:rower", "")
    text = file.read_text().replace('"jobs:baker"', '"sports:baker"')
    file.write_text(text)
    (words,) = al.Plan.load(path).check(frame).columns[0].words
    assert words.scope.taxonomy.ids[words.links["baker"].concept] == "sports:baker"
    assert al.Plan.load(path).run(frame).summary["records"] == len(frame)


def test_a_plan_with_a_links_file_for_each_says_what_to_do(folder: Path) -> None:
    with pytest.raises(PlanError) as error:
        plan(folder, column={"links": ["a.csv", "b.csv"]})
    assert [x.code for x in error.value.problems] == ["links-of-ontologies"]
    assert "combine = blend" in str(error.value)


def test_sets(folder: Path) -> None:
    cells = ["baker;rower", "welder;diver", "rower", "smith;locksmith"] * 5
    column = al.quasi(["jobs.csv", "sports.csv"], kind="set")
    release = al.Plan({"items": column}, k=5, seed=1, folder=folder).run(pd.DataFrame({"items": cells}))
    assert min(Counter(release.frame["items"]).values()) >= 5


def test_a_fitted_plan_links_new_values_in_the_same_order(folder: Path) -> None:
    fitted = plan(folder, method="noise", k=None, seed=None).fit(pd.DataFrame({"job": COLUMN}))
    fitted.save(folder / "fitted.json")
    again = al.Fitted.load(folder / "fitted.json")
    known = {x for line in (JOBS + SPORTS).splitlines() for x in line.split(",")}
    for masks in (fitted, again):
        assert masks.mask_one({"job": "runner"})["job"] in known
        assert masks.mask_one({"job": "cook"})["job"] in known
    (folder / "sports.csv").write_text(SPORTS.replace("diver", "driver"))
    with pytest.raises(TableError, match="has changed since it was fitted"):
        al.Fitted.load(folder / "fitted.json")


def test_every_document_names_both_ontologies(folder: Path) -> None:
    release = plan(folder).run(pd.DataFrame({"job": COLUMN}))
    assert [x["name"] for x in release.summary["ontologies"]] == ["jobs", "sports"]
    assert set(release.summary["sha256"]["ontologies"]) == {"jobs", "sports"}
    assert "jobs, then sports" in release.report.html()
    assert "jobs" not in release.report.html(public=True), "they may list values"
    assert release.codebook()["variables"][0]["ontologies"] == [{"name": "a hierarchy of its own"}] * 2


def test_codes_of_one_ontology_and_words_of_the_next(folder: Path) -> None:
    column = ["E11.9", "E11.0", "J45.0", "J45.1", "nurse", "dentist"] * 5
    plan = al.Plan({"what": al.quasi(["icd10", "wordnet:person"])}, k=10, seed=1)
    release = plan.run(pd.DataFrame({"what": column}))
    written = set(release.frame["what"])
    assert {x for x in written if x[0] in "EJ"}, "concepts of ICD-10 are written as codes"
    assert {x for x in written if x[0] not in "EJ"}, "concepts of WordNet as words"
    names = [x["name"] for x in release.codebook()["variables"][0]["ontologies"]]
    assert names == ["icd10", "wordnet:person.n.01"]
    assert "icd10, then wordnet:person.n.01" in release.report.html(public=True)


@needs(DATA / "esco")
def test_job_titles_of_esco_then_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLONYM_DATA", str(tmp_path))
    added.add(al.read_taxonomy(DATA / "esco"), "esco")
    column = ["software developer", "chef", "head chef", "grandmother", "toddler", "pensioner"] * 5
    jobs = al.Plan({"job": al.quasi(["esco", "wordnet:person"], accept="review")}, k=5, seed=1)
    frame = pd.DataFrame({"job": column})
    (words,) = jobs.check(frame).columns[0].words
    ontology = {x.value: words.scope.taxonomy.ids[x.concept].partition(":")[0] for x in words.links.values()}
    assert [ontology[x] for x in ("software developer", "chef")] == ["esco", "esco"]
    assert [ontology[x] for x in ("grandmother", "toddler")] == ["wordnet", "wordnet"]
    release = jobs.run(frame)
    assert release.frame["job"].value_counts().min() >= 5
    page = release.report.html(public=True)
    assert "This publication uses the ESCO classification of the European Commission." in page
    assert "esco, then wordnet:person.n.01" in page


def test_ontologies_that_are_not_installed_are_problems_like_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Package, "find", lambda name: None)
    columns = {"job": al.quasi(["icd10", "isic", "esco"]), "place": al.quasi("wordnet"), "age": al.quasi("numeric")}
    missing = al.Plan(columns, k=3, keep_rest=True, folder=folder)
    problems = missing.check(folder / "data.csv").problems
    assert [(x.code, x.column) for x in problems] == [("missing-column", ""), *[("ontology", "job")] * 3]
    hints = [x.hint for x in problems[1:]]
    assert hints[:2] == ["run pip install 'allonym[health]'.", "run pip install 'allonym[work]'."]
    assert problems[3].text == "There is no ontology 'esco'."
    assert hints[2] == "`allonym ontologies add FILE --name esco` adds one from a file."
    missing.save(folder / "plan.toml")
    done = call("mask", str(folder / "data.csv"), "-o", str(folder / "out.csv"), "--plan", str(folder / "plan.toml"))
    assert done.returncode == 2
    assert "place" in done.stderr
    assert "pip install 'allonym[health]'" in done.stderr
    assert "pip install 'allonym[work]'" in done.stderr
    assert not (folder / "out.csv").exists()


def test_blended_on_request(folder: Path) -> None:
    done = call(
        "mask", str(folder / "data.csv"), "-o", str(folder / "out.csv"), "--quasi", f"job={folder / 'jobs.csv'}",
        "--quasi", f"job={folder / 'sports.csv'}", "--combine", "blend", "--keep-rest", "--k", "3",
        "--summary", str(folder / "summary.json"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(json.loads((folder / "summary.json").read_text())["ontologies"]) == 2
    checked = plan(folder, column={"combine": "blend"}).check(pd.DataFrame({"job": COLUMN}))
    assert len(checked.columns[0].words) == 2
    checked = plan(folder, column={"combine": "blend"}, method="noise", k=None).check(pd.DataFrame({"job": COLUMN}))
    assert [x.code for x in checked.problems] == ["several-ontologies"]


def test_the_combination_is_a_part_of_the_plan(folder: Path) -> None:
    plan(folder, column={"combine": "blend"}).save(folder / "plan.toml")
    assert 'combine = "blend"' in (folder / "plan.toml").read_text()
    assert al.Plan.load(folder / "plan.toml").columns["job"].combine == "blend"
    plan(folder).save(folder / "plan.toml")
    assert "combine" not in (folder / "plan.toml").read_text()
    with pytest.raises(PlanError, match="combine"):
        plan(folder, column={"combine": "last"})


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_engines(folder: Path, engine: str) -> None:
    frame = pd.DataFrame({"job": COLUMN})
    frame.to_parquet(folder / "data.parquet")
    options = ("-o", str(folder / "out.parquet"), "--keep-rest", "--k", "8", "--engine", engine)
    ontologies = ("--quasi", f"job={folder / 'jobs.csv'}", "--quasi", f"job={folder / 'sports.csv'}")
    done = call("mask", str(folder / "data.parquet"), *ontologies, *options)
    assert done.returncode == 0, done.stderr
    assert pd.read_parquet(folder / "out.parquet")["job"].value_counts().min() >= 8
