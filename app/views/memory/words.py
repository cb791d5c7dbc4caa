"""What memory views are called: attempts of an allocator, levels of a plan, or devices of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from services.runs import RunData

_STEPS: Mapping[str, tuple[str, str]] = {
    "attempts": (
        "Attempts",
        "Allocation attempts by layer group, or the levels of the plan. Click a row to show it; vs compares it with "
        "the attempt before it in its group.",
    ),
    "packing": (
        "Built-in allocators",
        "The same blocks placed by the built-in allocators, ignoring the capacity. Choose one above the map to see it.",
    ),
    "block": ("Block", "The selected block, its neighbours in memory, and the operators that use it."),
    "alive": ("Alive", "What is alive at the step cursor, or at the peak. Click selects a block."),
    "occupants": (
        "Blocks in banks",
        "Which blocks lie in each bank at each step, around the step cursor; a cell's tooltip has their bytes.",
    ),
    "conflicts": (
        "Bank conflicts",
        "Candidates: blocks that one step computes with and transfers in the same bank. Not every one costs time.",
    ),
    "compare": ("Comparison", "The shown attempt (A) against the other (B): each number, and each block by name."),
}
_TIMES: Mapping[str, tuple[str, str]] = {
    "attempts": ("Devices", "The devices that have buffers, those with the highest peak first. Click shows one."),
    "block": ("Buffer", "The selected buffer: when it lives, and which kernels use it. Click a kernel to look at it."),
    "alive": ("Alive", "The buffers that are alive at the time cursor, or at the peak. Click selects a buffer."),
}
_TIMED_PANELS: Mapping[str, str] = {
    "map": "The largest buffers of the shown device as stacked lifetimes: time across, bytes up. A profile has no "
    "addresses, so a built-in allocator places them. "
    "Drag zooms every view to that time, click selects a buffer, double click shows all.",
    "live": "Bytes alive over time: of all devices together, of the most used devices, of the rest. The diamond is the "
    "peak. Drag zooms every view to that time, click sets the time cursor.",
}


@dataclass(frozen=True)
class MemoryWords:
    """The words of a kind of run: part -> title and help; panel -> help where it is not the panel's own.

    A part that is not named is not there.
    """

    parts: Mapping[str, tuple[str, str]]
    panels: Mapping[str, str] = field(default_factory=dict)
    find: str = "find a block"


def words_for(data: RunData) -> MemoryWords:
    """Return the words for a run."""
    if data.timed:
        return MemoryWords(_TIMES, _TIMED_PANELS, "find a buffer")
    if data.memory is None or not data.memory.attempts["level"].notna().all():
        return MemoryWords(_STEPS)
    return MemoryWords({**_STEPS, "attempts": ("Levels", _STEPS["attempts"][1])})
