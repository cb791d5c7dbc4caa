"""Time of each core that its kernels and stalls cover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from analysis.aie.activity import Coverage
from analysis.aie.kernel_kinds import MAIN
from analysis.timeline.lanes import LaneIndex
from schema.array_types import Bools, Ints

STALLS: Mapping[str, str] = MappingProxyType(
    {
        "lock": "LOCK_STALL",
        "memory": "MEMORY_STALL",
        "stream": "STREAM_STALL",
        "cascade": "CASCADE_STALL",
    }
)
"""Stall -> its event.

The order decides: time that several stalls cover counts for the first of them.
"""
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class KernelCoverage:
    """Kernels of all tracks: start and end in ticks, and a mask of the main kernels.

    `rows` maps each track to the indexes of its kernels.
    """

    start: Ints
    end: Ints
    is_main: Bools
    rows: Mapping[str, Ints]

    @classmethod
    def of(cls, kernels: pd.DataFrame) -> KernelCoverage:
        """Index the kernels of frame `kernels` by track; `rows` of a track has only kernels with
        both a start and an end.
        """
        start, end = (kernels[name].to_numpy(np.int64, na_value=0) for name in ("start", "end"))
        whole = np.flatnonzero((kernels["start"].notna() & kernels["end"].notna()).to_numpy(bool))
        code, tracks = pd.factorize(kernels["track"].array[whole])
        order = np.argsort(code, kind="stable")
        limits = np.searchsorted(code[order], np.arange(len(tracks) + 1))
        rows = {
            str(track): whole[order[limits[at] : limits[at + 1]]] for at, track in enumerate(tracks)
        }
        return cls(start, end, (kernels["name"] == MAIN).to_numpy(bool), rows)

    def track_coverage(self, track: str) -> tuple[Coverage, Coverage]:
        """Return two coverages of a track: by its main kernels, and by its kernels of any kind,
        main ones included. Both are empty for a track without kernels.
        """
        every = self.rows.get(track, _NONE)
        main = every[self.is_main[every]]
        return Coverage.of(self.start[main], self.end[main]), Coverage.of(
            self.start[every], self.end[every]
        )


class StallCoverage:
    """Coverage of each core by its stalls, computed once per track."""

    def __init__(self, events: LaneIndex) -> None:
        self._events = events
        stall = pd.Index([*STALLS.values()]).get_indexer(events.names)
        self._stall_of_code = np.append(stall, -1)  # events without a name have code -1
        self._lanes: dict[str, list[slice]] = {}
        offset = events.offset.tolist()
        for lane, track in enumerate(events.lanes["track"].tolist()):
            self._lanes.setdefault(str(track), []).append(slice(offset[lane], offset[lane + 1]))
        self._coverage: dict[str, list[Coverage]] = {}

    def track_coverage(self, track: str) -> list[Coverage]:
        """Return a coverage per stall of STALLS, cumulative: by the first stall, by the first two
        together, and so on up to all four.

        If a stall does not occur, the previous object is repeated, so that callers can skip it. All
        are empty for an unknown track.
        """
        coverage = self._coverage.get(track)
        if coverage is None:
            coverage = self._coverage[track] = self._cover(track)
        return coverage

    def _cover(self, track: str) -> list[Coverage]:
        spans = self._lanes.get(track, [])
        stalls = [self._stall_of_code[self._events.code[span]] for span in spans]
        start = [_NONE]
        end = [_NONE]
        coverages = [Coverage.of(_NONE, _NONE)]
        for stall in range(len(STALLS)):
            before = len(start)
            for span, own in zip(spans, stalls, strict=True):
                chosen = own == stall
                if chosen.any():
                    start.append(self._events.start[span][chosen])
                    end.append(self._events.end[span][chosen])
            is_new = len(start) > before
            coverages.append(
                Coverage.of(np.concatenate(start), np.concatenate(end)) if is_new else coverages[-1]
            )
        return coverages[1:]
