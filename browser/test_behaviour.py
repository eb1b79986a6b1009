"""Behaviour in a browser: problems beside fields, cancel, two tabs, reload, access, and cleaning up."""

from __future__ import annotations

import random
import re
import signal
import stat
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from serving import Serve, Served
from steps import accept_all, check_axe, choose, codes, complaint, drop, go, idle, label, mask, press, slow_down, survey


def long_table() -> str:
    """Return a table whose groups take some seconds to refine."""
    draw = random.Random(1)
    rows = [f"{draw.random():.6f},{draw.random():.6f},{draw.random():.6f}" for _ in range(9000)]
    return "\n".join(["height,width,depth", *rows]) + "\n"


def begin_long_work(page: Any) -> None:
    drop(page, "long.csv", long_table())
    go(page, "/method")
    page.get_by_label(re.compile(r"^\s*refine")).first.check()
    page.get_by_role("button", name="Mask the table").click()
    page.wait_for_selector("#cancel")


NO_TABLES = [
    ("empty.csv", b"", "empty.csv is empty"),
    ("table.parquet", b"PAR1 no", "table.parquet is a damaged Parquet file"),
    ("twice.csv", b"a,a\n1,2\n", "column names of twice.csv occur more than once"),
    ("picture.png", b"\x89PNG\0\0\0\0", "picture.png is not a text file"),
    ("table.csv.gz", b"\x1f\x8b no", "its gzip data is damaged"),
    ("ragged.csv", b"a,b\n1,2,3\n", "1 lines of ragged.csv do not have 2 cells"),
]


def test_a_file_that_is_no_table(page: Any, tmp_path: Path) -> None:
    for name, content, told in NO_TABLES:
        (tmp_path / name).write_bytes(content)
        choose(page, tmp_path / name)
        page.wait_for_selector(f".complaint:has-text('{told}')")
        assert str(tmp_path) not in complaint(page)
    survey(page)  # and one can go on
    assert "survey.csv" in page.inner_text("h1")


def test_a_file_that_is_too_large(chromium: Any, serve: Serve, watch: Any, tmp_path: Path) -> None:
    studio = serve("--max-upload", "1")
    page = watch.over(chromium.new_page())
    page.goto(studio.address)
    page.wait_for_url("**/data")
    (tmp_path / "large.csv").write_text("a,b\n" + "1,2\n" * 400_000)
    choose(page, tmp_path / "large.csv")
    assert "too large" in page.inner_text("#drop-error")
    assert page.url.endswith("/data")
    page.close()


def test_errors_stand_where_the_mistake_is(page: Any) -> None:
    survey(page)
    go(page, "/columns")
    for name in ("reason", "activity", "hobby", "origin", "age"):
        page.select_option(f"[aria-label='Role of {name}']", "keep")
    press(page, "Apply")
    assert "no-quasi" in codes(page)
    assert page.input_value("[aria-label='Role of age']") == "keep"  # what was chosen stays
    go(page, "/columns")
    page.select_option("[aria-label='Content of hobby']", "ordinal")
    press(page, "Apply")
    assert page.locator("tr.wrong [data-code=no-levels]").count() == 1
    go(page, "/words?column=hobby")
    page.fill("#root", "no such thing")
    press(page, "Match again")
    assert "unknown-concept" in codes(page)
    assert page.input_value("#root") == "no such thing"
    go(page, "/words?column=hobby&status=review")
    page.get_by_label("Other concept for painting").fill("xyzzyx")
    press(page, "Apply choices")
    assert "links" in codes(page)
    assert page.get_by_label("Other concept for painting").get_attribute("aria-invalid") == "true"
    go(page, "/method")
    page.fill("#k", "2000")
    press(page, "Mask the table")
    page.wait_for_selector(".todo-list")
    assert "k-too-large" in codes(page)
    assert "values to resolve before masking" in page.inner_text("main").lower()
    page.evaluate("document.querySelector('#k').value = '1'")
    page.evaluate("document.querySelector('#k').removeAttribute('min')")
    press(page, "Apply")
    assert "out-of-range-k" in codes(page)
    page.click("#load summary")
    page.set_input_files("#load-files", {"name": "plan.toml", "mimeType": "text/plain", "buffer": b"format = 2"})
    press(page, "Load")
    assert "wrong-format" in codes(page)


def test_work_can_be_cancelled_and_begun_again(page: Any) -> None:
    begin_long_work(page)
    slow_down(page, 600)  # the page hears that the work has ended before the one that says so is there
    press(page, "Cancel")
    slow_down(page, 0)
    page.wait_for_selector("#job-cancelled")
    assert "Masking was cancelled" in page.inner_text("#job-cancelled")
    go(page, "/result")
    assert "No release yet" in page.inner_text("main")
    go(page, "/method")
    page.get_by_label(re.compile(r"^\s*refine")).first.uncheck()
    press(page, "Apply")
    mask(page)
    assert "Release 1" in page.inner_text(".lead")


