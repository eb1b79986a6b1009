"""Starting the studio: a private folder, a socket on this machine alone, a token; and leaving nothing behind."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allonym.errors import OptionError, TableError
from allonym.studio import needed

PORT = 8765  # or, if that is taken and none was asked for, any
LIMIT = 2 * 1024**3  # bytes of a file that is dropped into the page
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Settings:
    """How the studio is served."""

    host: str = LOOPBACK
    port: int | None = None
    limit: int = LIMIT
    password: str = ""
    browser: bool = True

    def check(self, allow_remote: bool) -> None:
        """Refuse to listen where others could reach it, unless that is really wanted."""
        if is_loopback(self.host):
            return
        if not allow_remote or not self.password:
            raise OptionError(
                f"{self.host} can be reached by others, and the studio shows data that is not masked.",
                hint="leave --host out; or say --allow-remote and set a password in ALLONYM_STUDIO_PASSWORD.",
            )
        if is_everywhere(self.host):
            raise OptionError(
                "The studio listens at one address, not at all of them.", hint="give the one that others use."
            )


def is_loopback(host: str) -> bool:
    """Tell whether an address is this machine's own, to be reached from nowhere else."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_everywhere(host: str) -> bool:
    """Tell whether an address stands for all of a machine's, however it is written: 0, 0.0.0.0, ::."""
    try:
        found = socket.getaddrinfo(host or None, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return False  # to listen there will fail, and say so
    return any(ipaddress.ip_address(str(x[4][0]).partition("%")[0]).is_unspecified for x in found)


def names_of(host: str) -> tuple[str, ...]:
    """Return the names by which browsers ask for an address: the one to be printed first.

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
    """Serve the studio until somebody ends it."""
    needed()
    import uvicorn

    from allonym.studio.app import studio
    from allonym.studio.auth import Guard
    from allonym.studio.workspace import Workspace

    for given in (file, plan):
        if given is not None and not given.is_file():
            raise TableError(f"{given} cannot be read.", hint="is the name right?")
    if hasattr(signal, "SIGHUP"):  # until there is a server to be told
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
            workspace.open(file.absolute(), file.name, workspace.place(), plan)
        say(f"allonym studio: {guard.address}")
        stays = "Nothing leaves this machine. " if is_loopback(settings.host) else ""
        say(f"{stays}Ctrl-C ends it, and removes what was opened here.")
        config = uvicorn.Config(
            guard, log_level="error", access_log=False, server_header=False, lifespan="off", ws="none",
            proxy_headers=False, timeout_graceful_shutdown=2, h11_max_incomplete_event_size=65536,
        )  # fmt: skip
        server = uvicorn.Server(config)
        for name in ("uvicorn.error", "asyncio"):  # requests that were cut off at the end are nobody's mistake
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
def private_folder() -> Iterator[Path]:
    """Make a folder that only its owner may look into, for every file that is made here; removed in the end."""
    folder = Path(tempfile.mkdtemp(prefix="allonym-studio-"))
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def listening(settings: Settings) -> Iterator[tuple[socket.socket, int]]:
    """Listen at the port that was asked for; else the usual one, or any that is free."""
    host = LOOPBACK if settings.host == "localhost" else settings.host
    family: Any = socket.AF_INET6 if ":" in host else socket.AF_INET
    ports = [settings.port] if settings.port is not None else [PORT, 0]
    with contextlib.closing(socket.socket(family, socket.SOCK_STREAM)) as sock:
        if os.name == "posix":  # elsewhere this would let others take the port as well
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for port in ports:
            try:
                sock.bind((host, port))
                break
            except OSError as error:
                if error.errno == errno.EADDRINUSE and port != ports[-1]:
                    continue
                raise OptionError(
                    f"{host}:{port} cannot be listened at: {error.strerror}.", hint="give another --port."
                ) from error
        sock.listen(64)
        yield sock, int(sock.getsockname()[1])


def _open(address: str, folder: Path) -> None:
    """Open the page by way of a file that only its owner may read: arguments of programs can be seen by others."""
    page = folder / "open.html"
    page.touch(mode=0o600)
    page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">', "utf-8")
    webbrowser.open(page.as_uri())
