"""A Dask scheduler and its workers, started as an operator starts them."""

import contextlib
import os
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.ports import free_port
from tests.support.services import ROOT
from tests.support.waiting import PATIENCE_S, wait_until


@dataclass
class DaskCluster:
    """A running scheduler. Its `workers` have no nannies, so that a killed worker is not restarted."""

    address: str
    folder: Path
    workers: list[subprocess.Popen] = field(default_factory=list)

    def add_worker(self):
        place = self.folder / f"worker{len(self.workers)}"
        options = [
            "--no-nanny",
            "--nthreads",
            "1",
            "--host",
            "127.0.0.1",
            "--no-dashboard",
            "--memory-limit",
            "0",
        ]
        command = [
            "distributed.cli.dask_worker",
            self.address,
            *options,
            "--local-directory",
            str(place),
        ]
        self.workers.append(_started(command, self.folder / f"worker{len(self.workers)}.log"))

    def kill_worker(self):
        """Kill the worker that was added first."""
        worker = self.workers.pop(0)
        worker.kill()
        worker.wait()


@contextlib.contextmanager
def dask_cluster(folder, workers):
    """Context with a scheduler and `workers` workers, which can import the project's modules."""
    port = free_port()
    options = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show"]
    scheduler = _started(["distributed.cli.dask_scheduler", *options], folder / "scheduler.log")
    cluster = DaskCluster(f"tcp://127.0.0.1:{port}", folder)
    try:
        wait_until(lambda: _is_reached(port), OSError)
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        # A worker that has run a task of the project outlives SIGTERM by more than ten seconds, and
        # a cluster of tests holds no results that have to be kept.
        for process in (*cluster.workers, scheduler):
            process.kill()
        for process in (*cluster.workers, scheduler):
            process.wait()


def _started(command, log):
    with log.open("ab") as output:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=log.parent,
            env=environment,
            stdout=output,
            stderr=output,
        )


def _is_reached(port):
    socket.create_connection(("127.0.0.1", port), PATIENCE_S).close()
    return True
