"""Plot of the attempts of a layer group in the order tried: bytes at the peak, and cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.memory.group_table import GroupAttempt, LayerGroup
from components.byte_axis import byte_ticks
from components.figure import Figure
from components.graph import figure
from components.memory.block_words import exact
from components.memory.group_words import FailureOf, failure_words
from components.numbers import count_text, plain, size
from components.theme import palette

_BYTES_PX, _CYCLES_PX, _FRAME_PX = 190, 90, 84
_MAX_TICKS = 24
"""Maximum number of attempts with a label on the x axis."""
_LABEL = 40
_HEADROOM = 1.12
"""Height of the y axis divided by the highest value that it shows."""


def group_curve(group: LayerGroup, failure_of: FailureOf, shown: int | None, theme: str) -> Figure:
    """Draw the bytes at the peak, and the cycles if known, of the attempts of a group in the order
    tried; failed attempts are crosses.

    The attempt `shown` is larger and circled. The customdata of a click is the attempt's number.
    """
    attempts = group.attempts
    with_cycles = any(attempt.cycles is not None for attempt in attempts)
    texts = [_hover(attempt, failure_of) for attempt in attempts]
    points = _points(attempts, texts, shown, theme)
    traces = [points | {"yaxis": "y", "y": [float(attempt.peak_bytes) for attempt in attempts]}]
    if with_cycles:
        cycles = [None if attempt.cycles is None else float(attempt.cycles) for attempt in attempts]
        traces.append(points | {"yaxis": "y2", "y": cycles})
    return figure(traces, _layout(attempts, theme, with_cycles=with_cycles), theme)


def parse_click(click: Mapping[str, Any] | None) -> int | None:
    """Return the number of the clicked attempt, None if the click hit no attempt."""
    point = ((click or {}).get("points") or [{}])[0]
    attempt = point.get("customdata") if isinstance(point, Mapping) else None
    attempt = attempt[0] if isinstance(attempt, list) and attempt else attempt
    return int(attempt) if isinstance(attempt, int | float) else None


def _points(
    attempts: Sequence[GroupAttempt], texts: Sequence[str], shown: int | None, theme: str
) -> dict[str, Any]:
    """Build a trace of the attempts without y values, which the caller adds."""
    colours = palette(theme)
    lost = [attempt.failed > 0 for attempt in attempts]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": np.arange(len(attempts)),
        "customdata": [attempt.attempt for attempt in attempts],
        "text": list(texts),
        "hovertemplate": "%{text}<extra></extra>",
        "line": {"color": colours.muted, "width": 1, "dash": "dot"},
        "marker": {
            "symbol": ["x" if failed else "circle" for failed in lost],
            "color": [colours.trouble if failed else colours.perf for failed in lost],
            "size": [13 if attempt.attempt == shown else 9 for attempt in attempts],
            "line": {
                "color": colours.selection,
                "width": [2 if attempt.attempt == shown else 0 for attempt in attempts],
            },
        },
        "showlegend": False,
    }


def _hover(attempt: GroupAttempt, failure_of: FailureOf) -> str:
    lines = [
        f"attempt {attempt.attempt}: {attempt.outcome}",
        f"shape secs {attempt.shape_secs or 'not known'}",
    ]
    lines += (
        []
        if attempt.allow_bank_conflict is None
        else [f"bank conflicts allowed: {attempt.allow_bank_conflict}"]
    )
    lines.append(f"asked at the peak {exact(attempt.peak_bytes)}")
    lines += [] if attempt.cycles is None else [count_text(attempt.cycles, "cycle")]
    if attempt.failed:
        # When the reason is unknown, the separator after the count is removed.
        lines.append(
            f"{count_text(attempt.failed, 'block')} failed; {failure_words(failure_of(attempt), attempt)}".rstrip(
                "; "
            )
        )
    return "<br>".join(plain(line, 200) for line in lines)


def _layout(attempts: Sequence[GroupAttempt], theme: str, *, with_cycles: bool) -> dict[str, Any]:
    capacity = max((attempt.capacity or 0 for attempt in attempts), default=0)
    top = max(*(attempt.peak_bytes for attempt in attempts), capacity, 1) * _HEADROOM
    every = max(1, -(-len(attempts) // _MAX_TICKS))
    ticks = list(range(0, len(attempts), every))
    height = _BYTES_PX + (_CYCLES_PX if with_cycles else 0)
    split = _CYCLES_PX / height
    layout: dict[str, Any] = {
        "height": height + _FRAME_PX,
        "margin": {"l": 84, "r": 16, "t": 18, "b": 66},
        "xaxis": {
            "title": {"text": "shape secs, in the order tried"},
            "range": [-0.6, len(attempts) - 0.4],
            "tickmode": "array",
            "tickvals": ticks,
            "ticktext": [
                plain(attempts[at].shape_secs or f"attempt {attempts[at].attempt}", _LABEL)
                for at in ticks
            ],
            "anchor": "y2" if with_cycles else "y",
            "showgrid": False,
        },
        "yaxis": _bytes_axis(top) | {"domain": [split + 0.06 if with_cycles else 0, 1]},
        "shapes": [],
        "annotations": [],
    }
    if with_cycles:
        low = {
            "title": {"text": "cycles"},
            "domain": [0, split - 0.02],
            "rangemode": "tozero",
            "nticks": 4,
        }
        layout["yaxis2"] = low | {"tickformat": ".3~s"}
    if capacity:
        layout |= _capacity_line(capacity, theme)
    return layout


def _bytes_axis(top: float) -> dict[str, Any]:
    return {"title": {"text": "bytes asked at the peak"}, "range": [0, top], **byte_ticks(0, top)}


def _capacity_line(capacity: int, theme: str) -> dict[str, Any]:
    colour = palette(theme).capacity
    line = {"color": colour, "width": 1.5, "dash": "dash"}
    across = {
        "type": "line",
        "xref": "x domain",
        "x0": 0,
        "x1": 1,
        "yref": "y",
        "y0": capacity,
        "y1": capacity,
    }
    words = {
        "text": f"capacity {size(capacity)}",
        "xref": "x domain",
        "x": 1,
        "xanchor": "right",
        "yref": "y",
        "y": capacity,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"color": colour, "size": 11},
    }
    return {"shapes": [across | {"line": line}], "annotations": [words]}
