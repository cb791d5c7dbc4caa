"""Find the tile that a core's lock stalls come from, along the chain of locks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analysis.aie.design.lock_waits import STALL, LockWaits
from analysis.aie.design.model import DesignModel, split_user
from analysis.aie.design.program import Request
from analysis.aie.design.traced import TracedUnits

_MIN_SHARE = 0.5
"""Minimum share of the waited cycles in which a far core runs kernels, to be the culprit, or waits
itself, to be the next core of the chain.
"""
_MAX_CHAIN = 64
"""Maximum number of cores of a chain."""


@dataclass(frozen=True)
class Culprit:
    """The tile that is late, and the cause: `kernels` or `transfer`. `chain` are the cores between
    the waiting core and this tile.
    """

    tile: str
    what: str
    chain: tuple[str, ...] = ()


@dataclass(frozen=True)
class Blame:
    """The lock that most inner stalls of a core wait for, and the culprit, `None` if it is not
    known.

    `reason` is a clause with the reason why there is no culprit; "" if there is a culprit.
    """

    request: Request | None
    culprit: Culprit | None
    reason: str = ""


def find_culprit(
    units: TracedUnits, model: DesignModel, waits_of: Callable[[str], LockWaits], core: str
) -> Blame:
    """Find the tile that causes the lock stalls of a core.

    The search starts at the lock with more than half of the waited cycles. If the core at its far
    end runs kernels meanwhile, that core is the culprit; if it waits too, the search goes on with
    the lock that it waits for.
    """
    chain: list[str] = []
    first: Request | None = None
    here = core
    for _ in range(_MAX_CHAIN):
        waits = waits_of(here)
        rank = _main_request(waits)
        if rank is None:
            reason = (
                "no lock has more than half of the cycles"
                if waits.requests
                else "the trace does not tell the locks apart"
            )
            return Blame(first, None, f"{reason} of {here}" if chain else reason)
        request = waits.requests[rank]
        first = first or request
        starts, ends = waits.request_stalls(rank, inner=True)
        total = int((ends - starts).sum())
        tiles = _far_tiles(model, request)
        chain.append(here)
        traced = [tile for tile in tiles if tile in units and tile.startswith("core ")]
        busy = {tile: units.kernels(tile).count_covered(starts, ends) / total for tile in traced}
        late = max(traced, key=lambda tile: busy[tile], default=None)
        if late is not None and busy[late] >= _MIN_SHARE:
            return Blame(first, Culprit(late, "kernels", tuple(chain[1:])))
        waiting = {
            tile: units.intervals(tile, STALL).count_covered(starts, ends) / total
            for tile in traced
        }
        following = max(traced, key=lambda tile: waiting[tile], default=None)
        if following is None or waiting[following] < _MIN_SHARE or following in chain:
            return _end_of_chain(first, tiles, traced, chain)
        here = following
    return Blame(first, None, "the chain of locks is too long")


def _main_request(waits: LockWaits) -> int | None:
    """Return the request with more than half of the cycles of the inner stalls, if there is one."""
    inner = ~waits.at_edge
    total = int((waits.stalls.end - waits.stalls.start)[inner].sum()) if len(inner) else 0
    cycles = [waits.request_cycles(rank, inner=True) for rank in range(len(waits.requests))]
    rank = max(range(len(cycles)), key=lambda index: cycles[index], default=None)
    return rank if rank is not None and 2 * cycles[rank] > total else None


def _far_tiles(model: DesignModel, request: Request) -> list[str]:
    """List the tiles that the release of a lock depends on: first the far ends of the channels that
    release it, then the cores that release it.
    """
    releasers = model.releasers(request)
    far = [port.tile for port in model.far_ends(request, releasers)]
    cores = [user for user in releasers if not split_user(user)[1]]
    return list(dict.fromkeys([*far, *cores]))


def _end_of_chain(
    request: Request | None, tiles: list[str], traced: list[str], chain: list[str]
) -> Blame:
    """Return the result of a search that ends at these far ends: the culprit is the transfer of the
    first shim, memtile or traced core. If all are cores that were not traced, or there are none,
    there is no culprit.
    """
    known = [tile for tile in tiles if not tile.startswith("core ")] + traced
    if known:
        return Blame(request, Culprit(known[0], "transfer", tuple(chain[1:])))
    if tiles:
        return Blame(request, None, f"{tiles[0]} was not traced")
    return Blame(request, None, "the design does not tell what releases it")
