"""The memory tables of a run under its selection."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from app.views.memory.panels import shown_attempts
from app.views.state import RunState
from schema.frames import empty
from services.memory import MemoryData

_OF_DEVICES = ["attempt", "level", "steps", "blocks", "live_peak", "peak_step"]
"""Columns of frame `attempts` that say something of the devices of a profile."""


def table_of_memory(memory: MemoryData, state: RunState, name: str) -> pd.DataFrame:
    """Return the rows of a memory table: of the shown attempts, and of the selected block, bank and step.

    Of a profile they are those in the selected window, as far as no block is selected.
    """
    if name == "attempts":
        rows = shown_attempts(memory, state)
        return rows[_OF_DEVICES] if memory.timed else rows
    maps = memory.maps(state.memory, memory.layout(state.memory, state.layout))
    return _TABLES.get(name, _uses)(memory, maps, state)


def _allocations(memory: MemoryData, maps: list[AttemptMap], state: RunState) -> pd.DataFrame:
    rows = pd.concat([one.blocks for one in maps], ignore_index=True) if maps else memory.allocations.head(0)
    chosen = state.memory
    if chosen.block is not None:
        return rows[_is(rows, "attempt", memory.number(chosen)) & _is(rows, "block", chosen.block)]
    window = state.selection.window if memory.timed else None
    return rows if window is None else rows[(rows["start"] < window[1]) & (rows["end"] > window[0])]


def _occupancy(memory: MemoryData, maps: list[AttemptMap], state: RunState) -> pd.DataFrame:
    rows = pd.concat([one.occupancy for one in maps], ignore_index=True) if maps else empty("occupancy")
    if memory.timed:
        return _within(rows, "step", state)
    for column in ("bank", "step"):
        value = getattr(state.memory, column)
        rows = rows if value is None else rows[_is(rows, column, value)]
    return rows


def _steps(memory: MemoryData, _maps: list[AttemptMap], state: RunState) -> pd.DataFrame:
    rows = memory.steps[memory.steps["attempt"].isna() | _is(memory.steps, "attempt", memory.number(state.memory))]
    return rows if state.memory.step is None else rows[_is(rows, "step", state.memory.step)]


def _uses(memory: MemoryData, maps: list[AttemptMap], state: RunState) -> pd.DataFrame:
    rows = memory.uses[memory.uses["attempt"].isin([one.number for one in maps])]
    if state.memory.block is not None:
        return rows[_is(rows, "block", state.memory.block)]
    return _within(rows, "start", state) if memory.timed else rows


def _within(rows: pd.DataFrame, column: str, state: RunState) -> pd.DataFrame:
    """Return the rows of a profile whose time lies in the selected window."""
    window = state.selection.window
    return rows if window is None else rows[(rows[column] >= window[0]) & (rows[column] < window[1])]


def _is(rows: pd.DataFrame, column: str, value: int | None) -> pd.Series:
    return (rows[column] == value).fillna(False).astype(bool)


_TABLES: Mapping[str, Callable[[MemoryData, list[AttemptMap], RunState], pd.DataFrame]] = {
    "allocations": _allocations,
    "occupancy": _occupancy,
    "steps": _steps,
}
