"""Delimited text: cells as Python's csv module reads them, and every byte that is not masked comes back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym.cells import Cells
from allonym.errors import TableError
from allonym.tables import csv_bytes as cutting
from allonym.tables.delimited import Delimited

MASKS = ["worker", 'a "b"', "x,y;z|w\tv", "l1\nl2", "ü 日本", "", None]


class Drawn(NamedTuple):
    """A table whose cells are known, as text and as they stand in the file."""

    delimiter: str
    lines: list[tuple[list[str], str]]  # cells as written and the line end; no cells is a blank line
    texts: list[list[str]]  # the rows, header first, without surrounding blanks

    @property
    def content(self) -> bytes:
        return "".join(self.delimiter.join(cells) + end for cells, end in self.lines).encode()


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@st.composite
def cells(draw: st.DrawFn, delimiter: str, style: str, odd: bool, newline: str) -> tuple[str, str]:
    """Draw a cell: its text, and a way to write it."""
    inside = "" if newline == "\r" else "\n\r"  # see test_a_newline_inside_quotes_does_not_end_the_lines_of_a_cr_file
    text = draw(st.text("ab0é日 ,;|\t\"'" + inside, max_size=5) | st.sampled_from(["", " ", "007", '5" pipe', "1.50"]))
    bare = not any(c in text for c in (delimiter, "\n", "\r"))
    if style == "all" or (style == "nonnumeric" and not text.strip().isdecimal()):
        written = quoted(text)
    elif '"' in text:
        written = text if odd and bare and text.strip()[:1] != '"' else quoted(text)
    else:
        written = text if bare and not (style == "mixed" and draw(st.booleans())) else quoted(text)
    return text, draw(st.sampled_from(["", " ", "  "])) + written if odd else written


@st.composite
def tables(draw: st.DrawFn, odd: bool = False) -> Drawn:
    """Draw a table; an odd one has blanks before quotes, or quotes inside cells that have none around them."""
    delimiter = draw(st.sampled_from(",;|" if odd else ",;|\t"))  # see test_blanks_beside_quotes_are_no_tabs
    newline = draw(st.sampled_from(["\n", "\r\n"] if odd else ["\n", "\r\n", "\r"]))
    style = draw(st.sampled_from(["minimal", "all", "nonnumeric", "mixed"]))
    width = draw(st.integers(1, 4))
    names = [f"c{j}" for j in range(width)]
    blanks = st.sampled_from([0] if width == 1 else [0, 0, 0, 1, 2])
    lines: list[tuple[list[str], str]] = [([], newline)] * draw(blanks)
    lines.append(([quoted(x) if style == "all" else x for x in names], newline))
    texts = [names]
    for _ in range(draw(st.integers(int(odd), 6))):
        row = [draw(cells(delimiter, style, odd, newline)) for _ in names]
        texts.append([text.strip() for text, _ in row])
        lines.append(([written for _, written in row], newline))
        lines += [([], newline)] * draw(blanks)
    if draw(st.booleans()) and (last := lines[-1][0]) and last != [""]:
        lines[-1] = (last, "")
    return Drawn(delimiter, lines, texts)


@contextmanager
def blocks_of(size: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "BLOCK_BYTES", size)
        yield


def by_csv(content: bytes, delimiter: str) -> list[list[str]]:
    """Read a table by Python's own module; a blank line is no row."""
    text = content.decode()
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    return [[cell.strip() for cell in row] for row in rows if row]


def rows_of(table: Delimited) -> list[list[str]]:
    found = table.cells(table.names)
    columns = [[found[x].values[c] for c in found[x].codes] for x in table.names]
    assert all(len(column) == table.n for column in columns)
    return [list(table.names), *map(list, zip(*columns, strict=True))]


SIZES = st.sampled_from([7, 16, 33, 1 << 22])


@given(tables() | tables(odd=True), SIZES)
def test_cells_are_those_of_csv_and_the_file_comes_back_byte_for_byte(drawn: Drawn, size: int) -> None:
    with blocks_of(size):
        table = Delimited(drawn.content, drawn.delimiter)
        assert rows_of(table) == drawn.texts
        if len(drawn.texts[0]) > 1:
            assert by_csv(drawn.content, drawn.delimiter) == drawn.texts
        assert b"".join(table.changed({}, [])) == drawn.content


