"""The workflow in a browser, from drop to download; the command line writes the same bytes."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from serving import DATA, Served
from steps import accept_all, check_axe, check_width, choose, drop, go, idle, label, mask, press, survey, take

from allonym.pipeline.demo import survey as survey_text

ADULT = DATA / "adult" / "adult.data"
NAMES = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,income"
)


def again(folder: Path, table: Path) -> bytes:
    """Mask a table on the command line with the plan in a folder."""
    output = folder / "again.csv"
    words = ["mask", str(table), "--plan", str(folder / "plan.toml"), "-o", str(output)]
    subprocess.run(
        [sys.executable, "-c", "from allonym.cli import main; main()", *words], check=True, capture_output=True
    )
    return output.read_bytes()


def test_survey_from_drop_to_download(page: Any, tmp_path: Path) -> None:
    check_axe(page)
    drop(page, "park.csv", survey_text())
    assert "975 rows, 7 columns" in page.inner_text(".lead")
    assert "975" in page.inner_text(".cards")
    check_axe(page)
    page.get_by_role("link", name="Set column roles").click()
    page.select_option("[aria-label='Role of age']", "keep")
    page.select_option("[aria-label='Role of hobby']", "keep")
    check_axe(page)
    press(page, re.compile("review matches"))
    assert "Columns: hobby, age" in label(page)
    check_axe(page)
    page.get_by_label("Select all on this page").check()
    press(page, "Accept selected")
    press(page, "Undo")
    go(page, "/words?column=activity&status=all&find=fishing")
    page.get_by_label("Other concept for fishing").fill("angling")
    page.wait_for_selector("#concepts option[value='angling.n.01']", state="attached")
    press(page, "Apply choices")
    assert "fishing = angling" in label(page)
    assert "set by you" in page.inner_text("table.words")
    accept_all(page, "reason", "activity")
    page.get_by_role("link", name="Method ›").last.click()
    page.fill("#k", "4")
    page.get_by_label(re.compile("^represent")).first.select_option("member")
    press(page, "Apply")
    assert 'represent = "member"' in page.inner_text(".toml")
    for name in ("s-mdav", "mdav"):
        page.locator("#trade-off").get_by_label(name, exact=True).uncheck()
    page.fill("#ks", "3, 6")
    page.get_by_role("button", name="Estimate").click()
    page.wait_for_selector("#trade-off tbody tr:nth-child(4)", timeout=60_000)
    idle(page)
    check_axe(page)
    press(page, "Use fusion, k = 6")
    assert "Method fusion, k = 6" in label(page)
    press(page, "Undo")
    mask(page, seed="7")
    assert "sa-mdav, k = 4" in page.inner_text("h1")
    page.wait_for_load_state("networkidle")
    assert page.evaluate("[...document.images].every(x => x.complete && x.naturalWidth > 100)")
    assert page.locator("#preview del").count() > 5
    check_axe(page)
    with zipfile.ZipFile(take(page, "#take-everything", tmp_path)) as archive:
        archive.extractall(tmp_path)
    masked = take(page, "#take-masked", tmp_path).read_bytes()
    assert masked == (tmp_path / "park-masked.csv").read_bytes()
    assert "internal: contains values" in take(page, "#take-report", tmp_path).read_text()
    table = tmp_path / "park.csv"
    table.write_text(survey_text(), newline="")
    assert again(tmp_path, table) == masked


@pytest.mark.skipif(not ADULT.exists(), reason=f"needs {ADULT.name}, which is not at hand")
def test_adult_from_choice_to_download(page: Any, tmp_path: Path) -> None:
    table = tmp_path / "adult.csv"
    rows = [line.replace(", ", ",") for line in ADULT.read_text().splitlines() if line and "?" not in line]
    table.write_text("\n".join([NAMES, *rows]) + "\n")
    choose(page, table)
    page.wait_for_selector("table.rows")
    idle(page)
    assert "30,162 rows, 15 columns" in page.inner_text(".lead")
    go(page, "/columns")
    masked = ("occupation", "native-country")
    for name in NAMES.split(","):
        if name not in masked:
            page.select_option(f"[aria-label='Role of {name}']", "keep" if name != "income" else "sensitive")
    for name in masked:  # the links files have concepts of WordNet
        page.select_option(f"[aria-label='Content of {name}']", "wordnet")
    press(page, "Apply")
    for name, file in zip(masked, ("links_occupation_p1.csv", "links_native-country.csv"), strict=True):
        go(page, f"/column?column={name}")
        page.set_input_files("#ontology-file", DATA / "adult" / file)
        page.select_option("#use", "links")
        press(page, "Use file")
    assert "Matches" in page.title()
    mask(page, seed="7")
    assert "k = 5" in page.inner_text(".cards")
    with zipfile.ZipFile(take(page, "#take-everything", tmp_path)) as archive:
        archive.extractall(tmp_path)
    assert again(tmp_path, table) == (tmp_path / "adult-masked.csv").read_bytes()


def test_every_page_on_a_phone_and_in_the_dark(chromium: Any, studio: Served, watch: Any) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True)
    page = watch.over(context.new_page())
    page.goto(studio.address)
    page.wait_for_url("**/data")
    check_axe(page)
    check_width(page)
    survey(page)
    accept_all(page, "reason", "activity", "hobby")
    mask(page)
    for path in ("/data", "/columns", "/column?column=hobby", "/words?column=hobby&status=all", "/method", "/result",
                 "/hierarchies", "/hierarchy?name=reason.vgh.csv&level=1&value=land"):  # fmt: skip
        go(page, path)
        check_width(page)
        check_axe(page)
    context.close()
    assert not watch.problems


def test_keyboard_alone_suffices(page: Any) -> None:
    def tab_to(name: str) -> None:
        for _ in range(400):
            page.keyboard.press("Tab")
            told = page.evaluate(
                "(document.activeElement.textContent || '') + (document.activeElement.ariaLabel || '')"
            )
            if name in told:
                return
        raise AssertionError(f"no Tab leads to {name}")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    tab_to("Open the sample survey")
    page.keyboard.press("Enter")
    page.wait_for_selector("table.rows")
    idle(page)
    tab_to("Set column roles")
    page.keyboard.press("Enter")
    page.wait_for_selector("table.columns")
    idle(page)
    tab_to("Role of hobby")
    for name in ("hobby", "reason"):
        page.get_by_label(f"Role of {name}").focus()
        page.keyboard.press("k")  # keep
    tab_to("review matches")
    page.keyboard.press("Enter")
    page.wait_for_selector("table.words")
    idle(page)
    for word in ("celebration", "dining", "walking"):
        tab_to(f"Accept {word} as")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#last-change:has-text('{word} accepted')")
        idle(page)
    page.keyboard.press("Control+z")
    page.wait_for_selector("#redo:not([disabled])")
    idle(page)
    page.keyboard.press("Control+Shift+z")
    page.wait_for_selector("#redo[disabled]")
    idle(page)
    tab_to("Method")
    page.keyboard.press("Enter")
    page.wait_for_selector("#method-form")
    idle(page)
    page.focus("#k")
    page.keyboard.press("Control+a")
    page.keyboard.type("3")
    tab_to("Mask the table")
    page.keyboard.press("Enter")
    page.wait_for_selector("#take-masked", timeout=60_000)
    assert "k = 3" in page.inner_text("h1")


def test_words_can_be_ticked_on_a_phone_and_are_not_lost(chromium: Any, studio: Served, watch: Any) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = watch.over(context.new_page())
    page.goto(studio.address)
    page.wait_for_url("**/data")
    survey(page)
    go(page, "/words?column=hobby&status=review")
    widths = page.eval_on_selector_all("input[name=pick], #pick-all", "all => all.map(x => x.offsetWidth)")
    assert min(widths) >= 16
    asked: list[str] = []
    page.on("dialog", lambda x: (asked.append(x.type), x.accept()))
    page.get_by_label(re.compile("^Other concept for")).nth(1).fill("music")
    page.get_by_label(re.compile("^Other concept for")).nth(1).blur()
    page.get_by_role("navigation", name="Text columns").get_by_role("link", name="reason").click()
    page.wait_for_url("**column=reason")
    assert asked == ["beforeunload"]
    go(page, "/words?column=hobby&status=review")
    page.get_by_label(re.compile("^Select (?!all)")).first.check()
    page.fill("#bulk", "music")
    with page.expect_navigation():
        page.press("#bulk", "Enter")
    idle(page)
    assert "= music" in label(page)
    assert page.evaluate("document.activeElement.getAttribute('name')") in ("one", "sense-0")
    assert asked == ["beforeunload"]
    context.close()


def test_what_is_typed_of_the_method_is_sent_with_a_promise(page: Any) -> None:
    survey(page)
    go(page, "/method")
    page.fill("#k", "7")
    press(page, "Add guarantee")
    assert page.input_value("#k") == "7"
    assert "k = 7" in page.inner_text(".toml")
