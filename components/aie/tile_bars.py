"""Bars of the time of a capture's tiles, stacked by parts, and their caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.aie.pace.pace import Pace
from analysis.aie.pace.tile_times import EARLY_END, GAP, KERNELS, LATE_START, PACE_PARTS, WAITING
from analysis.selection import Selection
from components.aie.pace import NO_PACE
from components.caption import Caption, Jump
from components.counts import part_text
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import count_text, percent, plain, shorten
from components.row_axis import row_axis
from components.theme import FADE, event_color, palette
from components.tick_formats import NUMBER_TICKS
from schema.array_types import Floats

PART_LABELS: Mapping[str, str] = MappingProxyType(
    {part: part.replace("_", " ") for part in PACE_PARTS}
    | {WAITING: "waiting for other cores", GAP: "other gaps"}
)
"""Part of a tile's time -> label on screens."""
_PATTERNS = {
    "lock_stall": "/",
    "memory_stall": "\\",
    "stream_stall": ".",
    "cascade_stall": "x",
    WAITING: "-",
}
"""Part -> plotly pattern, so that parts differ without colours."""
_MAX_CULPRITS = 3
"""Cores that have parts of their own in the bars of the cores that wait for them."""
_CULPRIT_PATTERNS = ("-", "|", "+")
_MAX_TILES = 80
"""Tiles that are drawn at most, in addition to the selected tile."""
_ROW_PX, _FRAME_PX = 20, 120
_MAX_NAME_CHARACTERS = 30
"""Characters of a tile's name at most."""


def tile_bars(pace: Pace | None, selection: Selection, theme: str) -> Figure:
    """Draw the mean time of each tile in an iteration, in cycles, as stacked parts that sum to the
    iteration's length, the tile with the least slack first.

    Beyond 80 tiles only the tiles with the least slack and the selected tile are drawn. A click's
    customdata is [track]. When there is no pace (None), the figure shows only a sentence.
    """
    if pace is None:
        return empty_figure(NO_PACE, theme, 160)
    tiles = shown_tiles(pace, selection)
    names = [str(name) for name in tiles["tile"]]
    # A part below 0.05 % of the iteration would only add an entry to the legend.
    parts = [part for part in _split_parts(tiles, pace) if part.cycles.max() >= pace.elapsed / 2000]
    layout = {
        "barmode": "stack",
        "bargap": 0.25,
        "height": _FRAME_PX + _ROW_PX * len(names),
        "margin": {"l": 84, "r": 16, "t": 56, "b": 40},
        "xaxis": {
            "title": {"text": "cycles of an iteration"},
            "range": [0, pace.elapsed],
            "tickformat": NUMBER_TICKS,
        },
        "yaxis": row_axis([tile_label(name, selection) for name in names]),
        # Anchored to the figure: anchored to the plot area, plotly draws the legend over the first
        # tile after the width changes.
        "legend": {"traceorder": "normal", "yref": "container", "y": 1, "yanchor": "top"},
    }
    bars = [_part_bars(names, part, pace.elapsed, selection, theme=theme) for part in parts]
    return figure(bars, layout, theme)


def shown_tiles(pace: Pace, selection: Selection) -> pd.DataFrame:
    """Select the rows of tiles that are drawn, sorted by slack, least first: the first 80 and the
    selected tile.
    """
    tiles = pace.tiles.sort_values("slack", kind="stable")
    chosen = (tiles["tile"] == selection.track).to_numpy(bool)
    return tiles[chosen | (np.arange(len(tiles)) < _MAX_TILES)]


@dataclass(frozen=True)
class _Part:
    """A part of the time of tiles: its name among PACE_PARTS, label, cycles of each tile, pattern."""

    name: str
    label: str
    cycles: Floats
    pattern: str


def _split_parts(tiles: pd.DataFrame, pace: Pace) -> list[_Part]:
    """Build the parts of the time of `tiles`, in drawing order.

    Waiting is split into a part per core that is waited for, at most three, and a part for the
    rest.
    """
    parts: list[_Part] = []
    for name in PACE_PARTS:
        cycles = tiles[name].to_numpy(np.float64)
        if name == WAITING:
            for pattern, core in zip(_CULPRIT_PATTERNS, _culprits(pace), strict=False):
                waits = np.array(
                    [pace.waits.get(tile, {}).get(core, 0.0) for tile in tiles["tile"]]
                )
                parts.append(
                    _Part(
                        name, f"waiting for {shorten(core, _MAX_NAME_CHARACTERS)}", waits, pattern
                    )
                )
                cycles = np.maximum(cycles - waits, 0)
        parts.append(_Part(name, PART_LABELS[name], cycles, _PATTERNS.get(name, "")))
    return parts


