"""Find cores that wait in a stall up to the end of the capture: that is how a hang looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.aie.core_events import Codes
from schema.array_types import Bools, Ints
from schema.diagnostics import Diagnostic
from schema.plurals import first_names, plural

CODE = "core_waits"
"""Code of the finding; pages begin with its message."""
_MIN_OTHERS_SHARE = 0.05
"""Minimum share of the capture for which other cores go on, so that a wait is no usual end of work."""
_MIN_SHARE = 0.5
"""Minimum share of the capture for a wait to matter by itself."""
_MAX_NAMES = 6
_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True)
class OpenStall:
    """A stall of a core that is open at the end; `since` and `until` (end of the capture) in ticks.

    `others_until` is the last tick at which another core began anything but a stall.
    """

    track: str
    name: str
    since: int
    until: int
    others_until: int

    @property
    def ticks(self) -> int:
        """Length of the stall's wait in ticks, up to the end of the capture."""
        return self.until - self.since


def find_open_stalls(tracks: pd.DataFrame, events: pd.DataFrame) -> list[OpenStall]:
    """Find the stalls of cores that are open at the end and long, the longest first; [] if there
    are none.

    Only the longest stall of a core counts. A wait is long if another core began work at least 5 %
    of the capture later than the stall, or if the wait takes at least half of the capture.
    """
    cores = tracks[(tracks["kind"] == "core").to_numpy(bool)]
    names = Codes.of(events["name"])
    # The word of each event is compared by its code: a capture has millions of events.
    is_stall: Bools = np.array([word.endswith("_STALL") for word in names.words], bool)[names.code]
    is_open = events["opened"].to_numpy(bool) & ~events["closed"].to_numpy(bool)
    if not (is_open & is_stall).any():
        return []
    rows = events[is_open & is_stall]
    rows = rows[rows["track"].isin(cores["track"].astype("str")).to_numpy(bool)]
    if not len(rows):
        return []
    begin = int(cores["first"].min())
    until = int(cores["last"].max())
    worked = _last_work(
        events, events["opened"].to_numpy(bool) & ~is_stall, cores["track"].astype("str").tolist()
    )
    stalls = []
    for track, of_core in rows.groupby(rows["track"].astype("str"), sort=False):
        longest = of_core.iloc[int(of_core["start"].to_numpy(np.int64).argmin())]
        others = max((tick for name, tick in worked.items() if name != track), default=begin)
        stalls.append(
            OpenStall(str(track), str(longest["name"]), int(longest["start"]), until, others)
        )
    long = [stall for stall in stalls if _is_long(stall, until - begin)]
    return sorted(long, key=lambda stall: (stall.since, stall.track))


def _last_work(events: pd.DataFrame, is_work: Bools, cores: Sequence[str]) -> dict[str, int]:
    """Map each core to the last tick at which it began an event that `is_work` marks; cores without
    such an event are missing.
    """
    tracks = Codes.of(events["track"])
    core: Ints = pd.Index(cores).get_indexer(pd.Index(tracks.words))[tracks.code]
    is_counted = is_work & (core >= 0)
    last = np.full(len(cores), _NEVER)
    np.maximum.at(last, core[is_counted], events["start"].to_numpy(np.int64)[is_counted])
    return {name: int(tick) for name, tick in zip(cores, last, strict=True) if tick != _NEVER}


def _is_long(stall: OpenStall, length: int) -> bool:
    went_on = stall.others_until - stall.since
    return went_on >= max(1, _MIN_OTHERS_SHARE * length) or stall.ticks >= max(
        1, _MIN_SHARE * length
    )


def open_stall_findings(stalls: Sequence[OpenStall]) -> list[Diagnostic]:
    """Return a list with one finding that names core, stall and since when, for up to 6 stalls, the
    longest wait first, and counts all; [] without stalls.
    """
    if not stalls:
        return []
    first = stalls[0]
    others = [f"{stall.track} ({stall.name}, cycle {stall.since})" for stall in stalls[1:]]
    text = f"{first.track} waits in {first.name} since cycle {first.since}, still open at the end of the capture"
    text += f" {plural(first.ticks, 'cycle')} later"
    if first.others_until > first.since:
        text += f", while other cores continued up to cycle {first.others_until}"
    if others:
        text += f"; so do {first_names(others, _MAX_NAMES - 1)}"
    return [Diagnostic("warning", "core_waits", text, first.track, len(stalls))]
