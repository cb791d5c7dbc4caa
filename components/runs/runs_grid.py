"""The grid of runs, a run per row."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag

from components.columns import NO_TOOLTIP, GridColumn, column_definitions
from components.names import short_names
from components.numbers import DASH, integer, number_text, shorten, tame
from components.rounding import THIN
from schema.run_columns import AGAINST, GEMM_SIZES, LISTED_COLUMNS, TILE_SIZES, Origin, RunColumn
from schema.table_columns import Format
from storage.annotation import Annotation
from storage.listed_run import grid_text

_METRICS = tuple(column for column in LISTED_COLUMNS if column.origin is Origin.HEADLINE)
"""Columns with headline metrics."""
_TEXTS = tuple(c.name for c in LISTED_COLUMNS if c.origin is Origin.RUN and not c.format.is_number)
"""Columns with texts of frame `run`."""
_MAX_NOTE_CHARACTERS = 120
"""Characters of the first line of a run note at most."""
_EXACT_UNITS: Mapping[Format, str] = MappingProxyType({Format.SIZE: "B", Format.DURATION: "ns"})
"""Formats whose texts are rounded -> unit of the exact number in the tooltip."""
_ROOM_PX = 1_155
"""Total width of the columns that are shown by default: the grid next to the facets on a screen of
1440 pixels.
"""
_HEALTH = (("errors", "✕", "error"), ("warnings", "▲", "finding"))
"""Count, symbol and word of findings, worst first."""


def runs_grid(
    grid_id: str, records: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, Any]]
) -> dag.AgGrid:
    """Build the grid of the first runs from `records` of `runs_records` and `columns` of
    `column_defs`.

    The server sorts the rows. Functions in the assets handle changes: `runsSortChanged` a new
    order, `runsScrolled` the end of the rows, `runsSelectionChanged` the selected runs. When there
    are no runs, the grid states that no run matches.
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
            # The server sorts; the browser must keep the order of the rows.
            "comparator": {"function": "runsAsTheyCome"},
        },
        dashGridOptions=grid_options("No run matches. Clear a filter to see more.") | _SELECTION,
        eventListeners={
            "sortChanged": ["runsSortChanged(params)"],
            "bodyScroll": ["runsScrolled(params)"],
            "firstDataRendered": ["runsInView(params)"],
            "selectionChanged": ["runsSelectionChanged(params)"],
            "rowDataUpdated": ["runsRowsChanged(params)"],
        },
        className="ts-runs-grid",
        style={"height": "100%"},
    )


def runs_records(
    runs: Iterable[Mapping[str, Any]], added: Iterable[Annotation]
) -> list[dict[str, Any]]:
    """Convert runs to rows of the grid, a dict each in the given order.

    `runs` are records of frame `run` with headline, errors and warnings; `added` has the annotation
    of each. A missing number has no field, for which the grid shows a dash.
    """
    records = [
        _record(run) | _marks(annotation) for run, annotation in zip(runs, added, strict=True)
    ]
    shorts = short_names([str(record["name"]) for record in records], _MAX_NAME_CHARACTERS)
    return [record | {"short_name": short} for record, short in zip(records, shorts, strict=True)]


def _record(run: Mapping[str, Any]) -> dict[str, Any]:
    counts = {key: int(run[key] or 0) for key in ("errors", "warnings")}
    created_at = str(run["created_at"])
    date = run_date(run)
    return {
        "run_id": run["run_id"],
        **{name: tame(run.get(name) or "") for name in _TEXTS},
        **{name: run.get(name) for name in (*GEMM_SIZES, *TILE_SIZES)},
        "grid": grid_text(run),
        "observations": int(run.get("observations") or 1),
        **{
            field: value
            for column in _METRICS
            for field, value in _number_fields(column, run.get(column.name)).items()
        },
        **counts,
        "health": health(**counts),
        "created_at": _minute(created_at),
        "date": _minute(date),
        "date_told": _date_tooltip(date, created_at),
    }


