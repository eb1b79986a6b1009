"""Blocks are grouped on the executors of a real Spark: the same groups as here, also when a worker is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="no pyspark: `make spark` runs these tests", exc_type=ImportError)

from cluster import Cluster
from gate import Gate, Gated

import allonym as al
from allonym.kinds.category import EqualityMetric
from allonym.kinds.concept_metric import ConceptMetric
from allonym.kinds.numeric import NumericMetric
from allonym.methods import METHODS
from allonym.methods.blocks import Block, Blocks, in_turn
from allonym.methods.groups import Groups
from allonym.ontology.scope import Scope
from allonym.progress import no_progress
from allonym.records import Attribute, Masking, Records
from allonym.tables.engines.spark_blocks import runner

JOBS = al.read_taxonomy(Path(__file__).parents[1] / "data" / "mini-jobs.csv")
SIZE = 60
BLOCKED = ("sa-mdav", "sa-mdav-static", "s-mdav", "abril", "mdav", "fusion")


def table(rows: int = 600) -> Records:
    """Draw a table with words, categories and numbers, and survey weights."""
    rng = np.random.default_rng(5)
    attributes = [
        Attribute("job", "text", ConceptMetric([*range(len(JOBS)), None], Scope(JOBS, JOBS.root))),
        Attribute("town", "category", EqualityMetric([f"town {x}" for x in range(12)])),
        Attribute("age", "numeric", NumericMetric([float(x) for x in range(18, 68)])),
    ]
    columns = [rng.integers(0, len(x.values), rows) for x in attributes]
    return Records.of(attributes, columns, weights=rng.uniform(0.5, 3.0, rows))


def blocks_of(records: Records, number: int) -> list[Block]:
    """Cut a table into so many blocks by the order of tuples."""
    parts = np.array_split(np.arange(len(records)), number)
    return [
        Block(records.attributes, records.codes[x], records.counts[x], tuple_mass=np.array(records.mass[x]))
        for x in parts
    ]


def same_masking(a: Masking, b: Masking) -> bool:
    return all(np.array_equal(getattr(a, x), getattr(b, x)) for x in ("source", "share", "groups", "codes"))


def same_groups(a: Groups, b: Groups) -> bool:
    named = (a.named is None and b.named is None) or np.array_equal(a.named, b.named)
    return named and all(np.array_equal(getattr(a, x), getattr(b, x)) for x in ("source", "share", "group"))


def test_the_cluster_has_two_workers_and_both_work(cluster: Cluster, spark: Any) -> None:
    import os

    assert cluster.alive() == 2
    folders = spark.sparkContext.parallelize(range(8), 8).map(lambda _: os.getcwd()).collect()
    assert all(cluster.worker_of(folder) in cluster.workers for folder in folders)
    assert spark.sparkContext.master == cluster.url


@pytest.mark.parametrize("name", BLOCKED)
def test_groups_made_on_executors_are_those_made_here(spark: Any, name: str) -> None:
    records, method = table(), METHODS[name](k=3)
    here = method.mask(records, seed=4, blocks=Blocks(start=0, size=SIZE))
    there = method.mask(records, seed=4, blocks=Blocks(start=0, size=SIZE, run=runner(spark)))
    assert same_masking(here, there)


def test_a_worker_killed_in_the_middle_of_a_job_changes_nothing(cluster: Cluster, spark: Any, tmp_path: Path) -> None:
    blocks, gate = blocks_of(table(), 5), Gate(str(tmp_path))
    method = METHODS["sa-mdav"](k=3)
    killed = []

    def kill_when_both_are_busy(done: int, total: int) -> None:
        if not killed and len(busy := sorted(set(gate.started))) == 2:
            assert done == 0  # nothing went through the gate yet
            killed.append(cluster.worker_of(busy[0]))
            cluster.kill_worker(killed[0])
            gate.open()

    found = runner(spark)(Gated(method, gate), blocks, 4, kill_when_both_are_busy)
    assert killed
    assert cluster.alive() == 1
    assert len(gate.started) > len(blocks)  # what the lost worker was doing was begun again
    assert all(map(same_groups, found, in_turn(method, blocks, 4, no_progress)))


def test_what_tick_raises_cancels_the_job(spark: Any, tmp_path: Path) -> None:
    class CancelledError(Exception):
        """What a progress bar raises when a user has had enough."""

    gate = Gate(str(tmp_path))

    def cancel(done: int, total: int) -> None:
        if gate.started:
            raise CancelledError

    with pytest.raises(CancelledError):
        runner(spark)(Gated(METHODS["sa-mdav"](k=3), gate), blocks_of(table(), 4), 4, cancel)
    assert not spark.sparkContext.statusTracker().getActiveJobsIds()
    gate.open()


def test_an_error_on_an_executor_is_told(spark: Any) -> None:
    blocks = [replace(x, counts=x.counts[:-1]) for x in blocks_of(table(), 2)]
    with pytest.raises(Exception, match="Error"):
        runner(spark)(METHODS["sa-mdav"](k=3), blocks, 4, no_progress)


def test_there_is_nothing_to_do_for_no_blocks(spark: Any) -> None:
    assert runner(spark)(METHODS["sa-mdav"](k=3), [], 4, no_progress) == []
