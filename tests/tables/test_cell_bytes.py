"""The compiled kernels for cells give what Arrow gives, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym import compiled
from allonym.arrays import Ints
from allonym.tables import cell_bytes
from allonym.tables.cell_bytes import ArrowDictionary, rows_by_arrow, spliced_by_arrow

needs_kernels = pytest.mark.skipif(compiled.kernels is None, reason="no compiled kernels")
TEXTS = st.lists(st.binary(max_size=20), min_size=1, max_size=6)


def placed(cells: list[bytes]) -> tuple[bytes, Ints]:
    """Return cells separated by commas, and the first byte of each and the one after its last, in order."""
    ends = np.cumsum([len(x) + 1 for x in cells]) - 1
    return b",".join(cells), np.stack([ends - [len(x) for x in cells], ends], axis=1)


@needs_kernels
@given(st.lists(st.lists(st.binary(max_size=20) | st.sampled_from([b"", b"a", b"b"]), min_size=1), min_size=1))
def test_cells_are_numbered_in_the_order_in_which_they_appear(blocks: list[list[bytes]]) -> None:
    content, places = placed([x for block in blocks for x in block])
    compiled_cells, cells = cell_bytes.cell_dictionary(content), ArrowDictionary(content)
    low = 0
    numbers: dict[bytes, int] = {}
    for block in blocks:
        own = places[low : low + len(block)]
        expected = [numbers.setdefault(x, len(numbers)) for x in block]
        assert compiled_cells.add(own[:, 0], own[:, 1]).tolist() == expected
        assert cells.add(own[:, 0], own[:, 1]).tolist() == expected
        low += len(block)
    assert compiled_cells.values() == cells.values() == list(numbers)


@needs_kernels
def test_many_cells_are_told_apart() -> None:
    texts = [str(x % 5000).encode() * (1 + x % 3) for x in range(20_000)]
    content, places = placed(texts)
    cells = cell_bytes.cell_dictionary(content)
    numbers = cells.add(places[:, 0], places[:, 1])
    assert [cells.values()[i] for i in numbers.tolist()] == texts
    assert len(set(cells.values())) == len(cells.values())


@needs_kernels
@given(st.lists(st.lists(st.binary(max_size=9), min_size=3, max_size=3), min_size=1), TEXTS, st.data())
def test_spans_are_replaced(rows: list[list[bytes]], texts: list[bytes], data: st.DataObject) -> None:
    content, places = placed([x for row in rows for x in row])
    columns = data.draw(st.sampled_from([[0], [1], [0, 2], [0, 1, 2]]))
    bounds = places.reshape(len(rows), 3, 2)[:, columns].reshape(len(rows), -1)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    chosen = rng.integers(0, len(texts), (len(rows), len(columns)))
    found, ends = cell_bytes.spliced(content, 0, len(content), bounds, chosen, texts)
    by_arrow, ends_by_arrow = spliced_by_arrow(content, 0, len(content), bounds, chosen, texts)
    replaced = [
        [texts[chosen[i, columns.index(j)]] if j in columns else x for j, x in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    assert found == by_arrow == b",".join(x for row in replaced for x in row)
    assert ends.tolist() == ends_by_arrow.tolist()
    parts = [b",".join(row[: columns[-1] + 1]) for row in replaced]
    assert all(found[:end].endswith(part) for end, part in zip(ends.tolist(), parts, strict=True))


@needs_kernels
@given(TEXTS, st.data())
def test_rows_are_taken_in_any_order(rows: list[bytes], data: st.DataObject) -> None:
    starts = np.cumsum([0, *map(len, rows)])
    order = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1))), np.int64)
    expected = b"".join(rows[i] for i in order.tolist())
    assert cell_bytes.rows_of(b"".join(rows), starts, order) == expected
    assert rows_by_arrow(b"".join(rows), starts, order) == expected
