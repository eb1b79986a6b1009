"""Fixtures: Chromium, controlled by Playwright, and a studio."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import BROWSER, OPTIONS, Serve, Served, Watch


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip all tests where there is no browser."""
    if BROWSER is None:
        why = pytest.mark.skip(reason="there is no browser to test in; Debian: apt install chromium")
        for item in items:
            item.add_marker(why)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """A function that starts a studio; the test stops it at its end."""
    running: list[Served] = []

    def start(*words: str, **environment: str) -> Served:
        temporary = tmp_path / f"temporary-{len(running)}"
        temporary.mkdir()
        code = "from allonym.cli import main; main()"
        with (temporary / "errors").open("w") as errors:
            process = subprocess.Popen(
                [sys.executable, "-u", "-c", code, "studio", "--no-browser", "--port", "0", *words],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | {"TMPDIR": str(temporary)} | environment,
            )
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, (temporary / "errors").read_text()
        running.append(Served(process, found[0], temporary))
        return running[-1]

    yield start
    for studio in running:
        studio.end()
        assert studio.process.stdout is not None
        studio.process.stdout.close()
        assert (studio.temporary / "errors").read_text() in ("", "Stopped.\n")
        assert not list(studio.temporary.glob("allonym-studio-*"))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser itself."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make studio-test")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def watch() -> Watch:
    """A watcher of console messages and requests."""
    return Watch()


@pytest.fixture
def studio(serve: Serve) -> Served:
    """A studio with nothing open."""
    return serve()


@pytest.fixture
def page(chromium: Any, studio: Served, watch: Watch) -> Iterator[Any]:
    """A page with the token; at the end its console must be empty, and it must have requested nothing elsewhere."""
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900}, accept_downloads=True, reduced_motion="reduce"
    )
    found = watch.over(context.new_page())
    found.goto(studio.address)
    found.wait_for_url("**/data")
    yield found
    context.close()
    assert not [x for x in watch.problems if "status of 4" not in x], watch.problems
    assert watch.asked <= {studio.base.split("/")[2], "data:"}
