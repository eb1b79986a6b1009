"""From cells to codes and back: which spellings, labels, numbers and nulls are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym import Scope, Taxonomy, link
from allonym.cells import MISSING, Cells, merged, text_counts
from allonym.errors import TableError
from allonym.kinds.base import EncodedColumn
from allonym.kinds.category import Category
from allonym.kinds.linking import ColumnLinks
from allonym.kinds.numeric import Numeric
from allonym.kinds.ordinal import Ordinal
from allonym.kinds.text import Text
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking.links_file import Settled

NEVER = 10**9  # a k that no spelling reaches
WORDS = [("animal", 0), ("bird", 1), ("parrot", 2), ("polly", 2), ("cat", 3), ("kitty", 3)]
CODES = [("A", 0), ("A1", 1), ("A11", 2), ("A2", 3)]
ANIMALS = Taxonomy.build(
    "animals",
    ["zoo:0", "zoo:1", "zoo:2", "zoo:3"],
    labels=["animal", "bird", "true_parrot", "domestic_cat"],
    child=[1, 2, 3],
    parent=[0, 1, 0],
    lexicon=Lexicon.build([*(Entry(w, c) for w, c in WORDS), *(Entry(w, c, notation=True) for w, c in CODES)]),
)
TOOLS = Taxonomy.build(
    "tools",
    ["tool", "saw", "cat-o-nine"],
    child=[1, 2],
    parent=[0, 0],
    lexicon=Lexicon.build([Entry("tool", 0), Entry("saw", 1), Entry("cat", 2)]),
)


def cells(rows: Sequence[Any]) -> Cells:
    return merged(rows, np.arange(len(rows)))


def text(rows: Sequence[Any], *taxonomies: Taxonomy, **options: Any) -> EncodedColumn:
    """Encode a column of words by the links that are found."""
    column = cells(rows)
    links = [
        ColumnLinks(Scope.of(t), {x.value: x for x in link(text_counts(column), t)}, Settled())
        for t in taxonomies or (ANIMALS,)
    ]
    return Text(**options).encode("x", column, links)


def category(rows: Sequence[Any]) -> EncodedColumn:
    return Category().encode("x", cells(rows))


def numeric(rows: Sequence[Any]) -> EncodedColumn:
    return Numeric().encode("x", cells(rows))


def written(
    coded: EncodedColumn, k: int, *, units: Sequence[int] | None = None, values: Sequence[Any] | None = None
) -> list:
    """Write a column back: as it is, or with some values, which may be new, in its rows."""
    attribute, codes = coded.attribute, coded.codes
    if values is not None:
        attribute = replace(attribute, metric=attribute.metric.extend(values))
        codes = np.array([attribute.values.index(v) for v in values], np.int64)
    found = coded.decode(attribute, codes, k, None if units is None else np.array(units, np.int64))
    return [found.values[c] for c in found.codes]


# --- spellings -----------------------------------------------------------------------------------------------


def test_a_value_is_written_in_the_spelling_most_rows_hold_if_k_do_else_by_its_label() -> None:
    coded = text(["parrot", "Parrots", "Parrots", "polly", "kitty", "Parrots", "polly"])
    parrots = ["Parrots"] * 4
    assert written(coded, 1) == [*parrots, "kitty", *parrots[:2]]
    assert written(coded, 3) == [*parrots, "domestic cat", *parrots[:2]]
    assert set(written(coded, 4)) == {"true parrot", "domestic cat"}


def test_spellings_that_as_many_hold_go_by_text_order() -> None:
    for rows in (["polly", "parrot"], ["parrot", "polly"]):
        assert written(text(rows), 1) == ["parrot", "parrot"]
    assert written(numeric(["2.0", "2", "02"]), 1) == ["02"] * 3


def test_spellings_are_counted_in_units_not_rows() -> None:
    rows, units = ["polly", "polly", "polly", "parrot", "parrot"], [0, 0, 0, 0, 1]
    assert set(written(text(rows), 2)) == {"polly"}
    assert set(written(text(rows), 2, units=units)) == {"parrot"}
    assert set(written(text(rows), 3, units=units)) == {"true parrot"}


ROWS = st.lists(st.sampled_from(["parrot", "Parrots", "polly", "cat", "cats", "zzz", "yyy", "?", ""]), max_size=14)


@given(ROWS, st.integers(1, 4), st.sampled_from(["opaque", "suppress"]), st.data())
def test_a_spelling_that_fewer_than_k_units_hold_is_never_written(
    rows: list[str], k: int, unmatched: str, data: st.DataObject
) -> None:
    units = data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    holders = {x: len({u for r, u in zip(rows, units, strict=True) if r == x}) for x in rows}
    for cell in written(text(rows, unmatched=unmatched), k, units=units):
        assert cell is None or cell in ("true parrot", "domestic cat") or holders[cell] >= k
        assert unmatched == "opaque" or cell not in ("zzz", "yyy")


COLUMNS: dict[str, tuple[Callable[[list[Any]], EncodedColumn], list[Any]]] = {
    "category": (category, ["b", "a", "", "NA", None, "ä"]),
    "ordinal": (lambda rows: Ordinal(levels=["lo", "mid", "hi"]).encode("x", cells(rows)), ["hi", "lo", "mid", "?"]),
    "numeric": (numeric, ["3", "-1", "2.50", "1e1", "", "2.5"]),
    "text": (text, ["cat", "polly", "parrot", "zzz", "aaa", "NA"]),
    "two ontologies": (lambda rows: text(rows, ANIMALS, TOOLS), ["cat", "saw", "parrot", "zzz", ""]),
}


@pytest.mark.parametrize("kind", COLUMNS)
@given(st.data())
def test_values_do_not_depend_on_the_order_of_rows(kind: str, data: st.DataObject) -> None:
    encode, choices = COLUMNS[kind]
    rows = data.draw(st.lists(st.sampled_from(choices), min_size=1, max_size=12))
    order = data.draw(st.permutations(range(len(rows))))
    one, two = encode(rows), encode([rows[i] for i in order])
    assert one.attribute.values == two.attribute.values
    assert one.codes[order].tolist() == two.codes.tolist()
    for k in (1, 2):
        assert [written(one, k)[i] for i in order] == written(two, k)


# --- null ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "k", "null"),
    [
        (["a", "?", "?", "NA"], 2, "?"),  # the column never has an empty cell
        (["a", "?", "NA"], 1, "?"),
        (["a", "NA", "?", "NA"], 1, "NA"),
        (["a", "?", "?", ""], 2, None),
        (["a", "?", "?", None], 2, None),
        (["a", "?"], 2, None),  # too few say so
        (["a", "", ""], 1, None),
    ],
)
def test_null_is_an_empty_cell_unless_the_column_says_so_in_words(rows: list[Any], k: int, null: str | None) -> None:
    assert category(rows).attribute.values == ("a", None)
    assert written(category(rows), k)[1:] == [null] * (len(rows) - 1)


def test_what_counts_as_missing_can_be_said() -> None:
    assert category(list(MISSING)).attribute.values == (None,)
    assert Category(missing=["-"]).encode("x", cells(["-", "NA"])).attribute.values == ("NA", None)
    assert text_counts(cells(["a", "?", "a", "", None, 7])) == Counter({"a": 2, "7": 1})


def test_null_comes_last_and_a_category_too_few_hold_becomes_null() -> None:
    coded = category(["b", None, "a", "b"])
    assert (coded.attribute.values, coded.codes.tolist()) == (("a", "b", None), [1, 2, 0, 1])
    assert written(coded, 2) == ["b", None, None, "b"]


def test_categories_of_frames_keep_their_type() -> None:
    assert written(category([True, False, True]), 1) == [True, False, True]
    assert written(category([10, 9, 10]), 1) == [10, 9, 10]


# --- ordinal -------------------------------------------------------------------------------------------------


def test_levels_are_ranked_as_given_and_need_not_occur() -> None:
    coded = Ordinal(levels=["lo", "mid", "hi"]).encode("x", cells(["hi", "lo", "", "hi"]))
    assert (coded.attribute.values, coded.codes.tolist()) == ((0, 2, None), [1, 0, 2, 1])
    assert coded.attribute.metric.distances(0, [0, 1, 2]).tolist() == [0.0, 1.0, 1.0]
    assert written(coded, NEVER, values=[1, 0, 2, None]) == ["mid", "lo", "hi", None]
    assert written(Ordinal(levels=["1", "2", "3"]).encode("x", cells([3, 1])), 1) == [3, 1]


def test_levels_nobody_listed_are_counted_and_not_told() -> None:
    with pytest.raises(TableError, match=r"2 values of column x are none of its 2 levels\. Hint") as e:
        Ordinal(levels=["lo", "hi"]).encode("x", cells(["lo", "secret", "secret", "hidden", "?"]))
    assert e.value.values == ("secret", "hidden")
    assert "secret" not in str(e.value)


# --- numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "values", "expected"),
    [
        (["1", "2.50", "-3"], [2.0, -0.25], ["2.00", "-0.25"]),
        (["1,5", "2", "-0,25"], [2.0, -1234.5], ["2,00", "-1234,50"]),
        (["10", "20"], [15.0, -3.0, 0.0], ["15", "-3", "0"]),
        (["1e3", "2E+2"], [1100.0], ["1100"]),
        (["1.5e-3", "2"], [0.5], ["0.5000"]),
        (["1,5e2", "1,5e0"], [7.5], ["7,5"]),
        ([1, 2, None], [7.0, None], [7, None]),
        ([1.0, 2.25], [7.0], [7.0]),
        ([1e-7, 1.0], [0.5], [0.5]),
    ],
)
def test_numbers_have_the_decimals_and_the_comma_of_their_column(rows: list, values: list, expected: list) -> None:
    found = written(numeric(rows), NEVER, values=values)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_numbers_are_the_same_however_they_are_spelled_and_ordered_by_size() -> None:
    coded = numeric(["10", "9", "1e1", "+9.0", "-0", "0", "010"])
    assert (coded.attribute.values, coded.codes.tolist()) == ((0.0, 9.0, 10.0), [2, 1, 2, 1, 0, 0, 2])


@pytest.mark.parametrize("word", ["inf", "-Infinity", "1_0", "1.5,2", "12 apples", "1,234,567", "0x1F", "1e999", "+-"])
def test_what_is_no_number_is_counted_and_not_told(word: str) -> None:
    with pytest.raises(TableError, match=r"1 of 3 values of column x are no numbers\. Hint") as e:
        numeric(["2.5", word, "", word])
    assert e.value.values == (word,)
    assert word not in str(e.value).replace("x are no numbers", "") or word == "-"


@given(st.lists(st.decimals(-1000, 1000, places=3), min_size=1, max_size=8), st.booleans())
def test_numbers_come_back_as_numbers(drawn: list, comma: bool) -> None:
    rows = [str(x).replace(".", ",") if comma else str(x) for x in drawn]
    if comma and all(1 <= abs(x) < 1000 for x in drawn):  # 1,234 may be a thousand
        with pytest.raises(TableError, match="no numbers"):
            numeric(rows)
        rows.append("0,5")
        drawn.append(Decimal("0.5"))
    assert [float(x.replace(",", ".")) for x in written(numeric(rows), NEVER)] == [float(x) for x in drawn]


# --- text ----------------------------------------------------------------------------------------------------


def test_values_are_numbered_by_their_most_frequent_spelling() -> None:
    rows = ["kitty", "cat", "cat", "coyote"]
    assert text(rows).codes.tolist() == [0, 0, 0, 1]  # cat, coyote
    assert text([*rows, "kitty", "kitty"]).codes.tolist() == [1, 1, 1, 0, 1, 1]  # coyote, kitty
    assert text(rows[::-1]).attribute.values == text(rows).attribute.values


def test_texts_without_a_concept_stand_for_themselves_or_become_null() -> None:
    rows = ["cat", "zzz", "zzz", "aaa"]
    assert text(rows).attribute.values == ("aaa", 3, "zzz")
    assert written(text(rows), 2) == ["domestic cat", "zzz", "zzz", None]
    suppressed = text(rows, unmatched="suppress")
    assert suppressed.attribute.values == ("aaa", 3, "zzz", None)
    assert (suppressed.codes.tolist(), suppressed.suppressed) == ([1, 3, 3, 3], 3)
    assert written(suppressed, 1) == ["cat", None, None, None]
    assert written(text([*rows, "?"], unmatched="suppress"), 1) == ["cat", "?", "?", "?", "?"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["A11", "A2", "cat"], ["A1", "A", "A11"]),
        (["zoo:2", "zoo:3", "cat"], ["zoo:1", "zoo:0", "zoo:2"]),
        (["A11", "cat"], ["bird", "animal", "true parrot"]),  # half is not most
        (["polly", "zzz", "zzz"], ["bird", "animal", "true parrot"]),
        (["A11", "zzz", "zzz"], ["A1", "A", "A11"]),  # most of what was linked
    ],
)
def test_columns_linked_by_code_are_written_in_codes(rows: list[str], expected: list[str]) -> None:
    assert written(text(rows), NEVER, values=[1, 0, 2]) == expected


def test_several_ontologies_are_written_by_the_first_that_knows_the_value() -> None:
    coded = text(["cat", "saw", "parrot", "zzz"], ANIMALS, TOOLS)
    assert set(coded.attribute.values) == {(3, 2), (None, 1), (2, None), "zzz"}
    assert written(coded, NEVER) == ["domestic cat", "saw", "true parrot", None]


# --- what once did not hold ----------------------------------------------------------------------------------


def test_a_column_of_ids_and_notations_is_linked_by_code() -> None:
    assert written(text(["zoo:2", "A2"]), NEVER, values=[1])[0] in ("zoo:1", "A1")


def test_numbers_of_frames_stay_numbers_beside_a_word_for_null() -> None:
    assert written(numeric([1, 2, "NA"]), NEVER, values=[7.0]) == [7]


@pytest.mark.parametrize("number", [2**53 + 1, str(2**53 + 1)])
def test_integers_too_long_to_be_told_apart_are_no_numbers(number: Any) -> None:
    with pytest.raises(TableError, match=r"1 of 2 values of column .* are no numbers"):
        numeric([number, 1])


def test_labels_are_written_in_the_language_of_the_column() -> None:
    words = [("animal", "Tier"), ("bird", "Vogel"), ("parrot", "Papagei"), ("cat", "")]
    entries = [Entry(english, c, preferred=True) for c, (english, _) in enumerate(words)]
    entries += [Entry(german, c, language="de", preferred=True) for c, (_, german) in enumerate(words) if german]
    labels = [english for english, _ in words]
    animals = Taxonomy.build(
        "animals", labels, child=[1, 2, 3], parent=[0, 1, 0], lexicon=Lexicon.build(entries), labels=labels
    )
    column = text(["bird", "cat"], animals, language="de")
    assert [column.label(c) for c in range(4)] == ["Tier", "Vogel", "Papagei", "cat"]
    assert text(["bird", "cat"], animals).label(1) == "bird"
