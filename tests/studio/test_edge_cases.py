"""Edge cases: two runs at once, files that change, odd names, cookies of other programs."""

from __future__ import annotations

import gzip
import threading
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, codes, shown

from allonym.errors import OptionError
from allonym.studio import results
from allonym.studio.history import safe_name
from allonym.studio.server import Settings, names_of

WORDS = ("hobby", "reason", "activity", "origin")
PEOPLE = b"job,pay\n" + b"nurse,10\ncook,20\nbaker,30\ncarpenter,40\n" * 15


def ready(browser: Browser) -> Browser:
    """Accept all matches of the survey."""
    for column in WORDS:
        browser.post("/understanding", column=column, what="wordnet", root="", unmatched="opaque", accept_review="yes")
    return browser


def test_a_second_run_leaves_the_first_alone(survey: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    ready(survey)
    made, gate, waits = results.make_release, threading.Event(), threading.Event()

    def held(number: int, folder: Path, data: Any, stem: str, tick: Any) -> Any:
        def slowly(done: int, total: int) -> None:
            tick(done, total)
            if (done, total) == (90, 100):
                waits.set()
                assert gate.wait(30)

        return made(number, folder, data, stem, slowly)

    monkeypatch.setattr(results, "make_release", held)
    form = {"base": str(survey.version.number), "method": "sa-mdav", "k": "5", "do": "run"}
    survey.client.post("/method", data=form)
    assert waits.wait(30)
    again = survey.client.post("/method", data=form | {"base": str(survey.version.number), "k": "10"})
    assert again.status_code in (409, 422), shown(again.text)[:300]
    gate.set()
    survey.settle()
    result = survey.workspace.require_table().results[0]
    assert "k = 5" in (result.folder / "plan.toml").read_text()
    assert result.masked.exists()
    assert "k = 5" in survey.get("/result")


def test_files_of_a_plan_are_never_called_like_those_of_a_release(survey: Browser) -> None:
    ready(survey)
    links = b"value,concept\njazz,jazz.n.02\n"
    survey.post("/ontology", column="hobby", use="links", files=[("file", ("summary.json", links))])
    survey.post("/method", method="sa-mdav", k="5", do="run")
    assert survey.workspace.require_table().results
    survey.post("/method", method="sa-mdav", k="7", do="run")
    assert len(survey.workspace.require_table().results) == 2  # the links are still links
    assert safe_name("summary.json") != "summary.json"
    assert safe_name("Codebook.JSON") != "Codebook.JSON"
    assert len(safe_name("\U0001f600a" * 200).encode()) <= 200


def test_a_file_that_changed_since_it_was_opened_is_not_masked(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(PEOPLE)
    browser.workspace.open(path, "people.csv", browser.workspace.new_table_folder())
    browser.settle()
    browser.get("/data")
    browser.settle()
    path.write_bytes(PEOPLE + b"nurse,99\n" * 20)
    browser.client.post(
        "/method", data={"base": str(browser.version.number), "method": "sa-mdav", "k": "5", "do": "run"}
    )
    browser.settle()
    assert browser.workspace.job is not None
    assert [x.code for x in browser.workspace.job.problems] == ["file-changed"]
    assert not browser.workspace.require_table().results


def test_a_plan_that_cannot_be_read_with_is_not_taken(survey: Browser) -> None:
    before = survey.version.number
    plan = survey.version.toml.replace("format = 1", 'format = 1\n[file]\nencoding = "nonsense"', 1)
    page = survey.post("/plan", files=[("plan", ("plan.toml", plan.encode()))])
    assert "That did not work" in page
    assert survey.version.number == before


def test_columns_that_are_not_listed_stay_so(survey: Browser) -> None:
    plan = 'format = 1\nkeep_rest = true\n[method]\nname = "sa-mdav"\nk = 5\n[columns.age]\nrole = "quasi"\n'
    plan += 'kind = "numeric"\n'
    survey.post("/plan", files=[("plan", ("plan.toml", plan.encode()))])
    survey.fill("/column?column=age", "/column", weight="2")
    assert survey.version.plan.keep_rest
    assert survey.version.plan.columns["age"].weight == 2


def test_words_with_line_ends_can_be_settled(browser: Browser) -> None:
    table = b"job,pay\n" + b'nurse,1\ncook,2\nbaker,3\n"zz\nqq",4\n' * 8
    browser.post("/open", files={"file": ("people.csv", table)})
    browser.post("/understanding", column="job", what="wordnet", root="person", unmatched="error")
    form = {"column": "job", "status": "unmatched", "do": "apply", "value-0": "zz\r\nqq", "other-0": "nurse"}
    browser.fill("/words?column=job&status=unmatched", "/words", **(form | {"word-0": "nurse"}))
    links = "".join(x.read_text() for x in browser.version.folder.glob("*.links.csv"))
    assert "nurse.n.01" in links.partition("zz\nqq")[2].splitlines()[0]
    form["value-0"] = "never there"
    browser.post("/words", 422, **form)


def test_packed_files_are_counted_unpacked(browser: Browser) -> None:
    packed = gzip.compress(b"job\n" + b"nurse\n" * 1_000_000)
    assert len(packed) < 100_000
    page = browser.post("/open", 422, files={"file": ("people.csv.gz", packed)})
    assert "too-large" in codes(page)
    assert browser.workspace.table is None


def test_cookies_of_other_programs_do_no_harm(browser: Browser) -> None:
    guard = browser.guard
    cookie = f'j={{"a":1}}; {guard.cookie}={guard.token}; other="x; y'
    browser.client.cookies.clear()
    assert browser.client.get("/data", headers={"cookie": cookie}).status_code == 200
    assert browser.client.get("/data", headers={"cookie": 'j={"a":1}'}).status_code == 403


@pytest.mark.parametrize("host", ["0", "0.0.0.0", "::", "0x0", "000.0.0.0"])
def test_all_addresses_are_refused_however_they_are_written(host: str) -> None:
    with pytest.raises(OptionError, match="one address"):
        Settings(host=host, password="secret").check(allow_remote=True)


def test_the_address_that_is_printed_is_the_one_that_answers() -> None:
    assert names_of("127.0.0.2") == ("127.0.0.2",)
    assert names_of("0:0:0:0:0:0:0:1")[0] == "[::1]"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/ontology", {"column": "nobody", "use": "links"}),
        ("/words", {"column": "hobby", "status": "review", "one": "999"}),
        ("/words", {"column": "hobby", "status": "review", "suggest": "999 x"}),
    ],
)
def test_what_is_not_there_is_said_to_be(survey: Browser, path: str, form: dict[str, str]) -> None:
    files = [("file", ("a.csv", b"value,concept\n"))] if path == "/ontology" else None
    assert "internal-error" not in codes(survey.post(path, 422, files=files, **form))
