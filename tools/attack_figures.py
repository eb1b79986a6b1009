"""Write the table of attacks in docs/robustness.md: python tools/attack_figures.py build/attacks.jsonl

`make attacks` runs it after all attacks were judged.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import update_docs

PAGE = update_docs.ROOT / "docs" / "robustness.md"


def table(lines: list[str]) -> str:
    """Return the highest figure of each attack beside its threshold, and the case in which it is nearest to it."""
    cases = defaultdict(list)
    for line in map(json.loads, lines):
        cases[line["attack"]].append((line["figure"] / (line["threshold"] or 1), line))
    rows = ["| attack | cases | nearest to its threshold | figure | threshold |\n", "|---|---:|---|---:|---:|\n"]
    for attack, found in sorted(cases.items()):
        nearest = max(found, key=lambda x: x[0])[1]
        figures = f"{nearest['figure']:.3g} | {nearest['threshold']:.3g}"
        rows.append(f"| {attack} | {len(found)} | {nearest['case']} | {figures} |\n")
    return "".join(rows)


def made() -> str:
    """Return when and from what the figures were made."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return f"`make attacks`, {datetime.now(UTC).date()}, commit {commit.stdout.strip() or 'unknown'}.\n\n"


if __name__ == "__main__":
    lines = Path(sys.argv[1]).read_text("utf-8").splitlines()
    page = PAGE.read_text("utf-8")
    PAGE.write_text(update_docs.replaced(page, "attacks", made() + table(lines)), "utf-8")
