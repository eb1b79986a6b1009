"""Access control: every request, static files included, needs the token and must come from the studio itself."""

from __future__ import annotations

import hmac
import html
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import anyio

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

MAX_FORM = 2_000_000  # bytes of a form without files
PASSWORD_DELAY = 1.0  # seconds before a wrong password is answered
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "same-origin",  # no-referrer would hide the origin of our own forms
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>allonym studio</title>'
    '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">{head}</head>'
    "<body><main><h1>allonym studio</h1>{body}</main></body></html>"
)
NO_TOKEN = (
    "<p>The token is missing.</p><p>Open the whole address that <code>allonym studio</code> printed in the terminal; "
    "it ends in <code>?token=…</code></p>"
)
TOO_LARGE = (
    "<p>The upload is larger than the limit of {limit:,} bytes.</p><p>Open the file from the command line, "
    "<code>allonym studio FILE</code>, or raise the limit with <code>--max-upload</code>.</p>"
    '<p><a href="/">Back</a></p>'
)
PASSWORD_FORM = (
    '<p>{message}</p><form method="post" action="/password"><label>Password '
    '<input type="password" name="password" autocomplete="current-password" required autofocus></label> '
    "<button>Open</button></form>"
)


class TooLarge(Exception):
    """A request is larger than its limit."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.page = PAGE.format(head="", body=TOO_LARGE.format(limit=limit))


@dataclass
class Guard:
    """Passes requests on that come from the studio's own pages, carry the token in a cookie, and are not too large."""

    app: App
    hosts: tuple[str, ...]  # name:port, as in the Host header
    limit: int  # bytes of an upload
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    password: str = field(default="", repr=False)
    _password_cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie; it has the port, so that two studios on one machine do not interfere."""
        return f"allonym-{self.hosts[0].rpartition(':')[2]}"

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"http://{self.hosts[0]}/?token={self.token}"

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":  # the studio has no web sockets
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        send = _with_headers(send)
        reason = self._refusal(scope["method"], headers)
        if reason:
            await _answer(send, 403, PAGE.format(head="", body=f"<p>{html.escape(reason, quote=False)}</p>"))
            return
        cookies = self._cookies(headers)
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if token and scope["method"] == "GET" and scope["path"] == "/" and _same(token, self.token):
            await self._set_cookie(send, self.cookie, self.token)
        elif not _same(cookies.get(self.cookie, ""), self.token):
            await _answer(send, 403, PAGE.format(head="", body=NO_TOKEN))
        elif self.password and not _same(cookies.get(f"{self.cookie}-password", ""), self._password_cookie):
            await self._check_password(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send, headers)

    def _refusal(self, method: str, headers: dict[str, str]) -> str:
        """Return why a request does not come from the studio's own pages; empty if it does."""
        hosts = [*self.hosts, *(x.removesuffix(":80") for x in self.hosts)]  # browsers leave out the default port
        if headers.get("host", "") not in hosts:
            return "This host name is not one of the studio's."
        if method in ("GET", "HEAD"):
            return ""
        if headers.get("origin", "") not in [f"http://{host}" for host in hosts]:
            return "This request comes from another page."
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "This request comes from another site."
        return ""

    @staticmethod
    def _cookies(headers: dict[str, str]) -> dict[str, str]:
        """Return the cookies; browsers also send those of other programs on this machine, valid or not."""
        pairs = (x.partition("=") for x in headers.get("cookie", "").split(";"))
        return {name.strip(): value.strip() for name, _, value in pairs}

    async def _set_cookie(self, send: Send, name: str, value: str) -> None:
        """Set a cookie, then reload by meta refresh: after a link from another program, a redirect lacks the cookie."""
        set_cookie = (b"set-cookie", f"{name}={value}; HttpOnly; SameSite=Strict; Path=/".encode())
        head = '<meta http-equiv="refresh" content="0; url=/">'
        await _answer(send, 200, PAGE.format(head=head, body='<p><a href="/">Open the studio</a></p>'), [set_cookie])

    async def _check_password(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Ask for the password, or check it."""
        message = "Enter the password."
        if scope["method"] == "POST" and scope["path"] == "/password":
            try:
                body = await _body(_limited(receive, MAX_FORM))
            except TooLarge:
                body = b""
            password = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
            if _same(password, self.password):
                await self._set_cookie(send, f"{self.cookie}-password", self._password_cookie)
                return
            await anyio.sleep(PASSWORD_DELAY)
            message = "The password is wrong."
        await _answer(send, 401, PAGE.format(head="", body=PASSWORD_FORM.format(message=message)))

    async def _pass_on(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send, headers: dict[str, str]
    ) -> None:
        limit = self.limit if headers.get("content-type", "").startswith("multipart/form-data") else MAX_FORM
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > limit:
            await _answer(send, 413, TooLarge(limit).page, [(b"connection", b"close")])
        else:
            await self.app(scope, _limited(receive, limit), send)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _with_headers(send: Send) -> Send:
    """Add the headers of every answer, where the answer does not set them itself."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            present = {name.lower() for name, _ in headers}
            headers += [(x.encode(), value.encode()) for x, value in HEADERS.items() if x.encode() not in present]
            message = {**message, "headers": headers}
        await send(message)

    return sending


def _limited(receive: Receive, limit: int) -> Receive:
    """Count the bytes received, whatever the declared length, and stop at the limit."""
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise TooLarge(limit)
        return message

    return receiving


async def _body(receive: Receive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = bool(message.get("more_body", False))
    return b"".join(parts)


async def _answer(send: Send, status: int, text: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
    body = text.encode()
    common = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*common, *headers]})
    await send({"type": "http.response.body", "body": body})
