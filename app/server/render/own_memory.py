"""The memory that a process has for itself, as the system counts it."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from pathlib import Path

_STEP_BYTES = 4 * 2**20
"""Growth or shrinkage below which the last count of what is its own stays good."""
_COUNTED_EVERY = 16
"""Questions after which it is counted anew: what is shared becomes the process' own once it writes to it."""


def resident_bytes() -> int:
    """Return the bytes of memory that this process has, of those that it was forked with too."""
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * resource.getpagesize()


@dataclass
class OwnMemory:
    """Counts what would be free without this process: what it shares with others is not counted.

    The system walks over all pages for it, 10 ms of a process of 500 MB, so that a count stays good until the process
    has grown or shrunk.
    """

    _asked: int = 0
    _resident: int = 0
    _own: int = 0

    def measure(self) -> int:
        """Return the bytes, to a few MiB."""
        resident = resident_bytes()
        if self._asked % _COUNTED_EVERY == 0 or abs(resident - self._resident) > _STEP_BYTES:
            self._resident, self._own = resident, _private_bytes()
        self._asked += 1
        return max(0, self._own + resident - self._resident)


def _private_bytes() -> int:
    text = Path("/proc/self/smaps_rollup").read_text(encoding="ascii")
    return 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_"))
