"""Views of a whole network: needs and traffic of all operators, a sweep of capacities, pairs of
levels.
"""

from __future__ import annotations

from dash import html

from analysis.tiling.deeploy.network_summary import NetworkLevel
from app.views.option import Option
from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import ContentView, Panel, Part, Plot, Width
from components.counts import part_text
from components.graph import nothing
from components.numbers import count_text, integer
from components.tiling.network_tables import (
    LEVEL_HEADS,
    STEP_HEADS,
    WORST_HEADS,
    joint_cells,
    level_cells,
    step_cells,
    sweep_control,
    text_table,
    worst_cells,
)
from components.tiling.network_words import network_caption
from components.tiling.sweep_plot import sweep_plot
from schema.command import COMMAND
from services.run.capabilities import Capability
from services.run.data import RunData

_NEEDS = frozenset({Capability.TILING, Capability.MEMORY})
LEVEL = Option("network", "memory level", {"L1": "L1", "L2": "L2", "L3": "L3"})
_SWEEP = "run-sweep"


def _level(data: RunData, state: RunState) -> NetworkLevel | None:
    return None if data.network is None else data.network.level(LEVEL.of(state))


def network_part(data: RunData, state: RunState) -> Part:
    """Lay out the needs and the traffic of all operators by level, and of the operators that move
    most at the chosen level.

    Empty if the plan has no such level.
    """
    level = _level(data, state)
    if data.network is None or level is None:
        return Part(None, "")
    tables = [
        text_table(LEVEL_HEADS, level_cells(data.network), "Memory levels"),
        html.H3(f"Largest transfers at {level.level}", className="ts-part-title"),
        text_table(WORST_HEADS, worst_cells(level), "Operators that move most"),
    ]
    return Part(html.Div(tables, className="ts-network"), network_caption(level))


def network_tables(data: RunData, state: RunState) -> list[Table]:
    """Build text tables of the levels, the operators with most traffic, and the capacities tried;
    empty if the plan has no chosen level.
    """
    level = _level(data, state)
    if data.network is None or level is None:
        return []
    return [
        _table("memory levels", LEVEL_HEADS, level_cells(data.network)),
        _table(f"operators that move most at {level.level}", WORST_HEADS, worst_cells(level)),
        _table(f"capacities of {level.level}", STEP_HEADS, step_cells(level)),
    ]


def _table(name: str, heads: tuple[str, ...] | list[str], rows: list[list[str]]) -> Table:
    return Table(name, count_text(len(rows), "row"), [(head, "") for head in heads], rows)


def sweep_part(data: RunData, state: RunState) -> Part:
    """Lay out the capacities of the chosen level as a slider that the browser handles without
    requests; empty if the plan has no such level.
    """
    level = _level(data, state)
    if level is None:
        return Part(None, "")
    return Part(
        sweep_control(level, _SWEEP), "Drag the slider: every step is a capacity that has a name."
    )


def sweep_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the bytes moved, and the extents of the allocators, over the capacity of the chosen
    level; an empty figure without the level.
    """
    level = _level(data, state)
    if level is None:
        return Panel(nothing(theme), "")
    figure = sweep_plot(level, theme).with_layout(uirevision=level.level)
    return Panel(figure, capacities_sentence(level))


def capacities_sentence(level: NetworkLevel) -> str:
    """Count the capacities of the sweep that are large enough for all operators."""
    fitting = sum(step.moved_bytes is not None for step in level.steps)
    tried = count_text(len(level.steps), "capacity")
    if not fitting:
        return f"None of {tried} is large enough for all operators."
    verb = "is" if fitting == 1 else "are"
    counts = f"{integer(fitting)} of {tried} {verb}"
    return f"{counts} large enough for all operators; the shaded range is too small."


def joint_part(data: RunData, _state: RunState) -> Part:
    """Lay out a table with the pairs of capacities of two levels; empty without pairs."""
    if data.network is None or not data.network.joint:
        return Part(None, "")
    heads, rows = joint_cells(data.network)
    fits = [point for point in data.network.joint if point.moved_bytes is not None]
    caption = pairs_sentence(len(fits), len(data.network.joint))
    return Part(text_table(heads, rows, "Two levels together"), caption)


def pairs_sentence(fitting: int, pairs: int) -> str:
    """Count the pairs of capacities into which all operators fit, and explain the mark ★."""
    if not fitting:
        return f"None of {count_text(pairs, 'pair')} of capacities fits all operators."
    verb = "fits" if fitting == 1 else "fit"
    counts = f"{part_text(fitting, pairs, 'pair')} of capacities {verb} all operators"
    return f"{counts}; ★: no pair that fits has less of both."


def joint_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the pairs of capacities of two levels; empty without pairs."""
    if data.network is None or not data.network.joint:
        return []
    return [_table("two levels together", *joint_cells(data.network))]


_WHAT_IF = "Other sizes of memories: bytes moved, highest end, two levels together"

NETWORK = ContentView(
    id="network",
    title="The whole network",
    help="Bytes that all operators need in a memory level and move through it. Smallest as tiled: every operator fits with "
    "the tool's tile; with any tiles: with the smallest possible tiles. Sums exclude unknown transfers and show their number.",
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    stack="lists",
    choices=(LEVEL,),
    make=network_part,
    tables=network_tables,
)
CAPACITIES = ContentView(
    id="capacities",
    title="Capacities tried",
    help="Results for other sizes of a memory level, each operator with the tile that fits and moves least. Drag "
    "the slider, or use the arrow keys.",
    needs=_NEEDS,
    group="what if",
    fold=_WHAT_IF,
    width=Width.HALF,
    make=sweep_part,
)
SWEEP = Plot(
    id="sweep",
    title="Moved bytes over capacity",
    help="Bytes moved for all operators over the capacity of the level (left), and where best fit and first fit end "
    "with these tiles (right). The shaded range is too small for some operator. The line is the capacity that the slider "
    f"shows. Other allocators: `{COMMAND} plan RUN`, or the lab.",
    needs=_NEEDS,
    group="what if",
    fold=_WHAT_IF,
    width=Width.HALF,
    draw=sweep_panel,
)
JOINT = ContentView(
    id="joint",
    title="Two levels together",
    help=(
        "Bytes moved at the two innermost levels for pairs of capacities: the tile of the outer level "
        "is the whole operand of the inner level. A larger capacity never moves more."
    ),
    needs=_NEEDS,
    group="what if",
    fold=_WHAT_IF,
    width=Width.FULL,
    make=joint_part,
    tables=joint_tables,
)
