"""Grid and caption of the operators of a profile: calls, time on the host and on devices, shapes."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.selection import has_name
from components.columns import GridColumn
from components.grid import marked_options, memory_grid
from components.hints import left_out_hint
from components.kernels.step_words import time_text
from components.kernels.unknown_words import unknown_sentence
from components.numbers import count_text, integer, missing, shorten
from components.tables import records
from schema.table_columns import Format

MAX_SENT = 5_000
"""Maximum number of operators that are listed; a note gives the number of the rest."""
_MAX_ROWS_SHOWN = 10
_MAX_SHAPES = 3
"""Shapes in a cell at most; the tooltip has more."""
_MAX_NAME_CHARACTERS, _MAX_TOOLTIP_CHARACTERS = 200, 1_000
_MAY_LACK = ("nodes", "total_device", "runtime_cpu", "flop_rate")
_time = partial(GridColumn, width=92, format=Format.DURATION)
_NUMBERS = (
    _time(
        "self_device", "device", help="summed duration of the executions that it launched itself"
    ),
    GridColumn(
        "device_share",
        "share",
        74,
        Format.SHARE,
        help="of the summed duration of all executions on devices",
        bar="params.value",
    ),
    GridColumn(
        "device_spans",
        "executions",
        88,
        Format.WHOLE,
        help="executions on devices that it launched itself",
    ),
    _time("total_device", "device, all", width=96, help="the same with the operators inside of it"),
    _time(
        "self_cpu",
        "CPU, own",
        help="time on the host without the operators directly inside; with its calls into the device's library",
    ),
    _time(
        "total_cpu",
        "CPU, all",
        help="time on the host; a call inside of one of the same name counts once",
    ),
    _time(
        "runtime_cpu",
        "library",
        help="time in its own calls into the device's library, part of CPU, own",
    ),
    GridColumn(
        "flop_rate",
        "FLOP/s",
        116,
        Format.RATE,
        unit="FLOP/s",
        tooltip_field="flops_text",
        help="operations by shapes over device, all (ONNX Runtime: device); without devices over CPU, all",
    ),
    GridColumn("calls", "calls", 72, Format.WHOLE, help="its calls"),
    GridColumn("nodes", "nodes", 72, Format.WHOLE, help="nodes of the graph that have this type"),
)
COLUMNS = (
    GridColumn(
        "name", "operator", 230, pinned="left", is_mono=True, tooltip_field="name", is_filtered=True
    ),
    *_NUMBERS,
    GridColumn(
        "shapes",
        "shapes of inputs",
        220,
        grows=1,
        is_mono=True,
        tooltip_field="all_shapes",
        help="shapes with the number of calls",
        sort=False,
    ),
)


def operators_caption(
    rows: pd.DataFrame, unattributed: tuple[int, int], unknown: Collection[str]
) -> str:
    """Describe the operator with the most time on devices, or on the host if none launched work;
    executions without an operator, and what the trace does not tell.

    `unattributed` are number and summed duration (ns) of the executions without an operator.
    """
    sentences = [heaviest_operator(rows, unattributed[1])]
    spans, time = unattributed
    if spans:
        sentences.append(
            f"{count_text(spans, 'execution')} without an operator: {time_text(time)}."
        )
    sentences.append(unknown_sentence(unknown, "no_shapes", "no_python"))
    return " ".join(filter(None, sentences))


def heaviest_operator(rows: pd.DataFrame, unattributed: int) -> str:
    """Describe the operator with the most time on devices, or on the host if none launched work.

    `unattributed` is the duration (ns) of executions without an operator, part of all of them.
    """
    if not len(rows):
        return "The trace has no operators."
    on_device = bool(rows["self_device"].any())
    column = "self_device" if on_device else "self_cpu"
    whole = int(rows[column].sum()) + (unattributed if on_device else 0)
    top = rows.iloc[int(rows[column].to_numpy(np.int64).argmax())]
    name = shorten(str(top["name"]))
    of = "on devices" if on_device else "of operators on the host"
    if not whole:
        return f"{count_text(len(rows), 'operator')}, all without time."
    return f"{name} takes {100 * top[column] / whole:.0f} % of {time_text(whole)} {of}."


def operators_grid(
    grid_id: str,
    rows: pd.DataFrame,
    shapes: pd.DataFrame,
    unattributed: int,
    selected: str | None,
) -> Component:
    """Build the grid of the first 5,000 rows (MAX_SENT) of frame `operators`; the selected operator
    (key of a name) is marked. A click, Enter or Space sets `cellClicked`.

    `unattributed` is the duration (ns) of executions without an operator, part of all of them.
    """
    listed = rows.head(MAX_SENT)
    grid = memory_grid(
        grid_id,
        operator_columns(listed, shapes),
        len(listed),
        operator_options(listed, selected),
        most=_MAX_ROWS_SHOWN,
        rowData=operator_records(listed, shapes, unattributed),
        getRowId="params.data.row",
    )
    return html.Div(
        [
            grid,
            *left_out_hint(len(rows) - len(listed), "operator", " not listed: the export has all."),
        ]
    )


def operator_columns(rows: pd.DataFrame, shapes: pd.DataFrame) -> list[GridColumn]:
    """Build the columns of the grid; those of devices are hidden if no operator launched anything,
    shapes and other columns if the trace has none.
    """
    hidden = set() if shapes["dims"].notna().any() else {"shapes"}
    hidden |= {name for name in _MAY_LACK if rows[name].isna().all()}
    if not rows["device_spans"].any():
        hidden |= {"self_device", "device_share", "device_spans", "total_device", "runtime_cpu"}
    return [replace(column, is_hidden=column.name in hidden) for column in COLUMNS]


def operator_records(
    rows: pd.DataFrame, shapes: pd.DataFrame, unattributed: int
) -> list[dict[str, Any]]:
    """Convert rows of frame `operators` for the grid, with share of the device time and shapes."""
    whole = int(rows["self_device"].sum()) + unattributed
    share = rows["self_device"] / whole if whole else None
    numbers = [column.name for column in _NUMBERS]
    cells = records(rows.assign(device_share=share)[["name", *numbers]])
    texts = _shape_texts(shapes[shapes["dims"].notna()])
    columns = (cells, rows["name"].astype("str"), rows["flops"].tolist())
    return [
        row
        | {"name": shorten(str(row["name"]), _MAX_NAME_CHARACTERS)}
        | {"flops_text": _flops_text(flops)}
        | texts.get(name, {})
        for row, name, flops in zip(*columns, strict=True)
    ]


def _flops_text(flops: float | None) -> str:
    if flops is None or missing(flops):
        return "unknown: the file does not tell the operations of every call"
    return f"{count_text(int(flops), 'operation')} in all calls"


def _shape_texts(shapes: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Map operators to `shapes`, the most frequent shapes, and `all_shapes` for the tooltip."""
    texts: dict[str, dict[str, str]] = {}
    ordered = shapes.sort_values("calls", ascending=False, kind="stable")
    for name, own in ordered.groupby("name", observed=True, sort=False):
        listed = [
            f"{_dims_text(str(dims))} ({integer(calls)})"
            for dims, calls in zip(own["dims"], own["calls"].tolist(), strict=True)
        ]
        left = len(listed) - _MAX_SHAPES
        more = f", {integer(left)} more" if left > 0 else ""
        texts[str(name)] = {
            "shapes": shorten(", ".join(listed[:_MAX_SHAPES]) + more, _MAX_NAME_CHARACTERS),
            "all_shapes": shorten(", ".join(listed), _MAX_TOOLTIP_CHARACTERS),
        }
    return texts


def _dims_text(dims: str) -> str:
    """Write shapes of inputs as `[8,16] [16]`; inputs without a shape are left out."""
    inputs = json.loads(dims)
    if not isinstance(inputs, list):
        return dims
    shown = [json.dumps(one, separators=(",", ":")) for one in inputs if one]
    return " ".join(shown) or "scalars"


def operator_options(rows: pd.DataFrame, selected: str | None) -> dict[str, Any]:
    """Build the grid's `dashGridOptions`, which mark the selected operator (key of a name)."""
    places = [] if selected is None else np.flatnonzero(has_name(rows["name"], selected)).tolist()
    return marked_options("The trace has no operators.", *places[:1])
