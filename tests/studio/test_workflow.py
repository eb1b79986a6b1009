"""The workflow from a table to a release; the command line writes the same bytes."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, codes, fields, shown
from commands import call

from allonym.pipeline.demo import survey as survey_text
from allonym.plan import Plan

COLUMNS = ("reason", "activity", "hobby")


def column(browser: Browser, name: str) -> Any:
    return browser.version.plan.columns[name]


def accept_all(browser: Browser) -> None:
    for name in COLUMNS:
        browser.fill(f"/words?column={name}&status=review", "/words", do="accept-all")


def by_command_line(folder: Path, table: Path, plan: Path) -> bytes:
    output = folder / "again.csv"
    words = ["mask", str(table), "--plan", str(plan), "-o", str(output)]
    call(*words).check_returncode()
    return output.read_bytes()


def unzipped(content: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)


def test_empty_pages_say_how_to_go_on(browser: Browser) -> None:
    assert "Drop a table here" in browser.get("/data")
    for page in ("/columns", "/words", "/method", "/result", "/hierarchies"):
        assert "No table is open" in browser.get(page)
    assert "no-table" in codes(browser.get("/plan.toml", 422))


def test_the_survey_is_seen_with_its_risk_and_likely_roles(survey: Browser) -> None:
    page = shown(survey.get("/data"))
    assert "975 rows, 7 columns" in page
    assert "V0399" in page
    assert "975 combinations of values that only one row has" in page
    assert survey.version.label == "Opened survey.csv"
    columns = survey.get("/columns")
    form = fields(columns, "/columns")
    assert form["role-0"] == "identifier"
    assert form["role-6"] == "sensitive"
    assert (form["what-4"], form["root-4"]) == ("ontology:m49", "")
    assert re.search(r"\d to review, 0 unmatched", shown(columns))
    assert "975 of 975 records are unique in up to 4 of 5 quasi-identifiers." in shown(columns)
    assert "hobby + age" in shown(columns)


def test_from_survey_to_release_with_the_same_bytes_by_the_command_line(survey: Browser, tmp_path: Path) -> None:
    survey.fill("/columns", "/columns", **{"role-4": "keep", "role-5": "keep", "then": "/words"})
    assert survey.version.label == "Columns: origin, age"
    accept_all(survey)
    choices = survey.get("/words", column="activity", status="all")
    sense = re.search(r'name="value-(\d+)" value="fishing"', choices)
    assert sense is not None
    survey.fill("/words?column=activity&status=all", "/words", do="apply", **{f"other-{sense[1]}": "angling"})
    assert survey.version.label == "activity: fishing = angling"
    survey.fill("/method", "/method", k="4", seed="7", do="run")
    page = shown(survey.get("/result"))
    assert "sa-mdav, k = 4" in page
    assert "k = 4 records in the smallest group; 4 required" in page
    assert "the plan has changed since" not in page
    folder = tmp_path / "taken"
    folder.mkdir()
    unzipped(survey.client.get("/download", params={"run": 1, "what": "everything"}).content, folder)
    (folder / "survey.csv").write_text(survey_text())
    masked = (folder / "survey-masked.csv").read_bytes()
    assert masked.count(b"\n") == 976
    assert b"V0399" not in masked
    assert by_command_line(tmp_path, folder / "survey.csv", folder / "plan.toml") == masked
    with (folder / "activity.links.csv").open() as links:
        rows = {row["value"]: row for row in csv.DictReader(links)}
    assert [rows["fishing"][x] for x in ("concept", "status", "by")] == ["angling.n.01", "sure", "hand"]
    one = survey.client.get("/download", params={"run": 1, "what": "survey-masked.csv"})
    assert one.content == masked
    assert one.headers["content-disposition"].startswith('attachment; filename="survey-masked.csv"')
    # the plan and its links, taken by themselves, do as well
    other = tmp_path / "other"
    other.mkdir()
    unzipped(survey.client.get("/plan.zip").content, other)
    assert by_command_line(tmp_path, folder / "survey.csv", other / "plan.toml") == masked


def test_noise_with_a_seed_gives_the_same_bytes_again(survey: Browser, tmp_path: Path) -> None:
    kept = {f"role-{i}": "keep" for i in (1, 2, 3)}
    survey.fill("/columns", "/columns", **kept)
    assert "Nothing to review" in survey.get("/words", column="origin", status="review")
    survey.fill(
        "/method", "/method", method="noise", seed="7", do="run", **{"noise.alpha": "0,5", "noise.allow_same": "yes"}
    )
    assert survey.version.plan.seed == 7
    assert survey.version.plan.method.alpha == 0.5
    assert "noise, alpha = 0.5" in survey.get("/result")
    unzipped(survey.client.get("/download", params={"run": 1, "what": "everything"}).content, tmp_path)
    (tmp_path / "survey.csv").write_text(survey_text())
    again = by_command_line(tmp_path, tmp_path / "survey.csv", tmp_path / "plan.toml")
    assert again == (tmp_path / "survey-masked.csv").read_bytes()


def test_steps_go_back_and_forth_with_their_links(survey: Browser) -> None:
    first = survey.version.number
    survey.fill("/words?column=hobby&status=review", "/words", one="0")
    assert column(survey, "hobby").links == ("hobby.links.csv",)
    second = survey.version.number
    assert "Set by you <span>1" in survey.get("/words", column="hobby")
    survey.post("/go", number=first, **{"from": "/words"})
    assert column(survey, "hobby").links == ()
    assert "Set by you <span>0" in survey.get("/words", column="hobby")
    survey.post("/go", number=second)
    assert column(survey, "hobby").links == ("hobby.links.csv",)
    survey.post("/go", number=first)
    survey.fill("/method", "/method", k="7")
    assert [x.label for x in survey.workspace.require_table().history.versions] == [
        "Opened survey.csv",
        "Method sa-mdav, k = 7",
    ]
    survey.post("/go", number=second)  # gone: nothing happens
    assert survey.version.plan.k == 7


def test_what_does_not_change_the_plan_is_no_step(survey: Browser) -> None:
    before = survey.version.number
    survey.fill("/columns", "/columns")
    survey.fill("/method", "/method")
    assert survey.version.number == before


def test_a_plan_changed_in_another_tab_is_not_overwritten(survey: Browser) -> None:
    old = survey.version.number
    survey.fill("/method", "/method", k="7")
    for path, form in (
        ("/method", {"method": "fusion", "k": "3"}),
        ("/words", {"column": "hobby", "one": "0", "value-0": "music", "status": "all"}),
        ("/about", {"title": "no"}),
        ("/run", {}),
    ):
        page = survey.post(path, 409, base=str(old), **form)
        assert "stale-version" in codes(page)
    assert survey.version.plan.k == 7
    assert not survey.workspace.require_table().results


def test_reload_shows_the_same(survey: Browser) -> None:
    survey.fill("/method", "/method", k="9")
    assert survey.get("/method") == survey.get("/method")
    assert fields(survey.get("/method"), "/method")["k"] == "9"


def test_a_root_understands_anew_and_keeps_what_a_person_settled(survey: Browser) -> None:
    survey.fill("/words?column=hobby&status=all", "/words", do="apply", **{"other-0": "jazz.n.02"})
    value = fields(survey.client.get("/words?column=hobby&status=hand").text, "/words")["value-0"]
    survey.fill("/words?column=hobby", "/understanding", root="act.n.02")
    assert column(survey, "hobby").ontology == ("wordnet:act.n.02",)
    text = (survey.version.folder / "hobby.links.csv").read_text()
    assert text.splitlines() == ["value,concept,relation,status,by", f"{value},jazz.n.02,same,sure,hand"]
    assert shown(survey.get("/words", column="hobby", status="review"))  # a root is a preference
    wrong = survey.fill("/words?column=hobby", "/understanding", 422, root="no such thing")
    assert "unknown-concept" in codes(wrong)
    survey.fill("/words?column=hobby", "/understanding", unmatched="suppress", accept="all")
    assert column(survey, "hobby").unmatched == "suppress"
    assert column(survey, "hobby").accept == "all"
    wrong = survey.fill("/words?column=hobby", "/understanding", 422, rest="category")
    assert "rest-and-unmatched" in codes(wrong)
    survey.fill("/words?column=hobby", "/understanding", unmatched="error", accept="sure", rest="category")
    assert column(survey, "hobby").rest == "category"
    assert "hobby :" not in shown(survey.get("/method"))  # whose values need not be resolved
    page = survey.get("/column", column="hobby")
    assert 'name="accept"' in page
    assert 'name="accept_review"' not in page


def test_many_words_at_once(survey: Browser) -> None:
    path = "/words?column=hobby&status=review"
    survey.fill(path, "/words", do="set", bulk="music", pick=["0", "2"])
    assert survey.version.label == "hobby: 2 matches set"
    survey.fill(path, "/words", do="nothing", pick=["0"])
    assert "has no match" in survey.version.label
    assert "no-change" in codes(survey.fill(path, "/words", 422, do="accept"))
    assert "no-concept" in codes(survey.fill(path, "/words", 422, do="set", bulk="", pick="0"))
    survey.fill(path, "/words", do="accept", pick=["0", "1"])
    survey.fill(f"{path}&find=ing", "/words", do="accept-all")
    assert "ing" not in " ".join(
        re.findall(r'name="value-\d+" value="([^"]+)"', survey.get("/words", column="hobby", status="review"))
    )
    unknown = survey.fill(path, "/words", 422, do="apply", **{"other-0": "xyzzyx"})
    assert "links" in codes(unknown)
    assert 'value="xyzzyx"' in unknown  # what was typed stays
    assert 'aria-invalid="true"' in unknown


def test_words_are_paged_and_found(survey: Browser) -> None:
    page = survey.get("/words", column="hobby", status="all", page=2)
    assert len(re.findall(r'name="value-\d+"', page)) == 25
    assert "of 9" in page
    assert "No value contains “qqq”" in survey.get("/words", column="hobby", status="all", find="qqq")
    told = survey.client.get("/concepts", params={"column": "hobby", "text": "jaz"}).json()
    assert {x["id"] for x in told} & {"jazz.n.01", "jazz.n.02"}
    assert survey.client.get("/concepts", params={"column": "nothing", "text": "jazz"}).json() == []


def test_promises_about_and_trade_off(survey: Browser) -> None:
    accept_all(survey)
    survey.post("/promise", model="l-diversity", promised="spent", figure="3")
    assert "distinct l-diversity for <b>spent</b>: 3" in survey.get("/method")
    assert "out-of-range-l" in codes(survey.post("/promise", 422, model="l-diversity", promised="spent", figure="2.5"))
    survey.post("/promise", model="l-diversity", promised="spent", do="remove")
    assert survey.version.plan.privacy == ()
    survey.post("/about", title="A park", purpose="open data")
    assert survey.version.plan.about == {"title": "A park", "purpose": "open data"}
    assert "no-method" in codes(survey.post("/estimate", 422, ks="2"))
    assert "no-k" in codes(survey.post("/estimate", 422, ks="", **{"try": "fusion"}))
    survey.post("/estimate", ks="5, 3", **{"try": ["fusion", "exponential"]})
    page = shown(survey.get("/method"))
    assert "Skipped: exponential" in page
    assert len(survey.workspace.require_table().estimate.runs) == 2
    assert survey.client.get("/chart", params={"what": "estimate"}).text.startswith("<svg")
    survey.fill("/method", "/method", method="fusion", k="3", do="run")
    drawn = survey.client.get("/chart", params={"what": "map"}).text
    assert drawn.count(">release 1<") == 1  # k = 3 was estimated too: it is one point
    assert "release" not in survey.client.get("/chart", params={"what": "estimate"}).text
    points = next(x for x in re.split("(?=<g )", drawn) if "mark-symbol role-mark layer_1_marks" in x)
    assert points.count("<path") == 2
    assert "3 required" in survey.get("/result")


def test_changes_are_counted_and_all_replacements_downloaded_by_name(survey: Browser, tmp_path: Path) -> None:
    accept_all(survey)
    survey.fill("/method", "/method", k="3", do="run")
    page = shown(survey.get("/result", column="age"))
    assert "Changed cells" in page
    assert "rest on links to concepts that nobody reviewed" in page
    changes = survey.workspace.require_table().results[0].summary["changes"]
    assert f"all columns {changes['cells']:,} {changes['changed']:,}" in page
    answer = survey.client.get("/download", params={"run": 1, "what": "replacements.csv"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == changes["replacements"]
    assert sum(int(x["cells"]) for x in rows) == changes["changed"]
    unzipped(survey.client.get("/download", params={"run": 1, "what": "everything"}).content, tmp_path)
    assert "replacements.csv" not in {x.name for x in tmp_path.iterdir()}


def test_results_are_kept_side_by_side(survey: Browser) -> None:
    accept_all(survey)
    for k in ("3", "6"):
        survey.fill("/method", "/method", k=k, do="run")
    page = shown(survey.get("/result"))
    assert "Release 2" in page
    assert "0 of 975 records are unique in up to 4 of 5 quasi-identifiers. Before masking: 975 of 975 records" in page
    assert "Release 1 the plan has changed since" in shown(survey.get("/result", run=1))
    survey.post("/again", run="1")
    assert survey.version.plan.method.k == 3
    assert survey.version.label == "Plan of release 1"
    assert "the plan has changed since" not in survey.get("/result", run=1)
    survey.post("/again", 422, run="9")
    for what in ("map", "losses", "sizes", "risks"):
        answer = survey.client.get("/chart", params={"what": what, "run": 1})
        assert answer.headers["content-type"] == "image/svg+xml"
        assert "sandbox" in answer.headers["content-security-policy"]
    assert survey.client.get("/chart", params={"what": "none"}).status_code == 404
    assert "<del>" in survey.get("/result", run=1, page=3)
    assert "distinct replacements" in survey.get("/result", run=1, column="age", turn=2)
    report = survey.client.get("/download", params={"run": 1, "what": "report.html", "look": "yes"})
    assert report.headers["content-disposition"].startswith("inline")
    assert "sandbox" in report.headers["content-security-policy"]
    assert "internal: contains values" in report.text
    for what in ("report-public.html", "codebook.json", "summary.json", "plan.toml", "links"):
        assert survey.client.get("/download", params={"run": 2, "what": what}).status_code == 200
    for what in ("../plan.toml", "data", "/etc/passwd", ""):
        assert survey.client.get("/download", params={"run": 2, "what": what}).status_code == 404
    assert survey.client.get("/download", params={"run": 9, "what": "plan.toml"}).status_code == 422


def test_a_plan_is_loaded_with_its_links_or_refused(survey: Browser, tmp_path: Path) -> None:
    accept_all(survey)
    survey.fill("/method", "/method", k="8")
    packed = survey.client.get("/plan.zip").content
    alone = survey.client.get("/plan.toml").content
    survey.post("/survey")
    assert survey.version.plan.method.k == 5
    page = survey.post("/plan", 422, files=[("plan", ("plan.toml", alone))])
    assert "missing-plan-files" in codes(page)
    assert "hobby.links.csv" in page
    survey.post("/plan", files=[("plan", ("survey-plan.zip", packed))])
    assert survey.version.plan.method.k == 8
    assert survey.version.label == "Loaded a plan"
    assert "Nothing to review" in survey.get("/words", column="hobby", status="review")
    assert "no-toml" in codes(survey.post("/plan", 422, files=[("plan", ("plan.toml", b"= ="))]))
    assert "unreadable-archive" in codes(survey.post("/plan", 422, files=[("plan", ("plan.zip", b"PK"))]))
    assert "no-plan-chosen" in codes(survey.post("/plan", 422, files=[("plan", ("a.csv", b"x"))]))
    assert "unknown-method" in codes(
        survey.post("/plan", 422, files=[("plan", ("p.toml", alone.replace(b"sa-mdav", b"sa")))])
    )
    assert survey.version.plan.method.k == 8


def test_a_table_comes_with_its_plan(browser: Browser, tmp_path: Path) -> None:
    plan = b'format = 1\nkeep_rest = true\n[method]\nname = "fusion"\nk = 3\n'
    plan += b'[columns.job]\nrole = "quasi"\nlinks = "in/job.csv"\n'
    given = [("file", ("people.csv", b"job;age\nnurse;3\ncook;4\n")),
             ("file", ("plan.toml", plan.replace(b"job.csv", b"jobs.csv"))),
             ("file", ("job.csv", b"value,concept\nnurse,nurse.n.01\n"))]  # fmt: skip
    assert "missing-plan-files" in codes(browser.post("/open", files=given))
    given[1] = ("file", ("plan.toml", plan))
    browser.post("/open", files=given)
    assert browser.version.plan.method.name == "fusion"
    assert browser.version.plan.columns["job"].links == ("job.csv",)


def test_a_plan_of_the_command_line_is_opened_in_place(tmp_path: Path) -> None:
    from allonym.pipeline.demo import demonstrate

    demonstrate(tmp_path / "demo")
    (tmp_path / "private").mkdir()
    browser = Browser(tmp_path / "private").enter()
    browser.workspace.open(
        tmp_path / "demo" / "survey.csv",
        "survey.csv",
        browser.workspace.new_table_folder(),
        tmp_path / "demo" / "plan.toml",
    )
    browser.settle()
    browser.fill("/method", "/method", do="run")
    masked = browser.client.get("/download", params={"run": 1, "what": "survey-masked.csv"}).content
    assert masked == (tmp_path / "demo" / "masked.csv").read_bytes()
    assert Plan.load(browser.version.folder / "plan.toml").about["title"].startswith("Visitors")


@pytest.mark.parametrize(
    ("name", "shown_as"), [("../../x.csv", "x.csv"), ("C:\\a\\b.csv", "b.csv"), ("<b>.csv", "<b>.csv")]
)
def test_names_of_files_are_never_paths(name: str, shown_as: str, browser: Browser) -> None:
    browser.post("/open", files=[("file", (name, b"job,age\nnurse,3\ncook,4\n"))])
    table = browser.workspace.require_table()
    assert table.name == shown_as
    assert table.data.path.name == "data"
    assert browser.workspace.folder in table.data.path.parents
    assert "<b>.csv" not in browser.client.get("/data").text.replace("&lt;b&gt;", "")


def test_suggestions_are_taken_one_by_one_or_many_at_once(browser: Browser) -> None:
    rows = b"job,age\n" + b"nurse,3\ncook,4\ngnurse,5\nkarpenter,6\npbaker,7\nxqzv,8\n" * 2
    browser.post("/open", files={"file": ("people.csv", rows)})
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "wordnet", "root-0": "person"})
    path = "/words?column=job&status=unmatched"
    assert "Match gnurse with nurse" in browser.get("/words", column="job", status="unmatched")
    values = fields(browser.client.get(path).text, "/words")
    place = next(x.removeprefix("value-") for x, y in values.items() if y == "gnurse")
    browser.fill(path, "/words", suggest=f"{place} nurse")
    assert browser.version.label == "job: gnurse = nurse"
    browser.fill(path, "/words", do="suggest", pick=["0", "1", "2"])
    assert browser.version.label == "job: 2 matches set"
    left = fields(browser.client.get(path).text, "/words")
    assert [y for x, y in left.items() if x.startswith("value-")] == ["xqzv"]
