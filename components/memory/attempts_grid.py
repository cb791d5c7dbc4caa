"""Grid of the allocation attempts of a run, or of the memory levels of a plan.

A click on a row shows that attempt; a click in column VERSUS picks the attempt to compare it with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.columns import GridColumn
from components.grid import memory_grid, options, row_condition, row_target
from components.tables import frame_columns, records
from schema.attempt_metrics import ATTEMPT_METRICS
from schema.memory import SAVED_RANK_BASE

MAX_SENT = 5_000
"""Maximum number of attempts sent at once; longer lists are fetched in blocks of _BLOCK rows."""
VERSUS = "against"
"""Name of the column whose cells pick the attempt to compare with."""

_BLOCK = 200
"""Rows per request if the grid fetches its rows while it is scrolled."""
_COLUMNS: dict[str, tuple[str, int]] = {
    "attempt": ("no.", 60),
    "level": ("level", 70),
    "group": ("group", 110),
    "outcome": ("outcome", 116),
    "failed": ("failed", 64),
    "utilization": ("used", 66),
    "waste": ("waste", 78),
    "blocks": ("blocks", 62),
    "final": ("final", 60),
    "shape_secs": ("shape secs", 96),
    "allow_bank_conflict": ("bank conflicts", 116),
    "extent": ("extent", 82),
    "bound": ("bound", 82),
    "static_bytes": ("constants", 84),
    "capacity": ("capacity", 82),
    "steps": ("steps", 60),
    "fragmentation": ("fragm.", 78),
    "strategy": ("strategy", 110),
}
"""Column of frame `attempts` -> its heading and its width in pixels."""
_BYTES = ("waste", "extent", "bound", "static_bytes", "capacity")
_IS_OVER = "params.value == 'success' && params.data && params.data.utilization > 1"
"""Whether the log reports success although the blocks reach above the capacity."""
_OUTCOMES = {"failed": "✕ failed", "unfinished": "▲ unfinished", "unsolved": "✕ unsolved"}


def attempts_grid(
    grid_id: str, attempts: pd.DataFrame, selected: int | None = None, against: int | None = None
) -> dag.AgGrid:
    """Lay out rows of frame `attempts` as a grid that marks the attempts `selected` and `against`.

    A row's id is its attempt number. A click, enter or space sets `cellClicked`: in column VERSUS
    it requests a comparison, in any other column it requests that the attempt is shown. With more
    than 5,000 rows (MAX_SENT) the grid has no rows itself but sends `getRowsRequest`; a callback
    must reply to it with `tables.rows_response`.
    """
    whole = len(attempts) <= MAX_SENT
    rows: dict[str, Any] = {}
    if whole:
        rows = {"rowData": attempt_records(attempts), "scrollTo": scroll_target(attempts, selected)}
    return memory_grid(
        grid_id,
        attempt_columns(attempts),
        len(attempts),
        grid_options(len(attempts), selected, against),
        rowModelType="clientSide" if whole else "infinite",
        getRowId="params.data.attempt.toString()",
        **rows,
    )


def grid_options(count: int, selected: int | None, against: int | None) -> dict[str, Any]:
    """Build the `dashGridOptions` of a grid of `count` attempts that mark A and B, the attempts
    `selected` and `against`.

    A callback that sets only this property moves the marks of a grid on the page. A is always the
    older of the two attempts, even when the newer attempt is shown.
    """
    shown = row_condition(selected)
    other = row_condition(against)
    later = selected is not None and against is not None and against < selected
    turned = {"ts-row-newer": shown, "ts-row-older": other}
    return options("No attempt matches.") | {
        "rowClassRules": {
            "ts-row-shown": shown,
            "ts-row-against": other,
            **(turned if later else {}),
        },
        **({} if count <= MAX_SENT else {"cacheBlockSize": _BLOCK}),
    }


def scroll_target(attempts: pd.DataFrame, selected: int | None) -> dict[str, Any] | None:
    """Build the `scrollTo` that brings the row of an attempt into view; None if no attempt is
    selected or it is not listed.
    """
    is_listed = selected is not None and bool((attempts["attempt"] == selected).any())
    return row_target(selected if is_listed else None)


def attempt_records(attempts: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert rows of frame `attempts` to row data for the grid: a dict per row with the columns of
    _COLUMNS.
    """
    return records(attempts[list(_COLUMNS)])


def attempt_columns(attempts: pd.DataFrame) -> list[GridColumn]:
    """Build the grid columns for these attempts, VERSUS last; columns that carry no information are
    hidden.
    """
    by_name = {column.name: column for column in frame_columns("attempts", attempts)}
    columns = [_column(by_name[name]) for name in _COLUMNS]
    columns = [
        replace(column, is_hidden=column.is_hidden or _idle(attempts, column.name))
        for column in columns
    ]
    shown = [_show_saved(attempts, _fit_level(attempts, column)) for column in columns]
    return [*shown, _VERSUS]


