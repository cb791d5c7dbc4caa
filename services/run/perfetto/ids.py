"""Process and thread numbers of a trace.

All are distinct: Perfetto takes a thread with its process' number for the main thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count


class Ids:
    """The numbers of a trace, from 1; processes come first."""

    def __init__(self, processes: Sequence[str]) -> None:
        self._count = count(1)
        self._processes = {name: next(self._count) for name in processes}

    def process(self, name: str) -> int:
        """Return the number of the process `name`, from 1 in the order of the processes. Raises
        KeyError if it is unknown.
        """
        return self._processes[name]

    def next_id(self) -> int:
        """Return the next unused number of the trace, which differs from all numbers of processes."""
        return next(self._count)
