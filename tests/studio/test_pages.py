"""Pages one by one: columns, files, hierarchies, jobs, and problems beside their fields."""

from __future__ import annotations

import ast
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, codes, fields, shown

import allonym.studio
from allonym.errors import OptionError
from allonym.report.charts import bars, before_and_after
from allonym.studio import jobs, needed
from allonym.studio.history import History, safe_name
from allonym.studio.jobs import Job, JobKind

DATA = Path(__file__).parents[1] / "data"
FORBIDDEN = ("methods", "privacy", "measures", "kinds", "records", "tables", "ontology", "release", "cli")
JOBS = b"job,pay,size\n" + b"nurse,10,low\ncook,20,high\nbaker,30,low\ncarpenter,40,high\n" * 5


def test_the_studio_asks_plan_and_report_and_nothing_deeper() -> None:
    for path in Path(allonym.studio.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [x.name for x in node.names] if isinstance(node, ast.Import) else []
            names += [f"{node.module}.{x.name}" for x in node.names] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert not name.startswith(tuple(f"allonym.{x}" for x in FORBIDDEN)), f"{path.name} imports {name}"
                assert name not in [f"allonym.{x}" for x in FORBIDDEN]


def test_a_missing_extra_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allonym.studio.find_spec", lambda name: None if name == "starlette" else True)
    with pytest.raises(OptionError, match=r"pip install .allonym\[studio\]"):
        needed()


def test_nothing_is_asked_of_the_network() -> None:
    static = Path(allonym.studio.__file__).parent
    for path in [*static.rglob("*.html"), *static.rglob("*.css"), *static.rglob("*.js")]:
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "@import" not in text
        assert "eval(" not in text


def test_a_file_that_was_named_at_the_start_and_is_none_says_why(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    browser.workspace.open(tmp_path / "empty.csv", "empty.csv", browser.workspace.new_table_folder())
    browser.settle()
    assert "empty.csv is empty" in browser.get("/data")


# --- columns -----------------------------------------------------------------------------------------------------


def test_details_of_a_column(browser: Browser) -> None:
    browser.post("/open", files={"file": ("people.csv", JOBS)})
    page = "/column?column=size"
    wrong = browser.fill(page, "/column", 422, what="ordinal", role="quasi")
    assert "no-levels" in codes(wrong)
    browser.fill(page, "/column", what="ordinal", role="quasi", levels="low\nhigh", weight="2,5")
    column = browser.version.plan.columns["size"]
    assert (column.kind, column.levels, column.weight) == ("ordinal", ("low", "high"), 2.5)
    assert fields(browser.client.get(page).text, "/column")["levels"] == "low\nhigh"
    assert "wrong-type-weight" in codes(browser.fill(page, "/column", 422, weight="much"))
    browser.fill("/column?column=job", "/column", similarity="lin", language="en", unmatched="suppress", root="person")
    column = browser.version.plan.columns["job"]
    assert (column.similarity, column.unmatched, column.ontology) == ("lin", "suppress", ("wordnet:person",))
    browser.fill("/columns", "/columns", **{"what-0": "category"})  # what no longer makes sense goes
    assert browser.version.plan.columns["job"].similarity is None
    browser.fill("/column?column=job", "/column", what="set", separator="|", distance="avg")
    assert browser.version.plan.columns["job"].separator == "|"
    browser.get("/column", 422, column="nothing")
    assert "no-column" in codes(browser.post("/column", 422, column="nothing", role="keep"))
    assert "unknown-role" in codes(browser.fill("/columns", "/columns", 422, **{"role-0": "king"}))


def test_files_of_levels_and_candidates_stay_when_other_things_change(browser: Browser) -> None:
    plan = b'format = 1\n[columns.pay]\nrole = "keep"\n[columns.job]\nrole = "quasi"\ncandidates = "c.txt"\n'
    plan += b'links = "job.csv"\n[columns.size]\nrole = "quasi"\nkind = "ordinal"\nlevels = "levels.txt"\n'
    others = {"c.txt": b"nurse\n", "levels.txt": b"low\nhigh\n", "job.csv": b"value,concept\nnurse,nurse.n.01\n"}
    given = [("file", ("people.csv", JOBS)), ("file", ("plan.toml", plan))]
    browser.post("/open", files=[*given, *(("file", x) for x in others.items())])
    browser.fill("/columns", "/columns", **{"role-1": "sensitive"})
    browser.fill("/column?column=job", "/column", weight="2")
    browser.fill("/column?column=size", "/column", weight="3")
    job, size = (browser.version.plan.columns[x] for x in ("job", "size"))
    assert (job.candidates, job.links, job.weight) == ("c.txt", ("job.csv",), 2)
    assert (size.levels, size.weight) == ("levels.txt", 3)


def test_the_next_table_is_checked_too(survey: Browser) -> None:
    survey.post("/survey")
    assert "975 combinations" in shown(survey.get("/data"))
    survey.post("/open", files={"file": ("people.csv", JOBS)})
    assert "4 distinct" not in survey.get("/data")
    assert "0 combinations of values that only one row has" in shown(survey.get("/data"))


def test_a_table_without_quasi_identifiers_needs_one_first(browser: Browser) -> None:
    browser.post("/open", files={"file": ("ids.csv", b"id,name\n" + b"".join(b"%d,n%d\n" % (i, i) for i in range(30)))})
    assert browser.version.plan is None
    assert "No column looks like a quasi-identifier" in browser.get("/data")
    assert "Choose the quasi-identifiers first" in browser.get("/method")
    assert "no-quasi" in codes(browser.fill("/columns", "/columns", 422))
    browser.fill("/columns", "/columns", **{"role-1": "quasi", "what-1": "category"})
    assert browser.version.plan.columns["name"].kind == "category"


def test_a_file_is_read_in_another_way_and_back(browser: Browser) -> None:
    browser.post("/open", files={"file": ("people.csv", "job;ort\nKöchin;Bonn\nBäcker;Köln\n".encode("cp1252"))})
    assert "Köchin" in browser.get("/data")
    first = browser.version.number
    browser.fill("/data", "/reading", header="no", encoding="latin-1")
    assert browser.workspace.require_table().data.names == ("1", "2")
    assert browser.version.reading.encoding == "latin-1"
    browser.post("/go", number=first)
    assert browser.workspace.require_table().data.names == ("job", "ort")
    assert "is not valid utf-8" in browser.fill("/data", "/reading", encoding="utf-8")
    assert browser.version.number == first


def test_an_ontology_from_a_file(browser: Browser) -> None:
    browser.post("/open", files={"file": ("pets.csv", b"pet,age\n" + b"parrot,1\ncat,2\nbird,3\nbat,9\n" * 5)})
    page = "/column?column=pet"
    browser.fill(page, "/column", role="quasi", what="wordnet")
    with (DATA / "mini-animals.obo").open("rb") as file:
        browser.post("/ontology", column="pet", use="ontology", files={"file": ("../my animals.obo", file)})
    assert browser.version.plan.columns["pet"].ontology == ("my_animals.obo",)
    assert "my_animals.obo" in browser.get("/plan.toml")
    assert "matched" in shown(browser.get("/words", column="pet"))
    assert "no-file" in codes(browser.post("/ontology", 422, column="pet", use="ontology"))
    refused = browser.post("/ontology", 422, column="pet", use="ontology", files={"file": ("a.obo", b"nothing at all")})
    assert "/file" not in shown(refused)
    assert "has no column" in browser.post(
        "/ontology", 422, column="pet", use="links", files={"file": ("l.csv", b"a,b\n")}
    )
    links = {"file": ("l.csv", b"value,concept\nbat,bird\n")}
    browser.post("/ontology", column="pet", use="links", files=links)
    assert browser.version.plan.columns["pet"].links == ("l.csv",)


def test_words_of_blended_ontologies_are_settled_in_a_file_each(browser: Browser) -> None:
    plan = b'format = 1\nkeep_rest = true\n[columns.job]\nrole = "quasi"\nontology = ["wordnet:person", "wordnet"]\n'
    plan += b'combine = "blend"\n'
    given = [("file", ("people.csv", JOBS)), ("file", ("plan.toml", plan))]
    browser.post("/open", files=given)
    browser.fill("/words?column=job&status=all&ontology=1", "/words", do="apply", **{"other-0": "cook"})
    assert browser.version.plan.columns["job"].links == ("job-1.links.csv", "job-2.links.csv")
    assert "cook.n.01" in (browser.version.folder / "job-2.links.csv").read_text()
    assert "several ontologies" in browser.get("/columns")


def test_no_file_is_opened_that_was_not_given(survey: Browser, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("value,concept\nmusic,music.n.01\n")
    before = survey.version.number
    assert "unknown-kind" in codes(survey.fill("/columns", "/columns", 422, **{"what-1": f"file:{secret}"}))
    assert "unknown-kind" in codes(survey.fill("/column?column=hobby", "/column", 422, what=f"file:{secret}"))
    for option in ("hierarchy", "abbreviations"):
        refused = survey.fill("/column?column=hobby", "/column", 422, **{option: str(secret)})
        assert f"unknown-{option}" in codes(refused)
    assert "unknown-ontology" in codes(
        survey.fill("/words?column=hobby", "/understanding", 422, what="file:../../data")
    )
    assert "unknown-ontology" in codes(survey.get("/hierarchies", ontology=str(secret)))
    for path in (str(secret), "../../data", "../../../../../etc/hostname"):
        plan = f'format = 1\nkeep_rest = true\n[columns.hobby]\nrole = "quasi"\nlinks = "{path}"\n'.encode()
        assert "missing-plan-files" in codes(survey.post("/plan", 422, files=[("plan", ("plan.toml", plan))]))
        given = [("file", ("people.csv", b"hobby,age\nmusic,1\njazz,2\n")), ("file", ("plan.toml", plan))]
        assert "missing-plan-files" in codes(survey.post("/open", files=given))
    assert survey.version.number == before


def test_a_column_shows_why_it_was_proposed(browser: Browser) -> None:
    rows = b"risk\n" + b"low\nhigh\nmedium\n" * 9
    browser.post("/open", files={"file": ("risks.csv", rows)})
    page = browser.client.get("/column?column=risk").text
    assert "3 distinct values in 27 cells." in page
    assert fields(page, "/column")["levels"] == "low\nmedium\nhigh"


def test_files_are_listed_once_however_many_columns_there_are(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ",".join(f"c{i}" for i in range(40)).encode()
    browser.post("/open", files={"file": ("wide.csv", names + b"\n" + b",".join([b"nurse"] * 40) + b"\n")})
    asked: list[Any] = []
    monkeypatch.setattr("allonym.studio.open_table.OpenTable.ontology_files", lambda table: asked.append(table) or [])
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "category"})
    assert len(asked) <= 3  # the page, what was sent, the page again


def test_an_unknown_root_is_refused_at_its_column(survey: Browser) -> None:
    before = survey.version.number
    page = survey.fill("/columns", "/columns", 422, **{"root-4": "qqqq", "what-4": "wordnet"})
    assert re.search(r'id="problem-4">.*qqqq', page)
    assert "qqqq" in survey.fill("/column?column=origin", "/column", 422, root="qqqq")
    assert survey.version.number == before


def test_the_separator_of_sets_is_the_one_that_parts_most_cells(browser: Browser) -> None:
    rows = b'basket;age\n"bread,milk";1\n"milk";2\n"tea,bread,milk";3\n"tea,milk";4\n'
    browser.post("/open", files={"file": ("baskets.csv", rows)})
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "set"})
    assert browser.version.plan.columns["basket"].separator == ","
    browser.fill("/column?column=basket", "/column", separator="|")
    browser.fill("/columns", "/columns", **{"role-1": "keep"})
    assert browser.version.plan.columns["basket"].separator == "|"


