"""Grid of layer groups: outcome, reason, varying settings and result of the search per group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import dash_ag_grid as dag

from analysis.memory.group_table import LayerGroup
from components.columns import GridColumn
from components.grid import marked_options, memory_grid, row_target
from components.memory.group_words import (
    FailureOf,
    differs_words,
    failure_words,
    group_name,
    lab_words,
)
from schema.table_columns import Format

MAX_SENT = 5_000
"""Maximum number of groups in the grid."""
_OUTCOMES = {"failed": "✕ failed", "unfinished": "▲ unfinished"}


def groups_grid(
    grid_id: str, rows: Sequence[dict[str, Any]], shown: int | None, wanted: int | None
) -> dag.AgGrid:
    """Lay out rows of `group_records` as a grid; a row's id is the first attempt of its group.

    `shown` and `wanted` are row ids: the row `shown` is marked and the grid scrolls to the row
    `wanted`. A click, enter or space on a cell sets `cellClicked`. When there are no rows, the grid
    shows a text about that.
    """
    return memory_grid(
        grid_id,
        group_columns(rows),
        len(rows),
        grid_options(shown),
        rowData=list(rows),
        getRowId="params.data.first.toString()",
        scrollTo=scroll_target((row["first"] for row in rows), wanted),
    )


def grid_options(selected: int | None) -> dict[str, Any]:
    """Build the `dashGridOptions` of the grid that mark the row with id `selected`."""
    return marked_options("There is no layer group.", selected)


def scroll_target(firsts: Iterable[int], selected: int | None) -> dict[str, Any] | None:
    """Build the `scrollTo` that brings the group with the first attempt `selected` into view; None
    if that is None or not among `firsts`.
    """
    is_listed = selected is not None and selected in firsts
    return row_target(selected if is_listed else None)


def group_records(
    groups: Sequence[LayerGroup], failure_of: FailureOf, *, pending: bool
) -> list[dict[str, Any]]:
    """Build the row data of the grid, a dict per group, in the order of `listed_groups`.

    `pending` is as in `group_words.lab_words`.
    """
    return [_record(group, failure_of, pending=pending) for group in listed_groups(groups)]


def listed_groups(groups: Sequence[LayerGroup]) -> list[LayerGroup]:
    """Move groups whose last attempt has failed blocks to the front, and return at most 5,000
    groups (MAX_SENT).

    `groups` must be in the order of their first attempts, which both parts keep.
    """
    # The sort is stable, so each part stays in the order of first attempts.
    return sorted(groups, key=lambda group: not group.last.failed)[:MAX_SENT]


def _record(group: LayerGroup, failure_of: FailureOf, *, pending: bool) -> dict[str, Any]:
    last = group.last
    failure = failure_of(group.last)
    return {
        "first": group.attempts[0].attempt,
        "group": group_name(group),
        "attempts": len(group.attempts),
        "last": last.attempt,
        "outcome": last.outcome,
        "failed": last.failed,
        "reason": failure_words(failure, last),
        "lab": lab_words(failure, pending=pending) if last.failed else "",
        "differs": differs_words(group),
        "peak": last.peak_bytes,
        "share": last.peak_bytes / last.capacity if last.capacity else None,
        "cycles": last.cycles,
    }


def group_columns(rows: Sequence[dict[str, Any]]) -> list[GridColumn]:
    """Select the columns of the grid in order; optional columns that are empty in all rows are left
    out.
    """
    return [
        column
        for column in _COLUMNS
        if column.name not in _OPTIONAL or any(row[column.name] for row in rows)
    ]


_OPTIONAL = ("failed", "reason", "lab", "differs", "cycles")
_FITS, _CANNOT = "params.value.startsWith('fits')", "params.value.startsWith('cannot')"
_COLUMNS = (
    GridColumn(
        "group",
        "group",
        104,
        pinned="left",
        tooltip_field="group",
        is_filtered=True,
        help="layer group; where no file names it, a number per set of tensors",
    ),
    GridColumn("attempts", "attempts", 76, Format.WHOLE, tooltip=""),
    GridColumn("last", "last", 60, Format.WHOLE, tooltip="", help="its last attempt"),
    GridColumn(
        "outcome",
        "outcome",
        92,
        shown=f"({_OUTCOMES})[params.value] || tsText(params.value)",
        help="how the last attempt ended",
        marks={
            "ts-trouble": "params.value == 'failed'",
            "ts-caution": "params.value == 'unfinished'",
        },
    ),
    GridColumn(
        "failed",
        "failed",
        64,
        Format.WHOLE,
        tooltip="",
        help="blocks without a place in the last attempt; blocks that the compiler no longer tried are logged as failed",
        marks={"ts-trouble": "params.value > 0"},
    ),
    GridColumn("reason", "why", 230, grows=2, tooltip_field="reason", is_filtered=True),
    GridColumn(
        "lab",
        "the built-in search",
        236,
        grows=1,
        tooltip_field="lab",
        is_filtered=True,
        help="whether the search fits the blocks of the last attempt into the memory: found, proved to be impossible, "
        "or not found in its time",
        marks={"ts-good": _FITS, "ts-trouble": _CANNOT},
    ),
    GridColumn(
        "differs",
        "settings that differ",
        180,
        grows=2,
        tooltip_field="differs",
        help="settings that are not the same in all attempts of the group, with their values",
    ),
    GridColumn(
        "peak",
        "asked at peak",
        112,
        Format.SIZE,
        bar="params.data.share",
        help="most bytes that a step of the last attempt asks for, failed blocks too",
        marks={"ts-trouble": "params.data.share > 1"},
    ),
    GridColumn(
        "cycles",
        "cycles",
        84,
        Format.WHOLE,
        tooltip="",
        help="of the last attempt: sum over its steps of the longer of transfers and computation; the final have none",
    ),
)
