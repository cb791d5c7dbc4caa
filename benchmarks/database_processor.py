"""Processor time of work on a catalogue: that of this process, its children and the database server,
so that other work on the machine does not count.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from sqlalchemy import text

from benchmarks.serving import process_status
from storage.repository import Repository

_TICKS = os.sysconf("SC_CLK_TCK")


class DatabaseProcessor:
    """Processor seconds of this process, its children, and a database server of this machine."""

    def __init__(self, repository: Repository) -> None:
        with repository.catalogue.connect() as connection:
            backend = connection.scalar(text("SELECT pg_backend_pid()"))
        self._server = int(process_status(int(backend))[1])

    def seconds(self) -> float:
        """Return the processor seconds up to now."""
        own = [
            resource.getrusage(resource.RUSAGE_SELF),
            resource.getrusage(resource.RUSAGE_CHILDREN),
        ]
        return sum(usage.ru_utime + usage.ru_stime for usage in own) + self._server_s()

    def _server_s(self) -> float:
        """Sum the times of the server, of its ended children, and of its living children."""
        server = process_status(self._server)
        ticks = sum(map(int, server[11:15]))
        for process in Path("/proc").glob("[0-9]*"):
            fields = process_status(int(process.name))
            if fields and int(fields[1]) == self._server:
                ticks += sum(map(int, fields[11:13]))
        return ticks / _TICKS


def measure(
    repository: Repository,
    work: Callable[[], object],
    repeats: int,
    prepare: Callable[[], object] = lambda: None,
) -> tuple[float, float]:
    """Return the median processor and wall seconds of repeated work, each after `prepare`."""
    processor = DatabaseProcessor(repository)
    used = []
    walls = []
    for _ in range(repeats):
        prepare()
        before = processor.seconds()
        begin = time.perf_counter()
        work()
        walls.append(time.perf_counter() - begin)
        used.append(processor.seconds() - before)
    return median(used), median(walls)
