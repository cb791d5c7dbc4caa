"""Scatter plot of runs: GMAC/s over the size of the GEMM, coloured by hwid, marker by source."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np

from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import DASH, gmacs, integer, percent, plain
from components.theme import CATEGORICAL, palette
from storage.run_query import RunPoint

_MARKERS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
_FILLS = ("", "-open", "-dot", "-open-dot")
"""Variants of a marker, for more hwids than there are colours."""

_MAX_NAME = 36
"""Maximum number of characters of an entry of the legend, which a page of 400 px has room for."""
_MAX_DECADES = 2.0
"""Decades of sizes up to which a page of 400 px has room for three labels per decade."""


@dataclass(frozen=True)
class HwidLook:
    """Style of the points of a hwid: a colour, and the variant of the marker."""

    colour: str
    fill: str = ""


def hwid_looks(hwids: Iterable[str]) -> dict[str, HwidLook]:
    """Map each hwid to a style, in order of first appearance; the empty hwid is left out.

    The first ten hwids differ in colour, the next thirty also in the marker's variant; then styles
    repeat.
    """
    named = [hwid for hwid in dict.fromkeys(hwids) if hwid]
    return {hwid: _look(slot) for slot, hwid in enumerate(named)}


def _look(slot: int) -> HwidLook:
    turn, colour = divmod(slot, len(CATEGORICAL))
    return HwidLook(CATEGORICAL[colour], _FILLS[turn % len(_FILLS)])


def runs_scatter(runs: Sequence[RunPoint], looks: Mapping[str, HwidLook], theme: str) -> Figure:
    """Draw a point per run, mean GMAC/s over size, with its id as customdata; `looks` is the result
    of `hwid_looks`, and a hwid without a style is grey.

    When there are no runs, the figure shows only a sentence.
    """
    if not runs:
        return empty_figure("No run here has both a GEMM size and a rate within its peak.", theme)
    grey = HwidLook(palette(theme).muted)
    groups = defaultdict(list)
    for run in runs:
        groups[run.hwid, run.source].append(run)
    sources = sorted({run.source for run in runs})
    markers = {source: _MARKERS[i % len(_MARKERS)] for i, source in enumerate(sources)}
    traces = [
        _points(
            runs,
            plain(f"{hwid or DASH} · {source}", _MAX_NAME),
            looks.get(hwid, grey),
            markers[source],
            theme,
        )
        for (hwid, source), runs in sorted(groups.items(), key=itemgetter(0))
    ]
    sizes = [run.size for run in runs]
    axis = _LAYOUT["xaxis"] | {"dtick": _tick_step(min(sizes), max(sizes))}
    return figure(traces, _LAYOUT | {"xaxis": axis}, theme)


def _tick_step(least: int, most: int) -> str | int:
    """Return the step of the ticks of sizes: 1, 2 and 5 times powers of ten, or only the powers if
    the labels would overlap on a narrow page.
    """
    return "D2" if math.log10(most / least) <= _MAX_DECADES else 1


def scatter_summary(drawn: int, drawable: int, runs: int, fastest: float | None) -> str:
    """Return the sentence for screen readers: how many of the `drawable` runs are drawn, and how
    many of all listed runs have no size, or no rate within the peak.

    `fastest` is the highest rate in GMAC/s. If no run can be drawn, it states that.
    """
    left_out = runs - drawable
    rest = f"; {integer(left_out)} without a size or a rate within the peak" if left_out else ""
    if not drawable:
        return f"No run to draw{rest}."
    some = f"{integer(drawn)} of " if drawn < drawable else ""
    count = f"{some}{integer(drawable)} run{'s' if drawable > 1 else ''}"
    return f"GMAC/s over M×K×N of {count}, up to {gmacs(fastest)} GMAC/s{rest}."


def scatter_hint(drawn: int, drawable: int) -> str:
    """Return the hint about clicks and drags, with the number of drawn runs before it if not all
    are drawn.
    """
    some = f"{integer(drawn)} of {integer(drawable)} drawn, sampled · " if drawn < drawable else ""
    return f"{some}drag to filter, click to open"


def _points(
    runs: Sequence[RunPoint], name: str, look: HwidLook, marker: str, theme: str
) -> dict[str, Any]:
    what = f"{plain(runs[0].source)} · {plain(runs[0].hwid)}"
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": np.array([run.size for run in runs], np.float64),
        "y": np.array([run.gmacs_mean for run in runs], np.float64),
        "customdata": np.array([run.run_id for run in runs], object),
        "text": np.array([_hover(run) for run in runs], object),
        "hovertemplate": f"<b>%{{text}}<extra>{what}</extra>",
        "marker": {
            "color": look.colour,
            "symbol": marker + look.fill,
            "size": 9,
            "opacity": 0.85,
            "line": {"width": 1, "color": palette(theme).panel},
        },
    }


def _hover(run: RunPoint) -> str:
    """Format the part of a run's hover text after `<b>`: name (escaped), size of the GEMM, rates
    and utilisation.
    """
    rates = (
        f"{gmacs(run.gmacs_mean)} GMAC/s, best {gmacs(run.gmacs_best)}, {percent(run.utilization)}"
    )
    return f"{plain(run.name)}</b><br>{_gemm(run.M, run.K, run.N)}<br>{rates}"


# Many runs share a GEMM size.
@lru_cache(maxsize=1024)
def _gemm(*sizes: int) -> str:
    return "×".join(map(integer, sizes))


_LAYOUT: dict[str, Any] = {
    "xaxis": {
        "type": "log",
        "title": {"text": "M×K×N, multiply-accumulates"},
        "tickformat": "~s",
    },
    "yaxis": {"title": {"text": "GMAC/s"}, "rangemode": "tozero"},
    "margin": {"l": 56, "r": 12, "t": 30, "b": 44},
    "dragmode": "select",
    "clickmode": "event",
    "showlegend": True,
}
