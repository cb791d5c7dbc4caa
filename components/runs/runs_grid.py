"""The grid of runs: the numbers that people came for, one run a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import dash_ag_grid as dag
import pandas as pd

from components.numbers import DASH, THIN, Number, duration_text, gmacs, integer, percent, rate_text, size, tame
from schema.metrics import METRICS

_FORMATS: Mapping[str, Callable[[Number], str]] = {
    "gmacs_mean": gmacs,
    "gmacs_best": gmacs,
    "utilization": percent,
    "kernels": integer,
    "busy_share": percent,
    "kernel_time": duration_text,
    "flops_total": partial(rate_text, unit="FLOP/s"),
    "peak_memory": size,
    "capacity_use": percent,
    "failed_blocks": integer,
    "memory_waste": size,
}
_TEXTS = ("name", "file", "source", "hwid")
_ROUNDED = {"peak_memory": "B", "memory_waste": "B", "kernel_time": "ns"}
"""Columns whose texts are rounded -> unit of the exact number."""
_OF_SOME = ("M", "K", "N", *_FORMATS)
"""Columns that only some sources have: hidden while no listed run has a value."""
_HEALTH = (("errors", "✕", "error", 1000), ("warnings", "▲", "finding", 1))


def runs_grid(grid_id: str, runs: pd.DataFrame, sort: str) -> dag.AgGrid:
    """Lay out the grid; `sort` is a column, with `-` for falling.

    Its `selectedRows` are records of `runs_records`; a change of the sorting is told to the function
    `runsSortChanged` in the assets.
    """
    return dag.AgGrid(
        id=grid_id,
        rowData=runs_records(runs),
        columnDefs=column_defs(sort, runs),
        getRowId="params.data.run_id",
        defaultColDef={
            "resizable": True,
            "sortable": True,
            "suppressHeaderMenuButton": True,
            "sortingOrder": ["desc", "asc"],
        },
        dashGridOptions=_OPTIONS,
        eventListeners={
            "sortChanged": ["runsSortChanged(params)"],
            "cellKeyDown": ["runsKeyDown(params)"],
            "rowDataUpdated": [f"hideEmpty(params, {list(_OF_SOME)})"],
        },
        className="ts-runs-grid",
        style={"height": "100%"},
    )


def runs_records(runs: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what the grid needs of the catalogue's listing: numbers to sort by and the text to show."""
    columns = ["run_id", *_TEXTS, "M", "K", "N", *_FORMATS, "errors", "warnings", "created_at"]
    table = runs[columns].astype(object)
    records = table.where(table.notna(), None).to_dict("records")
    return [record | _shown(record) for record in cast("list[dict[str, Any]]", records)]


def column_defs(sort: str, runs: pd.DataFrame | None = None) -> list[dict[str, Any]]:
    """Return the columns of the grid, sorted as asked for; those of other sources than the runs' are hidden.

    `hideEmpty` in the assets does the same when other runs are listed.
    """
    columns = [column | _sorting(column["field"], sort) for column in _COLUMNS]
    return columns if runs is None else [column | _hidden(column, runs) for column in columns]


def _hidden(column: dict[str, Any], runs: pd.DataFrame) -> dict[str, bool]:
    name = column["field"]
    idle = name in _OF_SOME and "sort" not in column and len(runs) > 0 and not runs[name].notna().any()
    return {"hide": True} if idle else {}


def health(errors: int, warnings: int) -> str:
    """Return what was found in a run as a symbol and words."""
    counts = {"errors": errors, "warnings": warnings}
    for key, symbol, word, _ in _HEALTH:
        if counts[key]:
            return f"{symbol} {counts[key]} {word}{'s' if counts[key] > 1 else ''}"
    return "✓ sound"


