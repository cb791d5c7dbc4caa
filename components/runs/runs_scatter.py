"""The scatter of runs: GMAC/s over the size of the GEMM, coloured by hwid, marker by source."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from components.graph import empty_figure, figure
from components.numbers import DASH, gmacs, integer, percent, plain
from components.theme import CATEGORICAL, name_color, palette

_MARKERS = ("circle", "diamond", "square", "triangle-up", "cross", "star")


def hwid_colors(hwids: Iterable[str]) -> dict[str, str]:
    """Return a colour for each hwid of the catalogue: that of its name, or the next where another has it already."""
    colours: dict[str, str] = {}
    for hwid in sorted(set(hwids)):
        first = CATEGORICAL.index(name_color(hwid))
        ring = CATEGORICAL[first:] + CATEGORICAL[:first]
        colours[hwid] = next((colour for colour in ring if colour not in colours.values()), ring[0])
    return colours


def runs_scatter(runs: pd.DataFrame, size: pd.Series, colours: Mapping[str, str], theme: str) -> go.Figure:
    """Draw one point a run, its id in `customdata`; `size` is M*K*N of each row, `colours` those of `hwid_colors`.

    Runs without a size or a rate are left out; `scatter_summary` says how many.
    """
    drawn = _drawn(runs, size)
    if not drawn.any():
        return empty_figure("No run here has both a GEMM size and a rate.", theme)
    table = runs[drawn].assign(size=size[drawn])
    markers = {source: _MARKERS[i % len(_MARKERS)] for i, source in enumerate(sorted(set(runs["source"].dropna())))}
    groups = table.groupby(["hwid", "source"], dropna=False, sort=True)
    traces = [_trace(keys, part, colours, markers, theme) for keys, part in groups]
    return figure(traces, _LAYOUT, theme)


def drawable(runs: pd.DataFrame, size: pd.Series) -> bool:
    """Return whether any run has a place in the scatter."""
    return bool(_drawn(runs, size).any())


def scatter_summary(runs: pd.DataFrame, size: pd.Series) -> str:
    """Say what the scatter shows in one sentence."""
    drawn = _drawn(runs, size)
    left_out = int((~drawn).sum())
    rest = f"; {integer(left_out)} without a size or a rate" if left_out else ""
    if not drawn.any():
        return f"No run to draw{rest}."
    best = runs[drawn]["gmacs_mean"].max()
    count = int(drawn.sum())
    return f"GMAC/s over M×K×N of {integer(count)} run{'s' if count > 1 else ''}, up to {gmacs(best)} GMAC/s{rest}."


def _drawn(runs: pd.DataFrame, size: pd.Series) -> pd.Series:
    return (size > 0) & runs["gmacs_mean"].notna()


def _trace(
    keys: tuple[Hashable, ...], runs: pd.DataFrame, colours: Mapping[str, str], markers: Mapping[str, str], theme: str
) -> dict[str, Any]:
    hwid, source = (key if isinstance(key, str) else "" for key in keys)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": plain(f"{hwid or DASH} · {source}"),
        "x": runs["size"].to_numpy(np.float64),
        "y": runs["gmacs_mean"].to_numpy(np.float64),
        "customdata": runs["run_id"].to_numpy(object),
        "text": [_hover(run) for run in runs.to_dict("records")],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": colours.get(hwid, palette(theme).muted),
            "symbol": markers.get(source, "circle"),
            "size": 9,
            "opacity": 0.85,
            "line": {"width": 1, "color": palette(theme).panel},
        },
    }


def _hover(run: Mapping[Hashable, Any]) -> str:
    """Return a run's hover text; every name is escaped."""
    gemm = "×".join(integer(run[key]) for key in ("M", "K", "N"))
    rates = f"{gmacs(run['gmacs_mean'])} GMAC/s, best {gmacs(run['gmacs_best'])}, {percent(run['utilization'])}"
    return f"<b>{plain(run['name'])}</b><br>{plain(run['source'])} · {plain(run['hwid'])} · {gemm}<br>{rates}"


_LAYOUT: dict[str, Any] = {
    "xaxis": {
        "type": "log",
        "title": {"text": "M×K×N, multiply-accumulates"},
        "tickformat": "~s",
        "dtick": "D2",
    },
    "yaxis": {"title": {"text": "GMAC/s"}, "rangemode": "tozero"},
    "margin": {"l": 56, "r": 12, "t": 30, "b": 44},
    "dragmode": "select",
    "clickmode": "event",
    "showlegend": True,
}
