"""Build tables, ontologies and JSON from bytes, so that a mutated byte changes a cell, a quote or an encoding."""

from __future__ import annotations

import datetime
import io
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
PIECES = (
    "", "a", "b", "nurse", "cook", "pet", "0", "7", "1.5", "-2", "1e5", "2,5", "é", "ß", "日", '"', '""', ",", ";",
    "\t", "|", "\n", "\r", "\r\n", " ", "\0", "\ufeff", "'", "\\", "{", "[", "#", "=", "\x1c", "\x1f", "\x85", "\xa0",
    "\u2028", "\u3000", "NA", "?", "NaN", "null", "inf", ":", "PAR1", "\x1f\u2039",
)  # fmt: skip
DELIMITERS = (",", ";", "\t", "|", ":", " ", "^", "\\", "a", "\0")
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "cp437", "koi8-r",
    "shift_jis", "gb18030", "utf-7", "iso2022_jp", "hz", "cp037", "unicode_escape", "punycode",
)  # fmt: skip
MARKS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


class Choices:
    """Choices determined by bytes; after the last byte, every choice is the first option.

    >>> choices = Choices(b"\\x01\\x05")
    >>> choices.one_of("ab"), choices.below(4), choices.below(4)
    ('b', 1, 0)
    """

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1; n is at most 256."""
        self._position += 1
        return self._data[self._position - 1] % n if self._position <= len(self._data) else 0

    def flag(self) -> bool:
        """Return True or False."""
        return self.below(2) == 1

    def one_of(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.below(len(options))]

    def text(self, most: int = 4, pieces: Sequence[str] = PIECES) -> str:
        """Return a text of up to `most` pieces."""
        return "".join(self.one_of(pieces) for _ in range(self.below(most + 1)))

    def rest(self) -> bytes:
        """Return the remaining bytes."""
        remaining = self._data[self._position :]
        self._position = len(self._data)
        return remaining


class DelimitedTable(NamedTuple):
    """A table of delimited text with known cells."""

    raw: bytes
    delimiter: str
    encoding: str
    header: bool
    rows: list[list[str]]  # without the header and surrounding blanks


def table(choices: Choices) -> DelimitedTable | None:
    """Build a table; None if the encoding lacks a character."""
    delimiter, encoding = choices.one_of(DELIMITERS), choices.one_of(ENCODINGS)
    newline = choices.one_of(("\n", "\r\n", "\r", ""))  # "" mixes line ends
    header, always, padded = choices.below(4) < 3, choices.flag(), choices.below(4) == 3
    blanks, marked = choices.below(4) == 3, choices.flag()
    width, height = 1 + choices.below(4), choices.below(7)
    rows = [[choices.text() for _ in range(width)] for _ in range(height)]
    names = [f"c{j}{choices.text(1)}" for j in range(width)]
    lines = []
    for row in [names, *rows] if header else rows:
        cells = [_written(cell, delimiter, always, width) for cell in row]
        pad = " " if padded and delimiter != " " and choices.flag() else ""
        lines.append(pad + delimiter.join(cells) + (newline or choices.one_of(("\n", "\r\n"))))
        if blanks and width > 1 and choices.flag():
            lines.append(newline or "\n")
    text = "".join(lines)
    text = text.rstrip("\r\n") if choices.flag() and not text.endswith(("\r\n\r\n", "\n\n", "\r\r")) else text
    try:
        raw = (MARKS.get(encoding, b"") if marked else b"") + text.encode(encoding)
    except (UnicodeError, LookupError):
        return None
    texts = [[cell.strip() for cell in row] for row in rows]
    return DelimitedTable(raw, delimiter, encoding, header, texts)


def _written(cell: str, delimiter: str, always: bool, width: int) -> str:
    quotes = always or any(x in cell for x in (delimiter, '"', "\n", "\r")) or (width == 1 and not cell.strip())
    return '"' + cell.replace('"', '""') + '"' if quotes else cell


def value(choices: Choices, depth: int = 2) -> Any:
    """Build a JSON value; strings may contain unpaired surrogates."""
    kind = choices.below(12 if depth else 9)
    if kind < 4:
        return choices.text(3, (*PIECES, "\ud800", "\udfff"))
    if kind < 9:
        return (None, choices.flag(), choices.below(256) - 128, choices.below(9) / 2, 10 ** choices.below(40))[kind - 4]
    if kind < 11:
        return [value(choices, depth - 1) for _ in range(choices.below(4))]
    return {choices.text(1): value(choices, depth - 1) for _ in range(choices.below(3))}


def json_lines(choices: Choices) -> list[dict[str, Any]]:
    """Build JSON records."""
    names = ["a", "b", choices.text(2), "d"][: 1 + choices.below(4)]
    rows = [[value(choices) for _ in names] for _ in range(choices.below(7))]
    return [{x: v for x, v in zip(names, row, strict=True) if choices.below(8)} for row in rows]


def mutate_json(choices: Choices, node: Any) -> Any:
    """Replace some values of a JSON tree, or drop some keys."""
    if choices.below(12) == 1:
        return value(choices)
    if isinstance(node, dict):
        return {k: mutate_json(choices, v) for k, v in node.items() if choices.below(24) != 1}
    return [mutate_json(choices, x) for x in node] if isinstance(node, list) else node


def parquet(choices: Choices) -> bytes:
    """Build a Parquet file with columns of many types and arbitrary pandas metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cells: list[tuple[Any, Callable[[], Any]]] = [
        (pa.string(), choices.text), (pa.large_string(), choices.text), (pa.int8(), lambda: choices.below(100)),
        (pa.float32(), lambda: choices.one_of((0.5, math.nan, math.inf))), (pa.bool_(), choices.flag),
        (pa.binary(), lambda: b"\xff"), (pa.date32(), lambda: choices.below(100)), (pa.null(), lambda: None),
        (pa.timestamp("ns", "UTC"), lambda: choices.below(100)), (pa.time64("ns"), lambda: choices.below(100)),
        (pa.decimal128(5, 2), lambda: choices.below(100)), (pa.duration("s"), lambda: choices.below(100)),
        (pa.list_(pa.string()), lambda: [choices.text(), None]), (pa.list_(pa.list_(pa.int8())), lambda: [[1], []]),
        (pa.list_(pa.float64(), 2), lambda: [0.5, math.nan]), (pa.struct({"x": pa.int8()}), lambda: {"x": 1}),
        (pa.map_(pa.string(), pa.int8()), lambda: [("k", 1)]), (pa.dictionary(pa.int8(), pa.string()), choices.text),
    ]  # fmt: skip
    n, columns = choices.below(4), {}
    for _ in range(choices.below(5)):
        kind, cell = choices.one_of(cells)
        columns[choices.text(2)] = pa.array([cell() if choices.below(4) else None for _ in range(n)], kind)
    metadata = choices.one_of((None, json.dumps(value(choices)), choices.text()))
    metadata = json.dumps({"index_columns": value(choices)}) if choices.flag() else metadata
    table, target = pa.table(columns), io.BytesIO()
    table = table if metadata is None else table.replace_schema_metadata({"pandas": metadata})
    pq.write_table(table, target, store_schema=choices.flag())
    return target.getvalue()


