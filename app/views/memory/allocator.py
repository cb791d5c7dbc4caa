"""Views of a caching allocator: its devices, and allocated and reserved bytes over their steps."""

from __future__ import annotations

from analysis.memory.reserved import reserved_bytes
from app.views.memory import actions
from app.views.memory.attempts import ATTEMPTS_GRID, attempt_marks
from app.views.memory.shown import drawn_maps, with_attempt
from app.views.state import RunState
from app.views.text_tables import Table, column_table
from app.views.view import ContentView, Grid, Panel, Part, Plot, Width
from components.graph import nothing
from components.memory import live_bytes
from components.memory.allocator_grid import ALLOCATOR_COLUMNS, allocator_grid, allocator_records
from components.memory.allocator_words import devices_words
from components.memory.axis import parse_step_click
from components.memory.captions import live_caption
from services.run.capabilities import Capability
from services.run.data import RunData


def allocated_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the allocated and reserved bytes of each device; an empty figure and a sentence if the
    run has no device.
    """
    maps = drawn_maps(data, state)
    if not maps:
        return Panel(nothing(theme), "This run has no device.")
    chosen = with_attempt(data, state).memory
    reserved = reserved_bytes(data.frame("counters"), data.frame("device_memory"))
    figure = live_bytes.live_bytes(maps, chosen, theme, reserved)
    own = None if chosen.attempt is None else reserved.get(chosen.attempt)
    return Panel(figure, live_caption(maps, chosen, own))


def devices_part(data: RunData, state: RunState) -> Part:
    """List the devices in a grid; the displayed device is marked."""
    chosen = with_attempt(data, state).memory
    grid = allocator_grid(ATTEMPTS_GRID, data.frame("device_memory"), chosen.attempt)
    return Part(grid, devices_words(data.memory.attempts))


def devices_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the devices."""
    rows = allocator_records(data.frame("device_memory"))
    return [column_table("devices", ALLOCATOR_COLUMNS, rows)]


_NEEDS = frozenset({Capability.ADDRESSES, Capability.ALLOCATOR})
DEVICES = ContentView(
    id="attempts",
    title="Devices",
    help="The devices of the allocator, with allocated and reserved bytes. Click shows one.",
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    make=devices_part,
    key=lambda _data, state: state.method,
    stack="lists",
    tables=devices_tables,
    grid=Grid(
        ATTEMPTS_GRID,
        on_cell=actions.attempt_listed,
        marked=("dashGridOptions", "scrollTo"),
        marks=attempt_marks,
    ),
)
ALLOCATED = Plot(
    id="live",
    title="Allocated and reserved bytes",
    help="Bytes that were allocated, and bytes of the segments that the allocator reserved, after each entry of the trace. "
    "The diamond is the peak of the allocated bytes. Click sets the step cursor.",
    needs=_NEEDS,
    group="memory",
    width=Width.WIDE,
    stack="steps",
    draw=allocated_panel,
    on_click=actions.on_plot(parse_step_click),
    zooms=("span",),
)
