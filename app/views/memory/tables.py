"""The memory tables of a run under its selection."""

from __future__ import annotations

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from app.views.memory.shown import drawn_maps, shown_attempts
from app.views.state import RunState
from schema.frames import empty
from schema.memory import SAVED_RANK_BASE
from services.run.capabilities import Capability
from services.run.data import RunData

_OF_DEVICES = ["attempt", "level", "steps", "blocks", "live_peak", "peak_step"]
"""Columns of frame `attempts` that are meaningful for devices."""


def attempt_rows(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the rows of frame `attempts` that the grid lists, without saved placements; for
    devices only the columns in _OF_DEVICES.
    """
    rows = shown_attempts(data, state)
    rows = rows[rows["attempt"] < SAVED_RANK_BASE]
    return rows[_OF_DEVICES] if data.can(Capability.DEVICES) else rows


def allocation_rows(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the blocks of the displayed maps: the selected block, or the blocks alive in the
    shared window, or all.
    """
    maps = drawn_maps(data, state)
    chosen = state.memory
    rows = (
        pd.concat([amap.blocks for amap in maps], ignore_index=True)
        if maps
        else data.memory.allocations.head(0)
    )
    if chosen.block is not None:
        return rows[
            _is(rows, "attempt", data.memory.number(chosen)) & _is(rows, "block", chosen.block)
        ]
    window = _window(data, state)
    return rows if window is None else rows[(rows["start"] < window[1]) & (rows["end"] > window[0])]


def occupancy_rows(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the occupancy of the displayed maps: within the shared window if blocks and events
    share a clock, else of the selected bank and step.
    """
    maps = drawn_maps(data, state)
    rows = (
        pd.concat([amap.occupancy for amap in maps], ignore_index=True)
        if maps
        else empty("occupancy")
    )
    if data.can(Capability.SHARED_WINDOW):
        return _within(rows, "step", _window(data, state))
    for column in ("bank", "step"):
        value = getattr(state.memory, column)
        rows = rows if value is None else rows[_is(rows, column, value)]
    return rows


def step_rows(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the steps of the displayed attempt and the steps that belong to no attempt; only the
    selected step if any.
    """
    steps = data.memory.steps
    rows = steps[steps["attempt"].isna() | _is(steps, "attempt", _base(data, state))]
    return rows if state.memory.step is None else rows[_is(rows, "step", state.memory.step)]


def use_rows(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the uses of blocks of the displayed maps: of the selected block, or uses that start in
    the shared window, or all.
    """
    maps: list[AttemptMap] = drawn_maps(data, state)
    # Uses belong to attempts of the file; a saved placement has the uses of its attempt.
    rows = data.memory.uses[
        data.memory.uses["attempt"].isin([data.memory.base(amap.number) for amap in maps])
    ]
    if state.memory.block is not None:
        return rows[_is(rows, "block", state.memory.block)]
    return _within(rows, "start", _window(data, state))


def _base(data: RunData, state: RunState) -> int | None:
    """Return the number of the file's attempt that is displayed, or that the displayed saved
    placement belongs to; None if the run has no attempt.
    """
    number = data.memory.number(state.memory)
    return None if number is None else data.memory.base(number)


def _window(data: RunData, state: RunState) -> tuple[int, int] | None:
    """Return the selected window in ticks (begin, end) if blocks and events share a clock; else, or
    without a selected window, None.
    """
    return state.selection.window if data.can(Capability.SHARED_WINDOW) else None


def _within(rows: pd.DataFrame, column: str, window: tuple[int, int] | None) -> pd.DataFrame:
    return (
        rows if window is None else rows[(rows[column] >= window[0]) & (rows[column] < window[1])]
    )


def _is(rows: pd.DataFrame, column: str, value: int | None) -> pd.Series:
    return (rows[column] == value).fillna(False).astype(bool)