def test_long_cells_and_columns_without_names(browser: Browser) -> None:
    browser.post("/open", files={"file": ("long.csv", b"job,\n" + b"x" * 500 + b",1\n" + b"x" * 500 + b",2\n")})
    page = browser.get("/columns")
    assert "x" * 59 + "…" in page
    assert "x" * 61 not in page
    assert "(no name)" in page


def test_text_from_right_to_left_stays_in_its_cell(browser: Browser) -> None:
    word = "خباز"
    browser.post("/open", files={"file": ("rtl.csv", f"مهنة,age\n{word},1\n{word},2\n".encode())})
    for page in ("/data", "/columns", "/words"):
        browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "wordnet"}) if page == "/words" else None
        assert f"<bdi>{word}</bdi>" in browser.get(page)


def test_pages_of_rows_stay_where_they_are(survey: Browser) -> None:
    assert 'href="/data?page=2#rows"' in survey.get("/data")


# --- hierarchies -------------------------------------------------------------------------------------------------


def test_hierarchies_are_scored_settled_built_and_edited(survey: Browser) -> None:
    page = shown(survey.get("/hierarchies"))
    assert "activity.vgh.csv" in page
    assert "Assign concepts to" in page
    one = survey.client.get("/hierarchy?name=reason.vgh.csv").text
    form = fields(one, "/hierarchy")
    lost = [form[x] for x in form if x.startswith("value-")]
    assert '<option value="company.n.01">company – an institution created to conduct business</option>' in one
    meant = {f"means-{i}": "entity" for i in range(len(lost))}
    assert "no-concept" in codes(survey.post("/hierarchy", 422, **form))
    assert "xyzzyx" in survey.post("/hierarchy", 422, **(form | {"means-0": "xyzzyx"}))
    survey.post("/hierarchy", **(form | meant))
    assert "; loss 0." in survey.get("/hierarchy", name="reason.vgh.csv")
    survey.post("/build", column="reason", levels="2", values="5, 1")
    assert "reason-2.vgh.csv" in survey.get("/hierarchies")
    text = (survey.version.folder / "reason-2.vgh.csv").read_text()
    top = text.splitlines()[0].rpartition(";")[2]
    middle = text.splitlines()[0].split(";")[1]
    leaf = text.splitlines()[0].split(";")[0]
    edit: dict[str, Any] = {"name": "reason-2.vgh.csv", "level": "0", "value": leaf}
    survey.post("/hierarchy", do="group", new="mine", **edit)
    assert f"{leaf};mine;{top}" in (survey.version.folder / "reason-2.vgh.csv").read_text()
    survey.post("/hierarchy", do="move", above=middle, **edit)
    assert f"{leaf};{middle};{top}" in (survey.version.folder / "reason-2.vgh.csv").read_text()
    assert "A leaf is a value of the data" in survey.post("/hierarchy", 422, do="rename", new="x", **edit)
    edit |= {"level": "1", "value": middle}
    survey.post("/hierarchy", do="rename", new="all of these", **edit)
    assert "all of these" in survey.get("/hierarchy", name="reason-2.vgh.csv")
    survey.post("/hierarchy", do="remove", **(edit | {"value": "all of these"}))
    assert f"{leaf};{top};{top}" in (survey.version.folder / "reason-2.vgh.csv").read_text()
    assert "; loss 0." in survey.get("/hierarchy", name="reason-2.vgh.csv")
    over = edit | {"level": 2, "value": top}
    assert "Leaves and the top cannot be removed" in survey.post("/hierarchy", 422, do="remove", **over)
    survey.post("/hierarchies", do="use", name="reason-2.vgh.csv", column="reason")
    assert survey.version.plan.columns["reason"].ontology == ("reason-2.vgh.csv",)
    assert not [
        x for x in survey.version.plan.check(survey.workspace.require_table().data).problems if x.column == "reason"
    ]
    assert "in-use" in codes(survey.post("/hierarchies", 422, do="remove", name="reason-2.vgh.csv"))
    survey.post("/hierarchies", do="remove", name="activity.vgh.csv")
    assert "name=activity.vgh.csv" not in survey.get("/hierarchies")
    survey.post("/hierarchies", files={"file": ("trees.json", b'{"animal": {"bird": ["parrot"], "mammal": ["cat"]}}')})
    assert "trees.vgh.csv" in survey.get("/hierarchies")
    assert "unknown-hierarchy" in codes(survey.get("/hierarchy", 422, name="../plan.toml"))
    assert "no-file" in codes(survey.post("/hierarchies", 422))
    assert "decrease from level to level" in survey.post("/build", column="hobby", values="3, 5")


