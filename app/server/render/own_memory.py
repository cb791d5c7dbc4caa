"""Measure the memory of a process, and give it back."""

from __future__ import annotations

import ctypes
import resource
from dataclasses import dataclass
from pathlib import Path

_STEP_BYTES = 4 * 2**20
"""Change of the resident size in bytes above which private memory is measured again."""
_COUNTED_EVERY = 16
"""Calls after which it is measured again: a shared page becomes private once it is written to."""


def resident_bytes() -> int:
    """Return the resident bytes of this process, including pages shared with its parent."""
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * resource.getpagesize()


def give_back_memory() -> None:
    """Return free memory of the allocator to the system if the C library supports it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


@dataclass
class OwnMemory:
    """Measures the memory that would be freed if this process ended; shared pages do not count.

    The system walks over all pages for it, 10 ms for a process of 500 MB. The last measurement is
    therefore reused until the process has grown or shrunk.
    """

    _calls: int = 0
    _resident: int = 0
    _own: int = 0

    def measure(self) -> int:
        """Return the private bytes of this process, accurate to a few MiB; at least 0."""
        resident = resident_bytes()
        if self._calls % _COUNTED_EVERY == 0 or abs(resident - self._resident) > _STEP_BYTES:
            self._resident = resident
            self._own = _private_bytes()
        self._calls += 1
        return max(0, self._own + resident - self._resident)


def _private_bytes() -> int:
    text = Path("/proc/self/smaps_rollup").read_text(encoding="ascii")
    return 1024 * sum(
        int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_")
    )