def test_reload_in_the_middle_goes_on(page: Any) -> None:
    begin_long_work(page)
    page.reload()
    page.wait_for_selector("#cancel")
    go_on = page.context.new_page()  # another tab waits as well
    go_on.goto(page.url.rpartition("/")[0] + "/method")
    assert go_on.locator("#job-bar").count() == 1
    go_on.fill("#k", "7")
    press(page, "Cancel")
    page.wait_for_selector("#job-cancelled")
    show = go_on.get_by_role("button", name="Show")
    show.wait_for()
    assert go_on.input_value("#k") == "7"  # what was typed meanwhile is not lost
    check_axe(go_on)
    show.click()
    go_on.wait_for_selector("#job-cancelled")  # both tabs are told
    go_on.close()


def test_two_tabs_see_one_plan(page: Any, watch: Any) -> None:
    survey(page)
    go(page, "/method")
    other = watch.over(page.context.new_page())
    other.goto(page.url)
    page.fill("#k", "7")
    press(page, "Apply")
    assert "k = 7" in label(page)
    other.fill("#k", "9")
    press(other, "Apply")
    assert "stale-version" in codes(other)
    assert other.input_value("#k") == "7"
    press(other, "Undo")
    page.reload()
    assert page.input_value("#k") == "5"
    press(page, "Redo")
    assert page.input_value("#k") == "7"
    other.close()


def test_a_stranger_is_turned_away(chromium: Any, studio: Served, page: Any) -> None:
    survey(page)
    context = chromium.new_context()
    stranger = context.new_page()
    for path in ("", "data", "static/studio.css", "plan.toml", "?token=guess", "job"):
        answer = stranger.goto(studio.base + path)
        assert answer.status == 403
        assert "975" not in stranger.content()
    context.close()
    port = studio.base.split(":")[2].strip("/")
    for host in ("evil.example", f"evil.example:{port}"):
        asked = urllib.request.Request(studio.base + "data", headers={"Host": host})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(asked)


def test_another_site_cannot_send_a_form(page: Any, chromium: Any, studio: Served, tmp_path: Path) -> None:
    evil = tmp_path / "evil.html"
    evil.write_text(f'<form method="post" action="{studio.base}survey"><button>win</button></form>')
    tab = page.context.new_page()
    tab.goto(evil.as_uri())
    tab.click("button")
    tab.wait_for_load_state()
    assert "another page" in tab.inner_text("main")
    tab.close()
    page.reload()
    assert "Drop a table here" in page.inner_text("main")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_is_left_behind(number: int, serve: Serve, chromium: Any) -> None:
    studio = serve()
    page = chromium.new_page()
    page.goto(studio.address)
    page.wait_for_url("**/data")
    survey(page)
    folder = studio.folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    data = next(folder.rglob("data"))
    assert stat.S_IMODE(data.stat().st_mode) == 0o600
    page.close()
    assert studio.end(number) == (0 if number == signal.SIGHUP else 128 + number)
    assert not folder.exists()


def test_a_file_of_the_command_line_is_open_at_once(serve: Serve, chromium: Any, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("job,age\n" + "nurse,30\ncook,40\nbaker,50\n" * 10)
    page = chromium.new_page()
    page.goto(serve(str(table)).address)
    page.wait_for_selector("table.rows")
    assert "30 rows, 2 columns" in page.inner_text(".lead")
    page.close()
    assert table.exists()


def test_hierarchies_are_scored_built_and_edited(page: Any) -> None:
    survey(page)
    accept_all(page, "reason", "activity")
    go(page, "/hierarchies")
    assert "Assign concepts to" in page.inner_text("main")
    page.select_option("#column", "reason")
    press(page, "Build")
    page.wait_for_selector("text=reason-2.vgh.csv")
    page.get_by_role("link", name="reason-2.vgh.csv").first.click()
    page.get_by_role("link", name="beach", exact=True).last.click()  # the leaf, not the concept above it
    parents = page.eval_on_selector_all("#above option", "options => options.map(x => x.value)")
    page.select_option("#above", next(x for x in parents if x and x != "beach"))
    press(page, "Move")
    assert "move at level 0" in label(page)
    page.fill("#group", "shore")
    press(page, "Add parent")
    page.get_by_role("link", name="shore", exact=True).click()
    page.fill("#rename", "seashore")
    press(page, "Rename")
    assert page.get_by_role("link", name="seashore", exact=True).count() == 1
    assert "loss 0." in page.inner_text(".lead")
    press(page, "Undo")
    go(page, "/hierarchy?name=reason-2.vgh.csv")
    assert page.get_by_role("link", name="shore", exact=True).count() == 1
    press(page, "Use")
    assert "reason: matched with reason-2.vgh.csv" in label(page)
    go(page, "/columns")
    for name in ("activity", "hobby", "origin", "age"):
        page.select_option(f"[aria-label='Role of {name}']", "keep")
    press(page, "Apply")
    go(page, "/method")
    page.check("input[name=method][value=generalise]")
    page.get_by_role("button", name="Mask the table").click()
    page.wait_for_selector("#take-masked", timeout=60_000)
    assert "generalise" in page.inner_text("h1")
    idle(page)
