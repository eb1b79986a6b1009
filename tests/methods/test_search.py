"""The compiled search and the one in Python find the same groups, to the last bit; so do both choices of values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dags, taxonomy

from allonym import compiled
from allonym.kinds.category import EqualityMetric
from allonym.kinds.codes.metric import CodeMetric
from allonym.kinds.codes.scheme import CodeScheme
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.dates.formats import DateFormat
from allonym.kinds.dates.metric import DateMetric
from allonym.kinds.dominance import DominanceRule
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.methods import refine
from allonym.methods.groups import Groups
from allonym.methods.kernels import adaptive
from allonym.methods.kernels.adaptive import sa_mdav
from allonym.methods.kernels.regrouping import Random
from allonym.methods.refine import Effort, Refined, refined
from allonym.methods.replacement import least_squares
from allonym.methods.replacement.least_squares import chosen_together
from allonym.metric import Metric
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Records

pytestmark = pytest.mark.skipif(compiled.kernels is None, reason="needs the compiled kernels")

KINDS = ("text", "numeric", "ordinal", "category", "code", "date")
REPRESENTATIVES = ("auto", "truthful", "centroid", "least-squares", "subsumer", "member", "existing")
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


def both(records: Records, groups: Groups, k: int, representative: str, effort: Effort) -> tuple[Refined, Refined]:
    """Return what the compiled search and the one in Python find."""
    own = [attribute.metric for attribute in records.attributes]
    found = refined(records, groups, k, own, representative, no_progress, effort)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refine, "kernels", None)
        return found, refined(records, groups, k, own, representative, no_progress, effort)


@pytest.mark.parametrize("representative", REPRESENTATIVES)
@settings(max_examples=15)
@given(table=tables(), seed=st.integers(0, 2**63), suppress=st.sampled_from([None, 0.3]), ratio=st.booleans())
def test_both_searches_find_the_same_groups(
    representative: str, table: tuple[Records, int], seed: int, suppress: float | None, ratio: bool
) -> None:
    records, k = table
    own = [attribute.metric for attribute in records.attributes]
    groups = sa_mdav(records, own, k, no_progress)
    budget = int((suppress or 0.0) * records.n)
    effort = Effort(seed=seed, budget=budget, min_ratio=1.0 if ratio else None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refine, "MAX_REGROUPED", 400)
        one, other = both(records, groups, k, representative, effort)
    assert one.groups.suppressed == other.groups.suppressed
    for name in ("source", "share", "group"):
        assert np.array_equal(getattr(one.groups, name), getattr(other.groups, name))
    assert (one.loss_before, one.loss_without_suppression, one.loss) == (
        other.loss_before,
        other.loss_without_suppression,
        other.loss,
    )


@settings(max_examples=25)
@given(table=tables())
def test_both_choose_the_same_values_together(table: tuple[Records, int]) -> None:
    records, k = table
    own = [attribute.metric for attribute in records.attributes]
    groups = sa_mdav(records, own, k, no_progress)
    values = chosen_together(records, groups, k, own)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_squares, "kernels", None)
        assert values == chosen_together(records, groups, k, own)


@settings(max_examples=30)
@given(table=tables(), weighted=st.booleans(), static=st.booleans())
def test_both_kernels_grow_the_same_groups(table: tuple[Records, int], weighted: bool, static: bool) -> None:
    records, k = table
    own = [attribute.metric for attribute in records.attributes]
    growth = "weighted" if weighted else "plain"
    groups = sa_mdav(records, own, k, no_progress, growth=growth, static=static)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptive, "kernels", None)
        other = sa_mdav(records, own, k, no_progress, growth=growth, static=static)
    assert np.array_equal(groups.group, other.group)
    assert np.array_equal(groups.source, other.source)


def test_random_numbers_are_those_of_the_published_generator() -> None:
    random = Random(1234567)  # the first numbers of SplitMix64 for this seed (Vigna's reference implementation)
    assert [random.below(2**64) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
