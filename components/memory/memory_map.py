"""Memory map: each block as a rectangle over steps and addresses, levels in stacked plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.memory.alive import peak_blocks
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.counts import part_text
from components.figure import Figure
from components.graph import empty_figure, figure
from components.memory import axis as memory_axis
from components.memory.bar_marks import arrows, outlines
from components.memory.bars import Bars
from components.memory.colours import Colouring
from components.memory.highlight import Highlight, highlights
from components.memory.levels import GAP_PX, Level, heights, levels
from components.memory.map_legend import map_legend
from components.memory.marks import address_axis, labels, shapes, static_band
from components.memory.segment_bars import segment_bars, segment_reach
from components.numbers import count_text, integer
from components.theme import palette
from schema.array_types import Bools, Ints

BUDGET = 4000
"""Maximum number of rectangles in all maps of a figure, unless the caller chooses another."""
PEAK = "peak"
"""`meta` of the trace that outlines the blocks alive at the peak."""
_PEAK_EDGE_PX, _MATCH_EDGE_PX, _SELECTED_EDGE_PX = 1.6, 1.2, 2.5
"""Width of the outlines of blocks alive at the peak, search matches and the selected block."""
_TOP, _TOP_TITLED = 30, 52
_EMPTY_PX = 160


@dataclass(frozen=True)
class MapView:
    """A memory map: the figure, and the line below it about merged blocks and search matches."""

    figure: Figure
    line: str


def memory_map(
    maps: Sequence[AttemptMap],
    selection: MemorySelection,
    theme: str,
    *,
    colour: str = "name",
    search: str = "",
    used: Ints | None = None,
    segments: pd.DataFrame | None = None,
    budget: int = BUDGET,
    same_scale: bool = False,
) -> MapView:
    """Draw the memory map of an attempt, or of the levels of a plan in stacked plots; with
    `same_scale` all of them have the same range of addresses, so that two sides can be compared.

    `colour` is a key of COLOURS; `search` is a case-insensitive part of a name or operator type.
    Blocks with the ranks `used`, which the selected kernel uses, are highlighted. At most `budget`
    rectangles are drawn in all. `segments` (frame `memory_segments`) are drawn behind the blocks.
    `selection.addresses` are bytes on the y axis, with the constants
    below the arena included. The customdata of a click is [attempt, block]. When there are no
    blocks, the figure shows only a sentence, which is also the line.
    """
    if not any(len(amap.blocks) for amap in maps):
        sentence = "This attempt has no block." if maps else "There is no memory map."
        return MapView(empty_figure(sentence, theme, _EMPTY_PX), sentence)
    window = memory_axis.steps_in_view(maps, selection)
    marked = highlights(maps, selection, search, used)
    drawn = levels(
        maps,
        window,
        selection.addresses,
        budget,
        [amap.single for amap in marked],
        reach=segment_reach(segments),
        same_scale=same_scale,
    )
    colouring = Colouring.of(maps, colour, theme)
    traces = [trace for level in drawn for trace in static_band(level, theme)]
    step_px = memory_axis.PLOT_PX / (window[1] - window[0])
    for level, highlight in zip(drawn, marked, strict=True):
        bars = Bars(level, colouring, step_px, highlight.lit, theme)
        alive = _alive_at_peak(bars)
        if _some_too_small(bars, alive):
            bars = replace(bars, lit=alive, names_faded=True)
        traces += [
            *segment_bars(level, segments, theme),
            *bars.traces(),
            *arrows(bars),
            *(trace | {"meta": PEAK} for trace in outlines(bars, alive, _PEAK_EDGE_PX)),
            *outlines(bars, highlight.outline_mask, _MATCH_EDGE_PX),
            *outlines(bars, highlight.chosen, _SELECTED_EDGE_PX),
        ]
    legend = map_legend(colouring, maps, theme)
    layout = _layout(drawn, colouring, window, selection, theme)
    return MapView(figure([*traces, *legend], layout, theme), _line(drawn, marked, search))


def parse_click(click: Mapping[str, Any] | None) -> dict[str, int]:
    """Parse a click into a dict with the numbers `attempt` and `block`; empty if it did not hit a
    single block.
    """
    parts = memory_axis.clicked_parts(click, ("attempt", "block"))
    return parts if "block" in parts else {}


def _alive_at_peak(bars: Bars) -> Bools:
    """Compute the mask of the blocks that are highlighted because they are alive at the peak.

    No block is if other blocks are highlighted, if the memory has banks, and for a device of a
    profile, which has no addresses.
    """
    alive = np.zeros(len(bars.amap.blocks), dtype=np.bool_)
    if bars.lit is None and not bars.amap.facts.devices and not bars.amap.whole("banks"):
        alive[peak_blocks(bars.amap)] = True
    return alive


def _some_too_small(bars: Bars, alive: Bools) -> bool:
    """Whether a block alive at the peak is drawn too small for an outline: all of these blocks are
    then highlighted by fading all other blocks.
    """
    boxes = bars.level.boxes
    shown = boxes.take((boxes.row >= 0) & alive[boxes.row])
    return not bool(bars.have_room_for_edges(shown).all())


def _layout(
    drawn: Sequence[Level],
    colouring: Colouring,
    window: tuple[int, int],
    selection: MemorySelection,
    theme: str,
) -> dict[str, Any]:
    maps = [level.amap for level in drawn]
    names = memory_axis.named_steps(maps, window)
    titled = len(drawn) > 1
    margin = memory_axis.margin(_TOP_TITLED if titled else _TOP, names)
    title = {
        "text": colouring.key(),
        "side": "left",
        "font": {"size": 10, "color": palette(theme).muted},
    }
    plot = round(sum(heights(maps)) + GAP_PX * (len(drawn) - 1))
    first, last = memory_axis.steps_in_view(maps, MemorySelection())
    above = 1 + (_TOP_TITLED - _TOP if titled else 0) / plot
    axes = {
        f"yaxis{level.axis[1:]}": address_axis(level, theme, fixed=titled) | {"anchor": "x"}
        for level in drawn
    }
    return {
        "barmode": "overlay",
        "bargap": 0,
        "dragmode": "zoom",
        "height": plot + margin["t"] + margin["b"],
        "margin": margin,
        # Plotly keeps zoom and pan until this value changes.
        "uirevision": f"{[amap.number for amap in maps]} {selection.span} {selection.addresses}",
        # Names that would be smaller than 9 px are hidden.
        "uniformtext": {"mode": "hide", "minsize": 9},
        "xaxis": memory_axis.x_axis(maps[0], window, theme, names)
        | {"anchor": drawn[-1].axis, "minallowed": first, "maxallowed": last},
        **axes,
        "shapes": _shapes(drawn, window, selection, theme),
        "annotations": _annotations(drawn, window, theme),
        "legend": {
            "x": 0,
            "y": above,
            "yanchor": "bottom",
            "font": {"size": 10},
            "itemwidth": 30,
            "title": title,
        },
    }


def _shapes(
    drawn: Sequence[Level], window: tuple[int, int], selection: MemorySelection, theme: str
) -> list[dict[str, Any]]:
    own = [shape for level in drawn for shape in shapes(level, selection, theme)]
    peaks = [
        line
        for level in drawn
        for line in memory_axis.peak(level.amap, window, theme, f"{level.axis} domain")
    ]
    return own + peaks + memory_axis.cursor(selection, window, theme)


def _annotations(
    drawn: Sequence[Level], window: tuple[int, int], theme: str
) -> list[dict[str, Any]]:
    words = [text for level in drawn for text in labels(level, theme, titled=len(drawn) > 1)]
    peaks = [
        memory_axis.peak_label(level.amap, window, theme, f"{level.axis} domain") for level in drawn
    ]
    return words + [text for notes in peaks for text in notes]


def _line(drawn: Sequence[Level], marked: Sequence[Highlight], search: str) -> str:
    """Write the line below the map: how many bars represent how many blocks in view, and, if there
    is a search, how many blocks match it. Blocks of 0 bytes are counted.
    """
    boxes = sum(len(level.boxes) for level in drawn)
    single = sum(len(pd.unique(level.boxes.row[level.boxes.row >= 0])) for level in drawn)
    merged = sum(level.merged for level in drawn)
    blocks_in_view = count_text(single + merged, "block")
    words = f"{blocks_in_view} in view, each drawn."
    if merged:
        smallest = f"the {integer(merged)} smallest are merged; zoom in for them."
        words = f"{count_text(boxes, 'bar')} for {blocks_in_view}: {smallest}"
    # A block of no size has a place in tables, but no area.
    empty = sum(int((level.amap.blocks["size"] == 0).sum()) for level in drawn)
    if empty:
        verb = "is" if empty == 1 else "are"
        words += f" {count_text(empty, 'block')} of 0 bytes {verb} not drawn."
    matches = [int(mark.found.sum()) for mark in marked if mark.found is not None]
    if not matches:
        return words
    blocks = sum(len(level.amap.blocks) for level in drawn)
    return f"{part_text(sum(matches), blocks, 'block')} match “{search.strip()}”. {words}"
