"""Peaks of a run's memory: parts that sum to each peak, and advice that lowers it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from analysis.peak.advice import AdviceList, PeakAdvice, advise, in_order
from analysis.peak.parts import PeakParts, peak_parts
from analysis.peak.replay import Replay
from analysis.peak.report import PeakReport
from schema.choices import PLACED
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.memory import MemoryData
from services.run.peak_tiles import tile_advice
from services.run.step_dependencies import step_dependencies

MAX_PEAKS = 16
"""Maximum number of levels whose peaks are listed."""
MAX_NAMED = 20
"""Maximum number of blocks that a piece of advice lists."""


def find_peaks(data: RunData, attempt: int | None = None) -> list[PeakReport]:
    """Find the peak of an attempt (`None`: that of the headline, with all levels of its plan), the
    attempt of the headline first; attempts without bytes in use are left out.

    Raises ValueError if the run has no memory map, no such attempt, or no bytes in use.
    """
    if not data.can(Capability.MEMORY):
        raise ValueError(f"run {data.run_id[:12]} has no memory map")
    memory = data.memory
    if attempt is not None and not memory.has(attempt):
        raise ValueError(f"run {data.run_id[:12]} has no attempt {attempt}")
    number = memory.number(MemorySelection(attempt=attempt))
    maps = memory.maps(MemorySelection(attempt=number), PLACED)
    if attempt is not None:
        maps = [amap for amap in maps if amap.number == attempt]
    first = sorted(maps, key=lambda amap: amap.number != number)[:MAX_PEAKS]
    reports = [peak_report(data, amap) for amap in first]
    found = [report for report in reports if report is not None]
    if not found:
        raise ValueError(f"no bytes are in use in the memory map of run {data.run_id[:12]}")
    return found


def peak_report(data: RunData, amap: AttemptMap) -> PeakReport | None:
    """Find the parts of the peak of a map, and advice on it; None if no bytes are in use.

    The result is cached with the memory of the run, as a page has several parts that show it.
    """
    return data.memory.peaks.get(amap.number, lambda: _compute(data, amap))


def map_peak(memory: MemoryData, device_memory: pd.DataFrame, amap: AttemptMap) -> PeakParts | None:
    """Find the parts of the peak of a map without advice, which takes longer; cached as well.

    `device_memory` is that frame of the run, empty if it has none.
    """
    stated = _stated_peak(device_memory, amap)
    return memory.peak_parts.get(amap.number, lambda: peak_parts(amap, stated))


def headline_map(memory: MemoryData) -> AttemptMap | None:
    """Return the map of the attempt that the headline is about; None without a memory map."""
    return memory.shown_map(MemorySelection(), PLACED) if len(memory.attempts) else None


def _compute(data: RunData, amap: AttemptMap) -> PeakReport | None:
    parts = map_peak(data.memory, data.frame("device_memory"), amap)
    if parts is None:
        return None
    replay = Replay(amap)
    source = str(data.run["source"].iloc[0])
    allowed = step_dependencies(data.memory, source, amap)
    advice = advise(amap, replay, parts, data.kernels, allowed)
    tiles = [*tile_advice(data.tiling, replay)]
    listed = AdviceList(in_order([*advice.advice, *tiles]), advice.lacking)
    base = parts.peak if replay.is_too_large else min(replay.base.peak, parts.peak)
    return PeakReport(amap, parts, base, listed)


def _stated_peak(device_memory: pd.DataFrame, amap: AttemptMap) -> int | None:
    """Return the peak of a device by the counters of its allocator, None without them."""
    own = device_memory[device_memory["attempt"] == amap.number]["peak_allocated"].dropna()
    return int(own.iloc[0]) if amap.facts.allocator and len(own) else None


def peak_mapping(report: PeakReport, unit: str) -> dict[str, Any]:
    """Convert the peak of a map to JSON types: sizes in bytes, times in `unit`, None if unknown."""
    amap = report.amap
    parts = report.parts
    return {
        "attempt": amap.number,
        "label": amap.label,
        "peak": parts.peak,
        "kind": parts.kind,
        "step": parts.step,
        "time_unit": unit,
        "capacity": amap.whole("capacity"),
        "blocks": parts.blocks,
        "parts": dict(parts.parts),
        "base": report.base,
        "advice": [_advice_mapping(report, one) for one in report.advice.advice],
        "lacking": list(report.advice.lacking),
    }


def _advice_mapping(report: PeakReport, advice: PeakAdvice) -> dict[str, Any]:
    return {
        "kind": advice.kind,
        "gain": advice.gain,
        "peak_after": advice.peak,
        "strategy": advice.strategy,
        "moved_bytes": advice.moved,
        "count": len(advice.freed),
        "blocks": [vars(block) for block in report.named_blocks(advice, MAX_NAMED)],
        "order": list(advice.order),
        "capacity": advice.capacity,
    }
