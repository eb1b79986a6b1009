"""Linking whole columns: reasons, statuses, senses, individuals, languages, what a person settled."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import DATA, needs

from allonym.errors import LinksError, OptionError
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.link import Link, link
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.wordnet import bundled, wordnet

HERE = Path(__file__).parents[1] / "data"


def told(found: list[Link], scope: Scope) -> dict[str, tuple[str | None, str, str]]:
    ids = scope.taxonomy.ids
    return {x.value: (None if x.concept is None else ids[x.concept], x.reason, x.status) for x in found}


def test_reasons_and_statuses() -> None:
    scope = wordnet(root="person")
    found = told(link(["nurse", "Nurses", "grey-haired nurse", "nurse.n.01", "xyzzy", "hammer"], scope), scope)
    assert found["nurse"] == ("nurse.n.01", "exact", "sure")
    assert found["Nurses"] == ("nurse.n.01", "inflection", "sure")
    assert found["grey-haired nurse"] == ("nurse.n.01", "head", "review")
    assert found["nurse.n.01"] == ("nurse.n.01", "id", "sure")
    assert found["xyzzy"] == (None, "unknown", "unmatched")
    assert found["hammer"] == (None, "outside", "unmatched")


def test_order_and_counts_are_kept() -> None:
    found = link({"nurse": 3, "xyzzy": 2, "baker": 5}, wordnet())
    assert [(x.value, x.count) for x in found] == [("nurse", 3), ("xyzzy", 2), ("baker", 5)]
    assert link([], wordnet()) == []


def test_coherent_senses_follow_the_company_they_keep() -> None:
    scope = wordnet()
    music = told(link(["bass", "alto", "tenor", "soprano", "baritone"], scope), scope)
    fish = told(link(["bass", "trout", "salmon", "perch", "cod"], scope), scope)
    t = scope.taxonomy
    assert t.code("fish.n.01") in t.subsumers(t.code(str(fish["bass"][0])))
    assert t.code("singer") in t.subsumers(t.code(str(music["bass"][0])))


def test_first_senses_can_be_asked_for() -> None:
    scope = wordnet()
    found = told(link(["bass", "trout", "salmon", "perch"], scope, senses="first"), scope)
    assert found["bass"][0] == scope.taxonomy.ids[scope.taxonomy.code("bass")]
    with pytest.raises(OptionError, match="did you mean 'first'"):
        link(["bass"], scope, senses="frist")


def test_named_individuals_only_where_the_values_are_names() -> None:
    scope = wordnet(root="person")
    jobs = told(link(["farmer", "baker", "smith", "carpenter"], scope), scope)
    assert not any(scope.taxonomy.instances[scope.taxonomy.code(str(concept))] for concept, _, _ in jobs.values())
    everywhere = wordnet()
    countries = told(link(["Turkey", "China", "Jordan", "France", "Chad", "Peru"], everywhere), everywhere)
    assert all(everywhere.taxonomy.instances[everywhere.taxonomy.code(str(c))] for c, _, _ in countries.values())
    assert countries["Turkey"][0] == "turkey.n.02"
    forbidden = told(link(["France", "Peru"], everywhere, individuals=False), everywhere)
    assert forbidden["France"] == (None, "individual", "unmatched")


def test_what_a_person_settled_stays() -> None:
    scope = wordnet()
    settled = {"bass": "bass.n.03", "trout": "fish", "perch": "", "not in the column": "dog"}
    found = told(link(["bass", "trout", "salmon", "perch"], scope, settled=settled), scope)
    assert found["bass"] == ("bass.n.03", "settled", "sure")
    assert found["trout"] == ("fish.n.01", "settled", "sure")
    assert found["perch"] == (None, "settled", "unmatched")
    with pytest.raises(LinksError, match="2 settled concepts are not in wordnet: 'xyzzy', 'dog#99'"):
        link(["bass"], scope, settled={"bass": "xyzzy", "a": "dog#99"})


def test_codes_come_before_words() -> None:
    t = read_taxonomy(HERE / "mini-animals.ttl")
    found = link(["B", "bird", "http://example.org/mini#cat", "cat"], t)
    assert [(t.labels[x.concept or 0], x.reason, x.status) for x in found] == [
        ("bird", "notation", "sure"),
        ("bird", "exact", "sure"),
        ("cat", "id", "sure"),
        ("cat", "exact", "sure"),
    ]


def test_unmatched_values_have_suggestions_under_the_root() -> None:
    scope = wordnet(root="person")
    found = link(["carpentre", "managerial"], scope)
    assert "carpenter" in found[0].suggestions
    assert "manager" in found[1].suggestions
    assert link(["carpentre"], scope, suggest=False)[0].suggestions == ()


def test_another_language_by_its_own_labels() -> None:
    t = read_taxonomy(HERE / "mini-animals.ttl")
    found = link(["Vögel", "VOGEL", "ein Papagei", "grüner Papagei", "Katzen", "cat", "kein Vogel"], t, language="de")
    told_by = {x.value: (None if x.concept is None else t.labels[x.concept], x.reason, x.status) for x in found}
    assert told_by["VOGEL"] == ("bird", "exact", "sure")
    assert told_by["ein Papagei"] == ("parrot", "exact", "sure")
    assert told_by["grüner Papagei"] == ("parrot", "head", "review")
    assert told_by["Katzen"] == ("cat", "stem", "review")
    assert told_by["Vögel"] == ("bird", "stem", "review")
    assert told_by["cat"][0] is None  # an English label
    assert told_by["kein Vogel"][0] is None


@needs(DATA / "setvalued" / "Groceries.labels")
def test_german_groceries_end_to_end(tmp_path: Path) -> None:
    """Items in German under their categories: a SKOS file with German labels, values as a German would write them."""
    rows = [line.split("\t") for line in (DATA / "setvalued" / "Groceries.labels").read_text("latin-1").splitlines()]
    items = {number.strip(): german.strip() for number, _, german in rows}
    turtle = ["@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix g: <urn:g:> ."]
    turtle += [f'g:c{n} a skos:Concept ; skos:prefLabel "Gruppe {n}"@de .' for n in sorted({n[0] for n in items})]
    for number, german in items.items():
        text = german.replace('"', "'")
        turtle.append(f'g:i{number} a skos:Concept ; skos:prefLabel "{text}"@de ; skos:broader g:c{number[0]} .')
    (tmp_path / "waren.ttl").write_text("\n".join(turtle), "utf-8")
    t = read_taxonomy(tmp_path / "waren.ttl")
    values = ["Würstel", "schweinefleisch", "Truthähne", "frisches Rindfleisch", "kein Huhn"]
    found = {x.value: x for x in link(values, t, language="de")}
    label = {v: None if x.concept is None else t.labels[x.concept] for v, x in found.items()}
    assert label["schweinefleisch"] == "SCHWEINEFLEISCH"
    assert label["Truthähne"] == "TRUTHAHN"
    assert found["Truthähne"].reason == "stem"
    assert label["frisches Rindfleisch"] == "RINDFLEISCH"
    assert found["frisches Rindfleisch"].status == "review"
    assert label["kein Huhn"] is None
    assert (label["Würstel"], found["Würstel"].reason) == ("WUERSTEL", "stem")  # the file writes umlauts as ue


# --- links files -----------------------------------------------------------------------------------------------------


def test_a_links_file_goes_round(tmp_path: Path) -> None:
    scope = wordnet(root="person")
    values = {"nurse": 9, "Handlers-cleaners": 4, "xyzzy": 1}
    found = link(values, scope)
    path = tmp_path / "job.links.csv"
    path.write_text(links_files.to_csv(found, scope), "utf-8")
    text = path.read_text()
    assert text.replace('"', "").startswith(",".join(links_files.COLUMNS))
    assert "nurse > health professional > professional > adult > person" in text
    again = links_files.read(path)
    assert again.unseen == {"Handlers-cleaners"}
    second = again.mark(link(values, scope, settled=again.concepts))
    status = {x.value: (x.concept, x.status) for x in second}
    assert status["nurse"] == (scope.taxonomy.code("nurse.n.01"), "sure")
    assert status["Handlers-cleaners"][1] == "review"  # nobody has looked at it
    assert status["xyzzy"] == (None, "unmatched")


@pytest.mark.parametrize(
    ("old", "new"),
    [("cleaner.n.02", "cleaner.n.03"), ('"review"', '"sure"'), ('"review"', '""')],
)
def test_a_person_settles_by_changing_concept_or_status(old: str, new: str, tmp_path: Path) -> None:
    scope = wordnet(root="person")
    path = tmp_path / "job.links.csv"
    path.write_text(links_files.to_csv(link(["Handlers-cleaners"], scope), scope).replace(old, new, 1), "utf-8")
    settled = links_files.read(path)
    assert settled.unseen == frozenset()
    [found] = settled.mark(link(["Handlers-cleaners"], scope, settled=settled.concepts))
    assert (found.reason, found.status) == ("settled", "sure")
    assert scope.taxonomy.ids[found.concept or 0] == ("cleaner.n.03" if "03" in new else "cleaner.n.02")


def test_a_links_file_needs_only_value_and_concept(tmp_path: Path) -> None:
    scope = wordnet()
    path = tmp_path / "links.csv"
    path.write_text("value,concept\nbow-wow,dog\nkitty,cat#1\n")
    found = link(["bow-wow", "kitty"], scope, settled=links_files.read(path).concepts)
    assert [scope.taxonomy.ids[x.concept or 0] for x in found] == ["dog.n.01", "cat.n.01"]


def test_bad_links_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("word,concept\na,b\n")
    with pytest.raises(LinksError, match="no column value"):
        links_files.read(path)
    path.write_text("value,concept\na,dog\na,cat\n")
    with pytest.raises(LinksError, match="1 values two concepts, first in row 3"):
        links_files.read(path)
    with pytest.raises(LinksError, match="cannot be read"):
        links_files.read(tmp_path / "none.csv")


@needs(DATA / "adult" / "links_occupation_p1.csv")
@pytest.mark.parametrize("name", ["occupation_p1", "occupation_p3", "native-country"])
def test_the_links_of_adult_resolve(name: str) -> None:
    settled = links_files.read(DATA / "adult" / f"links_{name}.csv")
    found = link(list(settled.concepts), wordnet(), settled=settled.concepts)
    assert found
    assert all(x.status == "sure" and x.concept is not None for x in found)


def test_alternatives_are_the_other_senses_under_the_root() -> None:
    scope = wordnet(root="person")
    [found] = link(["nurse"], scope)
    assert [bundled().ids[c] for c in found.alternatives] == ["nanny.n.01"]


def test_settled_values_keep_company_too() -> None:
    scope = wordnet()
    fish = {"trout": "trout.n.02", "salmon": "salmon.n.01", "cod": "cod.n.03"}
    music = {"trout": "alto.n.01", "salmon": "tenor.n.03", "cod": "soprano.n.01"}
    by_fish, by_music = (
        next(x for x in link(["bass", *fish], scope, settled=settled) if x.value == "bass") for settled in (fish, music)
    )
    assert scope.taxonomy.code("fish.n.01") in scope.taxonomy.subsumers(by_fish.concept or 0)
    assert scope.taxonomy.code("person.n.01") in scope.taxonomy.subsumers(by_music.concept or 0)


def test_settled_names_make_a_column_of_names() -> None:
    scope = wordnet()
    settled = {"France": "france.n.01", "Peru": "peru.n.01", "China": "china.n.01"}
    found = told(link(["France", "Peru", "China", "Turkey"], scope, settled=settled), scope)
    assert found["Turkey"][0] == "turkey.n.02"


def test_suggestions_are_no_names_in_a_column_of_kinds() -> None:
    scope = wordnet(root="person")
    found = link(["nurse", "carpenter", "Shakespaere"], scope)
    assert "Shakespeare" not in found[2].suggestions
    assert "Shakespeare" in link(["Shakespaere"], scope, individuals=True)[0].suggestions


def test_sense_order_counts_where_nothing_was_counted() -> None:
    t = read_taxonomy(HERE / "mini-animals.xml")
    [found] = link(["pet"], t)
    assert (t.ids[found.concept or 0], found.status) == ("m-3", "sure")


def test_definitions_and_ways_up_are_in_the_links_file(tmp_path: Path) -> None:
    t = read_taxonomy(HERE / "mini-animals.xml")
    scope = Scope(t, t.root)
    rows = {row["value"]: row for row in links_files.rows(link(["bird", "pet"], scope), scope)}
    assert rows["bird"]["definition"] == "A warm-blooded animal."
    assert rows["bird"]["path"] == "bird > animal"
    assert rows["pet"]["alternatives"].startswith("m-5 (mammal > animal")
    people = wordnet(root="person")
    [nurse] = links_files.rows(link(["nurse"], people), people)
    assert nurse["alternatives"] == "nanny.n.01 (woman > female > person)"


def test_that_a_value_has_no_concept_can_be_settled(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("value;concept;status\nnurse;;sure\nbaker;;unmatched\n")
    settled = links_files.read(path)
    assert settled.concepts == {"nurse": ""}
    found = told(link(["nurse", "baker"], wordnet(), settled=settled.concepts), wordnet())
    assert found["nurse"] == (None, "settled", "unmatched")
    assert found["baker"][0] is not None


def test_a_file_read_under_another_root_stays_unseen(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    people = wordnet(root="person")
    path.write_text(links_files.to_csv(link(["grey-haired nurse"], people), people), "utf-8")
    assert links_files.read(path).unseen == {"grey-haired nurse"}


def test_values_of_any_shape_go_round(tmp_path: Path) -> None:
    values = ['say "nurse", please', "two\nlines, nurse", " nurse ", "=nurse", "nurse;baker", "cr\rnurse"]
    scope = wordnet()
    path = tmp_path / "links.csv"
    path.write_bytes(links_files.to_csv(link(values, scope), scope).encode())
    assert {*links_files.read(path).concepts} <= {value.strip() for value in values}
    assert {row["value"] for row in links_files.rows(link(values, scope), scope)} == set(values)


def test_plurals_of_heads_in_other_languages() -> None:
    t = read_taxonomy(HERE / "mini-animals.ttl")
    found = {x.value: x for x in link(["schwarze Katzen", "kleine Vögel"], t, language="de")}
    assert [t.labels[x.concept or 0] for x in found.values()] == ["cat", "bird"]
    assert {x.reason for x in found.values()} == {"head"}
    [english] = link(["cat"], t, language="de")
    assert english.reason == "unknown"  # it is there, but not in German


@pytest.mark.parametrize(
    "value", ["nurse) x", "asthma)", ":)", "nurse]", "...", "（nurse）", "⑴ nurse", "(", "😀 nurse", ", , nurse"]
)
def test_no_punctuation_breaks_linking(value: str) -> None:
    [found] = link([value], wordnet(), suggest=False)
    assert found.status in ("sure", "review", "unmatched")


@given(st.text(alphabet="nurse dog()[]{},.;:/-'\"&+0123456789 \t\n\r", max_size=14))
@settings(max_examples=150)
def test_no_text_breaks_linking(value: str) -> None:
    [found] = link([value], wordnet(), suggest=False)
    assert (found.concept is None) == (found.status == "unmatched")


def test_a_number_is_no_other_number() -> None:
    found = link(["1.5", "1/2", "-5", "2.0", "+3"], wordnet(), suggest=False)
    assert [x.concept for x in found] == [None] * 5


def test_codes_are_taken_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("id,parent,label\nroot,,top\n1,root,one thing\n11,root,other thing\nA_1,root,this\nA 1,root,that\n")
    t = read_taxonomy(path)
    found = {x.value: x for x in link(["1", "1.1", "-1", "11", "a 1"], t, suggest=False)}
    assert [found[v].concept for v in ("1", "11")] == [t.code("1"), t.code("11")]
    assert found["1.1"].concept is None
    assert found["-1"].concept is None
    assert (found["a 1"].status, len(found["a 1"].alternatives)) == ("review", 1)  # A_1 or A 1


def test_settled_words_lie_under_the_root_and_ids_anywhere() -> None:
    people = wordnet(root="person")
    with pytest.raises(LinksError, match=r"not in wordnet:person.n.01: 'hammer'"):
        link(["x"], people, settled={"x": "hammer"})
    [found] = link(["x"], people, settled={"x": "operator.n.02"})  # an id says exactly what is meant
    assert (people.taxonomy.ids[found.concept or 0], found.status) == ("operator.n.02", "sure")
    [found] = link(["x"], people, settled={"x": "chair"})
    assert people.taxonomy.ids[found.concept or 0] == "president.n.04"  # a sense of chair that is a person


def test_an_individual_named_by_its_id_stays() -> None:
    people = wordnet(root="person")
    found = told(link(["nurse", "cook", "waiter", "einstein.n.01"], people), people)
    assert found["einstein.n.01"] == ("einstein.n.01", "id", "sure")


@pytest.mark.parametrize("value", ['"not" nurse', "not! nurse", "isn't a nurse"])
def test_negations_in_disguise(value: str) -> None:
    assert link([value], wordnet(), suggest=False)[0].concept is None


def test_languages_are_there_or_refused() -> None:
    assert link(["nurse"], wordnet(), language="EN")[0].status == "sure"
    with pytest.raises(OptionError, match=r"wordnet has no words in 'de'. Hint: it has en"):
        link(["nurse"], wordnet(), language="de")


def test_repeated_values_are_counted_and_zero_counts_do_no_harm() -> None:
    assert [(x.value, x.count) for x in link(["dog", "dog", "cat"], wordnet())] == [("dog", 2), ("cat", 1)]
    assert link({"dog": 0}, wordnet())[0].concept is not None


def test_long_texts_are_linked_by_their_end() -> None:
    words = " ".join(["word"] * 3000)
    [found] = link([f"{words} nurse"], wordnet(), suggest=False)
    assert found.concept == bundled().code("nurse")
