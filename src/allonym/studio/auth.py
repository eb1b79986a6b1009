"""Who may ask: this machine's own browser, with the token. Every request is seen here first, static files too."""

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

FORM = 2_000_000  # bytes of a form without files
SLOW = 1.0  # seconds that a wrong password takes
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "same-origin",  # nothing leaves; no-referrer would hide the origin of our own forms
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
TURNED_AWAY = (
    "<p>This address needs its token.</p><p>Open the whole address that was printed where <code>allonym studio</code> "
    "was started; it ends in <code>?token=…</code></p>"
)
SMALLER = (
    "<p>Hint: start the studio with the file's name, <code>allonym studio FILE</code>, or with "
    '<code>--max-upload</code>.</p><p><a href="/">Back</a></p>'
)
ASKING = (
    '<p>{said}</p><form method="post" action="/password"><label>Password '
    '<input type="password" name="password" autocomplete="current-password" required autofocus></label> '
    "<button>Open</button></form>"
)


class TooLarge(Exception):
    """More bytes came than are taken."""

    def __init__(self, most: int) -> None:
        super().__init__()
        body = f"<p>That is too large: {most:,} bytes are taken at most.</p>{SMALLER}"
        self.page = PAGE.format(head="", body=body)


@dataclass
class Guard:
    """Lets requests through that come from where they should, with the token in a cookie, and not too large."""

    app: App
    hosts: tuple[str, ...]  # name:port, as browsers say it
    limit: int  # bytes of files
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    password: str = field(default="", repr=False)
    _passed: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie: two studios on one machine do not disturb each other."""
        return f"allonym-{self.hosts[0].rpartition(':')[2]}"

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"http://{self.hosts[0]}/?token={self.token}"

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """See a request, and pass it on or answer it."""
        if scope["type"] != "http":  # there are no sockets
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        send = _with_headers(send)
        why = self._foreign(scope["method"], headers)
        if why:
            await _answer(send, 403, PAGE.format(head="", body=f"<p>{html.escape(why, quote=False)}</p>"))
            return
        held = self._cookies(headers)
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if given and scope["method"] == "GET" and scope["path"] == "/" and _same(given, self.token):
            await self._welcome(send, self.cookie, self.token)
        elif not _same(held.get(self.cookie, ""), self.token):
            await _answer(send, 403, PAGE.format(head="", body=TURNED_AWAY))
        elif self.password and not _same(held.get(f"{self.cookie}-password", ""), self._passed):
            await self._ask(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send, headers)

    def _foreign(self, method: str, headers: dict[str, str]) -> str:
        """Say why a request comes from elsewhere, if it does."""
        hosts = [*self.hosts, *(x.removesuffix(":80") for x in self.hosts)]  # browsers leave the usual port out
        if headers.get("host", "") not in hosts:
            return "This address is not the studio's own."
        if method in ("GET", "HEAD"):
            return ""
        if headers.get("origin", "") not in [f"http://{host}" for host in hosts]:
            return "This request comes from another page."
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "This request comes from another site."
        return ""

    @staticmethod
    def _cookies(headers: dict[str, str]) -> dict[str, str]:
        """Return the cookies; those of other programs of this machine come too, however they are written."""
        pairs = (x.partition("=") for x in headers.get("cookie", "").split(";"))
        return {name.strip(): value.strip() for name, _, value in pairs}

    async def _welcome(self, send: Send, name: str, value: str) -> None:
        """Give the cookie; the page then goes on by itself, since a redirect from afar would not carry a strict one."""
        set_cookie = (b"set-cookie", f"{name}={value}; HttpOnly; SameSite=Strict; Path=/".encode())
        head = '<meta http-equiv="refresh" content="0; url=/">'
        await _answer(send, 200, PAGE.format(head=head, body='<p><a href="/">Open the studio</a></p>'), [set_cookie])

    async def _ask(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Ask for the password, or see whether it is right."""
        said = "Your password, please."
        if scope["method"] == "POST" and scope["path"] == "/password":
            try:
                body = await _body(_limited(receive, FORM))
            except TooLarge:
                body = b""
            given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
            if hmac.compare_digest(given.encode(), self.password.encode()):
                await self._welcome(send, f"{self.cookie}-password", self._passed)
                return
            await anyio.sleep(SLOW)
            said = "That is not the password."
        await _answer(send, 401, PAGE.format(head="", body=ASKING.format(said=said)))

    async def _pass_on(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send, headers: dict[str, str]
    ) -> None:
        most = self.limit if headers.get("content-type", "").startswith("multipart/form-data") else FORM
        told = headers.get("content-length", "0")
        if not told.isdecimal() or int(told) > most:
            await _answer(send, 413, TooLarge(most).page, [(b"connection", b"close")])
        else:
            await self.app(scope, _limited(receive, most), send)


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())


def _with_headers(send: Send) -> Send:
    """Return what sends an answer with the headers that every answer has, unless it has its own."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", []))
            known = {name.lower() for name, _ in own}
            own += [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in known]
            message = {**message, "headers": own}
        await send(message)

    return sending


def _limited(receive: Receive, most: int) -> Receive:
    """Return what receives a request as long as it is not too large, whatever it said it would be."""
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise TooLarge(most)
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
    own = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": own})
    await send({"type": "http.response.body", "body": body})