def _number_fields(column: RunColumn, value: float | None) -> dict[str, Any]:
    """Build the fields of a number: the value for sorting, its text, and the exact number if the
    text is rounded.

    Empty if the number is missing or not finite.
    """
    if value is None or not math.isfinite(value):
        return {}
    fields = {
        column.name: value,
        f"{column.name}_text": number_text(value, column.format, column.unit),
    }
    unit = _EXACT_UNITS.get(column.format)
    return fields | ({f"{column.name}_exact": f"{integer(value)}{THIN}{unit}"} if unit else {})


def _marks(added: Annotation) -> dict[str, Any]:
    """Build the fields of an annotation: `tags` as a text, `pinned`, and `note`, the first line of
    the run note with text, cut at 120 characters.
    """
    # Marks of Markdown headings, quotes and lists are not part of the text.
    lines = (line.strip(" #>*-") for line in added.notes.splitlines())
    first = shorten(next(filter(None, lines), ""), _MAX_NOTE_CHARACTERS)
    return {"tags": tame(" ".join(added.tags or ())), "pinned": added.pinned, "note": first}


def run_date(run: Mapping[str, Any]) -> str:
    """Return the date of a run's capture as ISO 8601 text, or of its ingest if the capture's is
    unknown.
    """
    return str(run.get("taken_at") or run["created_at"])


def column_defs(
    sort: str, valued: Collection[str] | None, chosen: Sequence[str] = (), *, against: bool = False
) -> list[dict[str, Any]]:
    """Build the column definitions of the grid, in the order of the list of columns.

    Columns that are not `chosen` are hidden, except the name and the sorted column. When no column
    is chosen, the grid shows columns with a value in a listed run, the most important first, as
    many as fit. `valued` has these columns, None if no run is listed. `sort` is a column name,
    prefixed by `-` for falling order. Column `against` exists only if there is a baseline.
    """
    columns = [column for column in LISTED_COLUMNS if against or column.name != AGAINST]
    shown = {"name", *(chosen or _default_columns(columns, valued)), sort.removeprefix("-")}
    return [
        definition | {"hide": column.name not in shown} | _sorting(column.name, sort)
        for column, definition in zip(
            columns, column_definitions(map(_grid_column, columns)), strict=True
        )
    ]


