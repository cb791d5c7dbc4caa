"""View of the measured cycles of tiles, as printed by generated code on the device."""

from __future__ import annotations

import pandas as pd

from app.views.option import Option
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.tiling.fold import FOLD
from app.views.view import Panel, Plot, Width
from components.tiling import tile_times as figures
from services.run.capabilities import Capability
from services.run.data import RunData

_LEVEL = Option(
    "tiles_from",
    "level that the tiles come from",
    {"inner": "innermost level", "outer": "outermost level"},
)


def _tiles_at_level(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the rows of frame `tile_times` at the innermost or outermost level of each operator,
    as option _LEVEL selects.

    A tile of an outer level contains inner tiles.
    """
    tiles = data.profile.frame("tile_times")
    # Levels are named L1, L2, and so on from the innermost.
    rank = tiles["level"].astype("str").str.removeprefix("L").astype("Int64").fillna(0)
    wanted = rank.groupby(tiles["name"]).transform("max" if _LEVEL.of(state) == "outer" else "min")
    return tiles[rank == wanted]


def tile_times_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the cycles of each tile before, during and after its kernel."""
    tiles = _tiles_at_level(data, state)
    answer = figures.tile_times_caption(figures.operator_times(tiles))
    return Panel(figures.tile_bars(tiles, theme), answer, figures.tiles_left_out(len(tiles)))


def tile_times_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the cycles of the tiles of the chosen level, summed by operator."""
    operators = figures.operator_times(_tiles_at_level(data, state)).round(
        {"overhead": 4, "rate": 3}
    )
    return [plain_table("cycles of the tiles by operator", operators)]


TILE_CYCLES = Plot(
    id="tile_times",
    title="Measured tiles",
    help=(
        "Cycles of each tile before, in and behind its kernel, as the generated code printed them. If "
        "tiles are double buffered, the time outside of a kernel is the part that the neighbouring kernel "
        "did not hide: overhead, not the time of transfers. Levels of one operator nest and are never summed."
    ),
    needs=frozenset({Capability.TILE_TIMES}),
    group="tiling",
    fold=FOLD,
    width=Width.NARROW,
    choices=(_LEVEL,),
    draw=tile_times_panel,
    tables=tile_times_tables,
)
