"""The bars of a timeline as columns for `assets/timeline_*.js`, which paint them on a canvas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from analysis.selection import Selection
from analysis.timeline.detail import Rectangles
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import SYSTEM, TimelineData, TimelineRow
from components.contrast import choose_ink
from components.numbers import shorten
from components.theme import FADE, event_color, kind_color, name_color, palette
from components.timeline.packed import pack_flags, pack_numbers
from schema.array_types import Bools, Ints

_MIN_OPACITY, _MIN_HIGHLIGHT_OPACITY = 0.3, 0.75
"""Opacity of a merged bar that is almost never busy, for ordinary and for highlighted events.

A merged bar that is busy all the time has opacity 1.
"""
_HIGHLIGHTED = ("named", "lit")
"""Roles of highlighted events."""
MAX_NAME = 80
"""Maximum number of characters of a name."""
_UNNAMED = "no name"
_SHOWN_OF_ITERATIONS = ["iteration", "phase", "complete", "first_start", "last_end"]
_NEVER = np.iinfo(np.int64).max
_MAX_FLAGS = 1 << 14
"""Maximum number of names for which a flag each is quicker than sorting the codes of bars."""


@dataclass(frozen=True)
class Scene:
    """Input of every part of a drawing: `at` is the y position of each row.

    When `focused`, events that are not highlighted are faded.
    """

    data: TimelineData
    at: Mapping[TimelineRow, float]
    window: tuple[int, int]
    selection: Selection
    theme: str
    focused: bool = False

    @cached_property
    def iterations(self) -> pd.DataFrame:
        """Rows of frame `iterations` that overlap the window, of the selected track if it has any,
        else of the whole array; only the columns that a timeline shows (_SHOWN_OF_ITERATIONS).
        """
        frame = self.data.iterations
        tracks = frame["track"].array
        own = np.asarray(tracks == self.selection.track, bool)
        if self.selection.track is None or not own.any():
            own = np.asarray(tracks == SYSTEM, bool)
        # An unknown time is outside of every window.
        begin = frame["first_start"].to_numpy(np.int64, na_value=_NEVER)
        end = frame["last_end"].to_numpy(np.int64, na_value=-_NEVER)
        return frame[_SHOWN_OF_ITERATIONS][own & (begin < self.window[1]) & (end > self.window[0])]


@dataclass(frozen=True)
class Part:
    """The rectangles of one index and their role.

    `role` is event, kernel or left out. In profiles it is also named (events highlighted by name),
    lit (highlighted executions, outlined) or unfinished (events that were still running when the
    capture ended). `lanes` maps lanes of the index to rows. The rectangles of a part that is
    `beside` are outside the window, to be seen while it is moved.
    """

    scene: Scene
    index: LaneIndex
    rects: Rectangles
    lanes: Mapping[int, TimelineRow]
    role: str
    beside: bool = False

    def record(self, origin: int) -> dict[str, Any]:
        """Build the columns of the rectangles; times are ticks after `origin`.

        `lanes` is a list of [row, number of its rectangles]. `gap` is the distance to the start of
        the rectangle before in the row (the first: to `origin`), `name` an index of `names`, `codes`
        their numbers among all names of the index from 1 (0: no name). `busy` has only merged
        rectangles; `most` only those of several names (`mixed`): the percentage of the busy time
        that `name` has. Empty texts are columns of 1 (`count`) or of False.
        """
        rects = self.rects
        codes, name = _distinct(rects.name, len(self.index.names))
        lanes, first, rectangles = np.unique(rects.lane, return_index=True, return_counts=True)
        order = {row: place for place, row in enumerate(self.scene.at)}
        gap = np.diff(rects.start, prepend=origin)
        gap[first] = rects.start[first] - origin
        colours = [self.color(code) for code in codes.tolist()]
        inks = {colour: choose_ink(colour) for colour in set(colours)}
        return {
            "role": self.role,
            "beside": self.beside,
            "lanes": [
                [order[self.lanes[lane]], count]
                for lane, count in zip(lanes.tolist(), rectangles.tolist(), strict=True)
            ],
            "names": [self._name(code) for code in codes.tolist()],
            "codes": (codes + 1).tolist(),
            "colours": colours,
            "inks": [inks[colour] for colour in colours],
            "copies": [int(self._is_copy(code)) for code in codes.tolist()],
            "gap": pack_numbers(gap),
            "length": pack_numbers(rects.end - rects.start),
            "name": pack_numbers(name),
            "count": pack_numbers(rects.count) if rects.merged_count else "",
            "busy": pack_numbers(rects.busy[rects.count > 1]),
            "mixed": pack_flags(rects.mixed),
            "most": pack_numbers(self._percentages()),
            "faded": pack_flags(self._fade_flags()),
            "faintest": _MIN_HIGHLIGHT_OPACITY if self.role in _HIGHLIGHTED else _MIN_OPACITY,
        }

    def color(self, code: int) -> str:
        """Choose the colour of the name with this code in the part's index; grey for code -1, which
        means no name, and red for kernels left out.
        """
        if self.role == "left out":
            return palette(self.scene.theme).trouble
        if code < 0:
            return palette(self.scene.theme).muted
        name = str(self.index.names[code])
        if self.scene.data.named:
            return name_color(name)
        choose = kind_color if self.role == "kernel" else event_color
        return choose(name, self.scene.theme)

    def _name(self, code: int) -> str:
        return _UNNAMED if code < 0 else shorten(str(self.index.names[code]), MAX_NAME)

    def _is_copy(self, code: int) -> bool:
        data = self.scene.data
        return data.named and code >= 0 and self.index.names[code] in data.copies

    def _percentages(self) -> Ints:
        """Compute the percentage of the busy time that the name of each mixed rectangle has, from 1
        to 99: 0 and 100 would say that it has no or all time. 0 if no event has a length.
        """
        most = self.rects.most[self.rects.mixed]
        busy = self.rects.busy[self.rects.mixed]
        rounded = np.rint(100 * most / np.maximum(busy, 1)).astype(np.int64)
        return np.where(most > 0, rounded.clip(1, 99), 0)

    def _per_lane(self, values: Mapping[int, bool]) -> Bools:
        """Look up the value of each rectangle's lane; shape (rectangles,)."""
        table = np.zeros(max(values, default=0) + 1, bool)
        table[list(values)] = list(values.values())
        return np.asarray(table[self.rects.lane])

    def _fade_flags(self) -> Bools:
        """Whether each rectangle is outside the selection; shape (rectangles,)."""
        wanted = self.scene.selection
        rects = self.rects
        lit = self._per_lane(
            {lane: wanted.track in (None, row.track) for lane, row in self.lanes.items()}
        )
        if self.scene.focused:
            return ~(lit & (self.role in _HIGHLIGHTED))
        if self.role == "kernel" and wanted.kind is not None:
            lit &= (self.index.names == wanted.kind)[rects.name] | rects.mixed
        if self.role != "event" and wanted.duration is not None:
            length = rects.end - rects.start
            inside = (length >= wanted.duration[0]) & (length < wanted.duration[1])
            lit &= inside | (rects.count > 1)
        return ~lit


