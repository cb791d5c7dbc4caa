"""Idle render processes, and the limit on the memory that they hold together."""

from __future__ import annotations

import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from ingest.template import Template


@dataclass(frozen=True, eq=False)
class ForkedProcess:
    """A forked process: its id, and the connection to it."""

    pid: int
    connection: Connection

    def end(self) -> None:
        """Kill the process, if it still runs, and close the connection."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        self.connection.close()


class IdleProcesses:
    """Idle processes forked from `template`, by the place of a pool that they belong to.

    Together they hold at most `limit_bytes`; if they exceed it, the least recently used end.
    """

    def __init__(self, template: Template, limit_bytes: int) -> None:
        self._template = template
        self._limit_bytes = limit_bytes
        self._idle: OrderedDict[Hashable, tuple[ForkedProcess, int]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, place: Hashable) -> ForkedProcess:
        """Remove and return the process of a place, or fork a new one if the place has none.

        Raises TemplateGoneError if the template has ended.
        """
        with self._lock:
            process, _ = self._idle.pop(place, (None, 0))
        return process or ForkedProcess(*self._template.fork())

    def put(self, place: Hashable, process: ForkedProcess, held_bytes: int) -> None:
        """Add an idle process of a place that holds `held_bytes` of memory, and end the least
        recently used processes above the limit.

        The added process itself is never ended here.
        """
        with self._lock:
            self._idle[place] = process, held_bytes
            ended = self._take_surplus()
        for other in ended:
            other.end()

    def _take_surplus(self) -> list[ForkedProcess]:
        surplus: list[ForkedProcess] = []
        # A limit for all together: equal limits for each would drop a profile of a million events
        # after every request.
        while (
            len(self._idle) > 1 and sum(held for _, held in self._idle.values()) > self._limit_bytes
        ):
            surplus.append(self._idle.popitem(last=False)[1][0])
        return surplus
