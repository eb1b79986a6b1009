"""Forms, senses, languages, notations."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from allonym.ontology.lexicon import Entry, Lexicon, key


@given(st.text(max_size=20))
def test_a_key_is_its_own_key_and_knows_no_unicode_form(text: str) -> None:
    assert key(key(text)) == key(text)
    assert key(unicodedata.normalize("NFD", text)) == key(unicodedata.normalize("NFC", text))


@given(st.lists(st.text(alphabet="abÄ _-.\t", min_size=1, max_size=6), max_size=8))
def test_keys_all_at_once_are_keys_one_by_one(forms: list[str]) -> None:
    lexicon = Lexicon.build([Entry(form, i) for i, form in enumerate(forms)])
    assert list(lexicon.keys) == [key(form) for form in lexicon.forms]
    for i, form in enumerate(forms):
        assert i in lexicon.senses(form)


def test_senses_come_in_order_and_once() -> None:
    words = Lexicon.build(
        [Entry("bank", 5, rank=1), Entry("Bank", 3, rank=0), Entry("bank", 9, rank=2), Entry("BANK", 5, rank=7)]
    )
    assert words.senses("bank").tolist() == [3, 5, 9]
    assert words.senses("banks").tolist() == []
    assert "Bank" in words
    assert "river" not in words


def test_languages_filter_and_untagged_words_belong_to_all() -> None:
    words = Lexicon.build([
        Entry("Gift", 1, language="de-AT"), Entry("gift", 2, language="en"), Entry("gift", 3),
    ])  # fmt: skip
    assert sorted(words.senses("gift", "de").tolist()) == [1, 3]
    assert sorted(words.senses("gift", "en-GB").tolist()) == [2, 3]
    assert sorted(words.senses("gift").tolist()) == [1, 2, 3]
    assert words.terms(1, "de") == ["Gift"]
    assert words.terms(1, "en") == []


def test_terms_leave_out_notations_and_begin_with_the_preferred() -> None:
    words = Lexicon.build(
        [Entry("C50", 1, notation=True), Entry("breast cancer", 1), Entry("mamma carcinoma", 1, preferred=True)]
    )
    assert words.terms(1) == ["mamma carcinoma", "breast cancer"]
    assert words.senses("c50").tolist() == [1]


def test_an_empty_lexicon_answers() -> None:
    words = Lexicon.build([])
    assert words.senses("anything").tolist() == []
    assert list(words.keys) == []
