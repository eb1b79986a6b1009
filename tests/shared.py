"""Data sets beside the project. Tests that need a missing data set are skipped with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from paths import DATA, WNDB

from allonym.pipeline import fit, run
from allonym.release_key import ReleaseKey

__all__ = ["DATA", "WNDB", "needs", "same_key"]


def needs(path: Path) -> pytest.MarkDecorator:
    """Skip a test if a file does not exist."""
    return pytest.mark.skipif(not path.exists(), reason=f"needs {path.name}, which does not exist")


@contextmanager
def same_key() -> Iterator[None]:
    """Let releases of different tables have one key, so that ties and errors are drawn alike."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (run, fit):
            patch.setattr(module, "release_key", lambda prepared, input_hash: ReleaseKey.from_seed(3, "", ""))
        yield
