"""Judge an attack by its threshold; `make attacks` collects the figures for docs/robustness.md."""

from __future__ import annotations

import json
import os
from pathlib import Path


def judge(attack: str, case: str, figure: float, threshold: float) -> None:
    """Fail if an attack succeeds above its threshold, and record how far it came."""
    if path := os.environ.get("ALLONYM_ATTACKS"):
        line = {"attack": attack, "case": case, "figure": float(figure), "threshold": float(threshold)}
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    assert figure <= threshold, f"{attack}, {case}: {figure:.3g} is above {threshold:.3g}"
