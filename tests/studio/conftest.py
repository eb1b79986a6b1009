"""Fixtures: a studio for every test."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Browser


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    """A client with the token."""
    folder = tmp_path / "private"
    folder.mkdir()
    return Browser(folder).enter()


@pytest.fixture
def survey(browser: Browser) -> Browser:
    """A client with the sample survey open."""
    browser.post("/survey")
    browser.get("/data")
    browser.settle()
    return browser
