"""Engines for tables larger than memory: polars (lazy frames), DuckDB (relations), Spark (data frames).

An engine counts equal rows, and replaces them by a join; the rows stay in the engine.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from allonym.errors import OptionError, TableError, first_few, plural
from allonym.tables.engines.base import Engine

ENGINES = ("polars", "duckdb", "spark")  # by default the first installed one, Spark excluded
MEMORY = "memory"  # no engine, whatever the size
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
MAX_CELLS_IN_MEMORY = 1 << 24  # an engine, if one is installed, masks Parquet files with more cells
_PACKAGES = {"duckdb": "duckdb", "polars": "polars", "spark": "pyspark"}
_GLOB = frozenset("*?[")


def engine_of(native: Any) -> Engine | None:
    """Return the engine of a lazy frame, a relation or a Spark data frame; None for anything else."""
    for package in _PACKAGES.values():
        module = sys.modules.get(package)  # a library that is not imported made no frame
        if module is None or not type(native).__module__.startswith(package):
            continue
        if package == "polars" and isinstance(native, module.LazyFrame):
            return _made("polars", native)
        if package == "duckdb" and isinstance(native, module.DuckDBPyRelation):
            return _made("duckdb", native)
        if package == "pyspark" and type(native).__name__ == "DataFrame" and ".sql." in type(native).__module__:
            return _made("spark", native)
    return None


def _made(name: str, native: Any) -> Engine:
    kind = _named(name)
    with kind.at_work():
        engine = kind(native)
    engine.check()
    return engine


def is_several(path: str | Path) -> bool:
    """Tell whether a path is a folder, or a pattern for several files."""
    return Path(path).is_dir() or (bool(_GLOB & set(str(path))) and not Path(path).exists())


def is_large(path: str | Path) -> bool:
    """Tell whether a file is Parquet with so many cells that an engine should mask it, and one is installed."""
    if not Path(path).is_file():  # a pipe cannot be read twice
        return False
    try:
        with Path(path).open("rb") as file:
            if file.read(4) != b"PAR1":
                return False
        import pyarrow.parquet as pq  # costs time that a text file need not wait for

        notes = pq.read_metadata(path)
    except (OSError, pa.ArrowException):  # reading the table will report it
        return False
    return notes.num_rows * notes.num_columns >= MAX_CELLS_IN_MEMORY and any(map(_installed, ENGINES[:2]))


def files_of(path: str | Path) -> list[Path]:
    """Return the Parquet files of a folder or a pattern, without hidden ones; else the one file."""
    whole = Path(path)
    if whole.is_dir():
        files = [x for x in sorted(whole.rglob("*.parquet")) if x.is_file()]
    elif is_several(path):
        import glob

        files = [Path(x) for x in sorted(glob.glob(str(path), recursive=True)) if Path(x).is_file()]
    else:
        files = [whole]
    base = base_of(path)
    return [x for x in files if not any(p.startswith((".", "_")) for p in x.relative_to(base).parts)]


def base_of(path: str | Path) -> Path:
    """Return the folder below which folders may be named by columns (`year=2020`)."""
    whole = Path(path)
    if whole.is_dir():
        return whole
    if not is_several(path):
        return whole.parent
    plain = itertools.takewhile(lambda part: not _GLOB & set(part), whole.parts)
    return Path(*plain)


def hive_of(path: str | Path, files: Sequence[Path]) -> dict[str, bool]:
    """Return the columns that folders are named by (`year=2020`), and whether they hold whole numbers, else text.

    A value with a leading zero is text. Folders above the data are no columns; where folders below are columns, engines
    would read those above as columns too, so that they are refused.
    """
    base = base_of(path)
    each = [[x.partition("=") for x in file.relative_to(base).parts[:-1] if "=" in x] for file in files]
    names = {tuple(name for name, _, _ in parts) for parts in each}
    if names == {()}:
        return {}
    if len(names) > 1:
        raise TableError(
            f"The folders of {path} are not all named by the same columns.", hint="give one of the folders."
        )
    if any("=" in part for part in base.absolute().parts):
        raise TableError(f"{base} is in a folder that is named like a column.", hint="move it, or link to it.")
    values_of: dict[str, set[str]] = {}
    for name, _, value in (x for parts in each for x in parts):
        values_of.setdefault(name, set()).add(unquote(value))
    return {name: all(_is_whole(x) for x in values - {NULL_PARTITION}) for name, values in values_of.items()}


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii() and str(int(text)) == text and len(text) < 19


def read_files(path: str | Path) -> pa.Table:
    """Read the Parquet files of a folder or a pattern into memory, with the columns that name folders."""
    import pyarrow.dataset as ds

    files = files_of(path)
    if not files:
        raise TableError(f"{path} has no Parquet files.", hint="name a file, or a folder with Parquet files.")
    try:
        whole = ds.dataset(
            list(map(str, files)), format="parquet", partitioning="hive", partition_base_dir=str(base_of(path))
        )
        return whole.to_table()
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"{path} cannot be read as Parquet.", hint="every file must have the same columns.") from error


def open_files(path: str | Path, name: str | None = None, master: str | None = None) -> Engine:
    """Open a Parquet file, a folder of them or a pattern, by the engine of a name, or the first that is installed."""
    if name is not None and name not in ENGINES:
        raise OptionError.of("engine", name, [*ENGINES, MEMORY])
    if master is not None and name != "spark":
        raise OptionError("--master requires --engine spark.", hint="add --engine spark, or leave out --master.")
    files = files_of(path)
    if not files or not files[0].is_file():
        raise TableError(f"{path} has no Parquet files.", hint="engines read Parquet: a file, a folder, a pattern.")
    for one in files:
        with one.open("rb") as file:
            if file.read(4) != b"PAR1":
                raise TableError(
                    f"{one} is not a Parquet file.",
                    hint="engines read Parquet; leave --engine out for a file of another format.",
                )
    hive = hive_of(path, files)
    _check_columns(files, hive)
    chosen = name or next((x for x in ENGINES[:2] if _installed(x)), ENGINES[0])
    if not _installed(chosen):
        raise OptionError(f"The engine {chosen} is not installed.", hint=f"pip install 'allonym[{chosen}]' brings it.")
    kind = _named(chosen)
    with kind.at_work():
        engine = kind.read(files, base_of(path), hive, master)
    engine.check()
    return engine


def _check_columns(files: Sequence[Path], hive: Mapping[str, bool]) -> None:
    """Refuse files with different columns, which engines would convert or drop, and folders named like columns."""
    import pyarrow.parquet as pq

    first: dict[str, str] | None = None
    for file in files:
        try:
            schema = pq.read_schema(file)
        except (OSError, pa.ArrowException) as error:
            raise TableError(f"{file} cannot be read.", hint="it may be damaged.") from error
        columns = {x.name: _type_of(x.type) for x in schema}
        first = columns if first is None else first
        if columns != first:
            odd = sorted(x for x in {*columns, *first} if columns.get(x) != first.get(x))
            text = f"{file} and {files[0]} have different columns or types: {first_few(odd)}."
            raise TableError(text, hint="write all files with the same columns.")
    both = [x for x in first or () if x.casefold() in {name.casefold() for name in hive}]
    if both:
        text = f"{plural(len(both), 'column')} are in the files and in the names of folders: {first_few(both)}."
        raise TableError(text, hint="rename one of each.")


def _type_of(kind: pa.DataType) -> str:
    """Return the type of a column, whatever the layout of its texts."""
    if pa.types.is_dictionary(kind):
        return _type_of(kind.value_type)
    return re.sub(r"\blarge_(?=string|binary|list)|_view\b", "", str(kind))


def _named(name: str) -> type[Engine]:
    if name == "polars":
        from allonym.tables.engines.polars import PolarsEngine

        return PolarsEngine
    if name == "duckdb":
        from allonym.tables.engines.duckdb import DuckDBEngine

        return DuckDBEngine
    from allonym.tables.engines.spark import SparkEngine

    return SparkEngine


def _installed(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(_PACKAGES[name]) is not None
