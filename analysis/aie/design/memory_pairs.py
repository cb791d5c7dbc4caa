"""Pairs of buffers that share a bank: a core uses one buffer, and the same core, another core or a
channel uses the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from analysis.aie.design.model import DesignModel
from analysis.aie.design.traced import TracedUnits, memory_unit

STALL = "MEMORY_STALL"
_CONFLICT = re.compile(r"CONFLICT_DM_BANK_(\d{1,3})")
_PHYSICAL_BANKS_OF_CORE = 2
"""Number of physical banks of a core tile that the compiler counts as a single bank (AM020); they
alternate every 16 bytes.
"""
Buffer = Mapping[str, Any]


@dataclass(frozen=True)
class Pair:
    """Two buffers of a memory with a bank in common, sorted by name."""

    memory: str
    bank: int
    first: str
    second: str


@dataclass(frozen=True)
class MemoryStalls:
    """Memory stalls of a core, the pairs that may cause them, and banks with traced conflicts.

    `cycles` is `None` if the event was not traced. `conflicts` maps a memory to its banks with
    conflicts, the bank with most cycles of conflicts first; empty unless the evidence is `traced`.
    """

    core: str
    cycles: int | None
    pairs: tuple[Pair, ...]
    conflicts: Mapping[str, tuple[int, ...]]

    @property
    def evidence(self) -> str:
        """`traced` if the trace narrows the stalls to banks, else `design`."""
        return "traced" if self.conflicts else "design"

    def is_traced(self, pair: Pair) -> bool:
        """Whether the pair is in a bank with traced conflicts."""
        return pair.bank in self.conflicts.get(pair.memory, ())


def memory_stalls(units: TracedUnits, model: DesignModel, core: str) -> MemoryStalls:
    """Find the pairs of a traced core in all memories that it uses.

    Raises ValueError if a memory has more than MAX_BUFFERS buffers.
    """
    memories = dict.fromkeys(buffer["tile"] for buffer in model.buffers if core in buffer["users"])
    pairs = [pair for memory in memories for pair in find_pairs(model.tile_buffers(memory), core)]
    stalls = units.intervals(core, STALL)
    cycles = stalls.cycles if units.traces(core, STALL) else None
    conflicts = {}
    for memory in memories if cycles else ():
        banks = _conflicting_banks(units, model, memory)
        if banks:
            conflicts[memory] = banks
    return MemoryStalls(core, cycles, tuple(pairs), conflicts)


def find_pairs(buffers: Sequence[Buffer], core: str) -> Iterator[Pair]:
    """Yield the pairs of different buffers of one memory that share a bank: one used by the core,
    the other by anything, the core included.
    """
    for left, right in combinations(buffers, 2):
        if not is_used_pair(left, right, core):
            continue
        names = sorted((left["name"], right["name"]))
        for bank in sorted(buffer_banks(left) & buffer_banks(right)):
            yield Pair(left["tile"], bank, names[0], names[1])


def is_used_pair(left: Buffer, right: Buffer, core: str) -> bool:
    """Whether the core uses one of two buffers, and anything the other one."""
    users = (left["users"], right["users"])
    return all(users) and any(core in of_one for of_one in users)


def buffer_banks(buffer: Buffer) -> set[int]:
    """Return the banks of a row of `design_buffers`; empty if they are not known."""
    if buffer["first_bank"] is None:
        return set()
    return set(range(buffer["first_bank"], buffer["last_bank"] + 1))


def _conflicting_banks(units: TracedUnits, model: DesignModel, memory: str) -> tuple[int, ...]:
    """Return the banks of a memory, as the compiler counts them, with traced conflicts; the bank with
    most cycles of conflicts comes first.
    """
    unit = memory_unit(memory)
    divisor = _PHYSICAL_BANKS_OF_CORE if model.tiles[memory]["kind"] == "core" else 1
    cycles: dict[int, int] = {}
    for event in units.seen_events(unit):
        match = _CONFLICT.fullmatch(event)
        if match:
            bank = int(match[1]) // divisor
            cycles[bank] = cycles.get(bank, 0) + units.intervals(unit, event).cycles
    return tuple(sorted(cycles, key=lambda bank: (-cycles[bank], bank)))
