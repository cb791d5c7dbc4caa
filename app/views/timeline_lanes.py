"""Lanes that a timeline of a run or a comparison shows: which, in which order, and how high."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from analysis.timeline.rows import TimelineData, TimelineRow, default_rows
from app.views.option import Option
from app.views.page_data import State
from app.views.tile_address import MAIN_LANES

ALL_LANES = "all"
LANES = Option("lanes", "lanes shown", {MAIN_LANES: "main lanes", ALL_LANES: "all lanes"})
HEIGHTS = Option(
    "laneheight",
    "height of lanes",
    {"1": "normal height", "1.6": "higher lanes", "2.4": "highest lanes"},
)
"""Option with the factor of the height of a lane."""


@dataclass(frozen=True)
class MarkedTracks:
    """Names of the tracks of a page that are folded, and that are pinned."""

    folded: frozenset[str]
    pinned: frozenset[str]

    @classmethod
    def of(
        cls, tracks: Sequence[str], folded: Collection[int], pinned: Collection[int]
    ) -> MarkedTracks:
        """Look up the names of numbers; the number of a track is its place in `tracks`."""
        return cls(_names(tracks, folded), _names(tracks, pinned))

    def arrange(self, rows: Sequence[TimelineRow]) -> list[TimelineRow]:
        """Sort pinned tracks first, and leave out all lanes of folded tracks but the first."""
        starts = {row.track: row for row in reversed(rows)}
        shown = [row for row in rows if row.track not in self.folded or row == starts[row.track]]
        return sorted(shown, key=lambda row: row.track not in self.pinned)


def lanes_shown(timeline: TimelineData, state: State, track: str | None) -> list[TimelineRow]:
    """Return all lanes of a timeline, or the main lanes and those of the selected `track`, as option
    LANES selects.
    """
    return timeline.rows() if LANES.of(state) == ALL_LANES else default_rows(timeline, track)


def tracks_of(*timelines: TimelineData) -> list[str]:
    """Return the tracks of the timelines of a page, each once, in the order of the first timeline
    that has it; their places are their numbers in an address.
    """
    return list(dict.fromkeys(row.track for timeline in timelines for row in timeline.rows()))


def _names(tracks: Sequence[str], numbers: Collection[int]) -> frozenset[str]:
    return frozenset(tracks[number] for number in numbers if number < len(tracks))
