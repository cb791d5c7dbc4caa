"""Build the frames of a memory map from a buffer assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data_loaders.xla.assignment import KINDS, Allocation, Assignment
from data_loaders.xla.companions import Companions
from data_loaders.xla.live_range import LiveRanges, range_name
from data_loaders.xla.module_text import ModuleText
from data_loaders.xla.sharing import Placed, storage_owners
from data_loaders.xla.uses import uses_frame
from schema.frames import complete

_ROLES: Mapping[str, tuple[str, str]] = {
    "constant": ("constant", ""),
    "parameter": ("variable", "input"),
    "maybe-live-out": ("activation", "output"),
    "thread-local": ("transient", ""),
}
"""Kind of an allocation -> kind and role of its values.

A kind that is missing here has kind "activation" and no role.
"""


def map_frames(
    assignment: Assignment, companions: Companions, options: Mapping[str, str | int]
) -> dict[str, Any]:
    """Build frames `attempts` (a row per level) and `allocations` (a row per value).

    If there are live ranges, also build `steps`, and `buffer_uses` if there are uses too.
    """
    ranges = companions.ranges
    module = companions.module
    levels = _levels(assignment.allocations)
    # XLA's live ranges of parameters end a step after the last instruction.
    steps = len(ranges.steps) + 1 if ranges else 1
    rows: list[dict[str, object]] = []
    totals = []
    for attempt, allocations in enumerate(levels.values()):
        totals.append(sum(allocation.size for allocation in allocations))
        rows += _level_rows(attempt, allocations, ranges, steps, module)
    columns = {
        name: [row[name] for row in rows] for name in rows[0] if name != "origin" or module.origins
    }
    attempts = {
        "attempt": range(len(levels)),
        "level": list(levels),
        "outcome": "solved",
        "strategy": str(options.get("strategy", "")),
        "steps": steps,
        "capacity": options.get("capacity"),
        "reported_bytes": totals,
    }
    frames = {
        "attempts": complete("attempts", attempts),
        "allocations": complete("allocations", columns),
    }
    if ranges:
        types = [module.opcodes.get(name) for name in ranges.steps]
        step_columns = {"step": range(len(types)), "name": list(ranges.steps), "op_type": types}
        frames["steps"] = complete("steps", step_columns)
    if ranges and companions.uses:
        producers = [_instruction(str(row["name"])) for row in rows]
        frames["buffer_uses"] = uses_frame(rows, companions.uses, ranges.steps, producers)
    return frames


def _levels(allocations: Sequence[Allocation]) -> dict[str, list[Allocation]]:
    """Group allocations by level, in the order of memory spaces, then of kinds."""
    ordered = sorted(allocations, key=lambda own: (own.color, KINDS.index(own.kind)))
    levels: dict[str, list[Allocation]] = {}
    for allocation in ordered:
        levels.setdefault(allocation.level, []).append(allocation)
    return levels


def _level_rows(
    attempt: int,
    allocations: Sequence[Allocation],
    ranges: LiveRanges | None,
    steps: int,
    module: ModuleText,
) -> list[dict[str, object]]:
    """Build a row of frame `allocations` (column -> value) per value of a level, in order.

    Sizes and addresses are bytes. The level's allocations follow each other in the address space.
    """
    rows: list[dict[str, object]] = []
    base = 0
    for allocation in allocations:
        lives = [_life(value.name, ranges, steps) for value in allocation.values]
        places = [
            Placed(value.offset, value.offset + value.size, start, end)
            for value, (start, end, _) in zip(allocation.values, lives, strict=True)
        ]
        first = len(rows)
        kind, role = _ROLES.get(allocation.kind, ("activation", ""))
        for value, (start, end, hold), shared in zip(
            allocation.values, lives, storage_owners(places), strict=True
        ):
            rows.append(
                {
                    "attempt": attempt,
                    "level": allocation.level,
                    "block": len(rows),
                    "name": value.name,
                    "op_type": module.opcodes.get(_instruction(value.name)),
                    "origin": module.origins.get(_instruction(value.name)),
                    "kind": kind,
                    "role": role or None,
                    "dtype": value.dtype or None,
                    "shape": value.shape,
                    "address": base + value.offset,
                    "size": value.size,
                    "start": start,
                    "end": end,
                    "hold": hold,
                    "status": "placed" if shared is None else "shared",
                    "alias_of": None if shared is None else first + shared,
                }
            )
        base += allocation.size
    return rows


def _instruction(value: str) -> str:
    """Return the instruction that produces a value: its name without index (`{0}`) and ` (phi)`."""
    return value.split("{", maxsplit=1)[0].removesuffix(" (phi)")


def _life(name: str, ranges: LiveRanges | None, steps: int) -> tuple[int, int, bool]:
    """Return start, end (steps, exclusive) and `hold` of a value.

    A value without a live range (inside of a fusion or reduction) is held in all steps: (0, steps,
    True). Without a live range file, every value is alive in a single step: (0, 1, False).
    """
    if ranges is None:
        return 0, 1, False
    life = ranges.ranges.get(range_name(name))
    if life is None:
        return 0, steps, True
    # Both ends of XLA's ranges are inclusive, the schema's end is exclusive.
    start = min(life[0], steps - 1)
    return start, max(start + 1, min(life[1] + 1, steps)), False
