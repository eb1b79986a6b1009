"""Strings in memory and packed strings behave alike."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym.ontology.strings import PackedIndex, SelectedStrings, Strings, StringTuple, hash_table, packed

TEXTS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=5)


def packed_index(strings: list[str]) -> Strings:
    return PackedIndex(*packed(strings), hash_table(strings))


@pytest.mark.parametrize("build", [StringTuple, packed_index])
@given(strings=st.lists(TEXTS, max_size=20), other=st.text(max_size=5))
def test_strings_are_a_sequence_with_an_index(build: type[StringTuple], strings: list[str], other: str) -> None:
    built = build(strings)
    assert list(built) == strings
    assert len(built) == len(strings)
    assert [built[i] for i in range(-len(strings), len(strings))] == strings * 2
    assert list(built[1:-1]) == strings[1:-1]
    assert [built.find(x) for x in strings] == [strings.index(x) for x in strings]
    assert built.find(other) == (strings.index(other) if other in strings else None)
    assert list(pickle.loads(pickle.dumps(built))) == strings
    with pytest.raises(IndexError):
        built[len(strings)]


@given(strings=st.lists(TEXTS, min_size=1, max_size=20), other=st.text(max_size=5))
def test_many_searches_find_the_same_places(strings: list[str], other: str) -> None:
    built = packed_index(strings)
    wanted = [*strings, other]
    first = [built.find(x) for x in wanted]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("allonym.ontology.strings.MAX_SEARCHES", 1)
        assert [built.find(x) for x in wanted] == first
    assert list(pickle.loads(pickle.dumps(built))) == strings


def test_a_string_tuple_is_pickled_without_its_index() -> None:
    strings = StringTuple(map(str, range(1000)))
    before = len(pickle.dumps(strings))
    strings.find("7")
    assert len(pickle.dumps(strings)) == before


def test_selected_strings_are_a_sequence() -> None:
    labels = SelectedStrings(StringTuple(["cat", "dog"]), np.array([1, 1, 0], np.int32))
    assert list(labels) == ["dog", "dog", "cat"] == [labels[0], labels[1], labels[-1]]
    assert labels[1:] == ["dog", "cat"]
    assert len(labels) == 3


def test_a_packed_string_has_no_line_feed() -> None:
    with pytest.raises(ValueError, match="line feed"):
        packed(["a\nb"])