def _shown(record: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a record, and its health as a number to sort by."""
    counts = {key: int(record[key] or 0) for key in ("errors", "warnings")}
    texts: dict[str, Any] = {name: tame(record[name]) for name in _TEXTS if record[name]}
    texts |= {f"{name}_text": form(record[name]) for name, form in _FORMATS.items()}
    texts |= {f"{name}_exact": _exact(record[name], unit) for name, unit in _ROUNDED.items()}
    texts["created_text"] = str(record["created_at"] or DASH).replace("T", " ")[:16]
    return texts | {
        "health": sum(counts[key] * weight for key, _, _, weight in _HEALTH),
        "health_text": health(**counts),
    }


def _exact(value: float | None, unit: str) -> str:
    return "" if value is None else f"{integer(value)}{THIN}{unit}"


def _sorting(field: str, sort: str) -> dict[str, Any]:
    if sort.removeprefix("-") != field:
        return {}
    return {"sort": "desc" if sort.startswith("-") else "asc"}


def _number(field: str, title: str, width: int, tooltip: str, text: str = "") -> dict[str, Any]:
    """Return a right-aligned column of numbers; `text` is the field that holds what is shown."""
    shown = text or field
    return {
        "field": field,
        "headerName": title,
        "headerTooltip": tooltip,
        "width": width,
        "type": "rightAligned",
        "cellClass": "ts-number ag-right-aligned-cell",
        "valueFormatter": {"function": f"params.data.{shown} === null ? '{DASH}' : params.data.{shown}"},
    }


def _metric(name: str, title: str, width: int) -> dict[str, Any]:
    """Return a column of a metric of the registry, which says what it is."""
    column = _number(name, title, width, f"{METRICS[name].label}: {METRICS[name].formula}", f"{name}_text")
    return column | ({"tooltipField": f"{name}_exact"} if name in _ROUNDED else {})


_OR_DASH = {"function": f"params.value || '{DASH}'"}

_COLUMNS: list[dict[str, Any]] = [
    {
        "field": "name",
        "headerName": "name",
        "pinned": "left",
        "width": 220,
        "cellRenderer": "RunLink",
        "tooltipField": "name",
    },
    {"field": "source", "headerName": "source", "width": 88, "tooltipField": "source"},
    {
        "field": "hwid",
        "headerName": "hwid",
        "minWidth": 84,
        "flex": 1,
        "tooltipField": "hwid",
        "valueFormatter": _OR_DASH,
    },
    _number("M", "M", 52, "rows of the GEMM's output"),
    _number("K", "K", 52, "reduction length of the GEMM"),
    _number("N", "N", 52, "columns of the GEMM's output"),
    _number("gmacs_mean", "GMAC/s", 74, "mean over the complete perf iterations", "gmacs_mean_text"),
    _number("gmacs_best", "best", 62, "best complete perf iteration, GMAC/s", "gmacs_best_text"),
    _number("utilization", "util", 66, "work over what the peak allows in that time", "utilization_text"),
    _metric("peak_memory", "peak mem", 92),
    _metric("capacity_use", "cap", 72) | {"cellClassRules": {"ts-trouble": "params.value > 1"}},
    _metric("failed_blocks", "failed", 58) | {"cellClassRules": {"ts-trouble": "params.value > 0"}},
    _metric("memory_waste", "waste", 84),
    {
        "field": "health",
        "headerName": "health",
        "headerTooltip": "what the reader and the analysis found wrong",
        "width": 102,
        "valueFormatter": {"function": "params.data.health_text"},
        "cellClassRules": {
            "ts-trouble": "params.data.errors > 0",
            "ts-caution": "params.data.errors == 0 && params.data.warnings > 0",
            "ts-good": "params.data.errors == 0 && params.data.warnings == 0",
        },
    },
    _metric("kernels", "kernels", 70),
    _metric("busy_share", "busy", 74),
    _metric("kernel_time", "kernel time", 92),
    _metric("flops_total", "FLOP/s", 122),
    {
        "field": "file",
        "headerName": "file",
        "headerTooltip": "the file it was read from; its tooltip has the run's id",
        "minWidth": 90,
        "flex": 1,
        "valueFormatter": _OR_DASH,
        "tooltipValueGetter": {"function": "params.data.file + ' · run ' + params.data.run_id"},
    },
    {
        "field": "created_at",
        "headerName": "date",
        "headerTooltip": "taken in, UTC",
        "width": 142,
        "cellClass": "ts-number",
        "valueFormatter": {"function": "params.data.created_text"},
    },
]

_OPTIONS: dict[str, Any] = {
    "theme": {"function": "gridTheme(themeBalham)"},
    "rowSelection": {"mode": "multiRow", "enableClickSelection": False, "checkboxes": True, "headerCheckbox": True},
    "selectionColumnDef": {"pinned": "left", "width": 36, "resizable": False, "suppressHeaderMenuButton": True},
    "tooltipShowDelay": 400,
    "suppressCellFocus": False,
    "animateRows": False,
    "localeText": {"noRowsToShow": "No run has all of this. Clear a filter to see more."},
}
