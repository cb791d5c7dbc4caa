"""The grid of tiled operators: what each holds at a memory level, in how many tiles, and what is moved for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag

from analysis.tiling.deeploy.choices import Tiled
from components.memory.grid import CHOSEN_BY_KEY, TEXT_FILTER, memory_grid, number_column, options, size_column
from components.numbers import shorten
from components.tiling.words import tile_text

_NAME = 200


def operators_grid(grid_id: str, tiled: Sequence[Tiled], selected: int | None) -> dag.AgGrid:
    """Lay out operators; a row's id is its place among them. A click, enter or space sets `cellClicked`."""
    return memory_grid(
        grid_id,
        _COLUMNS,
        len(tiled),
        grid_options(selected),
        rowData=operator_records(tiled),
        getRowId="params.data.row.toString()",
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
        scrollTo=scroll_to(len(tiled), selected),
    )


def grid_options(selected: int | None) -> dict[str, Any]:
    """Return the `dashGridOptions` of the grid: set alone, they move the mark of the selected operator."""
    marked = "false" if selected is None else f"params.node.id == '{selected}'"
    return options("No operator is cut into tiles.") | {"rowClassRules": {"ts-row-shown": marked}}


def scroll_to(count: int, selected: int | None) -> dict[str, Any] | None:
    """Return the `scrollTo` that brings the selected operator into view; None where there is none."""
    there = selected is not None and selected < count
    return {"rowId": str(selected), "rowPosition": "auto"} if there else None


def operator_records(tiled: Sequence[Tiled]) -> list[dict[str, Any]]:
    """Return the rows as the grid takes them."""
    return [_record(row, one) for row, one in enumerate(tiled)]


def _record(row: int, found: Tiled) -> dict[str, Any]:
    operator, own = found.operator, found.own
    return {
        "row": row,
        "step": operator.step,
        "name": shorten(operator.name, _NAME),
        "op": operator.op_type or None,
        "level": operator.level,
        "tile": tile_text(own.tile),
        "tiles": own.tiles,
        "bytes": own.bytes,
        "share": found.share,
        "dma_in": own.dma_in,
        "dma_out": own.dma_out,
        "copies": "double" if operator.double_buffered else "single" if operator.double_buffered is False else None,
    }


def _text(field: str, title: str, width: int, meaning: str = "", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    tooltip = {"headerTooltip": meaning} if meaning else {}
    return {"field": field, "headerName": title, "width": width, "tooltipField": field} | tooltip | more


_WHOLE = ("tsInteger(params.value)", "tsExact(params.value, '')")
_COLUMNS: tuple[dict[str, Any], ...] = (
    {**number_column("step", 58, *_WHOLE), "field": "step", "pinned": "left"},
    _text("name", "operator", 250, pinned="left", cellClass="ts-mono", **TEXT_FILTER),
    _text("op", "type", 130, **TEXT_FILTER),
    _text("level", "level", 62),
    _text("tile", "tile", 150, "sizes of the tool's tile, by dimension of the output, as far as the run tells them"),
    {**number_column("tiles", 62, *_WHOLE), "field": "tiles", "headerTooltip": "tiles that the output is cut into"},
    {**size_column("holds"), "field": "bytes", "headerTooltip": "bytes of all its blocks at the level"},
    {
        **number_column("of capacity", 92, "tsPercent(params.value)", "'with the constants of the level'"),
        "field": "share",
        "cellStyle": {"function": "tsShareBar(params.value)"},
    },
    {**size_column("moved in"), "field": "dma_in", "headerTooltip": "bytes that the DMA brings in for all tiles"},
    {**size_column("moved out", 88), "field": "dma_out", "headerTooltip": "bytes that the DMA takes out"},
    _text("copies", "buffers", 76, "double: a block holds two tiles, one at work while the other is moved"),
)
