"""Running commands of the command line in tests: in this process, or in a process of its own where that is tested."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def call(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in this process, which saves starting one."""
    done = call_bytes(*words, stdin=stdin.encode())
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


def call_bytes(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a command in this process, with streams of bytes."""
    from allonym.cli import main

    code = 0
    with replaced(words, stdin) as (out, err):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        out.flush()
        err.flush()
    return subprocess.CompletedProcess(words, code, out.buffer.getvalue(), err.buffer.getvalue())  # type: ignore[attr-defined]


@contextmanager
def replaced(words: tuple[str, ...], stdin: bytes) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Give this process other arguments and streams; then give it back its own, with its signal handlers."""
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    sys.argv, sys.stdin = ["allonym", *words], io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    sys.stdout, sys.stderr = out, err
    try:
        yield out, err
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before
        for number, handler in handlers.items():
            signal.signal(number, handler)


def shell(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "allonym", *words]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
