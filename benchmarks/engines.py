"""Adult copies as Parquet, two columns, masked by engines, beside the same engine alone:
python benchmarks/engines.py [PYTHON-WITH-SPARK]

Alone, polars and DuckDB count the distinct rows and write the table as it is, DuckDB in any order, as with allonym;
Spark counts them, joins a column to them and writes. Whole processes, started anew, one after the other on the same
file. Writes its part of docs/engines.md.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import adult
import pages
import pyarrow as pa
import pyarrow.parquet as pq
from paths import ROOT
from processes import Cost, cost, machine
from pyarrow import csv

PAGE = ROOT / "docs" / "engines.md"
COPIES = {332: 5, 3316: 2}  # how many copies of Adult: how many runs of each
K = 5  # of Adult itself: the groups are those of one copy
TOGETHER = 33  # copies in a row group
COLUMNS = ["occupation", "native-country"]
ALONE = {
    "polars": (
        "import sys, polars as pl; table = pl.scan_parquet(sys.argv[1]); "
        "table.group_by(*table.collect_schema().names()).len().collect(engine='streaming'); "
        "table.sink_parquet(sys.argv[2], engine='streaming')"
    ),
    "duckdb": (
        "import sys, duckdb; database = duckdb.connect(); database.execute('SET preserve_insertion_order = false'); "
        "table = database.read_parquet(sys.argv[1]); "
        "names = ', '.join(f'\"{x}\"' for x in table.columns); "
        "table.aggregate(f'{names}, count(*) AS n', names).to_arrow_table(); "
        "table.write_parquet(sys.argv[2], compression='zstd')"
    ),
    "spark": (
        "import sys; from allonym.tables.engines.spark import session; "
        "from pyspark.sql import functions as f; table = session(None).read.parquet(sys.argv[1]); "
        "names = table.columns; counted = table.groupBy(*names).count(); rows = counted.toArrow(); "
        "told = table.sparkSession.createDataFrame(rows); "
        "table.join(f.broadcast(told), names, 'left').select(*names).write.parquet(sys.argv[2])"
    ),
}


def data(path: Path, copies: int) -> int:
    """Write copies of two columns of Adult as Parquet; return how many rows these are."""
    text = path.with_suffix(".csv")
    adult.write(text)
    table = csv.read_csv(text).select(COLUMNS)
    text.unlink()
    with pq.ParquetWriter(path, table.schema) as writer:
        for low in range(0, copies, TOGETHER):
            writer.write_table(pa.concat_tables([table] * min(TOGETHER, copies - low)).combine_chunks())
    return len(table) * copies


def options(source: Path, output: Path, engine: str, copies: int) -> list[str]:
    """Return what to tell allonym: k grows with the copies, else every tuple would be there often enough as it is."""
    roles = [x for name in COLUMNS for x in ("--quasi", f"{name}=wordnet", "--links", f"{name}={adult.LINKS[name]}")]
    return ["mask", str(source), "-o", str(output), *roles, "--engine", engine, "--k", str(K * copies)]


def measured(python: str, engine: str, source: Path, output: Path, copies: int) -> tuple[Cost, Cost]:
    """Return what an engine costs alone, and with allonym."""
    alone = [python, "-c", ALONE[engine], str(source), str(output)]
    full = [str(Path(python).parent / "allonym"), *options(source, output, engine, copies)]
    found: tuple[list[Cost], list[Cost]] = ([], [])
    for _ in range(COPIES[copies]):  # by turns, as the machine may be slower for a while
        for command, costs in zip((alone, full), found, strict=True):
            one = cost(*command, runs=1)
            assert one is not None, "it is too slow"
            costs.append(one)
            shutil.rmtree(output) if output.is_dir() else output.unlink()
    best_alone, best_full = (min(costs, key=lambda x: x.clock) for costs in found)
    return best_alone, best_full


def table(spark: str | None) -> str:
    """Measure, and lay out the figures."""
    lines = [
        "| rows | engine | alone: s | CPU s | peak MB | with allonym: s | CPU s | peak MB | ratio of s | of CPU s |",
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    pythons = {"polars": sys.executable, "duckdb": sys.executable} | ({"spark": spark} if spark else {})
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        source, output = Path(folder) / "adult.parquet", Path(folder) / "out.parquet"
        for copies in COPIES:
            rows = data(source, copies)
            for engine, python in pythons.items():
                alone, full = measured(python, engine, source, output, copies)
                shown = [f"{x.clock:.1f} | {x.seconds:.1f} | {x.megabytes:,.0f}" for x in (alone, full)]
                ratios = f"{full.clock / alone.clock:.2f} | {full.seconds / alone.seconds:.2f}"
                if engine == "spark":  # its work is done by Java, whose cost is not seen from here
                    shown, ratios = [f"{x.clock:.1f} | | " for x in (alone, full)], f"{full.clock / alone.clock:.2f} | "
                lines.append(f"| {rows:,} | {engine} | {' | '.join(shown)} | {ratios} |")
                print(lines[-1], flush=True)
    return "\n".join(lines) + f"\n\n{machine('polars', 'duckdb', 'pyarrow')}.\n"


if __name__ == "__main__":
    (ROOT / "build").mkdir(exist_ok=True)
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-Xlog:disable -Xlog:all=off")
    pages.write(PAGE, "engines", table(sys.argv[1] if len(sys.argv) > 1 else None))
