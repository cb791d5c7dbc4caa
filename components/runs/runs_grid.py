"""The grid of runs: the numbers that people came for, one run a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag

from components.names import short_names
from components.numbers import (
    DASH,
    THIN,
    Number,
    duration_text,
    gmacs,
    integer,
    percent,
    rate_text,
    shorten,
    size,
    tame,
)
from schema.metrics import METRICS
from storage.annotation import Annotation

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
_LONGEST_LINE = 120
_ROUNDED = {"peak_memory": "B", "memory_waste": "B", "kernel_time": "ns"}
"""Columns whose texts are rounded -> unit of the exact number."""
AGAINST = "against"
"""The column of verdicts against baselines; it is there where there is a baseline."""
_BY_WEIGHT = (
    *(
        "name",
        "date",
        "health",
        AGAINST,
        "source",
        "hwid",
        "gmacs_mean",
        "peak_memory",
        "M",
        "K",
        "N",
        "gmacs_best",
        "utilization",
    ),
    *("tags", "failed_blocks", "capacity_use", "kernel_time", "busy_share", "flops_total", "memory_waste"),
    *("kernels", "file", "created_at"),
)
"""Every column, the one that people need most first."""
_ALWAYS = ("name", "source", "hwid", "health", "date", AGAINST)
_ROOM_PX = 1_155
"""What the columns of the default choice take together: the grid beside the facets on a screen of 1440 pixels."""
_HEALTH = (("errors", "✕", "error"), ("warnings", "▲", "finding"))


def runs_grid(grid_id: str, records: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, Any]]) -> dag.AgGrid:
    """Lay out the grid of the first runs; see `runs_records` and `column_defs`.

    The rows are in order as they come: a change of the sorting is told to the function `runsSortChanged` in the
    assets, the end of the rows to `runsScrolled`, what people select to `runsSelectionChanged`.
    """
    return dag.AgGrid(
        id=grid_id,
        rowData=records,
        columnDefs=columns,
        getRowId="params.data.run_id",
        defaultColDef={
            "resizable": True,
            "sortable": True,
            "suppressHeaderMenuButton": True,
            "sortingOrder": ["desc", "asc"],
            "comparator": {"function": "runsAsTheyCome"},
        },
        dashGridOptions=grid_options("No run matches. Clear a filter to see more.") | _SELECTION,
        eventListeners={
            "sortChanged": ["runsSortChanged(params)"],
            "cellKeyDown": ["runsKeyDown(params)"],
            "bodyScroll": ["runsScrolled(params)"],
            "firstDataRendered": ["runsInView(params)"],
            "selectionChanged": ["runsSelectionChanged(params)"],
            "rowDataUpdated": ["runsRowsChanged(params)"],
        },
        className="ts-runs-grid",
        style={"height": "100%"},
    )


def runs_records(runs: Iterable[Mapping[str, Any]], added: Iterable[Annotation]) -> list[dict[str, Any]]:
    """Return what the grid needs of runs: their records (frame `run`, headline, errors and warnings), what was added.

    A number that is missing has no text: the grid shows a dash.
    """
    records = [_record(run) | _marks(annotation) for run, annotation in zip(runs, added, strict=True)]
    shorts = short_names([str(record["name"]) for record in records], _LONGEST_NAME)
    return [record | {"short_name": short} for record, short in zip(records, shorts, strict=True)]


def _record(run: Mapping[str, Any]) -> dict[str, Any]:
    counts = {key: int(run[key] or 0) for key in ("errors", "warnings")}
    numbers = {name: number for name in _FORMATS if (number := run.get(name)) is not None and math.isfinite(number)}
    created_at, date = str(run["created_at"]), run_date(run)
    return {
        "run_id": run["run_id"],
        **{name: tame(run.get(name) or "") for name in _TEXTS},
        **{name: run.get(name) for name in "MKN"},
        **numbers,
        **{f"{name}_text": _FORMATS[name](number) for name, number in numbers.items()},
        **{f"{name}_exact": _exact(numbers[name], unit) for name, unit in _ROUNDED.items() if name in numbers},
        **counts,
        "health": health(**counts),
        "created_at": _minute(created_at),
        "date": _minute(date),
        "date_told": _date_told(date, created_at),
    }


def _marks(added: Annotation) -> dict[str, Any]:
    """Return tags, and what is marked beside the name: a pin, and the first line of the notes."""
    lines = (line.strip(" #>*-") for line in added.notes.splitlines())
    first = shorten(next(filter(None, lines), ""), _LONGEST_LINE)
    return {"tags": tame(" ".join(added.tags or ())), "pinned": added.pinned, "note": first}


def run_date(run: Mapping[str, Any]) -> str:
    """Return when a run was captured, ISO 8601 text; when it was ingested where that is not known."""
    return str(run.get("taken_at") or run["created_at"])


def column_defs(
    sort: str, valued: Collection[str] | None, chosen: Sequence[str] = (), *, against: bool = False
) -> list[dict[str, Any]]:
    """Return the columns of the grid; those not chosen are hidden, and the one that sorts never is.

    Where none is chosen these are shown: those with a value in a listed run (`valued`; None: no run is listed), the
    ones that people need most first, as many as fit. `sort` is a column, with `-` for falling; `against` tells
    whether there is a baseline.
    """
    columns = [column for column in _COLUMNS if against or column["field"] != AGAINST]
    shown = {"name", *(chosen or _default_columns(columns, valued)), sort.removeprefix("-")}
    return [column | {"hide": column["field"] not in shown} | _sorting(column["field"], sort) for column in columns]


def visible_columns(definitions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns beside the name that column definitions show."""
    return [column["field"] for column in definitions if not column["hide"] and column["field"] in COLUMN_NAMES]