def _culprits(pace: Pace) -> list[str]:
    """List the at most three cores for which all other cores together wait longest, longest first."""
    totals: dict[str, float] = {}
    for waits in pace.waits.values():
        for core, cycles in waits.items():
            totals[core] = totals.get(core, 0.0) + cycles
    return sorted(totals, key=lambda core: -totals[core])[:_MAX_CULPRITS]


def waits_caption(pace: Pace, track: str | None) -> Caption | None:
    """Return a sentence about how many cycles tile `track` waits for other cores, with links to the
    first three of them.

    None if it waits for no core for at least half a cycle, or if `track` is None.
    """
    waits = {
        core: cycles for core, cycles in pace.waits.get(track or "", {}).items() if cycles >= 0.5
    }
    if not waits:
        return None
    shown = dict([*waits.items()][:_MAX_CULPRITS])
    names = [
        f"{shorten(core, _MAX_NAME_CHARACTERS)}: {count_text(round(n), 'cycle')}"
        for core, n in shown.items()
    ]
    more = (
        f" and {count_text(len(waits) - len(shown), 'more core')}"
        if len(waits) > len(shown)
        else ""
    )
    jumps = [Jump(shorten(core, _MAX_NAME_CHARACTERS), "track", core) for core in shown]
    return Caption(f"It waits for {', '.join(names)}{more}.", *jumps)


def tiles_caption(pace: Pace | None, selection: Selection | None = None) -> str:
    """Return the caption of the tile bars: which tile has the least slack and which the most, in
    cycles.

    If a tile is selected and waits for other cores, a sentence about that comes first. NO_PACE, a
    sentence, if `pace` is None.
    """
    if pace is None:
        return NO_PACE
    tiles = pace.tiles.sort_values("slack", kind="stable")
    least = tiles.iloc[0]
    most = tiles.iloc[-1]
    first = str(least["tile"])
    last = str(most["tile"])
    lead = f"{shorten(first, _MAX_NAME_CHARACTERS)} has the least slack ({_format_cycles(least['slack'], pace)})"
    if len(tiles) < 2:
        return Caption(f"{lead}.", Jump(shorten(first, _MAX_NAME_CHARACTERS), "track", first))
    sentence = f"{lead}, {shorten(last, _MAX_NAME_CHARACTERS)} the most ({_format_cycles(most['slack'], pace)})."
    places = [Jump(shorten(name, _MAX_NAME_CHARACTERS), "track", name) for name in (first, last)]
    chosen = selection.track if selection else None
    waits = waits_caption(pace, chosen)
    if waits is None:
        return Caption(sentence, *places)
    own = str(waits).replace("It waits", f"{shorten(str(chosen), _MAX_NAME_CHARACTERS)} waits", 1)
    return Caption(f"{own} {sentence}", *waits.jumps, *places)


def _format_cycles(cycles: float, pace: Pace) -> str:
    return f"{part_text(cycles, pace.elapsed, 'cycle')}"


def _part_bars(
    tiles: Sequence[str], part: _Part, elapsed: float, selection: Selection, *, theme: str
) -> dict[str, Any]:
    names = np.array(tiles, dtype=object)
    cycles = part.cycles
    lit = np.array([selection.track in (None, name) for name in names], bool)
    hover = [
        f"<b>{plain(name)}</b> {part.label}<br>{count_text(int(value), 'cycle')}, "
        f"{percent(value / elapsed)} of an iteration"
        for name, value in zip(names, cycles, strict=True)
    ]
    return {
        "type": "bar",
        "orientation": "h",
        "name": part.label,
        "x": cycles,
        "y": np.arange(len(tiles)),
        "marker": {
            "color": part_color(part.name, theme),
            "opacity": np.where(lit, 1.0, FADE),
            "line": {"width": 0.5, "color": palette(theme).panel},
            "pattern": {
                "shape": part.pattern,
                "fillmode": "overlay",
                "size": 6,
                "solidity": 0.15,
                "fgcolor": palette(theme).panel,
            },
        },
        "customdata": names[:, None],
        "hovertext": np.array(hover, dtype=object),
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def part_color(part: str, theme: str) -> str:
    """Choose the colour (#rrggbb) of a part of PACE_PARTS: a stall has the colour of its event;
    waiting and early end have those of borders and of missing values, which are pale.
    """
    colours = palette(theme)
    own = {
        KERNELS: colours.perf,
        "other_kernels": colours.extra,
        LATE_START: colours.warmup,
        GAP: colours.muted,
        WAITING: colours.border,
        EARLY_END: colours.missing,
    }
    return own.get(part) or event_color(part.upper(), theme)


def tile_label(tile: str, selection: Selection) -> str:
    """Label an axis with the name of a tile, at most 20 characters, bold if it is selected."""
    return f"<b>{plain(tile, 20)}</b>" if tile == selection.track else plain(tile, 20)
