"""The bars of a timeline: a trace per colour, for any number of lanes and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from analysis.selection import Selection
from analysis.timeline.detail import Rectangles
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData, TimelineRow
from components.figure import compact
from components.numbers import plain
from components.theme import FADE, event_color, kind_color, name_color, palette
from schema.time_units import NANOSECONDS_PER_S

_MIN_OPACITY, _MIN_HIGHLIGHT_OPACITY = 0.3, 0.75
"""Opacity of a merged bar that is almost never busy, for ordinary and for highlighted events.

A merged bar that is busy all the time has opacity 1.
"""
_PLAIN, _GRAPH, _COPY, _UNFINISHED, _HATCH_COUNT = range(5)
"""Index of a bar's hatch, and the number of hatches."""
_HATCHES: Mapping[int, Mapping[str, Any]] = MappingProxyType(
    {
        _GRAPH: {"shape": "|", "fillmode": "overlay", "size": 6, "solidity": 0.15},
        _COPY: {"shape": "\\", "fillmode": "overlay", "size": 5, "solidity": 0.2},
        _UNFINISHED: {"shape": ".", "fillmode": "replace", "size": 5, "solidity": 0.45},
    }
)
"""Plotly patterns of graphs of kernels, copies and events without an end, which share the colours
of kernels.
"""


_HIGHLIGHTED = ("named", "lit")
"""Roles of highlighted events."""
_MAX_OUTLINED = 100
"""Up to this many highlighted executions all get a strong outline."""
PIXEL = 1 / 1200
"""Estimated share of the window that a pixel takes; the server does not know the width of a page.
"""


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


@dataclass(frozen=True)
class _Looks:
    """Style of the bars of a trace.

    `hatch` is 0 or a key of _HATCHES, `merged` bars each cover several intervals.
    """

    colour: str
    merged: bool
    hatch: int


