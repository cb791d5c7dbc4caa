"""Heatmap of memory occupancy: banks or memory levels over steps, with totals at the edges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap, attempt_words
from analysis.memory.selection import MemorySelection
from components.figure import Figure, compact
from components.graph import empty_figure, figure
from components.memory import axis as memory_axis
from components.memory.axis import DOMAIN
from components.memory.columns import MAX_COLUMNS, Columns, bank_shares, columns, memory_shares
from components.numbers import percent, plain
from components.theme import fade, fill_scale, palette
from schema.array_types import Floats

_TOP, _TOTAL_PX, _GAP_PX = 24, 44, 6
_BANKS_PX, _MIN_BANK_PX, _MAX_BANK_PX, _LEVEL_PX = 256, 6, 18, 30
_LABEL_PX = 13
_EDGE = (DOMAIN[1] + 0.012, 1.0)
"""Part of the figure's width for the mean and peak bars at the right of the cells."""
_CELL = re.compile(r"(?:attempt (\d+) · )?step (\d+)(?: \([^)]*\))?(?: · bank (\d+))?")
"""Pattern of a cell's sentence, such as `attempt 2 · step 3 (of 2 – 5) · bank 5`."""
_EMPTY_PX = 160
_MAX_CELLS, _MIN_COLUMNS = 20_000, 500
"""Maximum number of cells of a heatmap of banks, and the columns that it has in any case."""


@dataclass(frozen=True)
class _Rows:
    """Heatmap rows that share their columns: y position, label and occupancy shares of each row.

    `shares` has an axis for heatmap rows and an axis for rows of frame `occupancy`. `lead` and
    `trail` are the text before and after the step in the sentence of a cell.
    """

    amap: AttemptMap
    columns: Columns
    at: list[int]
    labels: list[str]
    shares: Floats
    lead: str
    trail: list[str]
    banks: list[int | None]


def banks(
    maps: Sequence[AttemptMap], selection: MemorySelection, theme: str, steps: int = 0
) -> Figure:
    """Draw the occupancy of each bank over steps in per cent of the bank's size, as a heatmap.

    If several maps are given, or the map has no banks, each row is a memory level. Bars above the
    cells show the share of the whole memory in use, bars at the right the mean and peak of each
    row. With more than 2,000 columns or 20,000 cells, a column shows the highest value of several
    steps, and its hover text names them. If no memory is in use, or its size is unknown, the figure
    shows only a sentence.

    The customdata of a cell is the sentence of its hover text, for example `step 3 · bank 5`,
    because plotly allows no list there; the customdata of a total is [attempt, step, bank]. `steps`
    is the length of the x axis if other views on it show longer maps than these.
    """
    window = memory_axis.steps_in_view(maps, selection, steps) if maps else (0, 1)
    of_banks = len(maps) == 1 and bool(maps[0].whole("banks") and maps[0].whole("bank_bytes"))
    parts = _bank_rows(maps[0], window) if of_banks else _level_rows(maps, window)
    if not any(part.shares.any() for part in parts):
        sentence = "Nothing is in use here." if parts else "The size of the memory is not known."
        return empty_figure(sentence, theme, _EMPTY_PX)
    traces = [trace for part in parts for trace in (*_heat(part, theme), *_edge(part, theme))]
    if of_banks:
        traces += _total(parts[0], theme)
    return figure(traces, _layout(parts, window, selection, theme, total=of_banks), theme)


def parse_click(click: Mapping[str, Any] | None) -> dict[str, int]:
    """Parse a click on the heatmap into a dict with the numbers `attempt`, `step` and `bank`.

    Keys that the clicked cell does not name are missing; empty if there is no click.
    """
    names = ("attempt", "step", "bank")
    cell = ((click or {}).get("points") or [{}])[0].get("customdata")
    if not isinstance(cell, str):
        return memory_axis.clicked_parts(click, names)
    hit = _CELL.match(cell)
    return (
        {name: int(value) for name, value in zip(names, hit.groups(), strict=True) if value}
        if hit
        else {}
    )


