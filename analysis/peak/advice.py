"""Advice that lowers a peak, in order of the bytes gained, each change replayed on the map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.least_peak import least_peak
from analysis.memory.step_order import Precedence, reorder_steps
from analysis.peak.changes import Freed, find_frees, find_moves
from analysis.peak.parts import PeakParts
from analysis.peak.replay import Replay
from analysis.peak.storage_uses import StorageUses, storage_uses

REORDER, ALLOCATOR, TILE = "reorder", "allocator", "smaller_tile"
"""Kinds of advice that are no changes of lifetimes."""
NO_USES, TOO_LARGE, FAILED, NO_ORDER = "no_uses", "too_large", "failed", "no_order"
"""Reasons why kinds of advice are missing: the file records no use of blocks, the map has too many
lifetimes to place again, blocks have no place, the steps are too many or too odd to be reordered.
"""
_MAX_ORDERED = 200
"""Maximum number of steps that are reordered: larger plans take seconds, which the lab has."""


@dataclass(frozen=True)
class PeakAdvice:
    """A change and its measured effect: with it the peak falls by `gain` bytes to `peak`.

    `gain` is relative to the lowest peak without the change, stored or placed again, so that it
    does not include the gain of another allocator. `strategy` placed the blocks for `peak`. `freed`
    are the storages of the change, `moved` the bytes that it moves in addition, None if unknown.
    `order` is the new order of the steps, `capacity` the bytes that new tiles are chosen for.
    """

    kind: str
    gain: int
    peak: int
    strategy: str
    freed: tuple[Freed, ...] = ()
    moved: int | None = 0
    order: tuple[int, ...] = ()
    capacity: int | None = None


@dataclass(frozen=True)
class AdviceList:
    """Advice on a peak, most bytes gained first; `lacking` has the reasons for missing kinds."""

    advice: tuple[PeakAdvice, ...]
    lacking: tuple[str, ...]


def advise(
    amap: AttemptMap,
    replay: Replay,
    parts: PeakParts,
    kernels: pd.DataFrame,
    allowed: Precedence | None,
) -> AdviceList:
    """Find the changes that lower the peak of a map; a change that gains nothing is left out.

    `replay` replays changes of the map, `kernels` are the executions of a profile (empty for other
    sources), `allowed` the dependencies between steps, None if they are not completely known.
    """
    lacking = [*_lacking(amap, replay, allowed)]
    if TOO_LARGE in lacking or FAILED in lacking:
        return AdviceList((), tuple(lacking))
    found = [*_allocators(replay, parts)]
    uses = storage_uses(replay.amap, kernels)
    if uses is None:
        lacking.append(NO_USES)
    else:
        found += _life_changes(replay, parts, uses)
    if allowed is not None and NO_ORDER not in lacking:
        found += _order_advice(replay, allowed)
    return AdviceList(in_order(found), tuple(lacking))


def in_order(found: Sequence[PeakAdvice]) -> tuple[PeakAdvice, ...]:
    """Sort advice by the bytes gained, of equal gains the least disturbance first."""
    return tuple(sorted(found, key=lambda one: (-one.gain, one.moved or 0, len(one.freed))))


def _lacking(amap: AttemptMap, replay: Replay, allowed: Precedence | None) -> Iterator[str]:
    if replay.is_placed and bool((amap.blocks["status"] == "failed").any()):
        yield FAILED
    elif replay.is_too_large:
        yield TOO_LARGE
    odd = bool(amap.blocks["wraps"].any() or (amap.blocks["gaps"].fillna("") != "").any())
    if allowed is not None and (odd or allowed.steps > _MAX_ORDERED):
        yield NO_ORDER


def _allocators(replay: Replay, parts: PeakParts) -> Iterator[PeakAdvice]:
    """Yield the strategy that places the stored blocks lowest, if it is lower than the file."""
    if not replay.needs:
        return
    best = min(replay.needs, key=lambda name: replay.needs[name])
    peak = replay.needs[best]
    if peak < parts.peak:
        yield PeakAdvice(ALLOCATOR, parts.peak - peak, peak, best)


def _life_changes(replay: Replay, parts: PeakParts, uses: StorageUses) -> Iterator[PeakAdvice]:
    """Yield the changes of lifetimes that gain bytes, within the budget of replays."""
    blocks = replay.amap.blocks
    is_placed = replay.is_placed
    frees = find_frees(blocks, replay.live, uses, is_placed=is_placed)
    moves = find_moves(replay.live, uses, parts, is_placed=is_placed)
    for change in islice(chain(frees, moves), replay.budget):
        after = replay.measure(change.apply(blocks, uses.owner))
        gain = replay.base.peak - after.peak
        if gain > 0:
            yield PeakAdvice(
                change.kind, gain, after.peak, after.strategy, change.freed, change.moved
            )


def _order_advice(replay: Replay, allowed: Precedence) -> Iterator[PeakAdvice]:
    """Yield the order of steps with the least bytes alive, if it lowers the peak."""
    order = least_peak(replay.amap, allowed)
    if order == tuple(range(len(order))):
        return
    after = replay.measure(reorder_steps(replay.amap, order).blocks)
    gain = replay.base.peak - after.peak
    if gain > 0:
        yield PeakAdvice(REORDER, gain, after.peak, after.strategy, order=tuple(map(int, order)))
