"""Record fusion gives what the algorithm gives, arm by arm, ties and draws included."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import slow_masking as slow
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import Dag, dags, taxonomy

from allonym.knowledge.scope import Scope
from allonym.masking import Fusion
from allonym.masking.fusion import GUIDES, HEURISTICS, _Fusing
from allonym.metrics.equality import Equality
from allonym.metrics.taxonomy import Taxonomic
from allonym.records import Attribute, Records

SEXES = ("f", "m", None)
Row = tuple[object, ...]


def slowly(
    counts: dict[Row, int], order: list[Row], k: int, heuristics: str, far: object, rng: np.random.Generator
) -> dict[Row, Row]:
    """Return whose values each tuple has in the end, by the algorithm of P0 §4.3."""
    sizes = dict(counts)
    into = {row: row for row in order}

    def draw(rows: list[Row]) -> Row:
        return rows[int(rng.integers(len(rows)))] if len(rows) > 1 else rows[0]

    def others(row: Row) -> list[Row]:
        return [other for other in order if other in sizes and other != row]

    def best(row: Row) -> list[Row]:
        least = min(far(row, other, sizes) for other in others(row))
        return [other for other in others(row) if far(row, other, sizes) == least]

    while len(sizes) > 1 and min(sizes.values()) < k:
        smallest = min(sizes.values())
        s1 = [row for row in order if sizes.get(row) == smallest]
        if heuristics == "none":
            one = draw([row for row in order if row in sizes and sizes[row] < k])
            target = draw(others(one))
        elif heuristics == "h1":
            one = draw(s1)
            target = draw(others(one))
        else:
            found = s1
            if "h2" in heuristics:
                quality = {row: far(row, best(row)[0], sizes) for row in found}
                found = [row for row in found if quality[row] == min(quality.values())]
            if "h3" in heuristics:
                result = {row: min(sizes[other] for other in best(row)) for row in found}
                found = [row for row in found if result[row] == min(result.values())]
            one = draw(found)
            target = min(best(one), key=lambda other: (sizes[other], order.index(other)))
        sizes[target] += sizes.pop(one)
        into = {row: target if now == one else now for row, now in into.items()}
    return into


@pytest.mark.parametrize("guide", GUIDES)
@pytest.mark.parametrize("heuristics", HEURISTICS)
@given(parents=dags(7), k=st.integers(2, 5), seed=st.integers(0, 9), data=st.data())
def test_groups_are_those_of_the_algorithm(
    heuristics: str, guide: str, parents: Dag, k: int, seed: int, data: st.DataObject
) -> None:
    words = [*(f"c{c}" for c in parents), None]
    rows = data.draw(st.lists(st.tuples(st.sampled_from(words), st.sampled_from(SEXES)), min_size=1, max_size=25))
    assume(len(rows) >= k)
    t = taxonomy(parents)
    attributes = [
        Attribute("word", "text", Taxonomic([*parents, None], Scope(t, t.root))),
        Attribute("sex", "category", Equality(SEXES)),
    ]
    records = Records.of(attributes, [[words.index(w) for w, _ in rows], [SEXES.index(s) for _, s in rows]])
    tuples = [(words[a], SEXES[b]) for a, b in records.codes]
    named = {f"c{c}": [f"c{p}" for p in ps] for c, ps in parents.items()}
    distance = slow.record_distance([lambda a, b: slow.wu_palmer_distance(named, a, b), slow.equality])

    def far(one: Row, other: Row, sizes: dict[Row, int]) -> float:
        return float(sizes[other]) if guide == "discernibility" else round(distance(one, other), slow.DECIMALS)

    if guide == "discernibility" and "h2" in heuristics:
        heuristics = "h1+target"  # the best target of all is the smallest other group
    expected = slowly(dict(Counter(rows)), tuples, k, heuristics, far, np.random.default_rng(seed))
    into = _Fusing(records, k, np.random.default_rng(seed), heuristics, guide).run(lambda done, total: None)
    assert {tuples[i]: tuples[j] for i, j in enumerate(into)} == expected


def test_only_values_of_the_data_are_written() -> None:
    t = taxonomy({0: [], 1: [0], 2: [1], 3: [1], 4: [0]})
    job = Attribute("job", "text", Taxonomic([2, 3, 4], Scope(t, 0)))
    records = Records.of([job], [[0, 0, 0, 1, 2, 2, 2]])
    masking = Fusion(k=3).mask(records)
    assert masking.attributes[0].values[:3] == (2, 3, 4)
    written = {job.values[c]: masking.attributes[0].values[m] for c, m in enumerate(masking.codes[:, 0])}
    assert written == {2: 2, 3: 2, 4: 4}  # 3 is nearer to 2 than to 4


def test_parameters_are_checked() -> None:
    assert list(Fusion().problems()) == []
    told = list(Fusion(heuristics="h4", guide="x").problems())
    assert "must be one of none, h1" in told[0]
    assert "must be one of similarity" in told[1]
