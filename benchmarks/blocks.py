"""Masking in blocks of tuples: loss and cost compared with masking without blocks: python benchmarks/blocks.py

The tables are census_income_kdd, on which the blocks were designed, and Adult, on which they were not. Every figure
comes from a separate process. Writes a block of docs/engines-blocks.md.
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
    """Mask a table in blocks of at most a size, 0 for no blocks; return the cost, the loss and the blocks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        if setting == ADULT:
            adult.write(path)
            records = growth.records_of(al.Plan(dict.fromkeys(NOMINAL, al.quasi("category")), keep_rest=True), path)
        else:
            census.write(path)
            records = growth.records_of(census.plan(int(columns), words=setting == "WordNet"), path)
    sizes: list[int] = []
    block_seconds: list[float] = []

    def run_blocks(*work: Any) -> Any:
        sizes.extend(map(len, work[1]))
        start = time.process_time()
        masked = Blocks().run(*work)
        block_seconds.append(time.process_time() - start)
        return masked

    began = time.process_time()
    masking = METHODS[method](k=K, refine=False).mask(
        records, blocks=Blocks(0, int(size), run_blocks) if size != "0" else None
    )
    spent = time.process_time() - began
    pairs = Pairs.of(records, masking)
    return {
        "tuples": len(records),
        "blocks": len(sizes),
        "largest": max(sizes, default=len(records)),
        "seconds": spent,
        "in_blocks": sum(block_seconds),
        "smallest": int(pairs.sizes.min()),
        "loss": loss.information_loss(pairs),
    }


def rows(method: str, setting: str, columns: int, sizes: Sequence[int]) -> Iterator[str]:
    """Yield the rows of a setting: without blocks, then with blocks of each size."""
    unblocked = 0.0
    for size in (0, *sizes):
        run = many_tuples.measure(method, setting, str(columns), str(size), script=__file__)
        assert run["smallest"] >= K
        assert run["largest"] <= (size or run["tuples"])
        unblocked = unblocked or run["loss"]
        increase = f"{100 * (run['loss'] / unblocked - 1):+.1f} %" if size else ""
        blocks = f"{size:,} | {run['blocks']:,} | {run['largest']:,}" if size else "none | | "
        share = f"{100 * run['in_blocks'] / run['seconds']:.0f} %" if size else ""
        spent = f"{run['seconds']:.1f} | {share} | {run['megabytes']:.0f}"
        case = f"{method} | {setting} | {columns} | {run['tuples']:,}"
        line = f"| {case} | {blocks} | {run['loss']:.3f} | {increase} | {spent} |"
        print(line, file=sys.stderr, flush=True)
        yield line


def table() -> str:
    """Measure and return the table."""
    lines = [
        "| method | kind of columns | columns | tuples | block size limit | blocks, with borders | largest block "
        "| L | increase | CPU s | of which in blocks | peak MB |",
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
