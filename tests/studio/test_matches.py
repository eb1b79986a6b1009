"""The Matches page: change matches one by one or in bulk without losing choices."""

from __future__ import annotations

import csv
import re

from browsing import Browser, codes, fields, shown

REVIEW = "/words?column=hobby&status=review"
JOBS = b"job,age\n" + b"nurse,3\ncook,4\ngranite,5\nnurrse,6\nxqzv,7\nbaker,8\n" * 2


def by_hand(browser: Browser, column: str = "hobby") -> dict[str, str]:
    """Return the matches set by hand."""
    with (browser.version.folder / f"{column}.links.csv").open() as file:
        return {x["value"]: x["concept"] for x in csv.DictReader(file) if x.get("by") == "hand"}


def jobs(browser: Browser) -> None:
    """Open a table with a value outside the root, a misspelled one and an unmatched one."""
    browser.post("/open", files={"file": ("people.csv", JOBS)})
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "wordnet", "root-0": "person"})


def place(browser: Browser, path: str, value: str) -> str:
    """Return the row of a value."""
    found = fields(browser.client.get(path).text, "/words")
    return next(x.removeprefix("value-") for x, y in found.items() if x.startswith("value-") and y == value)


def test_what_was_chosen_in_other_rows_stays_whatever_is_pressed(survey: Browser) -> None:
    form = fields(survey.client.get(REVIEW).text, "/words")
    survey.fill(REVIEW, "/words", one="0", **{"other-1": "music", "sense-2": "nothing"})
    settled = by_hand(survey)
    assert set(settled) == {form["value-0"], form["value-1"], form["value-2"]}
    assert settled[form["value-1"]] == "music.n.01"
    assert settled[form["value-2"]] == ""
    form = fields(survey.client.get(REVIEW).text, "/words")
    survey.fill(REVIEW, "/words", do="accept", pick=["0", "1"], **{"other-1": "music", "other-3": "act.n.02"})
    settled = by_hand(survey)
    assert [settled[form[f"value-{i}"]] for i in (1, 3)] == ["music.n.01", "act.n.02"]
    form = fields(survey.client.get(REVIEW).text, "/words")
    survey.fill(REVIEW, "/words", do="accept-all", **{"other-1": "music"})
    assert by_hand(survey)[form["value-1"]] == "music.n.01"
    assert survey.version.label.endswith("matches set")


def test_definitions_are_shown_beside_matches_and_senses(browser: Browser) -> None:
    jobs(browser)
    page = shown(browser.get("/words", column="job", status="all"))
    assert "one skilled in caring for young children or the sick (usually" in page
    assert "nanny: a woman who is the custodian of children (woman › female)" in page
    told = browser.client.get("/concepts", params={"column": "job", "text": "nanny"}).json()
    assert told[0] == {"id": "nanny.n.01", "label": "nanny – a woman who is the custodian of children"}
    browser.fill("/words?column=job&status=all", "/words", do="apply", **{"other-0": "nursemaid.n.01"})
    assert list(by_hand(browser, "job").values()) == ["nanny.n.01"]


def test_nothing_that_is_known_is_a_choice(survey: Browser) -> None:
    page = survey.client.get(REVIEW).text
    value = re.search(r'<option value="(\w+)" >no match', page)
    assert value is not None
    survey.fill(REVIEW, "/words", do="apply", **{"sense-0": value[1]})
    assert list(by_hand(survey).values()) == [""]


def test_enter_beside_set_sets_what_is_ticked(survey: Browser) -> None:
    form = fields(survey.client.get(REVIEW).text, "/words")
    survey.fill(REVIEW, "/words", do="apply", bulk="music", pick=["0"])  # Enter presses the first button of a form
    assert by_hand(survey) == {form["value-0"]: "music.n.01"}
    assert "no-selection" in codes(survey.fill(REVIEW, "/words", 422, do="apply", bulk="music"))


def test_an_error_keeps_ticks_and_choices(survey: Browser) -> None:
    page = survey.fill(
        REVIEW, "/words", 422, do="set", bulk="xyzzyx", pick=["0", "2"], **{"sense-1": "nothing", "other-3": "music"}
    )
    assert re.findall(r'name="pick" value="(\d+)"[^>]*checked', page) == ["0", "2"]
    assert fields(page, "/words")["sense-1"] == "nothing"
    assert fields(page, "/words")["other-3"] == "music"
    assert re.search(r'id="bulk"[^>]*aria-invalid="true"', page)


def test_after_a_word_the_next_one_has_the_focus(survey: Browser) -> None:
    assert "autofocus" not in survey.get("/words", column="hobby", status="review")
    page = survey.fill(REVIEW, "/words", one="2")  # what is settled may change the order of the others
    assert re.findall(r'autofocus aria-label="Accept (\S+) as', page) == [fields(page, "/words")["value-2"]]
    path = "/words?column=hobby&status=sure"
    form = fields(survey.client.get(path).text, "/words")
    page = survey.fill(path, "/words", suggest="4 music")
    assert f'aria-label="Sense of {form["value-5"]}" autofocus' in page


def test_the_way_leads_to_the_next_column_with_open_words(survey: Browser) -> None:
    assert 'id="next-column"' not in survey.get("/words", column="reason", status="review")
    page = survey.fill("/words?column=reason&status=review", "/words", do="accept-all")
    assert re.search(r'main" id="next-column" href="/words\?column=(activity|hobby)"', page)
    for name in ("activity", "hobby"):
        page = survey.fill(f"/words?column={name}&status=review", "/words", do="accept-all")
    assert 'id="next-column"' not in page
    assert '<a class="button main" href="/method">' in page


