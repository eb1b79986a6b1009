"""Readings of a value: signs, brackets, order, numbers, unions, abbreviations, spelling."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym.ontology.lexicon import Entry, Lexicon, key
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.readings import word_options
from allonym.ontology.linking.readings.negation import is_negation, negated, words_of
from allonym.ontology.linking.readings.normalise import MAX_READINGS, Normaliser, Reading
from allonym.ontology.linking.readings.word_options import Forms
from allonym.ontology.wordnet import bundled

EN = language("en")


@functools.cache
def wordnet() -> Normaliser:
    return Normaliser.of(bundled().lexicon, EN)


def reading(value: str, text: str, normaliser: Normaliser | None = None) -> Reading:
    """Return the reading of a value with a certain text."""
    readings = (normaliser or wordnet()).readings(value)
    return next(r for r in readings if r.text == text)


@pytest.mark.parametrize(
    ("value", "text", "steps", "dropped"),
    [
        ("Armed-Forces", "armed forces", ("hyphen",), ()),
        ("InternalMedicine", "internal medicine", ("camel-case",), ()),
        ("ObstetricsandGynecology", "obstetrics and gynecology", ("camel-case", "run-together"), ()),
        ("salt & pepper", "salt and pepper", ("ampersand",), ()),
        ("U.S.A.", "usa", (), ()),
        ("bloodpressure", "blood pressure", ("run-together",), ()),
        ("Retriever, Golden", "golden retriever", ("comma", "inverted"), ()),
        ("Surgery-Plastic", "plastic surgery", ("hyphen", "inverted"), ()),
        ("Diabetes Mellitus, Type 2", "type 2 diabetes mellitus", ("comma", "inverted"), ()),
        ("Diabetes Mellitus, Type 2", "diabetes mellitus", ("comma", "number"), ("type", "2")),
        ("3 laboratory", "laboratory", ("number",), ("3",)),
        ("ward a", "ward", ("number",), ("a",)),
        ("I10 Hypertension", "hypertension", ("code",), ("i10",)),
        ("0123 - Nurse", "nurse", ("dash", "code"), ("0123",)),
        ("paracetamol 500 mg", "paracetamol", ("number",), ("500", "mg")),
        ("bronchitis, NOS", "bronchitis", ("comma", "residual"), ("nos",)),
        ("bronchitis, not otherwise specified", "bronchitis", ("comma", "residual"), ("not", "otherwise", "specified")),
        ("other vegetables", "vegetables", ("residual",), ("other",)),
        ("liquor (appetizer)", "liquor", ("brackets",), ("appetizer",)),
        ("liquor (appetizer)", "appetizer", ("brackets",), ("liquor",)),
        ("CHD (coronary heart disease)", "coronary heart disease", ("brackets",), ()),
        ("coronary heart disease (CHD)", "coronary heart disease", ("brackets",), ()),
        ("sinusitis (disorder)", "sinusitis", (), ()),
        ("11th", "eleventh", ("ordinal",), ()),
        ("2nd degree burn", "second degree burn", ("ordinal",), ()),
        ("Type 2 diabetes", "type ii diabetes", ("number",), ()),
        ("diabetes type II", "diabetes type 2", ("number",), ()),
        ("masters degree", "master's degree", ("possessive",), ()),
        ("asst mgr", "assistant manager", ("abbreviation",), ()),
        ("Local-gov", "local government", ("hyphen", "abbreviation"), ()),
        ("artif. sweetener", "artificial sweetener", ("abbreviation",), ()),
        ("tea w/o milk", "tea without milk", ("abbreviation",), ()),
        ("drug w/intent", "drug with intent", ("abbreviation",), ()),
        ("M.Sc.", "master of science", ("abbreviation",), ()),
        ("N/A - student", "student", ("dash", "residual"), ("na",)),
        ("Widow(er)", "widow", (), ()),
        ("Self-employed", "self employed person", ("hyphen", "person"), ()),
        ("self emp", "self employed person", ("abbreviation", "person"), ()),
        ("Latino/a", "latino", (), ()),
        ("Iran (Islamic Republic of)", "islamic republic of iran", ("brackets", "inverted"), ()),
        ("Neoplasm, malignant, of lung", "malignant neoplasm of lung", ("comma", "inverted"), ()),
        ("citizen of U S", "citizen of united states", ("initials", "abbreviation"), ()),
        ("Bachelors degree", "bachelor's degree", ("possessive",), ()),
        ("Parent(s)", "parent", (), ()),
        ("haemachatus", "hemachatus", ("spelling",), ()),
        ("body mass index 30+ - obesity", "obesity", ("dash",), ("body", "mass", "index", "30+")),
    ],
)  # fmt: skip
def test_reading(value: str, text: str, steps: tuple[str, ...], dropped: tuple[str, ...]) -> None:
    assert reading(value, text) == Reading(text, steps, dropped)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("rolls/buns", ["rolls", "buns"]),
        ("Hematology/Oncology", ["hematology", "oncology"]),
        ("fruit/vegetable juice", ["fruit juice", "vegetable juice"]),
        ("whipped/sour cream", ["whipped cream", "sour cream"]),
        ("cling film/bags", ["cling film", "bags"]),
        ("Installation, Maintenance, and Repair", ["installation", "maintenance", "repair"]),
        ("sprain of ankle and foot", ["sprain of ankle", "sprain of foot"]),
        ("Handlers-cleaners", ["handlers", "cleaners"]),
        ("no fruit/vegetables", ["no fruit", "no vegetables"]),
        ("Craft-repair", []),
        ("children or armed forces", ["children forces", "armed forces"]),
        ("Asian or African American", ["asian american", "african american", "asian"]),
        ("injury of head and neck, left side", ["injury of head", "injury of neck left side"]),
    ],
)
def test_members_of_unions(value: str, parts: list[str]) -> None:
    assert [r.text for r in wordnet().readings(value) if r.part] == parts


@pytest.mark.parametrize("value", ["other", "N/A", "all other", "not applicable", "other/unknown", "none", "for under"])
def test_residual_values_and_function_words_have_one_reading(value: str) -> None:
    assert [r.text for r in wordnet().readings(value) if r.dropped or r.part] == []


def test_forms_are_the_same_with_and_without_index(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = ["sour cream", "T-shirt", "self-employed person", "a-b c-d e f", "a b c d e-f", "a-b-c-d-e", "e d c b a"]
    texts = [*(form.lower().replace("-", " ") for form in forms), "self-employed person", "sour", "x y"]
    words = ["sour", "t", "a", "e", "x", "self", "person"]
    lexicon = Lexicon.build([Entry(form, i) for i, form in enumerate(forms)])
    searched = Forms(lexicon)
    before = [*(text in searched for text in texts), *map(searched.starts, words)]
    monkeypatch.setattr(word_options, "MAX_SEARCHES", 0)
    indexed = Forms(lexicon)
    assert [*(text in indexed for text in texts), *map(indexed.starts, words)] == before
    assert indexed._index is not None
    assert ("self employed person" in searched, "x" in searched) == (True, False)


def test_a_negation_alone_is_no_reading() -> None:
    assert [r.text for r in wordnet().readings("smoker: no")] == ["smoker: no", "smoker no"]


def test_repeated_word_before_a_hyphen_is_a_head() -> None:
    column = ["Surgery-General", "Surgery-Thoracic", "Surgery-Pediatric"]
    assert "general surgery" not in [r.text for r in Normaliser(EN).readings(column[0])]
    assert reading(column[0], "general surgery", Normaliser(EN, column=column)).steps == ("hyphen", "inverted")


def test_column_explains_abbreviations() -> None:
    column = ["clrk grvl", "gravel clerk"]
    explained = Normaliser.of(bundled().lexicon, EN, column=column)
    assert reading("clrk grvl", "clerk gravel", explained).steps == ("abbreviation",)
    assert "clerk gravel" not in [r.text for r in wordnet().readings("clrk grvl")]


def test_abbreviations_of_a_user_come_first() -> None:
    own = Normaliser(EN, {"MGR": ["merger", "manager"], "xq": ["exquisite queue"]})
    assert [r.text for r in own.readings("mgr")] == ["mgr", "merger", "manager"]
    assert reading("xq", "exquisite queue", own).steps == ("abbreviation",)


@pytest.mark.parametrize("value", ["no milk", "never-married", "without pay", "coffee (no sugar)", "fever: none"])
def test_negations_stay(value: str) -> None:
    for r in wordnet().readings(value):
        assert {w for w in words_of(value) if is_negation(w, EN)} <= set(words_of(r.text)), r


@given(st.text(max_size=60))
def test_any_text(value: str) -> None:
    readings = wordnet().readings(value)
    assert readings == Normaliser.of(bundled().lexicon, EN).readings(value)
    assert [r.text for r in readings[:1]] == [key(value)] * bool(key(value))
    assert len({(r.text, r.part) for r in readings}) == len(readings) <= MAX_READINGS


_NOUNS = ("milk", "tea", "sugar", "dog", "nurse", "bread", "surgery", "fever")
_JOINTS = (" ", "-", "/", ", ", " and ", " (", ") ", " with ", " of ", " - ", ": ", " & ", " 3 ", " other ")


@given(
    st.permutations(_NOUNS),
    st.lists(
        st.sampled_from(["", "no ", "not ", "never ", "without ", "non-", "former ", "no-"]), min_size=5, max_size=5
    ),
    st.lists(st.sampled_from(_JOINTS), min_size=4, max_size=4),
    st.sampled_from(["", " none", " free", " not present", " (no)"]),
    st.integers(1, 5),
)
def test_no_reading_loses_or_moves_a_negation(
    nouns: list[str], negations: list[str], joints: list[str], end: str, size: int
) -> None:
    value = ""
    for n in range(size):
        value += (joints[n - 1] if n else "") + negations[n] + nouns[n]
    value += end
    words = words_of(value.replace("/", " ").replace("&", " "))
    before = {words[i] for i in negated(words, EN)}
    for r in wordnet().readings(value)[1:]:
        after = words_of(r.text)
        assert {after[i] for i in negated(after, EN)} & set(_NOUNS) == before & set(after) & set(_NOUNS), (value, r)


def test_long_texts_have_one_reading() -> None:
    for value in ("word " * 5000, "x" * 100_000, "a-" * 20_000, "(" * 5000 + "dog"):
        assert wordnet().readings(value) == [Reading(key(value))]
