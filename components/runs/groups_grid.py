"""The grid of groups: runs of one hwid and GEMM size a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import dash_ag_grid as dag

from components.numbers import DASH, Number, counted, gmacs, integer, percent, tame
from components.runs.runs_grid import grid_options, number_column

_FORMATS: Mapping[str, Callable[[Number], str]] = {"best": gmacs, "median": gmacs, "lowest": gmacs, "spread": percent}


def groups_grid(grid_id: str, groups: Iterable[Mapping[str, Any]]) -> dag.AgGrid:
    """Lay out the groups of `groups_records`: hwid and size lead to their runs, the best rate to its run."""
    return dag.AgGrid(
        id=grid_id,
        rowData=groups_records(groups),
        columnDefs=_COLUMNS,
        getRowId="params.data.href",
        defaultColDef={"resizable": True, "sortable": True, "suppressHeaderMenuButton": True},
        dashGridOptions=grid_options("No run here has a GEMM size."),
        className="ts-runs-grid",
        style={"height": "100%"},
    )


def groups_records(groups: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what the grid needs of groups: keys, `runs`, `best`, `median`, `lowest`, `newest`, `best_run`, `href`.

    `href` is the address of the group's runs; the spread is of the rates, as a share of their median.
    """
    spread = [{**group, "spread": _spread(group)} for group in groups]
    return [record | _texts(record) for record in spread]


def groups_line(groups: int, runs: int, sized: int, listed: int) -> str:
    """Say how many groups there are, how many of them are listed, and how many of the runs are in none."""
    first = f", the first {integer(listed)} listed" if listed < groups else ""
    left = runs - sized
    rest = f"; {counted(left, 'run')} without a GEMM size not grouped" if left else ""
    return f"{counted(groups, 'group')} of one hwid and size{first}{rest}"


def _spread(group: Mapping[str, Any]) -> float | None:
    """Return (best - lowest) / median."""
    return (group["best"] - group["lowest"]) / group["median"] if group["median"] else None


def _texts(record: Mapping[str, Any]) -> dict[str, Any]:
    texts: dict[str, Any] = {f"{name}_text": form(record[name]) for name, form in _FORMATS.items()}
    return texts | {
        "hwid": tame(record["hwid"]) or DASH,
        "newest_text": str(record["newest"] or DASH).replace("T", " ")[:16],
    }


_COLUMNS: list[dict[str, Any]] = [
    {"field": "hwid", "headerName": "hwid", "width": 110, "cellRenderer": "GroupLink", "pinned": "left"},
    number_column("M", "M", 56, "rows of the GEMM's output"),
    number_column("K", "K", 56, "reduction length of the GEMM"),
    number_column("N", "N", 56, "columns of the GEMM's output"),
    number_column("runs", "runs", 62, "runs of this hwid and size"),
    number_column("best", "best GMAC/s", 110, "highest mean rate of a run at or below its peak", "best_text")
    | {"cellRenderer": "BestLink"},
    number_column("median", "median", 84, "median of the runs' mean rates", "median_text"),
    number_column("lowest", "lowest", 84, "lowest mean rate of a run", "lowest_text"),
    number_column("spread", "spread", 84, "(best - lowest) / median", "spread_text"),
    {
        "field": "newest",
        "headerName": "newest",
        "headerTooltip": "date of the newest run",
        "width": 138,
        "cellClass": "ts-number ts-date",
        "valueFormatter": {"function": "params.data.newest_text"},
    },
]
