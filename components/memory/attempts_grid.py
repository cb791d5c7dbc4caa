"""The grid of allocation attempts, or of the memory levels of a plan: one to show, one to compare with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.columns import GridColumn
from components.grid import CHOSEN_BY_KEY, memory_grid, options
from components.tables import frame_columns, records
from schema.memory import KEPT_FROM
from schema.metrics import ATTEMPT_METRICS

MOST_SENT = 5_000
"""Attempts up to which all are sent; more are fetched in blocks as the grid scrolls."""
VERSUS = "against"
"""Column whose cells pick the attempt to compare with."""

_BLOCK = 200
_COLUMNS: dict[str, tuple[str, int]] = {
    "attempt": ("no.", 60),
    "level": ("level", 70),
    "group": ("group", 110),
    "outcome": ("outcome", 92),
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
"""Column of frame `attempts` -> its heading and width in pixels."""
_BYTES = ("waste", "extent", "bound", "static_bytes", "capacity")
_OUTCOMES = {"failed": "✕ failed", "unfinished": "▲ unfinished", "unsolved": "✕ unsolved"}


def attempts_grid(
    grid_id: str, attempts: pd.DataFrame, selected: int | None = None, against: int | None = None
) -> dag.AgGrid:
    """Lay out rows of frame `attempts`; `selected` is shown and `against` compared with it.

    A row's id is its attempt. A click, enter or space sets `cellClicked`: in column VERSUS it asks for a comparison,
    anywhere else to show the attempt. Beyond MOST_SENT rows the grid asks for blocks: answer its `getRowsRequest`
    with `tables.rows_response`.
    """
    whole = len(attempts) <= MOST_SENT
    rows: dict[str, Any] = {}
    if whole:
        rows = {"rowData": attempt_records(attempts), "scrollTo": scroll_to(attempts, selected)}
    return memory_grid(
        grid_id,
        attempt_columns(attempts),
        len(attempts),
        grid_options(len(attempts), selected, against),
        rowModelType="clientSide" if whole else "infinite",
        getRowId="params.data.attempt.toString()",
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
        **rows,
    )


def grid_options(count: int, selected: int | None, against: int | None) -> dict[str, Any]:
    """Return the `dashGridOptions` of a grid of `count` attempts: set alone, they move the marks of A and B.

    A is the older of both, whichever is shown.
    """
    shown, other = ("" if attempt is None else str(attempt) for attempt in (selected, against))
    later = selected is not None and against is not None and against < selected
    turned = {"ts-row-newer": f"params.node.id == '{shown}'", "ts-row-older": f"params.node.id == '{other}'"}
    return options("No attempt matches.") | {
        "rowClassRules": {
            "ts-row-shown": f"params.node.id == '{shown}'",
            "ts-row-against": f"params.node.id == '{other}'",
            **(turned if later else {}),
        },
        **({} if count <= MOST_SENT else {"cacheBlockSize": _BLOCK}),
    }


def scroll_to(attempts: pd.DataFrame, selected: int | None) -> dict[str, Any] | None:
    """Return the `scrollTo` that brings the shown attempt into view, None where it is not among them."""
    there = selected is not None and bool((attempts["attempt"] == selected).any())
    # Not one of AG Grid's places: a row that is in view stays where it is.
    return {"rowId": str(selected), "rowPosition": "auto"} if there else None


def attempt_records(attempts: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as the grid takes them."""
    return records(attempts[list(_COLUMNS)])


def attempt_columns(attempts: pd.DataFrame) -> list[GridColumn]:
    """Return the columns; those that say nothing of these attempts are hidden."""
    known = {column.name: column for column in frame_columns("attempts", attempts)}
    columns = [_column(known[name]) for name in _COLUMNS]
    columns = [replace(column, is_hidden=column.is_hidden or _idle(attempts, column.name)) for column in columns]
    return [*(_with_kept(attempts, column) for column in columns), _VERSUS]


def _with_kept(attempts: pd.DataFrame, column: GridColumn) -> GridColumn:
    """Return a column that has room and words for answers of the lab, where there are any."""
    has_kept = column.name == "attempt" and (attempts["attempt"] >= KEPT_FROM).any()
    return replace(column, **_KEPT) if has_kept else column


def _idle(attempts: pd.DataFrame, name: str) -> bool:
    """Return whether a column that need not vary is the same everywhere, or a plan's levels need no number."""
    if name == "attempt":
        return bool(len(attempts)) and bool(attempts["level"].notna().all())
    if name == "static_bytes":
        return not attempts[name].any()
    if name == "failed":
        return not (attempts[name] > 0).any()
    if name in ("allow_bank_conflict", "final"):
        return bool(attempts[name].isna().all())
    return name in ("capacity", "strategy", "group") and attempts[name].nunique(dropna=False) < 2


def _column(known: GridColumn) -> GridColumn:
    name = known.name
    label, width = _COLUMNS[name]
    look = {"help": _metric_help(name) or known.help, "tooltip": None if name in _BYTES else known.tooltip}
    return replace(known.without_filter(), label=label, width=width, **look | _OWN.get(name, {}))


def _metric_help(name: str) -> str:
    return f"{ATTEMPT_METRICS[name].label}: {ATTEMPT_METRICS[name].formula}" if name in ATTEMPT_METRICS else ""


# The marks A and B are the style of the row's class: AG Grid follows a new class at once, a new value by a redraw.
_VERSUS = GridColumn(
    name=VERSUS,
    label="vs",
    help="compares an attempt with the one before it in its layer group; the first of a group, or a memory level, with "
    "what is shown. A is the older of both",
    width=40,
    pinned="right",
    sort=False,
    value="'vs'",
    more={"resizable": False, "cellClass": "ts-versus"},
)
_IS_KEPT = f"params.value >= {KEPT_FROM}"
_KEPT: dict[str, Any] = {
    "is_hidden": False,
    "width": 66,
    "shown": f"{_IS_KEPT} ? 'kept ' + (params.value - {KEPT_FROM}) : tsInteger(params.value)",
    "tooltip": f"{_IS_KEPT} ? 'an answer of the lab, kept with the run' : ''",
    "marks": {"ts-caution": _IS_KEPT},
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
        "shown": f"({_OUTCOMES})[params.value] || tsText(params.value)",
        "marks": {
            "ts-trouble": "params.value == 'failed' || params.value == 'unsolved'",
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
"""Column -> fields of its record that are not those of the frame's."""
