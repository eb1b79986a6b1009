"""What every kind of column guarantees: the same suite runs over the whole registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import allonym as al
from allonym.cells import Cells, merged
from allonym.kinds.base import EncodedColumn, Kind
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.registry import KINDS, automatic_kind, kind_named, multivalued_kind
from allonym.ontology.linking.link import link
from allonym.ontology.linking.links_file import Settled
from allonym.plan.column import OPTIONS, ROLES, Column

JOBS = al.Taxonomy.build("jobs", ["worker", "cook", "smith", "baker"], child=[1, 2, 3], parent=[0, 0, 0])
ROWS: dict[str, list[Any]] = {
    "text": ["cook", "smith", "cook", None, "baker"],
    "category": ["a", "b", "a", None, "c"],
    "ordinal": ["low", "high", "low", None, "mid"],
    "date": ["2021-03-04", "2021-03-05", "2021-03-04", None, "2021-07-01"],
    "numeric": ["1", "2.5", "1", None, "7"],
    "code": ["98101", "02139", "98101", None, "E11.9"],
    "set": ["cook;smith", "baker", "smith;cook", None, "cook"],
}
GIVEN: dict[str, dict[str, Any]] = {"ordinal": {"levels": ("low", "mid", "high")}}
kinds = pytest.mark.parametrize("name", KINDS)


def column(name: str, rows: Sequence[Any] | None = None) -> tuple[Kind, Cells, list[ColumnLinks]]:
    kind = kind_named(name).of(Column("quasi", **{"kind": name} | GIVEN.get(name, {})))
    cells = merged(rows := ROWS[name] if rows is None else rows, np.arange(len(rows)))
    links = {x.value: x for x in link(kind.words(cells), JOBS)} if kind.linked else {}
    return kind, cells, [ColumnLinks(al.Scope.of(JOBS), links, Settled())] if kind.linked else []


def encoded(name: str) -> tuple[EncodedColumn, list[ColumnLinks]]:
    kind, cells, links = column(name)
    return kind.encode("x", cells, links), links


@kinds
def test_a_kind_declares_names_that_exist(name: str) -> None:
    kind = kind_named(name)
    assert kind.name == name
    assert kind.description
    assert kind.options <= set(OPTIONS)
    assert set(kind.roles) <= set(ROLES)
    assert not kind.argument or kind.argument in kind.options
    assert name in ROWS


@kinds
def test_what_is_encoded_is_decoded(name: str) -> None:
    coded, _ = encoded(name)
    assert coded.attribute.kind == name
    assert coded.codes.max() < len(coded.attribute.values)
    written = coded.decode(coded.attribute, coded.codes, 1, None)
    again = coded.kind.canonical(merged([written.values[c] for c in written.codes], np.arange(len(written.codes))))
    original = coded.kind.canonical(coded.cells)
    assert [again.values[c] for c in again.codes] == [original.values[c] for c in original.codes]


@kinds
def test_a_release_of_the_same_cells_has_the_same_codes(name: str) -> None:
    coded, links = encoded(name)
    released = coded.kind.encode_release(coded, coded.cells, links)
    assert released.codes.tolist() == coded.codes.tolist()
    assert not released.unknown


@pytest.mark.parametrize("name", ["text", "category"])
def test_a_value_that_too_few_units_hold_is_written_by_its_label(name: str) -> None:
    coded, _ = encoded(name)
    written = coded.decode(coded.attribute, coded.codes, 10**9, None)
    assert list(written.values) == [coded.label(v) for v in coded.attribute.values]


@kinds
def test_cells_are_listed_as_texts(name: str) -> None:
    kind, cells, _ = column(name)
    for cell in cells.values[:1]:
        assert all(isinstance(x, str) and x for x in kind.listed(cell))
        assert kind.items(cell)
    assert kind.items(None) == []


@kinds
def test_equal_values_are_at_distance_zero(name: str) -> None:
    coded, _ = encoded(name)
    codes = np.arange(len(coded.attribute.values))
    assert (coded.attribute.metric.distances(codes, codes) == 0).all()
    assert coded.attribute.metric.by_equality().values == coded.attribute.values


@pytest.mark.parametrize(
    ("rows", "automatic", "several"),
    [
        (["1", "2"], "numeric", None),
        (["1", "cook"], "text", None),
        (["cook", "smith"], "text", None),
        (["cook;smith", "cook"], "text", "set"),
        ([("cook", "smith"), ("cook",)], "text", "set"),
    ],
)
def test_kinds_are_recognised(rows: list[Any], automatic: str, several: str | None) -> None:
    cells = merged(rows, np.arange(len(rows)))
    kind = multivalued_kind(cells)
    assert (automatic_kind(cells), None if kind is None else kind.name) == (automatic, several)


@pytest.mark.parametrize("name", ["text", "numeric"])
def test_a_stored_codec_reads_and_writes_the_same(name: str) -> None:
    coded, links = encoded(name)
    codec = coded.kind.codec(coded, links)
    again = coded.kind.stored_codec("x", codec.to_dict(), [x.scope for x in links])
    for cell in (x for x in coded.cells.values if x is not None):
        value = again.read(cell)
        assert value == codec.read(cell)
        assert again.from_json(codec.to_json(value)) == value
        assert again.write(value, cell) == codec.write(value, cell)


@pytest.mark.parametrize("name", ["code"])
def test_kinds_that_no_method_masks_row_by_row_have_no_codec(name: str) -> None:
    coded, links = encoded(name)
    with pytest.raises(NotImplementedError):
        coded.kind.codec(coded, links)
    with pytest.raises(ValueError, match="no codec"):
        coded.kind.stored_codec("x", {}, [])
