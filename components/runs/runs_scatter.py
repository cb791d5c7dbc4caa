"""The scatter of runs: GMAC/s over the size of the GEMM, coloured by hwid, marker by source."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import DASH, gmacs, integer, percent, plain
from components.theme import CATEGORICAL, palette

_MARKERS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
_FILLS = ("", "-open", "-dot", "-open-dot")
"""Variants of a marker, for hwids beyond the ten colours."""


@dataclass(frozen=True)
class HwidLook:
    """How the points of a hwid are drawn: a colour, and the variant of its source's marker."""

    colour: str
    fill: str = ""


def hwid_looks(hwids: Iterable[str]) -> dict[str, HwidLook]:
    """Return a look of its own for each hwid, in order of first appearance; the empty hwid has none.

    Ten hwids differ in colour, those beyond in the marker's variant too; looks repeat after forty.
    """
    known = [hwid for hwid in dict.fromkeys(hwids) if hwid]
    return {hwid: _look(slot) for slot, hwid in enumerate(known)}


def _look(slot: int) -> HwidLook:
    turn, colour = divmod(slot, len(CATEGORICAL))
    return HwidLook(CATEGORICAL[colour], _FILLS[turn % len(_FILLS)])


def runs_scatter(runs: pd.DataFrame, size: pd.Series, looks: Mapping[str, HwidLook], theme: str) -> Figure:
    """Draw one point a run, its id in `customdata`; `size` is M*K*N of each row, `looks` those of `hwid_looks`.

    Runs without a size or a rate are left out; `scatter_summary` says how many.
    """
    drawn = _drawn(runs, size)
    if not drawn.any():
        return empty_figure("No run here has both a GEMM size and a rate.", theme)
    table = runs[drawn].assign(size=size[drawn])
    markers = {source: _MARKERS[i % len(_MARKERS)] for i, source in enumerate(sorted(set(runs["source"].dropna())))}
    groups = table.groupby(["hwid", "source"], dropna=False, sort=True)
    traces = [_trace(keys, part, looks, markers, theme) for keys, part in groups]
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
    keys: tuple[Hashable, ...],
    runs: pd.DataFrame,
    looks: Mapping[str, HwidLook],
    markers: Mapping[str, str],
    theme: str,
) -> dict[str, Any]:
    hwid, source = (key if isinstance(key, str) else "" for key in keys)
    look = looks.get(hwid, HwidLook(palette(theme).muted))
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
            "color": look.colour,
            "symbol": markers.get(source, "circle") + look.fill,
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
