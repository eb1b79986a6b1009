"""Fuzz every reader, or some, for a bounded time: `python fuzz/run.py [--seconds 60] [TARGET …]`; needs atheris.

Each target runs in a process of its own. What breaks it is in fuzz/found/TARGET-<sha>, the shortest input for each
place in the source; the exit code is 1 if there is anything. What fuzzing learned is in fuzz/corpus, for the next time.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
FOUND, CORPUS = HERE / "found", HERE / "corpus"
LIMITS = ("-timeout=10", "-rss_limit_mb=1500", "-malloc_limit_mb=1024", "-max_len=4096", "-print_final_stats=1")
RUNS = re.compile(r"stat::number_of_executed_units:\s*(\d+)|#(\d+)\t")


def main() -> int:
    """Run the targets that are asked for, one after the other."""
    parser = argparse.ArgumentParser(description="Fuzz every reader of allonym.")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # one target, in this process
    given = parser.parse_args()
    if given.here:
        fuzz(given.targets[0], given.seconds)
    from targets import TARGETS

    strange = [x for x in given.targets if x not in TARGETS]
    if strange:
        parser.error(f"unknown: {', '.join(strange)}. Known: {', '.join(TARGETS)}.")
    bad = 0
    for name in given.targets or TARGETS:
        began = time.time() - 1
        runs, messages = watched(name, given.seconds)
        new = sorted(x.name for x in found(name) if x.stat().st_mtime > began)
        bad += len(new)
        print(f"{name:18}{runs:>10,} runs  {len(new)} found", flush=True)
        for line in (*messages, *new):
            print("   ", line, flush=True)
    return int(bad > 0)


def found(name: str) -> list[Path]:
    """Return what breaks a target."""
    return [x for x in FOUND.glob(f"{name}-*") if x.name.rpartition("-")[0] == name]


def watched(name: str, seconds: int) -> tuple[int, list[str]]:
    """Run a target in another process, again if that ends early; return how often it was run, and what was said."""
    end, runs = time.monotonic() + seconds, 0
    messages: list[str] = []
    while (left := int(end - time.monotonic())) > 0:
        command = [sys.executable, __file__, "--here", "--seconds", str(left), name]
        told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = told.stdout.decode(errors="replace")
        runs += max((int(a or b) for a, b in RUNS.findall(text)), default=0)
        messages += [x for x in text.splitlines() if x.startswith(("found: ", "==", "SUMMARY"))]
        for path in FOUND.glob(f"{name}.*"):  # libFuzzer's: a crash, a timeout, no memory
            sha = path.name.rpartition("-")[2]
            path.rename(FOUND / f"{name}-{sha[:12]}")
            (CORPUS / name / sha).unlink(missing_ok=True)  # else it would end every process to come
        if told.returncode and not RUNS.search(text):
            sys.exit(f"{name} did not start:\n{text[-2000:]}")
    return runs, messages


def fuzz(name: str, seconds: int) -> None:
    """Run a target on changed inputs until the time is over; does not return."""
    import atheris

    atheris.enabled_hooks.add("str")
    with atheris.instrument_imports(include=["allonym", "builders", "tomllib"]):
        from targets import TARGETS

        target = TARGETS[name]
        inputs = target.seeds()
    FOUND.mkdir(exist_ok=True)
    corpus = CORPUS / name
    corpus.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        sha = hashlib.sha1(data).hexdigest()
        if not (FOUND / f"{name}-{sha[:12]}").exists():
            (corpus / sha).write_bytes(data)
    options = (*LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={FOUND / name}.")
    atheris.Setup([sys.argv[0], *options, str(corpus)], kept(name, target.run), internal_libfuzzer=True)
    atheris.Fuzz()


def kept(name: str, target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Return a target that writes down what breaks it and goes on; of inputs for one place, the shortest."""
    shortest: dict[tuple[str, ...], Path] = {}

    def run(data: bytes) -> None:
        try:
            target(data)
        except Exception as error:
            place = place_of(error)
            old = shortest.get(place)
            if old is not None and len(data) >= old.stat().st_size:
                return
            if old is None:
                print("found:", *place, flush=True)
            else:
                old.unlink()
            shortest[place] = FOUND / f"{name}-{hashlib.sha1(data).hexdigest()[:12]}"
            shortest[place].write_bytes(data)

    return run


def place_of(error: Exception) -> Sequence[str]:
    """Return what went wrong and where in the source: the last line of allonym, else of the target."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [x for x in frames if "allonym" in Path(x.filename).parts] or frames
    told = str(error) if type(error).__name__ == "Finding" else ""
    return (type(error).__name__, f"{Path(own[-1].filename).name}:{own[-1].lineno}", told)


if __name__ == "__main__":
    sys.exit(main())
