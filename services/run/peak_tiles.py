"""Smaller tiles of a network's operators as advice on the peak of their memory level."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.allocators.what_if import Changes, apply_changes
from analysis.peak.advice import TILE, PeakAdvice
from analysis.peak.replay import Replay
from analysis.tiling.deeploy.network import LevelPlan, SweptCapacity
from analysis.tiling.deeploy.resized import resized_blocks
from services.run.network import plan_tiled_levels
from services.run.tiling import TilingData

_SHARES = (7, 6, 4)
"""Capacities to try between the smallest possible (0) and the present peak (8), in eighths."""


def tile_advice(tiling: TilingData, replay: Replay) -> Iterator[PeakAdvice]:
    """Yield tiles for smaller capacities of the map's level that lower its peak.

    Each operator gets the tile that fits and moves fewest bytes. Capacities that need the same
    tiles are tried once.
    """
    if not tiling.tiles_operators or replay.is_too_large:
        return
    number = replay.amap.number
    plan = next((plan for plan in plan_tiled_levels(tiling) if plan.attempt == number), None)
    if plan is None:
        return
    seen = set[object]()
    for capacity in _capacities(plan):
        swept = plan.sweep(capacity)
        chosen = [choice for choice in swept.chosen if choice is not None]
        if not swept.is_feasible:
            continue
        sizes = resized_blocks(plan.operators, chosen)
        if not sizes or sizes in seen:
            continue
        seen.add(sizes)
        after = replay.measure(apply_changes(replay.amap, Changes(sizes=sizes)).blocks)
        gain = replay.base.peak - after.peak
        if gain > 0:
            moved = _moved_bytes(plan, swept)
            yield PeakAdvice(TILE, gain, after.peak, after.strategy, moved=moved, capacity=capacity)


def _capacities(plan: LevelPlan) -> list[int]:
    """List capacities in bytes, the largest first, between the smallest at which all operators fit
    and the need of the tool's tiles.
    """
    least = plan.least_of_any
    own = plan.least_as_tiled
    between = {least + (own - least) * share // 8 for share in _SHARES}
    return sorted((size for size in between | {least} if size < own), reverse=True)


def _moved_bytes(plan: LevelPlan, swept: SweptCapacity) -> int | None:
    """Compute the bytes that the new tiles move in addition, at least 0; None if unknown."""
    if plan.unknown or any(one is None or one.moved_bytes is None for one in swept.chosen):
        return None
    return max((swept.moved_bytes or 0) - plan.bytes_in - plan.bytes_out, 0)
