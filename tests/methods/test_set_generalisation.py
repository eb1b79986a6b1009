"""The items of sets are generalised as the slow versions do, and what is promised holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import slow_set_generalise as slow
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym import Generalise
from allonym.errors import PlanError, ReleaseError
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.set_metric import SetMetric
from allonym.methods.set_generalisation.forest import Forest
from allonym.methods.set_generalisation.group_check import GroupCheck
from allonym.methods.set_generalisation.items import ItemOccurrences
from allonym.methods.set_generalisation.km import generalised_items
from allonym.methods.set_generalisation.local import TopDown
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.privacy.km_anonymity import km_anonymity
from allonym.records import Attribute, Records
from allonym.release.combinations import rarest_combination

Sets = list[frozenset[object]]
many = settings(max_examples=150)


def records_of(sets: Sets, ontology: Taxonomy, units: list[int] | None = None) -> Records:
    """Return rows of sets of concepts and texts as records."""
    distinct = list(dict.fromkeys(sets))
    metric = SetMetric(distinct, ConceptMetric([], Scope.of(ontology), "ancestor-overlap"))
    codes = [distinct.index(x) for x in sets]
    attribute = Attribute("items", "set", metric)
    return Records.of([attribute], [codes], units=None if units is None else np.array(units))


def slow_tree(parents: Dag, items: list[object]) -> slow.SlowTree:
    """Return the groups of items under each concept of a tree that has several; texts are together."""
    groups = set()
    for concept in parents:
        groups.add(frozenset(x for x in items if isinstance(x, int) and concept in ancestors(parents, x)))
    groups.add(frozenset(x for x in items if isinstance(x, str)))
    return slow.SlowTree(items, [x for x in groups if len(x) > 1])


def ancestors(parents: Dag, concept: int) -> set[int]:
    return {concept}.union(*(ancestors(parents, x) for x in parents[concept]))


def nodes_of(items: ItemOccurrences, first: int = 0) -> dict[slow.Node, int]:
    """Return the number of each node by the items at or below it."""
    item_of = {leaf: item for item, leaf in items.tree.leaf.items()}
    members = [{item_of[x] for x in item_of if node in items.tree.path[x]} for node in range(len(items.tree))]
    return {frozenset(x) if node else slow.TOP: node + first for node, x in enumerate(members)}


@st.composite
def tables(draw: st.DrawFn, texts: bool = True) -> tuple[Dag, Sets, list[int] | None]:
    parents = draw(dags(9, tree=True))
    words: list[object] = [*parents, *(["?x", "?y"] if texts else [])]
    sets = draw(st.lists(st.frozensets(st.sampled_from(words), max_size=5), min_size=2, max_size=12))
    units = draw(st.none() | st.lists(st.integers(0, 7), min_size=len(sets), max_size=len(sets)))
    assume(any(sets))
    return parents, sets, units


@many
@given(tables(), st.integers(2, 4), st.integers(1, 3), st.booleans(), st.integers(0, 9))
def test_apriori_is_that_of_the_slow_version(
    table: tuple[Dag, Sets, list[int] | None], k: int, m: int, leave_out: bool, seed: int
) -> None:
    parents, sets, units = table
    records = records_of(sets, taxonomy(parents), units)
    items = ItemOccurrences.of(records, 0)
    numbers = nodes_of(items)
    ties = np.random.default_rng(seed).permutation(len(items.tree))
    tree = slow_tree(parents, list(items.tree.leaf))
    assert {slow.TOP, *tree.nodes} - set(numbers) <= {frozenset(tree.items)}
    if frozenset(tree.items) in tree.groups:
        assert frozenset(tree.items) in numbers
    unwritten = {x for x in tree.groups if any(isinstance(item, str) for item in x)}
    tree.nodes = [x for x in tree.nodes if x not in unwritten]  # texts have no concept above them
    rank = {node: int(ties[number]) for node, number in numbers.items()}
    rng = np.random.default_rng(seed)
    node_of = generalised_items(records, items, k, m, rng, leave_out=leave_out)
    becomes = {item: numbers_back(numbers)[int(node_of[leaf])] for item, leaf in items.tree.leaf.items()}
    holders = list(range(len(sets))) if units is None else units
    assert becomes == slow.apriori(sets, holders, tree, k, m, rank, leave_out)
    released = [slow.generalised(x, becomes) for x in sets]
    assert not slow.combinations_below_k(released, holders, k, m)
    least = min(slow.ncp_of(sets, x, tree) for x in slow.cuts(tree) if is_anonymous(sets, x, holders, k, m))
    assert slow.ncp_of(sets, becomes, tree) >= least - 1e-9


def numbers_back(numbers: dict[slow.Node, int]) -> dict[int, slow.Node]:
    return {number: node for node, number in numbers.items()}


def is_anonymous(sets: Sets, becomes: dict[object, slow.Node], holders: list[int], k: int, m: int) -> bool:
    return not slow.combinations_below_k([slow.generalised(x, becomes) for x in sets], holders, k, m)


NOTHING, ONE, TWO = frozenset[object](), frozenset[object]([0]), frozenset[object]([0, "?x"])


@many
@example(({0: []}, [*[NOTHING] * 4, ONE, NOTHING, ONE, TWO], [0, 0, 0, 0, 0, 1, 0, 1]), 2, 0)  # no division gains
@given(tables(), st.integers(2, 4), st.integers(0, 9))
def test_top_down_is_that_of_the_slow_version(table: tuple[Dag, Sets, list[int] | None], k: int, seed: int) -> None:
    parents, sets, units = table
    assume(len(sets if units is None else set(units)) >= k)
    records = records_of(sets, taxonomy(parents), units)
    items = ItemOccurrences.of(records, 0)
    forest = Forest(records, [0], [items])
    ties = np.random.default_rng(seed).permutation(len(forest))
    check = GroupCheck(records, k)
    groups = list(TopDown(forest, records.mass, records.counts, check, ties).groups(np.zeros(len(records), np.int64)))
    numbers = nodes_of(items)
    names = numbers_back(numbers)
    rank = {node: int(ties[number]) for node, number in numbers.items()}
    tuples = [records.attributes[0].values[c] for c in records.codes[:, 0].tolist()]
    rows = [[i for i, x in enumerate(sets) if x == own] for own in tuples]

    def may_be_group(some: list[int]) -> bool:
        held = [i for one in some for i in rows[one]]
        return len({i if units is None else units[i] for i in held}) >= k

    tree = slow_tree(parents, list(items.tree.leaf))
    expected = slow.top_down(tuples, records.counts.tolist(), tree, k, may_be_group, rank)
    found = [
        (frozenset(x.tuples.tolist()), frozenset(names[n] for n in x.nodes if n < len(items.tree)) - {slow.TOP})
        for x in groups
    ]
    assert set(found) == set(expected)
    assert sorted(i for members, _ in found for i in members) == list(range(len(records)))
    for members, nodes in found:
        assert may_be_group(list(members))
        for own in (tuples[i] for i in members):  # each node is true of the set
            assert all(node & own for node in nodes)


AB = Taxonomy.build("example", ["all", "A", "B", "a1", "a2", "b1", "b2"], child=range(1, 7), parent=[0, 0, 1, 1, 2, 2])
BASKETS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]


def example(method: Generalise) -> list[list[str]]:
    records = records_of([frozenset(AB.code(x) for x in basket) for basket in BASKETS], AB)
    masking = method.mask(records)
    values = [masking.attributes[0].values[c] for c in masking.codes[:, 0].tolist()]
    released = [values[place] for place in records.inverse.tolist()]
    return [sorted(AB.labels[x] for x in value) for value in released]


def test_the_example_of_terrovitis_and_others() -> None:
    """VLDB 2008, §3: k = m = 2; {a1, a2} becomes A."""
    published = Generalise(k=2, recoding="global", items=2, leave_out=False)
    assert example(published) == [["A", "b1", "b2"], ["A", "b1"], ["A", "b1", "b2"], ["A", "b2"]]
    cheaper = Generalise(k=2, recoding="global", items=2)  # without a1, two items are lost; A is half of five
    assert example(cheaper) == [["b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a2", "b2"]]


def test_local_generalisation_of_the_same_baskets() -> None:
    """Two records share b1 and b2, and both have an A; the other two have an A and a B."""
    released = example(Generalise(k=2))
    assert min(Counter(map(tuple, released)).values()) >= 2
    assert released == [["A", "b1", "b2"], ["A", "B"], ["A", "b1", "b2"], ["A", "B"]]


@many
@given(st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=8), st.integers(1, 3), st.data())
def test_both_counts_of_combinations_agree(sets: list[frozenset[str]], m: int, data: st.DataObject) -> None:
    persons = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=len(sets), max_size=len(sets)))
    places = np.arange(len(sets))
    least = rarest_combination(sets, places, m, None, None if persons is None else np.array(persons))
    assert (least or 0) == km_anonymity(sets, [1] * len(sets), 2, m, persons)[0]


def test_items_that_come_back_are_counted_again() -> None:
    """Beef is left out because of {beef, X}. When pork becomes meat, so does beef, and {meat, X} is rare again."""
    names = ["all", "meat", "beef", "pork", "X", "Y", "Z"]
    ontology = Taxonomy.build("food", names, child=range(1, 7), parent=[0, 1, 1, 0, 0, 0])
    baskets = ["beef", "beef X", "beef Y Z", "pork Y Z", "pork Y", "pork Z", "Y Z", *["X"] * 5]
    sets = [frozenset(ontology.code(x) for x in basket.split()) for basket in baskets]
    records = records_of(sets, ontology)
    masking = Generalise(k=2, recoding="global", items=3).mask(records)
    values = [masking.attributes[0].values[c] for c in masking.codes[:, 0].tolist()]
    released = [values[place] or frozenset() for place in records.inverse.tolist()]
    assert not slow.combinations_below_k(released, range(len(sets)), 2, 3)


def test_a_hierarchy_counts_its_own_leaves(tmp_path: Path) -> None:
    """Leaves that no record has count in NCP: kitchen has half of the leaves of the file."""
    file = tmp_path / "jobs.csv"
    file.write_text("cook;kitchen;*\nbaker;kitchen;*\nsmith;workshop;*\njoiner;workshop;*\npotter;potter;*\n")
    jobs = al.read_taxonomy(file)
    records = records_of([frozenset(jobs.code(x) for x in ("cook", "baker", "smith"))], jobs)
    tree = ItemOccurrences.of(records, 0).tree
    ncp = {tree.values[node]: tree.ncp[node] for node in range(1, len(tree))}
    assert ncp[jobs.code("kitchen")] == pytest.approx(2 / 5)
    assert ncp[jobs.code("cook")] == 0
    assert jobs.code("workshop") not in ncp  # it has one item, smith, which stays itself


def test_every_set_column_and_the_others_are_k_anonymous_together() -> None:
    sets = [["cook", "baker"], ["cook"], ["smith"], ["smith", "joiner"], [], None, ["zzz"], ["cook", "smith"]] * 3
    frame = pd.DataFrame(
        {"skills": sets, "tags": [["a"], ["a", "b"], [], ["b"]] * 6, "age": [str(20 + i % 7) for i in range(24)]}
    )
    jobs = Taxonomy.build("jobs", ["job", "kitchen", "cook", "baker", "smith", "joiner"],
                          child=range(1, 6), parent=[0, 1, 1, 0, 0])  # fmt: skip
    columns = {
        "skills": al.quasi(jobs, kind="set", unmatched="opaque", accept_review=True),
        "tags": al.quasi(kind="set", elements="category"),
        "age": al.quasi("numeric"),
    }
    release = al.Plan(columns, method="generalise", k=3, seed=1).run(frame)
    rows = Counter(tuple(map(str, row)) for row in release.frame.itertuples(index=False))
    assert min(rows.values()) >= 3
    assert release.summary["changes"]["false"] == 0


def test_what_it_cannot_do_is_said() -> None:
    frame = pd.DataFrame({"tags": ["a;b", "a", "b", "a;b"], "sex": ["f", "m", "f", "m"]})
    sets, sex = al.quasi(kind="set", elements="category"), al.quasi("category")
    everywhere = {"recoding": "global"}

    def codes(columns: dict[str, al.Column], parameters: dict[str, object], **options: object) -> set[str]:
        with pytest.raises(PlanError) as caught:
            al.Plan(columns, method="generalise", k=2, parameters=parameters, **options).run(frame)
        return {x.code for x in caught.value.problems}

    assert codes({"tags": sets, "sex": sex}, everywhere) == {"not-one-set"}
    assert codes({"sex": sex, "tags": al.keep()}, everywhere) == {"not-one-set"}
    assert codes({"tags": sets, "sex": al.keep()}, {"items": 3}) == {"items-without-effect"}
    assert codes({"tags": sets, "sex": al.keep()}, everywhere | {"suppress": 0.1}) == {"suppress-without-effect"}
    diverse = {"privacy": [al.Privacy("l-diversity", "sex", l=2)]}
    assert codes({"tags": sets, "sex": al.sensitive()}, everywhere, **diverse) == {"requirement-without-groups"}


def test_a_saved_plan_and_a_comparison(tmp_path: Path) -> None:
    columns = {"tags": al.quasi(kind="set", elements="category")}
    for method in (Generalise(k=2), Generalise(k=2, recoding="global", items=1)):
        al.Plan(columns, method=method).save(tmp_path / "plan.toml")
        assert al.Plan.load(tmp_path / "plan.toml").method == method
    frame = pd.DataFrame({"tags": ["a;b", "a", "b", "a;b;c", "a"] * 2})
    parameters = {"recoding": "global"}
    plan = al.Plan(columns, method="generalise", k=2, parameters=parameters, seed=1)
    grid = {"k": [2, 3], "recoding": ["local", "global"]}
    runs = al.compare(frame, plan, ["generalise"], grid).runs
    models = {(x["parameters"]["recoding"], x["parameters"]["k"]): x["privacy"][0] for x in runs}
    assert models["global", 3]["model"] == "k^2-anonymity"
    assert models["global", 3]["reached"] >= 3
    assert models["local", 3]["model"] == "k-anonymity"
    evaluation = plan.evaluate(frame, plan.run(frame).frame)
    held = {x["model"]: x["holds"] for x in evaluation.privacy}
    assert held == {"k-anonymity": None, "k^2-anonymity": True}


def test_a_release_with_a_rare_combination_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"tags": ["a;b", "a", "b", "a", "b"]})
    plan = al.Plan({"tags": al.quasi(kind="set", elements="category")}, method="generalise", k=2,
                   parameters={"recoding": "global"})  # fmt: skip
    assert sorted(plan.run(frame).frame["tags"].fillna("")) in (["", "", "a", "a", "a"], ["", "", "b", "b", "b"])
    as_it_is = "allonym.methods.set_generalisation.release.generalised_items"
    monkeypatch.setattr(as_it_is, lambda records, items, *_, **__: np.arange(len(items.tree)))
    with pytest.raises(ReleaseError, match="k = 2 was promised, but a combination of up to 2 items"):
        plan.run(frame)


@pytest.mark.parametrize("recoding", ["local", "global"])
def test_sensitive_columns_and_lists_and_long_tables(recoding: str, tmp_path: Path) -> None:
    rows = [(f"p{i}", item) for i in range(12) for item in (["a", "b"], ["a"], ["b", "c"], ["a", "b"])[i % 4]]
    file = tmp_path / "long.csv"
    file.write_text("person,item\n" + "".join(f"{person},{item}\n" for person, item in rows))
    columns = {"item": al.quasi(kind="set", elements="category"), "person": al.unit()}
    plan = al.Plan(columns, method="generalise", k=3, long=True, seed=1, parameters={"recoding": recoding})
    release = plan.run(file, tmp_path / "out.csv")
    [promise] = release.summary["privacy"]
    assert promise["model"] == ("k-anonymity" if recoding == "local" else "k^2-anonymity")
    assert promise["reached"] == 3
    lists = pd.DataFrame({"item": [["a", "b"], ["a"], ["b", "c"], ["a", "b"]] * 3})
    released = al.Plan({"item": columns["item"]}, method="generalise", k=3, parameters={"recoding": recoding})
    assert all(isinstance(x, list) for x in released.run(lists).frame["item"])
