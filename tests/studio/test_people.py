"""The Columns page: persons with several rows, and households."""

from __future__ import annotations

from browsing import Browser, codes

VISITS = b"case_id,hh_id,age\n" + b"".join(b"c%d,h%d,%d\n" % (x % 20, x % 10, 20 + x % 30) for x in range(60))
ROLES = {"role-0": "identifier", "role-1": "identifier", "role-2": "quasi", "what-2": "numeric"}


def test_record_numbers_that_repeat_are_asked_about_once(browser: Browser) -> None:
    browser.post("/open", files={"file": ("visits.csv", VISITS)})
    browser.fill("/columns", "/columns", **ROLES)
    browser.settle()
    page = browser.client.get("/columns").text
    assert codes(page) == {"repeated-identifier"}
    assert "Every row is another person" in page
    browser.fill("/columns", "/columns", **ROLES, **{"rows-are-persons": "yes"})
    browser.settle()
    page = browser.client.get("/columns").text
    assert codes(page) == set()
    assert browser.version.plan.rows_are_persons
    assert "checked> Every row is another person" in page


def test_a_household_is_a_role(browser: Browser) -> None:
    browser.post("/open", files={"file": ("visits.csv", VISITS)})
    browser.fill("/columns", "/columns", **ROLES | {"role-0": "unit", "role-1": "household"})
    browser.settle()
    page = browser.client.get("/columns").text
    assert codes(page) == set()
    assert "Every row is another person" not in page
    assert "in the smallest group" in page
    assert browser.version.plan.columns["hh_id"].role == "household"
