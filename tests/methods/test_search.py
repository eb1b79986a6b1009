"""The compiled search and the one in Python find the same groups, to the last bit; so do both choices of values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym import compiled
from allonym.methods import refine
from allonym.methods.groups import Groups
from allonym.methods.kernels import adaptive
from allonym.methods.kernels.adaptive import sa_mdav
from allonym.methods.kernels.regrouping import Random
from allonym.methods.refine import Effort, Refined, refined
from allonym.methods.replacement import least_squares
from allonym.methods.replacement.least_squares import chosen_together
from allonym.progress import no_progress
from allonym.records import Records
from table_strategies import tables

pytestmark = pytest.mark.skipif(compiled.kernels is None, reason="needs the compiled kernels")

REPRESENTATIVES = ("auto", "truthful", "centroid", "least-squares", "subsumer", "member", "existing")


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
