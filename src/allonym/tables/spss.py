"""SPSS (sav) and Stata (dta) files: codes with value labels. A labelled column is read as labels and written as codes.

A release has the labels of its columns and of the values that occur in it, and no other notes; a new value gets a new
code and label. Columns that are not masked keep their codes and formats. The extras `spss` and `stata` bring
pyreadstat, which reads and writes the files.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from allonym.cells import Cells, cell_text
from allonym.errors import OutputError, ReleaseError, TableError
from allonym.tables.base import DEFAULT_MAX_SIZE, Format, Reading
from allonym.tables.column_types import becomes_text
from allonym.tables.columns import Columns, named, reordered
from allonym.tables.parsers import confined
from allonym.tables.parsers.script import DamagedError
from allonym.tables.row_order import RowOrder
from allonym.tables.second_reader import text_table

TYPES = {"int8": np.int8, "int16": np.int16, "int32": np.int32, "float": np.float32, "double": np.float64}
CREATION_DATE = b"01 Jan 70"


class LabelledFile(Columns):
    """An SPSS or Stata file."""

    def __init__(self, content: bytes, name: str, *, max_size: int = DEFAULT_MAX_SIZE) -> None:
        self.format, self.max_size = SPSS if SPSS.recognises(content) else STATA, max_size
        codes, self.notes = _parsed(content, name, self.format, max_size)
        self.codes: dict[str, list[Any]] = {x: [_value(v) for v in codes[x]] for x in named(list(codes), name)}
        stored = {x: labels for x, labels in self.notes["labels"].items() if x in self.codes}
        self.labels = {x: {_value(c): str(label) for c, label in labels} for x, labels in stored.items()}
        self.labelled = [x for x in self.codes if _by_label(self.codes[x], self.labels.get(x, {}))]
        shown = {x: self._shown(x) if x in self.labelled else values for x, values in self.codes.items()}
        self._masked: list[str] = []
        super().__init__(shown, name)

    @classmethod
    def open(
        cls, content: bytes, name: str, reading: Reading, *, item_separators: Collection[str] = ()
    ) -> LabelledFile:
        """Open a file; there is nothing to choose."""
        return cls(content, name, max_size=reading.max_size)

    def _shown(self, name: str) -> list[Any]:
        """Return the labels of a column; a code without a label as text."""
        labels = self.labels[name]
        return [None if c is None else labels.get(c, cell_text(c)) for c in self.codes[name]]

    def changed(
        self,
        columns: Mapping[str, Cells],
        drop: Sequence[str],
        *,
        discard_style: bool = False,
        order: RowOrder | None = None,
    ) -> dict[str, list[Any]]:
        """Return the columns with other cells in some, without others, and with rows in an order; others as codes."""
        self._masked = list(columns)
        content = super().changed(columns, drop, discard_style=discard_style)
        content |= {name: self.codes[name] for name in content if name not in columns}
        return content if order is None else reordered(content, order.rows(self.n))

    def from_columns(self, data: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """Return new columns, to be saved in the same format."""
        self._masked = list(data)
        return super().from_columns(data)

    def save(self, content: Mapping[str, list[Any]], path: Path, *, zipped: bool = False) -> None:
        """Write columns as codes with labels."""
        import pyreadstat

        data: dict[str, list[Any]] = {}
        labels: dict[str, dict[Any, str]] = {}
        for name, values in content.items():
            numbered = any(isinstance(v, int) for v in values)  # the units of a long table
            if name in self._masked and name in self.labelled and not numbered:
                data[name], labels[name] = recoded(values, self.labels[name])
            else:
                data[name] = values
                labels |= {name: self._used_labels(name)} if name not in self._masked else {}
        kept = [x for x in data if x not in self._masked]
        formats = {x: format_without_text(self.notes["formats"][x]) for x in kept}
        common: dict[str, Any] = {
            "column_labels": {x: y for x, y in self.notes["titles"].items() if x in data and y},
            "variable_value_labels": {x: y for x, y in labels.items() if y},
            "variable_format": {x: y for x, y in formats.items() if y},
        }
        try:
            self._write(data, path, common, kept)
        except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, ValueError, TypeError) as error:
            raise OutputError(
                "The release cannot be written as an SPSS or Stata file.", hint="convert the data to CSV first."
            ) from error
        path.write_bytes(without_date(path.read_bytes()))

    def _write(self, data: Mapping[str, list[Any]], path: Path, common: dict[str, Any], kept: list[str]) -> None:
        import pandas as pd
        import pyreadstat

        frame = pd.DataFrame({x: self._typed(x, values) for x, values in data.items()})
        if self.format is STATA:
            pyreadstat.write_dta(frame, path, **common)
            return
        pyreadstat.write_sav(
            frame,
            path,
            **common,
            missing_ranges={x: y for x in kept if (y := self._used_ranges(x))},
            variable_measure={
                x: "nominal" if self._became_text(x, data[x]) else y
                for x, y in self.notes["measures"].items()
                if x in data
            },
            variable_display_width={x: y for x, y in self.notes["widths"].items() if x in kept},
        )

    def _used_labels(self, name: str) -> dict[Any, str]:
        """Return the value labels of a column that is not masked, of values that occur."""
        occurring = set(self.codes[name])
        return {code: label for code, label in self.labels.get(name, {}).items() if code in occurring}

    def _used_ranges(self, name: str) -> list[Any]:
        """Return the missing values of a column that is not masked, narrowed to values that occur."""
        occurring = {c for c in self.codes[name] if c is not None}
        used = []
        for stored in self.notes["missing"].get(name, []):
            inside = [c for c in occurring if isinstance(c, str) is isinstance(stored["lo"], str)]
            inside = [c for c in inside if stored["lo"] <= c <= stored["hi"]]
            used += [{"lo": min(inside), "hi": max(inside)}] if inside else []
        return used

    def reread(self, content: bytes, columns: Sequence[str], names: Sequence[str]) -> tuple[Any, Sequence[str]]:
        """Read some columns of the written file by their labels: Stata's by pandas, which did not write it."""
        return reread_sav(content, columns, self.max_size) if self.format is SPSS else reread_dta(content, columns)

    def _became_text(self, name: str, values: Sequence[Any]) -> bool:
        """Tell whether a range was written to a column of numbers."""
        return self.notes["types"][name] != "string" and becomes_text(values, "f")

    def _typed(self, name: str, values: Sequence[Any]) -> Any:
        """Return a column with the type it has in the file: text, or numbers of its width if they fit."""
        kind = self.notes["types"][name]
        if kind == "string" or self._became_text(name, values):
            return ["" if v is None else str(v) for v in values]
        numbers = np.array([np.nan if v is None else float(v) for v in values], np.float64)
        if kind in TYPES and not np.isnan(numbers).any():
            narrow = numbers.astype(TYPES[kind])
            if (narrow == numbers).all():
                return narrow
        return numbers


