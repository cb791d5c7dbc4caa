"""Plot of the iteration rates of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from components.comparison.sides import side_color
from components.figure import Figure
from components.graph import empty_figure, figure
from components.index_axis import index_axis
from components.numbers import gmacs, plain
from components.theme import FADE
from components.tick_formats import NUMBER_TICKS
from schema.array_types import Bools, Floats, Ints

_HEIGHT = 300


@dataclass(frozen=True)
class RunIterations:
    """The complete iterations of a run, or of one of its tiles, as arrays of equal length.

    `side` is base or new; `numbers` (int64) are iteration numbers, `rates` (float64) GMAC/s.
    `counted` masks the iterations that are compared, `odd` the outliers that are excluded.
    """

    side: str
    name: str
    numbers: Ints
    rates: Floats
    counted: Bools
    odd: Bools


def iterations(runs: Sequence[RunIterations], chosen: int | None, theme: str) -> Figure:
    """Draw a line of GMAC/s per run: warm-up iterations as open circles, outliers as crosses,
    dashed means of the other iterations of each side.

    When an iteration is `chosen`, it is larger and all other iterations are faded. The customdata
    of a click is [iteration]. When there are no iterations, the figure shows only a sentence.
    """
    if not any(len(run.numbers) for run in runs):
        return empty_figure("No complete iteration on either side.", theme, 160)
    traces = [
        _line(run, chosen, theme, first=_is_first(run, runs)) for run in runs if len(run.numbers)
    ]
    numbers = np.concatenate([run.numbers for run in runs])
    layout = {
        "height": _HEIGHT,
        "xaxis": index_axis("iteration", int(numbers.min()), int(numbers.max())),
        "yaxis": {"title": {"text": "GMAC/s"}, "tickformat": NUMBER_TICKS},
        "shapes": [shape for side in ("base", "new") for shape in _mean(runs, side, theme)],
    }
    return figure(traces, layout, theme)


def _is_first(run: RunIterations, runs: Sequence[RunIterations]) -> bool:
    return next(other for other in runs if other.side == run.side) is run


def _line(run: RunIterations, chosen: int | None, theme: str, *, first: bool) -> dict[str, Any]:
    colour = side_color(run.side, theme)
    symbols = np.where(run.odd, "x-thin-open", np.where(run.counted, "circle", "circle-open"))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": run.side,
        "showlegend": first,
        "legendgroup": run.side,
        "x": run.numbers,
        "y": run.rates,
        "line": {"color": colour, "width": 1.2, "dash": "dot" if run.side == "base" else "solid"},
        "marker": {
            "color": colour,
            "size": np.where(run.numbers == chosen, 12, 8),
            "symbol": symbols.astype(object),
            "opacity": np.where((run.numbers == chosen) | (chosen is None), 1.0, FADE),
            "line": {"width": 1.5, "color": colour},
        },
        "customdata": run.numbers.astype(object)[:, None],
        "hovertext": [f"{gmacs(rate)} GMAC/s" for rate in run.rates],
        "hovertemplate": f"<b>{run.side}</b> {plain(run.name)}<br>iteration %{{x}}: %{{hovertext}}<extra></extra>",
    }


def _mean(runs: Sequence[RunIterations], side: str, theme: str) -> list[dict[str, Any]]:
    counted = [run.rates[run.counted & ~run.odd] for run in runs if run.side == side]
    values = np.concatenate(counted) if counted else np.empty(0)
    if not len(values):
        return []
    line = {"color": side_color(side, theme), "width": 1, "dash": "dash"}
    mean = float(values.mean())
    return [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": mean,
            "y1": mean,
            "line": line,
            "layer": "below",
        }
    ]
