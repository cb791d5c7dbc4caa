"""View of the possible tile sizes m, k, n of a GEMM on an array of cores."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from analysis.tiling.array_gemm import LOCAL_BYTES, ArrayTile, ArrayTiling
from app.views.option import Option
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.tiling.advice import rate_panel
from app.views.tiling.selection import TILING
from app.views.tiling.shown import capacity_control, tried_bytes
from app.views.view import Panel, Plot, Width
from components.graph import nothing
from components.numbers import count_text, significant, size
from components.tiling import captions
from components.tiling.choices_plot import Limit, Point, choices_plot
from components.tiling.words import exact_size
from schema.plurals import plural
from services.run.capabilities import Capability
from services.run.data import RunData


class _Shown(NamedTuple):
    tiling: ArrayTiling
    local: int
    tried: bool


_OVER = Option(
    "over",
    "vertical axis of the tiles",
    {"rate": "GMAC/s", "traffic": "traffic", "intensity": "intensity"},
)


def _shown_tile(data: RunData, state: RunState) -> _Shown | None:
    tried = tried_bytes(state)
    local = LOCAL_BYTES if tried is None else tried
    tiling = data.tiling.array(local)
    return None if tiling is None else _Shown(tiling, local, tried is not None)


def sizes_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the tile sizes: bytes in a core's memory against GMAC/s, DDR traffic, or operations per
    DDR byte, as option _OVER selects.

    Traffic is drawn if no rates are known.
    """
    rated = rate_panel(data, theme) if _OVER.of(state) == "rate" else None
    return rated or _traffic_panel(data, state, theme)


def _traffic_panel(data: RunData, state: RunState, theme: str) -> Panel:
    shown = _shown_tile(data, state)
    if shown is None:
        return Panel(
            nothing(theme),
            "The settings of this run describe no GEMM that an array of cores shares.",
        )
    tiling = shown.tiling
    traffic = _OVER.of(state) != "intensity"
    points = [_point(tile, at == tiling.chosen, traffic) for at, tile in enumerate(tiling.choices)]
    over = (
        "bytes from and to DDR, per iteration" if traffic else "operations per byte from and to DDR"
    )
    limits = [Limit(LOCAL_BYTES, f"data memory of a core, {size(LOCAL_BYTES)}")]
    limits += [Limit(shown.local, f"tried {size(shown.local)}", tried=True)] if shown.tried else []
    axes = ("bytes in a core's memory", over)
    figure = choices_plot(points, limits, axes, theme, own="as measured", in_bytes=traffic)
    return Panel(figure, captions.array_caption(tiling, shown.local), _line(tiling))


def _point(tile: ArrayTile, own: bool, traffic: bool) -> Point:
    text = (
        f"{tile.m} × {tile.k} × {tile.n}\n{exact_size(tile.core_bytes)} in a core, {size(tile.memtile_bytes)} in a "
        f"memory tile\n{size(tile.dma_in_bytes)} in, {size(tile.dma_out_bytes)} out, {significant(tile.intensity)} "
        f"operations/byte\n{count_text(tile.kernels_per_core, 'kernel')} per core and iteration"
    )
    value = float(tile.moved_bytes) if traffic else tile.intensity
    return Point(
        tile.core_bytes, value, tile.fits, tile.best, own, text + ("\nas measured" if own else "")
    )


def _line(tiling: ArrayTiling) -> str:
    whole = tiling.whole
    own = tiling.own
    held = f"A memory tile holds {size(own.memtile_bytes)} of the run's tiles"
    moved = f"each core takes {size(own.core_in_bytes)} in and gives {size(own.core_out_bytes)}"
    per = f"in {count_text(own.kernels_per_core, 'kernel')} per iteration"
    return f"{held}, {moved}, {per}. Elements of A, B and C are counted with {plural(whole.element_bytes, 'byte')}, by mac_dtype."


def sizes_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the best tile sizes and the run's own; empty if the run is no GEMM on
    an array.
    """
    shown = _shown_tile(data, state)
    if shown is None:
        return []
    rows = [
        {
            "m": tile.m,
            "k": tile.k,
            "n": tile.n,
            "core bytes": tile.core_bytes,
            "memory tile bytes": tile.memtile_bytes,
        }
        | {
            "in bytes": tile.dma_in_bytes,
            "out bytes": tile.dma_out_bytes,
            "operations per byte": tile.intensity,
        }
        | {"fits": tile.fits, "as measured": at == shown.tiling.chosen}
        for at, tile in enumerate(shown.tiling.choices)
        if tile.best or at == shown.tiling.chosen
    ]
    return [plain_table("best tile sizes", pd.DataFrame(rows))]


# The id is also that of the choices of a plan's operators, which no capture of an array has.
SIZES = Plot(
    id="choices",
    title="Tile sizes",
    help="Every point is a tile of m × k × n that divides the GEMM among the cores: bytes in a core's memory against "
    "GMAC/s as measured by runs of this GEMM, and as predicted from them with an interval of 95 %; or against bytes "
    "from and to DDR. There filled points fit into cores and memory tiles, and the line joins the Pareto-optimal points. The "
    "diamond is this run. A number of KiB tries another size of a core's memory.",
    needs=frozenset({Capability.TILING, Capability.ITERATIONS}),
    width=Width.NARROW,
    choices=(_OVER,),
    selection=TILING,
    controls=capacity_control("try a core memory of"),
    other_runs=lambda data: data.other_runs,
    draw=sizes_panel,
    tables=sizes_tables,
)
