"""View of the operators of a profile; a click selects the kernels that an operator launched."""

from __future__ import annotations

from analysis.selection import name_key
from app.views.state import RunState, toggle_part
from app.views.view import ContentView, Grid, Part, Width
from components.kernels.operator_words import operators_sentence
from components.kernels.operators_grid import (
    operator_options,
    operators_caption,
    operators_grid,
)
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.node_operators import OPERATOR_FRAMES, has_node_operators, node_operators
from services.run.operators import Operators

_GRID = "run-operators-grid"


def operators_part(data: RunData, state: RunState) -> Part:
    """List the operators with their time on the host and on devices; the selected one is marked."""
    result = data.profile.operators
    if result.rows.empty:
        return Part(None, "")
    grid = operators_grid(
        _GRID, result.rows, result.shapes, result.unattributed[1], state.selection.op
    )
    return Part(grid, _caption(data, result))


def _caption(data: RunData, result: Operators) -> str:
    """Write the caption; of ONNX Runtime it is the first sentence of the page."""
    if has_node_operators(str(data.run.iloc[0]["source"])):
        nodes = node_operators({name: data.frame(name) for name in OPERATOR_FRAMES})
        return operators_sentence(nodes.rows, nodes.runs, nodes.unattributed, nodes.outside_ns)
    return operators_caption(result.rows, result.unattributed, result.unknown)


def operator_listed(state: RunState, data: RunData, row: int, _column: str = "") -> RunState:
    """Return the state with the operator in row `row` (from 0) of frame `operators` selected, or
    cleared if it was selected. Unchanged for a row that does not exist.
    """
    rows = data.profile.operators.rows
    if not 0 <= row < len(rows):
        return state
    return toggle_part(state, "op", name_key(str(rows["name"].iloc[row])))


OPERATORS = ContentView(
    id="operators",
    title="Operators",
    help="Operators of the framework over all of their calls in the trace: time on the host and of what they launched on "
    "devices. Sort by a column; a click selects the kernels that an operator launched in every view.",
    needs=frozenset({Capability.NAMED_KERNELS, Capability.OPERATORS}),
    group="operators of a profile",
    width=Width.FULL,
    make=operators_part,
    key=lambda _data, _state: "",
    grid=Grid(
        _GRID,
        on_cell=operator_listed,
        marked=("dashGridOptions",),
        marks=lambda data, state: [
            operator_options(data.profile.operators.rows, state.selection.op)
        ],
    ),
)
