"""Hierarchies: what their words mean, what they lose, and those that are built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import allonym as al
from allonym.cli import app
from allonym.errors import DuplicateIdError, LinksError, OptionError, UnknownFormatError
from allonym.ontology.hierarchy import Hierarchy
from allonym.ontology.hierarchy_senses import meanings
from allonym.pipeline import hierarchies

TREE = {"animal": {"bird": ["parrot"], "mammal": {"cat": None, "dog": []}, "mouse": []}}
ROWS = (
    ("parrot", "bird", "animal"), ("cat", "mammal", "animal"), ("dog", "mammal", "animal"),
    ("mouse", "mouse", "animal"),
)  # fmt: skip


def test_tables_and_trees_are_read_alike(tmp_path: Path) -> None:
    Path(tmp_path / "a.csv").write_text("\n".join(";".join(row) for row in ROWS))
    Path(tmp_path / "a.json").write_text(json.dumps(TREE))
    nodes = {"name": "animal", "children": [
        {"name": "bird", "children": [{"name": "parrot"}]}, {"label": "mammal", "children": ["cat", "dog"]},
        {"name": "mouse", "children": []},
    ]}  # fmt: skip
    Path(tmp_path / "b.json").write_text(json.dumps(nodes))
    for name in ("a.csv", "a.json", "b.json"):
        found = Hierarchy.read(tmp_path / name)
        assert (found.rows, found.height) == (ROWS, 2), name
        links = {c: al.read_taxonomy(tmp_path / name).ids[int(p)] for c, p in _parents(tmp_path / name)}
        assert links == {"parrot": "bird", "bird": "animal", "cat": "mammal", "dog": "mammal", "mammal": "animal",
                         "mouse": "animal"}  # fmt: skip
    assert Hierarchy("a", ROWS).to_csv().splitlines()[3] == "mouse;mouse;animal"
    assert Hierarchy("a", ROWS).values(1) == ["bird", "mammal", "mouse"]


def _parents(path: Path) -> list[tuple[str, int]]:
    t = al.read_taxonomy(path)
    return [(t.ids[c], int(t.parents_of(c)[0])) for c in range(len(t)) if len(t.parents_of(c))]


@pytest.mark.parametrize(
    ("text", "error", "part"),
    [
        ('{"a": ["b"], "c": ["d"]}', UnknownFormatError, "no single top value"),
        ('{"a": ["b", ["c", true', UnknownFormatError, "not valid JSON"),
        ('{"a": {"b": ["x"], "c": ["x"]}}', DuplicateIdError, "lies under"),
    ],
)
def test_trees_that_are_none(tmp_path: Path, text: str, error: type[Exception], part: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(error, match=part):
        Hierarchy.read(tmp_path / "a.json")
    (tmp_path / "a.csv").write_text("id,parent\na,b\n")
    with pytest.raises(UnknownFormatError, match="not a hierarchy"):
        Hierarchy.read(tmp_path / "a.csv")


def test_words_above_leaves_take_the_sense_of_their_leaves() -> None:
    wn = al.wordnet()
    ids = wn.taxonomy.ids
    found = meanings(Hierarchy("x", (("frog", "amphibian"), ("toad", "amphibian"))), wn)
    assert {ids[c] for c in found.paths[:, 1]} == {"amphibian.n.03"}  # the first is an aircraft or a vehicle
    strange = Hierarchy("x", (("Tech-support", "Technical", "*"), ("spouse", "spouse present", "company")))
    words = [x.value for x in meanings(strange, wn).unsure]
    assert words == ["Tech-support", "Technical", "spouse present", "company"]  # company: several, none above
    settled = {"Tech-support": "technician", "Technical": "expert.n.01", "spouse present": "spouse",
               "company": "company.n.01"}  # fmt: skip
    found = meanings(strange, wn, settled)
    assert found.unsure == []
    assert ids[found.paths[0, 2]] == "entity.n.01"  # `*` is everything
    with pytest.raises(LinksError, match="4 values without a sure concept") as error:
        hierarchies.score(strange)
    assert "Technical (adjective" not in str(error.value)
    assert "company" not in str(error.value)


def test_one_concept_for_a_value_wherever_it_stands() -> None:
    found = hierarchies.score(Hierarchy("x", (("cat", "animal", "animal"), ("animal", "animal", "animal"))))
    assert found.losses[1].tolist() == [0, 0]
    assert [t.leaf for t in found.transitions] == ["cat", "cat"]


# --- building ------------------------------------------------------------------------------------------


def test_a_built_hierarchy_is_written_as_arx_reads_it() -> None:
    values = {"cats": 3, "cat": 1, "dog": 2, "parrot": 1, "salmon": 1, "trout": 4}
    found = hierarchies.build(values, "wordnet", levels=3)
    rows = {row[0]: row[1:] for row in found.hierarchy.rows}
    assert set(rows) == set(values)
    assert rows["cat"] == rows["cats"]  # one concept
    assert rows["salmon"][1] == rows["trout"][1]
    assert len({row[-1] for row in rows.values()}) == 1
    sizes = [len(set(column)) for column in zip(*found.hierarchy.rows, strict=True)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)
    again = hierarchies.score(found.hierarchy, depth="virtual-root")
    assert again.value == pytest.approx(found.value)
    best = hierarchies.build(values, "wordnet", limits=[4, 3, 1])
    assert [x["values"] for x in best.levels] == [4, 3, 1]
    assert not best.notes


def test_a_kind_of_a_concept_is_a_leaf_of_its_own(tmp_path: Path) -> None:
    """It has a row of its own, and loses more at every level than the concept does."""
    links = tmp_path / "links.csv"
    rows = [("house cat", "narrower"), ("old cat", "narrower"), ("kitty", "same")]
    links.write_text("".join(["value,concept,relation\n", *(f"{value},cat.n.01,{x}\n" for value, x in rows)]))
    values = {"house cat": 3, "old cat": 1, "kitty": 2, "dog": 2, "parrot": 1, "salmon": 1, "trout": 4}
    found = hierarchies.build(values, "wordnet", links, levels=3)
    losses = {row[0]: loss for row, loss in zip(found.hierarchy.rows, found.losses.tolist(), strict=True)}
    assert losses["house cat"] == losses["old cat"]
    assert all(kind > same for kind, same in zip(losses["house cat"], losses["kitty"], strict=True))
    again = hierarchies.score(found.hierarchy, links=links, depth="virtual-root")
    assert again.losses == pytest.approx(found.losses)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"limits": [3, 3, 1]}, "must decrease"), ({"limits": [3, 2]}, "must decrease"), ({"levels": 0}, "at least 1"),
    ],
)  # fmt: skip
def test_hierarchies_that_cannot_be(options: dict[str, object], part: str) -> None:
    with pytest.raises(OptionError, match=part):
        hierarchies.build({"cat": 1, "dog": 1, "parrot": 1}, **options)
    with pytest.raises(LinksError, match="1 value without a sure concept"):
        hierarchies.build({"cat": 1, "qwxyz": 1})
    with pytest.raises(OptionError, match="nothing to generalise"):
        hierarchies.build({"cat": 1, "cats": 1})


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("\n".join(";".join(row) for row in ROWS))
    Path("a.json").write_text(json.dumps(TREE))
    Path("b.csv").write_text("cat;homeotherm\nparrot;homeotherm\n")
    Path("pets.csv").write_text("pet\n" + "\n".join(row[0] for row in ROWS) + "\n?\n")

    def run(*command: str) -> str:
        done = CliRunner().invoke(app, ["hierarchy", *command])
        assert done.exit_code == 0, done.output
        return done.output

    assert "VghGSL" in run("score", "a.csv")
    told = json.loads(run("score", "a.csv", "--json", "--aggregate", "mean", "--level-weights", "level"))
    assert {"vgh_gsl", "levels", "reversed_levels", "transitions", "concepts", "to_review"} <= set(told)
    assert list(told["transitions"][0]) == ["leaf", "ancestor", "level", "loss", "deviation", "concept"]
    assert {"level", "gsl", "std"} <= set(told["levels"][0])
    expected = hierarchies.score("a.csv", aggregate="mean", weights="level").value
    assert told["vgh_gsl"] == expected
    assert "smallest loss" in run("compare", "a.csv", "a.json")
    assert "Uncertain concepts" in run("score", "b.csv")
    assert isinstance(CliRunner().invoke(app, ["hierarchy", "compare", "a.csv"]).exception, OptionError)
    assert len(json.loads(run("compare", "a.csv", "a.json", "--json"))["hierarchies"]) == 2
    assert "Written: built.csv" in run("build", "pets.csv", "--column", "pet", "--levels", "2", "-o", "built.csv")
    assert Hierarchy.read("built.csv").height == 2
    assert run("build", "pets.csv", "--column", "pet", "--values", "2,1", "-o", "built.csv")
    assert run("build", "pets.csv", "--column", "pet", "--values", "2,1", "-o", "-") == Path("built.csv").read_text()
    assert len(set(Hierarchy.read("built.csv").values(1))) <= 2
    wrong = CliRunner().invoke(app, ["hierarchy", "build", "pets.csv", "--column", "pet", "--values", "a", "-o", "x"])
    assert isinstance(wrong.exception, OptionError)
    Path("odd.csv").write_text("cat;Technical;*\ndog;Technical;*\n")
    odd = CliRunner().invoke(app, ["hierarchy", "score", "odd.csv"])
    assert isinstance(odd.exception, LinksError)
    assert "Technical" in str(odd.exception.problems[0].values)
    assert not Path("x").exists()


def test_a_level_with_one_child_farther_than_its_parent_is_named() -> None:
    rows = (("cat", "homeotherm", "vertebrate"), ("parrot", "bird", "entity"))
    assert hierarchies.score(Hierarchy("x", rows)).reversed == [1]


def test_meanings_nobody_settled_are_listed_to_look_at() -> None:
    found = hierarchies.score(Hierarchy("x", (("cat", "homeotherm"), ("parrot", "homeotherm"))))
    assert found.review == ["homeotherm"]  # its only sense, but no hypernym of either
    assert found.to_dict()["concepts"]["homeotherm"] == "homeotherm.n.01"


def test_files_that_look_like_others_are_hierarchies(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("parent;relative\nsibling;relative\nspouse;relative\n")
    assert Hierarchy.read(tmp_path / "a.csv").leaves == ["parent", "sibling", "spouse"]
    (tmp_path / "b.json").write_text(
        json.dumps({"name": "animal", "children": [{"name": "parrot", "value": 3}, "cat"]})
    )
    assert Hierarchy.read(tmp_path / "b.json").leaves == ["parrot", "cat"]
    for wrong in ('{"animal": {"bird": ["parrot"], "bird": ["duck"]}}', '{"": ["a"]}', "[" * 3000 + "]" * 3000):
        (tmp_path / "c.json").write_text(wrong)
        with pytest.raises(UnknownFormatError):
            Hierarchy.read(tmp_path / "c.json")
