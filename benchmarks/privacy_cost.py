"""Cost of privacy models in addition to k-anonymity: python benchmarks/privacy_cost.py

Sensitive columns are origin, spent and hobby of the bundled survey, and marital status and education of Adult; k = 5.
Writes two blocks of docs/measures/privacy.md.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import adult
import pages
from paths import ROOT

import allonym as al
from allonym.pipeline.demo import WORDS, demonstrate

PAGE = ROOT / "docs" / "measures" / "privacy.md"
METHODS = ("sa-mdav", "s-mdav", "fusion", "mdav")
SURVEY = {
    "none": [],
    "3-diversity of origin": [al.Privacy("l-diversity", "origin", l=3)],
    "entropy 2.5-diversity of origin": [al.Privacy("entropy-l-diversity", "origin", l=2.5)],
    "recursive (2,3)-diversity of origin": [al.Privacy("recursive-l-diversity", "origin", l=3, c=2)],
    "0.3-closeness of spent": [al.Privacy("t-closeness", "spent", t=0.3)],
    "0.4-closeness of hobby, semantic": [al.Privacy("t-closeness", "hobby", t=0.4)],
}
ADULT = {
    "none": [],
    "3-diversity of marital-status": [al.Privacy("l-diversity", "marital-status", l=3)],
    "5-diversity of education": [al.Privacy("l-diversity", "education", l=5)],
    "0.3-closeness of education": [al.Privacy("t-closeness", "education", t=0.3)],
}


def survey(folder: Path) -> tuple[Path, dict[str, al.Column]]:
    """Return the survey and its columns."""
    demonstrate(folder)
    columns = {"visitor": al.identifier(), "hobby": al.sensitive("wordnet"), "origin": al.sensitive("category")}
    columns |= {"age": al.keep(), "spent": al.sensitive()}
    return folder / "survey.csv", columns | {x: al.quasi("wordnet", links=folder / f"{x}.links.csv") for x in WORDS}


def adults(folder: Path) -> tuple[Path, dict[str, al.Column]]:
    """Return the Adult data set and its columns."""
    adult.write(folder / "adult.csv")
    columns = {"marital-status": al.sensitive("category"), "education": al.sensitive("category")}
    return folder / "adult.csv", dict(adult.plan().columns) | columns


def table(file: Path, columns: dict[str, al.Column], models: dict[str, list[al.Privacy]], folder: Path) -> str:
    """Return the loss, the groups and the CPU seconds of each privacy model with each method."""
    heads = "".join(f" {method} | | |" for method in METHODS)
    lines = [f"| in addition to k = 5 |{heads}", "|---|" + "---:|---:|---:|" * len(METHODS)]
    lines.append("| | " + " | ".join(["loss (%) | groups | CPU s"] * len(METHODS)) + " |")
    for name, privacy in models.items():
        cells = []
        for method in METHODS:
            began = time.process_time()
            plan = al.Plan(columns, method=method, k=5, keep_rest=True, privacy=privacy)
            summary = plan.run(file, folder / "masked.csv").summary
            seconds = time.process_time() - began
            cells.append(
                f"{summary['measures']['information_loss']['value']:.2f} | {summary['tuples']['after']} | {seconds:.1f}"
            )
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write both tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages.write(PAGE, "survey", table(*survey(folder), SURVEY, folder))
        pages.write(PAGE, "adult", table(*adults(folder), ADULT, folder))


if __name__ == "__main__":
    main()
