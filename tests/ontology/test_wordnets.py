"""Wordnets of other languages: their concepts and words, inflected and unaccented words, masking in Spanish."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from commands import call

import allonym as al
from allonym.errors import OptionError
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking.inflections import RULES, base_forms
from allonym.ontology.linking.languages import language
from allonym.ontology.linking.link import link
from allonym.ontology.linking.match import Matcher
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import bundled, offsets

WNDB = Path("/usr/share/wordnet/data.noun")
PAGE = (Path(__file__).parents[2] / "docs" / "ontologies" / "other-languages.md").read_text("utf-8")
NAMES = ["wordnet-es", "wordnet-fr", "wordnet-it", "wordnet-pt"]
OCCUPATIONS = {
    "nurse.n.01": ["enfermera", "Enfermero", "enfermeras"],
    "doctor.n.01": ["médico", "medico", "médica", "doctora"],
    "carpenter.n.01": ["carpintero", "carpinteros"],
    "electrician.n.01": ["electricista", "electricistas"],
    "cook.n.01": ["cocinero", "cocinera"],
    "lawyer.n.01": ["abogado", "abogada"],
    "architect.n.01": ["arquitecto", "arquitecta"],
    "engineer.n.01": ["ingeniero", "ingeniera"],
    "musician.n.01": ["músico", "musicos"],
    "tailor.n.01": ["sastre"],
}


def nouns(*words: str, code: str) -> Taxonomy:
    entries = [Entry(word, i, language=code) for i, word in enumerate(words)]
    every = range(1, len(words))
    return Taxonomy.build(
        "nouns", list(words), child=list(every), parent=[0] * len(every), lexicon=Lexicon.build(entries)
    )


@pytest.mark.parametrize("name", NAMES)
def test_concepts_are_those_of_the_english_wordnet_and_all_have_words(name: str) -> None:
    taxonomy, english = al.ontology(name).taxonomy, bundled()
    places = np.array([english.code(x) for x in taxonomy.ids])
    assert taxonomy.ids[taxonomy.root] == english.ids[english.root]
    assert all(taxonomy.lexicon.terms(c) for c in range(len(taxonomy)))
    assert (taxonomy.instances == english.instances[places]).all()
    own = [x for c, x in enumerate(taxonomy.labels) if x in taxonomy.lexicon.terms(c)]
    assert own == list(taxonomy.labels)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_the_numbers_of_concepts_and_words_and_the_mean_depths(name: str) -> None:
    taxonomy, english = al.ontology(name).taxonomy, bundled()
    depth = english.depth[[english.code(x) for x in taxonomy.ids]].mean()
    cells = f"{len(taxonomy):,} | {len(taxonomy.lexicon.forms):,} | {taxonomy.depth.mean():.1f} ({depth:.1f}) |"
    line = next(x for x in PAGE.splitlines() if x.startswith(f"| `{name}` |"))
    assert line.endswith(cells)


@pytest.mark.parametrize(
    ("code", "value", "form", "reason"),
    [
        ("es", "musico", "músico", "spelling"),
        ("fr", "electricien", "électricien", "spelling"),
        ("es", "enfermeras", "enfermera", "inflection"),
        ("it", "medici", "medico", "inflection"),
        ("fr", "chevaux", "cheval", "inflection"),
        ("pt", "advogados", "advogado", "inflection"),
        ("es", "carpintera", "carpintero", "inflection"),
        ("fr", "boulangère", "boulanger", "inflection"),
        ("it", "pittrice", "pittore", "inflection"),
        ("es", "zumo de pera", "zumo", "head"),
        ("fr", "professeur de musique", "professeur", "head"),
    ],
)
def test_the_examples_of_the_page_are_found_for_the_reason_stated(
    code: str, value: str, form: str, reason: str
) -> None:
    (row,) = (x for x in PAGE.splitlines() if f"`{value}`" in x and x.startswith("|"))
    assert form in row
    assert f"`{reason}`" in row
    scope = al.ontology(f"wordnet-{code}")
    (found,) = link([value], scope)
    assert found.reason == reason
    assert found.concept in scope.taxonomy.lexicon.senses(form)
    assert (found.relation, found.status) == (("narrower", "review") if reason == "head" else ("same", "sure"))


@pytest.mark.parametrize("name", NAMES)
def test_concepts_are_under_the_nearest_concepts_that_have_words(name: str) -> None:
    taxonomy, english = al.ontology(name).taxonomy, bundled()
    kept = {english.code(x): c for c, x in enumerate(taxonomy.ids)}
    for concept in range(0, len(taxonomy), 997):
        old = english.code(taxonomy.ids[concept])
        above = {kept[int(c)] for c in english.subsumers(old) if int(c) in kept}
        assert set(taxonomy.subsumers(concept).tolist()) == above


@pytest.mark.skipif(not WNDB.exists(), reason="needs the files of WordNet 3.0 (Debian: wordnet-base)")
def test_offsets_are_those_of_the_file() -> None:
    lines = [x for x in WNDB.read_text("utf-8").splitlines() if not x.startswith(" ")]
    assert offsets().tolist() == [int(x[:8]) for x in lines]


def test_spanish_occupations() -> None:
    people = al.ontology("wordnet-es:persona")
    assert people.name == "wordnet-es:person.n.01"
    for identifier, words in OCCUPATIONS.items():
        for x in link(words, people):
            assert x.concept is not None
            assert people.taxonomy.ids[x.concept] == identifier, x
            assert (x.status, x.relation) == ("sure", "same"), x


def test_a_word_that_is_missing_is_not_the_beginning_of_a_longer_one() -> None:
    [soldier] = link(["soldat"], al.ontology("wordnet-fr:person.n.01"))  # but "soldat fanfaron" is there
    assert soldier.status != "sure"


def test_the_label_is_the_usual_word_in_the_masculine() -> None:
    labels = {"nurse.n.01": "enfermero", "lawyer.n.01": "abogado", "judge.n.01": "juez", "actor.n.01": "actor",
              "dentist.n.01": "dentista", "writer.n.01": "escritor", "student.n.01": "estudiante"}  # fmt: skip
    spanish = al.ontology("wordnet-es").taxonomy
    assert {x: spanish.labels[spanish.code(x)] for x in labels} == labels


@pytest.mark.parametrize(
    ("code", "text", "form"),
    [
        ("es", "jueces", "juez"), ("es", "leones", "león"), ("es", "profesoras", "profesor"), ("es", "actriz", "actor"),
        ("es", "directores de hotel", "director de hotel"), ("es", "médicas forenses", "médico forense"),
        ("fr", "infirmières", "infirmier"), ("fr", "vendeuses", "vendeur"), ("fr", "directrice", "directeur"),
        ("fr", "chevaux", "cheval"), ("fr", "musicienne", "musicien"), ("fr", "étudiante", "étudiant"),
        ("it", "medici", "medico"), ("it", "professoressa", "professore"), ("it", "pittrici", "pittore"),
        ("it", "psicologhe", "psicologo"), ("it", "operai", "operaio"), ("it", "baristi", "barista"),
        ("pt", "professoras", "professor"), ("pt", "operária", "operário"), ("pt", "capitães", "capitão"),
        ("pt", "jornais", "jornal"), ("pt", "homens", "homem"), ("pt", "farmacêuticos", "farmacêutico"),
    ],
)  # fmt: skip
def test_plural_and_feminine_forms(code: str, text: str, form: str) -> None:
    [found] = link([text], nouns("x", form, code=code), language=code)
    assert (found.concept, found.reason, found.relation) == (1, "inflection", "same")


def test_a_word_that_the_ontology_has_is_not_inflected() -> None:
    words = nouns("x", "puerto", "puerta", "ano", "año", code="es")
    assert [x.concept for x in link(["puerta", "puerto", "ano", "año"], words)] == [2, 1, 3, 4]
    assert link(["puertas"], words)[0].concept == 2


def test_accents_may_be_missing_but_are_not_ignored() -> None:
    words = nouns("x", "médico", "público", "publico", code="es")
    assert [(x.concept, x.reason) for x in link(["medico", "MEDICO", "publico"], words)] == [
        (1, "spelling"), (1, "spelling"), (3, "exact"),
    ]  # fmt: skip
    assert link(["mèdico"], words)[0].reason != "spelling"


def test_other_languages_have_no_rules() -> None:
    assert set(RULES) == {"es", "fr", "it", "pt"}
    assert list(base_forms("katzen", "de")) == []
    matcher = Matcher(Lexicon.build([Entry("vögel", 0)]), language("de"))
    assert not [x for x in matcher.matches("vogel") if x.reason == "spelling"]


def test_the_language_is_the_only_one_of_the_ontology() -> None:
    spanish = nouns("animal", "perro", code="es")
    assert link(["perros"], spanish)[0].reason == "inflection"
    assert link(["perros"], spanish) == link(["perros"], spanish, language="es")
    with pytest.raises(OptionError, match="no words in 'de'"):
        link(["perros"], spanish, language="de")
    several = Lexicon.build([Entry("perro", 0, language="es"), Entry("chien", 0, language="fr")])
    assert several.language("en") == "en"
    assert Lexicon.build([Entry("dog", 0)]).language("en") == "en"
    with pytest.raises(OptionError, match="no words in 'en'"):
        link(["perro"], Taxonomy.build("several", ["a"], child=[], parent=[], lexicon=several))


def test_a_spanish_column_is_masked_with_spanish_words(tmp_path: Path) -> None:
    table = tmp_path / "tabla.csv"
    jobs = [word for words in OCCUPATIONS.values() for word in words]
    rows = [{"ocupacion": jobs[i % len(jobs)], "sexo": "hm"[i % 2]} for i in range(3 * len(jobs))]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["ocupacion", "sexo"])
        writer.writeheader()
        writer.writerows(rows)
    out, report = tmp_path / "publica.csv", tmp_path / "informe.html"
    quasi = ["--quasi", "ocupacion=wordnet-es:persona", "--quasi", "sexo=category"]
    done = call("mask", str(table), "-o", str(out), *quasi, "--k", "5", "--report", str(report))
    assert done.returncode == 0, done.stderr
    with out.open(encoding="utf-8") as file:
        masked = list(csv.DictReader(file))
    counts: dict[tuple[str, str], int] = {}
    for row in masked:
        counts[row["ocupacion"], row["sexo"]] = counts.get((row["ocupacion"], row["sexo"]), 0) + 1
    assert min(counts.values()) >= 5
    spanish = al.ontology("wordnet-es").taxonomy
    assert {x for x, _ in counts} <= {"", *spanish.labels, *jobs}
    assert {x for x, _ in counts} & {*spanish.labels} - {*jobs}
    assert "wordnet-es" in report.read_text("utf-8")
