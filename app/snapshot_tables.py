"""The tables of a snapshot, as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from analysis.memory.alive import alive, neighbours, users
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.compare import compare_blocks, compare_metrics
from app.memory_parts import block_row, conflicts_of, cursor
from app.memory_views import LAYOUT_LABELS, shown_map
from app.run_data import RunData
from app.state import RunState
from components.memory.attempt_compare import delta_text
from components.numbers import address, in_unit, integer
from components.tables import column_label
from data_loaders.frames import FRAMES
from data_loaders.schema.spec import Column

_MOST_ROWS = 500
"""Rows of a table that a snapshot holds; it says how many there are."""
_SIZES = ("size_a", "size_b")
_ADDRESSES = ("address", "address_a", "address_b", "hint")


@dataclass(frozen=True)
class Table:
    """A table in the file: its name, how much of it is there, labels with meanings, and cells as text."""

    name: str
    line: str
    labels: list[tuple[str, str]]
    rows: list[list[str]]


def frame_table(name: str, frame: pd.DataFrame, title: str = "") -> Table:
    """Return a frame of the schema as text, by the units of its columns."""
    columns = [column for column in FRAMES[name].every if column.name in frame.columns]
    labels = [(column_label(column), column.meaning) for column in columns]
    return _table(title or name, frame[[column.name for column in columns]], labels, columns)


def alive_tables(data: RunData, state: RunState) -> list[Table]:
    """Return what is alive at the step cursor of a run with memory maps, and what the page tells beside the map."""
    shown = shown_map(data, state)
    if shown is None:
        return []
    step = cursor(shown, state)
    tables = [frame_table("allocations", alive(shown, step), f"alive in {shown.label} at step {step}")]
    tables += [*_possible(data, state), *_block_tables(shown, state)]
    conflicts = conflicts_of(data, state)
    if conflicts is not None and len(conflicts):
        tables.append(_plain_table(f"candidates for bank conflicts in {shown.label}", conflicts))
    return tables


def _possible(data: RunData, state: RunState) -> list[Table]:
    """Return what our allocators make of the shown attempt."""
    packings = data.memory.packings(state.memory) if data.memory else {}
    rows = [[LAYOUT_LABELS[name], in_unit(one.whole("extent"), "bytes")] for name, one in packings.items()]
    labels = [("allocator", "of ours"), ("extent", "highest address that it needs")]
    return [Table("what was possible", f"{integer(len(rows))} allocators", labels, rows)] if rows else []


def _block_tables(shown: AttemptMap, state: RunState) -> list[Table]:
    """Return the selected block, what lies beside it, and who uses it."""
    row = block_row(shown, state.memory.block)
    if row is None:
        return []
    beside = neighbours(shown, row)
    named = beside.assign(name=shown.blocks["name"].to_numpy()[beside["row"].to_numpy()])
    tables = [frame_table("allocations", shown.blocks.iloc[[row]], "the selected block")]
    tables += [_plain_table("beside the selected block", named[["relation", "name", "distance"]])] if len(named) else []
    used = users(shown, row)
    return [*tables, _plain_table("used by", used)] if len(used) else tables


def comparison_tables(data: RunData, state: RunState) -> list[Table]:
    """Return the numbers and the blocks of two attempts that are compared."""
    shown = shown_map(data, state)
    other = data.memory.against(state.memory, data.memory.layout(state.memory, state.layout)) if data.memory else None
    if shown is None or other is None or shown.number == other.number:
        return []
    numbers, blocks = compare_metrics(shown, other), compare_blocks(shown, other)
    title = f"{shown.label} (a) against {other.label} (b)"
    blocks = blocks[blocks["change"] != "same"]
    return [_plain_table(title, _in_units(numbers)), _plain_table(f"blocks of {title}", blocks)]


def _in_units(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the compared numbers as text in their units."""
    shown = {
        column: [form(value, unit) for value, unit in zip(numbers[column], numbers["unit"], strict=True)]
        for column, form in (("a", in_unit), ("b", in_unit), ("delta", delta_text))
    }
    return pd.DataFrame({"number": numbers["label"], **shown})


def _plain_table(title: str, frame: pd.DataFrame) -> Table:
    labels = [(str(name).replace("_", " "), "") for name in frame.columns]
    units: Mapping[str, str] = dict.fromkeys(_SIZES, "bytes")
    columns = [Column(str(name), str(frame[name].dtype), units.get(str(name), ""), "") for name in frame.columns]
    return _table(title, frame, labels, columns)


def _table(name: str, frame: pd.DataFrame, labels: list[tuple[str, str]], columns: list[Column]) -> Table:
    shown = frame.head(_MOST_ROWS)
    rows = [
        [_cell(value, column) for value, column in zip(row, columns, strict=True)]
        for row in shown.itertuples(index=False)
    ]
    more = f"the first {integer(len(shown))} of " if len(shown) < len(frame) else ""
    return Table(name, f"{more}{integer(len(frame))} rows", labels, rows)


def _cell(value: object, column: Column) -> str:
    if pd.isna(value):
        return ""
    if column.name in _ADDRESSES:
        return address(int(str(value)))
    if column.dtype in ("int64", "Int64", "float64"):
        return in_unit(float(str(value)), column.unit)
    return ("yes" if value else "no") if column.dtype in ("bool", "boolean") else str(value)
