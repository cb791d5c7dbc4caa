"""Marks of a memory map besides blocks: address ticks, banks, capacity, constants and title."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from components.byte_axis import address_ticks, byte_ticks
from components.memory.axis import DOMAIN, bytes_font, note
from components.memory.label_places import Label, without_overlaps
from components.memory.levels import Level
from components.numbers import count_text, integer, percent, plain, size
from components.theme import fade, palette

_LABEL_PX = 13
"""Minimum distance between bank labels in pixels."""
_MAX_LINES = 64
"""Maximum number of bank borders in view that are drawn."""

_LINE: dict[str, Any] = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1}


def address_axis(level: Level, theme: str, *, fixed: bool) -> dict[str, Any]:
    """Build the layout of a map's y axis, with hexadecimal addresses as ticks.

    A device of a profile has no addresses, so its ticks are sizes in bytes. A map without blocks
    has no ticks. The axis cannot be zoomed if `fixed`.
    """
    return {
        "domain": list(level.domain),
        "range": list(level.view),
        # A link may show a range outside of the map.
        "minallowed": min(level.view[0], level.whole[0]),
        "maxallowed": max(level.view[1], level.whole[1]),
        **_ticks(level),
        "tickfont": bytes_font(theme),
        "showgrid": level.amap.whole("banks") is None,
        "fixedrange": fixed,
        "automargin": False,
    }


def shapes(level: Level, selection: MemorySelection, theme: str) -> list[dict[str, Any]]:
    """Build the shapes of a map that are in view: bank borders, capacity line, selected bank, inner
    plan's ground.
    """
    colours = palette(theme)
    drawn = []
    if plans(level.amap) == "inner plan":
        ground = {"fillcolor": fade(colours.raised, 0.55), "line": {"width": 0}, "layer": "below"}
        drawn.append(
            _LINE | {"type": "rect", "yref": f"{level.axis} domain", "y0": 0, "y1": 1} | ground
        )
    if borders := _borders(level):
        # One shape for all lines: each costs as much to build and to draw as a trace.
        path = " ".join(f"M0,{border}L1,{border}" for border in borders)
        thin = {"color": fade(colours.ink, 0.22), "width": 1}
        drawn.append(
            {"type": "path", "xref": "x domain", "yref": level.axis, "path": path, "line": thin}
        )
    capacity = level.amap.address_limit
    if capacity is not None and level.view[0] <= capacity <= level.view[1]:
        drawn.append(
            _across(level, capacity)
            | {"line": {"color": colours.capacity, "width": 1.5, "dash": "dash"}}
        )
    bank_bytes = level.amap.whole("bank_bytes")
    if selection.bank is not None and bank_bytes and selection.attempt in (None, level.amap.number):
        low = selection.bank * bank_bytes + level.floor
        edge = {
            "fillcolor": fade(colours.selection, 0.05),
            "line": {"color": colours.selection, "width": 1.5},
        }
        drawn.append(_across(level, low) | {"type": "rect", "y1": low + bank_bytes} | edge)
    return drawn


def labels(level: Level, theme: str, *, titled: bool) -> list[dict[str, Any]]:
    """Build the annotations right of a map (banks, capacity, constants, number of unplaced blocks).

    The title of the map is added if `titled`.
    """
    # The most important label first: a label that overlaps one before it is moved or left out.
    texts = without_overlaps(
        [
            *_unplaced_label(level, theme),
            *_capacity_label(level, theme),
            *_static_label(level),
            *_bank_labels(level),
        ],
        level,
    )
    right = {"x": DOMAIN[1], "xanchor": "left", "xshift": 4, "align": "left", "yref": level.axis}
    notes = [note(text, right | place, theme) for text, place in texts]
    if titled:
        place = {
            "x": 0,
            "y": level.domain[1],
            "xanchor": "left",
            "yanchor": "bottom",
            "font": {"size": 11},
            "hovertext": exact_title(level.amap),
        }
        notes.append(note(title(level.amap), place, theme))
    return notes


def static_band(level: Level, theme: str) -> list[dict[str, Any]]:
    """Build the trace of the hatched band of constants below the arena, in a list; empty if there
    are no constants or it is not in view.
    """
    if not level.floor or level.view[0] >= level.floor:
        return []
    colours = palette(theme)
    constants = int((level.amap.blocks["kind"] == "constant").sum())
    words = count_text(constants, "constant") if constants else "constants"
    hatch = {
        "shape": "\\",
        "fillmode": "overlay",
        "fgcolor": fade(colours.muted, 0.35),
        "size": 7,
        "solidity": 0.1,
    }
    return [
        {
            "type": "bar",
            "orientation": "h",
            "yaxis": level.axis,
            "x": [level.amap.length],
            "base": [0],
            "y": [level.floor / 2],
            "width": [level.floor],
            "marker": {"color": fade(colours.muted, 0.12), "line": {"width": 0}, "pattern": hatch},
            "hovertemplate": f"static band: {words}, {size(level.floor)} below the arena<extra></extra>",
            "customdata": [[level.amap.number, None]],
            "showlegend": False,
        }
    ]


def title(amap: AttemptMap) -> str:
    """Write a level's name, use of its capacity and plan as plotly text, "empty" if it has no
    blocks; short enough for a page of 400 px.
    """
    return _title(amap, size, is_long=False)


def exact_title(amap: AttemptMap) -> str:
    """Write the title with exact bytes and the bytes of constants, for a tooltip."""
    return _title(amap, _exact, is_long=True)


def _exact(count: int) -> str:
    return f"{integer(count)} B"


def _title(amap: AttemptMap, write: Callable[[int], str], *, is_long: bool) -> str:
    static = amap.whole("static_bytes") or 0
    extent = amap.whole("extent")
    capacity = amap.address_limit
    words = [f"<b>{plain(amap.label, 30)}</b>"]
    if amap.facts.allocator and amap.whole("live_peak"):
        words.append(f"peak {size(amap.whole('live_peak'))}")
    if extent is not None:
        used = static + extent
        words.append(f"{write(used)} of {write(capacity)}" if capacity else write(used))
        words += [percent(used / capacity)] if capacity else []
    words += [f"{size(static)} of it constants"] if static and is_long else []
    # A title is cut at the edge of a narrow page: there "inner" is enough for the inner plan.
    plan = plans(amap) if is_long else plans(amap).removesuffix(" plan")
    words += [plan] if plan else []
    return " · ".join(words) if len(amap.blocks) else f"{words[0]} · empty"


def plans(amap: AttemptMap) -> str:
    """Name the plans of a level's blocks: `outer plan`, `inner plan` or `outer and inner plan`; ""
    if unknown.
    """
    names = sorted(
        amap.blocks.loc[amap.blocks["kind"] != "constant", "plan"].dropna().astype("str").unique()
    )
    return f"{' and '.join(reversed(names))} plan" if names else ""


def _ticks(level: Level) -> dict[str, Any]:
    """Build the ticks of a map's y axis from address 0, which is the level's floor, upwards."""
    if not len(level.amap.blocks):
        return {"tickmode": "array", "tickvals": [], "ticktext": []}
    low, high = (end - level.floor for end in level.view)
    if level.amap.facts.addressed:
        return address_ticks(max(low, 0), high, floor=level.floor)
    return byte_ticks(max(low, 0), high)


def _borders(level: Level) -> list[int]:
    """Compute the y coordinates (bytes) of the bank borders in view; empty without banks or if they
    are more than 64 (_MAX_LINES).
    """
    banks = level.amap.whole("banks")
    width = level.amap.whole("bank_bytes")
    if not banks or not width:
        return []
    # Bounds the array for any number of banks that a file claims.
    edges = np.arange(min(banks, 10 * _MAX_LINES) + 1) * width + level.floor
    shown = edges[(edges >= level.view[0]) & (edges <= level.view[1])]
    return shown.tolist() if len(shown) <= _MAX_LINES else []


def _bank_labels(level: Level) -> list[Label]:
    """Build the labels of the banks in view; if they do not fit, only of every n-th bank."""
    width = level.amap.whole("bank_bytes") or 0
    every = max(1, math.ceil(_LABEL_PX / max(width * level.bytes_px, 1e-9)))
    banks = [((edge - level.floor) // width, edge + width / 2) for edge in _borders(level)[:-1]]
    shown = [
        (bank, middle) for bank, middle in banks if bank % every == 0 and middle < level.view[1]
    ]
    return [(f"bank {bank}", {"y": middle, "yanchor": "middle"}) for bank, middle in shown]


def _capacity_label(level: Level, theme: str) -> list[Label]:
    """Build the label of the capacity, in a list: at its line, or at the top if the line is above
    the view; empty if it is unknown or below the view.
    """
    capacity = level.amap.address_limit
    if capacity is None or capacity < level.view[0]:
        return []
    font = {"font": {"size": 10, "color": palette(theme).capacity}}
    if capacity <= level.view[1]:
        return [(f"capacity<br>{size(capacity)}", font | {"y": capacity, "yanchor": "bottom"})]
    return [
        (
            f"↑ capacity<br>{size(capacity)}",
            font | {"y": 1, "yref": f"{level.axis} domain", "yanchor": "top"},
        )
    ]


def _static_label(level: Level) -> list[Label]:
    if not level.floor or level.view[0] >= level.floor:
        return []
    middle = (max(0, level.view[0]) + min(level.floor, level.view[1])) / 2
    return [(f"static<br>{size(level.floor)}", {"y": middle, "yanchor": "middle"})]


def _unplaced_label(level: Level, theme: str) -> list[Label]:
    """Build the label at the top that counts failed and unplaced blocks, in a list; empty if all
    blocks have an address.
    """
    counts = level.amap.blocks["status"].astype("str").value_counts()
    words = [
        f"{integer(counts[name])} {name}" for name in ("failed", "unplaced") if counts.get(name, 0)
    ]
    if not words:
        return []
    colour = palette(theme).trouble if counts.get("failed", 0) else palette(theme).muted
    place = {
        "y": 1,
        "yref": f"{level.axis} domain",
        "yanchor": "top",
        "font": {"size": 10, "color": colour},
    }
    return [("<br>".join(words), place)]


def _across(level: Level, y: float) -> dict[str, Any]:
    """Build the shape of a horizontal line over the width of a map at `y` (bytes of its y axis)."""
    return _LINE | {"yref": level.axis, "y0": y, "y1": y}
