"""Views of the blocks of an attempt: the selected block, blocks alive, built-in allocators."""

from __future__ import annotations

from urllib.parse import quote

from dash import dcc, html
from dash.development.base_component import Component

from analysis.memory.alive import alive, neighbours, users
from analysis.memory.cursor import cursor
from app.views.memory import actions
from app.views.memory.obstacles import obstacles_section
from app.views.memory.shown import LAYOUT, block_row, shown_map
from app.views.memory.stacks import block_calls
from app.views.saved_placements import question_address
from app.views.state import RunState
from app.views.text_tables import Table, frame_table, rows_tables
from app.views.view import ContentView, Grid, Link, Part, Width
from components.memory.alive_table import alive_table
from components.memory.block_card import block_card
from components.memory.packing_caption import packing_caption
from components.memory.step_captions import alive_caption
from components.numbers import count_text, in_unit
from components.runs.list_address import list_address
from data_loaders.minimalloc.problem import TAG
from schema.choices import PLACED
from services.run.capabilities import Capability
from services.run.data import RunData

ALIVE_GRID = "run-alive-grid"


def block_part(data: RunData, state: RunState) -> Part:
    """Lay out the details of the selected block in the displayed attempt; empty without a
    selection, a sentence if the attempt does not have the block.
    """
    shown = shown_map(data, state)
    if shown is None or state.memory.block is None:
        return Part(None, "")
    row = block_row(shown, state.memory.block)
    if row is None:
        gone = f"There is no block {state.memory.block} in {shown.label}."
        return Part(html.P(gone, className="ts-panel-hint"), "")
    calls = block_calls(data, shown.blocks.iloc[row])
    return Part(block_card(shown, row, obstacles_section(data, state), calls), "")


def packing_part(data: RunData, state: RunState) -> Part:
    """Lay out links to the lab and to runs of the same problem; the caption has the extents that
    the built-in allocators reach for the displayed attempt, and whether they fit if it failed.

    Empty if no attempt is displayed.
    """
    if shown_map(data, state) is None:
        return Part(None, "")
    stored = data.memory.shown_map(state.memory, PLACED)
    packings = data.memory.packings(state.memory)
    caption = ""
    if stored is not None:
        conflicts = data.memory.packing_conflicts(state.memory, list(packings))
        caption = packing_caption(
            stored,
            {LAYOUT.options[name]: need for name, need in packings.items()},
            {LAYOUT.options[name]: count for name, count in conflicts.items()},
        )
    return Part(html.Div([_lab(data, state), *_same_problem(data)]), caption)


def _lab(data: RunData, state: RunState) -> Component:
    """Lay out a link to the lab that opens the displayed attempt, or the problem of a saved
    placement.
    """
    number = data.memory.number(state.memory)
    saved = data.memory.find_saved(number)
    address = (
        f"/run/{quote(data.run_id)}/lab?attempt={number}"
        if saved is None
        else question_address(data.run_id, saved)
    )
    return html.P(
        dcc.Link("Try other placements in the lab", href=address), className="ts-panel-hint"
    )


def _same_problem(data: RunData) -> list[Component]:
    """Lay out the link to the runs that have the same buffers, in a list of length 1; empty if the
    run has no tag of a problem.
    """
    tags = [tag for tag in str(data.run["tags"].iloc[0]).split() if tag.startswith(TAG)]
    words = "Runs of the same problem: the problem and its solutions"
    return [
        html.P(html.A(words, href=list_address({"q": tag})), className="ts-panel-hint")
        for tag in tags[:1]
    ]


def alive_part(data: RunData, state: RunState) -> Part:
    """List the blocks alive at the step cursor, or at the peak if there is no cursor; empty if no
    attempt is displayed.
    """
    shown = shown_map(data, state)
    if shown is None:
        return Part(None, "")
    step = cursor(shown, state.memory)
    caption = alive_caption(shown, step, chosen=state.memory.step == step)
    return Part(alive_table(ALIVE_GRID, shown, step, state.memory.block), caption)


def alive_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the blocks alive at the step cursor, or at the peak; empty if no
    attempt is displayed.
    """
    shown = shown_map(data, state)
    if shown is None:
        return []
    step = cursor(shown, state.memory)
    return [
        frame_table("allocations", alive(shown, step), f"alive in {shown.label} at step {step}")
    ]


def packing_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the extents that the built-in allocators reach for the displayed
    attempt; empty if they were not run.
    """
    packings = data.memory.packings(state.memory)
    rows = [[LAYOUT.options[name], in_unit(need, "bytes")] for name, need in packings.items()]
    labels = [("allocator", "built-in allocator"), ("extent", "highest address in use")]
    return (
        [Table("built-in allocators", count_text(len(rows), "allocator"), labels, rows)]
        if rows
        else []
    )


def block_tables(data: RunData, state: RunState) -> list[Table]:
    """Build text tables of the selected block, its neighbours in memory, and its users; empty if no
    block is selected.
    """
    shown = shown_map(data, state)
    row = None if shown is None else block_row(shown, state.memory.block)
    if shown is None or row is None:
        return []
    beside = neighbours(shown, row)
    named = beside.assign(name=shown.blocks["name"].to_numpy()[beside["row"].to_numpy()])
    tables = [frame_table("allocations", shown.blocks.iloc[[row]], "the selected block")]
    tables += rows_tables("beside the selected block", named[["relation", "name", "distance"]])
    return tables + rows_tables("used by", users(shown, row))


_NEEDS = frozenset({Capability.ADDRESSES})
ALIVE = ContentView(
    id="alive",
    title="Alive",
    help="The blocks alive at the step cursor, or at the peak. Click selects a block.",
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    make=alive_part,
    stack="lists",
    tables=alive_tables,
    grid=Grid(ALIVE_GRID, on_cell=actions.block_listed),
)
BLOCK = ContentView(
    id="block",
    title="Block",
    help="The selected block, its neighbours in memory, and the operators that use it.",
    needs=_NEEDS,
    group="memory",
    width=Width.WIDE,
    make=block_part,
    tables=block_tables,
    stack="steps",
    links=tuple(
        Link(
            kind,
            ("block",),
            lambda state, data, named: actions.block_listed(state, data, int(named["block"])),
        )
        for kind in ("block-link", "obstacle-link")
    ),
)
PACKING = ContentView(
    id="packing",
    title="Built-in allocators",
    help=(
        "The same blocks placed by the built-in allocators, ignoring the capacity. "
        "Select an allocator above the map to see its placement."
    ),
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    stack="lists",
    make=packing_part,
    tables=packing_tables,
)
