"""Group blocks of tuples on the executors of Spark, by the same kernels as in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from allonym.arrays import Ints
from allonym.methods.blocks import Block, Partitioning, Runner, partitioned
from allonym.methods.groups import Groups
from allonym.progress import Progress

Parcel = tuple[int, bytes, bytes, bytes | None]  # the number of a block; its codes, counts and what tuples count
Answer = tuple[int, bytes, bytes, bytes, bytes | None]  # the number of a block; its groups, array by array
POLLING_SECONDS = 0.2  # between two queries of the progress of a job


def runner(session: Any) -> Runner:
    """Return a runner that groups blocks on the executors of a session: `Blocks(run=runner(session))`.

    Spark pickles what blocks share, the method and the metrics, and sends it to every executor once. Blocks and their
    groups travel as integers. If an executor is lost, Spark gives its block to another; the groups are the same, since
    they depend on the block and the seed only.
    """

    def run(method: Partitioning, blocks: Sequence[Block], seed: int, tick: Progress) -> list[Groups]:
        if not blocks:
            return []
        context = session.sparkContext
        shared = context.broadcast((method, blocks[0].attributes, seed))
        parcels = [_parcel(number, block) for number, block in enumerate(blocks)]

        def work(parcels: Iterator[Parcel]) -> Iterator[Answer]:
            for parcel in parcels:
                yield answer(shared.value, parcel)

        try:
            answers = _collected(context, parcels, work, tick)
        finally:
            shared.destroy()
        return [_groups(x) for x in sorted(answers)]

    return run


def answer(shared: tuple[Partitioning, Any, int], parcel: Parcel) -> Answer:
    """Group the tuples of one block on an executor, and return the groups as bytes."""
    method, attributes, seed = shared
    number, codes, counts, mass = parcel
    block = Block(
        attributes,
        _ints(codes).reshape(-1, len(attributes)),
        _ints(counts),
        tuple_mass=None if mass is None else np.frombuffer(mass, np.float64),
    )
    groups = partitioned(method, block, seed)
    named = None if groups.named is None else _bytes(groups.named)
    return number, _bytes(groups.source), _bytes(groups.share), _bytes(groups.group), named


def _parcel(number: int, block: Block) -> Parcel:
    mass = None if block.tuple_mass is None else np.ascontiguousarray(block.tuple_mass).tobytes()
    return number, _bytes(block.codes), _bytes(block.counts), mass


def _groups(answer: Answer) -> Groups:
    _, source, share, group, named = answer
    return Groups(_ints(source), _ints(share), _ints(group), None if named is None else _ints(named))


def _bytes(array: Ints) -> bytes:
    return np.ascontiguousarray(array, np.int64).tobytes()


def _ints(content: bytes) -> Ints:
    return np.frombuffer(content, np.int64)


def _collected(context: Any, parcels: list[Parcel], work: Any, tick: Progress) -> list[Answer]:
    """Return the answers of a job with a task for each block; report its progress, and cancel it if `tick` raises."""
    from pyspark import InheritableThread

    group, answers, errors = f"allonym-{uuid4()}", list[Answer](), list[BaseException]()
    total = len(parcels)

    def job() -> None:
        try:
            context.setJobGroup(group, "allonym: groups of blocks", interruptOnCancel=True)
            answers.extend(context.parallelize(parcels, total).mapPartitions(work).collect())
        except BaseException as error:
            errors.append(error)

    thread = InheritableThread(target=job)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLLING_SECONDS)
            tick(min(_done(context, group), total), total)
    except BaseException:
        context.cancelJobGroup(group)
        thread.join()
        raise
    if errors:
        raise errors[0]
    return answers


def _done(context: Any, group: str) -> int:
    """Return the number of finished tasks of a group of jobs."""
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(x) for x in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(x) for job in jobs if job is not None for x in job.stageIds]
    return sum(stage.numCompletedTasks for stage in stages if stage is not None)
