"""Grid of groups of runs: a row per hwid, GEMM size, grid and data type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag

from components.columns import NO_TOOLTIP, GridColumn, column_definitions
from components.numbers import DASH, count_text, integer, number_text, tame
from components.runs.runs_grid import grid_options
from schema.run_columns import GEMM_SIZES
from schema.table_columns import Format
from storage.listed_run import tile_text

_FORMATS: Mapping[str, Format] = MappingProxyType(
    {**dict.fromkeys(("best", "median", "lowest"), Format.SIGNIFICANT), "spread": Format.SHARE}
)
"""Columns of numbers that are formatted on the server -> format."""


def groups_grid(grid_id: str, groups: Iterable[Mapping[str, Any]]) -> dag.AgGrid:
    """Build the grid of groups, a row each (see `groups_records`); when there are no groups, it
    states that.

    Hwid and size link to the group's runs, the best rate to its run.
    """
    return dag.AgGrid(
        id=grid_id,
        rowData=groups_records(groups),
        columnDefs=column_definitions(_COLUMNS),
        # The address of its runs identifies a group.
        getRowId="params.data.href",
        defaultColDef={"resizable": True, "sortable": True, "suppressHeaderMenuButton": True},
        dashGridOptions=grid_options("No run here has a GEMM size."),
        className="ts-runs-grid",
        style={"height": "100%"},
    )


def groups_records(groups: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Convert groups to rows of the grid, a dict each with the numbers and their texts (`best_text`
    ...).

    A group has its keys, `runs`, `best`, `median`, `lowest`, `newest`, `best_run` and `href`, the
    address of its runs. `spread` is (best - lowest) / median, None without rates.
    """
    spread = [{**group, "spread": _relative_spread(group)} for group in groups]
    return [record | _texts(record) for record in spread]


def groups_line(groups: int, runs: int, sized: int, listed: int) -> str:
    """Return the caption: number of groups, number of listed groups if not all are listed, and
    number of runs without a group.

    `sized` is the number of runs with a GEMM size, `listed` the number of groups in the grid.
    """
    first = f", the first {integer(listed)} listed" if listed < groups else ""
    left = runs - sized
    rest = f"; {count_text(left, 'run')} without a GEMM size not grouped" if left else ""
    count = count_text(groups, "group") if groups else "No group"
    return f"{count} of one hwid, size, grid and data type{first}{rest}"


def _relative_spread(group: Mapping[str, Any]) -> float | None:
    """Compute (best - lowest) / median.

    Returns None if the median is 0 or missing.
    """
    return (group["best"] - group["lowest"]) / group["median"] if group["median"] else None


def _texts(record: Mapping[str, Any]) -> dict[str, Any]:
    texts: dict[str, Any] = {
        f"{name}_text": number_text(record[name], form) for name, form in _FORMATS.items()
    }
    return texts | {
        "hwid": tame(record["hwid"]) or DASH,
        "grid": record["grid"] or DASH,
        "mac_dtype": tame(record["mac_dtype"]) or DASH,
        "tile": tile_text(record) or DASH,
        "newest_text": str(record["newest"] or DASH).replace("T", " ")[:16],
    }


def _number_column(name: str, label: str, width: int, meaning: str, **look: Any) -> GridColumn:  # noqa: ANN401 - its fields
    """Build a column of numbers; numbers with a format have their text in a field of their own."""
    return GridColumn(
        name,
        label,
        width,
        _FORMATS.get(name, Format.WHOLE),
        text_field=f"{name}_text" if name in _FORMATS else name,
        tooltip=NO_TOOLTIP,
        help=meaning,
        **look,
    )


_COLUMNS = (
    GridColumn("hwid", "hwid", 110, pinned="left", more={"cellRenderer": "GroupLink"}),
    *(_number_column(name, name, 56, meaning) for name, meaning in GEMM_SIZES.items()),
    GridColumn("grid", "grid", 64, help="rows x columns of cores that share the work"),
    GridColumn("mac_dtype", "dtype", 84, help="data type of the multiply-accumulates"),
    _number_column("runs", "runs", 62, "runs of this hwid, size, grid and data type"),
    _number_column(
        "best",
        "best GMAC/s",
        110,
        "highest mean rate of a run at or below its peak",
        more={"cellRenderer": "BestLink"},
    ),
    GridColumn("tile", "best tile", 104, help="m x k x n of the tile of the best run"),
    _number_column("median", "median", 84, "median of the runs' mean rates"),
    _number_column("lowest", "lowest", 84, "lowest mean rate of a run"),
    _number_column("spread", "spread", 84, "(best - lowest) / median"),
    GridColumn(
        "newest",
        "newest",
        138,
        Format.DATE,
        help="date of the newest run",
        text_field="newest_text",
        more={"cellClass": "ts-number ts-date"},
    ),
)
