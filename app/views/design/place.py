"""The tile of a design that is selected or displayed, and the state after a click on a tile."""

from __future__ import annotations

from analysis.aie.design.memory_pairs import STALL as MEMORY_STALL
from app.views.state import RunState, toggle_part
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.design_results import DesignResults


def design_of(data: RunData) -> DesignResults:
    """Return the design of a run that has one, as views with capability DESIGN need it."""
    if data.design is None:
        raise ValueError(f"{data.label} has no design")
    return data.design


def tile_of_unit(track: str) -> str:
    """Return the tile of a traced unit: `core 2,1` for `mem 2,1`, else the name itself."""
    kind, _, place = track.partition(" ")
    return f"core {place}" if kind == "mem" else track


def selected_tile(data: RunData, state: RunState) -> str | None:
    """Return the selected tile of the design; `None` if no tile is selected.

    In a run that is only a design, the displayed attempt is the memory of a tile.
    """
    if state.selection.track is not None:
        return tile_of_unit(state.selection.track)
    if data.can(Capability.MEMORY) and state.memory.attempt is not None:
        rows = data.memory.attempts
        levels = rows.loc[rows["attempt"] == state.memory.attempt, "level"]
        return str(levels.iloc[0]) if len(levels) else None
    return None


def choose_tile(data: RunData, state: RunState, tile: str) -> RunState:
    """Return the state with a tile selected in all views, or cleared if it was selected."""
    if not data.can(Capability.MEMORY):
        # A buffer or bank that was selected before is of another tile.
        cleared = state.remembering(attempt=None, block=None, bank=None)
        return toggle_part(cleared, "track", tile)
    rows = data.memory.attempts
    numbers = rows.loc[rows["level"].astype(str) == tile, "attempt"]
    if not len(numbers):
        return toggle_part(state, "track", tile)
    attempt = int(numbers.iloc[0])
    is_shown = state.selection.track is None and state.memory.attempt == attempt
    shown = state.remembering(attempt=None if is_shown else attempt, block=None, bank=None)
    # A shim tile that was selected before has no memory, and is kept as a track.
    return shown.selecting(track=None)


def displayed_tile(data: RunData, state: RunState) -> str:
    """Return the selected tile, else the tile whose memory the worst core conflicts in, else the
    tile with most of its memory in use; "" if no tile has a memory.
    """
    tile = selected_tile(data, state)
    if tile is not None:
        return tile
    design = design_of(data)
    worst = worst_core(design, MEMORY_STALL)
    if worst is not None and design.stall_cycles(worst, MEMORY_STALL):
        return next(iter(design.memory(worst).stalls.conflicts), worst)
    tiles = [row for row in design.mapping["tiles"] if row["bytes"] and row["memory"]]
    fullest = max(tiles, key=lambda row: row["bytes"] / row["memory"], default=None)
    return "" if fullest is None else str(fullest["tile"])


def worst_core(design: DesignResults, event: str) -> str | None:
    """Return the traced core with most cycles of a stall; cores that did not trace it come last.

    `None` without a traced core.
    """

    def cycles(core: str) -> int:
        known = design.stall_cycles(core, event)
        return -1 if known is None else known

    return max(design.cores, key=cycles, default=None)
