"""One cluster, and one session on it, for all tests of this folder; every test begins with two workers."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cluster import LOOPBACK, SHORT, Cluster

WORKERS = 2


@pytest.fixture(scope="session")
def running() -> Iterator[Cluster]:
    """Start a master and two workers."""
    if shutil.which("java") is None:
        pytest.fail("No java. Hint: apt install default-jre-headless", pytrace=False)
    cluster = Cluster(Path(tempfile.mkdtemp(prefix="allonym-spark-")))
    try:
        cluster.start(WORKERS)
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def cluster(running: Cluster) -> Cluster:
    """Replace the workers that other tests have killed."""
    running.start_workers(WORKERS - len(running.workers))
    return running


@pytest.fixture(scope="session")
def started(running: Cluster) -> Iterator[Any]:
    """Start a session on the cluster."""
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    os.environ["SPARK_LOCAL_IP"] = LOOPBACK
    builder = SparkSession.builder.master(running.url).appName("allonym tests")
    settings = running.settings | {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": SHORT,
        "spark.executor.extraJavaOptions": SHORT,
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.executorEnv.PYTHONPATH": str(Path(__file__).parent),  # what tests send imports modules of this folder
        "spark.ui.enabled": "false",
        "spark.local.dir": str(running.folder / "driver"),
        "spark.sql.warehouse.dir": str(running.folder / "warehouse"),
        "spark.sql.shuffle.partitions": "4",
        "spark.log.level": "ERROR",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@pytest.fixture
def spark(cluster: Cluster, started: Any) -> Any:
    """Return the session, on two workers."""
    return started