@dataclass(frozen=True)
class Part:
    """The rectangles of one index and their role.

    `role` is event, kernel or left out. In profiles it is also named (events highlighted by name),
    lit (highlighted executions, outlined) or unfinished (events that were still running when the
    capture ended). `lanes` maps lanes of the index to rows.
    """

    scene: Scene
    index: LaneIndex
    rects: Rectangles
    lanes: Mapping[int, TimelineRow]
    role: str

    def traces(self) -> list[dict[str, Any]]:
        """Build a bar trace per colour and hatch of the part's rectangles; empty without
        rectangles.

        Bars that cover several intervals have traces of their own.
        """
        if not len(self.rects):
            return []
        used, name = np.unique(self.rects.name, return_inverse=True)
        colours, colour = np.unique(
            [self.color(code) for code in used.tolist()], return_inverse=True
        )
        # A single integer for colour, merged and hatch lets one pass group all rectangles.
        key = (colour[name] * 2 + (self.rects.count > 1)) * _HATCH_COUNT + self._hatches()
        text = self.labels()
        traces = []
        for group in np.unique(key).tolist():
            look, hatch = divmod(group, _HATCH_COUNT)
            looks = _Looks(str(colours[look // 2]), bool(look % 2), hatch)
            traces.append(self._trace(np.flatnonzero(key == group), looks, text))
        return traces

    def color(self, code: int) -> str:
        """Choose the colour of the name with this code in the part's index; grey for code -1, which
        means several names in one bar, and red for kernels left out.
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

    def _hatches(self) -> np.ndarray:
        """Compute the hatch of each rectangle as an array of integers: a key of _HATCHES, or 0 for
        no hatch.
        """
        if self.role == "unfinished":
            return np.full(len(self.rects), _UNFINISHED)
        data = self.scene.data
        if not data.named:
            return np.zeros(len(self.rects), np.int64)
        by_kind = {"graph": _GRAPH, "copy": _COPY}
        hatches = {
            lane: by_kind.get(data.kinds.get(row.track, ""), _PLAIN)
            for lane, row in self.lanes.items()
        }
        hatch = self._per_lane(hatches).astype(np.int64)
        used = np.unique(self.rects.name[self.rects.name >= 0])
        copies = [code for code in used.tolist() if self.index.names[code] in data.copies]
        return np.where((hatch == _PLAIN) & np.isin(self.rects.name, copies), _COPY, hatch)

    def labels(self) -> np.ndarray:
        """Format name and track of each rectangle as the part of its hover text after `<b>`, in an
        array of objects.
        """
        names = len(self.index.names) + 1
        # The modulo turns -1 (several names) into the last index.
        pairs, at = np.unique(
            self.rects.lane * names + self.rects.name % names, return_inverse=True
        )
        return np.array(
            [self._label(*divmod(pair, names)) for pair in pairs.tolist()], dtype=object
        )[at]

    def _label(self, lane: int, name: int) -> str:
        named = plain(self.index.names[name]) if name < len(self.index.names) else "several names"
        prefix = {"left out": "left out: ", "unfinished": "still running at the end: "}.get(
            self.role, ""
        )
        return f"{prefix}{named}</b> · {plain(self.lanes[lane].track)}"

    def _trace(self, chosen: np.ndarray, looks: _Looks, text: np.ndarray) -> dict[str, Any]:
        start = self.rects.start[chosen]
        end = self.rects.end[chosen]
        # A moment has no length, and a bar of length 0 would not be drawn.
        length = np.maximum(end - start, 1)
        opacity = self._emphasis(chosen) * (self._density(chosen) if looks.merged else 1.0)
        return {
            "type": "bar",
            "orientation": "h",
            "base": compact(start),
            "x": compact(length),
            "y": self.places()[chosen],
            "width": 0.86,
            "marker": self._marker(looks, opacity, chosen),
            "text": text[chosen],
            "textposition": "none",
            "customdata": self._numbers(chosen, looks.merged),
            "hovertemplate": self._profile_hover(looks.merged)
            if self.scene.data.named
            else self._hover(looks.merged),
            "showlegend": False,
        }

    def places(self) -> np.ndarray:
        """Compute the y position of each rectangle's row; float32, shape (rectangles,)."""
        return self._per_lane({lane: self.scene.at[row] for lane, row in self.lanes.items()})

    def _per_lane(self, values: Mapping[int, float]) -> np.ndarray:
        """Look up the value of each rectangle's lane; float32, shape (rectangles,)."""
        table = np.zeros(max(values) + 1, dtype=np.float32)
        table[list(values)] = list(values.values())
        return np.asarray(table[self.rects.lane])

    def _density(self, chosen: np.ndarray) -> np.ndarray:
        length = np.maximum(self.rects.end[chosen] - self.rects.start[chosen], 1)
        busy = np.minimum(self.rects.busy[chosen] / length, 1.0)
        faintest = _MIN_HIGHLIGHT_OPACITY if self.role in _HIGHLIGHTED else _MIN_OPACITY
        return np.asarray(faintest + (1 - faintest) * busy)

    def _numbers(self, chosen: np.ndarray, merged: bool) -> np.ndarray:
        """Compute the numbers of the hover text, an array with a row per bar in `chosen`.

        Captures: length and seconds, or for merged bars count, busy time and length (ticks).
        Profiles: the columns that `_profile_hover` uses.
        """
        start = self.rects.start[chosen]
        length = self.rects.end[chosen] - self.rects.start[chosen]
        if self.scene.data.named:
            times = np.column_stack([length, start, self.rects.busy[chosen]]) / NANOSECONDS_PER_S
            return np.column_stack([self.rects.count[chosen] if merged else length, times])
        if merged:
            return np.column_stack(
                [self.rects.count[chosen], self.rects.busy[chosen], length]
            ).astype(np.float64)
        return np.column_stack([length, length / (self.scene.data.clock_hz or 1.0)])

    def _emphasis(self, chosen: np.ndarray) -> np.ndarray:
        """Compute the opacity of each bar: 1 if the selection covers it or there is no selection,
        else FADE.
        """
        wanted = self.scene.selection
        tracks = {
            lane: float(wanted.track in (None, row.track)) for lane, row in self.lanes.items()
        }
        lit = self._per_lane(tracks)[chosen] > 0
        if self.scene.focused:
            return np.where(lit & (self.role in _HIGHLIGHTED), 1.0, FADE)
        if self.role == "kernel" and wanted.kind is not None:
            lit &= (self.index.names == wanted.kind)[self.rects.name[chosen]] | (
                self.rects.name[chosen] < 0
            )
        if self.role != "event" and wanted.duration is not None:
            length = self.rects.end[chosen] - self.rects.start[chosen]
            inside = (length >= wanted.duration[0]) & (length < wanted.duration[1])
            lit &= inside | (self.rects.count[chosen] > 1)
        return np.where(lit, 1.0, FADE)

    def _marker(self, looks: _Looks, opacity: np.ndarray, chosen: np.ndarray) -> dict[str, Any]:
        shown: Any = (
            round(float(opacity[0]), 3) if np.ptp(opacity) == 0 else opacity.astype(np.float32)
        )
        colours = palette(self.scene.theme)
        marker = {"color": looks.colour, "line": {"width": 0}, "opacity": shown}
        if self.role == "left out":
            pattern = {"shape": "/", "fgcolor": looks.colour, "bgcolor": colours.panel, "size": 5}
            return marker | {"pattern": pattern, "line": {"color": looks.colour, "width": 1}}
        if self.scene.data.named:
            marker["line"] = self._line(looks, chosen)
        if looks.hatch == _UNFINISHED:
            hollow = {"fgcolor": looks.colour, "bgcolor": colours.panel}
            return marker | {
                "pattern": {**_HATCHES[looks.hatch], **hollow},
                "line": {"color": looks.colour, "width": 1},
            }
        return marker | ({"pattern": dict(_HATCHES[looks.hatch])} if looks.hatch else {})

    def _hover(self, merged: bool) -> str:
        unit = plain(self.scene.data.unit)
        where = f"%{{base:,}} – %{{x:,}} {unit}"
        if merged:
            busy = f"busy %{{customdata[1]:,}} of %{{customdata[2]:,}} {unit}"
            return f"<b>%{{customdata[0]:,}} × %{{text}}<br>{where}<br>{busy}<extra></extra>"
        time = " · %{customdata[1]:.3s}s" if self.scene.data.clock_hz else ""
        return f"<b>%{{text}}<br>{where}<br>%{{customdata[0]:,}} {unit}{time}<extra></extra>"

    def _line(self, looks: _Looks, chosen: np.ndarray) -> dict[str, Any]:
        """Build the outlines of a profile's bars, as properties of a plotly line.

        Highlighted executions have a strong outline; if there are more than 100, only executions
        wider than 4 px. Bars narrower than a pixel, which a browser would not draw, have an outline
        in their own colour.
        """
        window = self.scene.window[1] - self.scene.window[0]
        share = (self.rects.end - self.rects.start)[chosen] / window
        # The edge of the plot cuts off half of the outline, so it is twice as wide there.
        at_edge = (self.rects.start[chosen] - self.scene.window[0]) / window < PIXEL
        narrow = np.where(share < PIXEL, 1.0 + at_edge, 0.0)
        if self.role == "lit":
            strong = (share >= 4 * PIXEL) | (len(self.rects) <= _MAX_OUTLINED)
            ink = palette(self.scene.theme).selection
            return {
                "color": np.where(strong, ink, looks.colour),
                "width": np.where(strong, 1.5, narrow),
            }
        return {"color": looks.colour, "width": narrow} if narrow.any() else {"width": 0}

    def _profile_hover(self, merged: bool) -> str:
        """Build the hover template of a profile's events: name, duration in a fitting unit and in
        whole nanoseconds, and begin. Bars that are `merged` show the number of events and their
        busy time instead.
        """
        begin = "from %{customdata[2]:.15~s}s"
        if merged:
            busy = "busy %{customdata[3]:.3s}s of %{customdata[1]:.3s}s"
            return f"<b>%{{customdata[0]:,}} × %{{text}}<br>{busy}<br>{begin}<extra></extra>"
        return f"<b>%{{text}}<br>%{{customdata[1]:.3s}}s = %{{customdata[0]:,}} ns<br>{begin}<extra></extra>"
