"""An attacker sends a file: it may be refused, but it takes down neither the process nor the machine."""

from __future__ import annotations

import gzip
import io
import os
import signal
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter

import allonym as al
from allonym.errors import OntologyError, TableError
from allonym.ontology.readers import source
from allonym.tables.base import Reading
from allonym.tables.excel import ExcelFile
from allonym.tables.files import open_table
from allonym.tables.parsers import confined
from allonym.tables.parsers import script as parser_script
from allonym.tables.spss import LabelledFile
from allonym.tables.unpacking import archive_exceeds

MEGABYTE = 1024**2
SHEET = "xl/worksheets/sheet1.xml"
posix = pytest.mark.skipif(os.name != "posix", reason="limits of processes are those of POSIX")


def workbook(rows: int = 3, **cells: Any) -> bytes:
    """Return a workbook of one column."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        sheet.write_column(0, 0, ["job", *["cook"] * rows])
        for place, value in cells.items():
            sheet.write(place, value)
    return target.getvalue()


def code_of(refused: pytest.ExceptionInfo[TableError]) -> str:
    return refused.value.problems[0].code


# --- compressed files ------------------------------------------------------------------------------------------


def gzip_bomb(megabytes: int) -> bytes:
    """Return gzip data that unpacks to some megabytes and declares almost none."""
    target = io.BytesIO()
    with gzip.GzipFile(fileobj=target, mode="wb") as packed:
        packed.write(b"job\n")
        for _ in range(megabytes):
            packed.write(bytes(MEGABYTE))
    return target.getvalue()[:-4] + struct.pack("<I", 4)


def with_false_sizes(archive: bytes) -> bytes:
    """Return a zip archive whose headers say that every file is small."""
    content = bytearray(archive)
    for signature, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.find(signature)
        while start >= 0:
            content[start + place : start + place + 4] = struct.pack("<I", 9)
            start = content.find(signature, start + 4)
    return bytes(content)


def workbook_bomb(megabytes: int) -> bytes:
    """Return a workbook whose sheet unpacks to some megabytes, though its headers say otherwise."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook())) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            blanks = b" " * (megabytes * MEGABYTE) if name == SHEET else b""
            new.writestr(name, old.read(name).replace(b"<sheetData>", b"<sheetData>" + blanks))
    return with_false_sizes(target.getvalue())


@pytest.mark.parametrize("make", [gzip_bomb, workbook_bomb])
def test_a_bomb_is_refused_whatever_its_headers_say(make: Any) -> None:
    bomb = make(64)
    assert len(bomb) < MEGABYTE
    with pytest.raises(TableError, match="unpacks to more than 16 MB") as refused:
        open_table("given", Reading(max_size=16), bomb)
    assert code_of(refused) == "too-large"
    assert "--max-size" in str(refused.value)


