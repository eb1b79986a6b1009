"""k-anonymity of Adult by allonym, anjana and anonypy: python benchmarks/peers.py PYTHON

PYTHON is the interpreter of an environment with anjana and anonypy. Every tool reads the same file and writes its
release, in a separate process. The loss is measured in the same way for all: each group of a release is represented by
its semantic centroid, whatever values the tool wrote. Writes a block of docs/benchmarks.md.
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
from growth import records_of
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
FOLDER = Path(__file__).parent


class Tool(NamedTuple):
    """A tool: its name, the commands that write its release and its groups, and a command with only its imports."""

    name: str
    release: list[str]
    groups: list[str]
    imports: list[str]


def plan(columns: Sequence[str], k: int) -> al.Plan:
    """Return a plan for some columns: WordNet for occupation and native-country, ARX hierarchies for the rest."""
    words = adult.plan().columns
    others = {x: al.quasi(str(ARX / f"adult_hierarchy_{x}.csv"), accept_review=True) for x in columns if x not in words}
    return replace(adult.plan(), columns={x: words[x] if x in words else others[x] for x in columns}, k=k)


def tools(python: str, columns: Sequence[str], k: int, folder: Path) -> Iterator[Tool]:
    """Yield the tools, with commands that mask some columns of Adult."""
    data, output = str(folder / "adult.csv"), str(folder / "out.csv")
    plan(columns, k).save(folder / "plan.toml")
    program = str(Path(sys.executable).parent / "allonym")
    names = ",".join(columns)
    for method in ("sa-mdav", "sa-mdav --refine", "fusion"):
        options = ["--method", *method.split()]
        run = [program, "mask", data, "-o", output, "--plan", str(folder / "plan.toml"), *options]
        yield Tool(f"allonym, {method}", run, run, [sys.executable, "-c", "import numpy, polars, narwhals, click"])
    for share in (0, 5):
        run = [python, str(FOLDER / "peer_anjana.py"), data, output, str(k), str(share), str(ARX), names]
        name = f"anjana, {share} % of rows may be suppressed"
        yield Tool(name, run, run, [python, "-c", "import pandas, anjana.anonymity"])
    run = [python, str(FOLDER / "peer_anonypy.py"), data, output, str(k), "income", names]
    to_groups = [x.replace("out.csv", "out.groups.csv") for x in run]
    yield Tool("anonypy (Mondrian)", run, to_groups, [python, "-c", "import pandas, anonypy"])


def groups_of(path: Path, columns: Sequence[str], rows: int) -> Ints:
    """Return the group of every row of a release, -1 for suppressed rows."""
    with path.open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    shown = ["group"] if "group" in lines[0] else list(columns)
    texts = [np.unique([line[x] for line in lines], return_inverse=True)[1] for x in shown]
    place = np.array([int(line.get("row", i)) for i, line in enumerate(lines)])
    groups = np.full(rows, -1)
    groups[place] = distinct(texts)[0]
    return groups


def information_loss(records: Records, group: Ints, k: int) -> float:
    """Return L with groups represented by their centroids, and suppressed rows by the centroid of the table."""
    assert records.inverse is not None
    kept = group >= 0
    _, counts, first = distinct([records.inverse[kept], group[kept]])
    source, groups = records.inverse[kept][first], group[kept][first]
    pieces = Groups.of(np.stack([source, counts, groups], axis=1))
    metrics = [x.metric for x in records.attributes]
    codes, attributes = represent(records, pieces, k, metrics)
    masked = Pairs.of(records, Masking(pieces.source, pieces.share, pieces.group, codes, attributes))
    whole = Groups.of(np.stack([np.arange(len(records)), records.counts, np.zeros(len(records), int)], axis=1))
    codes, attributes = represent(records, whole, k, metrics)
    suppressed = Pairs.of(records, Masking(whole.source, whole.share, whole.group, codes, attributes))
    share = np.bincount(records.inverse[~kept], minlength=len(records)) / records.counts
    squares = loss.distances(suppressed) ** 2 * suppressed.mass
    return 100 * (loss.sse(masked) + float((squares * share).sum())) / float(squares.sum())


def line(tool: Tool, columns: Sequence[str], k: int, records: Records, folder: Path) -> str:
    """Measure a tool and return its row."""
    spent, imports = cost(*tool.release, runs=RUNS), cost(*tool.imports, runs=RUNS)
    assert isinstance(imports, Cost)
    if spent is None:
        return f"| {tool.name} | {k} | timeout | | | | | | | |"
    subprocess.run(tool.groups, check=True, capture_output=True)
    output = Path(next(x for x in tool.groups if x.endswith((".groups.csv", "out.csv"))))
    group = groups_of(output, columns, records.n)
    sizes = np.bincount(group[group >= 0])
    figures = (
        f"{spent.seconds:.2f} | {spent.seconds - imports.seconds:.2f} | {spent.megabytes:.0f} | "
        f"{spent.megabytes - imports.megabytes:.0f}",
        f"{len(sizes):,} | {sizes.min()} | {100 * (group < 0).mean():.1f} | {information_loss(records, group, k):.2f}",
    )
    return f"| {tool.name} | {k} | " + " | ".join(figures) + " |"


def table(python: str) -> str:
    """Measure and return the tables."""
    lines = [f"Measured on {machine('allonym', 'numpy', 'polars')}; anjana {version_in(python, 'anjana')}, "
            f"anonypy {version_in(python, 'anonypy')}.\n"]  # fmt: skip
    head = (
        "| tool | k | CPU s | above imports | peak MB | above imports "
        "| groups | smallest group | suppressed rows, % | L, % |"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = adult.write(folder / "adult.csv")
        for columns in (TWO, FIVE):
            records = records_of(plan(columns, 2), folder / "adult.csv")
            lines.append(f"Adult, {rows:,} rows, {' × '.join(columns)}: {len(records):,} distinct tuples.\n")
            lines += [head, "|---|---:|" + "---:|" * 8]
            for k in KS:
                lines += [line(x, columns, k, records, folder) for x in tools(python, columns, k, folder)]
            lines.append("")
    return "\n".join(lines)


def version_in(python: str, package: str) -> str:
    """Return the version of a package in the environment of an interpreter."""
    script = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-c", script], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    pages.write(PAGE, "peers", table(sys.argv[1]))
