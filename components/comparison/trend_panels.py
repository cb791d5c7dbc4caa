"""Layout of the panels of a trend plot: which series share a panel, and its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from analysis.comparison.series import Series
from components.comparison.trend_names import heading_name, own_names
from components.comparison.trend_scale import scale
from components.comparison.trend_words import change_text
from components.numbers import count_text, plain
from components.theme import CATEGORICAL
from schema.metrics import Metric

MAX_COLUMNS = 3
"""Maximum number of panels in a row."""
LINE_PX = 15
"""Height of a line of a panel's heading in pixels."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up")
"""Plotly symbols of the series of a panel, in order."""
_SIGNS = ("●", "■", "◆", "▲")
"""Characters that look like SYMBOLS, for texts."""
_MAX_SIGNS = 3
"""Maximum number of series that a panel's heading names."""
_PLOT_PX, _ALONE_PX, _TICKS_PX = 150, 280, 50
"""Height of a panel among several, of a single panel, and of its tick labels, in pixels."""
_COLUMN_GAP = 0.055


@dataclass(frozen=True)
class Panel:
    """A panel: positions of its series, plotly number of its axes ("" for the first), and place."""

    series: tuple[int, ...]
    axis: str
    row: int
    column: int


@dataclass(frozen=True)
class Grid:
    """The panels with their places; each has a heading of `lines` lines above it."""

    panels: tuple[Panel, ...]
    lines: int

    @property
    def columns(self) -> int:
        return 1 + max(panel.column for panel in self.panels)

    @property
    def height(self) -> int:
        """Height of all panels with the gaps between them, in pixels."""
        rows = 1 + max(panel.row for panel in self.panels)
        return rows * self._plot_px + (rows - 1) * self._gap_px

    def across(self, panel: Panel) -> list[float]:
        """Compute the horizontal range of a panel, from 0 to 1 of the figure."""
        width = (1 - (self.columns - 1) * _COLUMN_GAP) / self.columns
        left = panel.column * (width + _COLUMN_GAP)
        return [left, min(1.0, left + width)]

    def up(self, panel: Panel) -> list[float]:
        """Compute the vertical range of a panel, from 0 to 1 of the figure, from below."""
        top = 1 - panel.row * (self._plot_px + self._gap_px) / self.height
        return [max(0.0, top - self._plot_px / self.height), top]

    @property
    def _plot_px(self) -> int:
        return _ALONE_PX if len(self.panels) == 1 else _PLOT_PX

    @property
    def _gap_px(self) -> int:
        return _TICKS_PX + self.lines * LINE_PX


def place_panels(series: Sequence[Series], max_columns: int = MAX_COLUMNS) -> Grid:
    """Place the panels in the order of their series.

    If there are several hwids and few sizes, each hwid is a row and each size a column.
    """
    groups: dict[tuple[str, tuple[int, ...]], list[int]] = defaultdict(list)
    for at, curve in enumerate(series):
        groups[curve.key.hwid, (curve.key.M or 0, curve.key.K or 0, curve.key.N or 0)].append(at)
    hwids = list(dict.fromkeys(hwid for hwid, _ in groups))
    sizes = sorted({size for _, size in groups})
    matrix = 1 < len(sizes) <= max_columns and len(hwids) > 1
    free = count()
    panels: list[Panel] = []
    for (hwid, size), members in groups.items():
        # Without a matrix, panels fill the rows from left to right.
        row, column = (hwids.index(hwid), sizes.index(size)) if matrix else divmod(next(free), max_columns)
        panels.append(Panel(tuple(members), str(len(panels) + 1) if panels else "", row, column))
    lines = max(_lines([series[at] for at in panel.series]).count("<br>") + 1 for panel in panels)
    return Grid(tuple(panels), lines)


def axes(grid: Grid, panel: Panel, own: Sequence[Series], metric: Metric, x: Mapping[str, Any]) -> dict[str, Any]:
    """Build the x and y axes of a panel; `x` are properties that all x axes share."""
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
    """Build the heading of a panel: hwid, size, common properties of its runs, and last change."""
    return {
        "text": _lines(own),
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


def _lines(own: Sequence[Series]) -> str:
    """Write the lines of a heading; several series have a line each, with their symbol."""
    name = f"<b>{plain(heading_name([curve.key for curve in own]), 44)}</b>"
    rest = own_names([curve.key for curve in own])
    if len(own) == 1:
        return "<br>".join(filter(None, (name, plain(rest[0], 48), _summary(own[0]))))
    signs = [
        f'<span style="color:{CATEGORICAL[slot]}">{_SIGNS[slot]}</span> {plain(name_part, 46)}'
        for slot, name_part in enumerate(rest[:_MAX_SIGNS])
    ]
    more = [f"and {len(own) - _MAX_SIGNS} more series"] if len(own) > _MAX_SIGNS else []
    return "<br>".join([name, *signs, *more])


def _summary(curve: Series) -> str:
    changes = curve.development.changes
    steady = curve.development.note or f"no change in {count_text(len(curve.points), 'run')}"
    return change_text(changes[-1]) if changes else steady
