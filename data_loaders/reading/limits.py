"""Limits of a process that reads an untrusted file, and how it applies them to itself."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

MAX_FILE_BYTES = 2 * 2**30
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


def limit_memory(limits: Limits, max_file_bytes: int | None = MAX_FILE_BYTES) -> None:
    """Bind this process to its memory; more is a MemoryError. It leaves no core files.

    `max_file_bytes` is the size of the largest file that it may write, None for a process that writes to a database.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if max_file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, max_file_bytes))
    soft = _address_space() + limits.memory_mb * 2**20
    _, inherited = resource.getrlimit(resource.RLIMIT_AS)
    hard = soft + _RESERVE_BYTES
    if inherited != resource.RLIM_INFINITY:  # only root may have more than the process that started this one
        hard = min(hard, inherited)
    resource.setrlimit(resource.RLIMIT_AS, (min(soft, hard), hard))


def release_reserve() -> None:
    """Let this process use the last of its memory, to say why it ends."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


@contextmanager
def reserve_in_use() -> Iterator[None]:
    """Let this process use the last of its memory until the block ends: what was read is to be stored."""
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def is_reserve_released() -> bool:
    """Return whether this process once ran out of its memory: it has no reserve any more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    return soft == hard != resource.RLIM_INFINITY


def limit_processor(limits: Limits, size: int) -> None:
    """Bind this process to the processor time for `size` bytes, from now on; it is killed beyond."""
    soft = _processor_limit_s(limits, size)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))


@contextmanager
def limited_processor(limits: Limits, size: int) -> Iterator[None]:
    """Bind this process to the processor time for `size` bytes until the block ends; it is killed beyond.

    The hard limit stays as it is, so that the process may go on to other work, and processes that it starts may have
    limits of their own.
    """
    before, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = _processor_limit_s(limits, size)
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (before, hard))


def _processor_limit_s(limits: Limits, size: int) -> int:
    """Compute the limit of the processor time in s: what this process has used, and the time for `size` bytes."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return int(used.ru_utime + used.ru_stime + limits.processor(size)) + 1


def _address_space() -> int:
    """Return the bytes of address space that this process has taken."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return _OWN_BYTES
    return pages * resource.getpagesize()
