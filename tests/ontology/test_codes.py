"""Codes of an ontology in a column: with and without dots, marks, finer codes, ranges, and codes beside names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym.ontology.catalog import ontology
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking.codes.index import CodeIndex
from allonym.ontology.linking.codes.written import CodeForm, form_of_codes
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.link import Link, link
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy


def classification(*coded: tuple[str, str], below: dict[str, str] | None = None) -> Scope:
    """Return a small ontology: codes with their labels; each is below its longest prefix, or as stated."""
    codes = [code for code, _ in coded]
    parent = {}
    for code in codes:
        prefixes = [x for x in codes if x != code and code.replace(".", "").startswith(x.replace(".", ""))]
        if (below or {}).get(code) or prefixes:
            parent[code] = (below or {}).get(code) or max(prefixes, key=len)
    words = [Entry(code, c, notation=True, preferred=True) for c, code in enumerate(codes)]
    words += [Entry(label, c, preferred=True) for c, (_, label) in enumerate(coded)]
    taxonomy = Taxonomy.build(
        "small",
        codes,
        child=[codes.index(x) for x in parent],
        parent=[codes.index(x) for x in parent.values()],
        labels=[label for _, label in coded],
        lexicon=Lexicon.build(words),
    )
    return Scope.of(taxonomy)


ILLNESSES = classification(
    ("E00-E90", "metabolic diseases"),
    ("E10", "type 1 diabetes"),
    ("E10.3", "type 1 diabetes with complications of the eye"),
    ("E11", "type 2 diabetes"),
    ("E11.6", "type 2 diabetes with other complications"),
    ("E11.9", "type 2 diabetes without complications"),
    ("I10", "hypertension"),
    below={"E10": "E00-E90", "E11": "E00-E90"},
)
COUNTRIES = classification(("150", "Europe"), ("155", "Western Europe"), ("276", "Germany"), ("056", "Belgium"),
                           below={"155": "150", "276": "155", "056": "155"})  # fmt: skip
INDUSTRIES = classification(("01", "farming"), ("01.1", "crops"), ("01.11", "cereals"), ("62", "software"))


def one(value: str, scope: Scope = ILLNESSES) -> Link:
    return link([value], scope)[0]


def concept(value: str, scope: Scope = ILLNESSES) -> str | None:
    found = one(value, scope)
    return None if found.concept is None else scope.taxonomy.ids[found.concept]


@pytest.mark.parametrize(
    "value", ["E11.9", "E119", "e11.9", "e119", " E11.9 ", "E 11.9", "E11.9*", "E11.9†", "E11.9+", "E11.9-", "E11.9."]
)
def test_a_code_is_one_concept_however_it_is_written(value: str) -> None:
    found = one(value)
    assert ILLNESSES.taxonomy.ids[found.concept or 0] == "E11.9"
    assert (found.status, found.relation) == ("sure", "same")
    assert found.reason in ("id", "notation")


@pytest.mark.parametrize("value", ["E11.-", "E11-", "E11.–", "E11.", "E11", "e11.x", "E11X"])
def test_a_code_with_an_open_end_is_the_category(value: str) -> None:
    assert concept(value) == "E11"
    assert one(value).relation == "same"


@pytest.mark.parametrize("value", ["E00-E90", "e00–e90", "E00 - E90", "(E00-E90)"])
def test_a_range_of_codes_is_the_group(value: str) -> None:
    assert concept(value) == "E00-E90"


@pytest.mark.parametrize("value", ["E11.90", "E1165", "e11.65", "E10.31"])
def test_a_finer_code_is_a_kind_of_the_finest_one_in_the_ontology(value: str) -> None:
    found = one(value)
    assert concept(value) == {"E11.90": "E11.9", "E10.31": "E10.3"}.get(value, "E11.6")
    assert (found.reason, found.status, found.relation) == ("finer-code", "sure", "narrower")


@pytest.mark.parametrize(("value", "category"), [("E11.5", "E11"), ("E11.6A", "E11.6"), ("E11.9V", "E11.9")])
def test_an_unknown_code_of_a_known_category_needs_review(value: str, category: str) -> None:
    found = one(value)
    assert concept(value) == category
    assert (found.reason, found.status, found.relation) == ("doubtful-code", "review", "narrower")


@pytest.mark.parametrize(
    "value", ["E1", "E", "E12", "E1.19", "E1.1", "E11.9 A", "E11.9 V", "E110000000", "B12", "11.9"]
)
def test_other_texts_are_no_codes(value: str) -> None:
    assert concept(value) is None


def test_names_and_codes_are_the_same_concepts() -> None:
    assert concept("type 2 diabetes") == concept("E11")
    assert concept("Type II diabetes") == concept("E11")


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("E11.9 - type 2 diabetes", "sure"),
        ("E11.9: type 2 diabetes without complications", "sure"),
        ("E11.9 type 2 diabetes", "sure"),
        ("type 2 diabetes (E11.9)", "sure"),
        ("[E11.9] type 2 diabetes", "sure"),
        ("E11.9 - broken arm", "review"),
    ],
)
def test_a_code_beside_a_name_decides(value: str, status: str) -> None:
    found = one(value)
    assert concept(value) == "E11.9"
    assert found.status == status


@pytest.mark.parametrize("value", ["I10 motorway", "no diabetes (E11.9)", "E11.9 excluded", "diabetes without E11.9"])
def test_words_beside_a_code_may_mean_something_else(value: str) -> None:
    assert concept(value) is None or one(value).status != "sure"


def test_numbers_are_codes_only_as_they_are_written() -> None:
    assert concept("276", COUNTRIES) == "276"
    assert concept("56", COUNTRIES) == "056"  # a spreadsheet dropped the zero
    for value in ("2.76", "27.6", "276.0", "2760", "2761", "276-", "276 km", "-276", "276%", "56.0"):
        assert concept(value, COUNTRIES) is None, value
    assert concept("0111", INDUSTRIES) == concept("01.11", INDUSTRIES) == "01.11"
    assert concept("01.11.2", INDUSTRIES) == "01.11"  # a national extension
    for value in ("011.1", "0.111", "1.11", "01112", "011122", "111", "01.119", "62.5"):
        assert concept(value, INDUSTRIES) is None, value
    assert concept("11", classification(("1", "food"), ("1.1", "bread"), ("1.2", "meat"))) is None


def test_a_short_code_before_other_words_does_not_decide() -> None:
    assert one("I10 portal hypertension").reason != "notation"
    assert one("I10: hypertension").reason == "notation"


def test_a_beginning_is_no_category_where_codes_are_not_nested() -> None:
    flat = classification(("B0", "all"), ("A1", "x"), ("A12", "y"), ("A123", "z"),
                          below={"A1": "B0", "A12": "B0", "A123": "B0"})  # fmt: skip
    assert concept("a123", flat) == "A123"
    assert concept("A1235", flat) is None


def test_ids_without_a_hierarchy_have_no_prefixes() -> None:
    scope = classification(("HP:0000819", "diabetes"), ("HP:0000822", "hypertension"))
    for value in ("HP:0000819", "hp:0000819", "HP_0000819", "HP0000819"):
        assert concept(value, scope) == "HP:0000819"
    assert concept("HP:00008191", scope) is None


def test_an_ontology_without_codes_has_no_index() -> None:
    assert not CodeIndex.of(ontology("wordnet").taxonomy)


@pytest.mark.parametrize(
    ("column", "form", "written"),
    [
        (["E11.9", "I10"], CodeForm(), "E10.3"),
        (["E119", "I10", "E103"], CodeForm(dotted=False), "E103"),
        (["e11.9", "i10"], CodeForm(lower=True), "e10.3"),
        (["e119", "i10"], CodeForm(dotted=False, lower=True), "e103"),
        (["E11.9", "E119", "E103"], CodeForm(dotted=False), "E103"),
        (["I10"], CodeForm(), "E10.3"),  # it has no dot, as all codes of its length
    ],
)
def test_codes_are_written_as_most_cells_of_the_column(column: list[str], form: CodeForm, written: str) -> None:
    taxonomy = ILLNESSES.taxonomy
    found = form_of_codes({x.value: x for x in link(column, ILLNESSES)}, taxonomy)
    assert found == form
    assert found.write(taxonomy, taxonomy.code("E10.3")) == written


def test_the_open_end_of_categories_is_written_where_the_column_has_it() -> None:
    taxonomy = ILLNESSES.taxonomy
    for column, category in ((["E11.-", "E11.9"], "E10.-"), (["E11-", "E119"], "E10-"), (["E11", "E11.-"], "E10")):
        form = form_of_codes({x.value: x for x in link(column, ILLNESSES)}, taxonomy)
        assert form.write(taxonomy, taxonomy.code("E10")) == category
        assert form.write(taxonomy, taxonomy.code("E00-E90")) == "E00-E90"
        assert form.write(taxonomy, taxonomy.code("I10")) == "I10"  # a leaf has no open end


def test_what_is_written_means_the_same_concept() -> None:
    scope = ontology("icd10")
    taxonomy = scope.taxonomy
    for form in (
        CodeForm(),
        CodeForm(dotted=False),
        CodeForm(lower=True, open_end=".-"),
        CodeForm(dotted=False, open_end="-"),
    ):
        texts = {form.write(taxonomy, c): c for c in range(len(taxonomy)) if c != taxonomy.root}
        assert len(texts) == len(taxonomy) - 1
        some = {text: c for place, (text, c) in enumerate(texts.items()) if place % 29 == 0}
        assert {x.value: x.concept for x in link(list(some), scope, suggest=False)} == some


@pytest.mark.parametrize(
    ("name", "column", "written"),
    [
        ("m49", ["DEU", "FRA"], {"Belgium": "BEL", "Western Europe": "155"}),
        ("m49", ["de", "fr"], {"Belgium": "be"}),
        ("m49", ["276", "56"], {"Belgium": "56", "Germany": "276"}),
        ("m49", ["276", "056"], {"Belgium": "056"}),
        ("hpo", ["HP_0000819"], {"HP:0000822": "HP_0000822"}),
        ("hpo", ["hp:0000819"], {"HP:0000822": "hp:0000822"}),
        ("hpo", ["HP:0004908"], {"HP:0000819": "HP:0000819"}),  # not the retired id
    ],
)
def test_codes_of_other_ontologies(name: str, column: list[str], written: dict[str, str]) -> None:
    scope = ontology(name)
    form = form_of_codes({x.value: x for x in link(column, scope)}, scope.taxonomy)
    assert CodeForm.of_style(form.style) == form
    assert {x: form.write(scope.taxonomy, scope.taxonomy.code(x)) for x in written} == written


@given(st.text(max_size=30))
def test_any_text_may_be_looked_up(text: str) -> None:
    for name in ("icd10", "hpo", "m49", "isic"):
        taxonomy = ontology(name).taxonomy
        index = CodeIndex.of(taxonomy)
        assert index is not None
        for found in index.find(text, language("en")):
            assert 0 <= found.concept < len(taxonomy)


@given(st.integers(0, 12_000), st.text("0123456789.xX-*†+ (A", max_size=4))
def test_a_code_with_something_behind_it_is_never_another_category(concept: int, rest: str) -> None:
    taxonomy = ontology("icd10").taxonomy
    index, code = CodeIndex.of(taxonomy), taxonomy.ids[concept]
    assert index is not None
    category = code.partition(".")[0]
    for found in index.codes(code + rest) if len(category) == 3 else ():
        assert taxonomy.ids[found.concept].startswith(category)


@given(st.builds(CodeForm, st.booleans(), st.booleans(), st.booleans(), st.text(), st.text(), st.text()))
def test_forms_are_stored_as_text(form: CodeForm) -> None:
    assert CodeForm.of_style(form.style) == form
