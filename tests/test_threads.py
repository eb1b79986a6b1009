"""The number of threads changes how long a kernel takes, never its result."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from allonym.compiled import MAX_THREADS, THREADS_VARIABLE, kernels, thread_count
from allonym.errors import OptionError
from allonym.kinds.category import EqualityMetric
from allonym.kinds.numeric import NumericMetric
from allonym.kinds.set_metric import SET_DISTANCES, SetMetric
from allonym.measures.attackers.nearest import NearestTuples
from allonym.methods.kernels.fusion import fusion
from allonym.methods.sa_mdav import SAMDAV
from allonym.progress import no_progress
from allonym.records import Attribute, Pairs, Records

needs_compiled = pytest.mark.skipif(kernels is None, reason="needs the compiled extension")
ROWS = 6000


@pytest.fixture(scope="module")
def records() -> Records:
    """A table of so many tuples that threads share the work."""
    rng = np.random.default_rng(1)
    attributes = [
        Attribute("age", "numeric", NumericMetric([float(x) for x in range(60)])),
        *(Attribute(f"c{i}", "category", EqualityMetric(list("abcdefghij"))) for i in range(4)),
    ]
    return Records.of(attributes, [(len(a.values) * rng.random(ROWS) ** 1.5).astype(np.int64) for a in attributes])


def with_threads(run: Callable[[], Any]) -> list[Any]:
    """Return what something gives with 1, 2 and 5 threads."""
    assert kernels is not None
    try:
        results = []
        for number in (1, 2, 5):
            kernels.set_threads(number)
            results.append(run())
        return results
    finally:
        kernels.set_threads(thread_count())


def assert_same(results: list[tuple[Any, ...]]) -> None:
    """Compare arrays."""
    for other in results[1:]:
        assert [x.tolist() for x in other] == [x.tolist() for x in results[0]]


@needs_compiled
def test_refined_groups(records: Records) -> None:
    def masked() -> tuple[Any, ...]:
        masking = SAMDAV(k=5).mask(records)
        return masking.source, masking.share, masking.groups, masking.codes

    assert_same(with_threads(masked))


@needs_compiled
@pytest.mark.parametrize("heuristics", ["h1+h2", "h1+h2+h3"])
def test_fusion(records: Records, heuristics: str) -> None:
    metrics = [x.metric for x in records.attributes]

    def fused() -> tuple[Any, ...]:
        return (fusion(records, metrics, 5, np.random.default_rng(2), no_progress, heuristics=heuristics),)

    assert_same(with_threads(fused))


@needs_compiled
def test_linkage(records: Records) -> None:
    search = NearestTuples(Pairs.of(records, SAMDAV(k=5, refine=False).mask(records)))

    def found() -> tuple[Any, ...]:
        near = search.search(np.arange(len(records)))
        return near.starts, near.places

    assert_same(with_threads(found))


@needs_compiled
def test_distances_of_sets() -> None:
    items = [f"{i}" for i in range(40)]
    rng = np.random.default_rng(3)
    drawn = [frozenset(rng.choice(items, 6, replace=False).tolist()) for _ in range(2 * ROWS)]
    sets = list(dict.fromkeys(drawn))

    def far() -> tuple[Any, ...]:
        return (SetMetric(sets, EqualityMetric([])).distances_from(sets[0]),)

    assert_same(with_threads(far))


@needs_compiled
def test_refined_groups_of_sets() -> None:
    rng = np.random.default_rng(3)
    sets = list(dict.fromkeys(frozenset(rng.choice(list("abcdefghijkl"), 4).tolist()) for _ in range(600)))
    records = Records.of([Attribute("s", "set", SetMetric(sets, EqualityMetric([])))], [np.arange(len(sets))])

    def masked() -> tuple[Any, ...]:
        masking = SAMDAV(k=3).mask(records)
        return masking.source, masking.groups, masking.codes

    assert_same(with_threads(masked))


def test_threads_are_limited_by_the_processors_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    assert thread_count() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert thread_count() == 1


def test_the_variable_sets_the_number() -> None:
    assert thread_count("1") == 1
    assert thread_count("7") == 7


@pytest.mark.parametrize("limit", ["0", "-1", "two", "1.5", f"{MAX_THREADS + 1}", "²"])
def test_other_numbers_are_refused(limit: str) -> None:
    with pytest.raises(OptionError, match=THREADS_VARIABLE):
        thread_count(limit)


@needs_compiled
def test_a_wrong_variable_is_an_error_of_the_command_line() -> None:
    command = [sys.executable, "-m", "allonym", "mask", "-", "-o", "-", "--quasi", "x"]
    environment = os.environ | {THREADS_VARIABLE: "many"}
    done = subprocess.run(command, check=False, env=environment, input="x\n", capture_output=True, text=True)
    assert done.returncode != 0
    assert THREADS_VARIABLE in done.stderr
    assert "Traceback" not in done.stderr


@needs_compiled
@pytest.mark.parametrize("distance", SET_DISTANCES)
@pytest.mark.parametrize("number", [300, 2200])  # with a table of the distances of all sets, and without
def test_sets(distance: str, number: int) -> None:
    rng = np.random.default_rng(3)
    items = [f"item {i}" for i in range(60)]
    sets = list(dict.fromkeys(frozenset(rng.choice(items, rng.integers(2, 9)).tolist()) for _ in range(number)))

    def masked() -> tuple[Any, ...]:
        metric = SetMetric(sets, EqualityMetric(items), distance)
        records = Records.of([Attribute("items", "set", metric)], [np.arange(len(sets))])
        masking = SAMDAV(k=5, represent="centroid").mask(records)
        return masking.source, masking.share, masking.groups, masking.codes

    assert_same(with_threads(masked))
