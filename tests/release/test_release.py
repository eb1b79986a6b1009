"""Nothing is written unverified."""

from __future__ import annotations

import gzip
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_masking import k_of

import allonym as al
from allonym.cells import Cells
from allonym.errors import OutputError, ReleaseError
from allonym.release import recount as release
from allonym.tables import csv
from allonym.tables.csv import TextFile
from allonym.tables.frame import Frame

ROWS = "id,job,note\n" + "".join(f"{i},{'cook' if i % 2 else 'smith'},n{i}\n" for i in range(12))
PLAN = al.Plan({"id": al.identifier(), "job": al.quasi("category"), "note": al.keep()}, k=3, row_order="keep")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(ROWS)
    return path


def flipped(changed: Iterator[bytes]) -> Iterator[bytes]:
    """Change one masked cell."""
    whole = b"".join(changed)
    yield whole.replace(b"smith", b"smyth", 1)


def test_one_flipped_cell_is_refused_and_leaves_no_file(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = TextFile.changed

    def dishonest(self: TextFile, columns: Mapping[str, Cells], drop: Sequence[str], **_: Any) -> Iterator[bytes]:
        return flipped(honest(self, columns, drop))

    monkeypatch.setattr(TextFile, "changed", dishonest)
    with pytest.raises(ReleaseError, match="k = 3 was promised, but a group of the release has only 1 rows"):
        PLAN.run(source, source.parent / "out.csv")
    assert [x.name for x in source.parent.iterdir()] == ["in.csv"]
    assert source.read_text() == ROWS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.rsplit(b"\n", 2)[0] + b"\n", "has 11 rows, the table has 12"),
        (lambda text: text.replace(b"job,note", b"note,job"), "columns"),
        (lambda text: text.replace(b"job,note", b"job,note,id"), "columns|read again"),
        (lambda text: text.replace(b",n3", b""), "read again"),
    ],
    ids=["a row lost", "columns swapped", "a column too many", "a cell lost"],
)
def test_other_damage_is_refused(source: Path, monkeypatch: pytest.MonkeyPatch, change: object, message: str) -> None:
    honest = TextFile.changed
    monkeypatch.setattr(TextFile, "changed", lambda self, c, d, **_: iter([change(b"".join(honest(self, c, d)))]))
    with pytest.raises(ReleaseError, match=message):
        PLAN.run(source, source.parent / "out.csv")
    assert [x.name for x in source.parent.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_a_group_of_one_too_few_is_refused(k: int) -> None:
    table = pa.table({"job": ["cook"] * 5 + ["smith"] * k})
    assert release.recount(table, ["job"], release.Promise(["job"], k, 5 + k, ["job"])).k == [k]
    with pytest.raises(ReleaseError, match=f"k = {k + 1} was promised, but a group of the release has only {k} rows"):
        release.recount(table, ["job"], release.Promise(["job"], k + 1, 5 + k, ["job"]))


def test_a_column_that_was_not_dropped_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"ssn": ["1", "2", "3"], "job": ["cook"] * 3})
    honest = Frame.changed
    monkeypatch.setattr(Frame, "changed", lambda self, columns, drop, **_: honest(self, columns, []))
    with pytest.raises(ReleaseError, match="columns"):
        al.Plan({"ssn": al.identifier(), "job": al.quasi("category")}, k=3).run(frame)


def test_pipes_and_links_are_written_through(source: Path) -> None:
    real, link = source.parent / "real.csv", source.parent / "link.csv"
    real.write_text("old")
    link.symlink_to(real)
    PLAN.run(source, link)
    assert link.is_symlink()
    assert real.read_text().startswith("job,note")
    PLAN.run(source, os.devnull)
    assert not Path(os.devnull).is_file()


def test_a_frame_is_recounted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"job": ["cook"] * 4 + ["smith"] * 4})
    promise = release.Promise(["job"], 4, 8, ["job"])
    assert release.recount(frame, ["job"], promise).k == [4]
    frame.loc[0, "job"] = "vicar"
    with pytest.raises(ReleaseError, match="only 1 rows"):
        release.recount(frame, ["job"], promise)


cells = st.sampled_from(["a", "b", "", "None", None])


