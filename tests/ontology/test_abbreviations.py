"""Lists of abbreviations: those of the package, of users, and what a column explains."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from allonym.errors import OptionError
from allonym.ontology.lexicon import key
from allonym.ontology.linking.languages import LANGUAGES, language
from allonym.ontology.linking.readings.abbreviations import Abbreviations, bundled, read_abbreviations
from allonym.ontology.linking.readings.negation import is_negation

LISTS = ("en", "de", "fr", "es", "it", "pt", "nl")


@pytest.mark.parametrize("code", LISTS)
def test_bundled_lists_are_keys_and_replace_no_function_word(code: str) -> None:
    words, entries = language(code), bundled(code)
    assert len(entries) >= (500 if code == "en" else 60)
    for short, longs in entries.items():
        assert short == key(short), short
        assert all(is_negation(long, words) for long, _ in longs) or not is_negation(short, words), short
        assert short not in words.conjunctions | words.determiners, short
        for long, _ in longs:
            assert long == key(long) != short, short


@pytest.mark.parametrize("code", sorted(set(LANGUAGES) - set(LISTS)))
def test_other_languages_have_no_list(code: str) -> None:
    assert bundled(code) == {}


def test_column_decides_among_long_forms() -> None:
    assert Abbreviations("en").listed("ed") == ("education", "emergency department")
    of_hospital = Abbreviations("en", column=Counter(["ed", "icu", "hosp", "surg"]))
    assert of_hospital.listed("ed") == ("emergency department", "education")
    with_word = Abbreviations("en", column=Counter(["lab", "labor"]))
    assert with_word.listed("lab") == ("labor", "laboratory")


@pytest.mark.parametrize(
    ("word", "column", "expected"),
    [
        ("ntwk", ["network"], ("network",)),
        ("oper", ["operator", "operators"], ("operator", "operators")),
        ("nurse", ["nurses"], ()),  # an inflection, no abbreviation
        ("cat", ["chart", "coat"], ()),  # has a vowel
        ("bg", ["building"], ()),  # too short
    ],
)
def test_column_explains(word: str, column: list[str], expected: tuple[str, ...]) -> None:
    assert Abbreviations("en", column=Counter(column)).in_column(word) == expected


def test_list_of_a_user(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("Short,Long\nMGR,merger\nmgr,manager\n,empty\nxq,\n", "utf-8")
    own = read_abbreviations(file)
    assert own == {"mgr": ("merger", "manager")}
    assert Abbreviations("en", own).listed("mgr") == ("merger", "manager")


@pytest.mark.parametrize("text", ["", "a,b\nmgr,manager\n", "short\nmgr\n"])
def test_list_without_its_columns(tmp_path: Path, text: str) -> None:
    file = tmp_path / "own.csv"
    file.write_text(text, "utf-8")
    with pytest.raises(OptionError, match="no columns `short` and `long`"):
        read_abbreviations(file)


def test_missing_list(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be read"):
        read_abbreviations(tmp_path / "none.csv")
