"""Find the tile that a core's lock stalls come from, along the chain of locks and cascades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.aie.design.lock_waits import STALL, LockWaits
from analysis.aie.design.model import DesignModel, split_user
from analysis.aie.design.program import Request
from analysis.aie.design.traced import Intervals, TracedUnits, overlap
from schema.array_types import Ints

CASCADE_STALL = "CASCADE_STALL"
_MIN_SHARE = 0.5
"""Minimum share of the waited cycles in which a far core runs kernels, to be the culprit, or waits
itself, to be the next core of the chain.
"""
_MIN_TIME_SHARE = 0.05
"""Minimum share of a core's traced time that its waits take, so that a tile is late."""
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

    `reason` is a clause with the reason why there is no culprit; "" if there is a culprit. `time_share` is
    the share (0 to 1) of the core's traced time, if its inner stalls are too short for a culprit.
    """

    request: Request | None
    culprit: Culprit | None
    reason: str = ""
    time_share: float | None = None


@dataclass(frozen=True)
class _States:
    """Shares (0 to 1) of some cycles in which a core works in a kernel, waits for a lock, and waits
    for the cascade.
    """

    kernels: float
    lock: float
    cascade: float


class _Chain:
    """The cores from the waiting core on, and the cycles in which the last one waits."""

    def __init__(self, units: TracedUnits, model: DesignModel) -> None:
        self._units = units
        self._model = model
        self.cores: list[str] = []

    def follow(self, core: str, starts: Ints, ends: Ints, tiles: Sequence[str]) -> Culprit | str:
        """Look at the tiles that a core waits for in some cycles.

        Return the culprit, the next core whose lock stalls matter, or "" if nothing is known.
        """
        self.cores.append(core)
        traced = [tile for tile in tiles if tile.startswith("core ") and tile in self._units]
        states = {tile: self._states(tile, starts, ends) for tile in traced}
        late = max(traced, key=lambda tile: states[tile].kernels, default=None)
        if late is not None and states[late].kernels >= _MIN_SHARE:
            return Culprit(late, "kernels", tuple(self.cores[1:]))
        blocked = max(traced, key=lambda tile: states[tile].cascade, default=None)
        if blocked is not None and states[blocked].cascade >= _MIN_SHARE:
            return self._follow_cascade(blocked, starts, ends)
        following = max(traced, key=lambda tile: states[tile].lock, default=None)
        if following is None or states[following].lock < _MIN_SHARE or following in self.cores:
            return ""
        return following

    def _follow_cascade(self, core: str, starts: Ints, ends: Ints) -> Culprit | str:
        """Look at the cores before and behind a core that waits for the cascade."""
        if core in self.cores:
            return ""
        waits = overlap(starts, ends, self._units.intervals(core, CASCADE_STALL))
        others = [tile for tile in self._model.cascades.get(core, []) if tile not in self.cores]
        return self.follow(core, *waits, others)

    def _states(self, core: str, starts: Ints, ends: Ints) -> _States:
        total = int((ends - starts).sum()) or 1
        kernels = self._units.kernels(core)
        cascade = self._units.intervals(core, CASCADE_STALL)
        in_cascade = overlap(starts, ends, cascade)
        # A core that waits for the cascade within a kernel does not work.
        works = kernels.count_covered(starts, ends) - kernels.count_covered(*in_cascade)
        lock = self._units.intervals(core, STALL).count_covered(starts, ends)
        return _States(works / total, lock / total, _cycles(in_cascade) / total)


def find_culprit(
    units: TracedUnits, model: DesignModel, waits_of: Callable[[str], LockWaits], core: str
) -> Blame:
    """Find the tile that causes the lock stalls of a core.

    The search starts at the lock with more than half of the waited cycles. If the core at its far
    end runs kernels meanwhile, that core is the culprit; if it waits too, the search goes on with
    the lock that it waits for. A core that waits for the cascade leads to the cores behind it.
    """
    chain = _Chain(units, model)
    first: Request | None = None
    here = core
    for _ in range(_MAX_CHAIN):
        waits = waits_of(here)
        if not chain.cores and waits.requests:
            share = _time_share(units, waits)
            if share < _MIN_TIME_SHARE:
                return Blame(None, None, "its waits are short", share)
        rank = _main_request(waits)
        if rank is None:
            reason = (
                "no lock has more than half of the cycles"
                if waits.requests
                else "the trace does not tell the locks apart"
            )
            return Blame(first, None, f"{reason} of {here}" if chain.cores else reason)
        request = waits.requests[rank]
        first = first or request
        tiles = _far_tiles(model, request, here)
        found = chain.follow(here, *waits.request_stalls(rank, inner=True), tiles)
        if isinstance(found, Culprit):
            return Blame(first, found)
        if not found:
            return _end_of_chain(first, tiles, units, chain.cores)
        here = found
    return Blame(first, None, "the chain of locks is too long")


def _cycles(intervals: tuple[Ints, Ints]) -> int:
    starts, ends = intervals
    return int((ends - starts).sum())


def _time_share(units: TracedUnits, waits: LockWaits) -> float:
    """Return the share of a core's traced time that its inner stalls take."""
    stalls = waits.stalls
    inner: Intervals = Intervals(
        stalls.start[~waits.at_edge], stalls.end[~waits.at_edge], stalls.cut[~waits.at_edge]
    )
    return inner.cycles / max(units.traced_cycles(waits.core), 1)


def _main_request(waits: LockWaits) -> int | None:
    """Return the request with more than half of the cycles of the inner stalls, if there is one."""
    inner = ~waits.at_edge
    total = int((waits.stalls.end - waits.stalls.start)[inner].sum()) if len(inner) else 0
    cycles = [waits.request_cycles(rank, inner=True) for rank in range(len(waits.requests))]
    rank = max(range(len(cycles)), key=lambda index: cycles[index], default=None)
    return rank if rank is not None and 2 * cycles[rank] > total else None


def _far_tiles(model: DesignModel, request: Request, core: str) -> list[str]:
    """List the tiles that the release of a lock depends on: first the far ends of the channels that
    release it, then the other cores that release it, as a core does not wait for itself.
    """
    releasers = model.releasers(request)
    far = [port.tile for port in model.far_ends(request, releasers)]
    cores = [user for user in releasers if not split_user(user)[1] and user != core]
    return list(dict.fromkeys([*far, *cores]))


def _end_of_chain(
    request: Request | None, tiles: list[str], units: TracedUnits, chain: Sequence[str]
) -> Blame:
    """Return the result of a search that ends at these far ends: the culprit is the transfer of the
    first shim, memtile or traced core. If all are cores that were not traced, or there are none,
    there is no culprit.
    """
    traced = [tile for tile in tiles if tile.startswith("core ") and tile in units]
    known = [tile for tile in tiles if not tile.startswith("core ")] + traced
    if known:
        return Blame(request, Culprit(known[0], "transfer", tuple(chain[1:])))
    if tiles:
        return Blame(request, None, f"{tiles[0]} was not traced")
    return Blame(request, None, "the design does not tell what releases it")
