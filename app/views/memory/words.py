"""What memory views are called: attempts of an allocator, levels of a plan, or devices of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from services.runs import RunData

_STEPS: Mapping[str, tuple[str, str]] = {
    "attempts": (
        "Attempts",
        "What the allocator tried, or the levels of the plan. Click shows one; the last column compares it with it.",
    ),
    "packing": (
        "What was possible",
        "The same blocks laid out by our own allocators, whatever the capacity. The choice above the map shows how.",
    ),
    "block": ("Block", "The selected block, what lies beside it, and who uses it."),
    "alive": ("Alive", "What is alive at the step cursor, or at the peak. Click selects a block."),
    "conflicts": (
        "Bank conflicts",
        "Candidates: blocks that one step computes with and moves, in one bank. Not each costs time.",
    ),
    "compare": ("Comparison", "The shown attempt against the other: each number, and each block by name."),
}
_TIMES: Mapping[str, tuple[str, str]] = {
    "attempts": ("Devices", "The devices that have buffers, those with the highest peak first. Click shows one."),
    "block": ("Buffer", "The selected buffer: when it lives, and which kernels use it. Click a kernel to look at it."),
    "alive": ("Alive", "The buffers that are alive at the time cursor, or at the peak. Click selects a buffer."),
}
_TIMED_PANELS: Mapping[str, str] = {
    "map": "The largest buffers of the shown device as stacked lifetimes: time across, bytes up. The places are ours: "
    "a profile has no addresses. Drag zooms every view to that time, click selects a buffer, double click shows all.",
    "live": "Bytes alive over time: of all devices together, of the most used ones, of the rest. The diamond is the "
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
