"""Grid of the placements that strategies found for a problem.

The file's own placement is the first row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from zlib import crc32

import dash_ag_grid as dag

from analysis.allocators.listed import strategy_label
from components.columns import GridColumn
from components.grid import memory_grid, options, row_condition
from schema.table_columns import Format

GRID = "lab-answers-grid"
OWN = "the file's own"
_MAX_ROWS_SHOWN = 10
"""Rows that are visible without scrolling: the file's own placement and one per strategy."""
STORED_ROW = 0
"""Row number of the file's own placement, which is the first row."""


def results_grid(rows: Sequence[dict[str, Any]], shown: int | None) -> dag.AgGrid:
    """Build the grid from rows with the fields of COLUMNS, in the given order.

    The row with the number `shown` (see `row_number`) is marked. When there are no rows, the grid
    shows a text about that.
    """
    return memory_grid(
        GRID,
        _columns(rows),
        len(rows),
        mark_options(shown),
        most=_MAX_ROWS_SHOWN,
        rowData=[{**row, "row": str(row_number(row))} for row in rows],
        getRowId="params.data.row",
    )


def mark_options(shown: int | None) -> dict[str, Any]:
    """Build the `dashGridOptions` that mark the row with the number `shown`, no row if it is None."""
    rules = {"ts-row-shown": row_condition(shown), "ts-row-too-high": "params.data.fits === false"}
    return options("No strategy.") | {"rowClassRules": rules}


def row_number(row: Mapping[str, Any]) -> int:
    """Compute the number of a row from its strategy, seed and budget; 0 (STORED_ROW) for the file's
    own placement.

    It stays the same when other rows are added, since a click may refer to an older table.
    """
    settings = (row["strategy"], row.get("seed"), row.get("budget"))
    # Not `hash`, which differs between processes; only the file's own row has no budget.
    return STORED_ROW if "budget" not in row else 1 + crc32(repr(settings).encode())


def stored_row(extent: int | None, bound: int | None, *, failed: int) -> dict[str, Any]:
    """Build the row of the file's own placement, a dict with strategy, label, extent, gap and
    verdict.

    `failed` is the number of blocks without a place. `extent` is None without a placement, `bound`
    None if it is unknown; both are bytes. The gap is extent / bound - 1, None if either is missing.
    """
    gap = None if extent is None or not bound else extent / bound - 1
    word = f"{failed} failed" if failed else "as stored"
    if extent is None:
        word = "no placement"
    return {"strategy": OWN, "label": OWN, "extent": extent, "gap": gap, "verdict": word}


def unsolved_row(strategy: str, seed: int, effort: int) -> dict[str, Any]:
    """Build the row of a strategy that has not been run yet, a dict with strategy, label, verdict,
    seed and budget (`effort`, in placements).
    """
    label = strategy_label(strategy)
    return {
        "strategy": strategy,
        "label": label,
        "verdict": "not run yet",
        "seed": seed,
        "budget": effort,
    }


_number = partial(GridColumn, format=Format.WHOLE)
COLUMNS = (
    GridColumn("label", "strategy", 148, pinned="left", tooltip_field="label"),
    GridColumn("extent", "extent", 96, Format.SIZE),
    GridColumn("gap", "gap", 78, Format.SHARE, help="extent / bound - 1"),
    GridColumn("verdict", "proved?", 112, grows=1, tooltip_field="verdict"),
    _number("conflicts", "conflicts", width=78, help="bank conflicts"),
    GridColumn("seconds", "seconds", 80, Format.SIGNIFICANT),
    _number("effort", "placements", width=100),
    _number("budget", "budget", width=98),
    _number("seed", "seed", width=60),
)
_SETTING_COLUMNS = ("budget", "seed")
"""Columns that are hidden unless their values differ."""


def _columns(rows: Sequence[dict[str, Any]]) -> list[GridColumn]:
    idle = {
        name for name in _SETTING_COLUMNS if len({row[name] for row in rows if name in row}) < 2
    }
    idle |= set() if knows_conflicts(rows) else {"conflicts"}
    return [replace(column, is_hidden=column.name in idle) for column in COLUMNS]


def knows_conflicts(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether any of the rows has a number of bank conflicts, also 0."""
    return any(row.get("conflicts") is not None for row in rows)
