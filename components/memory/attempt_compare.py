"""Comparison of two attempts, memory levels or problems: number deltas and changed blocks."""

from __future__ import annotations

from typing import Any, NamedTuple

import dash_ag_grid as dag
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.compare import compare_blocks, compare_metrics
from components.columns import GridColumn
from components.grid import memory_grid, options
from components.hints import left_out_hint
from components.memory.block_words import Life, exact
from components.names import short_names
from components.numbers import (
    DASH,
    MINUS,
    Number,
    count_text,
    in_unit,
    integer,
    missing,
    percent,
    points_text,
    signed_text,
)
from components.tables import records
from schema.table_columns import Format

MAX_SENT = 5_000
"""Maximum number of blocks in a grid; a line below it counts the blocks that are left out."""
CHANGES = {
    "moved": "moved",
    "resized": "resized",
    "relived": "alive at other steps",
    "removed": "only in A",
    "added": "only in B",
    "same": "the same",
}
"""Change of a block (column `change` of `compare_blocks`) -> words for it on the page."""

_MAX_NAME_LENGTH = 200
"""Characters of a shortened block name in the grid."""


def attempt_compare(a: AttemptMap, b: AttemptMap) -> html.Div:
    """Lay out the numbers of attempts `a` and `b` with the blocks that differ between them.

    Blocks that are equal in both are in a second grid, folded away at first.
    """
    blocks = compare_blocks(a, b)
    same = (blocks["change"] == "same").to_numpy(bool)
    line = html.P(changes_line(blocks), className="ts-answer")
    return html.Div(
        [
            html.Div(_table(compare_metrics(a, b), a.label, b.label)),
            html.Div([line, *_list_blocks(blocks[~same]), *_same(blocks[same])]),
        ],
        className="ts-compare",
    )


def changes_line(blocks: pd.DataFrame) -> str:
    """Count the blocks of `compare_blocks` by kind of change in a sentence: "All N blocks are the
    same." if no block changed, "Neither has a block." without rows.
    """
    counts = blocks["change"].astype("str").value_counts()
    words = [
        f"{integer(counts[name])} {label}"
        for name, label in CHANGES.items()
        if name in counts.index
    ]
    if not words:
        return "Neither has a block."
    if list(counts.index) == ["same"]:
        return f"All {count_text(len(blocks), 'block')} are the same."
    return f"{count_text(len(blocks), 'block')} by name: {', '.join(words)}."


class _Metric(NamedTuple):
    """One row of `compare_metrics`: a number of A and of B, and B minus A.

    `polarity` is above 0 if higher is better, below 0 if lower is better, 0 if neither is.
    """

    label: str
    unit: str
    polarity: int
    a: Number
    b: Number
    delta: Number


def _table(numbers: pd.DataFrame, a: str, b: str) -> html.Table:
    named: tuple[list[Component | str], ...] = (
        ["number"],
        ["A ", html.Bdi(a)],
        ["B ", html.Bdi(b)],
        [f"B {MINUS} A"],
        ["change vs A"],
    )
    heads = [html.Th(words, scope="col") for words in named]
    columns = [numbers[name].tolist() for name in _Metric._fields]
    rows = [_row(_Metric(*values)) for values in zip(*columns, strict=True)]
    return html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)])


def _row(metric: _Metric) -> html.Tr:
    """Build the table row of a number; the colour of the delta shows whether B is better."""
    unit = metric.unit
    delta = metric.delta
    tone, word = _tone(delta, metric.polarity)
    cells = [
        *(
            html.Td(in_unit(value, unit), title=_exact(value, unit))
            for value in (metric.a, metric.b)
        ),
        html.Td(delta_text(delta, unit), className=tone, title=_exact(delta, unit)),
        html.Td(_relative(metric.a, delta, unit), className=tone, title=word),
    ]
    return html.Tr([html.Th(metric.label, scope="row"), *cells])