def test_a_hierarchy_that_was_built_is_scored_at_once(survey: Browser) -> None:
    page = survey.post("/build", column="hobby", levels="4", values="")
    assert '<option value="hobby" selected>' in page
    assert 'name="levels" min="1" max="12" value="4"' in page
    assert "; loss 0." in survey.get("/hierarchy", name="hobby.vgh.csv")
    leaf = (survey.version.folder / "hobby.vgh.csv").read_text().partition(";")[0]
    assert re.search(
        r'class="about"><b>[^<]+</b> <code>[^<]+\.n\.\d\d</code>: \w',
        survey.get("/hierarchy", name="hobby.vgh.csv", level="0", value=leaf),
    )
    before = survey.version.number
    assert "invalid-limits" in codes(survey.post("/build", 422, column="hobby", values="ten, 1"))
    assert survey.version.number == before


def test_what_words_of_a_hierarchy_mean_is_asked_until_it_is_right(survey: Browser) -> None:
    form = fields(survey.client.get("/hierarchy?name=reason.vgh.csv").text, "/hierarchy")
    page = survey.post("/hierarchy", 422, **(form | {"means-0": "entity", "means-1": "xyzzyx"}))
    assert "Assign concepts" in page
    again = fields(page, "/hierarchy")
    assert (again["means-0"], again["means-1"]) == ("entity", "xyzzyx")
    told = survey.client.get("/concepts", params={"column": "", "text": "jazz"}).json()
    assert "jazz.n.02" in {x["id"] for x in told}


