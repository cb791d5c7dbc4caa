"""View of the efficiencies of a GEMM over M, K or N, from the runs that differ only in that size."""

from __future__ import annotations

from analysis.aie.efficiency import SizeSweep
from app.views.option import Option
from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import Panel, Plot, Width
from components.graph import nothing
from components.numbers import count_text, integer
from components.tiling.size_sweep_plot import Series, size_sweep_plot
from components.tiling.size_sweep_words import HEADS, size_text, sweep_caption, sweep_cells
from services.run.capabilities import Capability
from services.run.data import RunData

_OVER = Option("size", "which size changes", {"M": "M", "K": "K", "N": "N"})


def _sweep(data: RunData, state: RunState) -> SizeSweep | None:
    return None if data.find_sweep is None else data.find_sweep(_OVER.of(state))


def sweep_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw kernel and system efficiency over the sizes, and the wall clock if any run has it."""
    sweep = _sweep(data, state)
    if sweep is None:
        return Panel(nothing(theme), "")
    found = [swept.efficiency for swept in sweep.sizes]
    series = [
        Series("kernel efficiency", [each.kernel for each in found]),
        Series("system efficiency", [each.system for each in found]),
    ]
    if any(each.wall_clock is not None for each in found):
        series.append(Series("by wall clock", [each.wall_clock for each in found]))
    sizes = [integer(swept.size) for swept in sweep.sizes]
    texts = [size_text(sweep, swept) for swept in sweep.sizes]
    drawn = size_sweep_plot(sizes, series, texts, sweep.dimension, theme)
    return Panel(drawn, sweep_caption(sweep))


def sweep_tables(data: RunData, state: RunState) -> list[Table]:
    """Format a row per size as text."""
    sweep = _sweep(data, state)
    if sweep is None:
        return []
    rows = sweep_cells(sweep)
    heads = [(head or "size", "") for head in HEADS]
    return [Table(f"sweep over {sweep.dimension}", count_text(len(rows), "row"), heads, rows)]


SIZE_SWEEP = Plot(
    id="sizesweep",
    title="Efficiency over M, K or N",
    help="Kernel efficiency (MACs of a kernel over its mean duration) and system efficiency (MACs over the elapsed time "
    "of the measured iterations) as shares of the peak, for the newest run of each size. The runs share hardware, data "
    "type, grid, tile and the other two sizes. Dashes and crosses bridge sizes whose number is not known.",
    needs=frozenset({Capability.TILING, Capability.ITERATIONS}),
    only=lambda data: data.find_sweep is not None,
    width=Width.NARROW,
    choices=(_OVER,),
    other_runs=lambda data: data.other_runs,
    draw=sweep_panel,
    tables=sweep_tables,
)
