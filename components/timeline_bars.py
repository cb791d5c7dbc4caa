"""The bars of a timeline: one trace per colour, whatever the number of lanes and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.lanes import LaneIndex
from analysis.selection import Selection
from analysis.timeline import Rectangles
from components.graph import compact
from components.numbers import plain
from components.theme import FADE, event_color, name_color, palette
from components.timeline_rows import Row, TimelineData

_FAINTEST = 0.3
"""Opacity of a merged bar that is hardly ever busy; one that always is has 1."""


@dataclass(frozen=True)
class Scene:
    """What every part of one drawing needs; `at` is where each row lies."""

    data: TimelineData
    at: Mapping[Row, float]
    window: tuple[int, int]
    selection: Selection
    theme: str


@dataclass(frozen=True)
class Part:
    """The rectangles of one index and how they look; `role` is event, kernel or left out."""

    scene: Scene
    index: LaneIndex
    rects: Rectangles
    lanes: Mapping[int, Row]
    role: str

    def traces(self) -> list[dict[str, Any]]:
        """Return a bar trace per colour, and apart for bars that stand for several intervals."""
        if not len(self.rects):
            return []
        colours, colour = np.unique([self._color(name) for name in [*self.index.names, None]], return_inverse=True)
        key = colour[self.rects.name] * 2 + (self.rects.count > 1)
        text = self._text()
        return [
            self._trace(np.flatnonzero(key == group), str(colours[group // 2]), bool(group % 2), text)
            for group in np.unique(key).tolist()
        ]

    def _color(self, name: str | None) -> str:
        """Return the colour of a name; None is several names together."""
        if self.role == "left out":
            return palette(self.scene.theme).trouble
        if name is None:
            return palette(self.scene.theme).muted
        return name_color(name) if self.role == "kernel" else event_color(name, self.scene.theme)

    def _text(self) -> np.ndarray:
        """Return each rectangle's name and track, written once per pair."""
        names = len(self.index.names) + 1
        pairs, at = np.unique(self.rects.lane * names + self.rects.name % names, return_inverse=True)
        return np.array([self._label(*divmod(pair, names)) for pair in pairs.tolist()], dtype=object)[at]

    def _label(self, lane: int, name: int) -> str:
        named = plain(self.index.names[name]) if name < len(self.index.names) else "several names"
        return f"{'left out: ' if self.role == 'left out' else ''}{named}</b> · {plain(self.lanes[lane].track)}"

    def _trace(self, chosen: np.ndarray, colour: str, merged: bool, text: np.ndarray) -> dict[str, Any]:
        start, end = self.rects.start[chosen], self.rects.end[chosen]
        length = np.maximum(end - start, 1)
        opacity = self._emphasis(chosen) * (self._density(chosen) if merged else 1.0)
        return {
            "type": "bar",
            "orientation": "h",
            "base": compact(start),
            "x": compact(length),
            "y": self._per_lane({lane: self.scene.at[row] for lane, row in self.lanes.items()}, chosen),
            "width": 0.86,
            "marker": self._marker(colour, opacity),
            "text": text[chosen],
            "textposition": "none",
            "customdata": self._numbers(chosen, merged),
            "hovertemplate": self._hover(merged),
            "showlegend": False,
        }

    def _per_lane(self, values: Mapping[int, float], chosen: np.ndarray) -> np.ndarray:
        table = np.zeros(max(values) + 1, dtype=np.float32)
        table[list(values)] = list(values.values())
        return np.asarray(table[self.rects.lane[chosen]])

    def _density(self, chosen: np.ndarray) -> np.ndarray:
        length = np.maximum(self.rects.end[chosen] - self.rects.start[chosen], 1)
        busy = np.minimum(self.rects.busy[chosen] / length, 1.0)
        return np.asarray(_FAINTEST + (1 - _FAINTEST) * busy)

    def _numbers(self, chosen: np.ndarray, merged: bool) -> np.ndarray:
        """Return what the hover says: length and seconds, or count, busy and length."""
        length = self.rects.end[chosen] - self.rects.start[chosen]
        if merged:
            return np.column_stack([self.rects.count[chosen], self.rects.busy[chosen], length]).astype(np.float64)
        return np.column_stack([length, length / (self.scene.data.clock_hz or 1.0)])

    def _emphasis(self, chosen: np.ndarray) -> np.ndarray:
        """Return 1 for what the selection covers, and the fade for the rest."""
        wanted = self.scene.selection
        tracks = {lane: float(wanted.track in (None, row.track)) for lane, row in self.lanes.items()}
        lit = self._per_lane(tracks, chosen) > 0
        if self.role == "kernel" and wanted.kind is not None:
            lit &= (self.index.names == wanted.kind)[self.rects.name[chosen]] | (self.rects.name[chosen] < 0)
        if self.role != "event" and wanted.duration is not None:
            length = self.rects.end[chosen] - self.rects.start[chosen]
            inside = (length >= wanted.duration[0]) & (length < wanted.duration[1])
            lit &= inside | (self.rects.count[chosen] > 1)
        return np.where(lit, 1.0, FADE)

    def _marker(self, colour: str, opacity: np.ndarray) -> dict[str, Any]:
        shown: Any = round(float(opacity[0]), 3) if np.ptp(opacity) == 0 else opacity.astype(np.float32)
        if self.role != "left out":
            return {"color": colour, "line": {"width": 0}, "opacity": shown}
        pattern = {"shape": "/", "fgcolor": colour, "bgcolor": palette(self.scene.theme).panel, "size": 5}
        return {"color": colour, "pattern": pattern, "line": {"color": colour, "width": 1}, "opacity": shown}

    def _hover(self, merged: bool) -> str:
        unit = plain(self.scene.data.unit)
        where = f"%{{base:,}} – %{{x:,}} {unit}"
        if merged:
            busy = f"busy %{{customdata[1]:,}} of %{{customdata[2]:,}} {unit}"
            return f"<b>%{{customdata[0]:,}} × %{{text}}<br>{where}<br>{busy}<extra></extra>"
        time = " · %{customdata[1]:.3s}s" if self.scene.data.clock_hz else ""
        return f"<b>%{{text}}<br>{where}<br>%{{customdata[0]:,}} {unit}{time}<extra></extra>"
