"""Several ontologies as one: their structure, their words, and the links of a column to them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from allonym.errors import LinksError, OptionError
from allonym.kinds.concept_metric import ConceptMetric
from allonym.ontology.joining.taxonomy import JoinedTaxonomy, branches_of, joined
from allonym.ontology.joining.virtual_roots import virtual_roots
from allonym.ontology.lexicon import Entry, Lexicon
from allonym.ontology.linking.several import link, with_suggestions
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.ontology.wordnet import wordnet


def ontology(name: str, ids: str, links: str, words: str, language: str = "") -> Scope:
    """Return an ontology from its ids, its links as child<parent, and its words as word=id."""
    concepts = ids.split()
    code = {x: i for i, x in enumerate(concepts)}
    child, parent = zip(*(x.split("<") for x in links.split()), strict=True)
    entries = [
        Entry(word, code[id], language=language, preferred=True)
        for word, id in (x.split("=") for x in words.split(", "))
    ]
    taxonomy = Taxonomy.build(
        name,
        concepts,
        child=[code[x] for x in child],
        parent=[code[x] for x in parent],
        labels=[next((x.form for x in entries if x.concept == i), id) for i, id in enumerate(concepts)],
        lexicon=Lexicon.build(entries),
    )
    return Scope.of(taxonomy)


JOBS = ontology("jobs", "J N1 N2 D", "N1<J N2<J D<J", "work=J, nurse=N1, head nurse=N2, diver=D")
SPORTS = ontology("sports", "S D R", "D<S R<S", "sport=S, diver=D, rower=R")
FLAT = ontology("flat", "A B C", "C<B", "apple=A, fruit=B, pear=C")  # A and B are roots


@pytest.fixture(scope="module")
def both() -> Scope:
    return joined([JOBS, SPORTS])


def test_each_ontology_is_a_branch(both: Scope) -> None:
    taxonomy = both.taxonomy
    assert isinstance(taxonomy, JoinedTaxonomy)
    assert list(taxonomy.ids) == ["jobs:J", "jobs:N1", "jobs:N2", "jobs:D", "sports:S", "sports:D", "sports:R", "*"]
    assert taxonomy.depth.tolist() == [1, 2, 2, 2, 1, 2, 2, 0]
    assert [taxonomy.ids[c] for c in taxonomy.lcs(taxonomy.code("nurse"), taxonomy.code("rower"))] == ["*"]
    assert [taxonomy.ids[c] for c in taxonomy.lcs(1, 2)] == ["jobs:J"]
    assert both.name == "jobs, then sports"
    assert branches_of(both) == (JOBS, SPORTS)
    assert branches_of(JOBS) == (JOBS,)
    assert joined([JOBS]) is JOBS


def test_a_word_of_several_ontologies_means_the_concept_of_the_first(both: Scope) -> None:
    taxonomy = both.taxonomy
    assert [taxonomy.ids[c] for c in taxonomy.senses("diver")] == ["jobs:D", "sports:D"]
    other = joined([SPORTS, JOBS]).taxonomy
    assert [other.ids[c] for c in other.senses("diver")] == ["sports:D", "jobs:D"]


def test_ids_with_and_without_the_name_of_their_ontology(both: Scope) -> None:
    taxonomy = both.taxonomy
    for text, id in (("sports:D", "sports:D"), ("D", "jobs:D"), ("R", "sports:R"), ("jobs:nurse", None), ("x", None)):
        concept = taxonomy.find(text)
        assert (None if concept is None else taxonomy.ids[concept]) == id
    people = joined([JOBS, wordnet("person")]).taxonomy
    for text in ("wordnet:doctor.n.01", "doctor.n.01", "wordnet:doc.n.01"):  # every word of a concept names it
        assert people.ids[people.code(text)] == "wordnet:doctor.n.01"
    assert people.find("wordnet:dog.n.01") is None, "it is not a person"
    assert people.definition(people.code("doctor.n.01")).startswith("a licensed medical practitioner")
    assert people.definition(people.root) == ""


def test_an_ontology_can_be_joined_twice() -> None:
    taxonomy = joined([Scope.of(JOBS.taxonomy, "N1"), JOBS]).taxonomy
    assert list(taxonomy.ids) == ["jobs:N1", "jobs-2:J", "jobs-2:N1", "jobs-2:N2", "jobs-2:D", "*"]


def test_values_of_different_ontologies_are_farthest(both: Scope) -> None:
    code = both.taxonomy.code
    metric = ConceptMetric([code(x) for x in ("nurse", "head nurse", "rower", "sport")], both)
    table = metric.distances(np.arange(4)[:, None], np.arange(4))
    assert table[0, 1] < table[0, 2]
    assert table[2, 3] < table[0, 3]


def test_a_virtual_root_represents_nothing_unless_all_is_generalised() -> None:
    scope = joined([JOBS, FLAT])
    taxonomy = scope.taxonomy
    assert [taxonomy.ids[c] for c in virtual_roots(taxonomy)] == ["*", "flat:*"]
    assert not len(virtual_roots(JOBS.taxonomy))
    metric = ConceptMetric([taxonomy.code(x) for x in ("work", "fruit", "apple")], scope)
    everything = np.arange(3), np.ones(3)
    assert taxonomy.labels[metric.centroid(*everything)] != "*"
    assert taxonomy.labels[metric.subsumer(*everything)] == "*"


def test_pickled_ontologies_stay_joined(both: Scope) -> None:
    again = pickle.loads(pickle.dumps(both)).taxonomy
    assert list(again.ids) == list(both.taxonomy.ids)
    assert again.find("R") == both.taxonomy.find("R")
    assert again.source.sha256 == both.taxonomy.source.sha256 != joined([SPORTS, JOBS]).taxonomy.source.sha256


def linked(texts: list[str], scope: Scope, **options: object) -> dict[str, tuple[str | None, str]]:
    links = link(texts, scope, **options)  # type: ignore[arg-type]
    ids = scope.taxonomy.ids
    return {x.value: (None if x.concept is None else ids[x.concept], x.status) for x in links}


def test_the_first_that_is_sure_decides(both: Scope) -> None:
    assert linked(["diver", "rower", "nurse", "zebra"], both) == {
        "diver": ("jobs:D", "sure"),
        "rower": ("sports:R", "sure"),
        "nurse": ("jobs:N1", "sure"),
        "zebra": (None, "unmatched"),
    }
    assert linked(["diver"], joined([SPORTS, JOBS])) == {"diver": ("sports:D", "sure")}


def test_a_sure_link_of_a_later_ontology_comes_before_one_to_review() -> None:
    masters = ontology("masters", "M N", "N<M", "master=M, nurse=N")
    sure = ontology("sure", "T S", "S<T", "thing=T, rower nurse=S")
    assert linked(["rower nurse"], masters)["rower nurse"][1] == "review"
    assert linked(["rower nurse"], joined([masters, sure]))["rower nurse"] == ("sure:S", "sure")
    assert linked(["rower nurse"], joined([masters, JOBS]))["rower nurse"][0] == "masters:N", "both are to review"


def test_settled_links_name_an_ontology_or_none(both: Scope) -> None:
    settled = {"diver": "sports:D", "nurse": "", "boatman": "rower", "oarsman": "R"}
    assert linked(list(settled), both, settled=settled, narrower={"boatman"}) == {
        "diver": ("sports:D", "sure"),
        "nurse": (None, "unmatched"),
        "boatman": ("sports:R", "sure"),
        "oarsman": ("sports:R", "sure"),
    }
    (link_of_boatman,) = link(["boatman"], both, settled={"boatman": "rower"}, narrower={"boatman"})
    assert link_of_boatman.relation == "narrower"
    with pytest.raises(LinksError, match="1 settled concepts are not in jobs, then sports: 'sports:X'"):
        link(["diver"], both, settled={"diver": "sports:X"})


def test_ontologies_without_the_language_are_passed_over() -> None:
    spanish = ontology("spanish", "T E", "E<T", "trabajo=T, enfermera=E", language="es")
    english = ontology("english", "W N", "N<W", "work=W, nurse=N", language="en")
    both = joined([english, spanish])
    assert linked(["enfermera"], both, language="es") == {"enfermera": ("spanish:E", "sure")}
    with pytest.raises(OptionError, match="no words in 'fr'"):
        link(["x"], both, language="fr")


def test_suggestions_come_from_each_ontology_and_mean_its_concepts() -> None:
    scope = joined([JOBS, wordnet("person")])
    links = link({"nurse": 3, "specialist for hearts": 2, "dives down": 1}, scope)
    suggested = with_suggestions(links, scope)
    assert "cardiologist" in suggested["specialist for hearts"].suggestions
    assert "wordnet:diver.n.01" in suggested["dives down"].suggestions, "the word diver alone means jobs:D"
