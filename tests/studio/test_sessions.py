"""Sessions: several tables in turn, outdated pages, jobs and temporary files."""

from __future__ import annotations

import gzip
import io
import re
import threading
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsing import Browser, codes, fields
from starlette.testclient import TestClient

from allonym.errors import OptionError
from allonym.plan import Plan
from allonym.studio import plan_upload, results, workspace
from allonym.studio.jobs import Job, JobKind
from allonym.studio.pages.data import unpacks_to_more
from allonym.studio.workspace import Workspace

PEOPLE = b"job,pay\n" + b"nurse,10\ncook,20\nbaker,30\ncarpenter,40\n" * 15


def opened(browser: Browser, content: bytes = PEOPLE, name: str = "people.csv") -> Browser:
    """Open a table."""
    browser.post("/open", files={"file": (name, content)})
    browser.get("/data")
    return browser


def test_a_page_of_one_table_does_not_change_the_plan_of_another(browser: Browser) -> None:
    old = opened(browser).version.number
    opened(browser, name="others.csv")
    plan = browser.version.toml
    browser.post("/method", 409, base=str(old), method="mdav", k="7")
    assert browser.version.toml == plan


def test_no_two_releases_have_one_number(browser: Browser) -> None:
    numbers = []
    for name in ("people.csv", "others.csv"):
        opened(browser, name=name)
        browser.post("/understanding", column="job", what="wordnet", root="", unmatched="opaque", accept_review="yes")
        browser.post("/method", method="sa-mdav", k="5", do="run")
        numbers.append(browser.workspace.require_table().results[-1].number)
    assert numbers[0] != numbers[1]
    browser.get("/download", 422, run=numbers[0], what="plan.toml")


