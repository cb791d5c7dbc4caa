"""What the selected kernel and the selected block of a profile have to do with each other."""

from __future__ import annotations

import pandas as pd

from analysis.kernels.links import blocks_of_launch, kernels_of_block
from app.views.state import RunState
from services.runs import RunData


def chosen_kernel(data: RunData, state: RunState) -> pd.Series | None:
    """Return the row of frame `kernels` that is selected; None without any."""
    at = state.selection.kernel
    if data.profile is None or at is None or at >= len(data.profile.kernels):
        return None
    return data.profile.kernels.iloc[at]


def blocks_of_kernel(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Return the blocks that the selected kernel uses, with access, largest first; None where that is not known."""
    kernel = chosen_kernel(data, state)
    if kernel is None or data.memory is None or pd.isna(kernel["launch"]):
        return None
    return blocks_of_launch(data.memory.uses, data.memory.allocations, int(kernel["launch"]))


def lit_kernels(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Return the executions that the selection lights up on the timeline: those that use the selected block.

    Columns as `analysis.kernels.links.kernels_of_block`; None where no block is selected.
    """
    if data.profile is None or data.memory is None or state.memory.block is None:
        return None
    attempt = data.memory.number(state.memory)
    if attempt is None:
        return None
    return kernels_of_block(data.memory.uses, data.profile.kernels, attempt, state.memory.block)