def recoded(texts: Sequence[str | None], labels: Mapping[Any, str]) -> tuple[list[Any], dict[Any, str]]:
    """Return texts as codes: a label gets its code, a text that is a code stays, a new text gets the next code.

    >>> recoded(["Cook", "artist", None, "7"], {1: "Nurse", 2: "Cook"})
    ([2, 8, None, 7], {2: 'Cook', 8: 'artist'})
    """
    code_of: dict[str, Any] = {}
    for code, label in labels.items():
        code_of.setdefault(label, code)
    if any(isinstance(code, str) for code in labels):  # codes are text: a new text is its own code
        codes = [None if x is None else code_of.get(x, x) for x in texts]
    else:
        number = re.compile(r"-?\d+(\.\d+)?")
        free = int(max([0, *labels, *(float(x) for x in texts if x and number.fullmatch(x))])) + 1
        codes = []
        for x in texts:
            if x is not None and x not in code_of:
                code_of[x] = _value(float(x)) if number.fullmatch(x) else free
                free += not number.fullmatch(x)
            codes.append(None if x is None else code_of[x])
    label_of = {code: label for label, code in code_of.items() if cell_text(code) != label}
    return codes, {code: label_of[code] for code in dict.fromkeys(codes) if code in label_of}


def format_without_text(text: str) -> str | None:
    """Return how a variable is shown, without free text in the format of a date; None: as usual for its type.

    >>> [format_without_text(x) for x in ("F8.2", "%9.0g", "%-20s", "%tdMon_DD,_CCYY", "%td", "%9.0gAnn Lee")]
    ['F8.2', '%9.0g', '%-20s', '%td', '%td', None]
    """
    known = re.match(r"%-?(?:td|tc|tC|tw|tm|tq|th|ty|d)|[A-Z]+[\d.]*$|%[-0]?\d+(?:[.,]\d+)?[gfe]c?$|%[-~]?\d+s$", text)
    return known[0] if known else None


