"""Parsers in a process with limits: a hostile or damaged file ends that process, not this one.

The result comes back as JSON, never as pickled objects. Where no process can be started, the parser runs in this one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from allonym.errors import TableError
from allonym.tables.base import DEFAULT_MAX_SIZE
from allonym.tables.parsers import script
from allonym.tables.unpacking import MEGABYTE, too_large

CPU_SECONDS, SECONDS = 300, 900  # of CPU time, and on the clock
MEMORY_PER_SIZE = 2  # a parser may use this much memory for each byte that a file may unpack to
MIN_MEMORY = 1 << 30  # what a parser needs for itself, and more
CHUNK = 1 << 20
ENVIRONMENT = ("SYSTEMROOT", "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # what a library may need to be loaded
SCRIPT = Path(script.__file__)
TIMED_OUT, TOO_MUCH = 1001, 1002  # beside the exit codes of the process


def parse(parser: str, content: bytes, name: str, max_size: int = DEFAULT_MAX_SIZE, **options: Any) -> list[Any]:
    """Return what a parser yields for a file.

    Args:
        parser: its name, of `script.PARSERS`.
        content: the file.
        name: the name of the file, for messages.
        max_size: megabytes that the file may unpack to.
        options: of the parser.

    Raises:
        script.DamagedError: the parser refuses the file.
        TableError: the parser crashed, or needs more memory or time than it may use.
    """
    if not can_start():
        return list(script.PARSERS[parser](content, **options))
    size = max_size * MEGABYTE
    settings = {
        "parser": parser,
        "options": options,
        "memory": min(max(size * MEMORY_PER_SIZE, MIN_MEMORY), _physical_memory()),
        "seconds": CPU_SECONDS,
        "path": [os.path.abspath(x) for x in sys.path if x],
    }
    answer, exit_code = _run(json.dumps(settings).encode() + b"\n", content, size)
    _check(exit_code, name, max_size)
    try:
        return [json.loads(line, object_hook=script.decode) for line in answer.splitlines()]
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise _crashed(name) from error


def can_start() -> bool:
    """Tell whether a process can be started: not from a program that has Python inside of it."""
    return bool(sys.executable) and not getattr(sys, "frozen", False) and SCRIPT.is_file()


def is_installed(module: str) -> bool:
    """Tell whether a library is installed, without importing it."""
    return sys.modules.get(module, module) is not None and find_spec(module) is not None


def _run(settings: bytes, content: bytes, most: int) -> tuple[bytes, int]:
    """Run the script, and return its answer of at most some bytes, and its exit code."""
    environment = {x: os.environ[x] for x in ENVIRONMENT if x in os.environ} | {"OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    writer = threading.Thread(target=_feed, args=(process.stdin, settings, content), daemon=True)
    timed_out = threading.Event()

    def stop() -> None:
        timed_out.set()
        process.kill()

    timer = threading.Timer(SECONDS, stop)
    timer.daemon = True
    parts, size = [], 0
    try:
        writer.start()
        timer.start()
        while (part := process.stdout.read(CHUNK)) and size <= most:
            parts.append(part)
            size += len(part)
        exit_code = TOO_MUCH if size > most else process.wait()
        return b"".join(parts), TIMED_OUT if timed_out.is_set() else exit_code
    finally:
        timer.cancel()
        process.kill()
        writer.join()
        process.stdout.close()
        process.wait()


def _feed(target: Any, *parts: bytes) -> None:
    """Write to standard input of a process, which may end before it has read everything."""
    with suppress(OSError):
        target.writelines(parts)
    with suppress(OSError):
        target.close()


def _check(exit_code: int, name: str, max_size: int) -> None:
    """Raise an error if the process failed."""
    if exit_code == script.DAMAGED:
        raise script.DamagedError
    if exit_code in (TIMED_OUT, -getattr(signal, "SIGXCPU", TIMED_OUT)):
        text = f"{name} cannot be read within {CPU_SECONDS // 60} minutes."
        raise TableError(text, hint="save it as CSV.", code="parser-timeout")
    if exit_code == script.NOT_INSTALLED:
        raise TableError(f"{name} cannot be read: its parser cannot be loaded.", hint="install its extra again.")
    if exit_code in (TOO_MUCH, script.OUT_OF_MEMORY):
        raise too_large(name, max_size)
    if exit_code:
        raise _crashed(name)


def _crashed(name: str) -> TableError:
    """Return the error for a parser that crashed."""
    return TableError(
        f"{name} cannot be read: its parser crashed, or ran out of memory.",
        hint="the file may be damaged. Save it again or as CSV; if it is merely large, raise --max-size.",
        code="parser-crashed",
    )


def _physical_memory() -> int:
    """Return the memory of the machine in bytes; where it is unknown, more than any file needs."""
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 1 << 62
