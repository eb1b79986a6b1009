"""What whole processes cost, started anew: CPU seconds of user and system on all cores, peak memory, and time."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from typing import NamedTuple

CHILD = (
    "import resource, subprocess, sys, time; began = time.perf_counter(); "
    "done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, timeout=float(sys.argv[1])); "
    "clock = time.perf_counter() - began; used = resource.getrusage(resource.RUSAGE_CHILDREN); "
    "print(used.ru_utime + used.ru_stime, used.ru_maxrss, clock); sys.exit(done.returncode)"
)
LIMIT = 1800  # seconds: what takes longer is told as such


class Cost(NamedTuple):
    """What a process took."""

    seconds: float
    megabytes: float
    clock: float


def cost(*command: str, runs: int = 7, limit: float = LIMIT) -> Cost | None:
    """Return the least CPU seconds of a command over some runs, its peak memory and time; None, if it is too slow."""
    found = []
    for _ in range(runs):
        child = [sys.executable, "-c", CHILD, str(limit), *command]
        done = subprocess.run(child, capture_output=True, text=True, check=False)
        if done.returncode and "TimeoutExpired" in done.stderr:
            return None
        assert done.returncode == 0, done.stderr
        seconds, kilobytes, clock = done.stdout.split()
        found.append(Cost(float(seconds), float(kilobytes) / 1024, float(clock)))
    return Cost(min(c.seconds for c in found), max(c.megabytes for c in found), min(c.clock for c in found))


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the exponent of growth: the slope of a straight line through the logarithms.

    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    x, y = [math.log(s) for s in sizes], [math.log(c) for c in costs]
    middle, level = sum(x) / len(x), sum(y) / len(y)
    return sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True)) / sum((a - middle) ** 2 for a in x)


def machine(*packages: str) -> str:
    """Tell what figures were measured on, and with which versions."""
    named = ", ".join(f"{name} {version(name)}" for name in packages)
    told = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {named}"
    return f"{told}; {time.strftime('%Y-%m-%d')}"