def _exact(value: Number, unit: str) -> str | None:
    return (
        exact(round(float(value)))
        if unit == "bytes" and value is not None and not missing(value)
        else None
    )


def _tone(delta: Number, polarity: int) -> tuple[str, str]:
    """Return the CSS class and the tooltip of a delta: ts-good and "B is better", or ts-trouble and
    "B is worse".

    ("ts-muted", "") if the delta is 0 or missing, or if its metric has no better direction.
    """
    if delta is None or missing(delta) or not polarity or not delta:
        return "ts-muted", ""
    return ("ts-good", "B is better") if delta * polarity > 0 else ("ts-trouble", "B is worse")


def delta_text(delta: Number, unit: str) -> str:
    """Format a delta with its sign in `unit`; deltas of ratios are in percentage points.

    Returns "=" if the delta is 0, and a dash if it is missing.
    """
    if delta is None or missing(delta):
        return DASH
    if not delta:
        return "="
    shown = points_text(delta) if unit == "ratio" else in_unit(abs(delta), unit)
    return signed_text(shown, delta)


def _relative(a: Number, delta: Number, unit: str) -> str:
    """Format a delta as a signed percentage of A.

    Returns "" for ratios and step numbers, and if a number is missing or 0.
    """
    # The delta of a ratio is in percentage points already, and a step number is not an amount.
    if (
        a is None
        or delta is None
        or missing(a)
        or missing(delta)
        or not a
        or not delta
        or unit in ("ratio", "steps")
    ):
        return ""
    return signed_text(percent(abs(delta) / abs(a)), delta)


def _list_blocks(blocks: pd.DataFrame, grid_id: str = "compare-blocks") -> list[Component]:
    if not len(blocks):
        return []
    return [_grid(grid_id, blocks), *left_out_hint(len(blocks) - MAX_SENT, "block")]


def _same(blocks: pd.DataFrame) -> list[Component]:
    if not len(blocks):
        return []
    sentence = (
        f"{count_text(len(blocks), 'block')} {'is' if len(blocks) == 1 else 'are'} the same in both"
    )
    return [html.Details([html.Summary(sentence), *_list_blocks(blocks, "compare-same")])]


def _grid(grid_id: str, blocks: pd.DataFrame) -> dag.AgGrid:
    listed = blocks.head(MAX_SENT)
    return memory_grid(
        grid_id,
        _COLUMNS,
        len(blocks),
        options("No block."),
        rowData=block_records(listed),
        is_clicked=False,
    )


def block_records(blocks: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert rows of `compare_blocks` to row data for the grid, a dict per row with the fields of
    its columns.
    """
    spans = {
        f"steps_{side}": _steps(blocks[f"start_{side}"], blocks[f"end_{side}"]) for side in "ab"
    }
    short = short_names(blocks["name"].tolist(), _MAX_NAME_LENGTH)
    return records(
        blocks.assign(short=short, change=blocks["change"].astype("str").map(CHANGES), **spans)
    )


def _steps(starts: pd.Series[Any], ends: pd.Series[Any]) -> list[str]:
    """Format half-open step ranges with both ends included, such as `3 – 7`, and a dash for a
    missing range.

    A range whose end is not above its start wraps around the loop.
    """
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return [
        DASH if missing(begin) else Life(begin, end, end <= begin, False, False).steps
        for begin, end in spans
    ]


_COLUMNS = (
    GridColumn(
        "short", "name", 150, grows=1, pinned="left", tooltip_field="name", is_filtered=True
    ),
    GridColumn("change", "change", 148, is_filtered=True),
    GridColumn("kind", "kind", 88),
    *(GridColumn(f"size_{x}", f"size {x.upper()}", 78, Format.SIZE) for x in "ab"),
    *(GridColumn(f"address_{x}", f"address {x.upper()}", 86, Format.ADDRESS) for x in "ab"),
    *(GridColumn(f"steps_{x}", f"steps {x.upper()}", 112) for x in "ab"),
)
