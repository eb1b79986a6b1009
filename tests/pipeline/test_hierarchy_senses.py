"""The senses of values of hierarchies, their scores against procedures 1 and 2 as printed, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import reference_hierarchies as reference
from allonym.cli import app
from allonym.errors import LinksError, OptionError
from allonym.measures.hierarchies import hierarchy_loss, level_losses, level_weights, redundant_levels
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.scope import Scope
from allonym.pipeline import hierarchies
from allonym.pipeline.hierarchies import HierarchyScore, compare, score

DEVICES = (
    ("mouse", "device", "artifact"), ("monitor", "device", "artifact"), ("keyboard", "device", "artifact"),
    ("chair", "furniture", "artifact"),
)  # fmt: skip
ANIMALS = (("mouse", "rodent", "animal"), ("monitor", "reptile", "animal"), ("bat", "bird", "animal"))
FROGS = (
    ("frog", "amphibian", "*"), ("toad", "amphibian", "*"), ("amphibious aircraft", "amphibian", "*"),
    ("hovercraft", "amphibian", "*"),
)  # fmt: skip


def tree(rows: Sequence[Sequence[str]], name: str = "x") -> Hierarchy:
    return Hierarchy(name, tuple(tuple(row) for row in rows))


def concepts(scored: HierarchyScore) -> dict[tuple[str, str], str]:
    """Return the concept of every leaf, and of its values by leaf."""
    rows = zip(scored.hierarchy.rows, scored.ids, strict=True)
    return {(row[0], value): concept for row, ids in rows for value, concept in zip(row, ids, strict=True)}


# --- against the procedures as printed -------------------------------------------------------------------


@st.composite
def scored_hierarchies(draw: st.DrawFn) -> tuple[Dag, dict[str, list[int]], list[list[str]], dict[str, int]]:
    """Draw an ontology, words with several senses, a hierarchy of them, and the senses that a person gives."""
    parents = draw(dags(12, min_size=4))
    words = [f"word{'abcdefgh'[i]}" for i in range(draw(st.integers(3, 7)))]
    senses = {word: sorted(draw(st.sets(st.sampled_from(sorted(parents)), min_size=1, max_size=4)))
              for word in words}  # fmt: skip
    leaves = draw(st.lists(st.sampled_from(words), min_size=1, max_size=3, unique=True))
    above = [word for word in words if word not in leaves]
    assume(above)
    height = draw(st.integers(1, 3))
    rows = [
        [leaf, *draw(st.lists(st.sampled_from([leaf, *above]), min_size=height, max_size=height))] for leaf in leaves
    ]
    person = {word: draw(st.sampled_from(senses[word])) for word in words}
    return parents, senses, rows, person


@settings(max_examples=60, deadline=None)
@given(drawn=scored_hierarchies(), by_level=st.booleans())
def test_scores_equal_the_printed_procedures(
    drawn: tuple[Dag, dict[str, list[int]], list[list[str]], dict[str, int]], by_level: bool
) -> None:
    parents, senses, rows, person = drawn
    inherited = {row[0]: reference.hypernyms(parents, person[row[0]]) for row in rows}
    undecided = {  # the procedure asks a person about these, for some leaf
        value
        for row in rows
        for value in row[1:]
        if value != row[0] and not set(senses[value]) & set(inherited[row[0]])
    }
    everywhere = {v for v in undecided if all(v not in row[1:] or not set(senses[v]) & set(inherited[row[0]])
                                               for row in rows)}  # fmt: skip
    assume(undecided == everywhere)  # else the person would have to be asked per leaf
    entries = {c: frozenset(word for word, own in senses.items() if c in own) for c in parents}
    t = taxonomy(parents, entries)
    links = {word: t.ids[person[word]] for word in {row[0] for row in rows} | undecided}
    weight = reference.level_weight if by_level else reference.constant_weight
    value, levels, transitions = reference.vgh_gsl(rows, parents, senses, person, weight)
    scored = score(tree(rows), Scope(t, t.root), links, weights="level" if by_level else "constant")
    assert scored.losses == pytest.approx(np.array(transitions))
    assert [x["gsl"] for x in scored.levels] == pytest.approx(levels)
    assert scored.value == pytest.approx(value)


# --- senses ----------------------------------------------------------------------------------------------


def test_a_hypernym_counts_even_if_another_sense_is_nearer() -> None:
    parents = {0: [], 1: [0], 2: [1], 3: [2], 4: [3], 5: [2]}
    words = {
        1: frozenset({"word"}),
        3: frozenset({"word"}),
        4: frozenset({"y"}),
        5: frozenset({"x"}),
        0: frozenset({"top"}),
    }
    t = taxonomy(parents, words)
    scored = score(tree((("x", "word", "top"), ("y", "word", "top"))), Scope(t, t.root), {"x": "c5", "y": "c4"})
    assert [ids[1] for ids in scored.ids] == ["c1", "c3"]  # c3 is nearer to x, and no hypernym of it


def test_the_sense_under_most_ancestors_wins_and_then_that_under_the_lowest() -> None:
    parents = {0: [], 1: [0], 2: [0], 3: [2], 4: [1], 5: [3], 6: [0]}
    words = {1: frozenset({"one"}), 2: frozenset({"two"}), 3: frozenset({"three"}), 4: frozenset({"leaf"}),
             5: frozenset({"leaf"}), 0: frozenset({"top"}), 6: frozenset({"leaf"})}  # fmt: skip
    t = taxonomy(parents, words)

    def chosen(*above: str) -> str:
        return score(tree([("leaf", *above, "top")]), Scope(t, t.root), {}).ids[0][0]

    assert chosen("one", "three", "two") == "c5"  # under three and two
    assert chosen("one", "three") == "c4"  # under one each: that under the lower counts
    assert chosen("three", "one") == "c5"


def test_a_leaf_above_other_leaves_has_a_sense_above_theirs() -> None:
    scored = score(tree((("siamese cat", "cat"), ("cat", "cat"))), links={"siamese cat": "siamese_cat.n.01"})
    assert concepts(scored)["cat", "cat"] == "cat.n.01"
    tools = score(tree((("mechanical mouse", "mouse"), ("mouse", "mouse"))), links={"mechanical mouse": "mouse.n.04"})
    assert concepts(tools)["mouse", "mouse"] == "mouse.n.04"
    assert tools.losses.tolist() == [[0], [0]]


def test_leaves_have_senses_under_their_own_ancestors() -> None:
    devices = concepts(score(tree(DEVICES)))
    assert devices["mouse", "mouse"] == "mouse.n.04"
    assert devices["monitor", "monitor"] in ("monitor.n.04", "monitor.n.05")
    assert devices["keyboard", "keyboard"] == "keyboard.n.01"
    animals = concepts(score(tree(ANIMALS)))
    assert (animals["mouse", "mouse"], animals["monitor", "monitor"]) == ("mouse.n.01", "monitor.n.07")
    assert score(tree(DEVICES)).review == []
    assert score(tree(ANIMALS)).review == ["bird"]  # no hypernym of bats, but the only sense under animal
    assert animals["bat", "bird"] == "bird.n.01"


def test_ancestors_have_a_sense_for_each_leaf() -> None:
    scored = score(tree(FROGS))
    of = concepts(scored)
    assert of["frog", "amphibian"] == of["toad", "amphibian"] == "amphibian.n.03"
    assert of["amphibious aircraft", "amphibian"] == "amphibian.n.02"
    assert of["hovercraft", "amphibian"] == "amphibian.n.02"  # no hypernym of it, but nearer than the animal
    assert [(x.concept, x.leaves) for x in scored.senses if x.value == "amphibian"] == [
        ("amphibian.n.03", 2), ("amphibian.n.02", 2),
    ]  # fmt: skip
    assert scored.review == ["amphibian"]
    assert [x.text for x in scored.findings if x.code == "no-kind"] == ["hovercraft is no kind of amphibian (level 1)."]


def test_adjectives_and_verbs_have_the_noun_they_lead_to() -> None:
    rows = (("parrot", "warm-blooded", "*"), ("snake", "cold-blooded", "*"))
    with pytest.raises(LinksError) as error:
        score(tree(rows))
    assert error.value.values == ("cold-blooded (adjective: poikilotherm.n.01, inhumaneness.n.01, humaneness.n.01)",)
    of = concepts(score(tree(rows), accept_review=True))
    assert (of["parrot", "warm-blooded"], of["snake", "cold-blooded"]) == ("homeotherm.n.01", "poikilotherm.n.01")
    sports = (("swim", "sport", "*"), ("run", "sport", "*"))
    scored = score(tree(sports))
    assert concepts(scored)["swim", "swim"] == "swimming.n.01"
    assert "run" in scored.review
    assert scored.kinds is not None
    assert scored.kinds.all()
    with pytest.raises(LinksError) as error:
        score(tree((("eat", "activity"), ("cat", "activity"))))
    assert any(x.startswith("eat (verb: eating.n.01") for x in error.value.values)


def test_wholes_are_told_from_kinds() -> None:
    scored = score(tree((("Japan", "Asia", "*"), ("China", "Asia", "*"), ("France", "Asia", "*"))))
    assert concepts(scored)["Japan", "Asia"] == "asia.n.01"
    assert scored.review == ["Asia"]
    assert [x.text for x in scored.findings] == [
        "France is no kind of Asia (level 1).",
        "China, Japan are parts of Asia, not kinds of it (level 1).",
        "Level 2 groups the leaves as level 1 does: it adds a name, and no generalisation.",
    ]


def test_the_star_is_everything_whatever_the_root() -> None:
    rows = (("nurse", "*"), ("teacher", "*"))
    assert score(tree(rows)).concepts["*"] == "entity.n.01"
    assert score(tree(rows), "wordnet:person").concepts["*"] == "person.n.01"
    assert score(tree(rows), links={"*": "worker"}).concepts["*"] == "worker.n.01"


# --- links files -----------------------------------------------------------------------------------------


def run(*command: str) -> tuple[str, Exception | None]:
    done = CliRunner().invoke(app, ["hierarchy", *command])
    return done.output, done.exception  # type: ignore[return-value]


def test_a_written_links_file_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("\n".join(";".join(row) for row in (*FROGS, ("parrot", "cold-blooded", "*"))))
    _, error = run("score", "x.csv", "--write", "links.csv")
    assert isinstance(error, LinksError)
    assert "settle them in links.csv" in error.problems[0].hint
    _, error = run("score", "x.csv", "--links", "links.csv")
    assert isinstance(error, LinksError)  # nobody has reviewed it
    text = Path("links.csv").read_text()
    row = next(line for line in text.splitlines() if line.startswith('"cold-blooded"'))
    Path("links.csv").write_text(text.replace(row, row.replace('"review"', '"sure"', 1)))
    output, error = run("score", "x.csv", "--links", "links.csv", "--write", "again.csv")
    assert error is None
    assert "poikilotherm.n.01  settled" in output
    assert "Written: again.csv" in output
    losses = score("x.csv", links="links.csv").losses
    assert losses.tolist() == score("x.csv", accept_review=True).losses.tolist()
    assert score("x.csv", links="again.csv").losses.tolist() == losses.tolist()
    assert score("x.csv", links="again.csv").review == ["amphibian"]  # still a sense for each leaf
    Path("links.csv").write_text(text.replace("poikilotherm.n.01", "poikilotherm.n.99"))
    assert isinstance(run("score", "x.csv", "--links", "links.csv")[1], LinksError)


def test_a_proposal_that_nobody_reviewed_is_kept_and_stays_uncertain(tmp_path: Path) -> None:
    rows = (("printer", "device"), ("mouse", "device"))
    assert score(tree(rows)).concepts["printer"] == "printer.n.03"
    path = tmp_path / "links.csv"
    path.write_text("value,concept,proposed,status\nprinter,printer.n.02,printer.n.02,review\n")
    scored = score(tree(rows), links=path)
    assert (scored.concepts["printer"], scored.review) == ("printer.n.02", ["printer"])


def test_the_links_file_does_not_replace_the_hierarchy(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("cat;animal\ndog;animal\n")
    output, error = run("score", str(tmp_path / "x.csv"), "--write", str(tmp_path / "x.csv"))
    assert error is not None, output
    assert (tmp_path / "x.csv").read_text() == "cat;animal\ndog;animal\n"


# --- what is wrong ---------------------------------------------------------------------------------------


def test_findings_name_values_levels_and_leaves() -> None:
    rows = (
        ("cat", "homeotherm", "vertebrate", "animal"), ("dog", "homeotherm", "vertebrate", "animal"),
        ("salmon", "fish", "fish", "animal"), ("trout", "trout", "trout", "animal"),
    )  # fmt: skip
    scored = score(tree(rows))
    texts = [x.text for x in scored.findings]
    assert texts == [
        "cat, dog are no kinds of homeotherm (level 1).",
        "homeotherm (level 1) is farther from cat (0.3333) than vertebrate above it is (0.2000).",
        "vertebrate (level 2) is farther from dog (0.2000) than animal above it is (0.1111).",
        "Level 2 groups the leaves as level 1 does: it adds a name, and no generalisation.",
        "Unequal heights: trout is not generalised up to level 2.",
    ]
    assert scored.to_dict()["findings"][0]["code"] == "no-kind"
    assert scored.redundant == [2]
    fruit = ("apple", "pear", "plum", "cherry", "lemon")
    many = [*((leaf, "fruit", "food") for leaf in fruit), ("beef", "meat", "food")]
    assert "Level 1 is uneven: fruit has 5 leaves, meat has 1." in [x.text for x in score(tree(many)).findings]
    sound = (("cat", "mammal", "animal"), ("lion", "mammal", "animal"), ("owl", "bird", "animal"))
    assert score(tree(sound)).findings == []


def test_losses_are_ordered_by_how_unusual_they_are_for_their_level() -> None:
    rows = [(x, "bird", "animal") for x in ("parrot", "owl", "eagle", "stork")] + [("rock", "bird", "animal")]
    scored = score(tree(rows), links={"rock": "rock.n.01"})
    assert [t.leaf for t in scored.transitions[:2]] == ["rock", "rock"]
    assert scored.transitions[0].deviation > 1
    assert scored.transitions[-1].deviation < 0


# --- aggregates and weights ------------------------------------------------------------------------------


def test_quantiles_and_given_weights() -> None:
    losses = np.array([[0.1, 0.4], [0.2, 0.6], [0.9, 0.8]])
    assert level_losses(losses, "median").tolist() == [0.2, 0.6]
    assert level_losses(losses, "quantile:1").tolist() == level_losses(losses).tolist()
    assert level_losses(losses, "quantile:0.25").tolist() == pytest.approx([0.15, 0.5])
    assert level_weights(3, (5, 3, 2)).tolist() == pytest.approx([0.5, 0.3, 0.2])
    assert hierarchy_loss(losses, "median", (1, 0)) == 0.2
    for aggregate in ("quantile:2", "quantile:x", "sum"):
        with pytest.raises(OptionError):
            score(tree(DEVICES), aggregate=aggregate)
    for weights in ((1, -1), (0, 0), (1, 2, 3), (float("nan"), 1), "heavy"):
        with pytest.raises(OptionError):
            score(tree(DEVICES), weights=weights)


def test_the_options_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("\n".join(";".join(row) for row in DEVICES))
    output, error = run("score", str(path), "--level-weights", "3,1", "--aggregate", "quantile:0.9")
    assert error is None
    expected = score(path, weights=(3, 1), aggregate="quantile:0.9").value
    assert f"VghGSL {expected:.4f} (quantile:0.9 of each level, given weights)" in output
    assert "mouse.n.04" in output
    assert isinstance(run("score", str(path), "--level-weights", "1,2,3")[1], OptionError)


# --- comparing -------------------------------------------------------------------------------------------

FINE = (("cat", "mammal", "animal"), ("dog", "mammal", "animal"), ("owl", "bird", "animal"))


def test_hierarchies_of_other_leaves_are_not_compared() -> None:
    with pytest.raises(OptionError, match="1 are missing, 1 are new") as error:
        compare([tree(FINE), tree([*FINE[:2], ("crow", "bird", "animal")], "other")])
    assert error.value.values == ("owl", "crow")
    assert error.value.problems[0].code == "different-leaves"
    reordered = compare([tree(FINE), tree(FINE[::-1])])
    assert reordered.scores[0].losses.tolist() == reordered.scores[1].losses.tolist()


@pytest.mark.parametrize("level", [0, 1])
def test_a_repeated_level_is_not_rewarded(level: int) -> None:
    repeated = [(*row[: level + 1], row[level], *row[level + 1 :]) for row in FINE]
    one, two = compare([tree(FINE, "one"), tree(repeated, "two")]).scores
    assert two.value < one.value  # as printed, repeating a low level lowers the score
    assert two.comparable_value == one.comparable_value == one.value
    renamed = [(cat, f"{level} group" if level == "mammal" else level, *rest) for cat, level, *rest in FINE]
    assert redundant_levels(tree([(r[0], f[1], *r[1:]) for r, f in zip(renamed, FINE, strict=True)]).groups) == [2]
    weighted = compare([tree(repeated)], weights=(5, 3, 1)).scores[0]
    kept = [5, 3, 1]
    del kept[level]
    assert weighted.comparable_value == hierarchy_loss(one.losses, weights=kept)


def test_leaves_have_the_same_sense_in_all_compared_hierarchies() -> None:
    one = tree([("mouse", "device"), ("keyboard", "device")], "one")
    two = tree([("mouse", "thing"), ("keyboard", "thing")], "two")
    links = {"thing": "entity.n.01"}
    assert {x.concepts["mouse"] for x in compare([two, one], links=links).scores} == {"mouse.n.04"}


def test_comparisons_are_printed(tmp_path: Path) -> None:
    for name, rows in {"a": FINE, "b": [(row[0], row[0], *row[1:]) for row in FINE]}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(";".join(row) for row in rows))
    output, error = run("compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert error is None
    assert output.count("0.2291 *") == 2
    assert hierarchies.compare([tmp_path / "a.csv", tmp_path / "b.csv"]).best == pytest.approx(0.2291, abs=5e-5)


def test_rows_of_different_lengths_are_no_hierarchy() -> None:
    for rows in ((("cat", "animal"), ("dog",)), (("cat",),), ()):
        with pytest.raises(OptionError, match="same number of values"):
            Hierarchy("x", rows)
