"""Random small tables of every kind of column, for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from strategies import dags, taxonomy

from allonym.kinds.category import EqualityMetric
from allonym.kinds.codes.metric import CodeMetric
from allonym.kinds.codes.scheme import CodeScheme
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.dates.formats import DateFormat
from allonym.kinds.dates.metric import DateMetric
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.metric import Metric
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Records

KINDS = ("text", "numeric", "ordinal", "category", "code", "date")
ZIPS = ("98101", "98104", "98201", "10001")


@st.composite
def metrics(draw: st.DrawFn, kind: str) -> Metric:
    """Draw a metric with unlinked values, leaves and nulls."""
    if kind == "text":
        parents = draw(dags(8))
        tree = taxonomy(parents)
        leaves = [Narrower(c, f"leaf {c}") for c in parents if c % 3 == 0]
        return ConceptMetric([*parents, *leaves, "unlinked", None], Scope(tree, tree.root))
    if kind == "numeric":
        rule = DominanceRule(p=0, k=100)
        return NumericMetric([0.1, 0.2, 0.3, 1.0, 2.5, 7.0, None], draw(st.sampled_from([0, 1, 4])), rule=rule)
    if kind == "ordinal":
        return OrdinalMetric([0, 1, 2, 3, None], 4)
    if kind == "code":
        scheme = CodeScheme.of(ZIPS)
        return CodeMetric([*(scheme.read(x) for x in ZIPS), None], scheme)
    if kind == "date":
        return DateMetric([737853.0, 737863.0, 737953.0, 738400.0, None], DateFormat())
    return EqualityMetric(["a", "b", "c", None])


@st.composite
def tables(draw: st.DrawFn) -> tuple[Records, int]:
    """Draw a table of up to four attributes of any kind, now and then with survey weights or persons; and k."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
    attributes = [
        Attribute(f"{i}", kind, draw(metrics(kind)), draw(st.sampled_from([1.0, 2.0, 0.3])), max_true_distance=0.6)
        for i, kind in enumerate(kinds)
    ]
    rows = draw(st.lists(st.tuples(*(st.integers(0, len(a.values) - 1) for a in attributes)), min_size=6, max_size=24))
    weights = units = None
    if draw(st.booleans()):
        weights = np.array(draw(st.lists(st.sampled_from([0.5, 1.0, 2.7]), min_size=len(rows), max_size=len(rows))))
    if draw(st.booleans()):
        units = np.arange(len(rows)) * 2 // 3
        units = np.unique(units, return_inverse=True)[1].astype(np.int64)
    records = Records.of(attributes, list(np.array(rows).T), weights=weights, units=units)
    return records, draw(st.integers(2, 3))
