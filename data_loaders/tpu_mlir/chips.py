"""Chips that TPU-MLIR supports: local memory of a lane, and clock.

Memories are the values that `lmem_spec` prints with tpu_mlir 1.30.2. Clocks are total_cycle /
runtime of compiler profiles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from data_loaders.tpu_mlir.markers import Memory


@dataclass(frozen=True)
class Chip:
    """A chip with all its names, the usual name first; `clock_hz` is `None` if unknown."""

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
# Longest first: a regular expression takes the first alternative that matches.
_NAMES = sorted((name for chip in CHIPS for name in chip.names), key=len, reverse=True)
_NAMED = re.compile(rf"(?<![a-z0-9])({'|'.join(_NAMES)})(?![a-z0-9])", re.IGNORECASE)


def find_chips(hwid: str) -> list[Chip]:
    """Look up a chip's name in any case, or several names joined by ` or `.

    Empty if a name is unknown.
    """
    names = [name.strip() for name in hwid.lower().split(" or ")]
    chips = [chip for name in names for chip in CHIPS if name in chip.names]
    return chips if len(chips) == len(names) else []


def find_chip_name(place: str, memory: Memory | None) -> str | None:
    """Return the last chip name in a path, in lower case.

    Only chips with this memory count, if it is given. Returns `None` if there is no such name.
    """
    names = [match.lower() for match in _NAMED.findall(place)]
    fitting = [name for name in names if memory in (None, find_chips(name)[0].memory)]
    return fitting[-1] if fitting else None


def matching_chip_names(memory: Memory) -> str:
    """Join the names of the chips with this memory by ` or `; "" if there is no such chip."""
    return " or ".join(chip.names[0] for chip in CHIPS if chip.memory == memory)


def chip_clock(hwid: str) -> float | None:
    """Return the clock in Hz of a chip, or of several chips (joined by ` or `) if they share it.

    `None` if it is unknown or differs.
    """
    clocks = {chip.clock_hz for chip in find_chips(hwid)}
    return clocks.pop() if len(clocks) == 1 else None


def chip_memory(hwid: str) -> Memory | None:
    """Return the memory of a chip, or of several chips (joined by ` or `) if they share it.

    `None` if it is unknown or differs.
    """
    memories = {chip.memory for chip in find_chips(hwid)}
    return memories.pop() if len(memories) == 1 else None
