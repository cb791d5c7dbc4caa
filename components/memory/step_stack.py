"""One time step as a picture: the blocks alive in it, stacked from 0 in the order of their addresses.

Gaps between blocks are left out, so that the height of the stack is what the step has in use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.memory.alive import alive
from analysis.memory.attempt_map import AttemptMap
from components.byte_axis import byte_ticks
from components.figure import Figure
from components.graph import empty_figure, figure
from components.memory.axis import clicked_parts
from components.numbers import count_text, integer, plain, shorten, size
from components.theme import FADE, name_color, palette

MAX_BLOCKS = 400
"""Blocks that are drawn; the smallest of a step with more are left out."""
_HEIGHT_PX, _EMPTY_PX = 160, 160
_TOP_PX, _BOTTOM_PX = 16, 32
_PLOT_PX = _HEIGHT_PX - _TOP_PX - _BOTTOM_PX
_EDGE_PX = 4
"""Minimum height of a block with edges, in pixels."""
_MAX_NAME_CHARS = 60
_NO_ADDRESS = "no address"


def stacked_blocks(amap: AttemptMap, step: int) -> pd.DataFrame:
    """Return the rows of the blocks alive at a step in the order of their addresses, with column
    `base`, the bytes of all rows before.

    Blocks without an address come last. Of more than 400 blocks (MAX_BLOCKS) the largest are kept.
    """
    largest = alive(amap, step).head(MAX_BLOCKS)
    blocks = largest.sort_values(["address", "block"], kind="stable", na_position="last")
    sizes = blocks["size"].to_numpy(np.int64)
    return blocks.assign(base=np.cumsum(sizes) - sizes)


def step_stack(amap: AttemptMap, step: int, selected: int | None, theme: str) -> Figure:
    """Draw the stack of the blocks alive at a step; the block with rank `selected` has an outline
    if it is large enough for it, and the other blocks are faded.

    A click's customdata is [attempt, block]. If no block is alive, the figure shows only a
    sentence.
    """
    blocks = stacked_blocks(amap, step)
    if blocks.empty:
        return empty_figure("No block is alive in this step.", theme, _EMPTY_PX)
    names = blocks["name"].astype("str").tolist()
    is_selected = (
        (blocks["block"] == selected).to_numpy(bool)
        if selected is not None
        else np.zeros(len(blocks), bool)
    )
    top = int((blocks["base"] + blocks["size"]).max())
    # Edges of thinner blocks would cover their colours.
    is_thin = (blocks["size"] * _PLOT_PX < top * _EDGE_PX).to_numpy(bool)
    widths = np.where(is_selected, 3.0, 0.5)
    trace = {
        "type": "bar",
        "x": np.zeros(len(blocks)),
        "y": blocks["size"].to_numpy(np.int64),
        "base": blocks["base"].to_numpy(np.int64),
        "width": 0.9,
        "customdata": np.column_stack(
            [np.full(len(blocks), amap.number), blocks["block"].to_numpy(np.int64)]
        ),
        "hovertext": [_hover(row) for row in blocks.to_dict("records")],
        "hoverinfo": "text",
        "marker": {
            "color": [name_color(name) for name in names],
            "opacity": np.where(is_selected | ~is_selected.any(), 1.0, FADE),
            "line": {
                "width": np.where(is_thin, 0.0, widths),
                "color": np.where(is_selected, palette(theme).ink, palette(theme).panel),
            },
        },
    }
    return figure([trace], _layout(step, top), theme)


def _layout(step: int, top: int) -> dict[str, Any]:
    """Build the layout of a stack of `top` bytes."""
    return {
        "height": _HEIGHT_PX,
        "showlegend": False,
        "margin": {"l": 72, "r": 16, "t": _TOP_PX, "b": _BOTTOM_PX},
        "xaxis": {
            "tickvals": [0],
            "ticktext": [f"step {step}"],
            "range": [-0.5, 0.5],
            "fixedrange": True,
        },
        "yaxis": {"title": {"text": "bytes in use"}, "rangemode": "tozero", **byte_ticks(0, top)},
    }


def _hover(row: Mapping[Any, Any]) -> str:
    address = _NO_ADDRESS if pd.isna(row["address"]) else f"{int(row['address']):#x}"
    name = plain(shorten(str(row["name"]), _MAX_NAME_CHARS))
    return f"<b>{name}</b><br>{size(int(row['size']))} at {address}<br>from {integer(int(row['base']))} in this stack"


def parse_click(click: Mapping[str, Any] | None) -> dict[str, int]:
    """Parse a click into a dict with the numbers `attempt` and `block`; empty if there is no click."""
    return clicked_parts(click, ("attempt", "block"))


def left_out(amap: AttemptMap, step: int) -> str:
    """Return the note with the number of blocks beyond 400 (MAX_BLOCKS) that are not drawn, "" if
    all are drawn.
    """
    more = max(len(alive(amap, step)) - MAX_BLOCKS, 0)
    return f"{count_text(more, 'smaller block')} left out." if more else ""
