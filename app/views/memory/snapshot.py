"""What a snapshot has of memory maps besides their views: what is alive, the block, conflicts, a comparison."""

from __future__ import annotations

import pandas as pd

from analysis.memory.alive import alive, neighbours, users
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.compare import compare_blocks, compare_metrics
from app.views.memory.panels import LAYOUT_LABELS, shown_map
from app.views.memory.parts import block_row, conflicts_of
from app.views.memory.snapshot_devices import device_tables
from app.views.state import RunState
from app.views.text_tables import Table, frame_table, plain_table
from components.memory.attempt_compare import delta_text
from components.numbers import in_unit, integer
from services.memory import cursor
from services.runs import RunData


def alive_tables(data: RunData, state: RunState) -> list[Table]:
    """Return what is alive at the step cursor of a run with memory maps, and what the page tells beside the map."""
    shown = shown_map(data, state)
    if shown is None:
        return []
    if data.timed:
        return device_tables(data, state, shown)
    step = cursor(shown, state.memory)
    tables = [frame_table("allocations", alive(shown, step), f"alive in {shown.label} at step {step}")]
    tables += [*_possible(data, state), *_block_tables(shown, state)]
    conflicts = conflicts_of(data, state)
    if conflicts is not None and len(conflicts):
        tables.append(plain_table(f"candidates for bank conflicts in {shown.label}", conflicts))
    return tables


def _possible(data: RunData, state: RunState) -> list[Table]:
    """Return what our allocators make of the shown attempt."""
    packings = data.memory.packings(state.memory) if data.memory else {}
    rows = [[LAYOUT_LABELS[name], in_unit(one.whole("extent"), "bytes")] for name, one in packings.items()]
    labels = [("allocator", "built-in allocator"), ("extent", "highest address in use")]
    return [Table("built-in allocators", f"{integer(len(rows))} allocators", labels, rows)] if rows else []


def _block_tables(shown: AttemptMap, state: RunState) -> list[Table]:
    """Return the selected block, what lies beside it, and who uses it."""
    row = block_row(shown, state.memory.block)
    if row is None:
        return []
    beside = neighbours(shown, row)
    named = beside.assign(name=shown.blocks["name"].to_numpy()[beside["row"].to_numpy()])
    tables = [frame_table("allocations", shown.blocks.iloc[[row]], "the selected block")]
    tables += [plain_table("beside the selected block", named[["relation", "name", "distance"]])] if len(named) else []
    used = users(shown, row)
    return [*tables, plain_table("used by", used)] if len(used) else tables


def comparison_tables(data: RunData, state: RunState) -> list[Table]:
    """Return the numbers and the blocks of two attempts that are compared."""
    shown = shown_map(data, state)
    other = data.memory.against(state.memory, data.memory.layout(state.memory, state.layout)) if data.memory else None
    if shown is None or other is None or shown.number == other.number:
        return []
    numbers, blocks = compare_metrics(shown, other), compare_blocks(shown, other)
    title = f"{shown.label} (a) against {other.label} (b)"
    blocks = blocks[blocks["change"] != "same"]
    return [plain_table(title, _in_units(numbers)), plain_table(f"blocks of {title}", blocks)]


def _in_units(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the compared numbers as text in their units."""
    shown = {
        column: [form(value, unit) for value, unit in zip(numbers[column], numbers["unit"], strict=True)]
        for column, form in (("a", in_unit), ("b", in_unit), ("delta", delta_text))
    }
    return pd.DataFrame({"number": numbers["label"], **shown})
