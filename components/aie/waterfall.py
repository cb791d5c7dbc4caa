"""Waterfall chart from a run's peak rate through its losses to the achieved rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from analysis.aie.pace.pace import Pace
from analysis.aie.waterfall import (
    EFFICIENCY,
    END,
    GAPS,
    LOSSES,
    OTHER,
    STALLS_BETWEEN,
    STALLS_INSIDE,
    START,
    WAITING,
    Waterfall,
)
from components.aie.core_words import timed_cores_text
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import count_text, gmacs, integer, percent, signed_text
from components.row_axis import row_axis, row_targets
from components.theme import palette
from components.tick_formats import NUMBER_TICKS, SHARE_TICKS

LABELS: Mapping[str, str] = MappingProxyType(
    {
        EFFICIENCY: "kernel efficiency",
        STALLS_INSIDE: "stalls in kernels",
        OTHER: "other kernels",
        STALLS_BETWEEN: "stalls between kernels",
        GAPS: "other gaps",
        START: "late start",
        WAITING: "waiting",
        END: "early end",
    }
)
"""Step of the waterfall -> label."""
_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        EFFICIENCY: "time that main kernels compute for beyond work / peak",
        STALLS_INSIDE: "time in main kernels that is stalled",
        OTHER: "time in kernels of other kinds, such as clear kernels",
        STALLS_BETWEEN: "the core's own stalls between the kernels of an iteration",
        GAPS: "time between kernels without a traced stall",
        START: "from the first kernel of any core to the core's own first one",
        WAITING: "lock stalls for blocks that another core holds up",
        END: "from the core's last kernel to the last one of any core",
    }
)
"""Step -> definition, for the hover text."""
_CAUSES: Mapping[str, str] = MappingProxyType(
    {
        "lock": "lock stalls",
        "memory": "memory stalls",
        "stream": "stream stalls",
        "cascade": "cascade stalls",
    }
)
"""Kind of stall in the name of a step's main part -> words."""
_SETTINGS: Mapping[str, str] = MappingProxyType(
    {"clock_hz": "clock", "peak_macs_per_cycle": "peak"}
)
"""Setting -> its label in Settings, if that differs from its name."""
_NO_RATE = "No complete perf iteration: there is no achieved rate to explain."
_ROW_PX, _FRAME_PX = 20, 78
_WIDTH = 0.7


def waterfall(found: Waterfall | None, theme: str) -> Figure:
    """Draw peak, losses and achieved rate from top to bottom in GMAC/s; if rates are unknown,
    shares of time.

    A loss's customdata is [step]; its whole row can be clicked. When there are no losses (`found`
    None), the figure shows only a sentence.
    """
    if found is None:
        return empty_figure(_NO_RATE, theme, 160)
    rated = found.has_rates
    sizes = found.steps["gmacs" if rated else "share"].fillna(0.0).to_numpy(np.float64)
    top = found.peak if rated else 1.0
    left = top - np.cumsum(sizes)
    totals = ("peak", "achieved") if rated else ("time of the cores", "compute")
    losses = _losses(found, left, sizes, theme)
    layout = _layout(totals, left, top, rated)
    traces = [_totals((top, float(left[-1])), totals, rated, theme), losses]
    return figure([*traces, row_targets(losses, layout["xaxis"]["range"])], layout, theme)


def waterfall_caption(
    found: Waterfall | None, pace: Pace | None = None, traced: int | None = None
) -> str:
    """Return the caption: the achieved rate, whether it is impossible, the largest loss and its cause.

    If cores wait for other cores, it also mentions the first limiter. `traced` is the number of
    traced cores if the losses are of the whole capture.
    """
    if found is None:
        return _NO_RATE
    cores = timed_cores_text(found.cores, traced or found.cores)
    scope = f"({cores}, {count_text(found.iterations, 'iteration')})"
    lead = (
        f"{gmacs(found.achieved)} of {gmacs(found.peak)} GMAC/s {scope}"
        if found.has_rates
        else f"Time of the cores {scope}"
    )
    if found.has_rates and found.achieved > found.peak:
        lead = f"Impossible: {lead}"
    step = found.largest
    if step is None:
        return f"{lead}: no step loses time."
    row = found.rows[step]
    cost = (
        f"{gmacs(row['gmacs'])} GMAC/s, {percent(row['share'])}"
        if found.has_rates
        else percent(row["share"])
    )
    rest = f" Set {_list_words(found.missing)} in Settings to see rates." if found.missing else ""
    why = f"{_cause(str(row['main_part']))}{_pacing_words(step, pace)}"
    return f"{lead}. Largest loss: {LABELS[step]} ({cost} of the time){why}.{rest}"


