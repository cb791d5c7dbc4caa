"""The pace of a capture: a table of its limiters, bars of the time of its tiles, and their
captions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.aie.pace.limiters import Limiter
from analysis.aie.pace.pace import Pace
from analysis.aie.pace.tile_times import EARLY_END, GAP, KERNELS, LATE_START, PACE_PARTS, WAITING
from analysis.selection import Selection
from components.caption import Caption, Jump
from components.figure import Figure
from components.graph import empty_figure, figure
from components.numbers import count_text, gmacs, grouped_digits, integer, percent, plain, shorten
from components.row_axis import row_axis
from components.theme import FADE, event_color, palette

NO_PACE = "No complete perf iteration: there is no pace to state."
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
_HEADS = (
    ("", "order in which limiters have to be removed"),
    ("what", "the part of the time, or an iteration"),
    ("where", "the cores, or the iteration"),
    ("cycles", "time per iteration that it takes more than elsewhere"),
    ("share", "cycles / elapsed time of an iteration"),
    ("GMAC/s if fixed", "rate without it alone"),
    ("with all before fixed", "GMAC/s without it and all before it"),
)
"""Heading and tooltip of the columns of the limiters table."""
_MAX_TILES = 80
"""Tiles that are drawn at most, in addition to the selected tile."""
_ROW_PX, _FRAME_PX = 20, 120
_MAX_NAME_CHARACTERS = 30
"""Characters of a tile's name or place at most."""


def pace_caption(pace: Pace | None) -> str:
    """Return the caption of the pace: the first limiters and the gain without them.

    The place of a limiter links to its tile or iteration.
    """
    if pace is None:
        return NO_PACE
    sentence = grouped_digits(pace.sentence.replace(" -> ", " → "))
    first = sentence[:1].upper() + sentence[1:]
    jumps = []
    for rank, limiter in enumerate(pace.limiters[:2]):
        # The first limiter begins the sentence, so that its place is capitalised there.
        where = limiter.where if rank else limiter.where[:1].upper() + limiter.where[1:]
        jump = limiter_jump(limiter, where)
        if jump is not None:
            jumps.append(jump)
    return Caption(f"{first}.", *jumps)


def limiters_caption(limiters: Sequence[Limiter]) -> str:
    """Return the caption of the limiters table: the number of limiters and the rate without all
    of them.
    """
    if not limiters:
        return "No part of a core and no iteration takes 1 % of the time more than usual."
    rate = limiters[-1].cumulative_gmacs
    gain = (
        ""
        if rate is None
        else f": {gmacs(rate)} GMAC/s without {'it' if len(limiters) == 1 else 'all of them'}"
    )
    return f"{count_text(len(limiters), 'limiter')}{gain}."


def limiter_jump(limiter: Limiter, text: str) -> Jump | None:
    """Build a link that selects the tile or iteration of a limiter.

    Returns None if the limiter covers all cores.
    """
    if limiter.iteration is not None:
        return Jump(text, "iteration", limiter.iteration)
    return None if limiter.track is None else Jump(text, "track", limiter.track)


def limiter_cells(rank: int, limiter: Limiter) -> list[str]:
    """Format a limiter as texts in the order of the table's columns; `rank` counts from 1."""
    return [
        str(rank),
        limiter.what.replace("_", " "),
        shorten(limiter.where, _MAX_NAME_CHARACTERS),
        integer(limiter.cycles),
        percent(limiter.share),
        gmacs(limiter.gmacs_if_fixed),
        gmacs(limiter.cumulative_gmacs),
    ]


def limiter_labels() -> list[tuple[str, str]]:
    """Return heading and tooltip of each column of the limiters table.

    The first heading is `rank`.
    """
    return [(label or "rank", meaning) for label, meaning in _HEADS]


def limiters_table(limiters: Sequence[Limiter], places: Sequence[Component | str]) -> html.Div:
    """Build the table of limiters in the given order.

    `places` are the cells of the third column, with the place of each limiter.
    """
    heads = [html.Th(label, scope="col", title=meaning) for label, meaning in _HEADS]
    rows = [
        _limiter_row(limiter_cells(rank, limiter), place)
        for rank, (limiter, place) in enumerate(zip(limiters, places, strict=True), start=1)
    ]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="ts-limiters")
    return html.Div(table, className="ts-scroll")


