"""Live bytes of a profile over time: a stepped curve per device, and their sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.memory.live_curve import Binned, DeviceCurves, LiveCurve, bin_curve
from analysis.memory.selection import MemorySelection
from components.figure import Figure, compact
from components.graph import empty_figure, figure
from components.memory import axis as memory_axis
from components.memory.buffer_words import moment
from components.memory.curves import (
    HEADROOM,
    BytePlot,
    axis_name,
    domains,
    stacked_layout,
    step_trace,
)
from components.numbers import count_text, plain, size
from components.theme import CATEGORICAL, fade, palette
from schema.plurals import plural

MAX_DEVICES = 6
"""Maximum number of devices with a curve of their own; the remaining devices are summed."""

_TOP, _SINGLE_PX, _SUM_PX, _DEVICE_PX, _EMPTY_PX = 34, 200, 110, 70, 160
_MAX_VALUES = 2000
"""Maximum number of values of a curve drawn as they are: a screen has no more pixels across."""
_MAX_PLOT_PARTS, _MAX_PARTS = 400, 1600
"""Maximum parts of the window that hover and click distinguish, per plot and in all plots."""


@dataclass(frozen=True)
class DrawnCurve:
    """A curve with its own plot; `number` is its device's attempt, None for a sum over devices."""

    label: str
    number: int | None
    curve: LiveCurve
    colour: str


@dataclass(frozen=True)
class _DevicePlot(BytePlot):
    """A plot with its curve and that curve summarized over equal parts of the window."""

    drawn: DrawnCurve
    parts: Binned


def device_bytes(
    curves: DeviceCurves, window: tuple[int, int], selection: MemorySelection, theme: str
) -> Figure:
    """Draw live bytes over a window [begin, end) of ns: the sum, most used devices, other devices.

    Each plot is as high as the values in view. If a curve changes more often than there are pixels,
    the highest value per pixel is drawn. The customdata of a click is [attempt, ns], with attempt
    null for a sum. When there are no devices, the figure shows only a sentence.
    """
    if not len(curves.devices):
        return empty_figure("No device has a buffer.", theme, _EMPTY_PX)
    plots = _plots(drawn_curves(curves, theme), window)
    traces = [
        trace
        for plot in plots
        for trace in (_curve(plot, window), _peak(plot, window, theme), _touch(plot))
    ]
    return figure(traces, _layout(plots, window, selection, theme), theme)


def drawn_curves(curves: DeviceCurves, theme: str) -> list[DrawnCurve]:
    """List the curves to draw from the top: sum over devices, most used devices, sum of the rest.

    A single device has no sum. Up to 7 devices are all drawn, of more the 6 (MAX_DEVICES) with the
    highest peaks.
    """
    ranked = sorted(curves.devices, key=lambda number: -curves.devices[number].peak)
    # A device above the maximum is still drawn singly: a sum would take the same room.
    single = set(ranked) if len(ranked) <= MAX_DEVICES + 1 else set(ranked[:MAX_DEVICES])
    rest = [number for number in ranked if number not in single]
    shown = (
        [DrawnCurve("sum over devices", None, curves.total, CATEGORICAL[6])]
        if len(ranked) > 1
        else []
    )
    shown += [
        DrawnCurve(curves.labels[number], number, curve, CATEGORICAL[0])
        for number, curve in curves.devices.items()
        if number in single
    ]
    if not rest:
        return shown
    label = plural(len(rest), "other device")
    return [*shown, DrawnCurve(label, None, curves.sum_devices(rest), palette(theme).muted)]


