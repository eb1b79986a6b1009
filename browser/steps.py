"""What a person does in the studio: one function for each step."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe

DROP = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  const options = {bubbles: true, cancelable: true, dataTransfer: transfer};
  for (const kind of ["dragenter", "dragover", "drop"])
    document.querySelector("#drop").dispatchEvent(new DragEvent(kind, options));
}"""


def base_of(page: Any) -> str:
    """Return the address of the studio."""
    return "/".join(page.url.split("/")[:3])


def go(page: Any, path: str) -> None:
    """Go to a page of the studio, and wait until no job is running."""
    page.goto(base_of(page) + path)
    idle(page)


def idle(page: Any) -> None:
    """Wait until no job is running."""
    page.wait_for_selector("#job[hidden]", state="attached", timeout=120_000)
    page.wait_for_load_state()  # its script too


def drop(page: Any, name: str, text: str) -> None:
    """Drop a file on the page."""
    page.evaluate(DROP, [name, text])
    page.wait_for_selector("table.rows")
    idle(page)


def choose(page: Any, *files: Path) -> None:
    """Choose files to open."""
    page.wait_for_load_state()
    page.set_input_files("#file", list(files))


def survey(page: Any) -> None:
    """Open the sample survey."""
    page.get_by_role("button", name="Open the sample survey").click()
    page.wait_for_selector("table.rows")
    idle(page)


def press(page: Any, name: str | re.Pattern[str]) -> None:
    """Press a button, and wait for the next page."""
    with page.expect_navigation():
        page.get_by_role("button", name=name).first.click()
    idle(page)


def slow_down(page: Any, latency: int) -> None:
    """Delay every answer by some milliseconds."""
    conditions = {"offline": False, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", conditions)


def accept_all(page: Any, *columns: str) -> None:
    """Accept all matches to review of some columns."""
    for column in columns:
        go(page, f"/words?column={column}&status=review")
        press(page, re.compile("^Accept all"))


def mask(page: Any, seed: str = "") -> None:
    """Mask the table, with a seed if one is given, and wait for the result."""
    go(page, "/method")
    if seed:
        page.get_by_text("Seed", exact=True).click()
        page.fill("#seed", seed)
    page.get_by_role("button", name="Mask the table").click()
    page.wait_for_selector("#take-masked", timeout=120_000)


def take(page: Any, selector: str, folder: Path) -> Path:
    """Download something."""
    with page.expect_download() as found:
        page.click(selector)
    path = folder / found.value.suggested_filename
    found.value.save_as(path)
    return path


def label(page: Any) -> str:
    """Return the label of the current version."""
    return str(page.inner_text("#last-change"))


def codes(page: Any) -> set[str]:
    """Return the codes of the problems that the page shows."""
    return set(page.eval_on_selector_all("[data-code]", "all => all.map(x => x.dataset.code)"))


def complaint(page: Any) -> str:
    """Return the text of the problems."""
    return str(page.inner_text(".complaint"))


def check_axe(page: Any) -> None:
    """Check accessibility with axe."""
    found = Axe().run(page)
    told = [f"{x['id']}: {x['nodes'][0]['html'][:200]}" for x in found.response["violations"]]
    assert not told, f"{page.url}: {told}"


def check_width(page: Any) -> None:
    """Check that nothing is wider than the window."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{page.url} is {wide} px too wide"