def test_a_check_that_nobody_waits_for_any_more_changes_nothing(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(browser)
    check, gate, waits = Plan.check, threading.Event(), threading.Event()

    def held(plan: Plan, source: Any, tick: Any) -> Any:
        found = check(plan, source, tick)
        if plan.k == 7:
            waits.set()
            assert gate.wait(30)
        return found

    monkeypatch.setattr(Plan, "check", held)
    ws = browser.workspace
    ws.change_plan(browser.version.number, "k", replace(browser.version.plan, parameters={}, k=7))
    assert ws.check(0) is None
    late = ws.checking[1]
    assert waits.wait(30)
    ws.change_plan(browser.version.number, "k", replace(browser.version.plan, k=9))
    assert ws.check(30) is not None
    gate.set()
    assert late.wait(30)
    assert ws.check(0) is not None


def test_a_check_that_ended_while_another_plan_counted_is_made_again(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(browser)
    ws, check = browser.workspace, Plan.check
    step = ws.change_plan(browser.version.number, "k", replace(browser.version.plan, k=7))

    def meanwhile(plan: Plan, source: Any, tick: Any) -> Any:
        found = check(plan, source, tick)
        if browser.version is step and len(seen) == 0:
            seen.append(ws.change_plan(step.number, "k", replace(plan, k=9)))
        return found

    seen: list[Any] = []
    monkeypatch.setattr(Plan, "check", meanwhile)
    assert ws.check(30) is None
    ws.go_to_version(step.number)
    assert ws.check(30) is not None
    assert list(ws.require_table().checks) == [step.number]


def test_a_page_that_took_long_shows_the_step_it_began_with(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(browser)
    ws, was, check = browser.workspace, browser.version.number, Workspace.check

    def meanwhile(self: Workspace, *given: Any) -> Any:
        if browser.version.number == was:
            ws.change_plan(was, "k", replace(browser.version.plan, k=9))
        return check(self, *given)

    monkeypatch.setattr(Workspace, "check", meanwhile)
    form = fields(browser.client.get("/method").text, "/method")
    assert form["base"] == str(was)
    browser.post("/method", 409, **form)
    assert browser.version.plan.k == 9


def test_a_page_hears_of_the_work_it_waits_for(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(browser)
    browser.post("/open", 200, files={"file": ("nothing.csv", b"")})
    failed = browser.workspace.job
    assert failed is not None
    assert failed.problems
    browser.client.get("/problem")
    gate, check = threading.Event(), Plan.check

    def held(plan: Plan, source: Any, tick: Any) -> Any:
        assert gate.wait(30)
        return check(plan, source, tick)

    monkeypatch.setattr(Plan, "check", held)
    browser.workspace.change_plan(browser.version.number, "k", replace(browser.version.plan, k=9))
    page = browser.client.get("/words").text
    of = re.search(r'data-job="(\d+)"', page)
    assert of is not None
    assert browser.client.get(f"/job?of={of[1]}").json()["state"] == "running"
    gate.set()
    browser.settle()
    assert browser.client.get(f"/job?of={of[1]}").json()["state"] == "ended"
    assert browser.client.get("/job").json()["state"] == "none"
    assert browser.client.get(f"/job?of={failed.number}").json()["state"] == "failed"


def test_understanding_can_be_given_up_and_begun_again(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(browser)
    gate, check = threading.Event(), Plan.check

    def held(plan: Plan, source: Any, tick: Any) -> Any:
        assert gate.wait(30)
        tick(1, 2)
        return check(plan, source, tick)

    monkeypatch.setattr(Plan, "check", held)
    browser.workspace.change_plan(browser.version.number, "k", replace(browser.version.plan, k=9))
    page = browser.client.get("/words?column=job").text
    form = fields(page, "/cancel")
    assert form["from"] == "/words?column=job"
    threading.Timer(0.05, gate.set).start()
    page = browser.client.post("/cancel", data=form).text
    assert "Values have not been matched" in page
    assert 'data-running="yes"' not in page
    for path in ("/data", "/columns", "/method", "/hierarchies"):
        assert 'id="check-cancelled"' in browser.get(path), path
    page = browser.fill("/words?column=job", "/look")
    assert "nurse" in page
    assert 'id="check-cancelled"' not in page


def test_undo_stays_at_the_page_with_all_it_asked(survey: Browser) -> None:
    survey.client.follow_redirects = False
    for page in ("/words?column=hobby&status=all&find=j&page=2", "/column?column=a%26b", "/data?page=3"):
        number = str(survey.version.number)
        gone = survey.client.post("/go", data={"number": number, "from": page}).headers["location"]
        assert gone == (page if "a%26b" not in page else "/columns")
        if gone == page:
            assert fields(survey.client.get(page).text, "/go")["from"] == page
    for page in (
        "//evil.example/data",
        "https://evil.example/data",
        "/data/../x",
        "\\\\evil",
        "/job",
        "/download?run=1",
    ):
        assert survey.client.post("/go", data={"number": "1", "from": page}).headers["location"] == "/data"
    asked = survey.client.post("/go", data={"number": "1", "from": "/words?token=x&column=hobby\r\nx: y"})
    assert asked.headers["location"] == "/words?column=hobby%0D%0Ax%3A+y"


def test_a_page_of_a_form_that_was_refused_has_an_address(survey: Browser) -> None:
    form = {"base": str(survey.version.number), "column": "hobby", "status": "review", "page": "1", "do": "set"}
    page = survey.client.post("/words", data=form).text
    assert fields(page, "/go")["from"] == "/words?column=hobby&status=review&page=1"


def test_progress_does_not_go_back() -> None:
    seen = []

    def work(tick: Any) -> None:
        for done, total in ((1, 2), (1, 10), (0, 0), (9, 10)):
            tick(done, total)
            seen.append(job.percent)

    began = threading.Event()
    job = Job(JobKind.MASK, "Work", lambda tick: (began.wait(10), work(tick))[1])
    began.set()
    assert job.wait(10)
    assert seen == [50, 50, 50, 90]


OWL = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">
<owl:Class rdf:about="http://ex.org/o#thing"><rdfs:label>thing</rdfs:label></owl:Class>
<owl:Class rdf:about="http://ex.org/o#job"><rdfs:label>job</rdfs:label><rdfs:subClassOf rdf:resource="http://ex.org/o#thing"/></owl:Class>
<owl:Class rdf:about="http://ex.org/o#nurse"><rdfs:label>nurse</rdfs:label><rdfs:subClassOf rdf:resource="http://ex.org/o#job"/></owl:Class>
<owl:Class rdf:about="http://ex.org/o#cook"><rdfs:label>cook</rdfs:label><rdfs:subClassOf rdf:resource="http://ex.org/o#job"/></owl:Class>
</rdf:RDF>"""  # noqa: E501


@pytest.mark.parametrize("iri", ["http://ex.org/o#job", "http://ex.org/o/job"])
def test_a_root_may_be_an_iri(browser: Browser, iri: str) -> None:
    opened(browser, b"job,pay\n" + b"nurse,10\ncook,20\n" * 15)
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "wordnet", "then": "/columns"})
    owl = OWL.replace(b"http://ex.org/o#", iri.removesuffix("job").encode())
    browser.post("/ontology", column="job", use="ontology", files=[("file", ("o.owl", owl))])
    browser.fill("/column?column=job", "/column", root=iri)
    assert f'ontology = "o.owl#{iri}"' in browser.version.toml
    again = Plan.load(browser.version.folder / "plan.toml")
    assert again.columns["job"].ontology == (f"o.owl#{iri}",)
    again.save(browser.workspace.folder / "plan.toml")
    moved = Plan.load(browser.workspace.folder / "plan.toml").columns["job"].ontology[0]
    assert str(moved).endswith(f"/o.owl#{iri}")
    browser.post("/method", method="sa-mdav", k="5", do="run")
    assert browser.workspace.require_table().results


def test_half_of_a_character_is_shown_as_a_question_mark(browser: Browser) -> None:
    cells = b'{"job": "cook"}\n' * 3 + b'{"job": "\\ud800x"}\n'
    page = browser.post("/open", files={"file": ("people.jsonl", cells + b'{"j\\uDFFFb": "x"}\n')})
    assert "half of a character in the name of a column" in page
    opened(browser, cells, "people.jsonl")
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "wordnet"})
    for path in ("/data", "/columns", "/column", "/words"):
        assert "?x" in browser.get(path, column="job", status="all")


def test_a_run_that_is_refused_changes_nothing(browser: Browser) -> None:
    opened(browser)
    gate, before = threading.Event(), browser.version.number
    browser.workspace.start_job(JobKind.MASK, "Work", lambda _: gate.wait(30) and None, "/data")
    page = browser.client.post("/method", data={"base": str(before), "method": "mdav", "k": "7", "do": "run"})
    gate.set()
    assert page.status_code == 422
    assert browser.version.number == before


def test_a_hierarchy_of_too_many_levels_is_refused(browser: Browser) -> None:
    opened(browser)
    high = "\n".join(";".join([leaf, *(f"v{i}" for i in range(400))]) for leaf in ("a", "b")).encode()
    page = browser.post("/hierarchies", 422, files=[("file", ("high.csv", high))])
    assert "400 levels" in page
    browser.post("/ontology", 422, column="job", use="hierarchy", files=[("file", ("high.csv", high))])


def names(browser: Browser) -> list[str]:
    """Return the names in the private folder."""
    return sorted(x.name for x in browser.workspace.folder.iterdir())


def test_nothing_stays_of_files_that_were_looked_at(browser: Browser) -> None:
    opened(browser)
    there = names(browser)
    browser.post("/hierarchies", files=[("file", ("h.csv", b"nurse;job\ncook;job\n"))])
    browser.post("/hierarchies", 422, files=[("file", ("h.csv", b"\x00\x01"))])
    browser.post("/ontology", column="job", use="links", files=[("file", ("l.csv", b"value,concept\n"))])
    browser.post("/ontology", 422, column="job", use="ontology", files=[("file", ("o.obo", b"\x00"))])
    assert browser.client.get("/plan.zip", headers={"range": "bytes=9999999-"}).status_code == 416
    assert names(browser) == there
    gate = threading.Event()
    browser.workspace.start_job(JobKind.MASK, "Work", lambda _: gate.wait(30) and None, "/data")
    folder = browser.workspace.new_table_folder()
    with pytest.raises(OptionError, match="still running"):
        browser.workspace.open(folder / "data", "x.csv", folder)
    gate.set()
    assert names(browser) == there
    own = browser.workspace.folder / there[0]
    before = sorted(x.name for x in own.iterdir())
    (browser.version.folder / "l.csv").unlink()
    assert not browser.client.get("/plan.zip").is_success
    browser.client.post("/run", data={"base": str(browser.version.number)})
    assert names(browser) == there
    assert sorted(x.name for x in own.iterdir()) == before


def test_what_is_packed_in_what_is_packed_is_counted(tmp_path: Path) -> None:
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sheet.xml", bytes(2_000_000))
    (tmp_path / "x").write_bytes(gzip.compress(book.getvalue()))
    assert unpacks_to_more(tmp_path / "x", 1_000_000)
    assert not unpacks_to_more(tmp_path / "x", 3_000_000)
    for packed in (False, True):
        wide = io.BytesIO()
        pq.write_table(pa.table({f"c{i}": pa.array([1] * 100_000) for i in range(20)}), wide)
        (tmp_path / "x").write_bytes(gzip.compress(wide.getvalue()) if packed else wide.getvalue())
        assert (tmp_path / "x").stat().st_size < 1_000_000
        assert unpacks_to_more(tmp_path / "x", 1_000_000)
        assert not unpacks_to_more(tmp_path / "x", 3_000_000)


def with_false_sizes(archive: bytes) -> bytes:
    """Return a zip archive whose headers say that every file has nine bytes."""
    content = bytearray(archive)
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.find(signature)
        while start >= 0:
            content[start + place : start + place + 4] = (9).to_bytes(4, "little")
            start = content.find(signature, start + 4)
    return bytes(content)


def test_false_sizes_do_not_pass_the_limit(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(browser)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("plan.toml", plan_with("job.csv") + b"\n" * 2_000_000)
    false = with_false_sizes(packed.getvalue())
    for name, content in (("a", false), ("b", gzip.compress(false))):
        (tmp_path / name).write_bytes(content)
        assert unpacks_to_more(tmp_path / name, 1_000_000)
        assert not unpacks_to_more(tmp_path / name, 3_000_000)
    monkeypatch.setattr(plan_upload, "MAX_UNPACKED", 1_000_000)
    page = browser.post("/plan", 422, files=[("plan", ("plan.zip", false))])
    assert "archive-too-large" in codes(page)


def test_another_table_opens_at_its_top(browser: Browser) -> None:
    opened(browser)
    browser.client.follow_redirects = False
    assert browser.client.post("/survey").headers["location"] == "/data#top"


def test_the_usual_port_is_left_out_by_browsers(browser: Browser) -> None:
    guard = replace(browser.guard, hosts=("127.0.0.1:80", "localhost:80"))
    client = TestClient(guard, base_url="http://127.0.0.1", headers={"host": "127.0.0.1"})
    assert client.get("/", params={"token": guard.token}).status_code == 200
    cookie = {"cookie": f"{guard.cookie}={guard.token}"}
    assert client.get("/data", headers=cookie).status_code == 200
    for origin, code in (("http://127.0.0.1", 200), ("http://localhost", 200), ("http://evil.example", 403)):
        assert client.post("/cancel", headers=cookie | {"origin": origin}).status_code == code


LINKS = b"value,concept\nnurse,nurse.n.01\n"


def plan_with(links: str) -> bytes:
    """Return a plan that names a links file."""
    return f'format = 1\nkeep_rest = true\n[columns.job]\nrole = "quasi"\nlinks = "{links}"\n'.encode()


@pytest.mark.parametrize("name", ["job links (1).csv", "Größe [2].csv", "job.csv"])
def test_files_of_a_plan_are_found_however_they_are_called(browser: Browser, name: str) -> None:
    opened(browser)
    browser.post("/plan", files=[("plan", ("plan.toml", plan_with(name))), ("plan", (name, LINKS))])
    assert (browser.version.folder / browser.version.plan.columns["job"].links[0]).read_bytes() == LINKS
    browser.post("/open", files=[("file", ("a.csv", PEOPLE)), ("file", ("p.toml", plan_with(name))),
                                 ("file", (name, LINKS))])  # fmt: skip
    assert (browser.version.folder / browser.version.plan.columns["job"].links[0]).read_bytes() == LINKS


def test_files_of_a_plan_are_found_in_folders_of_an_archive_and_nowhere_else(browser: Browser, tmp_path: Path) -> None:
    opened(browser)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mine/plan.toml", plan_with("links/job.csv"))
        archive.writestr("mine/links/job.csv", LINKS)
        archive.writestr("mine/old/job.csv", b"value,concept\n")
    browser.post("/plan", files=[("plan", ("plan.zip", packed.getvalue()))])
    assert (browser.version.folder / browser.version.plan.columns["job"].links[0]).read_bytes() == LINKS
    (tmp_path / "secret.csv").write_bytes(LINKS)
    for named in (str(tmp_path / "secret.csv"), "../../secret.csv", "../data", "plan.toml"):
        page = browser.post("/plan", 422, files=[("plan", ("plan.toml", plan_with(named)))])
        assert "missing-plan-files" in codes(page)


def test_going_back_to_another_reading_is_work(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    first = opened(browser).version.number
    browser.post("/reading", header="no", delimiter="", encoding="", sheet="")
    assert browser.workspace.require_table().data.n == 61
    gate, look = threading.Event(), workspace.inspect

    def held(*given: Any, **options: Any) -> Any:
        assert gate.wait(30)
        return look(*given, **options)

    monkeypatch.setattr(workspace, "inspect", held)
    page = browser.client.post("/go", data={"number": str(first), "from": "/columns"}).text
    assert "Reading people.csv" in page
    assert browser.version.number != first
    gate.set()
    browser.settle()
    assert browser.version.number == first
    assert browser.workspace.require_table().data.n == 60
    monkeypatch.undo()
    plan = browser.version.toml + "[file]\nheader = false\n"
    browser.post("/plan", files=[("plan", ("plan.toml", plan.replace("columns.job", "columns.1").encode()))])
    assert browser.workspace.require_table().data.n == 61
    assert not list(browser.workspace.folder.glob("table-2"))


def test_a_file_that_cannot_be_guessed_can_be_opened(browser: Browser) -> None:
    twice = b"3,3\n" + b"1,2\n" * 20
    for _ in range(2):  # with nothing open, and with another table
        page = browser.post("/open", files={"file": ("twice.csv", twice)}, header="yes", encoding="latin-1")
        assert "That did not work" in page
        assert '<details id="how" open>' in page
        assert '<option value="latin-1" selected>' in page.partition('id="how"')[2]
        browser.post("/open", files={"file": ("twice.csv", twice)}, header="no")
        assert browser.workspace.require_table().data.n == 21
        assert '<details id="how" >' in browser.get("/data")


def test_why_there_is_no_risk_is_said(browser: Browser) -> None:
    opened(browser)
    plan = b'format = 1\nkeep_rest = true\n[columns.job]\nrole = "quasi"\nontology = "wordnet:nothingknown"\n'
    browser.post("/plan", files={"plan": ("plan.toml", plan)})
    page = browser.get("/data")
    assert "The risk cannot be computed" in page
    assert "nothingknown" in page
    opened(browser, b"job,pay\n")
    assert "The table has no rows" in browser.get("/data")


def test_a_release_that_is_being_made_is_said_to_be(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(browser)
    browser.post("/understanding", column="job", what="wordnet", root="", unmatched="opaque", accept_review="yes")
    made, gate = results.make_release, threading.Event()

    def held(*given: Any) -> Any:
        assert gate.wait(30)
        return made(*given)

    monkeypatch.setattr(results, "make_release", held)
    for k in ("5", "7"):
        gate.clear()
        data = {"base": str(browser.version.number), "method": "sa-mdav", "k": k, "do": "run"}
        page = browser.client.post("/method", data=data).text
        assert "Masking the table" in page
        assert "/download?" not in page
        gate.set()
        browser.settle()
        assert f"k = {k}" in browser.get("/result")
