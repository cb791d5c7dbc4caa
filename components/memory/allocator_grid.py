"""Grid of the devices of a caching allocator: allocated and reserved bytes, at the peak and at the end."""

from __future__ import annotations

from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.columns import GridColumn
from components.grid import memory_grid
from components.memory.attempts_grid import grid_options
from components.tables import records
from schema.table_columns import Format

_NAMES = (
    *("attempt", "device", "peak_allocated", "peak_at", "end_allocated", "peak_reserved"),
    *("end_reserved", "entries"),
)
ALLOCATOR_COLUMNS = (
    GridColumn("device", "device", 92, is_mono=True, pinned="left", tooltip_field="device"),
    GridColumn(
        "peak_allocated",
        "peak",
        92,
        Format.SIZE,
        bar="params.data.share",
        help="most bytes allocated at once",
    ),
    GridColumn("peak_at", "at step", 82, Format.WHOLE),
    GridColumn(
        "end_allocated",
        "at the end",
        92,
        Format.SIZE,
        help="bytes allocated when the snapshot was taken",
    ),
    GridColumn(
        "peak_reserved",
        "peak reserved",
        112,
        Format.SIZE,
        help="most bytes of segments at once, free ranges too",
    ),
    GridColumn(
        "end_reserved",
        "reserved at the end",
        138,
        Format.SIZE,
        help="bytes of segments when the snapshot was taken",
    ),
    GridColumn("entries", "entries", 82, Format.WHOLE, help="entries of the device's trace"),
)


def allocator_grid(
    grid_id: str, device_memory: pd.DataFrame, selected: int | None = None
) -> dag.AgGrid:
    """Lay out the rows of frame `device_memory` as a grid that marks the device `selected`.

    A row's id is the attempt of its device. A click, enter or space on a cell sets `cellClicked`.
    """
    rows = allocator_records(device_memory)
    return memory_grid(
        grid_id,
        ALLOCATOR_COLUMNS,
        len(rows),
        grid_options(len(rows), selected, None),
        rowData=rows,
        getRowId="params.data.attempt.toString()",
    )


def allocator_records(device_memory: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert rows of frame `device_memory` to row data; `share` is the peak as a share of the
    highest peak, None if unknown.
    """
    highest = device_memory["peak_allocated"].max()
    rows = records(device_memory[[*_NAMES]])
    for row, peak in zip(rows, device_memory["peak_allocated"].tolist(), strict=True):
        is_known = not pd.isna(peak) and bool(highest)
        row["share"] = int(peak) / int(highest) if is_known else None
    return rows