def _plots(drawn: Sequence[DrawnCurve], window: tuple[int, int]) -> list[_DevicePlot]:
    pixels = [_SUM_PX, *[_DEVICE_PX] * (len(drawn) - 1)]
    if len(drawn) == 1:
        pixels = [_SINGLE_PX]
    touched = min(_MAX_PLOT_PARTS, _MAX_PARTS // len(drawn))
    plots = []
    for rank, (shown, px, domain) in enumerate(zip(drawn, pixels, domains(pixels), strict=True)):
        parts = bin_curve(shown.curve, window, touched)
        # When nothing is alive, the axis still needs a range.
        top = max(float(parts.highest.max()), 1.0) * HEADROOM
        plots.append(_DevicePlot(axis_name(rank), px, domain, top, shown, parts))
    return plots


def _curve(plot: _DevicePlot, window: tuple[int, int]) -> dict[str, Any]:
    """Build the trace of a curve: every value, or the highest value per pixel of a curve with more
    than 2,000 values in view.
    """
    curve = plot.drawn.curve
    values = curve.changes(window)
    if values.stop - values.start <= _MAX_VALUES:
        start = np.maximum(curve.at[values], window[0])
        held = curve.bytes[values]
    else:
        parts = bin_curve(curve, window, _MAX_VALUES)
        start = parts.edge[:-1]
        held = parts.highest
    line = {"shape": "hv", "color": plot.drawn.colour, "width": 1.6}
    fill = {"fill": "tozeroy", "fillcolor": fade(plot.drawn.colour, 0.18), "showlegend": False}
    return step_trace(start, np.array(window[1:]), compact(held), plot.axis) | {"line": line} | fill


def _peak(plot: _DevicePlot, window: tuple[int, int], theme: str) -> dict[str, Any]:
    """Build the trace with a point at the peak of the curve; without points if the peak is not in
    view.
    """
    time = plot.drawn.curve.peak_time
    seen = window[0] <= time < window[1]
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": plot.axis,
        "x": [time] if seen else [],
        "y": [plot.drawn.curve.peak] if seen else [],
        "marker": {"color": palette(theme).ink, "size": 7, "symbol": "diamond"},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _touch(plot: _DevicePlot) -> dict[str, Any]:
    """Build the trace of invisible bars for hover and click: a bar per part of the time over the
    whole height of the plot, with [attempt, time in ns] in its customdata.
    """
    parts = plot.parts
    length = plot.drawn.curve.end
    custom = np.full((len(parts.time), 2), plot.drawn.number, dtype=object)
    custom[:, 1] = parts.time
    name = plain(plot.drawn.label, 30)
    values = zip(parts.time.tolist(), parts.highest.tolist(), parts.blocks.tolist(), strict=True)
    hover = [
        f"{name} at {moment(at, length)}<br>{size(held)} in {count_text(count, 'buffer')}"
        for at, held, count in values
    ]
    width = np.diff(parts.edge)
    bars = memory_axis.touch(parts.edge[:-1] + width / 2, compact(width), (0, plot.top))
    return bars | {
        "yaxis": plot.axis,
        "customdata": custom,
        "hovertext": np.array(hover, dtype=object),
    }


def _layout(
    plots: Sequence[_DevicePlot], window: tuple[int, int], selection: MemorySelection, theme: str
) -> dict[str, Any]:
    shown = selection.attempt if len(plots) > 1 else None
    return {
        **stacked_layout(plots, _TOP, theme),
        "uirevision": f"{window}",
        "xaxis": memory_axis.times_axis(window, theme) | {"anchor": plots[-1].axis},
        "shapes": memory_axis.cursor(selection, window, theme),
        "annotations": [_title(plot, window, shown, theme) for plot in plots],
    }


def _title(
    plot: _DevicePlot, window: tuple[int, int], shown: int | None, theme: str
) -> dict[str, Any]:
    """Build the annotation above a plot: device, peak, and bytes that are not freed at the end.

    The device with attempt number `shown` is marked as shown.
    """
    drawn = plot.drawn
    curve = plot.drawn.curve
    chosen = drawn.number is not None and drawn.number == shown
    words = [f"<b>{plain(drawn.label, 30)}</b>{' (shown)' if chosen else ''}"]
    words.append(f"peak {size(curve.peak)} at {moment(curve.peak_time, curve.end)}")
    if not window[0] <= curve.peak_time < window[1]:
        words.append(f"at most {size(int(plot.parts.highest.max()))} here")
    words.append(f"{size(int(curve.bytes[-1]))} at the end")
    return memory_axis.plot_title(words, plot.domain, theme)