@given(st.lists(st.tuples(cells, cells, st.integers(0, 4)), min_size=1, max_size=20))
def test_the_smallest_group_is_that_of_a_count_by_hand(rows: list[tuple[str | None, str | None, int]]) -> None:
    data = {"x": [r[0] for r in rows], "y": [r[1] for r in rows]}
    persons = np.array([r[2] for r in rows])
    pairs = [r[:2] for r in rows]
    schema = pa.schema([("x", pa.string()), ("y", pa.string())])
    arrow = pa.table(data, schema=schema)
    coded = pa.table({"x": arrow["x"].dictionary_encode(), "y": arrow["y"]})
    for frame in (pd.DataFrame(data, dtype=object), pl.from_arrow(arrow), arrow, coded):
        assert release.smallest_group(frame, ["x", "y"]) == k_of(pairs)
        assert release.smallest_group(frame, ["x", "y"], persons) == k_of(pairs, persons.tolist())
    assert release.smallest_group(arrow, []) == len(rows)


def test_the_data_itself_is_never_overwritten(source: Path) -> None:
    with pytest.raises(OutputError, match="is the data itself"):
        PLAN.run(source, source)
    link = source.parent / "link.csv"
    link.symlink_to(source)
    with pytest.raises(OutputError, match="is the data itself"):
        PLAN.run(source, link)
    assert source.read_text() == ROWS


def test_a_folder_that_is_not_there_is_an_error(source: Path) -> None:
    with pytest.raises(OutputError, match="does its folder exist"):
        PLAN.run(source, source.parent / "nowhere" / "out.csv")
    with pytest.raises(OutputError, match="An output path is required"):
        PLAN.run(source)


def test_a_release_is_private_until_it_is_verified(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    honest = csv.reread

    def watch(content: bytes, *given: object, **options: object) -> object:
        [part] = source.parent.glob(".allonym-*")
        seen.append(stat.S_IMODE(part.stat().st_mode))
        return honest(content, *given, **options)

    monkeypatch.setattr(csv, "reread", watch)
    target = source.parent / "out.csv"
    old = os.umask(0o022)
    try:
        PLAN.run(source, target)
        assert seen == [0o700]
        assert stat.S_IMODE(target.stat().st_mode) == 0o644
        target.chmod(0o640)
        PLAN.run(source, target)
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
    finally:
        os.umask(old)


def test_a_packed_release_is_verified_and_always_the_same(source: Path) -> None:
    one, other = source.parent / "one.csv.gz", source.parent / "other.csv.gz"
    PLAN.run(source, one)
    PLAN.run(source, other)
    assert one.read_bytes() == other.read_bytes()
    plain = source.parent / "out.csv"
    PLAN.run(source, plain)
    assert gzip.decompress(one.read_bytes()) == plain.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "latin-1", "utf-32"])
def test_every_encoding_is_read_again(tmp_path: Path, encoding: str) -> None:
    text = ROWS.replace("smith", "forgerön").replace("\n", "\r\n")
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(text.encode(encoding))
    PLAN.run(source, target)
    expected = "\r\n".join(line.partition(",")[2] for line in text.split("\r\n"))
    assert target.read_bytes().decode(encoding) == expected


def test_another_format_than_that_of_the_data_is_refused(source: Path) -> None:
    with pytest.raises(OutputError, match=r"end its name in \.csv"):
        PLAN.run(source, source.parent / "out.parquet")
    pd.read_csv(source).to_parquet(source.parent / "in.parquet")
    with pytest.raises(OutputError, match=r"end its name in \.parquet"):
        PLAN.run(source.parent / "in.parquet", source.parent / "out.parquet.gz")


@pytest.mark.parametrize("text", ['a,b\n1, "p,q"\n2, "p,q"\n', 'a,b\n1,p" x\n2,p" x\n', "a,b\n\n1,p\n2,p\n\n"])
def test_odd_quotes_and_blank_lines_are_read_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "in.csv").write_text(text)
    al.Plan({"a": al.keep(), "b": al.quasi("category")}, k=2).run(tmp_path / "in.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().count("p") == 2


def test_release_knows_neither_methods_nor_records() -> None:
    for module in Path(release.__file__).parent.glob("*.py"):
        text = module.read_text()
        assert "allonym.methods" not in text
        assert "allonym.records" not in text


def test_k_of_each_column_alone_is_counted_in_each() -> None:
    frame = pa.table({"a": ["x", "x", "y", "y"], "b": ["p", "p", "p", "q"]})
    each = release.Promise(columns=["a"], k=2, rows=4, names=["a", "b"], per_column=True)
    assert release.recount(frame, ["a", "b"], each).k == [2]
    both = release.Promise(columns=["a", "b"], k=2, rows=4, names=["a", "b"], per_column=True)
    with pytest.raises(ReleaseError, match="only 1 rows"):
        release.recount(frame, ["a", "b"], both)