def test_words_nobody_knows_have_a_way_out(browser: Browser) -> None:
    jobs(browser)
    path = "/words?column=job&status=unmatched"
    browser.fill(path, "/words", do="nothing", pick=[place(browser, path, "xqzv")])
    page = shown(browser.get("/words", column="job", status="unmatched"))
    assert "set by you: no match" in page
    assert "Keep as categories (opaque)" in page
    assert "Replace with empty cells (suppress)" in shown(browser.get("/method"))
    hidden = fields(browser.client.get("/method").text, "/understanding")
    page = browser.post("/understanding", **(hidden | {"unmatched": "opaque"}))
    assert browser.version.plan.columns["job"].unmatched == "opaque"
    assert browser.version.plan.columns["job"].ontology == ("wordnet:person",)
    assert "Method and guarantees" in page
    assert "(opaque)" not in page


def test_words_outside_the_root_are_proposed_for_review(browser: Browser) -> None:
    jobs(browser)
    path = "/words?column=job&status=review"
    row = place(browser, path, "granite")
    browser.fill(path, "/words", do="accept", pick=[row])
    assert by_hand(browser, "job") == {"granite": "granite.n.01"}


def test_a_column_that_could_not_be_understood_stays_on_the_page(browser: Browser) -> None:
    jobs(browser)
    links = {"file": ("l.csv", b"value,concept\ncook,qqqqq.n.01\n")}
    page = browser.post("/ontology", column="job", use="links", files=links)
    assert 'title="could not be matched">!' in page
    assert "settled concepts are not in wordnet" in page
    hidden = fields(page, "/understanding")
    browser.post("/understanding", **(hidden | {"forget": "yes"}))
    assert browser.version.plan.columns["job"].links == ()
    assert "could not be matched" not in browser.get("/words", column="job")


def test_chips_say_what_is_part_of_what(survey: Browser) -> None:
    survey.fill(REVIEW, "/words", one="0")
    told = re.findall(r">([A-Z][\w, ]+) <span>(\d+)</span></a>", survey.get("/words", column="hobby"))
    counts = {x: int(y) for x, y in told}
    assert counts["To review"] + counts["Unmatched"] + counts["Matched"] == counts["All"]
    assert counts["Set by you"] == 1


def settled_share(browser: Browser) -> int:
    """Return the share of cells that the page calls settled."""
    told = re.search(r"(\d+) % of cells settled\.", shown(browser.get("/words", column="job")))
    assert told is not None
    return int(told[1])


def test_the_page_tells_how_much_is_settled(browser: Browser) -> None:
    jobs(browser)
    before, path = settled_share(browser), "/words?column=job&status=unmatched"
    browser.fill(path, "/words", do="apply", **{f"sense-{place(browser, path, 'xqzv')}": "nothing"})
    assert settled_share(browser) - before in (16, 17)  # one value of six


VARIANTS = (
    b"job,age\n" + b"nurse,3\ncook,4\ndentist,5\nqwelphist,6\nqwelphst,7\nqwelphist,8\nqwelphixt,9\nNURSE.,1\n" * 2
)


def test_spellings_of_a_value_are_settled_at_once(browser: Browser) -> None:
    browser.post("/open", files={"file": ("people.csv", VARIANTS)})
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "wordnet", "root-0": "person"})
    path = "/words?column=job&status=unmatched"
    page = shown(browser.get("/words", column="job", status="unmatched"))
    assert "also: qwelphixt · qwelphst" in page
    assert "Settle these 3 spellings at once" in page
    wrong = browser.fill(path, "/words", 422, cluster=place(browser, path, "qwelphist"))
    assert "no-concept" in codes(wrong)
    row = place(browser, path, "qwelphst")
    browser.fill(path, "/words", do="apply", **{f"other-{row}": "carpenter"})
    assert "Settle these 2 spellings at once" in shown(browser.get("/words", column="job", status="unmatched"))
    row = place(browser, path, "qwelphist")
    browser.fill(path, "/words", cluster=row, **{f"other-{row}": "carpenter"})
    settled = dict.fromkeys(("qwelphist", "qwelphst", "qwelphixt"), "carpenter.n.01")
    assert by_hand(browser, "job") == settled


def test_a_misspelled_word_takes_the_concept_of_its_cluster_and_is_the_same(browser: Browser) -> None:
    table = b"job,age\n" + b"electrician,3\ncook,4\ndentist,5\nelectrician,3\nelectricain,6\n" * 2
    browser.post("/open", files={"file": ("people.csv", table)})
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "wordnet", "root-0": "person"})
    page = shown(browser.get("/words", column="job", status="review"))
    assert "Settle as electrician" in page  # the most frequent spelling is matched
    path = "/words?column=job&status=review"
    browser.fill(path, "/words", cluster=place(browser, path, "electricain"))
    with (browser.version.folder / "job.links.csv").open() as file:
        (row,) = (x for x in csv.DictReader(file) if x["value"] == "electricain")
    assert (row["status"], row["relation"], row["concept"]) == ("sure", "same", "electrician.n.01")


def test_an_accepted_link_stays_narrower(browser: Browser) -> None:
    browser.post(
        "/open", files={"file": ("people.csv", b"job,age\n" + b"grey-haired nurse,3\ncook,4\ngreyhaired nurse,3\n" * 2)}
    )
    browser.fill("/columns", "/columns", **{"role-0": "quasi", "what-0": "wordnet", "root-0": "person"})
    browser.fill("/words?column=job&status=review", "/words", cluster="0")
    with (browser.version.folder / "job.links.csv").open() as file:
        rows = [x for x in csv.DictReader(file) if x["value"] != "cook"]
    assert [(x["status"], x["relation"], x["concept"]) for x in rows] == [("sure", "narrower", "nurse.n.01")] * 2
