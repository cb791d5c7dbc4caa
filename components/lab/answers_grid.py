"""What every strategy made of a problem, as a grid: the file's own placement first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag

from components.memory.grid import CHOSEN_BY_KEY, memory_grid, number_column, options, size_column

GRID = "lab-answers-grid"
_MOST_SHOWN = 10
"""Rows that are seen at once: the file's own and one of each strategy."""
STORED_ROW = 0
"""Row of the file's own placement."""


def answers_grid(rows: Sequence[dict[str, Any]], shown: int | None) -> dag.AgGrid:
    """Lay out rows with the fields of the columns; row `shown` is marked."""
    return memory_grid(
        GRID,
        _columns(rows),
        len(rows),
        marked(shown),
        most=_MOST_SHOWN,
        rowData=[{**row, "row": str(rank)} for rank, row in enumerate(rows)],
        getRowId="params.data.row",
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
    )


def marked(shown: int | None) -> dict[str, Any]:
    """Return the `dashGridOptions` that mark a row."""
    mark = f"params.node.id == '{'' if shown is None else shown}'"
    return options("No strategy.") | {"rowClassRules": {"ts-row-shown": mark}}


def stored_row(extent: int | None, bound: int | None, *, failed: int) -> dict[str, Any]:
    """Return the row of the file's own placement."""
    gap = None if extent is None or not bound else extent / bound - 1
    word = "no placement" if extent is None else "as stored" if not failed else f"{failed} failed"
    return {"strategy": "the file's own", "extent": extent, "gap": gap, "verdict": word}


def unasked_row(strategy: str, seed: int, effort: int) -> dict[str, Any]:
    """Return the row of a strategy that was not asked yet."""
    return {"strategy": strategy, "verdict": "not asked yet", "seed": seed, "budget": effort}


def _number(field: str, title: str, width: int, shown: str = "tsInteger(params.value)") -> dict[str, Any]:
    return number_column(title, width, shown, "tsInteger(params.value)") | {"field": field}


_COLUMNS: tuple[dict[str, Any], ...] = (
    {"field": "strategy", "headerName": "strategy", "width": 122, "pinned": "left"},
    size_column("extent", 96) | {"field": "extent"},
    _number("gap", "gap", 78, "tsPercent(params.value)")
    | {"headerTooltip": "extent / bound - 1", "tooltipValueGetter": {"function": "tsPercent(params.value)"}},
    {"field": "verdict", "headerName": "proved?", "flex": 1, "minWidth": 112, "tooltipField": "verdict"},
    _number("conflicts", "conflicts", 78) | {"headerTooltip": "bank conflicts"},
    _number("seconds", "seconds", 80, "tsSignificant(params.value)")
    | {"tooltipValueGetter": {"function": "tsSignificant(params.value)"}},
    _number("effort", "placements", 100),
    _number("budget", "budget", 98),
    _number("seed", "seed", 60),
)
_OF_QUESTION = ("budget", "seed")
"""Columns that are of use only where they differ."""


def _columns(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    idle = {name for name in _OF_QUESTION if len({row[name] for row in rows if name in row}) < 2}
    idle |= set() if knows_conflicts(rows) else {"conflicts"}
    return [column | ({"hide": True} if column["field"] in idle else {}) for column in _COLUMNS]


def knows_conflicts(rows: Sequence[dict[str, Any]]) -> bool:
    """Return whether bank conflicts are known of any row."""
    return any(row.get("conflicts") is not None for row in rows)
