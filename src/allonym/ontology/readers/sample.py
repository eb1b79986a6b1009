"""The beginning of an ontology file, by which its format is recognised."""

from __future__ import annotations

from functools import cached_property

from allonym.ontology.readers.source import File
from allonym.ontology.readers.table import rows_of

SAMPLE_BYTES = 200_000


class Sample:
    """The beginning of a file, as text and as a table."""

    def __init__(self, file: File) -> None:
        self.path = file.path
        self._head = File(file.path, file.content[:SAMPLE_BYTES], "")
        self._is_truncated = len(file.content) > SAMPLE_BYTES

    @cached_property
    def text(self) -> str:
        """The decoded text."""
        return self._head.text()

    @cached_property
    def rows(self) -> list[list[str]]:
        """The complete, non-empty rows of a table, without empty last columns; none if it has a single column."""
        rows = [row for row in rows_of(self._head, is_truncated=self._is_truncated) if any(row)]
        width = max((i + 1 for row in rows for i, cell in enumerate(row) if cell), default=0)
        rows = [row[:width] for row in rows]
        return rows if width > 1 else []
