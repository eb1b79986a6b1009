"""Access control: only requests with the token from the studio's own pages are answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import HOST, Browser
from starlette.testclient import TestClient

PATHS = ["/", "/data", "/columns", "/words", "/method", "/result", "/hierarchies", "/static/studio.css", "/job",
         "/plan.toml", "/static/studio.js", "/nothing", "/chart?what=map",
         "/download?run=1&what=plan.toml"]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_without_the_token_everything_is_turned_away(path: str, browser: Browser) -> None:
    stranger = TestClient(browser.guard, base_url=f"http://{HOST}")
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "The token is missing" in answer.text
    assert browser.guard.token not in answer.text


@pytest.mark.parametrize("token", ["", "x", "ü", "0" * 43])
def test_a_wrong_token_is_none(token: str, browser: Browser) -> None:
    stranger = TestClient(browser.guard, base_url=f"http://{HOST}")
    assert stranger.get("/", params={"token": token}).status_code == 403
    cookie = f"{browser.guard.cookie}={token.encode('ascii', 'ignore').decode()}"
    assert stranger.get("/data", headers={"cookie": cookie}).status_code == 403
    assert not stranger.cookies


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_do_not_have(browser: Browser) -> None:
    answer = TestClient(browser.guard, base_url=f"http://{HOST}").get("/", params={"token": browser.guard.token})
    given = answer.headers["set-cookie"]
    assert given.startswith("allonym-8765=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(given.split("; "))
    assert 'content="0; url=/"' in answer.text


def test_the_token_opens_the_front_door_only(browser: Browser) -> None:
    stranger = TestClient(browser.guard, base_url=f"http://{HOST}")
    assert stranger.get("/data", params={"token": browser.guard.token}).status_code == 403
    assert stranger.post("/", params={"token": browser.guard.token}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:80", "evil.example:8765", "[::1]:8765", ""])
def test_another_host_is_refused(host: str, browser: Browser) -> None:
    answer = browser.client.get("/data", headers={"host": host})
    assert answer.status_code == 403
    assert "not one of the studio's" in answer.text


def test_localhost_is_this_machine_too(browser: Browser) -> None:
    client = TestClient(browser.guard, base_url="http://localhost:8765")
    assert client.get("/", params={"token": browser.guard.token}).status_code == 200
    assert client.get("/data").status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", f"https://{HOST}", "http://127.0.0.1:80"])
def test_forms_of_other_pages_are_refused(origin: str, browser: Browser) -> None:
    assert browser.client.post("/survey", headers={"origin": origin}).status_code == 403
    assert browser.workspace.table is None


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_other_sites_are_refused_by_what_the_browser_says(site: str, browser: Browser) -> None:
    assert browser.client.post("/survey", headers={"sec-fetch-site": site}).status_code == 403
    assert browser.workspace.table is None


def test_every_answer_has_the_headers(survey: Browser) -> None:
    stranger = TestClient(survey.guard, base_url=f"http://{HOST}")
    for answer in (survey.client.get("/data"), survey.client.get("/static/studio.js"), survey.client.get("/no"),
                   stranger.get("/"), survey.client.get("/plan.toml")):  # fmt: skip
        headers = answer.headers
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


def test_pages_hold_no_script_style_or_address_of_their_own(survey: Browser) -> None:
    for path in ("/data", "/columns", "/words", "/method", "/result", "/hierarchies", "/column?column=hobby"):
        page = survey.client.get(path).text
        assert page.count("<script") == 1
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page
        assert "http://" not in page.replace("http://www.w3.org", "")
        assert "https://" not in page


def test_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    browser = Browser(tmp_path, limit=20_000).enter()
    answer = browser.client.post("/open", files={"file": ("big.csv", b"a,b\n" + b"1,2\n" * 10_000)})
    assert answer.status_code == 413
    assert "20,000 bytes" in answer.text
    assert "allonym studio FILE" in answer.text
    assert browser.workspace.table is None


def test_too_large_is_refused_while_it_comes_whatever_it_says(tmp_path: Path) -> None:
    browser = Browser(tmp_path, limit=20_000).enter()
    read = 0

    def body() -> object:
        nonlocal read
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        for _ in range(1000):
            read += 1000
            yield b"1,2\n" * 250
        yield b"\r\n--x--\r\n"

    answer = browser.client.post("/open", content=body(), headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.status_code == 413
    assert browser.workspace.table is None


def test_forms_without_files_are_small(browser: Browser) -> None:
    assert browser.client.post("/columns", data={"role-0": "x" * 3_000_000}).status_code == 413


@pytest.mark.parametrize("length", ["-1", "many", "99999999999999999999"])
def test_a_length_that_is_none_is_refused(length: str, browser: Browser) -> None:
    assert browser.client.post("/survey", headers={"content-length": length}, content=b"").status_code == 413


def test_there_are_no_sockets(browser: Browser) -> None:
    with pytest.raises(Exception) as closed, browser.client.websocket_connect("/data"):
        pass
    assert "1008" in repr(closed.value) or "WebSocketDisconnect" in type(closed.value).__name__


def test_a_password_is_asked_for_beside_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allonym.studio.auth.PASSWORD_DELAY", 0.0)
    browser = Browser(tmp_path, password="open sesame").enter()
    assert browser.client.get("/data").status_code == 401
    assert browser.client.post("/survey").status_code == 401
    wrong = browser.client.post("/password", data={"password": "open"})
    assert wrong.status_code == 401
    assert "The password is wrong" in wrong.text
    assert browser.client.get("/data").status_code == 401
    assert browser.client.post("/password", data={"password": "open sesame"}).status_code == 200
    assert browser.client.get("/data").status_code == 200
    stranger = TestClient(browser.guard, base_url=f"http://{HOST}", headers={"origin": f"http://{HOST}"})
    assert stranger.post("/password", data={"password": "open sesame"}).status_code == 403  # without the token


def test_broken_cookies_are_none(browser: Browser) -> None:
    stranger = TestClient(browser.guard, base_url=f"http://{HOST}")
    assert stranger.get("/data", headers={"cookie": 'a="; =; allonym-8765'}).status_code == 403