def test_names_beside_bars_have_room_in_wide_fonts() -> None:
    for name in ("activity", "a sensitive column guessed right"):
        for drawn in (bars({name: 3.0}, "loss"), before_and_after([(name, 3, 2, 1)])):
            found = re.search(r"translate\((\d+)", drawn)
            assert found is not None
            assert int(found[1]) >= 7.5 * len(name)  # pixels; DejaVu Sans has about 7 a letter


# --- work --------------------------------------------------------------------------------------------------------


def test_work_is_cancelled_at_its_next_tick_and_leaves_nothing(
    survey: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def slow(number: int, folder: Path, data: Any, stem: str, tick: Any) -> None:
        tick(1, 4)
        began.set()
        assert go_on.wait(20)
        tick(2, 4)
        raise AssertionError("it went on")

    monkeypatch.setattr("allonym.studio.results.make_release", slow)
    survey.client.post("/run", data={"base": str(survey.version.number)})
    assert began.wait(20)
    told = survey.client.get("/job").json()
    assert told == {"what": "Masking", "state": "running", "share": 25, "then": "/result?run=1"}
    assert 'id="job-bar" max="100" value="25"' in survey.client.get("/columns").text  # on every page, in every tab
    refused = survey.client.post("/survey")
    assert refused.status_code == 422
    assert "busy" in codes(refused.text)
    timer = threading.Timer(0.1, go_on.set)
    timer.start()
    survey.post("/cancel", **{"from": "/method"})
    assert survey.client.get("/job").json()["state"] == "cancelled"
    assert not list(survey.workspace.folder.glob("table-*/result-*"))
    assert not survey.workspace.require_table().results
    for path in ("/method", "/method", "/columns"):  # also when another tab has asked before
        assert "Masking was cancelled. Nothing was changed." in survey.get(path)
    assert "was cancelled" not in survey.post("/look", **{"from": "/method"})  # until something is done again
    survey.post("/survey")


def test_a_mistake_of_ours_is_told_without_values(
    survey: Browser, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def broken(*_: Any) -> None:
        raise ValueError("secret cell")

    monkeypatch.setattr("allonym.studio.results.make_release", broken)
    page = survey.post("/run")
    assert "internal-error" in codes(page)
    assert "secret cell" not in page
    monkeypatch.setattr("allonym.studio.pages.data.ROWS_PER_PAGE", "x")
    page = survey.get("/data", 500)
    assert "internal-error" in codes(page)
    said = capsys.readouterr().err
    assert "secret cell" not in said
    assert "line" in said


def test_a_run_that_is_refused_says_why_where_it_was_asked_for(survey: Browser) -> None:
    raw = survey.fill("/method", "/method", do="run", k="2000")
    page = shown(raw)
    assert "k-too-large" in codes(raw)
    assert "Values to resolve before masking" in page
    assert re.search(r"hobby : \d+ to review", page)
    assert "wrong-type-k" in codes(survey.fill("/method", "/method", 422, k="five"))
    assert "wrong-type-alpha" in codes(
        survey.fill("/method", "/method", 422, method="noise", **{"noise.alpha": "much"})
    )
    assert "unknown-method" in codes(survey.fill("/method", "/method", 422, method="magic"))


def test_jobs_without_memory_say_so() -> None:
    def hungry(tick: jobs.Tick) -> None:
        raise MemoryError

    job = Job(JobKind.MASK, "Masking", hungry)
    assert job.wait(10)
    assert [x.code for x in job.problems] == ["no-memory"]


# --- steps -------------------------------------------------------------------------------------------------------


def test_files_of_a_step_never_change(tmp_path: Path) -> None:
    history = History(tmp_path)
    first = history.add("one", None, {"a.csv": b"1", "b.csv": b"2"})
    second = history.add("two", None, {"a.csv": b"3"})
    assert (first.folder / "a.csv").read_bytes() == b"1"
    assert (second.folder / "a.csv").read_bytes() == b"3"
    assert (second.folder / "b.csv").read_bytes() == b"2"
    history.go_to(first.number)
    assert history.following == second
    third = history.add("three", None)
    assert not second.folder.exists()
    assert [x.label for x in history.versions] == ["one", "three"]
    assert third.number == 3


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/", "\\", "a/../..", "plan.toml", "PLAN.TOML", "a" * 300, "\0", "con"]
)
def test_safe_names_are_names(name: str, tmp_path: Path) -> None:
    safe = safe_name(name)
    assert safe
    assert "/" not in safe
    assert safe not in (".", "..")
    assert safe.lower() != "plan.toml"
    (tmp_path / safe).write_text("")
    assert (tmp_path / safe).parent == tmp_path