def workbook(choices: Choices) -> bytes:
    """Build an Excel workbook."""
    import xlsxwriter

    width = 1 + choices.below(4)
    rows: list[list[Any]] = [[f"c{j}{choices.text(1)}" for j in range(width)]]
    moment = datetime.datetime(1900 + choices.below(200), 2, 28, choices.below(24), 59, 59)
    values = (None, True, 0, -1.5, 1e300, 2**53, moment, moment.date(), moment.time(), datetime.timedelta(days=1.5))
    for _ in range(choices.below(6)):
        rows.append([choices.text() if choices.flag() else choices.one_of(values) for _ in range(width)])
    target = io.BytesIO()
    options = {"strings_to_formulas": False, "strings_to_urls": False, "default_date_format": "yyyy-mm-dd hh:mm:ss"}
    with xlsxwriter.Workbook(target, options) as book:
        sheet = book.add_worksheet(choices.one_of(("People", "é", "it's")))
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                if isinstance(cell, str):
                    sheet.write_string(i, j, cell)
                elif isinstance(cell, datetime.timedelta):
                    sheet.write_datetime(i, j, cell, book.add_format({"num_format": "[h]:mm:ss"}))
                elif cell is not None:
                    sheet.write(i, j, cell)
    return target.getvalue()


def labelled(choices: Choices, path: Path) -> None:
    """Build an SPSS or Stata file, by the suffix of the path."""
    import pandas as pd
    import pyreadstat

    n, columns, labels = choices.below(5), {}, {}
    for j in range(1 + choices.below(4)):
        kind = choices.below(3)
        cell = (choices.text, lambda: float(choices.below(9)), lambda: choices.below(20) / 4)[kind]
        columns[f"v{j}"] = [cell() if kind == 0 or choices.below(4) else math.nan for _ in range(n)]
        if kind == 1:
            labels[f"v{j}"] = {float(choices.below(9)): choices.text() for _ in range(choices.below(4))}
    write = pyreadstat.write_sav if path.suffix == ".sav" else pyreadstat.write_dta
    write(pd.DataFrame(columns), str(path), variable_value_labels={x: y for x, y in labels.items() if y})