def _bank_rows(amap: AttemptMap, window: tuple[int, int]) -> list[_Rows]:
    """Build a list of a single record with a heatmap row per bank of a map."""
    grouped = columns(
        amap, window, max(_MIN_COLUMNS, min(MAX_COLUMNS, _MAX_CELLS // (amap.whole("banks") or 1)))
    )
    shares = bank_shares(amap, grouped)
    ranks = list(range(len(shares)))
    labels = [f"bank {bank}" for bank in ranks]
    return [
        _Rows(
            amap, grouped, ranks, labels, shares, "", [f" · {label}" for label in labels], [*ranks]
        )
    ]


def _level_rows(maps: Sequence[AttemptMap], window: tuple[int, int]) -> list[_Rows]:
    """Build a record with one heatmap row per memory level with a known capacity, the first level
    on top.

    Levels that are not in view are left out.
    """
    parts = []
    for rank, amap in enumerate(amap for amap in maps if amap.whole("capacity")):
        grouped = columns(amap, window)
        label = plain(amap.label, 14) if len(maps) > 1 else "memory"
        trail = f" · level {label}" if len(maps) > 1 else ""
        shares = memory_shares(amap, grouped)[None, :]
        lead = f"{attempt_words(amap.number)} · "
        # Negative ranks: the y axis counts upwards, and the first level is on top.
        parts.append(_Rows(amap, grouped, [-rank], [label], shares, lead, [trail], [None]))
    return [part for part in parts if len(part.columns)]


def _heat(part: _Rows, theme: str) -> list[dict[str, Any]]:
    """Build the traces of the cells of some rows, then, on top of them, of cells above 100 % in
    red, if there are any.
    """
    grouped = part.columns
    share = grouped.highest(part.shares) * 100
    cells = grouped.words()
    words = np.array(
        [[f"{part.lead}{cell}{end}" for cell in cells] for end in part.trail], dtype=object
    )
    base = {
        "type": "heatmap",
        "x": compact(np.append(grouped.start, grouped.end[-1:])),
        "y": part.at,
        "customdata": words,
        "hovertemplate": "%{customdata}<br>%{z:.1f} % in use<extra></extra>",
        "zmin": 0,
        "zmax": 100,
        "showscale": False,
        "ygap": 1,
    }
    traces = [base | {"z": share.astype(np.float32), "colorscale": fill_scale(theme)}]
    if (share > 100).any():
        red = [[0.0, palette(theme).trouble], [1.0, palette(theme).trouble]]
        # An extra trace: the colour scale of the other cells ends at 100 %.
        over = np.where(share > 100, share, np.nan).astype(np.float32)
        traces.append(base | {"z": over, "colorscale": red, "hoverongaps": False})
    return traces


def _edge(part: _Rows, theme: str) -> list[dict[str, Any]]:
    """Build two bar traces at the right: the peak of each row as a faint bar and its mean over time
    as a strong bar, in per cent.
    """
    colours = palette(theme)
    peaks = part.shares.max(axis=1)
    # Rows of frame `occupancy` cover different numbers of steps, so the mean is weighted.
    means = np.average(part.shares, axis=1, weights=part.columns.ends - part.columns.begins)
    custom = np.array([[part.amap.number, None, bank] for bank in part.banks], dtype=object)
    words = [
        f"{label}<br>mean {percent(mean)}, peak {percent(top)} of its bytes"
        for label, mean, top in zip(part.labels, means, peaks, strict=True)
    ]
    faint = np.where(peaks > 1, colours.trouble, fade(colours.muted, 0.35)).astype(object)
    base = {
        "type": "bar",
        "orientation": "h",
        "xaxis": "x2",
        "y": part.at,
        "customdata": custom,
        "hovertext": np.array(words, dtype=object),
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }
    return [
        base | {"x": peaks * 100, "width": 0.8, "marker": {"color": faint}},
        base | {"x": means * 100, "width": 0.8, "marker": {"color": colours.muted}},
    ]


def _total(part: _Rows, theme: str) -> list[dict[str, Any]]:
    """Build the trace of a bar per column above the cells, the share of the whole memory in use in
    per cent, and a trace of invisible bars for hover and click.
    """
    grouped = part.columns
    colours = palette(theme)
    shares = grouped.highest(memory_shares(part.amap, grouped)) * 100
    custom = np.full((len(grouped), 3), part.amap.number, dtype=object)
    custom[:, 1] = grouped.step()
    custom[:, 2] = None
    words = [
        f"{step}<br>{share:.1f} % of the memory in use"
        for step, share in zip(grouped.words(), shares, strict=True)
    ]
    middle = (grouped.start + grouped.end) / 2
    width = compact(grouped.end - grouped.start)
    colour = np.where(shares > 100, colours.trouble, colours.muted).astype(object)
    bars = {
        "type": "bar",
        "x": middle,
        "width": width,
        "y": shares.astype(np.float32),
        "marker": {"color": colour},
    }
    touch = memory_axis.touch(middle, width, (0, 100)) | {
        "customdata": custom,
        "hovertext": np.array(words, dtype=object),
    }
    return [
        trace | {"yaxis": "y2"}
        for trace in (bars | {"hoverinfo": "skip", "showlegend": False}, touch)
    ]


def _layout(
    parts: Sequence[_Rows],
    window: tuple[int, int],
    selection: MemorySelection,
    theme: str,
    *,
    total: bool,
) -> dict[str, Any]:
    """Build the layout: cells, totals above them if `total`, bars at the right, labels that fit."""
    at = [place for part in parts for place in part.at]
    row_px = min(_MAX_BANK_PX, max(_MIN_BANK_PX, _BANKS_PX / len(at))) if total else _LEVEL_PX
    cells_px = row_px * len(at)
    plot_px = cells_px + (_TOTAL_PX + _GAP_PX if total else 0)
    margin = memory_axis.margin(_TOP)
    hidden = {"showgrid": False, "ticks": "", "fixedrange": True, "automargin": False}
    # Rows may be flatter than a label: only every n-th row has one.
    every = -(-_LABEL_PX // row_px)
    labels = {
        place: label for part in parts for place, label in zip(part.at, part.labels, strict=True)
    }
    shown = {place: label for place, label in labels.items() if place % every == 0}
    rows = hidden | {
        "tickvals": list(shown),
        "ticktext": list(shown.values()),
        "range": [min(at) - 0.5, max(at) + 0.5],
    }
    layout = {
        "barmode": "overlay",
        "bargap": 0,
        "height": round(plot_px) + margin["t"] + margin["b"],
        "margin": margin,
        "uirevision": f"{[part.amap.number for part in parts]} {selection.span}",
        "xaxis": memory_axis.steps_axis(window, theme) | {"minor": {}, "anchor": "y"},
        "xaxis2": hidden
        | {"domain": list(_EDGE), "range": [0, 100], "anchor": "y", "showticklabels": False},
        "yaxis": rows | {"domain": [0, cells_px / plot_px]},
        "shapes": _marks(parts, window, selection, theme),
        "annotations": _words(cells_px / plot_px, theme),
    }
    if total:
        share = hidden | {"domain": [1 - _TOTAL_PX / plot_px, 1], "range": [0, 100], "anchor": "x"}
        layout["yaxis2"] = share | {"tickvals": [0, 100], "ticktext": ["0", "100 %"]}
    return layout


def _marks(
    parts: Sequence[_Rows], window: tuple[int, int], selection: MemorySelection, theme: str
) -> list[dict[str, Any]]:
    """Build the shapes of the peak line (single map only), the cursor, and a frame around the
    selected row.
    """
    line = {"color": palette(theme).selection, "width": 1.5}
    chosen = [
        place
        for part in parts
        for place, bank in zip(part.at, part.banks, strict=True)
        if part.amap.number == selection.attempt
        and (bank == selection.bank if bank is not None else len(parts) > 1)
    ]
    frames = [
        {
            "type": "rect",
            "xref": "x domain",
            "x0": 0,
            "x1": 1,
            "y0": place - 0.5,
            "y1": place + 0.5,
            "line": line,
        }
        for place in chosen
    ]
    peaks = memory_axis.peak(parts[0].amap, window, theme) if len(parts) == 1 else []
    return [*peaks, *frames, *memory_axis.cursor(selection, window, theme)]


def _words(share: float, theme: str) -> list[dict[str, Any]]:
    """Build the annotations with the colour scale above the cells and the heading above the bars at
    the right.

    `share` is the top of the cells as a share of the plot's height.
    """
    shades = "".join(f'<span style="color:{shade}">■</span>' for _, shade in fill_scale(theme)[1:])
    trouble = f'<span style="color:{palette(theme).trouble}">■</span>'
    top = {"y": 1, "yanchor": "bottom", "yshift": 3}
    scale = {"x": 0, "xanchor": "left", **top}
    edge = {"x": _EDGE[0], "xanchor": "left", "y": share, "yanchor": "bottom", "yshift": 2}
    # In a narrow plot one line would begin behind the shares of all banks.
    heading = "mean,<br>peak" if share < 1 else "mean, peak"
    return [
        memory_axis.note(f"0 {shades} 100 % of bytes, > {trouble}", scale, theme),
        memory_axis.note(heading, edge, theme),
    ]
