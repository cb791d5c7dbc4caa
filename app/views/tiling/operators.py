"""Views of operators that are cut into tiles at the memory levels of a plan."""

from __future__ import annotations

import pandas as pd

from analysis.tiling.deeploy.choices import Choice, Tiled
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.tiling.fold import FOLD
from app.views.tiling.selection import TILING, TilingSelection
from app.views.tiling.shown import capacity_control, operator_listed, shown_operator, tried_bytes
from app.views.view import ContentView, Grid, Panel, Part, Plot, Width
from components.graph import nothing
from components.numbers import DASH, count_text, size
from components.tiling import captions
from components.tiling.choices_plot import Limit, Point, choices_plot
from components.tiling.operators_grid import (
    grid_options,
    operator_records,
    operators_grid,
    scroll_target,
)
from components.tiling.words import exact_size, tile_text
from services.run.capabilities import Capability
from services.run.data import RunData

_GRID = "run-tiling-grid"


def operators_part(data: RunData, state: RunState) -> Part:
    """List the tiled operators with the tool's tiles in a grid; the displayed operator is marked."""
    tiled = data.tiling.tiled_operators
    return Part(
        operators_grid(_GRID, tiled, shown_operator(data, state)), captions.operators_caption(tiled)
    )


def operators_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the tiled operators and the tool's tiles."""
    rows = pd.DataFrame(operator_records(data.tiling.tiled_operators)).drop(columns="row")
    return [plain_table("tilings of operators", rows)]


def choices_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the possible tiles of the displayed operator: bytes held against bytes moved; an empty
    figure if fewer than 2 have known traffic.
    """
    number = shown_operator(data, state)
    buffers = state.selected(TilingSelection).buffers
    tiled = data.tiling.with_buffers(number, buffers)
    (choices, _) = data.tiling.choices(number, buffers)
    tried = tried_bytes(state)
    caption = captions.choices_caption(tiled, choices, tried)
    limit = tiled.operator.capacity if tried is None else tried
    points = [_point(choice, tiled, limit) for choice in choices if choice.moved_bytes is not None]
    if len(points) < 2:
        return Panel(nothing(theme), caption)
    level = tiled.operator.level
    axes = (f"bytes held in {level}", f"bytes moved into and out of {level}")
    figure = choices_plot(points, _limits(tiled, tried), axes, theme)
    return Panel(figure.with_layout(uirevision=f"{number}"), caption, _line(tiled))


def _limits(tiled: Tiled, tried: int | None) -> list[Limit]:
    """Return the lines of the available bytes: capacity, and capacity to try, each without the
    level's constants; a missing capacity has no line.
    """
    operator = tiled.operator
    limits = []
    if operator.capacity is not None:
        words = f"capacity {size(operator.capacity)}"
        limits.append(Limit(max(operator.capacity - operator.static, 0), words))
    if tried is not None:
        limits.append(Limit(max(tried - operator.static, 0), f"tried {size(tried)}", tried=True))
    return limits


def _point(choice: Choice, tiled: Tiled, limit: int | None) -> Point:
    operator = tiled.operator
    fits = limit is None or choice.bytes + operator.static <= limit
    moved = f"{size(choice.dma_in or 0)} in, {size(choice.dma_out or 0)} out"
    tiles = f"{DASH} tiles" if choice.tiles is None else count_text(choice.tiles, "tile")
    text = f"{tile_text(choice.tile)}\n{exact_size(choice.bytes)} held, {tiles}\n{moved}"
    own = "\nas the tool chose" if choice.own else ""
    return Point(
        choice.bytes, float(choice.moved_bytes or 0), fits, choice.best, choice.own, text + own
    )


def _line(tiled: Tiled) -> str:
    """Compose a sentence with the tool's tile of each operand: shape and bytes."""
    pairs = zip(tiled.operator.held, tiled.shapes, strict=True)
    parts = [
        f"{held.operand or 'buffer'} {'×'.join(map(str, shape)) if shape else DASH} ({size(held.bytes)})"
        for held, shape in pairs
    ]
    return f"As chosen: {', '.join(parts)}."


def choices_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the best tiles of the displayed operator, and the tool's own."""
    number = shown_operator(data, state)
    choices, _ = data.tiling.choices(number, state.selected(TilingSelection).buffers)
    rows = [
        {
            "tile": tile_text(choice.tile),
            "size a": choice.bytes,
            "tiles": choice.tiles,
            "moved in": choice.dma_in,
        }
        | {"moved out": choice.dma_out, "fits": choice.fits, "as chosen": choice.own}
        for choice in choices
        if choice.best or choice.own
    ]
    name = data.tiling.tiled_operators[number].operator.name
    frame = pd.DataFrame(rows).rename(columns={"size a": "held"})
    return [plain_table(f"best tilings of {name}", frame)]


_NEEDS = frozenset({Capability.TILING, Capability.MEMORY})
OPERATORS = ContentView(
    id="tiling",
    title="Tilings",
    help=(
        "The operators that are cut into tiles at a memory level: bytes that the level holds at a time, "
        "number of tiles, and bytes moved for all tiles. Click selects an operator."
    ),
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    stack="lists",
    selection=TILING,
    make=operators_part,
    # The rows do not depend on the view state.
    key=lambda _data, _state: "",
    tables=operators_tables,
    grid=Grid(
        _GRID,
        on_cell=operator_listed,
        marked=("dashGridOptions", "scrollTo"),
        marks=lambda data, state: [
            grid_options(shown_operator(data, state)),
            scroll_target(len(data.tiling.tiled_operators), shown_operator(data, state)),
        ],
    ),
)
CHOICES = Plot(
    id="choices",
    title="Choices of a tiling",
    help="Every point is a tile that the operator could be cut into: bytes held against bytes moved. Filled "
    "points fit with the constants of the level, the line joins the Pareto-optimal "
    "points, the diamond is the tile of the tool. A number of "
    "KiB tries another capacity.",
    needs=_NEEDS,
    group="tiling",
    fold=FOLD,
    width=Width.NARROW,
    selection=TILING,
    controls=capacity_control("try a capacity of"),
    draw=choices_panel,
    tables=choices_tables,
)
