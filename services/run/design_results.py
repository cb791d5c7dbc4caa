"""The design of a run and its joins with the trace, computed when a page first needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from analysis.aie.design.join import DesignJoin, LockJoin, MemoryJoin
from analysis.aie.design.lock_graph import LockGraph, lock_graph
from analysis.aie.design.model import DesignModel
from analysis.memory.attempt_map import AttemptMap
from schema.contents import has_design
from schema.frames import Frames
from services.run.design import design_frames, design_mapping
from storage.frame_bytes import frame_bytes

_EVENT_BYTES = 17
"""Bytes of an event in the joins: begin, end, and whether the capture cut it."""
_COPIES = 3
"""The frames of a design, and their rows as dicts in look-ups and in JSON types."""


@dataclass(frozen=True)
class DesignResults:
    """A design with results that live as long as the data of its run.

    `stored` are the stored frames of the run, which are read when a view first needs the design.
    """

    stored: Frames

    @cached_property
    def frames(self) -> dict[str, pd.DataFrame]:
        """The frames `design_*` of the run, empty ones included."""
        return design_frames(self.stored)

    @property
    def has_trace(self) -> bool:
        """Whether the run has a trace, and not only a design."""
        return "tracks" in self.stored and "events" in self.stored

    @cached_property
    def join(self) -> DesignJoin | None:
        """The design joined with the trace; `None` without a trace."""
        if not self.has_trace:
            return None
        return DesignJoin(self.frames, self.stored["tracks"], self.stored["events"])

    @cached_property
    def model(self) -> DesignModel:
        """The run's design, which looks up its tiles, buffers, locks and flows."""
        return DesignModel(self.frames) if self.join is None else self.join.model

    @property
    def cores(self) -> list[str]:
        """Names of the traced cores; empty without a trace."""
        return [] if self.join is None else self.join.cores

    def stall_cycles(
        self, core: str, event: str, window: tuple[int, int] | None = None
    ) -> int | None:
        """Return the cycles of a stall of a core, only those in `window` if it is given; `None` if
        the core did not trace the event.
        """
        return None if self.join is None else self.join.stall_cycles(core, event, window)

    @cached_property
    def _memory_joins(self) -> dict[str, MemoryJoin]:
        return {}

    @cached_property
    def _lock_joins(self) -> dict[str, LockJoin]:
        return {}

    def memory(self, core: str) -> MemoryJoin:
        """Return the memory stalls of a traced core with the moves; KeyError for another tile."""
        if self.join is None or core not in self.cores:
            raise KeyError(core)
        if core not in self._memory_joins:
            self._memory_joins[core] = self.join.memory(core)
        return self._memory_joins[core]

    def locks(self, core: str) -> LockJoin:
        """Return the lock stalls of a traced core; KeyError for another tile."""
        if self.join is None or core not in self.cores:
            raise KeyError(core)
        if core not in self._lock_joins:
            self._lock_joins[core] = self.join.locks(core)
        return self._lock_joins[core]

    @cached_property
    def mapping(self) -> dict[str, Any]:
        """The design as JSON types, as command `design` prints it."""
        return design_mapping(self.frames)

    @cached_property
    def graph(self) -> LockGraph:
        """Cores, channels and locks with the edges between them."""
        return lock_graph(self.frames)

    def tile_map(self, tile: str) -> AttemptMap | None:
        """Return the memory map of a tile; `None` if no buffer of it has an address."""
        return self.model.tile_map(tile)

    @property
    def bytes(self) -> int:
        """Estimated bytes of memory that the results take now; 0 before a view needs them."""
        if "frames" not in self.__dict__:
            return 0
        events = len(self.stored["events"]) if self.has_trace else 0
        # Look-ups and JSON types hold each row of the design as a dict, too.
        return _EVENT_BYTES * events + _COPIES * sum(map(frame_bytes, self.frames.values()))


def find_design(stored: Frames) -> DesignResults | None:
    """Return the results of a run's design from its stored frames; `None` without a design."""
    return DesignResults(stored) if has_design(stored) else None
