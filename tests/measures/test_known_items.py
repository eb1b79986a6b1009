"""Sets that are somebody's, rare items, and the attacker who knows some items: as defined, on random tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

import slow_known_items as slow
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.set_metric import SetMetric
from allonym.measures.attackers import known_items
from allonym.measures.attackers.base import Setting
from allonym.measures.attackers.known_items import ReleasedSets, Target
from allonym.measures.attackers.registry import attacked
from allonym.measures.measurement import DISCLOSED, measured
from allonym.measures.verbatim import rare_items, verbatim_rows, verbatim_sets
from allonym.ontology.scope import Scope
from allonym.records import Attribute, Pairs
from slow_consensus import persons as persons_with

Items = frozenset[int | str]
K = 3


@dataclass(frozen=True)
class Drawn:
    parents: Dag
    original: list[Items]
    released: list[Items | None]
    persons: list[int] | None

    @property
    def pairs(self) -> Pairs:
        """Return the rows as pairs; every item of the taxonomy is an element."""
        values = list(dict.fromkeys([*self.original, *self.released, frozenset([*self.parents, "x"])]))
        scope = Scope(t := taxonomy(self.parents), t.root)
        metric = SetMetric(values, ConceptMetric([], scope, "ancestor-overlap"))
        codes = [np.array([values.index(x) for x in rows], np.int64) for rows in (self.original, self.released)]
        units = None if self.persons is None else np.unique(self.persons, return_inverse=True)[1].ravel()
        return Pairs.of_rows((Attribute("items", "set", metric),), [codes[0]], [codes[1]], units=units)

    @property
    def owners(self) -> list[int]:
        return list(range(len(self.original))) if self.persons is None else self.persons

    def number(self, item: int | str) -> int:
        return self.pairs.attributes[0].metric.elements.values.index(item)  # type: ignore[attr-defined,no-any-return]


@st.composite
def releases(draw: st.DrawFn) -> Drawn:
    """Draw sets of a table, and what a release has in their place."""
    parents = draw(dags(7))
    sets = st.frozensets(st.sampled_from([*parents, "x"]), max_size=4)
    original = draw(st.lists(sets, min_size=1, max_size=8))
    replaced = st.one_of(st.sampled_from(original), sets, st.none())
    released = [draw(replaced) for _ in original]
    persons = draw(st.none() | st.lists(st.integers(0, 3), min_size=len(original), max_size=len(original)))
    return Drawn(parents, original, released, persons)


@given(table=releases())
def test_somebodys_sets_and_rare_items_are_counted(table: Drawn) -> None:
    def holders(rows: list[int]) -> int:
        return len({table.owners[row] for row in rows})

    held = [holders([r for r, x in enumerate(table.original) if x == own]) for own in table.released]
    full = [bool(own) for own in table.released]
    verbatim = sum(is_full and 0 < n < K for is_full, n in zip(full, held, strict=True))
    assert verbatim_rows(table.pairs, K) == verbatim
    assert verbatim_sets(table.pairs, K) == pytest.approx(100 * verbatim / max(sum(full), 1))
    items = [x for own in table.released for x in own or ()]
    rare = sum(0 < holders(persons_with(table.parents, table.original, x)) < K for x in items)
    assert rare_items(table.pairs, K) == pytest.approx(100 * rare / max(len(items), 1))


@given(table=releases(), data=st.data())
def test_the_attacker_is_that_of_the_definition(table: Drawn, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(table.original) - 1))
    own = data.draw(st.permutations(sorted(table.original[row], key=str)))
    known = own[: data.draw(st.integers(0, len(own)))]
    pairs = table.pairs
    sets = ReleasedSets(pairs, 0)
    values = [pairs.attributes[0].values[c] for c in pairs.original[:, 0].tolist()]
    masked = [pairs.attributes[0].values[c] for c in pairs.masked[:, 0].tolist()]
    pair = next(
        i
        for i, (was, now) in enumerate(zip(values, masked, strict=True))
        if (was, now) == (table.original[row], table.released[row])
        and (pairs.units is None or sorted(set(table.owners))[pairs.units[i]] == table.owners[row])
    )
    numbers = [np.array([table.number(x) for x in some], np.int64) for some in (known, own[len(known) :])]
    target = Target(pair, 1.0, *numbers)
    expected = slow.linked(table.parents, table.released, table.owners, table.owners[row], known)
    assert sets.linked(target) == pytest.approx(expected)
    if len(known) < len(own):
        assert sets.guessed(target) == pytest.approx(slow.guessed(table.original, frozenset(own), known))
        read = slow.read(table.parents, table.original, table.released, frozenset(own), known)
        assert sets.read(target) == pytest.approx(read)


def test_figures_are_means_over_all_persons_and_a_sample_is_near() -> None:
    rng = np.random.default_rng(2)
    parents: Dag = {0: [], **{i: [0] for i in range(1, 9)}}
    original: list[Items] = [frozenset(rng.choice(8, 4, replace=False).tolist()) for _ in range(60)]
    table = Drawn(parents, original, [original[i // 3 * 3] for i in range(60)], None)
    exact, sample = (known_items.reading(table.pairs, 2, exact=x) for x in (True, False))
    assert exact.share.interval is None
    assert sample.share.interval is not None
    low, high = sample.share.interval
    assert low <= exact.share.value <= high
    assert known_items.linkage_by_items(table.pairs, exact=True).value <= 100 / 3 + 1e-9  # three rows have each set
    unmasked = known_items.reading(table.pairs.unmasked, 2, exact=True)
    assert unmasked.whole.value > exact.whole.value
    assert (unmasked.share_blind, unmasked.whole_blind) == (exact.share_blind, exact.whole_blind)


def test_only_releases_with_sets_are_attacked_by_items() -> None:
    table = Drawn({0: [], 1: [0]}, [frozenset({1})] * 4, [frozenset({1})] * 4, None)
    assert "items" in attacked(Setting(table.pairs)).attackers
    figures = measured(table.pairs, K, DISCLOSED)
    assert set(figures) == set(DISCLOSED)
    assert figures["verbatim_sets"].value == 0.0  # four hold the set
    from allonym.kinds.category import EqualityMetric

    codes = np.zeros((1, 1), np.int64)
    plain = Pairs((Attribute("sex", "category", EqualityMetric(["f"])),), codes, codes, np.array([3]), np.ones(1))
    assert "items" not in attacked(Setting(plain)).attackers
    assert not measured(plain, K, DISCLOSED)
