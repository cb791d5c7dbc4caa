"""Memory views that consist of text and grids: attempts, block, live blocks, conflicts, comparison."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pandas as pd
from dash import dcc, html
from dash.development.base_component import Component

from analysis.memory.alive import alive, neighbours, users
from analysis.memory.bank_occupants import bank_occupants, steps_around
from analysis.memory.findings.bank_conflicts import bank_conflicts
from app.views.memory import actions
from app.views.memory.comparison import compare_part, comparison_tables
from app.views.memory.groups_selection import GROUPS_SELECTION, GroupSelection
from app.views.memory.obstacles import obstacles_section
from app.views.memory.shown import (
    LAYOUT,
    LISTED,
    block_row,
    shown_attempts,
    shown_map,
    with_attempt,
)
from app.views.memory.stacks import block_calls
from app.views.saved_placements import question_address, saved_count
from app.views.state import RunState
from app.views.text_tables import Table, frame_table, plain_table, rows_tables
from app.views.view import ContentView, Grid, Link, Part, Width
from components.caption import Caption
from components.memory.alive_table import alive_table
from components.memory.attempt_captions import attempts_caption, tiles_caption
from components.memory.attempts_grid import attempts_grid, grid_options, scroll_target
from components.memory.block_card import block_card
from components.memory.captions import NO_BANKS
from components.memory.conflict_list import conflict_list, conflicts_caption
from components.memory.occupants_table import occupants_caption, occupants_table
from components.memory.packing_caption import packing_caption
from components.memory.step_captions import NO_TABLE, alive_caption
from components.numbers import count_text, in_unit, integer
from components.runs.list_address import list_address
from data_loaders.minimalloc.problem import TAG
from schema.choices import PLACED
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.memory import cursor

ATTEMPTS_GRID, ALIVE_GRID = "run-attempts-grid", "run-alive-grid"


def attempts_part(data: RunData, state: RunState) -> Part:
    """List the allocation attempts in a grid; the displayed and the compared attempt are marked.

    The caption has the number of rows if option LISTED or a selected layer group leaves some out.
    """
    chosen = with_attempt(data, state).memory
    rows = shown_attempts(data, state)
    grid = attempts_grid(ATTEMPTS_GRID, rows, chosen.attempt, chosen.against)
    caption = attempts_caption(data.memory.attempts, chosen)
    more = saved_count(data.memory.saved)
    jumps = caption.jumps if isinstance(caption, Caption) else ()
    every = len(data.memory.listed_attempts)
    listed = f"{integer(len(rows))} listed." if len(rows) < every else ""
    return Part(grid, Caption(" ".join(filter(None, (caption, more, listed))), *jumps))


def tiles_part(data: RunData, state: RunState) -> Part:
    """List the tiles of a design in a grid; the displayed and the compared tile are marked."""
    caption = tiles_caption(data.memory.attempts)
    return Part(attempts_part(data, state).body, caption)


def attempts_key(_data: RunData, state: RunState) -> str:
    """Build a text that changes with the rows of the grid of attempts, but not with the displayed
    attempt.
    """
    return f"{state.method} {LISTED.of(state)} {state.selected(GroupSelection).group}"


def attempt_marks(data: RunData, state: RunState) -> list[object]:
    """Return a list of the grid options that mark the displayed and the compared attempt, and the
    row to scroll to.
    """
    shown = data.memory.number(state.memory)
    listed = shown_attempts(data, state)
    return [grid_options(len(listed), shown, state.memory.against), scroll_target(listed, shown)]


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


def conflicts_part(data: RunData, state: RunState) -> Part:
    """List blocks of a step's computation and transfers that share a bank; a hint about the missing
    data if the log has no banks or transfers.
    """
    candidates = find_conflicts(data, state)
    if candidates is None:
        return _lacking(data, state)
    return Part(
        conflict_list(candidates) if len(candidates) else html.Div(), conflicts_caption(candidates)
    )


def _lacking(data: RunData, state: RunState) -> Part:
    """Lay out a hint about the data that a log lacks for the views of banks.

    The result is empty for sources without banks.
    """
    shown = shown_map(data, state)
    if shown is None or not data.can(Capability.LAYER_GROUPS):
        return Part(None, "")
    words = NO_TABLE if shown.whole("banks") else NO_BANKS
    return Part(html.P(words, className="ts-panel-hint"), "")


def find_conflicts(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Return the candidates for bank conflicts in the displayed attempt, a row per pair of blocks.

    The result is None if the attempt has no banks or its log does not have the transfers of each
    step.
    """
    shown = shown_map(data, state)
    if shown is None or not shown.whole("banks"):
        return None
    events = data.memory.attempt_events(shown.number)
    return bank_conflicts(shown, events) if len(events) else None


