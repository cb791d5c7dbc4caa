"""Join a design with the trace of its array: memory and lock stalls of each traced core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import pandas as pd

from analysis.aie.design.culprits import Blame, find_culprit
from analysis.aie.design.deadlocks import Deadlocks
from analysis.aie.design.lock_waits import LockWaits, lock_waits
from analysis.aie.design.memory_pairs import MemoryStalls, memory_stalls
from analysis.aie.design.model import DesignModel, Port
from analysis.aie.design.move_check import MoveCheck, check_moves
from analysis.aie.design.moves import Move, find_moves
from analysis.aie.design.program import Request
from analysis.aie.design.sentences import (
    depth_sentence,
    lock_sentence,
    memory_sentence,
    name_core,
    stuck_sentence,
)
from analysis.aie.design.traced import TracedUnits
from schema.frames import Frames


@dataclass(frozen=True)
class MemoryJoin:
    """Memory stalls of a core with the buffers that may conflict, and `moves` of buffers to other
    banks that would resolve the conflicts.

    `checks` are the lab's checks of the moves, one per memory with moves.
    """

    stalls: MemoryStalls
    moves: tuple[Move, ...]
    checks: tuple[MoveCheck, ...] = ()


@dataclass(frozen=True)
class Wait:
    """A lock that a core waited for: cycles, its releasers, and the far ends of their flows."""

    request: Request
    cycles: int
    released_by: tuple[str, ...]
    feeds: tuple[Port, ...]


@dataclass(frozen=True)
class LockJoin:
    """Lock stalls of a core by lock, longest first; `candidates` are all locks that it acquires.

    `stuck` are locks that wait for each other, if the core waits for them at the end. `depth` is
    the number of buffers behind the lock with most of the cycles, `None` if it is not known.
    """

    waits: LockWaits
    by_lock: tuple[Wait, ...]
    candidates: tuple[Request, ...]
    blame: Blame
    stuck: tuple[StuckLock, ...] = ()
    depth: int | None = None


@dataclass(frozen=True)
class StuckLock:
    """A lock that no core or channel can release first, and its initial value."""

    tile: str
    lock: str
    init: int


class DesignJoin:
    """Joins a design with the stalls of each traced core. `frames` are the frames `design_*`, empty
    frames included.
    """

    def __init__(self, frames: Frames, tracks: pd.DataFrame, events: pd.DataFrame) -> None:
        self.model = DesignModel(frames)
        self._units = TracedUnits(tracks, events)
        self.waits_of = cache(self._core_waits)
        self._deadlocks = Deadlocks(frames, self.model.programs)

    @property
    def cores(self) -> list[str]:
        """Traced cores, in the order of frame `tracks`."""
        return self._units.cores

    def slice_of(self, core: str) -> str:
        """Return the slice of the trace buffer that has a core if the run has several, else ""."""
        return self._units.slices.get(core, "") if self._has_slices else ""

    @cached_property
    def _has_slices(self) -> bool:
        return len(set(self._units.slices.values())) > 1

    def memory_sentence(self, joined: MemoryJoin) -> str:
        """Describe the memory stalls of a core, with its slice if the run has several."""
        core = name_core(joined.stalls.core, self.slice_of(joined.stalls.core))
        return memory_sentence(joined.stalls, joined.moves, joined.checks, core)

    def lock_sentence(self, joined: LockJoin) -> str:
        """Describe the lock stalls of a core, with its slice if the run has several."""
        core = name_core(joined.waits.core, self.slice_of(joined.waits.core))
        parts = [
            lock_sentence(joined.waits, joined.blame, core),
            depth_sentence(joined.blame, joined.depth),
            stuck_sentence(joined.waits, [(one.lock, one.init) for one in joined.stuck]),
        ]
        return " ".join(filter(None, parts))

    def stall_cycles(
        self, core: str, event: str, window: tuple[int, int] | None = None
    ) -> int | None:
        """Return the cycles of a stall of a core, only the cycles in `window` if it is given;
        `None` if the core did not trace the event.
        """
        if not self._units.traces(core, event):
            return None
        return self._units.intervals(core, event).count_within(window)

    def _core_waits(self, core: str) -> LockWaits:
        return lock_waits(self._units, self.model, core)

    def memory(self, core: str) -> MemoryJoin:
        """Return the memory stalls of a core with the moves of buffers that would resolve its
        conflicts; moves that the lab refuses are left out.
        """
        stalls = memory_stalls(self._units, self.model, core)
        moves: list[Move] = []
        checks: list[MoveCheck] = []
        for memory, banks in stalls.conflicts.items():
            found, check = self._checked_moves(core, memory, banks)
            moves += found
            checks += [check] if check is not None else []
        return MemoryJoin(stalls, tuple(moves), tuple(checks))

    def _checked_moves(
        self, core: str, memory: str, banks: Sequence[int]
    ) -> tuple[list[Move], MoveCheck | None]:
        """Find the moves within a memory, and check them; no moves if the lab refuses them."""
        buffers = self.model.tile_buffers(memory)
        moves = find_moves(core, self.model.tiles[memory], buffers, banks)
        amap = self.model.tile_map(memory)
        if not moves or amap is None:
            return moves, None
        check = check_moves(core, amap, buffers, moves, banks)
        return (moves if check.is_accepted else []), check

    def locks(self, core: str) -> LockJoin:
        """Return the lock stalls of a core by lock, and the tile that causes most of them."""
        waits = self.waits_of(core)
        found = []
        for rank, request in enumerate(waits.requests):
            cycles = waits.request_cycles(rank)
            if cycles:
                releasers = self.model.releasers(request)
                far = tuple(self.model.far_ends(request, releasers))
                found.append(Wait(request, cycles, tuple(releasers), far))
        by_lock = tuple(sorted(found, key=lambda wait: -wait.cycles))
        candidates = tuple(self.model.acquired_locks(core))
        blame = find_culprit(self._units, self.model, self.waits_of, core)
        depth = None if blame.request is None else self.model.depth(blame.request)
        return LockJoin(waits, by_lock, candidates, blame, self._stuck_locks(waits), depth)

    def _stuck_locks(self, waits: LockWaits) -> tuple[StuckLock, ...]:
        """Return the locks that wait for each other and that a core waits for at the end."""
        request = waits.last_request
        if request is None or request.detail:
            return ()
        deadlocks = self._deadlocks
        locks = deadlocks.cycle((request.lock_tile, request.lock))
        return tuple(
            StuckLock(tile, lock, deadlocks.inits[tile, lock] or 0) for tile, lock in locks
        )
