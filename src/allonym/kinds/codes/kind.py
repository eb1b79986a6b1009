"""Codes: hierarchical by their beginnings, never averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from allonym.cells import Cells, cell_text, is_missing
from allonym.kinds.base import EncodedColumn, Kind
from allonym.kinds.codes.metric import CodeMetric
from allonym.kinds.codes.scheme import Code, CodeScheme
from allonym.kinds.linking import ColumnLinks
from allonym.metric import Metric, Value


@dataclass(frozen=True)
class Codes(Kind):
    """Codes such as postcodes; spellings that differ in case and separators are one value."""

    name: ClassVar[str] = "code"
    description: ClassVar[str] = "codes, such as postcodes: what begins alike is alike"
    options: ClassVar[frozenset[str]] = frozenset({"min_prefix"})
    writes_rare: ClassVar[bool] = False

    min_prefix: int = 1

    def encode(self, name: str, cells: Cells, links: Sequence[ColumnLinks] = ()) -> EncodedColumn:
        """Encode codes; a text that is no code, and that fewer than k units hold, is written as null."""
        scheme = CodeScheme.of_cells(cells, self.missing)
        values = [None if is_missing(c, self.missing) else scheme.read(cell_text(c)) for c in cells.values]

        def label(value: Value) -> Any:
            if not isinstance(value, Code):
                return None
            text = scheme.write(value)
            return int(text) if scheme.width and not value.is_prefix else text

        return self._encoded(name, cells, values, lambda v: CodeMetric(v, scheme, self.min_prefix), _order, label)

    def as_texts(self, cells: list[Any], metric: Metric) -> list[Any]:
        """Return codes as text; whole numbers, with their leading zeros."""
        assert isinstance(metric, CodeMetric)
        width = metric.scheme.width
        return [x if x is None or isinstance(x, str) else cell_text(x).zfill(width) for x in cells]

    def meanings(
        self, encoded: EncodedColumn, cells: Cells, new: Mapping[str, int], links: Sequence[ColumnLinks]
    ) -> dict[str, Value]:
        """Return new codes, and prefixes as tools write them: 981*, 981**, 981xx."""
        metric = encoded.attribute.metric
        assert isinstance(metric, CodeMetric)
        return {text: metric.scheme.read_released(text) for text in new}


def _order(value: Value) -> tuple[bool, Any]:
    """Order codes before texts that are none."""
    return isinstance(value, str), value
