"""Real data beside the project, which is read in place; tests that need it are skipped, saying so, where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from paths import DATA, WNDB

__all__ = ["DATA", "WNDB", "needs"]


def needs(path: Path) -> pytest.MarkDecorator:
    """Skip a test where a file is not at hand."""
    return pytest.mark.skipif(not path.exists(), reason=f"needs {path.name}, which is not at hand")
