"""Grid of tiled operators: bytes held at a memory level, number of tiles, and bytes moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag

from analysis.tiling.deeploy.choices import Tiled
from components.columns import GridColumn
from components.grid import marked_options, memory_grid, row_target
from components.numbers import shorten
from components.tiling.words import tile_text
from schema.table_columns import Format

_NAME = 200


def operators_grid(grid_id: str, tiled: Sequence[Tiled], selected: int | None) -> dag.AgGrid:
    """Build the grid; a row's id is the operator's position in `tiled`, from 0, and the row
    `selected` is marked.

    A click, Enter or Space sets `cellClicked`. When there are no operators, the grid shows a text
    about that.
    """
    return memory_grid(
        grid_id,
        _COLUMNS,
        len(tiled),
        grid_options(selected),
        rowData=operator_records(tiled),
        # ag-grid requires ids that are texts.
        getRowId="params.data.row.toString()",
        scrollTo=scroll_target(len(tiled), selected),
    )


def grid_options(selected: int | None) -> dict[str, Any]:
    """Build the grid's `dashGridOptions` that mark the row `selected`, no row if it is None."""
    return marked_options("No operator is cut into tiles.", selected)


def scroll_target(count: int, selected: int | None) -> dict[str, Any] | None:
    """Build the `scrollTo` value that scrolls to the selected operator of `count` operators.

    Returns None if no operator is selected or it does not exist.
    """
    is_listed = selected is not None and selected < count
    return row_target(selected if is_listed else None)


def operator_records(tiled: Sequence[Tiled]) -> list[dict[str, Any]]:
    """Convert operators to the rows of the grid, a dict each with the position as `row`."""
    return [_record(row, operator) for row, operator in enumerate(tiled)]


_BUFFERING: Mapping[bool | None, str | None] = MappingProxyType(
    {True: "double", False: "single", None: None}
)
"""Whether an operator is double-buffered (None: unknown) -> text of the column `copies`."""


def _record(row: int, tiled: Tiled) -> dict[str, Any]:
    operator = tiled.operator
    own = tiled.own
    return {
        "row": row,
        "step": operator.step,
        "name": shorten(operator.name, _NAME),
        "op": operator.op_type or None,
        "level": operator.level,
        "tile": tile_text(own.tile),
        "tiles": own.tiles,
        "bytes": own.bytes,
        "share": tiled.share,
        "dma_in": own.dma_in,
        "dma_out": own.dma_out,
        "copies": _BUFFERING[operator.double_buffered],
    }


_EXACT = "tsExact(params.value, '')"
_size = partial(GridColumn, width=82, format=Format.SIZE)
_COLUMNS = (
    GridColumn("step", "step", 58, Format.WHOLE, tooltip=_EXACT, pinned="left"),
    GridColumn("name", "operator", 400, is_mono=True, tooltip_field="name", is_filtered=True),
    GridColumn("op", "type", 130, tooltip_field="op", is_filtered=True),
    GridColumn("level", "level", 62, tooltip_field="level"),
    GridColumn(
        "tile",
        "tile",
        150,
        tooltip_field="tile",
        help="sizes of the tool's tile, by dimension of the output, as far as the run tells them",
    ),
    GridColumn(
        "tiles", "tiles", 62, Format.WHOLE, tooltip=_EXACT, help="tiles that the output is cut into"
    ),
    _size("bytes", "holds", help="bytes of all its blocks at the level"),
    GridColumn(
        "share",
        "of capacity",
        92,
        Format.SHARE,
        tooltip="'with the constants of the level'",
        bar="params.value",
    ),
    _size("dma_in", "moved in", help="bytes that the DMA brings in for all tiles"),
    _size("dma_out", "moved out", width=88, help="bytes that the DMA takes out"),
    GridColumn(
        "copies",
        "buffers",
        76,
        tooltip_field="copies",
        help="double: a block holds two tiles, one at work while the other is moved",
    ),
)