@given(tables() | tables(odd=True), SIZES, st.data())
def test_only_masked_cells_and_dropped_columns_change(drawn: Drawn, size: int, data: st.DataObject) -> None:
    names = drawn.texts[0]
    masked = data.draw(st.sets(st.sampled_from(names)))
    dropped = data.draw(st.sets(st.sampled_from(names), max_size=len(names) - 1))
    n = len(drawn.texts) - 1
    codes = {x: data.draw(st.lists(st.integers(0, len(MASKS) - 1), min_size=n, max_size=n)) for x in names}
    with blocks_of(size):
        table = Delimited(drawn.content, drawn.delimiter)
        new = {x: Cells(MASKS, np.array(codes[x], np.int64)) for x in masked}
        found = b"".join(table.changed(new, sorted(dropped)))
    expected, row = "", -1
    for cells_of_line, end in drawn.lines:
        kept = []
        for name, cell in zip(names, cells_of_line, strict=False):
            if name not in dropped:
                kept.append(as_csv(MASKS[codes[name][row]], drawn.delimiter) if row >= 0 and name in masked else cell)
        alone = len(names) - len(dropped) == 1 and bool(dropped or masked)
        if alone and row >= 0 and kept and not kept[0].strip(" \t"):
            kept = ['""']  # alone on its line an empty cell would be no row to others
        row += bool(cells_of_line)
        if kept or not alone:  # and a blank line would be one
            expected += drawn.delimiter.join(kept) + end
    told = found.decode()
    if len(names) - len(dropped) == 1 and (dropped or masked):  # with the line end that is usual in the file
        told, expected = (x.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n") for x in (told, expected))
    assert told == expected


def as_csv(text: str | None, delimiter: str) -> str:
    """Write one cell by Python's own module."""
    target = io.StringIO()
    csv.writer(target, delimiter=delimiter, lineterminator="\n").writerow([text or "", "x"])
    return target.getvalue()[:-3]


SAMPLE = b'\xc3\xa4,b,"c ""d"""\r\n1,"x,\r\ny",\r\n\r\n"2",,""\r\n3," ",z'


@pytest.mark.parametrize("content", [SAMPLE, SAMPLE + b"\r\n", SAMPLE.replace(b"3", b'5" pipe')])
def test_a_block_border_may_fall_anywhere(content: bytes) -> None:
    names, *rows = by_csv(content, ",")
    for size in range(1, len(content) + 2):
        with blocks_of(size):
            table = Delimited(content, ",")
            assert rows_of(table) == [names, *rows], size
            assert b"".join(table.changed({}, [])) == content
            masked = b"".join(table.changed({"b": Cells(["m,n"], np.zeros(3, np.int64))}, ["ä"]))
            assert by_csv(masked, ",") == [names[1:], *(["m,n", row[2]] for row in rows)], size


@pytest.mark.parametrize("drop", [d for size in range(4) for d in combinations(range(4), size)])
def test_any_columns_but_all_can_be_dropped(drop: tuple[int, ...]) -> None:
    raws = [["a", '"b"', "c", "d"], ["1", '"x;y"', "", '""'], ["", "007", " z ", ""]]
    content = "\r\n".join(";".join(row) for row in raws).encode()
    found = b"".join(Delimited(content, ";").changed({}, [plain for j, plain in enumerate("abcd") if j in drop]))
    if len(drop) == 3:  # alone on its line an empty cell would be no row to others
        raws = [[x or '""' for x in row] for row in raws]
    assert found.decode() == "\r\n".join(";".join(x for j, x in enumerate(row) if j not in drop) for row in raws)


def test_masked_cells_follow_the_blanks_and_quotes_of_their_column() -> None:
    table = Delimited(b'a,b,c\n"1", x,p\n"2", y,"q"\n', ",")
    table.cells(["a", "b", "c"])
    new = Cells(["m"], np.zeros(2, np.int64))
    assert b"".join(table.changed({"a": new, "b": new, "c": new}, [])) == b'a,b,c\n"m", m,m\n"m", m,m\n'


@pytest.mark.parametrize("content", [b"a,b\n", b"a,b", b"a,b\r\n", b"a,b\r", b"\n\na,b\n\n \n", b'"a","b"'])
def test_a_header_alone_is_a_table_without_rows(content: bytes) -> None:
    table = Delimited(content, ",")
    assert (table.names, table.n, table.cells(["b"])["b"].values) == (("a", "b"), 0, [])
    assert b"".join(table.changed({"b": Cells([], np.array([], np.int64))}, [])) == content
    assert by_csv(b"".join(table.changed({}, ["a"])), ",")[0] == ["b"]


def test_without_a_header_columns_are_numbers() -> None:
    table = Delimited(b"x,y\nx,z", ",", header=False)
    assert rows_of(table) == [["1", "2"], ["x", "y"], ["x", "z"]]
    assert b"".join(table.changed({"2": Cells(["m"], np.zeros(2, np.int64))}, ["1"])) == b"m\nm"


def test_a_blank_line_is_a_row_only_in_a_table_of_one_column() -> None:
    assert rows_of(Delimited(b"a\nx\n\ny\n", ",")) == [["a"], ["x"], [""], ["y"]]
    assert rows_of(Delimited(b"a,b\nx,1\n\n  \ny,2\n\n\n", ",")) == [["a", "b"], ["x", "1"], ["y", "2"]]


@pytest.mark.parametrize("size", [7, 16, 1 << 22])
def test_ragged_rows_are_told_by_line_and_never_by_value(size: int) -> None:
    content = b'a,b\nsecret\n"ok\nok",1\n\nhidden,2,3\n' + b"x\n" * 5
    with blocks_of(size), pytest.raises(TableError, match=r"7 lines .* not have 2 cells .* line 2, 6, 7, 8, 9\.") as e:
        rows_of(Delimited(content, ","))
    assert "secret" not in str(e.value)
    assert "hidden" not in str(e.value)


@pytest.mark.parametrize("content", [b'a,b\n1,x\n2,"secret\n3,y\n', b'a,b\n1,x\n2,"secret"z\n', b'a,b\n1,x\n2,"'])
def test_an_unclosed_quote_is_told_by_line_and_never_by_value(content: bytes) -> None:
    with pytest.raises(TableError, match="line 3: a quote is not closed") as e:
        Delimited(content, ",")
    assert "secret" not in str(e.value)


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n\r\n", b"  \n\t\n"])
def test_a_file_without_content_is_empty(content: bytes) -> None:
    with pytest.raises(TableError, match=r"the table is empty\."):
        Delimited(content, ",")


def test_names_that_come_twice_are_an_error() -> None:
    with pytest.raises(TableError, match=r"2 of 5 column names .* occur more than once\. Hint") as caught:
        Delimited(b'a,b,"a", b ,c\n', ",")
    assert caught.value.values == ("a", "b")


# --- what once did not hold ----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b'5" x\t\t"y"', b'5" x\t"y"\t', b'"y"\t\t5"'])
def test_blanks_beside_quotes_are_no_tabs(line: bytes) -> None:
    content = b"a\tb\tc\n" + line + b"\n"
    assert rows_of(Delimited(content, "\t")) == by_csv(content, "\t")


@pytest.mark.parametrize("content", [b'a, "b"\n', b'a,5" pipe\n'])
def test_a_header_with_odd_quotes_alone_has_no_rows(content: bytes) -> None:
    assert rows_of(Delimited(content, ",")) == by_csv(content, ",")


def test_a_header_of_one_column_with_odd_quotes_and_no_line_end_has_no_rows() -> None:
    assert Delimited(b' "a"', ",").n == 0


@pytest.mark.parametrize("cell", [b'"x""', b'"""'])
def test_a_doubled_quote_at_the_end_of_a_line_does_not_close_a_cell(cell: bytes) -> None:
    with pytest.raises(TableError, match="line 2: a quote is not closed"):
        rows_of(Delimited(b"a,b\n1," + cell + b"\n2,y\n", ","))


@pytest.mark.parametrize("content", [b'a,b\r5",x\r6,"y"\r', b'a\r5"\r"x"\r\r6\r'])
def test_carriage_returns_end_lines_after_odd_quotes_too(content: bytes) -> None:
    table = Delimited(content, ",")
    new = Cells(["m"], np.zeros(content.count(b"\r") - 1, np.int64))
    lines = content.decode().split("\r")
    expected = [lines[0], *(line.rpartition(",")[0] + "," * ("," in line) + "m" for line in lines[1:-1]), ""]
    assert b"".join(table.changed({table.names[-1]: new}, [])).decode() == "\r".join(expected)


def test_a_newline_inside_quotes_does_not_end_the_lines_of_a_cr_file() -> None:
    assert rows_of(Delimited(b'a,b\r"x\ny",2\r3,4\r', ",")) == [["a", "b"], ["x\ny", "2"], ["3", "4"]]


def test_a_masked_cell_with_a_delimiter_is_one_cell_to_every_reader() -> None:
    table = Delimited(b"a,b\n1, x\n2, y\n", ",")
    table.cells(["b"])
    content = b"".join(table.changed({"b": Cells(["m,n"], np.zeros(2, np.int64))}, []))
    assert [len(row) for row in csv.reader(io.StringIO(content.decode()))] == [2, 2, 2]


def test_dropping_all_but_one_column_keeps_the_rows_for_every_reader() -> None:
    content = b"".join(Delimited(b"a,b\n1,\n2,y\n", ",").changed({}, ["a"]))
    assert len(by_csv(content, ",")) == 3
