"""Compiled kernels give the groups of the NumPy versions, which compare all tuples, in every tie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from both_kernels import COMPILED, NUMPY, needs_compiled, use
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags, taxonomy

from allonym.arrays import Floats
from allonym.kinds.blend import BlendedMetric
from allonym.kinds.category import EqualityMetric
from allonym.kinds.codes.metric import CodeMetric
from allonym.kinds.codes.scheme import CodeScheme
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.dates.formats import DateFormat
from allonym.kinds.dates.metric import DateMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.ordinal import OrdinalMetric
from allonym.kinds.ranges.numeric_metric import Representation
from allonym.kinds.set_metric import SET_DISTANCES, SetMetric
from allonym.methods.groups import Groups
from allonym.methods.kernels.adaptive import GROWTH, sa_mdav
from allonym.methods.kernels.fusion import fusion
from allonym.methods.kernels.microaggregation import mdav
from allonym.methods.replacement.least_squares import chosen_together
from allonym.metric import Metric
from allonym.ontology.narrower import Narrower
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Records

pytestmark = needs_compiled
KINDS = ("text", "unlinked", "numeric", "ordinal", "category", "set", "code", "date", "blend")
COMPARED = ("h1+target", "h1+h2", "h1+h2+h3")  # heuristics that compare records
NUMBERS = [0.1, 0.2, 0.30000000000000004, 1.0, 2.5, 7.0]
SETS = [frozenset("ab"), frozenset("b"), frozenset("bcd"), frozenset("e"), frozenset()]
CODES = ("98101", "98104", "98201", "10001", "10002", "981*", "1*")
SMALL = taxonomy({0: [], 1: [0]})
MANY = 1500  # tuples: they are arranged in blocks, and anew when a quarter of them is gone, twice


@st.composite
def metrics(draw: st.DrawFn, kind: str) -> Metric:
    if kind == "text":
        parents = draw(dags(8))
        return word_metric(
            parents, [Narrower(c, text) for c in draw(st.sets(st.sampled_from([*parents]))) for text in "xy"]
        )
    if kind == "blend":
        return blended(draw(dags(6)), draw(dags(5)))
    if kind == "numeric":
        by = Representation(draw(st.sampled_from([None, "median"])))
        return NumericMetric([*NUMBERS, None], draw(st.sampled_from([0, 1, 17])), representation=by)
    if kind == "set":
        return SetMetric([*SETS, None], EqualityMetric([]), draw(st.sampled_from(SET_DISTANCES)))
    return FIXED[kind]()


def word_metric(parents: dict[int, list[int]], leaves: list[Narrower]) -> Metric:
    t = taxonomy(parents)
    return ConceptMetric([*parents, *leaves, "nobody knows", "nor this", None], Scope(t, t.root))


def blended(*graphs: dict[int, list[int]]) -> Metric:
    """Return two ontologies for one column: some values are in both, others in one of them or in none."""
    one, other = (ConceptMetric([], Scope(t, t.root)) for t in map(taxonomy, graphs))
    both = [(c, c) for c in graphs[0] if c in graphs[1] and c % 2]
    single = [*((c, None) for c in graphs[0]), *((None, c) for c in graphs[1])]
    return BlendedMetric([*single, *both, "nobody knows", None], [one, other])


def code_metric() -> Metric:
    scheme = CodeScheme.of([x for x in CODES if "*" not in x])
    return CodeMetric([*map(scheme.read, CODES), None], scheme)


FIXED: dict[str, Callable[[], Metric]] = {
    "unlinked": lambda: ConceptMetric(["nobody knows", "nor this", None], Scope(SMALL, SMALL.root)),
    "category": lambda: EqualityMetric(["a", "b", "c", None]),
    "ordinal": lambda: OrdinalMetric([0, 1, 2, 3, None], 4),
    "code": code_metric,
    "date": lambda: DateMetric([737853.0, 737854.0, 737863.0, 737953.0, None], DateFormat()),
}


@st.composite
def tables(draw: st.DrawFn) -> Records:
    """Draw a table of up to twelve attributes of any kind, with weights, and now and then survey weights."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)) * draw(st.integers(1, 3))
    weights = st.sampled_from([1.0, 1.0, 2.0, 0.3])
    attributes = [Attribute(f"{i}", kind, draw(metrics(kind)), draw(weights)) for i, kind in enumerate(kinds)]
    rows = draw(st.lists(st.tuples(*(st.integers(0, len(a.values) - 1) for a in attributes)), min_size=6, max_size=60))
    rows *= draw(st.integers(1, 2))
    survey = None
    if draw(st.booleans()):
        # whole numbers, others, or nothing but zeros
        drawn = st.sampled_from(draw(st.sampled_from([(0.0, 3.0), (0.0, 0.1, 0.7, 3.0), (0.0,)])))
        survey = np.array(draw(st.lists(drawn, min_size=len(rows), max_size=len(rows))))
    return Records.of(attributes, list(np.array(rows).T), weights=survey)