def choosable_columns(definitions: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the columns that can be chosen of column definitions, as options of their boxes."""
    there = {column["field"] for column in definitions}
    return [{"label": title, "value": name} for name, title in COLUMN_NAMES.items() if name in there]


def _default_columns(columns: Sequence[Mapping[str, Any]], valued: Collection[str] | None) -> list[str]:
    by_name = {column["field"]: column for column in columns}
    shown, room = [], _ROOM_PX
    for name in _BY_WEIGHT:
        if name in by_name and _has_values(name, valued) and _width(by_name[name]) <= room:
            room -= _width(by_name[name])
            shown.append(name)
    return shown


def _width(column: Mapping[str, Any]) -> int:
    return int(column.get("width") or column["minWidth"])


def _has_values(name: str, valued: Collection[str] | None) -> bool:
    if name in _ALWAYS or valued is None:
        return name != "created_at"
    return name in valued


def health(errors: int, warnings: int) -> str:
    """Return what was found in a run as a symbol and words."""
    counts = {"errors": errors, "warnings": warnings}
    for key, symbol, word in _HEALTH:
        if counts[key]:
            return f"{symbol} {counts[key]} {word}{'s' if counts[key] > 1 else ''}"
    return "✓ sound"


def _minute(date: str) -> str:
    return (date or DASH).replace("T", " ")[:16]


def _date_told(date: str, created_at: str) -> str:
    """Say which date of a run is shown."""
    ingested = f"ingested {_minute(created_at)} UTC"
    return ingested if date == created_at else f"captured {_minute(date)}, {ingested}"


def _exact(value: float, unit: str) -> str:
    return f"{integer(value)}{THIN}{unit}"


def _sorting(field: str, sort: str) -> dict[str, Any]:
    if sort.removeprefix("-") != field:
        return {}
    return {"initialSort": "desc" if sort.startswith("-") else "asc"}


def number_column(field: str, title: str, width: int, tooltip: str, text: str = "") -> dict[str, Any]:
    """Return a right-aligned column of numbers; `text` is the field that holds what is shown."""
    shown = text or field
    return {
        "field": field,
        "headerName": title,
        "headerTooltip": tooltip,
        "width": width,
        "type": "rightAligned",
        "cellClass": "ts-number ag-right-aligned-cell",
        "valueFormatter": {"function": f"params.data.{shown} == null ? '{DASH}' : params.data.{shown}"},
    }


def _metric(name: str, title: str, width: int) -> dict[str, Any]:
    """Return a column of a metric of the registry, which says what it is."""
    column = number_column(name, title, width, f"{METRICS[name].label}: {METRICS[name].formula}", f"{name}_text")
    return column | ({"tooltipField": f"{name}_exact"} if name in _ROUNDED else {})


def _date(field: str, title: str, tooltip: str) -> dict[str, Any]:
    return {
        "field": field,
        "headerName": title,
        "headerTooltip": tooltip,
        "width": 132,
        "cellClass": "ts-number ts-date",
        "tooltipField": "date_told",
    }


_LONGEST_NAME = 29
"""Characters of a name that fit into its column."""
_OR_DASH = {"function": f"params.value || '{DASH}'"}

_COLUMNS: list[dict[str, Any]] = [
    {
        "field": "name",
        "headerName": "name",
        "pinned": "left",
        "width": 240,
        "cellRenderer": "RunLink",
        "tooltipValueGetter": {"function": "runsNameTold(params)"},
    },
    {"field": "source", "headerName": "source", "width": 86, "tooltipField": "source"},
    {
        "field": "hwid",
        "headerName": "hwid",
        "minWidth": 80,
        "flex": 1,
        "tooltipField": "hwid",
        "valueFormatter": _OR_DASH,
    },
    {
        "field": "tags",
        "headerName": "tags",
        "headerTooltip": "free words, given at ingest or by people",
        "minWidth": 66,
        "flex": 2,
        "tooltipField": "tags",
        "valueFormatter": _OR_DASH,
    },
    number_column("M", "M", 52, "rows of the GEMM's output"),
    number_column("K", "K", 52, "reduction length of the GEMM"),
    number_column("N", "N", 52, "columns of the GEMM's output"),
    number_column("gmacs_mean", "GMAC/s", 76, "mean over the complete perf iterations", "gmacs_mean_text"),
    number_column("gmacs_best", "best", 62, "best complete perf iteration, GMAC/s", "gmacs_best_text"),
    number_column("utilization", "util", 66, "work over what the peak allows in that time", "utilization_text"),
    _metric("peak_memory", "peak mem", 88),
    _metric("capacity_use", "cap", 72) | {"cellClassRules": {"ts-trouble": "params.value > 1"}},
    _metric("failed_blocks", "failed", 68) | {"cellClassRules": {"ts-trouble": "params.value > 0"}},
    _metric("memory_waste", "waste", 84),
    {
        "field": AGAINST,
        "headerName": "against baseline",
        "headerTooltip": "the verdict of the gate against the baseline that was set last of those with the run's key",
        "width": 194,
        "sortable": False,
        "cellClass": "ts-against",
        "cellRenderer": "AgainstLink",
        "tooltipField": "against_told",
        "cellClassRules": {
            f"ts-{look}": f"params.data.against_look === '{look}'" for look in ("good", "trouble", "caution", "muted")
        },
    },
    {
        "field": "health",
        "headerName": "health",
        "headerTooltip": "what the reader and the analysis found wrong",
        "width": 102,
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
    _date("date", "date", "when it was captured; where that is not known, ingested"),
    _date("created_at", "ingested", "when it was ingested, UTC"),
]

COLUMN_NAMES: Mapping[str, str] = MappingProxyType(
    {column["field"]: column["headerName"] for column in _COLUMNS if column["field"] != "name"}
)
"""Columns that can be chosen, in the grid's order, and their headers; the name is always shown."""

_SELECTION: dict[str, Any] = {
    "rowSelection": {"mode": "multiRow", "enableClickSelection": False, "checkboxes": True, "headerCheckbox": True},
    "selectionColumnDef": {"pinned": "left", "width": 36, "resizable": False, "suppressHeaderMenuButton": True},
}


def grid_options(nothing: str) -> dict[str, Any]:
    """Return the options of the page's grids; `nothing` is said where no row is listed."""
    return {
        "theme": {"function": "gridTheme(themeBalham)"},
        "tooltipShowDelay": 400,
        "suppressCellFocus": False,
        "animateRows": False,
        "localeText": {"noRowsToShow": nothing},
    }