def _pacing_words(step: str, pace: Pace | None) -> str:
    """Return ": PLACE sets the pace" with the place of the first limiter.

    "" without a limiter, or if cores do not wait for other cores in this step.
    """
    first = pace.limiters[0] if pace and pace.limiters else None
    return f": {first.where} sets the pace" if first and step in (WAITING, END) else ""


def _list_words(settings: tuple[str, ...]) -> str:
    words = [_SETTINGS.get(name, name) for name in settings]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _cause(part: str) -> str:
    """Return ", mainly CAUSE" with the kind of stall of a step's main part; "" if that is not a
    stall.
    """
    cause = _CAUSES.get(part.removesuffix("_inside").removesuffix("_between"))
    return f", mainly {cause}" if cause else ""


def _totals(
    ends: tuple[float, float], names: tuple[str, str], rated: bool, theme: str
) -> dict[str, Any]:
    """Build the trace of the first and the last bar (peak and achieved), which begin at zero.

    `ends` are their lengths, `names` their names.
    """
    colours = palette(theme)
    return {
        "type": "bar",
        "orientation": "h",
        "x": list(ends),
        "y": [0, len(LOSSES) + 1],
        "width": _WIDTH,
        "text": [gmacs(end) if rated else percent(end) for end in ends],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": [colours.warmup, colours.perf]},
        "hovertemplate": [
            f"<b>{name}</b><br>%{{text}}{' GMAC/s' if rated else ''}<extra></extra>"
            for name in names
        ],
        "showlegend": False,
    }


def _losses(found: Waterfall, left: np.ndarray, sizes: np.ndarray, theme: str) -> dict[str, Any]:
    """Build the trace with a bar per loss, between its end and that of the bar above; the largest
    loss is coloured and bold.
    """
    colours = palette(theme)
    largest = [step == found.largest for step in LOSSES]
    return {
        "type": "bar",
        "orientation": "h",
        # A gain too is drawn from its lower end, so that its text is to the right of the bar: to the
        # left of it are the names of the rows.
        "base": left + np.minimum(sizes, 0.0),
        "x": np.abs(sizes),
        "y": np.arange(1, len(LOSSES) + 1),
        "width": _WIDTH,
        "text": [_loss_text(found, step, bold) for step, bold in zip(LOSSES, largest, strict=True)],
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {
            "color": [colours.caution if bold else colours.muted for bold in largest],
            "opacity": [1.0 if bold else 0.6 for bold in largest],
            # A negative loss is a gain.
            "pattern": {"shape": ["/" if size < 0 else "" for size in sizes]},
        },
        "customdata": np.array([[step] for step in LOSSES], dtype=object),
        "hovertemplate": [
            f"<b>{LABELS[step]}</b><br>{_hover(found, step)}<extra></extra>" for step in LOSSES
        ],
        "showlegend": False,
    }


def _loss_text(found: Waterfall, step: str, bold: bool) -> str:
    row = found.rows[step]
    lost = row["gmacs"]
    rate = f"{signed_text(gmacs(abs(lost)), -lost)} · " if found.has_rates and lost else ""
    text = f"{rate}{_with_sign(percent, row['share'])}"
    return f"<b>{text}</b>" if bold else text


def _with_sign(write: Callable[[float], str], value: float) -> str:
    """Format a loss, with a minus if it is a gain."""
    return write(value) if value >= 0 else signed_text(write(-value), value)


def _hover(found: Waterfall, step: str) -> str:
    row = found.rows[step]
    cause = _cause(str(row["main_part"])).removeprefix(", ") if row["ticks"] else ""
    lines = [
        _MEANINGS[step],
        f"{_with_sign(integer, row['ticks'])} core-cycles, {_with_sign(percent, row['share'])} of the time",
        cause,
    ]
    return "<br>".join(filter(None, lines))


def _layout(totals: tuple[str, str], left: np.ndarray, top: float, rated: bool) -> dict[str, Any]:
    names = [totals[0], *(LABELS[step] for step in LOSSES), totals[1]]
    # Texts are drawn to the right of the bars and need room, on narrow pages as much as the bars.
    room = max(top, float(left.max())) * 1.75
    return {
        "height": _FRAME_PX + _ROW_PX * len(names),
        "margin": {"l": 150, "r": 24, "t": 8, "b": 40},
        "barmode": "overlay",
        "xaxis": {
            "title": {
                "text": "GMAC/s · share of the cores' time" if rated else "share of the cores' time"
            },
            "tickformat": NUMBER_TICKS if rated else SHARE_TICKS,
            "range": [min(0.0, float(left.min())) * 1.05, room],
        },
        "yaxis": row_axis(names),
        "dragmode": False,
    }
