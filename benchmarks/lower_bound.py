"""The lower bound on the loss, and how far releases are from it: python benchmarks/lower_bound.py

Writes a block of docs/measures/optimality.md.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import adult
import census
import growth
import pages
from paths import ROOT
from processes import commit, machine

import allonym as al
from allonym.measures import loss
from allonym.methods.lower_bound import lower_bound
from allonym.records import Pairs, Records

PAGE = ROOT / "docs" / "measures" / "optimality.md"
KS = (3, 5, 10, 15)
RULES = ("auto", "least-squares")
SEEDS = range(10)


def tables(folder: Path) -> Iterator[tuple[str, Records, tuple[int, ...], tuple[str, ...], range]]:
    """Yield the name and the records of each table, the values of k, the representatives, and the seeds."""
    small = growth.tables(folder)
    for _ in range(2):
        name, records = next(small)
        yield name, records, KS, RULES, SEEDS
    name, records = next(small)
    yield name, records, (5,), ("auto",), range(3)
    yield (
        "Adult, eight columns",
        growth.records_of(adult.plan_of_eight(), folder / "adult.csv"),
        (5,),
        ("auto",),
        range(1),
    )
    name = "census_income_kdd, 13 columns"
    yield name, growth.records_of(census.plan(13, words=True), folder / "census.csv"), (5,), ("auto",), range(1)


def losses(records: Records, k: int, represent: str, seeds: range) -> list[float]:
    """Return the information loss with each seed."""
    method = al.SAMDAV(k=k, represent=represent)
    return [loss.information_loss(Pairs.of(records, method.mask(records, seed))) for seed in seeds]


def line(name: str, records: Records, k: int, represent: str, seeds: range) -> str:
    """Measure one table with one k."""
    masking = al.SAMDAV(k=k, represent=represent).mask(records, seeds[0])
    began = time.process_time()
    bound = lower_bound(records, masking, k, represent, thorough=True)
    spent = time.process_time() - began
    assert bound is not None
    least = bound.information_loss
    found = losses(records, k, represent, seeds)
    mean = sum(found) / len(found)
    spread = f"{mean:.4g} ({min(found):.4g} to {max(found):.4g})" if len(found) > 1 else f"{mean:.4g}"
    figures = f"{least:.4g} | {spread} | {100 * (mean / least - 1):.1f} % | {spent:.1f}"
    return f"| {name} | {len(records):,} | {represent} | {k} | {figures} |"


def table() -> str:
    """Measure and return the table."""
    lines = [
        f"Method `sa-mdav`, refined; L as mean and range over the seeds 0 to 9 (fewer for large tables); measured on "
        f"{machine('numpy')}; commit {commit()}.",
        "",
        "| table | tuples | represent | k | lower bound on L | L | gap | CPU s of the bound |",
        "|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, records, ks, rules, seeds in tables(Path(folder)):
            for represent in rules:
                for k in ks:
                    lines.append(line(name, records, k, represent, seeds))
                    print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    pages.write(PAGE, "optimality", table())
