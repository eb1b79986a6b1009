"""Fuzz the readers for a limited time: `python fuzz/run.py [--seconds 60] [TARGET …]`; needs atheris.

Every target runs in a separate process. Inputs that break it are saved as fuzz/found/TARGET-<sha>, the shortest for
each source line; the exit code is 1 if there are any. The corpus in fuzz/corpus is reused by the next run.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from allonym.tables.parsers import confined

FOLDER = Path(__file__).parent
FINDINGS, CORPUS = FOLDER / "found", FOLDER / "corpus"
LIMITS = ("-timeout=10", "-rss_limit_mb=1500", "-malloc_limit_mb=1024", "-max_len=4096", "-print_final_stats=1")
RUNS = re.compile(r"stat::number_of_executed_units:\s*(\d+)|#(\d+)\t")


def main() -> int:
    """Run the targets one after the other."""
    parser = argparse.ArgumentParser(description="Fuzz every reader of allonym.")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="per target")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # one target, in this process
    options = parser.parse_args()
    if options.here:
        confined.can_start = lambda: False  # a crash of a parser is a finding, and a process for each input is slow
        fuzz(options.targets[0], options.seconds)
    from targets import TARGETS

    unknown = [x for x in options.targets if x not in TARGETS]
    if unknown:
        parser.error(f"Unknown target: {', '.join(unknown)}. Targets: {', '.join(TARGETS)}.")
    total = 0
    for name in options.targets or TARGETS:
        began = time.time() - 1
        runs, messages = supervise(name, options.seconds)
        new = sorted(x.name for x in findings(name) if x.stat().st_mtime > began)
        total += len(new)
        print(f"{name:18}{runs:>10,} runs  {len(new)} findings", flush=True)
        for line in (*messages, *new):
            print("   ", line, flush=True)
    return int(total > 0)


def findings(name: str) -> list[Path]:
    """Return the inputs that break a target."""
    return [x for x in FINDINGS.glob(f"{name}-*") if x.name.rpartition("-")[0] == name]


def supervise(name: str, seconds: int) -> tuple[int, list[str]]:
    """Run a target in a subprocess, restarting it after a crash; return the number of runs and the messages."""
    end, runs = time.monotonic() + seconds, 0
    messages: list[str] = []
    while (left := int(end - time.monotonic())) > 0:
        command = [sys.executable, __file__, "--here", "--seconds", str(left), name]
        process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = process.stdout.decode(errors="replace")
        runs += max((int(a or b) for a, b in RUNS.findall(text)), default=0)
        messages += [x for x in text.splitlines() if x.startswith(("found: ", "==", "SUMMARY"))]
        for path in FINDINGS.glob(f"{name}.*"):  # written by libFuzzer: crash, timeout, out of memory
            sha = path.name.rpartition("-")[2]
            path.rename(FINDINGS / f"{name}-{sha[:12]}")
            (CORPUS / name / sha).unlink(missing_ok=True)  # or it would end every later process
        if process.returncode and not RUNS.search(text):
            sys.exit(f"{name} did not start:\n{text[-2000:]}")
    return runs, messages


def fuzz(name: str, seconds: int) -> None:
    """Run a target on mutated inputs until the time is over; does not return."""
    import atheris

    atheris.enabled_hooks.add("str")
    with atheris.instrument_imports(include=["allonym", "builders", "tomllib"]):
        from targets import TARGETS

        target = TARGETS[name]
        inputs = target.seeds()
    FINDINGS.mkdir(exist_ok=True)
    corpus = CORPUS / name
    corpus.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        sha = hashlib.sha1(data).hexdigest()
        if not (FINDINGS / f"{name}-{sha[:12]}").exists():
            (corpus / sha).write_bytes(data)
    options = (*LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={FINDINGS / name}.")
    atheris.Setup([sys.argv[0], *options, str(corpus)], save_failures(name, target.run), internal_libfuzzer=True)
    atheris.Fuzz()


def save_failures(name: str, target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Wrap a target: save the shortest input for each failing source line, and go on."""
    shortest: dict[tuple[str, ...], Path] = {}

    def run(data: bytes) -> None:
        try:
            target(data)
        except Exception as error:
            line = failing_line(error)
            old = shortest.get(line)
            if old is not None and len(data) >= old.stat().st_size:
                return
            if old is None:
                print("found:", *line, flush=True)
            else:
                old.unlink()
            shortest[line] = FINDINGS / f"{name}-{hashlib.sha1(data).hexdigest()[:12]}"
            shortest[line].write_bytes(data)

    return run


def failing_line(error: Exception) -> tuple[str, str, str]:
    """Return the kind of error and the last source line of allonym, else of the target."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [x for x in frames if "allonym" in Path(x.filename).parts] or frames
    message = str(error) if type(error).__name__ == "Finding" else ""
    return (type(error).__name__, f"{Path(own[-1].filename).name}:{own[-1].lineno}", message)


if __name__ == "__main__":
    sys.exit(main())
