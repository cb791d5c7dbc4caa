"""Determine which attempts, maps and blocks the memory views show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.layer_groups import by_group
from app.views.memory.groups_selection import GroupSelection
from app.views.option import Option
from app.views.state import RunState
from schema.choices import PLACED
from schema.memory import SAVED_RANK_BASE
from services.run.capabilities import Capability
from services.run.data import RunData

LAYOUT = Option(
    "layout",
    "layout of the blocks",
    {
        PLACED: "as placed, else best fit",
        "best_fit": "best fit by size",
        "first_fit": "first fit by start",
    },
)
"""Addresses of the blocks of a map: as stored, or as a built-in allocator places them."""
LISTED = Option(
    "attempts",
    "attempts listed",
    {"all": "all", "final": "final", "failed": "failed", "last": "last of its group"},
)
"""Which attempts the grid lists."""


def shown_layout(data: RunData, state: RunState) -> str:
    """Return the layout in which the displayed attempt is drawn: PLACED, "best_fit" or "first_fit"."""
    return data.memory.layout(state.memory, LAYOUT.of(state))


def drawn_maps(data: RunData, state: RunState) -> list[AttemptMap]:
    """Return the maps that the views draw together: of the displayed attempt, or of all levels of a
    plan; empty if the run has no attempt.
    """
    return data.memory.maps(state.memory, shown_layout(data, state))


def shown_map(data: RunData, state: RunState) -> AttemptMap | None:
    """Return the map of the displayed attempt in the displayed layout; None if the run has no
    attempt.
    """
    return data.memory.shown_map(state.memory, shown_layout(data, state))


def with_attempt(data: RunData, state: RunState) -> RunState:
    """Return the state with the displayed attempt's number filled in if no attempt is selected."""
    return replace(state, memory=replace(state.memory, attempt=data.memory.number(state.memory)))


def shown_attempts(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the attempts that the grid lists, by layer group: all, final, failed, or the last of
    each group, as option LISTED selects.

    The list has the attempts of the file and the saved placements. If a layer group is selected,
    only its attempts are listed.
    """
    rows = by_group(_of_group(data, state))
    listed = LISTED.of(state)
    if listed == "last":
        # Saved placements have numbers from KEPT_FROM; they are not tries of the compiler.
        own = rows[rows["attempt"] < SAVED_RANK_BASE]
        return own[(own["group"] == "") | ~own.duplicated("group", keep="last")]
    if listed == "final":
        return rows[rows["final"].fillna(False).astype(bool)]
    return rows[(rows["failed"] > 0).fillna(False).astype(bool)] if listed == "failed" else rows


def _of_group(data: RunData, state: RunState) -> pd.DataFrame:
    rows = data.memory.listed_attempts
    first = state.selected(GroupSelection).group
    if first is None or not data.can(Capability.LAYER_GROUPS):
        return rows
    group = data.memory.find_group(first)
    numbers = [] if group is None else [attempt.attempt for attempt in group.attempts]
    return rows[rows["attempt"].map(data.memory.base).isin(numbers)] if numbers else rows


def block_row(shown: AttemptMap, block: int | None) -> int | None:
    """Return the position (from 0) of block number `block` in its attempt's blocks; None if there
    is no such block.
    """
    # No block has the number -1.
    positions = np.flatnonzero(
        shown.blocks["block"].to_numpy(np.int64) == (-1 if block is None else block)
    )
    return int(positions[0]) if len(positions) else None
