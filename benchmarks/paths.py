"""Paths of the data sets beside the project, and of WordNet ($WNDB, by default that of Debian's wordnet-base)."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
WNDB = Path(os.environ.get("WNDB", "/usr/share/wordnet"))
