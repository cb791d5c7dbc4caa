"""Resource limits of a process that reads an untrusted file, and functions to apply them."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

MAX_FILE_BYTES = 2 * 2**30
"""Largest file in bytes that a reader may write."""
_RESERVE_BYTES = 256 * 2**20
"""Memory in bytes that is held back so that a process without memory can still report that."""
_OWN_BYTES = 2**30
"""Address space of Python and the reader's modules, if the system does not report it."""


@dataclass(frozen=True)
class Limits:
    """Resource limits of a reading process.

    `memory_mb`: MiB of memory beyond the memory of the reader's own modules. `processor_s` and
    `clock_s`: seconds of processor time and of elapsed time for any file; `..._per_mb`: further
    seconds per MiB of content. `graph_nodes`: if a compiler's graphs have more nodes, graphs are
    left out.
    """

    memory_mb: int = 2500
    processor_s: float = 4.0
    processor_s_per_mb: float = 1.0
    clock_s: float = 60.0
    clock_s_per_mb: float = 5.0
    graph_nodes: int = 500_000

    def text(self) -> str:
        """Format the limits as JSON, a command-line argument for another process.

        `Limits.of` parses it.
        """
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> Limits:
        """Parse the limits from the JSON that `Limits.text` made."""
        return cls(**json.loads(text))

    def processor(self, size: int) -> float:
        """Compute the processor time in s that reading `size` bytes of content may take."""
        return self.processor_s + self.processor_s_per_mb * size / 2**20

    def clock(self, size: int) -> float:
        """Compute the elapsed time in s that reading files of `size` bytes may take."""
        return self.clock_s + self.clock_s_per_mb * size / 2**20


def limit_memory(
    limits: Limits, max_file_bytes: int | None = MAX_FILE_BYTES, further_mb: int = 0
) -> None:
    """Limit this process's address space to its present size plus `memory_mb` MiB, plus
    `further_mb` MiB for modules that it has yet to import.

    Python raises MemoryError when the limit is exceeded. Also disables core files. `max_file_bytes`
    is the size of the largest file that it may write, `None` for a process that writes to a
    database.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if max_file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, max_file_bytes))
    soft = _address_space() + (limits.memory_mb + further_mb) * 2**20
    _, inherited = resource.getrlimit(resource.RLIMIT_AS)
    hard = soft + _RESERVE_BYTES
    if inherited != resource.RLIM_INFINITY:  # only root may raise a limit above the parent's
        hard = min(hard, inherited)
    resource.setrlimit(resource.RLIMIT_AS, (min(soft, hard), hard))


def release_reserve() -> None:
    """Raise the memory limit of this process by its reserve (256 MiB), so that it can report why it
    ends.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


@contextmanager
def reserve_in_use() -> Iterator[None]:
    """Raise the memory limit of this process by its reserve (256 MiB) within the context, to store
    the data that it read.
    """
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def is_reserve_released() -> bool:
    """Whether this process has no reserve any more because it ran out of memory before: soft and
    hard memory limit are equal.

    False without a limit.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    return soft == hard != resource.RLIM_INFINITY


def limit_processor(limits: Limits, size: int) -> None:
    """Limit this process to the processor time for `size` bytes, counted from now.

    The process is killed when it exceeds the limit. The limit is in whole seconds.
    """
    soft = _processor_limit_s(limits, size)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + 1))


@contextmanager
def limited_processor(limits: Limits, size: int) -> Iterator[None]:
    """Limit this process to the processor time for `size` bytes within the context.

    The process is killed when it exceeds the limit. The hard limit is unchanged, so that the
    process can continue with other work and its children can have limits of their own.
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
    """Compute the limit of processor time in whole s, rounded up: time used so far plus time for
    `size` bytes.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    return int(used.ru_utime + used.ru_stime + limits.processor(size)) + 1


def _address_space() -> int:
    """Return the size of this process's address space in bytes.

    1 GiB if the system does not report it.
    """
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return _OWN_BYTES
    return pages * resource.getpagesize()