def test_a_limit_can_be_raised() -> None:
    packed = gzip.compress(b"job\n" + b"cook\n" * 400_000)
    with pytest.raises(TableError, match="unpacks to more than 1 MB"):
        open_table("given", Reading(max_size=1), packed)
    assert open_table("given", Reading(max_size=2), packed).n == 400_000


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory of a process is read from /proc")
def test_memory_stays_small_while_a_bomb_is_counted(tmp_path: Path) -> None:
    (tmp_path / "bomb.gz").write_bytes(gzip_bomb(500))
    program = (
        "import re, sys\nfrom pathlib import Path\nfrom allonym.tables.files import Reading, open_table\n"
        "from allonym.errors import TableError\n"
        "try:\n    open_table(sys.argv[1], Reading(max_size=20))\nexcept TableError as error:\n"
        "    most = re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]\n"
        "    print(error.problems[0].code, most)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "bomb.gz")], capture_output=True, check=True)
    code, kilobytes = done.stdout.split()
    assert code == b"too-large"
    assert int(kilobytes) < 300_000


def test_a_parquet_file_with_more_cells_than_bytes_allowed_is_refused() -> None:
    target = io.BytesIO()
    pq.write_table(pa.table({f"c{i}": pa.array([1] * 200_000) for i in range(10)}), target)
    assert len(target.getvalue()) < 100_000
    with pytest.raises(TableError, match="unpacks to more than 1 MB"):
        open_table("given", Reading(max_size=1), target.getvalue())
    assert open_table("given", Reading(max_size=2), target.getvalue()).n == 200_000


def test_files_of_an_archive_are_counted_by_unpacking() -> None:
    honest = io.BytesIO()
    with zipfile.ZipFile(honest, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(700_000))
        archive.writestr("b", b"x" * 700_000, zipfile.ZIP_STORED)
    for content in (honest.getvalue(), with_false_sizes(honest.getvalue())):
        assert archive_exceeds(io.BytesIO(content), 1_300_000)
        assert not archive_exceeds(io.BytesIO(content), 1_500_000)
    assert not archive_exceeds(io.BytesIO(b"PK\x03\x04 and no archive"), 1)


def test_a_method_of_packing_that_no_workbook_has_is_refused() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", bytes(1000))
    assert archive_exceeds(target, 10**9)


def test_an_ontology_that_is_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_SIZE", 16 * MEGABYTE)
    (tmp_path / "bomb.obo.gz").write_bytes(gzip_bomb(64))
    with pytest.raises(OntologyError, match="unpacks to more than 16 MB"):
        al.read_taxonomy(tmp_path / "bomb.obo.gz")


# --- parsers ---------------------------------------------------------------------------------------------------


def test_a_parser_reads_the_same_in_its_process_as_in_this_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    book = workbook(2_500, B1="note", B9="ünïcode", C1="n", C2=1.5, C3=True)
    frame = pd.DataFrame({"job": [1.0, 2.0, None], "town": ["Ulm", "", "x"], "n": [1.5, 2.0, 3.0]})
    pyreadstat.write_sav(frame, tmp_path / "x.sav", variable_value_labels={"job": {1: "cook", 2: "baker"}})
    pyreadstat.write_dta(frame, tmp_path / "x.dta", variable_value_labels={"job": {1: "cook", 2: "baker"}})
    spss, stata = ((tmp_path / x).read_bytes() for x in ("x.sav", "x.dta"))

    def read() -> list[Any]:
        tables = [ExcelFile(book, "x"), LabelledFile(spss, "x"), LabelledFile(stata, "x")]
        return [(table.names, table.n, repr(table._columns)) for table in tables]

    confined_result = read()
    monkeypatch.setattr(confined, "can_start", lambda: False)
    assert read() == confined_result


def test_a_process_imports_no_ontology_and_not_allonym() -> None:
    program = (
        "import sys, json, runpy\nsys.argv = ['x']\n"
        f"runpy.run_path({str(confined.SCRIPT)!r}, run_name='other')\n"
        "print(*[x for x in sys.modules if x.split('.')[0] in ('allonym', 'numpy', 'pyarrow', 'pandas')])"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_small_limit_is_enough_for_a_small_file(tmp_path: Path) -> None:
    pyreadstat.write_sav(pd.DataFrame({"job": ["cook"]}), tmp_path / "x.sav")
    assert open_table(tmp_path / "x.sav", Reading(max_size=1)).n == 1
    assert open_table("given", Reading(max_size=1), workbook()).n == 3


def test_a_parser_that_cannot_be_loaded_is_named(script: Any) -> None:
    script("sys.exit(parser.NOT_INSTALLED)")
    with pytest.raises(TableError, match="cannot be loaded"):
        confined.parse("spss", b"", "given")


@posix
def test_a_cell_in_the_last_corner_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "_physical_memory", lambda: 1 << 30)
    with pytest.raises(TableError, match="crashed, or ran out of memory") as refused:
        open_table("given", None, workbook(XFD1048576="x"))
    assert code_of(refused) == "parser-crashed"


HANG = "while True: pass"
SLEEP = "import time; time.sleep(60)"
EAT = "x = [bytes(1 << 24) for _ in range(10_000)]"
CRASH = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
FLOOD = "import sys\nwhile True: sys.stdout.buffer.write(b'[1]\\n' * 100_000)"
FORGE = "print('{\"a\": ' * 10_000)"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Replace the parser by a program that was taken over, after the limits are set."""

    def replaced(body: str) -> None:
        lines = [
            "import json, sys",
            f"sys.path.insert(0, {str(Path(parser_script.__file__).parent)!r})",
            "import script as parser",
            "settings = json.loads(sys.stdin.buffer.readline())",
            "parser.limit(settings['memory'], settings['seconds'])",
            f"try:\n    exec({body!r})\nexcept MemoryError:\n    sys.exit(parser.OUT_OF_MEMORY)",
        ]
        (tmp_path / "other.py").write_text("\n".join(lines))
        monkeypatch.setattr(confined, "SCRIPT", tmp_path / "other.py")

    return replaced


@posix
@pytest.mark.parametrize(
    ("body", "code"),
    [(HANG, "parser-timeout"), (SLEEP, "parser-timeout"), (EAT, "too-large"), (CRASH, "parser-crashed"),
     (FLOOD, "too-large"), (FORGE, "parser-crashed")],
    ids=["hang", "sleep", "eat", "crash", "flood", "forge"],
)  # fmt: skip
def test_a_parser_that_was_taken_over_ends(script: Any, monkeypatch: pytest.MonkeyPatch, body: str, code: str) -> None:
    script(body)
    monkeypatch.setattr(confined, "CPU_SECONDS", 1)
    monkeypatch.setattr(confined, "SECONDS", 1 if body == SLEEP else 120)
    with pytest.raises(TableError) as refused:
        confined.parse("workbook", bytes(4 * MEGABYTE), "given", max_size=200)
    assert code_of(refused) == code


@posix
def test_a_parser_writes_no_files(script: Any, tmp_path: Path) -> None:
    script(f"open({str(tmp_path / 'stolen')!r}, 'w').write('x' * 10_000)")
    with pytest.raises(TableError):
        confined.parse("workbook", b"secret", "given")
    assert not (tmp_path / "stolen").exists() or not (tmp_path / "stolen").read_bytes()


@posix
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are read from /proc")
def test_an_interrupted_reader_leaves_no_process(script: Any, tmp_path: Path) -> None:
    script(f"import time\nopen({str(tmp_path / 'running')!r}, 'w').close()\ntime.sleep(60)")
    program = (
        "from pathlib import Path\nfrom allonym.tables.parsers import confined\n"
        f"confined.SCRIPT = Path({str(tmp_path / 'other.py')!r})\nconfined.parse('workbook', b'', 'given')"
    )
    reader = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (tmp_path / "running").exists() and time.monotonic() < until:
        time.sleep(0.05)
    [parser] = Path(f"/proc/{reader.pid}/task/{reader.pid}/children").read_text().split()
    reader.send_signal(signal.SIGINT)
    reader.wait(30)
    assert not Path(f"/proc/{parser}").exists()
