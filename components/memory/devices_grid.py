"""Grid of the devices of a profile: buffers, peak, and bytes never freed per device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash_ag_grid as dag

from analysis.memory.live_curve import DeviceCurves
from components.columns import GridColumn
from components.grid import memory_grid
from components.memory.attempts_grid import grid_options
from components.memory.buffer_words import moment
from components.numbers import shorten
from schema.table_columns import Format

MAX_SENT = 1_000
"""Maximum number of devices in the grid; devices with the highest peaks come first."""
_NAME = 60


def devices_grid(
    grid_id: str, curves: DeviceCurves, buffers: Mapping[int, int], selected: int | None = None
) -> dag.AgGrid:
    """Lay out the at most 1,000 devices (MAX_SENT) with the highest peaks as a grid; the row of the
    device `selected` is marked.

    `buffers` maps the attempt of a device to its number of buffers. A row's id is the attempt of
    its device. A click, enter or space on a cell sets `cellClicked`.
    """
    rows = device_records(curves, buffers)
    return memory_grid(
        grid_id,
        DEVICE_COLUMNS,
        len(rows),
        grid_options(len(rows), selected, None),
        rowData=rows,
        getRowId="params.data.attempt.toString()",
    )


def device_records(curves: DeviceCurves, buffers: Mapping[int, int]) -> list[dict[str, Any]]:
    """Build the row data of the grid by falling peak, a dict per device with the fields of
    DEVICE_COLUMNS, at most 1,000.

    Times appear as numbers (ns) for sorting and as text for display. A device that `buffers` lacks
    has 0 buffers.
    """
    ranked = sorted(curves.devices.items(), key=lambda item: -item[1].peak)[:MAX_SENT]
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
        "device",
        "device",
        92,
        is_mono=True,
        pinned="left",
        tooltip_field="device",
        is_filtered=True,
    ),
    GridColumn("buffers", "buffers", 78, Format.WHOLE, tooltip="'buffers allocated on it'"),
    GridColumn("peak", "peak", 88, Format.SIZE, bar="params.data.share"),
    GridColumn(
        "peak_time",
        "at",
        132,
        Format.DURATION,
        text_field="peak_words",
        tooltip="tsExact(params.value, 'ns')",
    ),
    GridColumn(
        "left",
        "at the end",
        92,
        Format.SIZE,
        help="bytes of the buffers that are never freed",
        tooltip="tsInteger(params.data.left_buffers) + ' buffers never freed'",
    ),
)