WORDS = (
    *"abc",
    "A01",
    "A01.100",
    "A01.100.100",
    "M:1",
    "",
    " ",
    "é",
    'x"y',
    "l1\nl2",
    "a;b",
    "a,b",
    "\x1c",
    "#",
    "1",
    "*",
)


def ontology(choices: Choices) -> tuple[str, bytes]:
    """Build an ontology in one of the formats; ids, labels and links are drawn from a few words."""
    kind = choices.one_of(tuple(_FORMATS))
    entries = [(choices.one_of(WORDS), choices.one_of(WORDS), choices.one_of(WORDS)) for _ in range(choices.below(8))]
    return kind, _FORMATS[kind](choices, entries).encode("utf-8", "replace")


Entries = list[tuple[str, str, str]]  # id, parent, label


def _csv(choices: Choices, entries: Entries, header: Sequence[str]) -> str:
    delimiter, named, cut = choices.one_of(",;\t|"), choices.flag(), 2 + choices.below(2)
    rows = [list(header), *map(list, entries)] if named else [list(x) for x in entries]
    written = [delimiter.join(_written(x, delimiter, choices.below(8) == 1, 2) for x in row[:cut]) for row in rows]
    return choices.one_of(("\n", "\r\n", "\r")).join(written)


def _obo(choices: Choices, entries: Entries) -> str:
    parts = ["format-version: 1.2\n"]
    for name, parent, label in entries:
        escaped = label.replace("\n", "\\n")
        extra = choices.one_of(
            (f"is_a: {parent}", f'synonym: "{escaped}" EXACT []', f"relationship: part_of {parent}", "")
        )
        parts.append(f"[{choices.one_of(('Term', 'Instance', 'Typedef'))}]\nid: {name}\nname: {escaped}\n{extra}\n")
    return "\n".join(parts)


def _lmf(choices: Choices, entries: Entries) -> str:
    def escape(text: str) -> str:
        return text.replace("&", "&amp;").replace('"', "&quot;").replace("\n", "&#10;").replace("\x1c", "")

    parts = []
    for name, parent, label in entries:
        kind = choices.one_of(("hypernym", "instance_hypernym", "holo_part", "other"))
        parts.append(
            f'<LexicalEntry><Lemma writtenForm="{escape(label)}" partOfSpeech="n"/><Sense synset="{escape(name)}"/>'
            f'</LexicalEntry><Synset id="{escape(name)}"><SynsetRelation relType="{kind}" target="{escape(parent)}"/>'
            "</Synset>"
        )
    encoding = choices.one_of(("UTF-8", "us-ascii", "gbk", "utf-7", "none"))
    whole = "".join(["<LexicalResource><Lexicon>", *parts, "</Lexicon></LexicalResource>"])
    return f'<?xml version="1.0" encoding="{encoding}"?>{whole}'


def _turtle(choices: Choices, entries: Entries) -> str:
    def iri(text: str) -> str:
        return "<urn:x:" + "".join(f"%{ord(x):02X}" if not x.isalnum() else x for x in text) + ">"

    up = choices.one_of(("skos:broader", "rdfs:subClassOf", "skos:narrower", "rdf:type"))
    parts = [
        f"{iri(name)} a skos:Concept ; skos:prefLabel {json.dumps(label)}{tag} ; {up} {iri(parent)} ."
        for name, parent, label in entries
        for tag in [choices.one_of(("", "@en", "@de-AT"))]
    ]
    prefixes = "skos: <http://www.w3.org/2004/02/skos/core#>", "rdfs: <http://www.w3.org/2000/01/rdf-schema#>"
    prefixes = (*prefixes, "rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>")
    return "\n".join([*(f"@prefix {x} ." for x in prefixes), *parts])


_FORMATS = {
    "child-parent": lambda choices, entries: _csv(choices, entries, ("id", "parent", "label")),
    "codes": lambda choices, entries: _csv(choices, [(x, z, y) for x, y, z in entries], ("code", "label", "level")),
    "hierarchy": lambda choices, entries: _csv(choices, entries, ("a", "b", "c")),
    "mesh": lambda choices, entries: _csv(choices, [(x, z, y) for x, y, z in entries], ("name", "id", "tree")),
    "obo": _obo,
    "lmf": _lmf,
    "rdf": _turtle,
    "tree": lambda choices, entries: json.dumps(value(choices, 4)),
}
