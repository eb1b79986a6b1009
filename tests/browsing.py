"""A test client that behaves like a browser with the studio."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from allonym.studio.app import studio
from allonym.studio.auth import Guard
from allonym.studio.workspace import Workspace

HOST = "127.0.0.1:8765"
LIMIT = 3_000_000


class Browser:
    """Sends requests as a page would."""

    def __init__(self, folder: Path, limit: int = LIMIT, password: str = "", follow: bool = True) -> None:
        self.workspace = Workspace(folder)
        self.guard = Guard(studio(self.workspace, limit), (HOST, "localhost:8765"), limit, password=password)
        self.client = TestClient(self.guard, base_url=f"http://{HOST}", follow_redirects=follow)
        self.client.headers["origin"] = f"http://{HOST}"

    def enter(self) -> Browser:
        """Open the address with the token."""
        assert self.client.get(f"/?token={self.guard.token}").status_code == 200
        return self

    def get(self, path: str, code: int = 200, **query: Any) -> str:
        """Return a page, once no job is running."""
        answer = self._waited(self.client.get(path, params=query))
        assert answer.status_code == code, shown(answer.text)[:600]
        return unescape(answer.text)

    def post(self, path: str, code: int = 200, files: Any = None, **form: Any) -> str:
        """Send a form for the current version, and wait for the job it starts."""
        if "base" not in form and self.workspace.table is not None:
            form["base"] = str(self.workspace.table.history.current.number)
        answer = self._waited(self.client.post(path, data=form, files=files))
        assert answer.status_code == code, shown(answer.text)[:600]
        return unescape(answer.text)

    def _waited(self, answer: Any) -> Any:
        """Wait for the job that a page shows, then load the next page as its script does."""
        while 'data-running="yes"' in answer.text and answer.request.method == "GET":
            self.settle()
            number = re.search(r'data-job="(\d+)"', answer.text)
            told = self.client.get("/job", params={"of": number[1] if number else ""}).json()
            if told["state"] == "failed":
                answer = self.client.get("/problem")
            else:
                gone = told["state"] == "done" and told["then"]
                answer = self.client.get(told["then"].partition("#")[0] if gone else str(answer.url))
        self.settle()
        return answer

    def fill(self, page: str, action: str, code: int = 200, **changed: Any) -> str:
        """Send the form of a page with some fields changed."""
        raw = self.client.get(page).text
        return self.post(action, code, **(fields(raw, action) | changed))

    def settle(self) -> None:
        """Wait until no job is running."""
        for job in (self.workspace.job, self.workspace.checking and self.workspace.checking[1]):
            if job is not None:
                assert job.wait(60)

    @property
    def version(self) -> Any:
        """The current version of the plan."""
        return self.workspace.require_table().history.current


def shown(page: str) -> str:
    """Return the text of a page without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def codes(page: str) -> set[str]:
    """Return the codes of the problems that a page shows."""
    return set(re.findall(r'data-code="([^"]+)"', page))


class _Fields(HTMLParser):
    """Collects the fields of an untouched form."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action, self.inside, self.select, self.found = action, False, "", dict[str, str]()
        self.area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "form":
            self.inside = given.get("action") == self.action and given.get("method") == "post" and not self.found
        elif not self.inside:
            return
        elif tag == "input" and given.get("type") in ("checkbox", "radio"):
            if "checked" in given:
                self.found[name] = value
        elif tag == "input" and given.get("type") != "file":
            self.found[name] = value
        elif tag == "select":
            self.select = name
        elif tag == "textarea":
            self.area = name
        elif tag == "option" and (self.select not in self.found or "selected" in given):
            self.found[self.select] = value

    def handle_data(self, data: str) -> None:
        if self.area:
            self.found[self.area] = data

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "form"
        self.area = "" if tag == "textarea" else self.area


def fields(page: str, action: str) -> dict[str, str]:
    """Return the fields that an untouched form would send to an address."""
    found = _Fields(action)
    found.feed(page)
    assert found.found, f"there is no form for {action}"
    return found.found
