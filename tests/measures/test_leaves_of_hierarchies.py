"""LM and NCP count the leaves of a hierarchy, whether the data have them or not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import slow_masking
import slow_measures as slow
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import allonym as al
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.measures import loss
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope
from allonym.ontology.taxonomy import Taxonomy
from allonym.records import Attribute, Pairs

# person: care (nurse, physician), school (teacher, tutor, professor)
JOBS = "nurse,care,person\nphysician,care,person\nteacher,school,person\ntutor,school,person\nprofessor,school,person\n"


def hierarchy(parents: Dag) -> Taxonomy:
    """Return a drawn tree as a hierarchy that was read from a file would be."""
    return replace(taxonomy(parents), steps=np.arange(len(parents))[:, None])


@given(dags(9, tree=True), st.data())
def test_leaves_are_those_of_the_hierarchy(parents: Dag, data: st.DataObject) -> None:
    t = hierarchy(parents)
    cells = [*(f"c{c}" for c in parents), None]
    original = data.draw(st.lists(st.sampled_from(cells[:-1]), min_size=1, max_size=8))
    masked = data.draw(st.lists(st.sampled_from(cells), min_size=len(original), max_size=len(original)))
    attribute = Attribute("job", "text", ConceptMetric([*parents, None], Scope(t, t.root)))
    was, now = (np.array([cells.index(x) for x in rows]) for rows in (original, masked))
    pairs = Pairs.of_rows((attribute,), [was], [now])
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    distance = partial(slow_masking.wu_palmer_distance, named)
    rows = [(x,) for x in original], [(x,) for x in masked]
    leaves = slow.leaves_of(named)
    lm = slow.loss_metric(*rows, [lambda a, b: slow.leaf_loss(named, leaves, a, b, distance)], None)
    ncp = slow.ncp(*rows, [lambda a, b: slow.leaf_penalty(named, leaves, a, b, distance)], None)
    assert loss.loss_metric(pairs) == pytest.approx(lm, abs=1e-12)
    assert loss.certainty_penalty(pairs) == pytest.approx(ncp, abs=1e-12)


def jobs(folder: Path) -> Scope:
    (folder / "jobs.csv").write_text(JOBS)
    return Scope.of(al.read_taxonomy(folder / "jobs.csv"))


def test_a_column_that_became_the_top_of_its_hierarchy_lost_everything(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text(JOBS)
    plan = al.Plan(columns={"job": al.quasi(str(tmp_path / "jobs.csv"))}, k=2)
    for value, lost, penalty in (
        ("person", (5 - 1) / (5 - 1), 5 / 5),
        ("care", (2 - 1) / (5 - 1), 2 / 5),
        ("physician", (2 - 1) / (5 - 1), 2 / 5),  # scored at care, which both are
        ("teacher", (5 - 1) / (5 - 1), 5 / 5),
        ("", 1, 1),
        ("nurse", 0, 0),
    ):
        found = plan.evaluate(pd.DataFrame({"job": ["nurse"] * 4}), pd.DataFrame({"job": [value] * 4}))
        assert found.measures["loss_metric"].value == pytest.approx(lost), value
        assert found.measures["certainty_penalty"].value == pytest.approx(penalty), value


def test_kinds_of_a_leaf_are_leaves(tmp_path: Path) -> None:
    scope = jobs(tmp_path)
    code = scope.taxonomy.code
    values = [
        Narrower(code("nurse"), "night nurse"),
        Narrower(code("nurse"), "head nurse"),
        code("nurse"),
        code("care"),
    ]
    attribute = Attribute("job", "text", ConceptMetric(values, scope))
    pairs = Pairs.of_rows((attribute,), [np.array([0, 1, 0])], [np.array([2, 3, 0])])
    # 5 leaves and 2 kinds of one: nurse has itself and 2 kinds, care the physician too
    assert loss.loss_metric(pairs) == pytest.approx(((3 - 1) / (7 - 1) + (4 - 1) / (7 - 1)) / 3)


def test_the_hierarchy_beside_an_ontology_counts(tmp_path: Path) -> None:
    scope, wordnet = jobs(tmp_path), al.wordnet()
    names = ["nurse", "physician", "teacher"]
    tree = ConceptMetric([scope.taxonomy.code(x) for x in names], scope)
    words = ConceptMetric([wordnet.taxonomy.code(x) for x in names], wordnet)
    attribute = Attribute("job", "text", words, hierarchy=tree)
    pairs = Pairs.of_rows((attribute,), [np.array([0, 2])], [np.array([1, 2])])
    assert loss.loss_metric(pairs) == pytest.approx((2 - 1) / (5 - 1) / 2)


def test_a_single_category_can_be_lost() -> None:
    attribute = Attribute("sex", "category", EqualityMetric(["f", None]))
    pairs = Pairs.of_rows((attribute,), [np.array([0, 0])], [np.array([1, 0])])
    assert loss.loss_metric(pairs) == loss.certainty_penalty(pairs) == 1 / 2
