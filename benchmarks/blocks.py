"""What blocks of tuples cost: L beside the unblocked result, on census_income_kdd: python benchmarks/blocks.py

And on Adult, on which nothing about blocks was chosen. Every figure is of a process of its own. Writes its part of
docs/engines-blocks.md.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import adult
import census
import growth
import many_tuples
import pages
from paths import ROOT
from processes import machine

import allonym as al
from allonym.measures import loss
from allonym.methods.blocks import Blocks
from allonym.records import Pairs

PAGE = ROOT / "docs" / "engines-blocks.md"
METHODS = {"sa-mdav": al.SAMDAV, "fusion": al.Fusion}
SIZES = (20_000, 5_000, 1_000)
ADULT = "Adult, categories"
NOMINAL = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
ADULT_SIZES = (5_000, 1_000)
K = 5


def run(method: str, setting: str, columns: str, size: str) -> dict[str, Any]:
    """Mask the table in blocks of a size, or in none, and say what that took and what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        if setting == ADULT:
            adult.write(path)
            records = growth.of(al.Plan(dict.fromkeys(NOMINAL, al.quasi("category")), keep_rest=True), path)
        else:
            census.write(path)
            records = growth.of(census.plan(int(columns), words=setting == "WordNet"), path)
    sizes: list[int] = []
    spent_on: list[float] = []

    def count_by(*work: Any) -> Any:
        sizes.extend(map(len, work[1]))
        start = time.process_time()
        found = Blocks().run(*work)
        spent_on.append(time.process_time() - start)
        return found

    began = time.process_time()
    masking = METHODS[method](k=K).mask(records, blocks=Blocks(0, int(size), count_by) if size != "0" else None)
    spent = time.process_time() - began
    pairs = Pairs.of(records, masking)
    return {
        "tuples": len(records),
        "blocks": len(sizes),
        "largest": max(sizes, default=len(records)),
        "seconds": spent,
        "in_blocks": sum(spent_on),
        "reached": int(pairs.sizes.min()),
        "loss": loss.information_loss(pairs),
    }


def rows(method: str, setting: str, columns: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield a table without blocks, and with blocks of some sizes beside it."""
    whole = 0.0
    for size in (0, *sizes):
        found = many_tuples.measured(method, setting, str(columns), str(size), script=__file__)
        assert found["reached"] >= K
        assert found["largest"] <= (size or found["tuples"])
        whole = whole or found["loss"]
        more = f"{100 * (found['loss'] / whole - 1):+.1f} %" if size else ""
        cut = f"{size:,} | {found['blocks']:,} | {found['largest']:,}" if size else "none | | "
        share = f"{100 * found['in_blocks'] / found['seconds']:.0f} %" if size else ""
        spent = f"{found['seconds']:.1f} | {share} | {found['megabytes']:.0f}"
        what = f"{method} | {setting} | {columns} | {found['tuples']:,}"
        line = f"| {what} | {cut} | {found['loss']:.3f} | {more} | {spent} |"
        print(line, file=sys.stderr, flush=True)
        yield line


def table() -> str:
    """Measure, and lay out the figures."""
    lines = [
        "| method | columns are | columns | tuples | blocks of at most | blocks, borders too | largest "
        "| L | more | CPU s | of it on blocks | peak MB |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for method in METHODS:
        for setting in many_tuples.SETTINGS:
            for columns, tuples in census.TUPLES.items():
                lines += rows(method, setting, columns, [x for x in SIZES if x < tuples])
        lines += rows(method, ADULT, len(NOMINAL), ADULT_SIZES)
    return f"k = {K}, on {machine('allonym', 'numpy')}.\n\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(run(*sys.argv[1:])))
    else:
        pages.write(PAGE, "blocks", table())