def own(records: Records) -> list[Metric]:
    return [attribute.metric for attribute in records.attributes]


def same(run: Callable[[], Any]) -> bool:
    """Tell whether something gives the same with compiled kernels and with NumPy."""
    results = []
    for kernels in (COMPILED, NUMPY):
        with use(kernels):
            done = run()
        arrays = (done.source, done.share, done.group) if isinstance(done, Groups) else (done,)
        results.append([array.tolist() for array in arrays])
    return bool(results[0] == results[1])


@given(records=tables(), k=st.integers(2, 5), growth=st.sampled_from(GROWTH), static=st.booleans())
def test_sa_mdav(records: Records, k: int, growth: str, static: bool) -> None:
    assert same(lambda: sa_mdav(records, own(records), k, no_progress, growth=growth, static=static))


@given(records=tables(), k=st.integers(2, 5), seed=st.integers(0, 9))
def test_mdav(records: Records, k: int, seed: int) -> None:
    assert same(lambda: mdav(records, own(records), k, np.random.default_rng(seed), no_progress))


@given(records=tables(), k=st.integers(2, 5), seed=st.integers(0, 9))
def test_mdav_around_subsumers(records: Records, k: int, seed: int) -> None:
    def around(metric: Metric) -> Any:
        return metric.subsumer

    assert same(lambda: mdav(records, own(records), k, np.random.default_rng(seed), no_progress, around=around))


@given(records=tables(), k=st.integers(2, 9), seed=st.integers(0, 9), heuristics=st.sampled_from(COMPARED))
def test_fusion(records: Records, k: int, seed: int, heuristics: str) -> None:
    def fused() -> Any:
        return fusion(records, own(records), k, np.random.default_rng(seed), no_progress, heuristics=heuristics)

    assert same(fused)


