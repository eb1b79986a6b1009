"""Forms, senses, languages, notations."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from allonym.ontology.lexicon import Entry, Lexicon, key


@given(st.text(max_size=20))
def test_key_is_idempotent_and_ignores_the_unicode_form(text: str) -> None:
    assert key(key(text)) == key(text)
    assert key(unicodedata.normalize("NFD", text)) == key(unicodedata.normalize("NFC", text))


@given(st.lists(st.text(alphabet="abÄ _-.\t", min_size=1, max_size=6), max_size=8))
def test_keys_agree_with_key(forms: list[str]) -> None:
    lexicon = Lexicon.build([Entry(form, i) for i, form in enumerate(forms)])
    assert list(lexicon.keys) == [key(form) for form in lexicon.forms]
    for i, form in enumerate(forms):
        assert i in lexicon.senses(form)


def test_senses_are_ordered_and_distinct() -> None:
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
    assert list(words.keys_of("fr")) == ["gift"]


def test_terms_exclude_notations_and_start_with_the_preferred_form() -> None:
    words = Lexicon.build(
        [Entry("C50", 1, notation=True), Entry("breast cancer", 1), Entry("mamma carcinoma", 1, preferred=True)]
    )
    assert words.terms(1) == ["mamma carcinoma", "breast cancer"]
    assert words.senses("c50").tolist() == [1]


def test_the_preferred_term_of_a_language_is_of_the_same_variant_if_there_is_one() -> None:
    words = Lexicon.build([
        Entry("Brasil", 0, language="pt-BR", preferred=True), Entry("Brésil", 0, language="fr", preferred=True),
        Entry("O Brasil", 0, language="pt", preferred=True),
        Entry("BR", 0, language="de", preferred=True, notation=True),
    ])  # fmt: skip
    assert words.preferred_term(0, "pt-BR") == "Brasil"
    assert words.preferred_term(0, "pt") == words.preferred_term(0, "pt-PT") == "O Brasil"
    assert words.preferred_term(0, "fr-CA") == "Brésil"
    assert words.preferred_term(0, "de") is words.preferred_term(0, "en") is None


def test_empty_lexicon() -> None:
    words = Lexicon.build([])
    assert words.senses("anything").tolist() == []
    assert list(words.keys) == []
