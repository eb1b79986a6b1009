"""k-anonymity of Adult beside anjana and anonypy: python benchmarks/peers.py PYTHON

PYTHON is that of an environment with both. All read the same file and write their release, in processes of their own.
What is lost is measured alike for all: by the groups that a release has, the semantic centroid of each standing for
it, whatever the tool wrote. Writes its part of docs/benchmarks.md.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import adult
import numpy as np
import pages
from growth import of
from paths import DATA, ROOT
from processes import Cost, cost, machine

import allonym as al
from allonym.arrays import Ints, distinct
from allonym.measures import loss
from allonym.methods.groups import Groups
from allonym.methods.represent import represent
from allonym.records import Masking, Pairs, Records

PAGE = ROOT / "docs" / "benchmarks.md"
ARX = DATA / "vgh" / "arx"
TWO = ("occupation", "native-country")
FIVE = ("workclass", "education", "marital-status", *TWO)
KS = (2, 5, 10)
RUNS = 3
HERE = Path(__file__).parent


class Tool(NamedTuple):
    """What masks: its name, the command that writes its release, the command that writes its groups, its imports."""

    name: str
    release: list[str]
    groups: list[str]
    imports: list[str]


def plan(columns: Sequence[str], k: int) -> al.Plan:
    """Return a plan for some columns: the words through WordNet, the rest by ARX's hierarchies."""
    words = adult.plan().columns
    trees = {x: al.quasi(str(ARX / f"adult_hierarchy_{x}.csv"), accept_review=True) for x in columns if x not in words}
    return replace(adult.plan(), columns={x: words[x] if x in words else trees[x] for x in columns}, k=k)


def tools(python: str, columns: Sequence[str], k: int, folder: Path) -> Iterator[Tool]:
    """Yield what masks some columns of Adult."""
    data, output = str(folder / "adult.csv"), str(folder / "out.csv")
    plan(columns, k).save(folder / "plan.toml")
    program = str(Path(sys.executable).parent / "allonym")
    names = ",".join(columns)
    for method in ("sa-mdav", "sa-mdav --refine", "fusion"):
        own = ["--method", *method.split()]
        run = [program, "mask", data, "-o", output, "--plan", str(folder / "plan.toml"), *own]
        yield Tool(
            f"allonym, {method}", run, run, [sys.executable, "-c", "import numpy, polars, narwhals, typer, rich"]
        )
    for share in (0, 5):
        run = [python, str(HERE / "peer_anjana.py"), data, output, str(k), str(share), str(ARX), names]
        name = f"anjana, {share} % of rows may go"
        yield Tool(name, run, run, [python, "-c", "import pandas, anjana.anonymity"])
    run = [python, str(HERE / "peer_anonypy.py"), data, output, str(k), "income", names]
    to_groups = [x.replace("out.csv", "out.groups.csv") for x in run]
    yield Tool("anonypy (Mondrian)", run, to_groups, [python, "-c", "import pandas, anonypy"])


def groups_of(path: Path, columns: Sequence[str], rows: int) -> Ints:
    """Return the group of every row of a release; -1 for those that are gone."""
    with path.open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    shown = ["group"] if "group" in lines[0] else list(columns)
    texts = [np.unique([line[x] for line in lines], return_inverse=True)[1] for x in shown]
    place = np.array([int(line.get("row", i)) for i, line in enumerate(lines)])
    found = np.full(rows, -1)
    found[place] = distinct(texts)[0]
    return found


def lost(records: Records, group: Ints, k: int) -> float:
    """Return L where centroids stand for the groups; for rows that are gone, the centroid of all."""
    assert records.inverse is not None
    left = group >= 0
    _, counts, first = distinct([records.inverse[left], group[left]])
    source, own = records.inverse[left][first], group[left][first]
    pieces = Groups.of(np.stack([source, counts, own], axis=1))
    metrics = [x.metric for x in records.attributes]
    codes, attributes = represent(records, pieces, k, metrics)
    kept = Pairs.of(records, Masking(pieces.source, pieces.share, pieces.group, codes, attributes))
    whole = Groups.of(np.stack([np.arange(len(records)), records.counts, np.zeros(len(records), int)], axis=1))
    codes, attributes = represent(records, whole, k, metrics)
    blind = Pairs.of(records, Masking(whole.source, whole.share, whole.group, codes, attributes))
    gone = np.bincount(records.inverse[~left], minlength=len(records)) / records.counts
    apart = loss.distances(blind) ** 2 * blind.mass
    return 100 * (loss.sse(kept) + float((apart * gone).sum())) / float(apart.sum())


def line(tool: Tool, columns: Sequence[str], k: int, records: Records, folder: Path) -> str:
    """Measure one, and lay out its figures."""
    spent, bare = cost(*tool.release, runs=RUNS), cost(*tool.imports, runs=RUNS)
    assert isinstance(bare, Cost)
    if spent is None:
        return f"| {tool.name} | {k} | takes too long | | | | | | | |"
    subprocess.run(tool.groups, check=True, capture_output=True)
    output = Path(next(x for x in tool.groups if x.endswith((".groups.csv", "out.csv"))))
    group = groups_of(output, columns, records.n)
    sizes = np.bincount(group[group >= 0])
    figures = (
        f"{spent.seconds:.2f} | {spent.seconds - bare.seconds:.2f} | {spent.megabytes:.0f} | "
        f"{spent.megabytes - bare.megabytes:.0f}",
        f"{len(sizes):,} | {sizes.min()} | {100 * (group < 0).mean():.1f} | {lost(records, group, k):.2f}",
    )
    return f"| {tool.name} | {k} | " + " | ".join(figures) + " |"


def table(python: str) -> str:
    """Measure, and lay out the figures."""
    told = [f"On {machine('allonym', 'numpy', 'polars')}; anjana {told_version(python, 'anjana')}, "
            f"anonypy {told_version(python, 'anonypy')}.\n"]  # fmt: skip
    head = "| tool | k | CPU s | above imports | peak MB | above imports | groups | smallest | rows gone, % | L, % |"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = adult.write(folder / "adult.csv")
        for columns in (TWO, FIVE):
            records = of(plan(columns, 2), folder / "adult.csv")
            told.append(f"Adult, {rows:,} rows, {' × '.join(columns)}: {len(records):,} distinct tuples.\n")
            told += [head, "|---|---:|" + "---:|" * 8]
            for k in KS:
                told += [line(x, columns, k, records, folder) for x in tools(python, columns, k, folder)]
            told.append("")
    return "\n".join(told)


def told_version(python: str, package: str) -> str:
    """Return the version of a package in another environment."""
    script = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-c", script], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    pages.write(PAGE, "peers", table(sys.argv[1]))