def _distinct(codes: Ints, names: int) -> tuple[Ints, Ints]:
    """Return the distinct codes of -1 to `names` - 1, ascending, and the place of each code among
    them.
    """
    if names > _MAX_FLAGS:
        distinct, place = np.unique(codes, return_inverse=True)
        return distinct, place
    # Bools are five times as quick as sorting the codes.
    is_used = np.zeros(names + 1, bool)
    is_used[codes + 1] = True
    return np.flatnonzero(is_used) - 1, (np.cumsum(is_used) - 1)[codes + 1]


def row_columns(scene: Scene) -> dict[str, Any]:
    """Build the columns of the rows of a scene: y position, track, and the hatch of their bars (""
    for none).
    """
    kinds = scene.data.kinds if scene.data.named else {}
    hatches = {"graph": "graph", "copy": "copy"}
    return {
        "y": list(scene.at.values()),
        "track": [shorten(row.track, MAX_NAME) for row in scene.at],
        "hatch": [hatches.get(kinds.get(row.track, ""), "") for row in scene.at],
    }


def origin_of(starts: list[Ints]) -> int:
    """Return the earliest of the start times (ticks) in all arrays, 0 if all are empty."""
    return min((int(times.min()) for times in starts if len(times)), default=0)


def look(theme: str) -> dict[str, Any]:
    """Return the colours of a timeline that do not depend on its events, and the opacity of faded
    bars.
    """
    colours = palette(theme)
    return {
        "panel": colours.panel,
        "muted": colours.muted,
        "grid": colours.grid,
        "selection": colours.selection,
        "fade": FADE,
    }
