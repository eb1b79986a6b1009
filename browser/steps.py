"""What a person does in the studio, in a word each."""

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
    """Go to a page of the studio, and wait until nothing is going on."""
    page.goto(base_of(page) + path)
    idle(page)


def idle(page: Any) -> None:
    """Wait until no work is going on."""
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
    """Take the bundled survey."""
    page.get_by_role("button", name="Take the bundled survey").click()
    page.wait_for_selector("table.rows")
    idle(page)


def press(page: Any, name: str | re.Pattern[str]) -> None:
    """Press a button, and wait for the page that comes."""
    with page.expect_navigation():
        page.get_by_role("button", name=name).first.click()
    idle(page)


def slow_down(page: Any, latency: int) -> None:
    """Let every answer come later, by some milliseconds."""
    conditions = {"offline": False, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", conditions)


def accept_all(page: Any, *columns: str) -> None:
    """Take all words of some columns that are to be reviewed."""
    for column in columns:
        go(page, f"/words?column={column}&status=review")
        press(page, re.compile("^Accept all"))


def mask(page: Any) -> None:
    """Mask the table and wait for the result."""
    go(page, "/method")
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
    """Return what was changed last."""
    return str(page.inner_text("#last-change"))


def complaint(page: Any) -> str:
    """Return what the page complains of."""
    return str(page.inner_text(".complaint"))


def check_axe(page: Any) -> None:
    """See that contrast, labels and whatever else axe knows are right."""
    found = Axe().run(page)
    told = [f"{x['id']}: {x['nodes'][0]['html'][:200]}" for x in found.response["violations"]]
    assert not told, f"{page.url}: {told}"


def check_width(page: Any) -> None:
    """See that nothing is wider than the window."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{page.url} is {wide} px too wide"
