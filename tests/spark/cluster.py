"""A standalone Spark of its own: a master and workers as processes on loopback, gone when the tests are."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import ProxyHandler, build_opener

LOOPBACK = "127.0.0.1"
PATIENCE = 60.0  # seconds until what should happen has happened
KILLED_WITH_PARENT = 1  # prctl: PR_SET_PDEATHSIG
SHORT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for a Java that does not live long enough to be optimised
Found = TypeVar("Found")


def until(look: Callable[[], Found | None], what: str, patience: float = PATIENCE) -> Found:
    """Look again and again until there is something to be seen; say what was waited for, if there never is."""
    end = time.monotonic() + patience
    while not (found := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"Waited {patience:.0f} s for {what}.")
        time.sleep(0.02)
    return found


def _ends_with_parent() -> None:
    """Let this process be killed when its parent is gone, however that happened; where that cannot be said, go on."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(KILLED_WITH_PARENT, signal.SIGKILL)


@dataclass
class Daemon:
    """A process of Spark, with a folder and a process group of its own."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def told(self) -> str:
        """What it has logged so far."""
        return (self.folder / "log").read_text("utf-8", "replace")

    def kill(self) -> None:
        """Kill it, and what it started, without a warning."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@dataclass
class Cluster:
    """A master and its workers. Each worker has one core, and a folder in which its executors work."""

    folder: Path
    master: Daemon = field(init=False)
    workers: list[Daemon] = field(default_factory=list)
    url: str = ""
    page: str = ""
    secret: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    made: int = 0

    def start(self, workers: int = 2) -> None:
        """Start the master and some workers, and wait until they know each other."""
        atexit.register(self.stop)
        (self.folder / "spark.conf").write_text("".join(f"{x} {y}\n" for x, y in self.settings.items()))
        self.master = self.daemon("master", "master.Master", "--host", LOOPBACK, "--port", "0", "--webui-port", "0")
        self.url = self.logged(r"Starting Spark master at (spark://[\d.:]+)")
        self.page = f"http://{LOOPBACK}:" + self.logged(r"started service 'MasterUI' on port (\d+)")
        self.start_workers(workers)

    @property
    def settings(self) -> dict[str, str]:
        """What master, workers and applications must agree on: nobody else on this machine can take part."""
        return {
            "spark.authenticate": "true",
            "spark.authenticate.secret": self.secret,
            "spark.master.rest.enabled": "false",
        }

    def logged(self, pattern: str) -> str:
        """Return what the master says of itself, once it does."""
        return until(lambda: re.search(pattern, self.master.told), "the master of Spark to start")[1]

    def daemon(self, name: str, kind: str, *arguments: str) -> Daemon:
        """Start a process of Spark."""
        import pyspark

        home, folder = Path(pyspark.__file__).parent, self.folder / name
        folder.mkdir()
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": LOOPBACK, "SPARK_NO_DAEMONIZE": "1"}
        environment |= {"SPARK_LOCAL_DIRS": str(folder / "local"), "SPARK_DAEMON_MEMORY": "256m"}
        environment["SPARK_DAEMON_JAVA_OPTS"] = SHORT
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
        command += ["--properties-file", str(self.folder / "spark.conf")]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                cwd=folder,
                start_new_session=True,
                preexec_fn=_ends_with_parent,  # noqa: PLW1509 - it takes no lock another thread may have
            )
        return Daemon(folder, process)

    def start_workers(self, number: int = 1) -> None:
        """Start some more workers, and wait until the master has them."""
        options = ["--host", LOOPBACK, "--cores", "1", "--memory", "1g", "--webui-port", "0"]
        for _ in range(number):
            self.made += 1
            name = f"worker-{self.made}"
            work = str(self.folder / name / "work")
            self.workers.append(self.daemon(name, "worker.Worker", *options, "--work-dir", work, self.url))
        until(lambda: self.alive() == len(self.workers), "the workers of Spark to be registered")

    def state(self) -> dict[str, Any]:
        """Return what the master knows."""
        with build_opener(ProxyHandler({})).open(f"{self.page}/json/", timeout=PATIENCE) as answer:
            return json.load(answer)

    def alive(self) -> int:
        """Return how many workers the master takes to be alive."""
        return int(self.state()["aliveworkers"])

    def worker_of(self, folder: str) -> Daemon:
        """Return the worker in whose folder an executor works."""
        return next(x for x in self.workers if Path(folder).is_relative_to(x.folder))

    def kill_worker(self, worker: Daemon) -> None:
        """Kill a worker and its executors, and wait until the master has seen it."""
        before = self.alive()
        worker.kill()
        self.workers.remove(worker)
        until(lambda: self.alive() < before, "the master of Spark to miss a worker")

    def stop(self) -> None:
        """Kill all of it, and remove what it wrote."""
        for one in [*self.workers, *([self.master] if hasattr(self, "master") else [])]:
            one.kill()
        self.workers.clear()
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.stop)