def _limiter_row(cells: Sequence[str], place: Component | str) -> html.Tr:
    rank, what, _, *numbers = cells
    shown = [html.Td(text, className="ts-number") for text in numbers]
    return html.Tr([html.Th(rank, scope="row"), html.Td(what), html.Td(place), *shown])


def tile_bars(pace: Pace | None, selection: Selection, theme: str) -> Figure:
    """Draw the mean time of each tile in an iteration as stacked parts that sum to the iteration's
    length, least slack first.

    Beyond 80 tiles only the tiles with the least slack and the selected tile are drawn. A click's
    customdata is [track]. Without a pace (None) the figure is a sentence.
    """
    if pace is None:
        return empty_figure(NO_PACE, theme, 160)
    tiles = shown_tiles(pace, selection)
    names = [str(name) for name in tiles["tile"]]
    # A part below 0.05 % of the iteration would only add an entry to the legend.
    parts = [part for part in PACE_PARTS if tiles[part].max() >= pace.elapsed / 2000]
    layout = {
        "barmode": "stack",
        "bargap": 0.25,
        "height": _FRAME_PX + _ROW_PX * len(names),
        "margin": {"l": 84, "r": 16, "t": 56, "b": 40},
        "xaxis": {
            "title": {"text": "cycles of an iteration"},
            "range": [0, pace.elapsed],
            "tickformat": ",.6~r",
        },
        "yaxis": row_axis([_tile_label(name, selection) for name in names]),
        # Anchored to the figure: anchored to the plot area, plotly draws the legend over the first
        # tile after the width changes.
        "legend": {"traceorder": "normal", "yref": "container", "y": 1, "yanchor": "top"},
    }
    bars = [_part_bars(tiles, part, pace.elapsed, selection, theme=theme) for part in parts]
    return figure(bars, layout, theme)


def shown_tiles(pace: Pace, selection: Selection) -> pd.DataFrame:
    """Select the rows of tiles that are drawn, sorted by slack, least first."""
    tiles = pace.tiles.sort_values("slack", kind="stable")
    chosen = (tiles["tile"] == selection.track).to_numpy(bool)
    return tiles[chosen | (np.arange(len(tiles)) < _MAX_TILES)]


def tiles_caption(pace: Pace | None) -> str:
    """Return the caption of the tile bars: which tile has the least slack and which the most."""
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
    return Caption(sentence, *places)


def _format_cycles(cycles: float, pace: Pace) -> str:
    return f"{integer(cycles)} of {integer(pace.elapsed)} cycles"


def _part_bars(
    tiles: pd.DataFrame, part: str, elapsed: float, selection: Selection, *, theme: str
) -> dict[str, Any]:
    names = tiles["tile"].astype("str").to_numpy(dtype=object)
    cycles = tiles[part].to_numpy(np.float64)
    lit = np.array([selection.track in (None, name) for name in names], bool)
    hover = [
        f"<b>{plain(name)}</b> {PART_LABELS[part]}<br>{integer(value)} cycles, {percent(value / elapsed)}"
        for name, value in zip(names, cycles, strict=True)
    ]
    return {
        "type": "bar",
        "orientation": "h",
        "name": PART_LABELS[part],
        "x": cycles,
        "y": np.arange(len(tiles)),
        "marker": {
            "color": _part_color(part, theme),
            "opacity": np.where(lit, 1.0, FADE),
            "line": {"width": 0.5, "color": palette(theme).panel},
            "pattern": {
                "shape": _PATTERNS.get(part, ""),
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


def _part_color(part: str, theme: str) -> str:
    """Choose the colour of a part: stalls have the colour of their event, waiting and early end are
    pale.
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


def _tile_label(tile: str, selection: Selection) -> str:
    return f"<b>{plain(tile, 20)}</b>" if tile == selection.track else plain(tile, 20)
