"""Pictures of pages for the docs, by Debian's chromium: python tools/screenshots.py"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def picture(page: Path, target: Path, width: int, height: int) -> None:
    """Take a picture of the top of a page."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit("There is no browser to take pictures with. Hint: apt install chromium.")
    size = f"--window-size={width},{height}"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size, f"--screenshot={target}"]
    subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True)
    print(target.relative_to(ROOT))


def main() -> None:
    """Take pictures of a report and of a comparison of the bundled survey."""
    import allonym as al
    from allonym.plan.demo import demonstrate

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demonstrate(folder)
        plan = al.Plan.load(folder / "plan.toml")
        plan.run(folder / "survey.csv", folder / "again.csv").report.save(folder / "report.html")
        methods = ["sa-mdav", "fusion", "s-mdav", "mdav", "noise"]
        grid: dict[str, list[float]] = {"k": [2, 3, 5, 10, 15], "alpha": [0.1, 0.3]}
        al.compare(folder / "survey.csv", plan, methods, grid).save(folder / "compare.html")
        picture(folder / "report.html", ROOT / "docs" / "report.png", 1040, 1240)
        picture(folder / "compare.html", ROOT / "docs" / "compare.png", 1120, 1180)


if __name__ == "__main__":
    main()