def without_date(content: bytes) -> bytes:
    """Return an SPSS or Stata file with a fixed creation date, so that the same table gives the same bytes."""
    if content[:3] == b"$FL":
        return content[:92] + CREATION_DATE + b"00:00:00" + content[109:]
    return re.sub(rb"(<timestamp>.)[^<]{17}(?=</timestamp>)", rb"\g<1>01 Jan 1970 00:00", content, count=1)


def _parsed(
    content: bytes, name: str, format: Format, max_size: int = DEFAULT_MAX_SIZE
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the columns of a file, and its notes as `parsers.script` gives them."""
    if not confined.is_installed("pyreadstat"):
        raise TableError("SPSS and Stata files need the `spss` extra.", hint="pip install 'allonym[spss]'.")
    try:
        notes, *columns = confined.parse(format.name, content, name, max_size)
    except DamagedError as error:
        raise TableError(f"{name} is a damaged SPSS or Stata file.", hint="export it again.") from error
    return dict(columns), notes


def _value(value: Any) -> Any:
    """Return a value: a whole number as an integer, an empty text as null."""
    if value is None or value == "" or (isinstance(value, float) and np.isnan(value)):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _by_label(codes: Sequence[Any], labels: Mapping[Any, str]) -> bool:
    """Tell whether a column is read as labels: at least half of its distinct values have one."""
    distinct = {c for c in codes if c is not None}
    return bool(labels) and 2 * sum(c in labels for c in distinct) >= len(distinct)


_OLD_STATA = tuple(bytes([version, order]) for version in (105, 108, 110, 111, 113, 114, 115) for order in (1, 2))


def _is_stata(content: bytes) -> bool:
    return content[:11] == b"<stata_dta>" or (content[:2] in _OLD_STATA and content[2:4] == b"\x01\x00")


SPSS = Format("spss", (".sav",), lambda content: content[:4] in (b"$FL2", b"$FL3"), LabelledFile.open)
STATA = Format("stata", (".dta",), _is_stata, LabelledFile.open)


# --- the second readers --------------------------------------------------------------------------------------


def reread_sav(content: bytes, columns: Sequence[str], max_size: int = DEFAULT_MAX_SIZE) -> tuple[Any, list[str]]:
    """Read some columns of an SPSS file by their labels, and the names of all."""
    try:
        data, notes = _parsed(content, "the release", SPSS, max_size)
    except TableError as error:
        raise ReleaseError("The release cannot be read again.") from error
    return text_table(data, columns, {x: dict(labels) for x, labels in notes["labels"].items()}), list(data)


def reread_dta(content: bytes, columns: Sequence[str]) -> tuple[Any, list[str]]:
    """Read some columns of a Stata file by pandas, which did not write it, and the names of all."""
    from pandas.io.stata import StataReader

    with StataReader(io.BytesIO(content), convert_categoricals=False, convert_dates=False) as reader:
        frame = reader.read()
        label_set = dict(zip(frame.columns, reader._lbllist, strict=True))
        labels = reader.value_labels()
    of_columns = {x: labels[label_set[x]] for x in frame.columns if label_set[x] in labels}
    return text_table({x: frame[x].tolist() for x in columns}, columns, of_columns), list(frame.columns)
