"""Parts of a peak: content of the blocks in use, waste of placement and alignment, unknown bytes.

The parts sum to the peak exactly, because each byte below the peak's highest address is counted
once: as a byte of the first block that covers it, or as free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap
from analysis.memory.in_use import peak_in_use
from analysis.peak.contents import (
    ALIGNMENT,
    INTERMEDIATE,
    PARTS,
    PERSISTENT,
    PLACEMENT,
    SCRATCH,
    UNKNOWN,
    block_contents,
)
from analysis.peak.live import live_bytes
from schema.array_types import Ints

EXTENT, LIVE = "extent", "live"
"""Kinds of a peak: the highest address in use, or the most bytes alive at once."""
_MIN_ROUNDING = 64
"""Bytes that a block may exceed its tensor by so that the excess counts as rounding, if the file
has no alignment."""


@dataclass(frozen=True)
class PeakParts:
    """Bytes of a peak by part (PARTS), which sum to `peak`, at the step with the most bytes in use.

    `kind` is EXTENT, including the constants below the arena, or LIVE. `blocks` counts the blocks
    in use at the step, without constants. `end` is the first step after the time of the peak.
    """

    peak: int
    kind: str
    step: int
    end: int
    blocks: int
    parts: Mapping[str, int]


def is_placed_map(amap: AttemptMap) -> bool:
    """Whether the peak of a map is its extent: blocks have places that a plan gave them."""
    return (
        amap.facts.addressed
        and not amap.facts.allocator
        and amap.whole("extent") is not None
        and bool(amap.is_placed.any())
    )


def peak_parts(amap: AttemptMap, stated: int | None = None) -> PeakParts | None:
    """Split the peak of a map into its parts; None if no bytes are in use.

    `stated` is the peak by the file's own counters, None if it has none; bytes beyond the blocks
    are unknown.
    """
    found = _placed_parts(amap) if is_placed_map(amap) else _live_parts(amap)
    if found is None or stated is None or stated <= found.peak:
        return found
    parts = {**found.parts, UNKNOWN: found.parts[UNKNOWN] + stated - found.peak}
    return PeakParts(stated, found.kind, found.step, found.end, found.blocks, parts)


def _placed_parts(amap: AttemptMap) -> PeakParts | None:
    """Split the extent of a placed map at the step with the most bytes in use."""
    static = amap.whole("static_bytes") or 0
    extent = amap.whole("extent") or 0
    step = peak_in_use(amap)[1] or 0
    if not static + extent:
        return None
    segments = amap.segments
    constant = (amap.blocks["kind"] == "constant").to_numpy(bool)
    now = (segments.start <= step) & (segments.end > step) & (segments.low != NOT_PLACED)
    own = segments.take(now & amap.is_placed[segments.row] & ~constant[segments.row])
    own = own.take(np.lexsort((-own.high, own.low)))
    reached = np.maximum.accumulate(np.concatenate([np.zeros(1, dtype=np.int64), own.high]))
    size = np.maximum(own.high - np.maximum(own.low, reached[:-1]), 0)
    gap = np.maximum(own.low - reached[:-1], 0)
    unit = _alignment(amap)[own.row]
    excess = np.minimum(_excess(amap)[own.row], size)
    is_rounding = excess < np.maximum(unit, _MIN_ROUNDING)
    parts = dict.fromkeys(PARTS, 0)
    parts[PERSISTENT] += static
    _add_contents(parts, block_contents(amap)[own.row], size - excess)
    parts[ALIGNMENT] += int(gap[gap < unit].sum()) + int(excess[is_rounding].sum())
    parts[PLACEMENT] += int(gap[gap >= unit].sum()) + int(excess[~is_rounding].sum())
    # The rest of the extent is free at this step, and in use at another step.
    parts[PLACEMENT] += extent - int(reached[-1])
    end = int(segments.end[now].min(initial=amap.length))
    return PeakParts(
        static + extent, EXTENT, step, max(end, step + 1), len(np.unique(own.row)), parts
    )


def _live_parts(amap: AttemptMap) -> PeakParts | None:
    """Split the most bytes alive at once; storage that blocks share counts once."""
    static = amap.whole("static_bytes") or 0
    if not len(amap.blocks):
        return None
    live = live_bytes(amap.attempt, amap.blocks)
    if not static + live.peak:
        return None
    cell = live.peak_cell
    step, end = live.cell_span(cell)
    now = (live.first <= cell) & (live.last > cell)
    parts = dict.fromkeys(PARTS, 0)
    parts[PERSISTENT] += static
    _add_contents(parts, block_contents(amap)[live.row[now]], live.size[now])
    return PeakParts(static + live.peak, LIVE, step, end, int(now.sum()), parts)


def _add_contents(parts: dict[str, int], contents: np.ndarray, size: Ints) -> None:
    for name in (PERSISTENT, INTERMEDIATE, SCRATCH, UNKNOWN):
        parts[name] += int(size[contents == name].sum())


def _alignment(amap: AttemptMap) -> Ints:
    """Return the alignment in bytes of each block, at least 1; 1 if it is unknown."""
    unit = amap.whole("align_bytes") or 1
    return np.asarray(np.maximum(amap.blocks["alignment"].fillna(unit).to_numpy(np.int64), 1))


def _excess(amap: AttemptMap) -> Ints:
    """Return the bytes of each block beyond its tensor; 0 if the file lacks the tensor's bytes.

    Larger excess than rounding explains counts in outer plans only: a block of an inner plan may
    have two buffers for its tile.
    """
    blocks = amap.blocks
    size = blocks["size"].to_numpy(np.int64)
    tensor = blocks["tensor_bytes"].to_numpy(np.int64, na_value=0)
    excess = np.where(tensor > 0, size - tensor, 0)
    limit = np.maximum(_alignment(amap), _MIN_ROUNDING)
    is_outer = (blocks["plan"] == "outer").fillna(False).to_numpy(bool)
    return np.where((excess > 0) & ((excess < limit) | is_outer), excess, 0)
