"""Where real data lies: beside the project, and where Debian's package wordnet-base puts WordNet (or $WNDB says)."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
WNDB = Path(os.environ.get("WNDB", "/usr/share/wordnet"))
