"""Data sets beside the project. Tests that need a missing data set are skipped with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from paths import DATA, WNDB

__all__ = ["DATA", "WNDB", "needs"]


def needs(path: Path) -> pytest.MarkDecorator:
    """Skip a test if a file does not exist."""
    return pytest.mark.skipif(not path.exists(), reason=f"needs {path.name}, which does not exist")
