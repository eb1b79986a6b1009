"""One table after another, pages that are older than the plan, and what belongs to which."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from browsing import Browser

from allonym.plan import Plan

PEOPLE = b"job,pay\n" + b"nurse,10\ncook,20\nbaker,30\ncarpenter,40\n" * 15


def opened(browser: Browser, content: bytes = PEOPLE, name: str = "people.csv") -> Browser:
    """Open a table."""
    browser.post("/open", files={"file": (name, content)})
    browser.get("/data")
    return browser


def test_a_page_of_one_table_does_not_change_the_plan_of_another(browser: Browser) -> None:
    old = opened(browser).step.number
    opened(browser, name="others.csv")
    plan = browser.step.text
    browser.post("/method", 409, base=str(old), method="mdav", k="7")
    assert browser.step.text == plan


def test_no_two_releases_have_one_number(browser: Browser) -> None:
    numbers = []
    for name in ("people.csv", "others.csv"):
        opened(browser, name=name)
        browser.post("/understanding", column="job", what="wordnet", root="", unmatched="opaque", accept_review="yes")
        browser.post("/method", method="sa-mdav", k="5", do="run")
        numbers.append(browser.workspace.opened.results[-1].number)
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
    ws.change(browser.step.number, "k", replace(browser.step.plan, parameters={}, k=7))
    assert ws.check(0) is None
    late = ws.checking[1]
    assert waits.wait(30)
    ws.change(browser.step.number, "k", replace(browser.step.plan, k=9))
    assert ws.check(30) is not None
    gate.set()
    assert late.wait(30)
    assert ws.check(0) is not None


def test_a_check_that_ended_while_another_plan_counted_is_made_again(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(browser)
    ws, check = browser.workspace, Plan.check
    step = ws.change(browser.step.number, "k", replace(browser.step.plan, k=7))

    def meanwhile(plan: Plan, source: Any, tick: Any) -> Any:
        found = check(plan, source, tick)
        if browser.step is step and len(seen) == 0:
            seen.append(ws.change(step.number, "k", replace(plan, k=9)))
        return found

    seen: list[Any] = []
    monkeypatch.setattr(Plan, "check", meanwhile)
    assert ws.check(30) is None
    ws.go(step.number)
    assert ws.check(30) is not None
    assert list(ws.opened.checks) == [step.number]
