"""Limits of a process that reads an untrusted file, and how it applies them to itself."""

from __future__ import annotations

import json
import resource
from dataclasses import asdict, dataclass
from pathlib import Path

MOST_FILE_BYTES = 2 * 2**30
"""Largest file that a reader may write."""
_RESERVE_BYTES = 256 * 2**20
"""Memory that is kept back for saying that there was too little."""
_OWN_BYTES = 2**30
"""What our modules take, where the system does not say."""


@dataclass(frozen=True)
class Limits:
    """Memory in MiB beyond what the reader's own modules take; processor time and time on the clock, each so many
    seconds and so many more per MiB of content; nodes of a compiler's graphs beyond which they are left out.
    """

    memory_mb: int = 2500
    processor_s: float = 4.0
    processor_s_per_mb: float = 1.0
    clock_s: float = 60.0
    clock_s_per_mb: float = 5.0
    graph_nodes: int = 500_000

    def text(self) -> str:
        """Return them as an argument for another process."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> Limits:
        """Return the limits of such an argument."""
        return cls(**json.loads(text))

    def processor(self, size: int) -> float:
        """Return the processor time in s that `size` bytes of content may take."""
        return self.processor_s + self.processor_s_per_mb * size / 2**20

    def clock(self, size: int) -> float:
        """Return the time in s that `size` bytes of files may take."""
        return self.clock_s + self.clock_s_per_mb * size / 2**20


def limit_memory(limits: Limits) -> None:
    """Bind this process to its memory; more is a MemoryError. It leaves no core files and writes no huge ones."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
    most = _address_space() + limits.memory_mb * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most + _RESERVE_BYTES))


def release_reserve() -> None:
    """Let this process use the last of its memory, to say why it ends."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def limit_processor(limits: Limits, size: int) -> None:
    """Bind this process to the processor time for `size` bytes, from now on; it is killed beyond."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + limits.processor(size)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))


def _address_space() -> int:
    """Return the bytes of address space that this process has taken."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return _OWN_BYTES
    return pages * resource.getpagesize()