def visible_columns(definitions: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the field names of the visible columns of column definitions, in order and without the
    name.
    """
    return [
        column["field"]
        for column in definitions
        if not column["hide"] and column["field"] in COLUMN_NAMES
    ]


def choosable_columns(definitions: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """List the columns that the user can choose, as options (label, value) of their check boxes."""
    fields = {column["field"] for column in definitions}
    return [
        {"label": title, "value": name} for name, title in COLUMN_NAMES.items() if name in fields
    ]


def _default_columns(columns: Iterable[RunColumn], valued: Collection[str] | None) -> list[str]:
    """Select the names of the columns that are shown by default: those with values, by rank, as
    many as fit into 1,155 px (_ROOM_PX).
    """
    with_values = sorted(
        (c for c in columns if _has_values(c, valued)), key=lambda column: column.rank
    )
    shown = []
    room = _ROOM_PX
    # Columns of one rank belong together, so that either all or none of them are shown.
    for _, ranked in groupby(with_values, key=lambda column: column.rank):
        together = [*ranked]
        width = sum(column.width for column in together)
        # When columns do not fit, narrower columns of a later rank still can.
        if width <= room:
            room -= width
            shown += [column.name for column in together]
    return shown


def _has_values(column: RunColumn, valued: Collection[str] | None) -> bool:
    if column.bit is None or valued is None:
        return column.name != "created_at"
    return column.name in valued


def health(errors: int, warnings: int) -> str:
    """Format the number of errors, else of warnings, of a run with a symbol: `✕ 2 errors`, `▲ 1
    finding`.

    When there are neither errors nor warnings, it is `✓ sound`.
    """
    counts = {"errors": errors, "warnings": warnings}
    for key, symbol, word in _HEALTH:
        if counts[key]:
            return f"{symbol} {counts[key]} {word}{'s' if counts[key] > 1 else ''}"
    return "✓ sound"


def _minute(date: str) -> str:
    return (date or DASH).replace("T", " ")[:16]


def _date_tooltip(date: str, created_at: str) -> str:
    """Return the tooltip of a run's date: when it was captured, if that differs from `created_at`,
    and when it was ingested.
    """
    ingested = f"ingested {_minute(created_at)} UTC"
    return ingested if date == created_at else f"captured {_minute(date)}, {ingested}"


def _sorting(field: str, sort: str) -> dict[str, Any]:
    if sort.removeprefix("-") != field:
        return {}
    return {"initialSort": "desc" if sort.startswith("-") else "asc"}


def _grid_column(column: RunColumn) -> GridColumn:
    """Build the grid's column for a column of the list, from its format and its entry in
    _COLUMN_PROPERTIES.
    """
    look: dict[str, Any] = {"grows": column.grows, "tooltip": NO_TOOLTIP} | _look(column)
    return GridColumn.of(column, **look | _COLUMN_PROPERTIES.get(column.name, {}))


def _look(column: RunColumn) -> dict[str, Any]:
    if column.origin is Origin.HEADLINE:
        rounded = {"tooltip_field": f"{column.name}_exact"} if column.format in _EXACT_UNITS else {}
        return {"text_field": f"{column.name}_text"} | rounded
    if column.format is Format.DATE:
        return {"tooltip_field": "date_told", "more": {"cellClass": "ts-number ts-date"}}
    if column.format.is_number:
        return {"text_field": column.name}
    return {"shown": f"params.value || '{DASH}'", "tooltip_field": column.name}


_MAX_NAME_CHARACTERS = 29
"""Characters of a name that fit into its column."""
_NO_SCRIPT = {"shown": "", "tooltip_field": ""}
"""Properties of a column without the default text and tooltip."""
_COLUMN_PROPERTIES: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "name": {**_NO_SCRIPT, "pinned": "left", "more": {"cellRenderer": "RunLink"}},
        "source": {"shown": ""},
        "capacity_use": {"marks": {"ts-trouble": "params.value > 1"}},
        "failed_blocks": {"marks": {"ts-trouble": "params.value > 0"}},
        AGAINST: {
            "shown": "",
            "tooltip_field": "against_told",
            "marks": {
                f"ts-{look}": f"params.data.against_look === '{look}'"
                for look in ("good", "trouble", "caution", "muted")
            },
            "more": {"cellClass": "ts-against", "cellRenderer": "AgainstLink"},
        },
        "health": {
            **_NO_SCRIPT,
            "marks": {
                "ts-trouble": "params.data.errors > 0",
                "ts-caution": "params.data.errors == 0 && params.data.warnings > 0",
                "ts-good": "params.data.errors == 0 && params.data.warnings == 0",
            },
        },
        "file": {
            "tooltip_field": "",
            "tooltip": "params.data.file + ' · run ' + params.data.run_id",
        },
    }
)
"""Column -> properties that do not follow from its format."""

COLUMN_NAMES: Mapping[str, str] = MappingProxyType(
    {column.name: column.label for column in LISTED_COLUMNS if column.name != "name"}
)
"""Columns that can be chosen, in the grid's order -> heading; the name is always shown."""

_SELECTION: dict[str, Any] = {
    "rowSelection": {
        "mode": "multiRow",
        "enableClickSelection": False,
        "checkboxes": True,
        "headerCheckbox": True,
    },
    "selectionColumnDef": {
        "pinned": "left",
        "width": 36,
        "resizable": False,
        "suppressHeaderMenuButton": True,
    },
}


def grid_options(nothing: str) -> dict[str, Any]:
    """Build the options of the page's grids; `nothing` is the text if the grid has no rows."""
    return {
        "theme": {"function": "gridTheme(themeBalham)"},
        "tooltipShowDelay": 400,
        "suppressCellFocus": False,
        "animateRows": False,
        "localeText": {"noRowsToShow": nothing},
    }