def _fit_level(attempts: pd.DataFrame, column: GridColumn) -> GridColumn:
    """Return a copy of the level column as wide as the longest name of a level, up to
    _MAX_LEVEL_PX (130); any other column is returned unchanged.
    """
    names = attempts["level"].dropna().astype("str")
    if column.name != "level" or not len(names):
        return column
    wide = round(_CHARACTER_PX * names.str.len().max()) + _PADDING_PX
    return replace(column, width=min(max(column.width, wide), _MAX_LEVEL_PX))


_MAX_LEVEL_PX = 130
_CHARACTER_PX, _PADDING_PX = 7.2, 16


def _show_saved(attempts: pd.DataFrame, column: GridColumn) -> GridColumn:
    """Return a copy of the number column with more width and another text if saved placements of
    the lab are listed.

    Any other column, and the number column without saved placements, is returned unchanged.
    """
    has_saved = column.name == "attempt" and (attempts["attempt"] >= SAVED_RANK_BASE).any()
    return replace(column, **_SAVED_COLUMN) if has_saved else column


def _idle(attempts: pd.DataFrame, name: str) -> bool:
    """Whether a column carries no information for these attempts, so that it can be hidden.

    Examples are a strategy that all attempts share, or attempt numbers of a plan whose levels have
    names.
    """
    if name == "attempt":
        return bool(len(attempts)) and bool(attempts["level"].notna().all())
    if name == "static_bytes":
        return not attempts[name].any()
    if name == "failed":
        return not (attempts[name] > 0).any()
    if name == "steps":
        # All levels of a plan have the steps of its map, and names of levels need the width.
        return bool(attempts["level"].notna().all()) and attempts[name].nunique(dropna=False) < 2
    if name in ("allow_bank_conflict", "final"):
        return bool(attempts[name].isna().all())
    return name in ("capacity", "strategy", "group") and attempts[name].nunique(dropna=False) < 2


def _column(column: GridColumn) -> GridColumn:
    name = column.name
    label, width = _COLUMNS[name]
    look = {
        "help": _metric_help(name) or column.help,
        "tooltip": None if name in _BYTES else column.tooltip,
    }
    return replace(column.without_filter(), label=label, width=width, **look | _OWN.get(name, {}))


def _metric_help(name: str) -> str:
    return (
        f"{ATTEMPT_METRICS[name].label}: {ATTEMPT_METRICS[name].formula}"
        if name in ATTEMPT_METRICS
        else ""
    )


# The letters A and B come from the CSS of the row's class: AG Grid applies a new class immediately,
# but shows a new cell value only after a redraw.
_VERSUS = GridColumn(
    VERSUS,
    "vs",
    help="compares an attempt with the one before it in its layer group; the first of a group, or a memory level, with "
    "what is shown. A is the older of both",
    width=40,
    pinned="right",
    sort=False,
    value="'vs'",
    more={"resizable": False, "cellClass": "ts-versus"},
)
# Saved placements of the lab have ranks above SAVED_RANK_BASE, counted from 1.
_IS_SAVED = f"params.value >= {SAVED_RANK_BASE}"
_SAVED_COLUMN: dict[str, Any] = {
    "is_hidden": False,
    "width": 66,
    "shown": f"{_IS_SAVED} ? 'kept ' + (params.value - {SAVED_RANK_BASE}) : tsInteger(params.value)",
    "tooltip": f"{_IS_SAVED} ? 'an answer of the lab, kept with the run' : ''",
    "marks": {"ts-caution": _IS_SAVED},
}
_FIRST = {"pinned": "left"}
_OWN: dict[str, dict[str, Any]] = {
    "attempt": _FIRST,
    "level": _FIRST,
    "group": {"help": "layer group; where no file names it, a number per set of tensors"},
    "final": {
        "shown": "params.value ? 'final' : ''",
        "more": {"cellClass": "ts-final", "cellDataType": False},
        "help": "the attempt that the compiler kept for its layer group",
    },
    "outcome": {
        "shown": f"{_IS_OVER} ? '✕ over capacity' : ({_OUTCOMES})[params.value] || tsText(params.value)",
        "tooltip": f"{_IS_OVER} ? 'the log reports success, but blocks reach above the capacity' : ''",
        "marks": {
            "ts-trouble": f"params.value == 'failed' || params.value == 'unsolved' || ({_IS_OVER})",
            "ts-caution": "params.value == 'unfinished'",
        },
    },
    "allow_bank_conflict": {
        "shown": "params.value == null ? '' : params.value ? 'allowed' : 'not allowed'",
        "tooltip": "",
        "help": "whether the compiler let transfers and computation of a step use one bank",
    },
    "failed": {"marks": {"ts-trouble": "params.value > 0"}},
    "utilization": {"bar": "params.value", "marks": {"ts-trouble": "params.value > 1"}},
}
"""Column -> fields of its grid column that replace the fields derived from the frame."""
