"""Parts of the memory peaks of two runs, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.comparison.plans import nearest
from analysis.peak.parts import PeakParts
from schema.frames import empty
from services.comparison.compared_runs import ComparedRun
from services.run.capabilities import Capability
from services.run.peak import headline_map, map_peak

PEAK = "peak"
"""Name of the row with the whole peak."""


@dataclass(frozen=True)
class PartChange:
    """Bytes of a part of the peak on both sides."""

    name: str
    base: int
    new: int

    @property
    def change(self) -> int:
        """Bytes that the new side has more, negative if it has fewer."""
        return self.new - self.base


def peak_changes(base: ComparedRun, new: ComparedRun) -> list[PartChange]:
    """List the change of the peak of two runs, then of its parts, which sum to it; [] if a run has
    no peak of a memory map, or if only one of them has places, so that the peaks differ in kind.
    """
    before = _peak(base)
    after = _peak(new)
    if before is None or after is None or before.kind != after.kind:
        return []
    parts = [PartChange(name, before.parts[name], after.parts[name]) for name in before.parts]
    return [PartChange(PEAK, before.peak, after.peak), *parts]


def peaks_record(base: Sequence[ComparedRun], new: Sequence[ComparedRun]) -> dict[str, Any]:
    """Convert the parts of the peaks of a run of each side to JSON types under `peak`: unit
    (bytes), run ids and parts; {} if either has no peak of a memory map.

    Several plans are compared by the pair with the nearest numbers, of profiles the first runs.
    """
    pair = _compared_pair(base, new)
    changes = peak_changes(*pair)
    if not changes:
        return {}
    rows = [
        {"name": one.name, "base": one.base, "new": one.new, "change": one.change}
        for one in changes
    ]
    ids = {"base": pair[0].stored.run_id, "new": pair[1].stored.run_id}
    return {"peak": {"unit": "bytes", "runs": ids, "parts": rows}}


def _compared_pair(
    base: Sequence[ComparedRun], new: Sequence[ComparedRun]
) -> tuple[ComparedRun, ComparedRun]:
    sides = (base, new)
    if not all(run.run_frames.contents.can(Capability.ADDRESSES) for side in sides for run in side):
        return base[0], new[0]
    plans = nearest([run.plan for run in base], [run.plan for run in new])
    first, second = (
        next(run for run in side if run.stored.run_id == plan.run_id)
        for side, plan in zip(sides, plans, strict=True)
    )
    return first, second


def _peak(run: ComparedRun) -> PeakParts | None:
    if not run.run_frames.contents.can(Capability.MEMORY):
        return None
    amap = headline_map(run.memory)
    frames = run.run_frames.frame_by_name
    device_memory = frames.get("device_memory", empty("device_memory"))
    return None if amap is None else map_peak(run.memory, device_memory, amap)
