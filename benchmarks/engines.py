"""Masking with an engine compared with the engine alone, on copies of Adult as Parquet:
python benchmarks/engines.py [PYTHON-WITH-SPARK]

Alone, polars and DuckDB count the distinct rows and write the unchanged table (DuckDB in any order, as with allonym);
Spark counts the distinct rows, joins a column to the table and writes it. Every figure is of a whole process; both
run one after the other on the same file. Writes a block of docs/engines.md.
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
COPIES = {332: 5, 3316: 2}  # number of copies: number of runs
K = 5  # per copy, so the groups are those of one copy
COPIES_PER_ROW_GROUP = 33
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
        "distinct = table.sparkSession.createDataFrame(rows); "
        "table.join(f.broadcast(distinct), names, 'left').select(*names).write.parquet(sys.argv[2])"
    ),
}


def write_copies(path: Path, copies: int) -> int:
    """Write copies of two columns of Adult as Parquet; return the number of rows."""
    text = path.with_suffix(".csv")
    adult.write(text)
    table = csv.read_csv(text).select(COLUMNS)
    text.unlink()
    with pq.ParquetWriter(path, table.schema) as writer:
        for low in range(0, copies, COPIES_PER_ROW_GROUP):
            writer.write_table(pa.concat_tables([table] * min(COPIES_PER_ROW_GROUP, copies - low)).combine_chunks())
    return len(table) * copies


def options(source: Path, output: Path, engine: str, copies: int) -> list[str]:
    """Return the arguments of allonym; k grows with the copies, or every tuple would already be frequent enough."""
    roles = [x for name in COLUMNS for x in ("--quasi", f"{name}=wordnet", "--links", f"{name}={adult.LINKS[name]}")]
    return [
        "mask",
        str(source),
        "-o",
        str(output),
        *roles,
        "--engine",
        engine,
        "--k",
        str(K * copies),
        "--row-order",
        "keep",
    ]


def measure(python: str, engine: str, source: Path, output: Path, copies: int) -> tuple[Cost, Cost]:
    """Return the cost of an engine alone and with allonym."""
    alone = [python, "-c", ALONE[engine], str(source), str(output)]
    full = [str(Path(python).parent / "allonym"), *options(source, output, engine, copies)]
    all_costs: tuple[list[Cost], list[Cost]] = ([], [])
    for _ in range(COPIES[copies]):  # alternate, as the speed of the machine may vary
        for command, costs in zip((alone, full), all_costs, strict=True):
            run = cost(*command, runs=1)
            assert run is not None, f"{engine} timed out"
            costs.append(run)
            shutil.rmtree(output) if output.is_dir() else output.unlink()
    best_alone, best_full = (min(costs, key=lambda x: x.clock) for costs in all_costs)
    return best_alone, best_full


def table(spark: str | None) -> str:
    """Measure and return the table."""
    lines = [
        "| rows | engine | alone: s | CPU s | peak MB | with allonym: s | CPU s | peak MB | ratio, s | ratio, CPU s |",
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    pythons = {"polars": sys.executable, "duckdb": sys.executable} | ({"spark": spark} if spark else {})
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        source, output = Path(folder) / "adult.parquet", Path(folder) / "out.parquet"
        for copies in COPIES:
            rows = write_copies(source, copies)
            for engine, python in pythons.items():
                alone, full = measure(python, engine, source, output, copies)
                shown = [f"{x.clock:.1f} | {x.seconds:.1f} | {x.megabytes:,.0f}" for x in (alone, full)]
                ratios = f"{full.clock / alone.clock:.2f} | {full.seconds / alone.seconds:.2f}"
                if engine == "spark":  # the work is done by Java processes, whose CPU time and memory are not measured
                    shown, ratios = [f"{x.clock:.1f} | | " for x in (alone, full)], f"{full.clock / alone.clock:.2f} | "
                lines.append(f"| {rows:,} | {engine} | {' | '.join(shown)} | {ratios} |")
                print(lines[-1], flush=True)
    return "\n".join(lines) + f"\n\n{machine('polars', 'duckdb', 'pyarrow')}.\n"


if __name__ == "__main__":
    (ROOT / "build").mkdir(exist_ok=True)
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-Xlog:disable -Xlog:all=off")
    pages.write(PAGE, "engines", table(sys.argv[1] if len(sys.argv) > 1 else None))
