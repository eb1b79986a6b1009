"""Take screenshots for the documentation with Chromium: python tools/screenshots.py [report|studio]"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking", "--no-first-run"]
COLOURS = 256  # per screenshot


def browser() -> str:
    """Return the path of a Chromium browser."""
    path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if path is None:
        sys.exit("Chromium is not installed. Hint: apt install chromium.")
    return path


def screenshot(page: Path, target: Path, width: int, height: int) -> None:
    """Take a screenshot of the top of a page."""
    size = f"--window-size={width},{height}"
    options = ["--headless", *OPTIONS, size, f"--screenshot={target}"]
    subprocess.run([browser(), *options, page.as_uri()], check=True, capture_output=True)
    print(target.relative_to(ROOT))


def reports() -> None:
    """Take screenshots of a report and a comparison of the bundled survey."""
    import allonym as al
    from allonym.pipeline.demo import demonstrate

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demonstrate(folder)
        plan = al.Plan.load(folder / "plan.toml")
        plan.run(folder / "survey.csv", folder / "again.csv").report.save(folder / "report.html")
        methods = ["sa-mdav", "fusion", "s-mdav", "mdav", "noise"]
        grid: dict[str, list[float]] = {"k": [2, 3, 5, 10, 15], "alpha": [0.1, 0.3]}
        al.compare(folder / "survey.csv", plan, methods, grid).save(folder / "compare.html")
        screenshot(folder / "report.html", ROOT / "docs" / "report.png", 1040, 1240)
        screenshot(folder / "compare.html", ROOT / "docs" / "compare.png", 1120, 1180)


def studio() -> None:
    """Take screenshots of the studio while it masks the bundled survey."""
    from playwright.sync_api import sync_playwright

    program = [sys.executable, "-u", "-c", "from allonym.cli import main; main()"]
    started = [*program, "studio", "--no-browser", "--port", "0"]
    with subprocess.Popen(started, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        try:
            with sync_playwright() as driver:
                chromium = driver.chromium.launch(executable_path=browser(), args=OPTIONS)
                _mask_survey(chromium.new_page(viewport={"width": 1280, "height": 860}), address[0])
                chromium.close()
        finally:
            process.terminate()


def _mask_survey(page: Any, address: str) -> None:
    """Mask the survey in the browser, and take a screenshot of every page."""
    base = address.partition("?")[0]
    page.goto(address)
    page.get_by_role("button", name="Open the sample survey").click()
    page.wait_for_selector("table.rows")
    page.goto(f"{base}columns")
    page.get_by_label("Role of age").select_option("keep")
    page.get_by_role("button", name="Apply and review matches").click()
    page.wait_for_selector("table.words")
    page.goto(f"{base}words?column=hobby&status=review")
    _save(page, "words")
    for column in ("reason", "activity", "hobby"):
        page.goto(f"{base}words?column={column}&status=review")
        page.get_by_role("button", name=re.compile("^Accept all")).click()
        page.wait_for_selector("text=Nothing to review")
    page.goto(f"{base}columns")
    _save(page, "columns")
    page.goto(f"{base}method")
    page.get_by_role("button", name="Estimate").click()
    page.wait_for_selector("#trade-off tbody tr", timeout=120_000)
    page.wait_for_load_state("networkidle")
    page.locator("#trade-off").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#trade-off').scrollIntoView()")
    _save(page, "method")
    page.get_by_role("button", name="Mask the table").click()
    page.wait_for_selector("#take-masked", timeout=120_000)
    page.wait_for_load_state("networkidle")
    page.set_viewport_size({"width": 1280, "height": 1330})
    _save(page, "result")
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(f"{base}hierarchies")
    page.select_option("#column", "reason")
    page.get_by_role("button", name="Build").click()
    page.wait_for_selector("text=reason-2.vgh.csv")
    page.goto(f"{base}hierarchy?name=reason-2.vgh.csv&level=0&value=beach")
    page.evaluate("scrollTo(0, 0)")
    _save(page, "hierarchy")


def _save(page: Any, name: str) -> None:
    """Save a screenshot of the visible part of a page, with a reduced palette."""
    from PIL import Image

    target = ROOT / "docs" / "studio" / f"{name}.png"
    target.parent.mkdir(exist_ok=True)
    page.screenshot(path=target)
    image = Image.open(target).convert("RGB")
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target.relative_to(ROOT)}, {target.stat().st_size // 1024} kB")


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["report", "studio"]
    if "report" in wanted:
        reports()
    if "studio" in wanted:
        studio()
