"""Layout of the panels of a trend plot: which series share a panel, and its place."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from analysis.comparison.series import Series
from components.byte_axis import byte_ticks
from components.comparison.trend_names import heading_name, own_names
from components.comparison.trend_words import change_text
from components.numbers import count_text, in_unit, plain
from components.theme import CATEGORICAL
from components.tick_formats import SHARE_TICKS
from schema.metrics import Metric
from schema.result_metrics import PREFIX
from schema.table_columns import RATE_UNITS

_MIN_SPAN = 0.06
"""Minimum height of the range as a share of its numbers; noise must not look like a change."""
_MAX_DRAWN = 1e300
_MIN_ROOM = 1e-300
"""From _MIN_ROOM to _MAX_DRAWN neither a range nor a power of ten leaves the range of floats."""
_MAX_TICKS = 5
"""Maximum number of ticks, roughly."""
_SCALED = ("bytes", "ns", *RATE_UNITS)
"""Units whose numbers are shown with a prefix, which plotly's own tick formats do not have."""


def scale(own: Sequence[Series], metric: Metric) -> dict[str, Any]:
    """Build range and ticks of a panel's y axis, with room around the numbers of its series.

    If the unit needs a prefix (bytes, ns, rates), the ticks are computed here and zooming is
    disabled.
    """
    low, high = _span(own)
    if metric.unit not in _SCALED:
        form = {"tickformat": SHARE_TICKS} if metric.unit == "ratio" else {}
        return {"range": [low, high], "nticks": _MAX_TICKS, **form}
    if metric.unit == "bytes":
        return {"range": [low, high], **byte_ticks(low, high), "fixedrange": True}
    step = _step((high - low) / _MAX_TICKS)
    values = [step * rank for rank in range(math.ceil(low / step), math.floor(high / step) + 1)]
    texts = [in_unit(value, metric.unit) for value in values]
    return {"range": [low, high], "tickvals": values, "ticktext": texts, "fixedrange": True}


def _span(own: Sequence[Series]) -> tuple[float, float]:
    """Compute the lowest and the highest number of the y axis: those of points and baseline, with
    room around them.
    """
    values = [point.value for curve in own for point in curve.points]
    values += [value for curve in own for band in curve.bands[:1] for value in band.values]
    low, high = (min(max(end, -_MAX_DRAWN), _MAX_DRAWN) for end in (min(values), max(values)))
    room = max(0.15 * (high - low), (_MIN_SPAN * max(abs(low), abs(high)) - (high - low)) / 2)
    room = room if room > _MIN_ROOM else 1.0
    # When numbers are close above 0, the axis must not reach far below 0.
    foot = low - room if low < 0 or low > room else low - 0.05 * (high - low + room)
    return foot, high + room


def _step(least: float) -> float:
    """Round the distance of ticks up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


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
    """A panel of the plot of trends: positions of its series, and its row and column in the grid.

    `axis` is the number of its axes in plotly, "" for the first.
    """

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
        """Number of panels next to each other in the widest row."""
        return 1 + max(panel.column for panel in self.panels)

    @property
    def height(self) -> int:
        """Height of all panels with the gaps between them, in pixels."""
        rows = 1 + max(panel.row for panel in self.panels)
        return rows * self._plot_px + (rows - 1) * self._gap_px

    def across(self, panel: Panel) -> list[float]:
        """Compute the horizontal range [left, right] of a panel, from 0 to 1 of the figure."""
        width = (1 - (self.columns - 1) * _COLUMN_GAP) / self.columns
        left = panel.column * (width + _COLUMN_GAP)
        return [left, min(1.0, left + width)]

    def up(self, panel: Panel) -> list[float]:
        """Compute the vertical range [bottom, top] of a panel, from 0 (bottom) to 1 of the figure."""
        top = 1 - panel.row * (self._plot_px + self._gap_px) / self.height
        return [max(0.0, top - self._plot_px / self.height), top]

    @property
    def _plot_px(self) -> int:
        return _ALONE_PX if len(self.panels) == 1 else _PLOT_PX

    @property
    def _gap_px(self) -> int:
        return _TICKS_PX + self.lines * LINE_PX


def place_panels(series: Sequence[Series], max_columns: int = MAX_COLUMNS) -> Grid:
    """Place the panels in the order of their series; series with equal hwid and size share a panel.

    If there are several hwids, and 2 to `max_columns` sizes, each hwid is a row and each size a
    column.
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
        row, column = (
            (hwids.index(hwid), sizes.index(size)) if matrix else divmod(next(free), max_columns)
        )
        panels.append(Panel(tuple(members), str(len(panels) + 1) if panels else "", row, column))
    lines = max(_lines([series[at] for at in panel.series]).count("<br>") + 1 for panel in panels)
    return Grid(tuple(panels), lines)


def axes(
    grid: Grid, panel: Panel, own: Sequence[Series], metric: Metric, x: Mapping[str, Any]
) -> dict[str, Any]:
    """Build the x and y axes of a panel as `xaxisN` and `yaxisN`; `x` are properties that all x
    axes share.
    """
    shared = {"matches": "x"} if panel.axis else {}
    unit = metric.unit if metric.unit in ("GMAC/s", "cycles") else metric.share_of
    if metric.name.startswith(PREFIX) and metric.unit not in (*_SCALED, "bytes", "ratio"):
        unit = plain(metric.unit)
    return {
        f"xaxis{panel.axis}": {
            "domain": grid.across(panel),
            "anchor": f"y{panel.axis}",
            **shared,
            **x,
        },
        f"yaxis{panel.axis}": {
            "domain": grid.up(panel),
            "anchor": f"x{panel.axis}",
            "title": {"text": unit if panel.column == 0 else ""},
            **scale(own, metric),
        },
    }


def heading(grid: Grid, panel: Panel, own: Sequence[Series]) -> dict[str, Any]:
    """Build the annotation with the heading of a panel: hwid, size, common properties of its runs,
    and last change.
    """
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
    """Write the lines of a heading, joined by `<br>`.

    A single series has its properties and last change; several series have a line each, with their
    symbol, at most three.
    """
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
