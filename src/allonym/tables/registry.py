"""The file formats, one line each. A file has the first format that recognises its content."""

from __future__ import annotations

from allonym.tables import csv, excel, jsonl, parquet, spss
from allonym.tables.base import Format

FORMATS: tuple[Format, ...] = (
    parquet.FORMAT,
    excel.FORMAT,
    spss.SPSS,
    spss.STATA,
    jsonl.FORMAT,
    csv.FORMAT,  # anything else
)
ENDINGS = tuple(ending for format in FORMATS for ending in format.endings if ending)
