"""The grid of the devices of a profile: how many buffers each has, its peak, what it never frees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_ag_grid as dag

from analysis.memory.live_curve import DeviceCurves
from components.memory.attempts_grid import grid_options
from components.memory.buffer_words import moment
from components.memory.grid import CHOSEN_BY_KEY, TEXT_FILTER, memory_grid, number_column, size_column
from components.numbers import shorten

MOST_SENT = 1_000
"""Devices that are listed, those with the highest peaks."""
_NAME = 60


def devices_grid(
    grid_id: str, curves: DeviceCurves, buffers: Mapping[int, int], selected: int | None = None
) -> dag.AgGrid:
    """Lay out the devices, `buffers` being how many each has; the device `selected` is marked.

    A row's id is the device's attempt; a click, enter or space sets `cellClicked`.
    """
    rows = device_records(curves, buffers)
    return memory_grid(
        grid_id,
        _COLUMNS,
        len(rows),
        grid_options(len(rows), selected, None),
        rowData=rows,
        getRowId="params.data.attempt.toString()",
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
    )


def device_records(curves: DeviceCurves, buffers: Mapping[int, int]) -> list[dict[str, Any]]:
    """Return the rows as the grid takes them, by falling peak: numbers to sort by, times beside them as words."""
    ranked = sorted(curves.devices.items(), key=lambda one: -one[1].peak)[:MOST_SENT]
    most = max((curve.peak for _, curve in ranked), default=0)
    return [
        {
            "attempt": number,
            "device": shorten(curves.labels[number], _NAME),
            "buffers": buffers.get(number, 0),
            "peak": curve.peak,
            "share": curve.peak / most if most else None,
            "peak_time": curve.peak_time,
            "peak_words": moment(curve.peak_time, curve.end) if curve.peak else "",
            "left": int(curve.bytes[-1]),
            "left_buffers": int(curve.blocks[-1]),
        }
        for number, curve in ranked
    ]


_COLUMNS: list[dict[str, Any]] = [
    {
        "field": "device",
        "headerName": "device",
        "width": 92,
        "cellClass": "ts-mono",
        "pinned": "left",
        "tooltipField": "device",
        **TEXT_FILTER,
    },
    number_column("buffers", 78, "tsInteger(params.value)", "'buffers allocated on it'") | {"field": "buffers"},
    size_column("peak", 88) | {"field": "peak", "cellStyle": {"function": "tsShareBar(params.data.share)"}},
    number_column("at", 132, "params.data.peak_words", "tsExact(params.value, 'ns')") | {"field": "peak_time"},
    size_column("at the end", 92)
    | {
        "field": "left",
        "headerTooltip": "bytes of the buffers that are never freed",
        "tooltipValueGetter": {"function": "tsInteger(params.data.left_buffers) + ' buffers never freed'"},
    },
]
