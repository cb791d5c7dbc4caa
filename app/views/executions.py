"""The selected execution of a kernel, the blocks that it uses, and the executions that use a block."""

from __future__ import annotations

import pandas as pd

from analysis.kernels.links import blocks_of_launch, kernels_of_block
from analysis.selection import name_key
from app.views.state import RunState
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.profile import ProfileData

_AROUND = 20
"""If the window has to grow, an interval takes at most 1/20 of it."""


def chosen_kernel(data: RunData, state: RunState) -> pd.Series | None:
    """Find the selected row of frame `kernels`, if any."""
    at = state.selection.kernel
    if at is None or not data.can(Capability.NAMED_KERNELS) or at >= len(data.profile.kernels):
        return None
    return data.profile.kernels.iloc[at]


def blocks_of_kernel(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Select the blocks that the selected kernel uses, with access mode, largest first.

    The result is None if the blocks are unknown.
    """
    kernel = chosen_kernel(data, state)
    if kernel is None or not data.can(Capability.MEMORY) or pd.isna(kernel["launch"]):
        return None
    return blocks_of_launch(data.memory.uses, data.memory.allocations, int(kernel["launch"]))


def lit_kernels(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Select the executions that the timeline highlights, which use the selected block.

    Columns as in `analysis.kernels.links.kernels_of_block`; None if no block is selected.
    """
    attempt = data.memory.number(state.memory)
    if attempt is None or state.memory.block is None or not data.can(Capability.NAMED_KERNELS):
        return None
    return kernels_of_block(data.memory.uses, data.profile.kernels, attempt, state.memory.block)


def kernel_picked(state: RunState, data: RunData, row: int) -> RunState:
    """Select the execution at a position of frame `kernels` with its kernel.

    If it is already selected, clear it.
    """
    if state.selection.kernel == row:
        return state.selecting(kernel=None, kind=None, program=None)
    return kernel_shown(state, data, row)


def kernel_shown(state: RunState, data: RunData, row: int) -> RunState:
    """Select an execution and move the window to it; the selection of another device is cleared."""
    if not 0 <= row < len(data.profile.kernels):
        return state
    kernel = data.profile.kernels.iloc[row]
    program = None if pd.isna(kernel["program"]) else int(kernel["program"])
    track = state.selection.track if state.selection.track == str(kernel["track"]) else None
    chosen = state.selecting(
        kernel=row, kind=name_key(str(kernel["name"])), program=program, track=track
    )
    return in_view(chosen, data.profile, int(kernel["start"]), int(kernel["end"]))


def in_view(state: RunState, profile: ProfileData, start: int, end: int) -> RunState:
    """Move the window so that it contains [start, end); widen it if the interval is too long."""
    begin, stop = state.selection.window or profile.extent
    if begin <= start and end <= stop:
        return state
    width = max(stop - begin, (end - start) * _AROUND)
    middle = (start + end) // 2
    return state.selecting(window=(middle - width // 2, middle - width // 2 + width))
