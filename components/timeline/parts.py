"""Which bars a timeline gets: those of its window, highlighted ones, and those beside the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.timeline.detail import rectangles
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineRow, lane_numbers
from components.numbers import shorten
from components.timeline.bars import MAX_NAME, Part, Scene, look, origin_of, row_columns
from components.timeline.focus import Focus
from components.timeline.iterations import iteration_record
from components.timeline.packed import pack_flags

_BESIDE_SHARE, _BESIDE_PX = 8, 400
"""Share of the budget, and columns, of the bars on each side of the window."""


@dataclass(frozen=True)
class SceneParts:
    """The parts of a scene: in the `window`, `highlighted` over them, and `beside` the window."""

    scene: Scene
    focus: Focus
    window: Sequence[Part]
    highlighted: Sequence[Part]
    beside: Sequence[Part]

    @classmethod
    def of(cls, scene: Scene, rows: Sequence[TimelineRow], focus: Focus, budget: int) -> SceneParts:
        """Build the parts with at most `budget` rectangles in the window, at least one per row with
        events, and about a quarter of that beside it.
        """
        over = _highlighted_parts(scene, rows, focus, budget)
        shown = event_parts(scene, rows, budget - sum(len(part.rects) for part in over))
        beside = _beside(scene, [*shown, *over], budget // _BESIDE_SHARE)
        return cls(scene, focus, shown, over, [*beside])

    def record(self) -> dict[str, Any]:
        """Build the record that `assets/timeline_*.js` paint: the parts in order, later ones on top.

        Times are ticks after `origin`; `window` and `extent` are [begin, end) in ticks.
        """
        parts = (*self.window, *self.highlighted, *self.beside)
        drawn = [part for part in parts if len(part.rects)]
        begins = self.scene.iterations["first_start"].to_numpy(np.int64)
        origin = origin_of([part.rects.start for part in drawn] + [begins])
        data = self.scene.data
        return {
            "origin": origin,
            "window": list(self.scene.window),
            "extent": list(data.extent),
            "unit": data.unit,
            "clock": data.clock_hz,
            "named": data.named,
            "look": look(self.scene.theme),
            "rows": row_columns(self.scene),
            "parts": [part.record(origin) for part in drawn],
            "iterations": iteration_record(self.scene, origin),
            "fading": self._fading(),
        }

    def _fading(self) -> dict[str, Any]:
        """Build the selection as `assets/timeline_fading.js` applies it to the bars of tiles.

        `named` has a flag for each name of the events whose bars are highlighted.
        """
        wanted = self.scene.selection
        return {
            "track": None if wanted.track is None else shorten(wanted.track, MAX_NAME),
            "kind": None if wanted.kind is None else shorten(wanted.kind, MAX_NAME),
            "duration": wanted.duration,
            "focused": self.scene.focused,
            "named": "" if self.focus.names is None else pack_flags(self.focus.names),
        }


def event_parts(scene: Scene, rows: Sequence[TimelineRow], budget: int) -> list[Part]:
    """Build the parts with the rectangles of events, kernels, and kernels left out, together within
    the budget. The last part in the list is drawn on top.
    """
    parts: list[Part] = []
    left = budget
    # Shares of the budget that is left: kernels get at most half of it, events all of the rest.
    shares = (
        (scene.data.left_out, "left out", 12),
        (scene.data.kept, "kernel", 2),
        (scene.data.events, "event", 1),
    )
    for index, role, share in shares:
        parts.append(_part(scene, rows, index, role, left // share))
        left -= len(parts[-1].rects)
    return parts[::-1]


def _highlighted_parts(
    scene: Scene, rows: Sequence[TimelineRow], focus: Focus, budget: int
) -> list[Part]:
    """Build the parts that are drawn over the events of a profile: events without an end, and
    highlighted events.

    The part of events without an end is always built, also if there are none; the others only if
    `focus` has them. Each part has up to its share of `budget` rectangles (1/12, 1/3 or 1/4), but
    at least room for one per lane.
    """
    over = (
        (scene.data.unfinished_index, "unfinished", 12),
        (focus.named, "named", 3),
        (focus.lit, "lit", 4),
    )
    return [
        _part(scene, rows, index, role, budget // share)
        for index, role, share in over
        if index is not None
    ]


def _part(
    scene: Scene, rows: Sequence[TimelineRow], index: LaneIndex, role: str, budget: int
) -> Part:
    lanes = lane_numbers(index, rows, kernels=role in ("kernel", "left out"))
    # At least one rectangle per lane, so that no row with events is empty.
    rects = rectangles(index, scene.window, sorted(lanes), budget=max(budget, len(lanes)))
    return Part(scene, index, rects, lanes, role)


def _beside(scene: Scene, parts: Sequence[Part], budget: int) -> Iterator[Part]:
    """Yield parts with what is left and right of the window, as far as the window is wide, so that
    a moved window is not blank until its own bars arrive.

    All parts together have about `budget` rectangles on each side.
    """
    begin, end = scene.window
    first, last = scene.data.extent
    sides = ((max(first, 2 * begin - end), begin), (end, min(last, 2 * end - begin)))
    for part in parts:
        for side in sides:
            if side[0] < side[1]:
                yield _part_beside(part, side, budget // len(parts))


def _part_beside(part: Part, side: tuple[int, int], budget: int) -> Part:
    """Build the part of the bars between two times outside the window, cut at these times."""
    lanes = sorted(part.lanes)
    rects = rectangles(part.index, side, lanes, _BESIDE_PX, max(budget, len(lanes)))
    # A bar that reaches into the window is painted there by the part itself.
    cut = replace(rects, start=np.maximum(rects.start, side[0]), end=np.minimum(rects.end, side[1]))
    return replace(part, rects=cut, beside=True)
