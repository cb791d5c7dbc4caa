"""The selected execution of a kernel, the blocks that it uses, and the executions that use a block."""

from __future__ import annotations

import pandas as pd

from analysis.kernels.links import blocks_of_launch, kernels_of_block
from analysis.selection import Selection, name_key, select_kernels
from app.views.state import RunState
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.profile import ProfileData

_AROUND = 20
"""If the window has to grow, an interval takes at most 1/20 of it."""


def chosen_kernel(data: RunData, state: RunState) -> pd.Series | None:
    """Return the row of frame `kernels` of the selected execution; None if no execution is
    selected, its row does not exist, or the run is no profile.
    """
    at = state.selection.kernel
    if at is None or not data.can(Capability.NAMED_KERNELS) or at >= len(data.profile.kernels):
        return None
    return data.profile.kernels.iloc[at]


def blocks_of_kernel(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Select the memory blocks that the selected execution uses, with access mode, largest first.

    The result is None if no execution is selected or its blocks are unknown.
    """
    kernel = chosen_kernel(data, state)
    if kernel is None or not data.can(Capability.MEMORY) or pd.isna(kernel["launch"]):
        return None
    return blocks_of_launch(data.memory.uses, data.memory.allocations, int(kernel["launch"]))


def lit_kernels(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Select the executions that the timeline highlights: executions that use the selected memory
    block, else executions that the selected operator or Python function launched.

    Frame with track, start and end; None if none of these is selected, or the run has no named
    kernels.
    """
    launcher = state.selection.launcher
    if state.memory.block is None and launcher != Selection():
        if not data.can(Capability.NAMED_KERNELS):
            return None
        launched = select_kernels(data.profile.kernels, launcher)
        return launched[launched["start"].notna() & launched["end"].notna()]
    attempt = data.memory.number(state.memory)
    if attempt is None or state.memory.block is None or not data.can(Capability.NAMED_KERNELS):
        return None
    return kernels_of_block(data.memory.uses, data.profile.kernels, attempt, state.memory.block)


def kernel_picked(state: RunState, data: RunData, row: int) -> RunState:
    """Return the state with the execution in row `row` (from 0) of frame `kernels` selected, with
    its kernel, and the window moved to it.

    If it is already selected, the execution, its kernel and program are cleared. Unchanged for a
    row that does not exist.
    """
    if state.selection.kernel == row:
        return state.selecting(kernel=None, kind=None, program=None)
    return kernel_shown(state, data, row)


def kernel_shown(state: RunState, data: RunData, row: int) -> RunState:
    """Return the state with the execution in row `row` (from 0) of frame `kernels`, its kernel and
    program selected, and the window moved to it if its times are known.

    A selection of another device is cleared. Unchanged for a row that does not exist.
    """
    if not 0 <= row < len(data.profile.kernels):
        return state
    kernel = data.profile.kernels.iloc[row]
    program = None if pd.isna(kernel["program"]) else int(kernel["program"])
    track = state.selection.track if state.selection.track == str(kernel["track"]) else None
    chosen = state.selecting(
        kernel=row, kind=name_key(str(kernel["name"])), program=program, track=track
    )
    if pd.isna(kernel["start"]) or pd.isna(kernel["end"]):
        return chosen
    return in_view(chosen, data.profile, int(kernel["start"]), int(kernel["end"]))


def in_view(state: RunState, profile: ProfileData, start: int, end: int) -> RunState:
    """Return the state with the window moved so that it contains [start, end), in ticks; widened if
    the interval is longer than 1/20 of it (_AROUND).

    Unchanged if the window, or the whole run without a window, already contains the interval.
    """
    begin, stop = state.selection.window or profile.extent
    if begin <= start and end <= stop:
        return state
    width = max(stop - begin, (end - start) * _AROUND)
    middle = (start + end) // 2
    return state.selecting(window=(middle - width // 2, middle - width // 2 + width))
