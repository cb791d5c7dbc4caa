"""Grid of the devices of a caching allocator: allocated and reserved bytes, at the peak and at the end."""

from __future__ import annotations

from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.columns import GridColumn
from components.grid import CHOSEN_BY_KEY, memory_grid
from components.memory.attempts_grid import grid_options
from components.tables import records
from schema.table_columns import Format

_NAMES = (
    *("attempt", "device", "peak_allocated", "peak_at", "end_allocated", "peak_reserved"),
    *("end_reserved", "entries"),
)
ALLOCATOR_COLUMNS = (
    GridColumn(
        name="device",
        label="device",
        width=92,
        is_mono=True,
        pinned="left",
        tooltip_field="device",
    ),
    GridColumn(
        name="peak_allocated",
        label="peak",
        width=92,
        format=Format.SIZE,
        bar="params.data.share",
        help="most bytes allocated at once",
    ),
    GridColumn(name="peak_at", label="at step", width=82, format=Format.WHOLE),
    GridColumn(
        name="end_allocated",
        label="at the end",
        width=92,
        format=Format.SIZE,
        help="bytes allocated when the snapshot was taken",
    ),
    GridColumn(
        name="peak_reserved",
        label="peak reserved",
        width=112,
        format=Format.SIZE,
        help="most bytes of segments at once, free ranges too",
    ),
    GridColumn(
        name="end_reserved",
        label="reserved at the end",
        width=138,
        format=Format.SIZE,
        help="bytes of segments when the snapshot was taken",
    ),
    GridColumn(
        name="entries",
        label="entries",
        width=82,
        format=Format.WHOLE,
        help="entries of the device's trace",
    ),
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
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
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
