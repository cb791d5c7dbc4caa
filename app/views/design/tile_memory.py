"""Memory of a tile of a capture's design: map of its buffers, and occupancy of its banks."""

from __future__ import annotations

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.selection import MemorySelection
from app.views.design.place import design_of, displayed_tile
from app.views.memory.actions import apply_click
from app.views.memory.controls import find_control
from app.views.memory.shown import block_row
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.view import Click, Panel, Plot, Width
from components.caption import Caption, Jump
from components.design.captions import buffer_words, tile_banks_caption, tile_memory_caption
from components.graph import nothing
from components.memory import banks, memory_map
from services.run.capabilities import Capability
from services.run.data import RunData

_NO_STEPS = {"title": {"text": ""}, "showticklabels": False}
"""Axis of a map of a tile, which has no time: its single step would be labelled `step 0`."""


def shown_tile_map(data: RunData, state: RunState) -> AttemptMap | None:
    """Return the memory map of the displayed tile; `None` if its addresses are not known."""
    return design_of(data).tile_map(displayed_tile(data, state))


def selected_map(data: RunData, state: RunState) -> AttemptMap | None:
    """Return the memory map that the selected buffer or bank is of; `None` without a selection."""
    shown = shown_tile_map(data, state)
    return shown if shown is not None and shown.number == state.memory.attempt else None


def map_selection(state: RunState, shown: AttemptMap) -> MemorySelection:
    """Return the selection within the displayed map; the block of another tile is not selected."""
    memory = state.memory
    if memory.attempt != shown.number:
        return MemorySelection(attempt=shown.number, addresses=memory.addresses)
    return MemorySelection(
        attempt=shown.number, block=memory.block, bank=memory.bank, addresses=memory.addresses
    )


def tile_map_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the buffers of the displayed tile by address; a sentence without known addresses."""
    shown = shown_tile_map(data, state)
    if shown is None:
        return Panel(nothing(theme), _no_address_sentence(data, state))
    chosen = map_selection(state, shown)
    view = memory_map.memory_map([shown], chosen, theme, search=state.find)
    figure = view.figure.with_layout(
        uirevision=f"{shown.number} {chosen.addresses}", xaxis=_NO_STEPS
    )
    row = block_row(shown, chosen.block)
    tile = displayed_tile(data, state)
    caption = Caption(tile_memory_caption(tile, shown), Jump(tile, "track", tile))
    if row is None:
        return Panel(figure, caption, view.line)
    users = {(one["tile"], one["name"]): one["users"] for one in design_of(data).model.buffers}
    block = shown.blocks.iloc[row]
    words = buffer_words(block, users.get((tile, str(block["name"])), []))
    return Panel(figure, caption, f"{view.line} {words}".strip())


def tile_banks_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw how much of each bank of the displayed tile is in use; a sentence without addresses."""
    shown = shown_tile_map(data, state)
    if shown is None:
        return Panel(nothing(theme), _no_address_sentence(data, state))
    chosen = map_selection(state, shown)
    figure = banks.banks([shown], chosen, theme, shown.length).with_layout(xaxis=_NO_STEPS)
    return Panel(figure, tile_banks_caption(shown, chosen.bank))


def _no_address_sentence(data: RunData, state: RunState) -> str:
    tile = displayed_tile(data, state)
    if not tile:
        return "The design does not tell the addresses of its buffers."
    return f"{tile} has no buffer with a known address."


def _map_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    return _select_parts(state, data, memory_map.parse_click(click))


def _banks_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    parts = banks.parse_click(click)
    # A map of a tile has a single step, which is no selection.
    return _select_parts(
        state, data, {name: part for name, part in parts.items() if name != "step"}
    )


def _select_parts(state: RunState, data: RunData, parts: dict[str, int]) -> RunState:
    shown = shown_tile_map(data, state)
    if shown is None or not parts:
        return state
    kept = state.remembering(attempt=shown.number, **_own_parts(state, shown))
    return apply_click(kept, {**parts, "attempt": shown.number}, shown.number)


def _own_parts(state: RunState, shown: AttemptMap) -> dict[str, int | None]:
    chosen = map_selection(state, shown)
    return {"block": chosen.block, "bank": chosen.bank}


def buffer_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the buffers of the displayed tile; empty without known addresses."""
    shown = shown_tile_map(data, state)
    if shown is None:
        return []
    rows = shown.blocks[["name", "address", "size"]]
    return [plain_table(f"buffers of {displayed_tile(data, state)}", rows)]


FOLD = "Memory and banks of the tile, locks and flows of the design"
"""Line of the fold of a capture's views of its design."""
_NEEDS = frozenset({Capability.DESIGN, Capability.TIMELINE})
TILE_MAP = Plot(
    id="tilemap",
    title="Tile memory",
    help="The buffers and the stack of the selected tile by address; without a selection of the tile with most memory "
    "stalls, else of the fullest one. Lines are banks, the dashed one is the end of the memory. Click selects a buffer.",
    needs=_NEEDS,
    group="design",
    fold=FOLD,
    width=Width.HALF,
    controls=find_control("find a buffer"),
    draw=tile_map_panel,
    on_click=_map_clicked,
    zooms=("span", "addresses"),
    tables=buffer_tables,
)
TILE_BANKS = Plot(
    id="tilebanks",
    title="Banks of the tile",
    help="Share of each bank of that tile's memory that buffers and stack take. Click selects a bank.",
    needs=_NEEDS,
    group="design",
    fold=FOLD,
    width=Width.HALF,
    draw=tile_banks_panel,
    on_click=_banks_clicked,
)
