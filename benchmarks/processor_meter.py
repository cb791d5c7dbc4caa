"""Processor time of a server over minutes, in which some of its processes end.

The system forgets the time of a process that ends if its parent process does not wait for it, as the
parent of render processes does not. The meter therefore reads the time of each process repeatedly.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.serving import Served, process_status

_EVERY_S = 0.2
"""Seconds between two readings: a process that ends loses at most its time since the last one."""


class ProcessorMeter:
    """Processor time that the processes of a server use while the meter runs."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._first: dict[tuple[int, int], int] = {}
        self._last: dict[tuple[int, int], int] = {}
        self._read(is_first=True)

    @property
    def seconds(self) -> float:
        """Seconds of all processes, with those that have ended."""
        ticks = sum(self._last.values()) - sum(self._first.values())
        return ticks / os.sysconf("SC_CLK_TCK")

    def run(self, stopped: threading.Event) -> None:
        """Read the times of the processes until `stopped` is set."""
        while not stopped.wait(_EVERY_S):
            self._read()
        self._read()

    def _read(self, *, is_first: bool = False) -> None:
        for pid in self._served.process_ids():
            if fields := process_status(pid):
                # utime, stime and starttime, fields 14, 15 and 22.
                key, ticks = (pid, int(fields[19])), int(fields[11]) + int(fields[12])
                self._last[key] = ticks
                if is_first:
                    self._first[key] = ticks


@contextmanager
def measure_processor(served: Served) -> Iterator[ProcessorMeter]:
    """Measure the processor time of a server until the context ends; yield the meter."""
    meter = ProcessorMeter(served)
    stopped = threading.Event()
    thread = threading.Thread(target=meter.run, args=(stopped,), daemon=True)
    thread.start()
    try:
        yield meter
    finally:
        stopped.set()
        thread.join()
