"""Grid of the blocks that changed between two memory maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag
import pandas as pd

from analysis.comparison.block_pairs import WORDS
from components.columns import GridColumn
from components.grid import marked_options, memory_grid
from components.names import short_names
from components.numbers import count_text, integer
from components.tables import records
from schema.table_columns import Format

MAX_SENT = 5_000
"""Maximum number of blocks in the grid; the export has all of them."""
_MAX_NAME_LENGTH = 200
"""Characters of a shortened block name in the grid."""
GRID = "compare-blocks-grid"
"""Component id of the grid."""


def blocks_grid(changed: pd.DataFrame, chosen: int | None) -> dag.AgGrid:
    """Lay out the first 5,000 rows (MAX_SENT) of `changed_blocks` as a grid; the row with id
    `chosen` is marked.

    A row's id is its position from 0. A click, enter or space on a cell sets `cellClicked`. When
    there are no rows, the grid states that no block changed.
    """
    listed = changed.head(MAX_SENT)
    return memory_grid(
        GRID,
        _COLUMNS,
        len(listed),
        grid_options(chosen),
        rowData=block_records(listed),
        getRowId="params.data.row",
    )


def grid_options(chosen: int | None) -> dict[str, Any]:
    """Build the `dashGridOptions` of the grid that mark the row with id `chosen`."""
    return marked_options("No block changed.", chosen)


def blocks_line(changed: pd.DataFrame) -> str:
    """Write how many blocks changed, by kind of change, and how many changed in several ways."""
    flags = changed[[*WORDS]].to_numpy(bool)
    counts = dict(zip(WORDS, flags.sum(axis=0).tolist(), strict=True))
    words = [f"{integer(count)} {word}" for word, count in counts.items() if count]
    if not words:
        return "No block changed."
    several = int((flags.sum(axis=1) > 1).sum())
    more = f"; {integer(several)} in several ways" if several else ""
    return f"{count_text(len(changed), 'block')} changed: {', '.join(words)}{more}."


def block_records(changed: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert rows of `changed_blocks` to row data for the grid: a dict per row, with the fields of
    the grid's columns, `name` and the position `row`.
    """
    # A removed block only has its name of the base.
    own = changed["name_new"].fillna(changed["name_base"]).astype("str")
    renamed = changed["renamed"].to_numpy(bool)
    names = [
        f"{base} → {new}" if was else name
        for name, base, new, was in zip(
            own, changed["name_base"], changed["name_new"], renamed, strict=True
        )
    ]
    flags = changed[[*WORDS]].to_numpy(bool)
    change_texts = [
        ", ".join(word for word, flag in zip(WORDS, row, strict=True) if flag) for row in flags
    ]
    spans = {
        f"steps_{side}": _steps(changed[f"start_{side}"], changed[f"end_{side}"])
        for side in ("base", "new")
    }
    columns = (
        "attempt",
        *(f"{name}_{side}" for name in ("size", "address") for side in ("base", "new")),
    )
    shown = changed[[*columns]].assign(
        name=names, short=short_names(names, _MAX_NAME_LENGTH), change=change_texts, **spans
    )
    shown["grown"] = (changed["size_new"].fillna(0) - changed["size_base"].fillna(0)).astype(
        "int64"
    )
    return records(shown.reset_index(drop=True))


def _steps(starts: pd.Series[Any], ends: pd.Series[Any]) -> Sequence[str]:
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return ["" if pd.isna(begin) else f"{begin} – {end}" for begin, end in spans]


_COLUMNS = (
    GridColumn("short", "block", 260, pinned="left", tooltip_field="name", is_filtered=True),
    GridColumn("change", "change", 150, grows=1, is_filtered=True),
    GridColumn("attempt", "attempt, level", 110, is_filtered=True),
    GridColumn(
        "grown",
        "new − base",
        96,
        Format.SIZE,
        shown="tsSigned(params.value, tsBytes(params.value))",
    ),
    GridColumn("size_base", "size base", 82, Format.SIZE),
    GridColumn("size_new", "size new", 82, Format.SIZE),
    GridColumn("address_base", "address base", 112, Format.ADDRESS),
    GridColumn("address_new", "address new", 112, Format.ADDRESS),
    GridColumn("steps_base", "steps base", 140),
    GridColumn("steps_new", "steps new", 140),
)
