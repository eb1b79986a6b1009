"""Industries by name: ISIC in English and Arabic, NAICS; codes in every form; masking."""

from __future__ import annotations

import pytest

import allonym as al
from allonym.ontology.lexicon import key
from allonym.ontology.linking.link import link

ISIC_CLASSES = {"0111": "A", "1010": "C", "4711": "G", "8510": "P", "9900": "U"}


@pytest.mark.parametrize("name", ["isic", "isic5"])
@pytest.mark.parametrize(("code", "section"), ISIC_CLASSES.items())
def test_classes_of_isic_lead_up_to_their_section(name: str, code: str, section: str) -> None:
    isic = al.ontology(name).taxonomy
    group, division = code[:3], code[:2]
    path = [isic.ids[c] for c in isic.path(isic.code(code))]
    if name == "isic":
        assert path == [code, group, division, section, isic.ids[isic.root]]
    assert path[:3] == [code, group, division]
    assert len(path[3]) == 1


def test_codes_with_and_without_the_letter_of_the_section_are_one_concept() -> None:
    isic = al.ontology("isic")
    links = {x.value: x for x in link(["A", "01", "A01", "0111", "A0111", "a0111"], isic)}
    ids = {value: isic.taxonomy.ids[x.concept] for value, x in links.items() if x.concept is not None}
    assert ids == {"A": "A", "01": "01", "A01": "01", "0111": "0111", "A0111": "0111", "a0111": "0111"}
    assert {x.status for x in links.values()} == {"sure"}


def test_every_label_is_linked_to_itself_or_to_what_has_the_same_label() -> None:
    for name in ("isic", "isic5", "naics"):
        scope = al.ontology(name)
        labels = [x for c, x in enumerate(scope.taxonomy.labels) if c != scope.taxonomy.root]
        for x in link(sorted(set(labels)), scope, suggest=False):
            assert x.concept is not None, (name, x)
            assert scope.taxonomy.labels[x.concept].casefold() == x.value.casefold(), (name, x)
            assert x.status == "sure", (name, x)


NAMES = {
    "isic": {
        "rice farming": "0112", "furniture manufacturing": "31", "Construction industry": "F", "retail trade": "47",
        "veterinary services": "75", "hard coal mining": "051", "beverages manufacture": "11", "postal services": "531",
    },
    "naics": {
        "rice growing": "11116", "manufacture of furniture": "", "Coal mining": "2121", "shoe stores": "4582",
        "Construction sector": "23", "legal activities": "5411",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_everyday_names_mean_the_same_as_labels(name: str) -> None:
    scope = al.ontology(name)
    for x in link(list(NAMES[name]), scope):
        if NAMES[name][x.value]:
            assert x.concept is not None
            assert scope.taxonomy.ids[x.concept] == NAMES[name][x.value], x
            assert (x.reason, x.status, x.relation) == ("exact", "sure", "same"), x
        else:
            assert x.reason != "exact", x


def test_a_derived_name_is_no_name_of_two_industries() -> None:
    for name in ("isic", "isic5", "naics"):
        lexicon = al.ontology(name).taxonomy.lexicon
        derived = {key(lexicon.forms[i]) for i in lexicon.form_of[lexicon.ranks == 1]}
        assert derived
        assert all(len(lexicon.senses(form)) == 1 for form in derived)


def test_isic_in_arabic() -> None:
    isic = al.ontology("isic")
    [growing] = link(["زراعة الأرز"], isic, language="ar")
    assert isic.taxonomy.ids[growing.concept or 0] == "0112"
    assert growing.status == "sure"


def test_sectors_of_naics_have_several_codes() -> None:
    naics = al.ontology("naics")
    links = link(["31", "32", "33", "31-33", "44-45", "48-49", "Manufacturing"], naics)
    assert [naics.taxonomy.ids[x.concept or 0] for x in links] == ["31", "31", "31", "31", "44", "48", "31"]
    assert naics.taxonomy.ids[naics.taxonomy.parents_of(naics.taxonomy.code("321"))[0]] == "31"


def test_industries_and_codes_are_masked_in_the_form_of_the_column() -> None:
    pd = pytest.importorskip("pandas")
    isic = al.ontology("isic").taxonomy
    codes = ["0111", "0112", "0113", "1010", "1020", "1030", "4711", "4719", "8510", "8521"] * 4
    for written in (codes, [isic.labels[isic.code(x)] for x in codes]):
        release = al.Plan(columns={"industry": al.quasi("isic")}, k=5, seed=1).run(pd.DataFrame({"industry": written}))
        masked = release.frame["industry"]
        assert (masked.value_counts() >= 5).all()
        assert set(masked) <= (set(isic.ids) if written is codes else set(isic.labels))
