"""The small multiples of a number over time: which series share a plot, and where each plot stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from analysis.comparison.series import Series
from components.comparison.trend_scale import scale
from components.comparison.trend_words import change_text, heading_name, own_names
from components.numbers import counted, plain
from components.theme import CATEGORICAL
from schema.metrics import Metric

MOST_COLUMNS = 3
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
_SIGNS = ("●", "■", "◆", "▲")
"""What the symbols look like in a text."""
_PLOT_PX, _ALONE_PX, _GAP_PX = 150, 280, 76
_COLUMN_GAP = 0.055


@dataclass(frozen=True)
class Panel:
    """A plot: the positions of its series, the number of its axes as plotly has it, and its place in the grid."""

    series: tuple[int, ...]
    axis: str
    row: int
    column: int


@dataclass(frozen=True)
class Grid:
    """The plots, and the room that they have."""

    panels: tuple[Panel, ...]

    @property
    def columns(self) -> int:
        return 1 + max(panel.column for panel in self.panels)

    @property
    def height(self) -> int:
        """Return the height of all plots with what is between them, in pixels."""
        rows = 1 + max(panel.row for panel in self.panels)
        return rows * self._plot_px + (rows - 1) * _GAP_PX

    def across(self, panel: Panel) -> list[float]:
        """Return the room of a plot across, as shares of the figure."""
        width = (1 - (self.columns - 1) * _COLUMN_GAP) / self.columns
        left = panel.column * (width + _COLUMN_GAP)
        return [left, min(1.0, left + width)]

    def up(self, panel: Panel) -> list[float]:
        """Return the room of a plot from below upwards."""
        top = 1 - panel.row * (self._plot_px + _GAP_PX) / self.height
        return [max(0.0, top - self._plot_px / self.height), top]

    @property
    def _plot_px(self) -> int:
        return _ALONE_PX if len(self.panels) == 1 else _PLOT_PX


def grid_of(series: Sequence[Series]) -> Grid:
    """Place the plots: a row per hwid and a column per size where these are few, else one after the other."""
    groups: dict[tuple[str, tuple[int, ...]], list[int]] = defaultdict(list)
    for at, one in enumerate(series):
        groups[one.key.hwid, (one.key.M or 0, one.key.K or 0, one.key.N or 0)].append(at)
    hwids, sizes = sorted({hwid for hwid, _ in groups}), sorted({size for _, size in groups})
    matrix, free = 1 < len(sizes) <= MOST_COLUMNS and len(hwids) > 1, count()
    panels: list[Panel] = []
    for (hwid, size), members in sorted(groups.items()):
        row, column = (hwids.index(hwid), sizes.index(size)) if matrix else divmod(next(free), MOST_COLUMNS)
        panels.append(Panel(tuple(members), str(len(panels) + 1) if panels else "", row, column))
    return Grid(tuple(panels))


def axes(grid: Grid, panel: Panel, own: Sequence[Series], metric: Metric, x: Mapping[str, Any]) -> dict[str, Any]:
    """Return the axes of a plot; all plots share what they show across."""
    shared = {"matches": "x"} if panel.axis else {}
    named = metric.unit in ("GMAC/s", "cycles") and panel.column == 0
    return {
        f"xaxis{panel.axis}": {"domain": grid.across(panel), "anchor": f"y{panel.axis}", **shared, **x},
        f"yaxis{panel.axis}": {
            "domain": grid.up(panel),
            "anchor": f"x{panel.axis}",
            "title": {"text": metric.unit if named else ""},
            **scale(own, metric),
        },
    }


def heading(grid: Grid, panel: Panel, own: Sequence[Series]) -> dict[str, Any]:
    """Return the heading of a plot: hwid and size, beneath it its last change, or what the signs of its series mean."""
    said = _said(own[0]) if len(own) == 1 else _signs(own)
    return {
        "text": f"<b>{plain(heading_name([one.key for one in own]), 44)}</b><br>{said}",
        "x": grid.across(panel)[0],
        "y": grid.up(panel)[1],
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
        "font": {"size": 11},
    }


def _said(one: Series) -> str:
    steady = one.note or f"no change in {counted(len(one.points), 'run')}"
    return change_text(one.changes[-1]) if one.changes else steady


def _signs(own: Sequence[Series]) -> str:
    names = own_names([one.key for one in own])[: len(_SIGNS)]
    more = f" and {len(own) - len(names)} more" if len(own) > len(names) else ""
    signs = [
        f'<span style="color:{CATEGORICAL[slot]}">{_SIGNS[slot]}</span> {plain(name)}'
        for slot, name in enumerate(names)
    ]
    return "  ".join(signs) + more
