"""Linking whole columns: reasons, statuses, senses, individuals, languages, settled links."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import DATA, needs

from allonym.errors import LinksError, OptionError
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking import links_file as links_files
from allonym.ontology.linking.link import Link, _finder, link
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import bundled, wordnet

HERE = Path(__file__).parents[1] / "data"


def by_value(links: list[Link], scope: Scope) -> dict[str, tuple[str | None, str, str]]:
    ids = scope.taxonomy.ids
    return {x.value: (None if x.concept is None else ids[x.concept], x.reason, x.status) for x in links}


def test_reasons_and_statuses() -> None:
    scope = wordnet(root="person")
    links = by_value(link(["nurse", "Nurses", "grey-haired nurse", "nurse.n.01", "xyzzy", "hammer"], scope), scope)
    assert links["nurse"] == ("nurse.n.01", "exact", "sure")
    assert links["Nurses"] == ("nurse.n.01", "inflection", "sure")
    assert links["grey-haired nurse"][:2] == ("nurse.n.01", "head")
    assert links["nurse.n.01"] == ("nurse.n.01", "id", "sure")
    assert links["xyzzy"] == (None, "unknown", "unmatched")
    assert links["hammer"][1:] == ("exact", "review")  # no person


def test_a_root_is_a_preference() -> None:
    scope = wordnet(root="person")
    links = by_value(link(["driver", "bus driver", "nurse", "carpenter", "cook", "pilot", "Baker"], scope), scope)
    assert links["driver"][0] == "driver.n.01"  # which is no person in WordNet
    assert links["Baker"][0] == "baker.n.02"


def test_every_change_of_words_is_narrower() -> None:
    values = ["nurse", "Nurses", "night nurse", "nurse (retired)", "baker", "Bakers", "plumberr"]
    relation = {x.value: (x.relation, x.reason) for x in link(values, wordnet())}
    assert {v for v, (r, _) in relation.items() if r == "same"} == {"nurse", "Nurses", "baker", "Bakers"}
    assert relation["plumberr"] == ("narrower", "similar")


def test_corrected_spelling_is_never_sure() -> None:
    scope = wordnet()
    links = by_value(link(["dancers", "carpenterr", "gardner", "plumbr", "elektrician"], scope), scope)
    assert links["carpenterr"] == ("carpenter.n.01", "similar", "review")
    assert links["elektrician"] == ("electrician.n.01", "similar", "review")
    assert {status for _, reason, status in links.values() if reason == "similar"} == {"review"}


def test_adjectives_and_participles_mean_their_nouns() -> None:
    scope = wordnet()
    links = by_value(link(["Divorced", "Widowed", "Married", "Retired"], scope), scope)
    assert links["Divorced"][0] in ("divorcee.n.01", "divorce.n.01")
    assert links["Widowed"][0] in ("widow.n.01", "widowhood.n.01")
    assert links["Married"][0] == "married.n.01"
    assert links["Retired"][0] in ("retiree.n.01", "retirement.n.01", "retirement.n.02")
    assert by_value(link(["full-time", "part-time"], scope), scope)["full-time"][0] is None  # no kind of time


@pytest.mark.parametrize("value", ["never married", "without pay", "not a nurse", "non-smoker", "no children"])
def test_what_is_negated_is_not_meant(value: str) -> None:
    [only] = link([value], wordnet(), suggest=False)
    whole = only.concept is not None and only.reason in ("exact", "spelling")
    assert only.concept is None or whole


def test_residual_values_mean_nothing() -> None:
    assert {x.status for x in link(["Other", "Unknown", "n/a", "none of the above", "misc."], wordnet())} == {
        "unmatched"
    }


def test_acronyms_need_their_letters() -> None:
    scope = wordnet()
    links = by_value(link(["Self-emp-inc", "Local-gov", "State-gov"], scope), scope)
    assert links["Self-emp-inc"][0] != "iraqi_national_congress.n.01"
    assert links["Local-gov"][:2] == ("local_government.n.01", "abbreviation")


def test_the_name_of_the_column_is_evidence() -> None:
    scope = wordnet()
    assert by_value(link(["White", "Asian"], scope, name="race"), scope)["White"][0] == "white.n.01"


def test_column_order_and_counts_do_not_matter() -> None:
    words = ["bass", "trout", "salmon", "perch", "cod", "old trout", "trout (smoked)"]
    forward = by_value(link(words, wordnet()), wordnet())
    backward = by_value(link(dict.fromkeys(reversed(words), 7), wordnet()), wordnet())
    assert forward == backward


def test_order_and_counts_are_preserved() -> None:
    links = link({"nurse": 3, "xyzzy": 2, "baker": 5}, wordnet())
    assert [(x.value, x.count) for x in links] == [("nurse", 3), ("xyzzy", 2), ("baker", 5)]
    assert link([], wordnet()) == []


def test_coherent_senses_depend_on_the_other_values() -> None:
    scope = wordnet()
    music = by_value(link(["bass", "alto", "tenor", "soprano", "baritone"], scope), scope)
    fish = by_value(link(["bass", "trout", "salmon", "perch", "cod"], scope), scope)
    t = scope.taxonomy
    assert t.code("fish.n.01") in t.subsumers(t.code(str(fish["bass"][0])))
    assert {t.code("singer"), t.code("voice.n.02"), t.code("music")} & {*t.subsumers(t.code(str(music["bass"][0])))}


def test_first_senses() -> None:
    scope = wordnet()
    links = by_value(link(["bass", "trout", "salmon", "perch"], scope, senses="first"), scope)
    assert links["bass"][0] == scope.taxonomy.ids[scope.taxonomy.code("bass")]
    with pytest.raises(OptionError, match="did you mean 'first'"):
        link(["bass"], scope, senses="frist")


def test_individuals_only_in_columns_of_names() -> None:
    scope = wordnet(root="person")
    jobs = by_value(link(["farmer", "baker", "smith", "carpenter"], scope), scope)
    assert not any(scope.taxonomy.instances[scope.taxonomy.code(str(concept))] for concept, _, _ in jobs.values())
    everywhere = wordnet()
    countries = by_value(link(["Turkey", "China", "Jordan", "France", "Chad", "Peru"], everywhere), everywhere)
    assert all(everywhere.taxonomy.instances[everywhere.taxonomy.code(str(c))] for c, _, _ in countries.values())
    assert countries["Turkey"][0] == "turkey.n.02"
    forbidden = by_value(link(["France", "Peru"], everywhere, individuals=False), everywhere)
    assert forbidden["France"] == (None, "individual", "unmatched")


def test_settled_links_are_preserved() -> None:
    scope = wordnet()
    settled = {"bass": "bass.n.03", "trout": "fish", "perch": "", "not in the column": "dog"}
    links = by_value(link(["bass", "trout", "salmon", "perch"], scope, settled=settled), scope)
    assert links["bass"] == ("bass.n.03", "settled", "sure")
    assert links["trout"] == ("fish.n.01", "settled", "sure")
    assert links["perch"] == (None, "settled", "unmatched")
    with pytest.raises(LinksError, match="2 settled concepts are not in wordnet: 'xyzzy', 'dog#99'"):
        link(["bass"], scope, settled={"bass": "xyzzy", "a": "dog#99"})


def test_notations_precede_words() -> None:
    t = read_taxonomy(HERE / "mini-animals.ttl")
    links = link(["B", "bird", "http://example.org/mini#cat", "cat"], t)
    assert [(t.labels[x.concept or 0], x.reason, x.status) for x in links] == [
        ("bird", "notation", "sure"),
        ("bird", "exact", "sure"),
        ("cat", "id", "sure"),
        ("cat", "exact", "sure"),
    ]


def test_unmatched_values_have_suggestions_under_the_root() -> None:
    scope = wordnet(root="person")
    links = link(["kapenter", "carprenterer"], scope)
    assert all("carpenter" in x.suggestions for x in links)
    assert link(["kapenter"], scope, suggest=False)[0].suggestions == ()


def test_labels_in_another_language() -> None:
    t = read_taxonomy(HERE / "mini-animals.ttl")
    links = link(["Vögel", "VOGEL", "ein Papagei", "grüner Papagei", "Katzen", "cat", "kein Vogel"], t, language="de")
    outcome = {x.value: (None if x.concept is None else t.labels[x.concept], x.reason, x.status) for x in links}
    assert outcome["VOGEL"] == ("bird", "exact", "sure")
    assert outcome["ein Papagei"] == ("parrot", "exact", "sure")
    assert outcome["grüner Papagei"] == ("parrot", "head", "review")
    assert outcome["Katzen"] == ("cat", "stem", "review")
    assert outcome["Vögel"] == ("bird", "stem", "review")
    assert outcome["cat"][0] is None  # an English label
    assert outcome["kein Vogel"][0] is None


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
    links = {x.value: x for x in link(values, t, language="de")}
    label = {v: None if x.concept is None else t.labels[x.concept] for v, x in links.items()}
    assert label["schweinefleisch"] == "SCHWEINEFLEISCH"
    assert label["Truthähne"] == "TRUTHAHN"
    assert links["Truthähne"].reason == "stem"
    assert label["frisches Rindfleisch"] == "RINDFLEISCH"
    assert links["frisches Rindfleisch"].status == "review"
    assert label["kein Huhn"] is None
    assert (label["Würstel"], links["Würstel"].reason) == ("WUERSTEL", "stem")  # the file writes umlauts as ue


# --- links files -----------------------------------------------------------------------------------------------------


def test_links_file_round_trip(tmp_path: Path) -> None:
    scope = wordnet(root="person")
    values = {"carpenter": 9, "Handlers-cleaners": 4, "xyzzy": 1}
    links = link(values, scope)
    path = tmp_path / "job.links.csv"
    path.write_text(links_files.to_csv(links, scope), "utf-8")
    text = path.read_text()
    assert text.replace('"', "").startswith(",".join(links_files.COLUMNS))
    assert "carpenter > woodworker" in text
    again = links_files.read(path)
    assert again.unseen == {"Handlers-cleaners"}
    second = again.mark(link(values, scope, settled=again.concepts))
    status = {x.value: (x.concept, x.status) for x in second}
    assert status["carpenter"] == (scope.taxonomy.code("carpenter.n.01"), "sure")
    assert status["Handlers-cleaners"][1] == "review"  # nobody has looked at it
    assert status["xyzzy"] == (None, "unmatched")


@pytest.mark.parametrize(
    ("old", "new"),
    [("cleaner.n.02", "cleaner.n.03"), ('"review"', '"sure"'), ('"review"', '""')],
)
def test_changing_concept_or_status_settles_a_link(old: str, new: str, tmp_path: Path) -> None:
    scope = wordnet(root="person")
    path = tmp_path / "job.links.csv"
    path.write_text(links_files.to_csv(link(["cleaner"], scope), scope).replace(old, new, 1), "utf-8")
    settled = links_files.read(path)
    assert settled.unseen == frozenset()
    [only] = settled.mark(link(["cleaner"], scope, settled=settled.concepts))
    assert (only.reason, only.status) == ("settled", "sure")
    assert scope.taxonomy.ids[only.concept or 0] == ("cleaner.n.03" if "03" in new else "cleaner.n.02")


def test_a_links_file_needs_only_value_and_concept(tmp_path: Path) -> None:
    scope = wordnet()
    path = tmp_path / "links.csv"
    path.write_text("value,concept\nbow-wow,dog\nkitty,cat#1\n")
    links = link(["bow-wow", "kitty"], scope, settled=links_files.read(path).concepts)
    assert [scope.taxonomy.ids[x.concept or 0] for x in links] == ["dog.n.01", "cat.n.01"]


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
    path.write_text("value,concept,relation\na,dog,same\nb,cat,wider\n")
    with pytest.raises(LinksError, match="unknown relation in 1 rows, first in row 3"):
        links_files.read(path)


@needs(DATA / "adult" / "links_occupation_p1.csv")
@pytest.mark.parametrize("name", ["occupation_p1", "occupation_p3", "native-country"])
def test_the_links_of_adult_resolve(name: str) -> None:
    settled = links_files.read(DATA / "adult" / f"links_{name}.csv")
    links = link(list(settled.concepts), wordnet(), settled=settled.concepts)
    assert links
    assert all(x.status == "sure" and x.concept is not None for x in links)


def test_alternatives_are_the_other_senses_under_the_root() -> None:
    scope = wordnet(root="person")
    [only] = link(["nurse"], scope)
    assert [bundled().ids[c] for c in only.alternatives] == ["nanny.n.01"]


def test_settled_values_influence_the_senses_of_others() -> None:
    scope = wordnet()
    fish = {"trout": "trout.n.02", "salmon": "salmon.n.01", "cod": "cod.n.03"}
    music = {"trout": "alto.n.01", "salmon": "tenor.n.03", "cod": "soprano.n.01"}
    by_fish, by_music = (
        next(x for x in link(["bass", *fish], scope, settled=settled) if x.value == "bass") for settled in (fish, music)
    )
    assert scope.taxonomy.code("fish.n.01") in scope.taxonomy.subsumers(by_fish.concept or 0)
    assert scope.taxonomy.code("person.n.01") in scope.taxonomy.subsumers(by_music.concept or 0)


def test_settled_individuals_make_a_column_of_names() -> None:
    scope = wordnet()
    settled = {"France": "france.n.01", "Peru": "peru.n.01", "China": "china.n.01"}
    links = by_value(link(["France", "Peru", "China", "Turkey"], scope, settled=settled), scope)
    assert links["Turkey"][0] == "turkey.n.02"


def test_suggestions_exclude_individuals_in_a_column_of_classes() -> None:
    scope = wordnet(root="person")
    links = link(["nurse", "carpenter", "Shakespaere"], scope)
    assert links[2].concept is None
    assert "Shakespeare" not in links[2].suggestions
    [poet] = link(["Shakespaere"], scope, individuals=True)
    assert scope.taxonomy.labels[poet.concept or 0] == "Shakespeare"


def test_sense_order_replaces_missing_counts() -> None:
    t = read_taxonomy(HERE / "mini-animals.xml")
    [only] = link(["pet"], t)
    assert t.ids[only.concept or 0] == "m-3"


def test_links_file_has_definitions_and_paths(tmp_path: Path) -> None:
    t = read_taxonomy(HERE / "mini-animals.xml")
    scope = Scope(t, t.root)
    rows = {row["value"]: row for row in links_files.rows_of(link(["bird", "pet"], scope), scope)}
    assert rows["bird"]["definition"] == "A warm-blooded animal."
    assert rows["bird"]["path"] == "bird > animal"
    assert rows["pet"]["alternatives"].startswith("m-5 (cat > mammal > animal")
    people = wordnet(root="person")
    [nurse] = links_files.rows_of(link(["nurse"], people), people)
    assert nurse["definition"].startswith("one skilled in caring for young children or the sick")
    assert nurse["alternatives"] == "nanny.n.01 (woman > female > person: a woman who is the custodian of children)"


def test_alternatives_without_definitions_have_all_their_ancestors() -> None:
    lexicon = Lexicon.build([Entry("bass", 3), Entry("bass", 4, rank=1)])
    t = Taxonomy.build("sounds and fish", list("rabxy"), child=[1, 2, 3, 4], parent=[0, 1, 2, 2], lexicon=lexicon)
    [bass] = links_files.rows_of(link(["bass"], t), Scope(t, t.root))
    assert (bass["definition"], bass["alternatives"]) == ("", "y (b > a > r)")


@pytest.mark.parametrize(
    ("definition", "clause"),
    [
        ("a hat; of felt", "a hat"),
        ("a hat (of felt; or straw)", "a hat (of felt; or straw)"),
        ("A hat of felt. It is warm.", "A hat of felt"),
        ("a unit of the U.S. Navy", "a unit of the U.S. Navy"),
        ("approx. 3 m", "approx. 3 m"),
        ("word " * 40, ("word " * 17).strip() + " …"),
        (") a; b", ") a"),
    ],
)
def test_the_first_clause_of_a_definition(definition: str, clause: str) -> None:
    assert links_files.first_clause(definition) == clause


def test_a_value_can_be_settled_as_unmatched(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("value;concept;status\nnurse;;sure\nbaker;;unmatched\n")
    settled = links_files.read(path)
    assert settled.concepts == {"nurse": ""}
    links = by_value(link(["nurse", "baker"], wordnet(), settled=settled.concepts), wordnet())
    assert links["nurse"] == (None, "settled", "unmatched")
    assert links["baker"][0] is not None


def test_links_under_another_root_still_need_review(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    people = wordnet(root="person")
    path.write_text(links_files.to_csv(link(["grey-haired nurse"], people), people), "utf-8")
    assert links_files.read(path).unseen == {"grey-haired nurse"}


def test_links_file_round_trip_of_unusual_values(tmp_path: Path) -> None:
    values = ['say "nurse", please', "two\nlines, nurse", " nurse ", "=nurse", "nurse;baker", "cr\rnurse"]
    scope = wordnet()
    path = tmp_path / "links.csv"
    path.write_bytes(links_files.to_csv(link(values, scope), scope).encode())
    assert {*links_files.read(path).concepts} <= {value.strip() for value in values}
    assert {row["value"] for row in links_files.rows_of(link(values, scope), scope)} == set(values)


def test_plurals_of_heads_in_other_languages() -> None:
    t = read_taxonomy(HERE / "mini-animals.ttl")
    links = {x.value: x for x in link(["schwarze Katzen", "kleine Vögel"], t, language="de")}
    assert [t.labels[x.concept or 0] for x in links.values()] == ["cat", "bird"]
    assert {x.reason for x in links.values()} == {"head"}
    [english] = link(["cat"], t, language="de")
    assert english.reason == "unknown"  # it is there, but not in German


@pytest.mark.parametrize(
    "value", ["nurse) x", "asthma)", ":)", "nurse]", "...", "（nurse）", "⑴ nurse", "(", "😀 nurse", ", , nurse"]
)
def test_linking_accepts_any_punctuation(value: str) -> None:
    [only] = link([value], wordnet(), suggest=False)
    assert only.status in ("sure", "review", "unmatched")


@given(st.text(alphabet="nurse dog()[]{},.;:/-'\"&+0123456789 \t\n\r", max_size=14))
@settings(max_examples=150)
def test_linking_accepts_any_text(value: str) -> None:
    [only] = link([value], wordnet(), suggest=False)
    assert (only.concept is None) == (only.status == "unmatched")


def test_numbers_do_not_match_other_numbers() -> None:
    links = link(["1.5", "1/2", "-5", "2.0", "+3"], wordnet(), suggest=False)
    assert [x.concept for x in links] == [None] * 5


def test_notations_match_exactly(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("id,parent,label\nroot,,top\n1,root,one thing\n11,root,other thing\nA_1,root,this\nA 1,root,that\n")
    t = read_taxonomy(path)
    links = {x.value: x for x in link(["1", "1.1", "-1", "11", "a 1"], t, suggest=False)}
    assert [links[v].concept for v in ("1", "11")] == [t.code("1"), t.code("11")]
    assert links["1.1"].concept is None
    assert links["-1"].concept is None
    assert (links["a 1"].status, len(links["a 1"].alternatives)) == ("review", 1)  # A_1 or A 1


def test_settled_words_lie_under_the_root_and_ids_anywhere() -> None:
    people = wordnet(root="person")
    with pytest.raises(LinksError, match=r"not in wordnet:person.n.01: 'hammer'"):
        link(["x"], people, settled={"x": "hammer"})
    [only] = link(["x"], people, settled={"x": "operator.n.02"})  # an id may lie anywhere
    assert (people.taxonomy.ids[only.concept or 0], only.status) == ("operator.n.02", "sure")
    [only] = link(["x"], people, settled={"x": "chair"})
    assert people.taxonomy.ids[only.concept or 0] == "president.n.04"  # a sense of chair that is a person


def test_an_id_of_an_individual_is_linked() -> None:
    people = wordnet(root="person")
    links = by_value(link(["nurse", "cook", "waiter", "einstein.n.01"], people), people)
    assert links["einstein.n.01"] == ("einstein.n.01", "id", "sure")


@pytest.mark.parametrize("value", ['"not" nurse', "not! nurse", "isn't a nurse"])
def test_unusual_negations_are_not_dropped(value: str) -> None:
    assert link([value], wordnet(), suggest=False)[0].concept is None


def test_languages_without_words_are_refused() -> None:
    assert link(["carpenter"], wordnet(), language="EN")[0].status == "sure"
    with pytest.raises(OptionError, match=r"wordnet has no words in 'de'. Hint: it has en"):
        link(["nurse"], wordnet(), language="de")


def test_repeated_values_and_zero_counts() -> None:
    assert [(x.value, x.count) for x in link(["dog", "dog", "cat"], wordnet())] == [("dog", 2), ("cat", 1)]
    assert link({"dog": 0}, wordnet())[0].concept is not None


def test_long_texts_are_linked_by_their_end() -> None:
    words = " ".join(["word"] * 3000)
    [only] = link([f"{words} nurse"], wordnet(), suggest=False)
    assert only.concept == bundled().code("nurse")


def test_progress_is_told_at_least_every_thousand_values() -> None:
    told: list[tuple[int, int]] = []
    link(
        [f"nurse {i}" for i in range(3000)],
        wordnet(),
        suggest=False,
        tick=lambda done, total: told.append((done, total)),
    )
    done = [n for n, _ in told]
    assert {total for _, total in told} == {6000}
    assert done == sorted(done)
    assert max(after - before for before, after in pairwise(done)) <= 1000


def test_the_most_frequent_of_many_unmatched_values_have_suggestions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allonym.ontology.linking.link.MAX_SUGGESTED", 1)
    rare, frequent = link({"nurxxyse": 1, "carpxxynter": 5}, wordnet(root="person"))
    assert rare.status == frequent.status == "unmatched"
    assert not rare.suggestions
    assert frequent.suggestions


def test_ancestors_of_a_first_word_are_those_of_the_taxonomy() -> None:
    scope = wordnet()
    finder = _finder(scope, "en", {}, (), False)
    for concept in range(0, len(scope.taxonomy), 4001):
        assert finder._above(concept) == set(scope.taxonomy.subsumers(concept).tolist())


def test_a_name_that_is_not_under_the_root_may_be_misspelled_or_cut() -> None:
    scope = wordnet(root="country.n.02")
    values = ["France", "Peru", "Mexico", "Spain", "Columbia", "Trinadad&Tobago", "Hong"]
    links = by_value(link(values, scope), scope)
    assert links["Columbia"] == ("colombia.n.01", "similar", "review")
    assert links["Trinadad&Tobago"] == ("trinidad_and_tobago.n.01", "similar", "review")
    assert links["Hong"] == ("hong_kong.n.01", "longer", "review")
