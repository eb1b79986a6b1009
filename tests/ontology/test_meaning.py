"""Suggestions by meaning: names, definitions, related nouns, the column."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from allonym.ontology.linking.link import Link, link
from allonym.ontology.linking.meaning import Suggester, Weights, with_suggestions
from allonym.ontology.linking.suggest import similar_words
from allonym.ontology.readers import read_taxonomy
from allonym.ontology.scope import Scope
from allonym.ontology.wordnet import wordnet

JOBS = Path(__file__).parents[1] / "data" / "mini-jobs.csv"


def suggested(value: str, *column: str, root: str = "entity") -> list[str]:
    """Return the ids that are suggested for a value among others."""
    scope = wordnet(root=root)
    links = link([value, *column], scope)
    (unknown,) = (x for x in links if x.value == value)
    return [scope.taxonomy.ids[c] for c in Suggester(scope, links).concepts(unknown)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("specialist for hearts", "cardiologist.n.01"),  # by its definition
        ("repairs shoes", "cobbler.n.01"),  # whose definition has the stems of both words
        ("swimming teacher for schools", "teacher.n.01"),  # the name of a part
        ("diabetic", "diabetic.n.01"),
        ("karpentar", "carpenter.n.01"),  # by spelling
    ],
)
def test_concepts_are_suggested_by_meaning_and_spelling(value: str, expected: str) -> None:
    scope = wordnet(root="person")
    spelled = tuple(similar_words(scope.taxonomy.lexicon, [value], scope.members)[0])
    unknown = Link(value, 1, None, "unknown", "unmatched", suggestions=spelled)
    column = [*link(["nurse", "cook", "dentist", "baker"], scope), unknown]
    assert expected in [scope.taxonomy.ids[c] for c in Suggester(scope, column).concepts(unknown)]


def test_the_other_values_of_a_column_rank_senses() -> None:
    value = Link("crane work", 1, None, "unknown", "unmatched")
    ranked = {}
    for name, column in {
        "birds": ["stork", "heron", "pelican"],
        "machines": ["forklift", "bulldozer", "winch"],
    }.items():
        suggester = Suggester(wordnet(), [*link(column, wordnet()), value])
        ranked[name] = [wordnet().taxonomy.ids[c] for c in suggester.concepts(value, 20)]
    cranes = {name: next(x for x in ids if x in ("crane.n.04", "crane.n.05")) for name, ids in ranked.items()}
    assert cranes == {"birds": "crane.n.05", "machines": "crane.n.04"}


def test_adjectives_lead_to_nouns_and_never_to_opposites() -> None:
    assert "divorce.n.01" in suggested("Divorced since May")
    assert not {"married.n.01", "marriage.n.01"} & set(suggested("never married", "widow", "spouse"))
    assert "married.n.01" not in suggested("unmarried", "widow", "spouse")
    assert "consciousness.n.01" not in suggested("concussion with no loss of consciousness")


def test_suggestions_are_words_where_these_are_clear_and_ids_elsewhere() -> None:
    scope = wordnet(root="person")
    links = link(["nurse", "dentist", "specialist for hearts"], scope)
    texts = with_suggestions(links, scope)["specialist for hearts"].suggestions
    for text in texts:
        assert any(c in scope for c in scope.taxonomy.senses(text))
    assert len(set(texts)) == len(texts) <= 5


def test_only_values_to_review_get_suggestions() -> None:
    scope = wordnet(root="person")
    links = link(["nurse", "grey-haired nurse", "qqxxz"], scope, settled={"qqxxz": ""})
    assert set(with_suggestions(links, scope)) == {"grey-haired nurse"}


def test_other_ontologies_are_searched_by_their_names() -> None:
    scope = Scope.of(read_taxonomy(JOBS))
    label = next(x for x in scope.taxonomy.labels if " " not in x and len(x) > 4)
    value = Link(f"{label} for hire", 1, None, "unknown", "unmatched")
    assert label in with_suggestions([value], scope)[value.value].suggestions


def test_weights_switch_evidence_off() -> None:
    scope = wordnet(root="person")
    value = Link("specialist for hearts", 1, None, "unknown", "unmatched")
    nothing = Weights(*[0.0] * 8)
    assert Suggester(scope, [value], weights=nothing).concepts(value) == []


def test_a_thousand_values_take_seconds() -> None:
    scope = wordnet(root="person")
    values = [
        Link(f"senior {x} helper", 1, None, "unknown", "unmatched") for x in list(scope.taxonomy.labels)[:20000:20]
    ]
    began = time.process_time()
    assert len(with_suggestions(values, scope)) == len({x.value for x in values})
    assert time.process_time() - began < 20


def test_individuals_are_suggested_in_columns_of_individuals_only() -> None:
    assert not any(
        wordnet().taxonomy.instances[wordnet().taxonomy.find(x)] for x in suggested("smith", "nurse", "cook")
    )
    assert "paris.n.01" in suggested("city of paris", "London", "Madrid", "Rome", "Berlin")
