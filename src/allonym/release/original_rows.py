"""The rows of the original table as text: all that a release of existing records may contain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.cells import Cells, cell_text, is_missing
from allonym.kinds.numbers import to_number
from allonym.tables.delimited import plain
from allonym.tables.second_reader import joined

UNKNOWN = -1  # the code of a text that the original does not have
EMPTY = -2  # of a missing value that the original writes otherwise


class OriginalRows:
    """The rows of a table, column by column: the codes of the texts, and the combinations of codes that occur."""

    def __init__(self, columns: Sequence[Cells], missing: Sequence[str]) -> None:
        self.missing = missing
        self.codes = [self._codes(cells) for cells in columns]
        rows = [code[cells.codes] for (_, code), cells in zip(self.codes, columns, strict=True)]
        self.combinations = set(map(tuple, np.unique(np.stack(rows, axis=1), axis=0).tolist()))

    def _codes(self, cells: Cells) -> tuple[dict[str, int], NDArray[np.int64]]:
        """Return the code of each text of a column, in any way that a reader may give it, and of each distinct cell."""
        code_of: dict[str, int] = {}
        codes = []
        for cell in cells.values:
            if is_missing(cell, self.missing) and not isinstance(cell, tuple):
                codes.append(EMPTY)
                continue
            texts = [joined(cell)] if isinstance(cell, tuple) else [str(cell).strip(), cell_text(cell).strip()]
            code = next((code_of[x] for x in texts if x in code_of), len(code_of))
            code_of |= dict.fromkeys(texts, code)
            codes.append(code)
        return code_of, np.array(codes, np.int64)

    def code(self, column: int, cell: Any) -> int:
        """Return the code of a cell of the release: perhaps with quotes, or in another number format."""
        if cell is None:
            return EMPTY
        code_of, text = self.codes[column][0], cell_text(cell)
        if text in code_of:
            return code_of[text]
        text = plain(text.encode())
        number = to_number(text)
        if text not in code_of and number is not None:
            text = cell_text(number)
        return code_of.get(text, EMPTY if is_missing(text, self.missing) or text == "nan" else UNKNOWN)

    def new_rows(self, columns: Sequence[tuple[Sequence[Any], NDArray[np.int64]]]) -> NDArray[np.bool_]:
        """Return which rows of a release, given by distinct cells and the place of each, the original does not have.

        >>> original = OriginalRows([Cells(["cook", "vicar"], np.array([0, 1])), Cells([7, 8], np.array([0, 1]))], ())
        >>> original.new_rows([(["cook"], np.array([0, 0])), (["7", "8"], np.array([0, 1]))]).tolist()
        [False, True]
        """
        codes = [
            np.array([self.code(a, cell) for cell in cells] or [UNKNOWN], np.int64)[places]
            for a, (cells, places) in enumerate(columns)
        ]
        rows, row_of = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
        new = np.array([tuple(row) not in self.combinations for row in rows.tolist()], bool)
        return new[row_of.ravel()]
