"""Cost of whole processes: CPU seconds (user and system, all cores), peak memory and elapsed time."""

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

from paths import ROOT

CHILD = (
    "import resource, subprocess, sys, time; began = time.perf_counter(); "
    "done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, timeout=float(sys.argv[1])); "
    "clock = time.perf_counter() - began; used = resource.getrusage(resource.RUSAGE_CHILDREN); "
    "print(used.ru_utime + used.ru_stime, used.ru_maxrss, clock); sys.exit(done.returncode)"
)
TIMEOUT = 1800  # seconds


class Cost(NamedTuple):
    """The cost of a process."""

    seconds: float  # CPU
    megabytes: float  # peak memory
    clock: float  # elapsed seconds


def cost(*command: str, runs: int = 7, limit: float = TIMEOUT) -> Cost | None:
    """Return the cost of a command: minimum CPU and elapsed seconds over some runs, peak memory; None on timeout."""
    costs = []
    for _ in range(runs):
        child = [sys.executable, "-c", CHILD, str(limit), *command]
        done = subprocess.run(child, capture_output=True, text=True, check=False)
        if done.returncode and "TimeoutExpired" in done.stderr:
            return None
        assert done.returncode == 0, done.stderr
        seconds, kilobytes, clock = done.stdout.split()
        costs.append(Cost(float(seconds), float(kilobytes) / 1024, float(clock)))
    return Cost(min(c.seconds for c in costs), max(c.megabytes for c in costs), min(c.clock for c in costs))


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the exponent of growth, which is the slope of the line through the logarithms.

    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    x, y = [math.log(s) for s in sizes], [math.log(c) for c in costs]
    middle, level = sum(x) / len(x), sum(y) / len(y)
    return sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True)) / sum((a - middle) ** 2 for a in x)


def machine(*packages: str) -> str:
    """Return the machine, the versions of packages and the date, for the caption of a table."""
    named = ", ".join(f"{name} {version(name)}" for name in packages)
    system = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {named}"
    return f"{system}; {time.strftime('%Y-%m-%d')}"


def commit() -> str:
    """Return the commit of the repository, for the caption of a table."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
