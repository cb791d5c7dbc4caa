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
        """Return the number of the process `name`."""
        return self._processes[name]

    def next_id(self) -> int:
        """Return the next unused number."""
        return next(self._count)
