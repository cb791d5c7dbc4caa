"""View of measured and predicted tile sizes, from all runs of the same GEMM."""

from __future__ import annotations

from analysis.tiling.advice import Advice, Size
from analysis.tiling.array_gemm import Whole, array_tile
from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import ContentView, Panel, Part, Width
from components.numbers import count_text, gmacs
from components.tiling.advice_captions import advice_caption, size_text
from components.tiling.advice_table import HEADS, advice_cells, advice_table
from components.tiling.rate_plot import RatedSize, rate_plot
from services.run.advice import gemm_whole
from services.run.capabilities import Capability
from services.run.data import RunData

_MAX_PREDICTED = 60
"""Maximum predicted sizes that are drawn; the best come first."""


def rate_panel(data: RunData, theme: str) -> Panel | None:
    """Draw GMAC/s of the measured and predicted tile sizes over the bytes that they hold in a core.

    The result is None if no run of the GEMM has a rate, or the run is no GEMM.
    """
    row = data.run.iloc[0].to_dict()
    whole = gemm_whole(row)
    advice = data.advice
    if whole is None or advice is None or not advice.measured:
        return None
    own = _own_size(data)
    rated = [_measured_point(whole, advice, at, own) for at in range(len(advice.measured))]
    rated += [
        _predicted_point(whole, advice, at) for at in range(len(advice.predicted[:_MAX_PREDICTED]))
    ]
    return Panel(rate_plot(rated, theme), advice_caption(advice, own))


def _own_size(data: RunData) -> Size:
    row = data.run.iloc[0]
    return int(row["m"]), int(row["k"]), int(row["n"])


def _measured_point(whole: Whole, advice: Advice, at: int, own: Size) -> RatedSize:
    measured = advice.measured[at]
    text = f"{size_text(measured.size)}\n{gmacs(measured.gmacs)} GMAC/s, {count_text(measured.runs, 'run')}"
    held = array_tile(whole, *measured.size).core_bytes
    return RatedSize(held, measured.gmacs, None, measured.size == own, text)


def _predicted_point(whole: Whole, advice: Advice, at: int) -> RatedSize:
    predicted = advice.predicted[at]
    interval = f"{gmacs(predicted.low)} to {gmacs(predicted.high)}"
    text = (
        f"{size_text(predicted.size)}\npredicted {gmacs(predicted.gmacs)} GMAC/s, 95 %: {interval}"
    )
    held = array_tile(whole, *predicted.size).core_bytes
    return RatedSize(held, predicted.gmacs, (predicted.low, predicted.high), False, text)


def _advice_part(data: RunData, _state: RunState) -> Part:
    if data.advice is None or not data.advice.measured:
        return Part(None, "")
    own = _own_size(data)
    return Part(advice_table(data.advice, own), advice_caption(data.advice, own))


def _advice_tables(data: RunData, _state: RunState) -> list[Table]:
    if data.advice is None or not data.advice.measured:
        return []
    cells = advice_cells(data.advice, _own_size(data))
    labels = [(head or "what", "") for head in HEADS]
    return [
        Table(
            "measured and predicted tile sizes",
            count_text(len(cells), "row"),
            labels,
            [*map(list, cells)],
        )
    ]


ADVICE = ContentView(
    id="sizes",
    title="Measured tile sizes",
    help="Every m × k × n that runs of this GEMM, data type and grid on this hardware were measured with, best first "
    "by the median of their GMAC/s; then sizes that a model of the time of a kernel, fitted to them, predicts, with an "
    "interval of 95 %. Sizes outside of the measured range are not predicted.",
    needs=frozenset({Capability.TILING, Capability.ITERATIONS}),
    width=Width.FULL,
    other_runs=lambda data: data.other_runs,
    make=_advice_part,
    tables=_advice_tables,
)
