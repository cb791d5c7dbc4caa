"""The grid of the devices of a profile: how many buffers each has, its peak, what it never frees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_ag_grid as dag

from analysis.memory.live_curve import DeviceCurves
from components.columns import GridColumn
from components.grid import CHOSEN_BY_KEY, memory_grid
from components.memory.attempts_grid import grid_options
from components.memory.buffer_words import moment
from components.numbers import shorten
from schema.table_columns import Format

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
        DEVICE_COLUMNS,
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


DEVICE_COLUMNS = (
    GridColumn(
        name="device",
        label="device",
        width=92,
        is_mono=True,
        pinned="left",
        tooltip_field="device",
        is_filtered=True,
    ),
    GridColumn(name="buffers", label="buffers", width=78, format=Format.WHOLE, tooltip="'buffers allocated on it'"),
    GridColumn(name="peak", label="peak", width=88, format=Format.SIZE, bar="params.data.share"),
    GridColumn(
        name="peak_time",
        label="at",
        width=132,
        format=Format.DURATION,
        text_field="peak_words",
        tooltip="tsExact(params.value, 'ns')",
    ),
    GridColumn(
        name="left",
        label="at the end",
        width=92,
        format=Format.SIZE,
        help="bytes of the buffers that are never freed",
        tooltip="tsInteger(params.data.left_buffers) + ' buffers never freed'",
    ),
)
