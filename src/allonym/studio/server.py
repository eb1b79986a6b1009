"""The server: a private folder, a socket on this machine, a token; it removes its files at the end."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import logging
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allonym.errors import OptionError, TableError
from allonym.studio import needed
from allonym.studio.private_folder import private_folder

DEFAULT_PORT = 8765  # any free port where it is taken
UPLOAD_LIMIT = 2 * 1024**3  # bytes
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Settings:
    """How the studio is served."""

    host: str = LOOPBACK
    port: int | None = None
    limit: int = UPLOAD_LIMIT
    password: str = ""
    browser: bool = True

    def check(self, allow_remote: bool) -> None:
        """Raise an error for an address that others can reach, unless remote access is allowed and has a password."""
        if is_loopback(self.host):
            return
        if not allow_remote or not self.password:
            raise OptionError(
                f"Others can reach {self.host}, and the studio shows original data.",
                hint="omit --host, or use --allow-remote with a password in ALLONYM_STUDIO_PASSWORD.",
            )
        if is_everywhere(self.host):
            raise OptionError(
                "The studio listens on one address, not on all of them.", hint="name the address that others use."
            )


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_everywhere(host: str) -> bool:
    """Return whether an address stands for all addresses of a machine, in any spelling: 0, 0.0.0.0, ::."""
    try:
        addresses = socket.getaddrinfo(host or None, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return False  # binding will fail and report it
    return any(ipaddress.ip_address(str(x[4][0]).partition("%")[0]).is_unspecified for x in addresses)


def names_of(host: str) -> tuple[str, ...]:
    """Return the host names that browsers use for an address; the first one is printed.

    >>> names_of("127.0.0.1"), names_of("127.0.0.2"), names_of("0:0::1")
    (('127.0.0.1', 'localhost'), ('127.0.0.2',), ('[::1]', 'localhost'))
    """
    try:
        address = ipaddress.ip_address(LOOPBACK if host == "localhost" else host)
    except ValueError:
        return (host.lower(),)
    name = f"[{address}]" if address.version == 6 else str(address)
    return (name, "localhost") if name in (LOOPBACK, "[::1]") else (name,)


def serve(file: Path | None, plan: Path | None, settings: Settings, say: Callable[[str], None] = print) -> None:
    """Serve the studio until it is stopped."""
    needed()
    import uvicorn

    from allonym.studio.app import studio
    from allonym.studio.auth import Guard
    from allonym.studio.workspace import Workspace

    for path in (file, plan):
        if path is not None and not path.is_file():
            raise TableError(f"{path} is not a file.", hint="check the name.")
    if hasattr(signal, "SIGHUP"):  # until there is a server to stop
        signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGTERM) or signal.SIG_DFL)
    with private_folder() as folder, listening(settings) as (sock, port):
        workspace = Workspace(folder)
        names = names_of(settings.host)
        guard = Guard(
            studio(workspace, settings.limit),
            hosts=tuple(f"{name}:{port}" for name in names),
            limit=settings.limit,
            password=settings.password,
        )
        if file is not None:
            workspace.open(file.absolute(), file.name, workspace.new_table_folder(), plan)
        say(f"allonym studio: {guard.address}")
        stays = "Nothing leaves this machine. " if is_loopback(settings.host) else ""
        say(f"{stays}Press Ctrl-C to stop; the studio then deletes its temporary files.")
        config = uvicorn.Config(
            guard, log_level="error", access_log=False, server_header=False, lifespan="off", ws="none",
            proxy_headers=False, timeout_graceful_shutdown=2, h11_max_incomplete_event_size=65536,
        )  # fmt: skip
        server = uvicorn.Server(config)
        for name in ("uvicorn.error", "asyncio"):  # do not report requests that are cut off at the end
            logging.getLogger(name).addFilter(lambda _: not server.should_exit)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, lambda *_: setattr(server, "should_exit", True))
        if settings.browser:
            threading.Timer(0.3, _open, (guard.address, folder)).start()
        try:
            server.run(sockets=[sock])
        finally:
            if workspace.job is not None:
                workspace.job.cancel()


@contextmanager
def listening(settings: Settings) -> Iterator[tuple[socket.socket, int]]:
    """Listen on the given port, or on the default port, or on any free one."""
    host = LOOPBACK if settings.host == "localhost" else settings.host
    family: Any = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = [settings.port] if settings.port is not None else [DEFAULT_PORT, 0]
    with contextlib.closing(socket.socket(family, socket.SOCK_STREAM)) as sock:
        if os.name == "posix":  # elsewhere this would let others take the port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for port in ports:
            try:
                sock.bind((host, port))
                break
            except OSError as error:
                if error.errno == errno.EADDRINUSE and port != ports[-1]:
                    continue
                raise OptionError(
                    f"Cannot listen on {host}:{port}: {error.strerror}.", hint="choose another --port."
                ) from error
        sock.listen(64)
        yield sock, int(sock.getsockname()[1])


def _open(address: str, folder: Path) -> None:
    """Open the browser through a file that only its owner may read: other users can see command-line arguments."""
    page = folder / "open.html"
    page.touch(mode=0o600)
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">', "utf-8")
    webbrowser.open(page.as_uri())