def occupants_part(data: RunData, state: RunState) -> Part:
    """List the blocks in each bank at the steps around the cursor; a hint about the missing data if
    the log has no banks.
    """
    shown = shown_map(data, state)
    if shown is None or not shown.whole("banks"):
        return _lacking(data, state)
    step = cursor(shown, state.memory)
    around = steps_around(shown, step, state.memory.span)
    occupants = bank_occupants(shown, around)
    if not len(occupants):
        return Part(None, "")
    return Part(
        occupants_table(shown, occupants, around, step), occupants_caption(shown, occupants, around)
    )


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


def conflicts_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the candidates for bank conflicts in the displayed attempt; empty if
    there are no candidates.
    """
    shown = shown_map(data, state)
    conflicts = find_conflicts(data, state)
    if shown is None or conflicts is None or not len(conflicts):
        return []
    return [plain_table(f"candidates for bank conflicts in {shown.label}", conflicts)]


_NEEDS = frozenset({Capability.ADDRESSES})
# Two views share this grid: no run has both, because their needs exclude each other.
_ATTEMPTS_ROWS = Grid(
    ATTEMPTS_GRID,
    on_cell=actions.attempt_listed,
    marked=("dashGridOptions", "scrollTo"),
    marks=attempt_marks,
    rows=shown_attempts,
)
ATTEMPTS = ContentView(
    id="attempts",
    title="Attempts",
    help="Allocation attempts by layer group. Click a row to show it; vs compares it with the attempt before it in its "
    "group.",
    needs=_NEEDS | {Capability.TRIES, Capability.SEVERAL_ATTEMPTS},
    group="memory",
    width=Width.HALF,
    stack="lists",
    choices=(LISTED,),
    selection=GROUPS_SELECTION,
    make=attempts_part,
    key=attempts_key,
    grid=_ATTEMPTS_ROWS,
)
LEVELS = ContentView(
    id="attempts",
    title="Levels",
    help="The memory levels of the plan. Click a row to show it; vs compares it with the level that is shown.",
    needs=_NEEDS | {Capability.LEVELS, Capability.SEVERAL_ATTEMPTS},
    group="memory",
    width=Width.HALF,
    stack="lists",
    make=attempts_part,
    key=attempts_key,
    grid=_ATTEMPTS_ROWS,
    only=lambda data: not data.can(Capability.DESIGN),
)
TILES = replace(
    LEVELS,
    title="Tiles",
    help="The memories of the tiles of the design. Click a row to show it; vs compares it with the tile that is shown.",
    make=tiles_part,
    only=lambda data: data.can(Capability.DESIGN),
)
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
OCCUPANTS = ContentView(
    id="occupants",
    title="Blocks in banks",
    help="The blocks in each bank at each step, around the step cursor; a cell's tooltip has their bytes.",
    needs=_NEEDS,
    group="memory",
    width=Width.FULL,
    make=occupants_part,
)
CONFLICTS = ContentView(
    id="conflicts",
    title="Bank conflicts",
    help="Candidates: blocks that one step computes with and transfers in the same bank. Not every candidate costs time.",
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    stack="lists",
    make=conflicts_part,
    tables=conflicts_tables,
)
COMPARE = ContentView(
    id="compare",
    title="Comparison",
    help="The older attempt (A) against the newer one (B): each number, new minus old, and each block by name.",
    needs=_NEEDS,
    group="memory",
    width=Width.WIDE,
    make=compare_part,
    stack="steps",
    tables=comparison_tables,
)
