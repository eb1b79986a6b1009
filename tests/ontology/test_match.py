"""Matching texts to forms: spelling, inflection, stems, heads, negations."""

from __future__ import annotations

import functools

import pytest

from allonym.errors import OptionError
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.match import SUFFIXES, Matcher
from allonym.ontology.wordnet import bundled


@functools.cache
def matcher_of_wordnet() -> Matcher:
    return Matcher(bundled().lexicon, language("en"))


def matcher(*forms: str, code: str = "en") -> Matcher:
    return Matcher(Lexicon.build([Entry(form, i) for i, form in enumerate(forms)]), language(code))


def first(m: Matcher, text: str) -> tuple[str, str, str] | None:
    return next(((x.form, x.reason, x.dropped) for x in m.matches(text)), None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dog", ("dog", "exact", "")),
        ("DOG", ("dog", "exact", "")),
        ("hot-dog", ("hot dog", "spelling", "")),
        ("hotdog", ("hotdog", "exact", "")),
        ("butter milk", ("buttermilk", "spelling", "")),
        ("dogs", ("dog", "inflection", "")),
        ("mice", ("mouse", "inflection", "")),
        ("hot dogs", ("hot dog", "inflection", "")),
        ("churches", ("church", "inflection", "")),
        ("wolves", ("wolf", "inflection", "")),
        ("fishermen", ("fisherman", "inflection", "")),
        ("berries", ("berry", "inflection", "")),
        ("a dog", ("dog", "exact", "a")),
        ("the grey dog", ("dog", "head", "the grey")),
        ("charger for a telephone", ("charger", "head", "for a telephone")),
        ("old charger for a new telephone", ("charger", "head", "old for a new telephone")),
        ("sinusitis (disorder)", ("sinusitis", "exact", "")),
        ("dog (my friend)", ("dog", "head", "my friend")),
        ("bronchitis, unspecified", ("bronchitis", "head", "unspecified")),
        ("Handlers-cleaners", ("handler", "part", "")),
        ("red/blush wine", ("red wine", "part", "")),
        ("InternalMedicine", ("internal medicine", "spelling", "")),
        ("Third degree burn", ("third-degree burn", "spelling", "")),
        ("Retriever, Golden", ("golden retriever", "inverted", "")),
        ("local-gov", ("local government", "abbreviation", "")),
        ("sprain of the ankle", ("sprain", "head", "of the ankle")),
        ("dog without a tail", ("dog", "head", "without a tail")),
        ("dog (not mine)", ("dog", "head", "not mine")),
        ("other dogs", ("dog", "head", "other")),
        ("non-small cell lung cancer", ("lung cancer", "head", "non small cell")),
    ],
)
def test_forms_of_wordnet(text: str, expected: tuple[str, str, str]) -> None:
    assert first(matcher_of_wordnet(), text) == expected


@pytest.mark.parametrize(
    "text",
    ["no dog", "non-dog", "non dog", "former dog", "not a dog", "never a dog", "except dog", "without dog",
     "no old dog", "not-dog"],
)  # fmt: skip
def test_negating_words_are_never_dropped(text: str) -> None:
    assert list(matcher("dog", "cat", "tail").matches(text)) == []


def test_negated_forms_of_the_lexicon_match() -> None:
    assert first(matcher("non-small cell lung cancer"), "Non-small cell lung cancer (disorder)") == (
        "non-small cell lung cancer",
        "spelling",
        "",
    )


@pytest.mark.parametrize("text", ["not able", "no table", "a board"])
def test_joined_spelling_keeps_negations_and_determiners(text: str) -> None:
    assert list(matcher("notable", "aboard", "notable").matches(text)) == []


def test_numbers_and_single_letters_are_not_heads() -> None:
    assert list(matcher("2", "two", "x", "stage").matches("kidney failure 2")) == []
    assert list(matcher("x").matches("syndrome x")) == []


def test_stems_of_text_and_form_by_language() -> None:
    assert first(matcher("fishing industry"), "fish industries") == ("fishing industry", "stem", "")
    assert first(matcher("Zitrusfrucht", "Apfel", code="de"), "Zitrusfruchten") == ("zitrusfrucht", "stem", "")
    assert first(matcher("pomme de terre", code="fr"), "pommes de terre") == ("pomme de terre", "inflection", "")


def test_heads_come_first_in_romance_languages() -> None:
    assert first(matcher("vino", code="es"), "vino tinto") == ("vino", "head", "tinto")
    assert first(matcher("zumo", "naranja", code="es"), "zumo de naranja") == ("zumo", "head", "de naranja")
    assert first(matcher("Wurst", code="de"), "grobe Wurst vom Rind") == ("wurst", "head", "grobe vom rind")


def test_unknown_languages_are_refused() -> None:
    with pytest.raises(OptionError, match="Unknown language 'xx'"):
        language("xx")


def test_morphy_has_nine_rules() -> None:
    assert len(SUFFIXES) == 9


def test_empty_texts_match_nothing() -> None:
    m = matcher("dog")
    assert [list(m.matches(text)) for text in ("", "  ", "?", "()", ",")] == [[], [], [], [], []]
