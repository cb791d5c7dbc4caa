"""The chips that TPU-MLIR compiles for: local memory of a lane, and clock.

Memory as `lmem_spec` prints it per chip with tpu_mlir 1.30.2; clocks are total_cycle / runtime of compiler profiles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from data_loaders.tpu_mlir.markers import Memory


@dataclass(frozen=True)
class Chip:
    """Chips of one make under all their names, the usual one first; `clock_hz` is None where it is not known."""

    names: tuple[str, ...]
    memory: Memory
    clock_hz: float | None


CHIPS = (
    Chip(("bm1684",), Memory(128, 64, 524288, 8, 65536), None),
    Chip(("bm1684x",), Memory(64, 64, 262144, 16, 16384), 1.0e9),
    Chip(("bm1684x2",), Memory(32, 16, 262144, 16, 16384), 1.5e9),
    Chip(("bm1688", "cv186x", "bm1686"), Memory(16, 32, 131072, 16, 8192), 0.9e9),
    Chip(("bm1690", "bm1690e", "sg2262", "sg2260"), Memory(64, 64, 262144, 16, 16384), 1.0e9),
    Chip(("sg2380",), Memory(16, 32, 131072, 16, 8192), 1.0e9),
    Chip(("sgtpuv8",), Memory(16, 8, 65536, 16, 4096), 0.75e9),
    Chip(("cv184x", "mars3"), Memory(16, 8, 65536, 16, 4096), 0.75e9),
    Chip(("cv183x",), Memory(16, 32, 32768, 8, 4096), None),
    Chip(("cv181x", "cv182x"), Memory(16, 8, 32768, 8, 4096), None),
    Chip(("cv180x",), Memory(16, 2, 32768, 8, 4096), None),
)
_NAMES = sorted((name for chip in CHIPS for name in chip.names), key=len, reverse=True)
_NAMED = re.compile(rf"(?<![a-z0-9])({'|'.join(_NAMES)})(?![a-z0-9])", re.IGNORECASE)


def chips_called(hwid: str) -> list[Chip]:
    """Return the chip of a name, or those of several joined by ` or `; none where one is not known."""
    names = [name.strip() for name in hwid.lower().split(" or ")]
    found = [chip for name in names for chip in CHIPS if name in chip.names]
    return found if len(found) == len(names) else []


def chip_name_in(place: str, memory: Memory | None) -> str | None:
    """Return the last chip named in a path whose memory is this one, where that is known."""
    named = [match.lower() for match in _NAMED.findall(place)]
    fitting = [name for name in named if memory in (None, chips_called(name)[0].memory)]
    return fitting[-1] if fitting else None


def chip_names_with(memory: Memory) -> str:
    """Return the chips of this memory, joined by ` or `; empty for none."""
    return " or ".join(chip.names[0] for chip in CHIPS if chip.memory == memory)


def clock_of(hwid: str) -> float | None:
    """Return the clock of a chip, or of several where it is the same; None where it is not known."""
    clocks = {chip.clock_hz for chip in chips_called(hwid)}
    return clocks.pop() if len(clocks) == 1 else None


def memory_of(hwid: str) -> Memory | None:
    """Return the memory of a chip, or of several where it is the same; None where it is not known."""
    memories = {chip.memory for chip in chips_called(hwid)}
    return memories.pop() if len(memories) == 1 else None