def many(kind: str, survey: str, seed: int = 3) -> Records:
    """Return a table of many tuples: a column of a kind, a few categories and numbers; frequent values come first."""
    rng = np.random.default_rng(seed)
    tree = {0: [], **{c: [(c - 1) // 3] for c in range(1, 30)}}
    own: dict[str, Callable[[], Metric]] = FIXED | {
        "text": lambda: word_metric(tree, [Narrower(5, "x"), Narrower(5, "y"), Narrower(20, "x")]),
        "blend": lambda: blended(tree, {c: [(c - 1) // 2] if c else [] for c in range(12)}),
        "numeric": lambda: NumericMetric([*NUMBERS, None], 1),
        "set": lambda: SetMetric([*SETS, None], EqualityMetric([])),
    }
    attributes = [
        Attribute("own", kind, own[kind]()),
        Attribute("age", "numeric", NumericMetric([float(x) for x in range(40)])),
        *(Attribute(f"c{i}", "category", EqualityMetric(list("abcdefgh"))) for i in range(4)),
    ]
    columns = [(len(a.values) * rng.random(2 * MANY) ** 1.5).astype(np.int64) for a in attributes]
    weights = {"none": None, "whole": rng.integers(1, 4, 2 * MANY) + 0.0, "other": rng.choice([0.1, 0.7, 3], 2 * MANY)}
    records = Records.of(attributes, columns, weights=(weights | {"zero": np.zeros(2 * MANY)})[survey])
    assert len(records) > MANY
    return records


@pytest.mark.parametrize("kind", KINDS)
def test_many_tuples_of_every_kind(kind: str) -> None:
    records = many(kind, "none")
    assert same(lambda: sa_mdav(records, own(records), 5, no_progress))
    assert same(lambda: mdav(records, own(records), 5, np.random.default_rng(0), no_progress))
    assert same(lambda: fusion(records, own(records), 5, np.random.default_rng(0), no_progress))


@pytest.mark.parametrize("survey", ["whole", "other", "zero"])
@pytest.mark.parametrize("growth", GROWTH)
def test_many_tuples_with_survey_weights(growth: str, survey: str) -> None:
    records = many("text", survey)
    assert same(lambda: sa_mdav(records, own(records), 5, no_progress, growth=growth))
    assert same(lambda: mdav(records, own(records), 5, np.random.default_rng(0), no_progress))


@pytest.mark.parametrize("heuristics", COMPARED)
def test_many_tuples_fused(heuristics: str) -> None:
    records = many("ordinal", "none")

    def fused() -> Any:
        return fusion(records, own(records), 9, np.random.default_rng(1), no_progress, heuristics=heuristics)

    assert same(fused)


def with_long_attributes(weights: tuple[float, float, float]) -> Records:
    """Return a table with so many numbers and categories that kernels do not compare a point with all of them."""
    rng = np.random.default_rng(5)
    metrics = [
        NumericMetric([*(x / 3000 for x in range(2999)), None], 4),
        EqualityMetric([f"{i}" for i in range(2500)]),
        EqualityMetric(list("abcdefgh")),
    ]
    attributes = [Attribute(f"{i}", "", x, w) for i, (x, w) in enumerate(zip(metrics, weights, strict=True))]
    columns = [(len(a.values) * rng.random(MANY) ** 1.5).astype(np.int64) for a in attributes]
    return Records.of(attributes, columns)


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (2.0, 0.3, 1.0)])
def test_many_tuples_of_many_values(weights: tuple[float, float, float]) -> None:
    records = with_long_attributes(weights)
    assert same(lambda: sa_mdav(records, own(records), 5, no_progress))
    assert same(lambda: mdav(records, own(records), 5, np.random.default_rng(0), no_progress))
    assert same(lambda: fusion(records, own(records), 5, np.random.default_rng(0), no_progress))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_centroid_depends_on_what_each_value_counts_alone(kind: str, data: st.DataObject) -> None:
    metric = data.draw(metrics(kind))
    codes = np.array(data.draw(st.lists(st.integers(0, len(metric.values) - 1), min_size=1, max_size=12)))
    counts = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(codes), max_size=len(codes))), np.float64)
    total: Floats = np.bincount(codes, counts)
    here = np.flatnonzero(total)
    assert metric.centroid(codes, counts) == metric.centroid(here, total[here])


@pytest.mark.parametrize("decimals", [0, 1, 2, 5, 6, 9])
def test_means_are_rounded_as_in_python(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    step = 10.0**-decimals
    numbers = np.round(np.concatenate([rng.normal(0, 100, 300), rng.normal(0, 1e5, 100), rng.random(100)]), decimals)
    metric = NumericMetric(np.unique([*numbers, *(numbers + step), *(numbers + 3 * step)]).tolist(), decimals)
    rows = rng.permutation(np.repeat(np.arange(len(metric.values)), 2))
    pairs = [*zip(np.arange(len(metric.values) - 1), np.arange(1, len(metric.values)), strict=True)]  # often a tie
    attributes = [Attribute("x", "numeric", metric), Attribute("row", "category", EqualityMetric(range(10**4)))]
    codes = np.concatenate([rows, np.array(pairs).ravel()])
    records = Records.of(attributes, [codes, np.arange(len(codes))])
    group = np.empty(len(records), np.int64)
    group[records.codes[:, 1].argsort()] = np.concatenate(
        [np.arange(len(rows)) // 4, len(rows) + np.repeat(np.arange(len(pairs)), 2)]
    )
    groups = Groups.of(np.stack([np.arange(len(records)), records.counts, group], axis=1))
    means, _ = chosen_together(records, groups, 2, own(records))
    own_codes, mass = records.codes[groups.source, 0], groups.mass(records)
    assert means == [metric.centroid(own_codes[pieces], mass[pieces]) for pieces in groups.members()]
