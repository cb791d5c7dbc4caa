"""Plots of memory maps in time steps of a plan: map, occupancy, live bytes, time steps."""

from __future__ import annotations

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.cursor import cursor
from app.views.memory import actions
from app.views.memory.controls import find_control
from app.views.memory.shown import LAYOUT, drawn_maps, shown_layout, shown_map, with_attempt
from app.views.option import Option
from app.views.saved_placements import origin_sentence
from app.views.state import RunState
from app.views.view import Panel, Plot, Width
from components.graph import nothing
from components.memory import banks, live_bytes, memory_map, step_stack, timesteps
from components.memory.axis import parse_step_click
from components.memory.captions import banks_caption, live_caption, map_caption
from components.memory.colours import COLOURS
from components.memory.step_captions import alive_caption, peak_caption, timesteps_caption
from components.numbers import integer
from schema.choices import PLACED
from services.run.built_in_layouts import is_laid
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.memory import MAX_AT_ONCE

_COLOUR = Option(
    "colour",
    "colour of the blocks",
    {name: f"colour by {label}" for name, label in COLOURS.items() if name != "dtype"},
)


def map_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw address and lifetime of every block of the displayed maps, and of the compared attempt.

    An empty figure and a sentence if the run has no attempt.
    """
    maps = drawn_maps(data, state)
    if not maps:
        return _nothing(theme)
    chosen = with_attempt(data, state).memory
    view = memory_map.memory_map(
        _beside(data, state, maps),
        chosen,
        theme,
        colour=_COLOUR.of(state),
        search=state.find,
        segments=_segments(data, state),
    )
    # Plotly keeps the zoom of the browser while `uirevision` is equal.
    figure = view.figure.with_layout(
        uirevision=f"{chosen.attempt} {chosen.span} {chosen.addresses}"
    )
    layout = shown_layout(data, state)
    own = f"Placed by the built-in allocator ({LAYOUT.options[layout]}). "
    origin = origin_sentence(data.memory, chosen.attempt)
    if not all(is_laid(amap, layout) for amap in maps):
        own = (
            ""
            if layout == PLACED
            else "Too many blocks for the built-in allocator: shown as placed. "
        )
    if layout == PLACED and _too_many(maps):
        own = (
            f"More than {integer(MAX_AT_ONCE)} lifetimes: select an allocator above to place them. "
        )
    shown = next(amap for amap in maps if amap.number == chosen.attempt)
    line = f"{view.line} {peak_caption(shown)}".strip()
    return Panel(figure, origin + own + map_caption(maps, chosen), line)


def _segments(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Return frame `memory_segments`; None if blocks are not drawn at their own addresses."""
    return data.frame("memory_segments") if shown_layout(data, state) == PLACED else None


def _too_many(maps: list[AttemptMap]) -> bool:
    """Return whether no block has an address and the lifetimes of a map are more than MAX_AT_ONCE,
    too many for an automatic layout.
    """
    placed = any(amap.blocks["address"].notna().any() for amap in maps)
    return not placed and any(len(amap.segments) > MAX_AT_ONCE for amap in maps)


def _beside(data: RunData, state: RunState, maps: list[AttemptMap]) -> list[AttemptMap]:
    """Return the maps; a single map is followed by that of the compared attempt, if there is any.

    Several maps are levels of a plan, which are drawn together anyway.
    """
    if len(maps) != 1:
        return maps
    other = data.memory.against(state.memory, shown_layout(data, state))
    return maps if other is None or other.number == maps[0].number else [*maps, other]


def _steps_in_view(data: RunData, state: RunState, maps: list[AttemptMap]) -> int:
    """Return the number of steps on the shared time axis: that of the longest of the maps and the
    compared attempt.
    """
    return max(amap.length for amap in _beside(data, state, maps))


def banks_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the occupancy of each bank of the shown attempt over steps, or of each memory level if
    its plan has several or there are no banks; a sentence if the run has no attempt.
    """
    maps = drawn_maps(data, state)
    chosen = with_attempt(data, state).memory
    if not maps:
        return _nothing(theme)
    figure = banks.banks(maps, chosen, theme, _steps_in_view(data, state, maps))
    return Panel(figure, banks_caption(maps, chosen))


def live_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the bytes alive at each step, with extent, bound and capacity; an empty figure and a
    sentence if the run has no attempt.
    """
    maps = drawn_maps(data, state)
    chosen = with_attempt(data, state).memory
    if not maps:
        return _nothing(theme)
    figure = live_bytes.live_bytes(_beside(data, state, maps), chosen, theme)
    return Panel(figure, live_caption(maps, chosen))


def timesteps_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the cycles of transfers and computation of each step of the displayed attempt; an empty
    figure and a sentence without attempt.
    """
    shown = shown_map(data, state)
    if shown is None:
        return _nothing(theme)
    chosen = with_attempt(data, state).memory
    events = data.memory.attempt_events(shown.number)
    figure = timesteps.timesteps(shown, events, chosen, theme, _steps_in_view(data, state, [shown]))
    return Panel(figure, timesteps_caption(shown, chosen))


def step_stack_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the blocks alive at the step cursor, or at the peak, as a stack; an empty figure and a
    sentence without attempt.
    """
    shown = shown_map(data, state)
    if shown is None:
        return _nothing(theme)
    step = cursor(shown, state.memory)
    caption = alive_caption(shown, step, chosen=state.memory.step == step)
    drawn = step_stack.step_stack(shown, step, state.memory.block, theme)
    return Panel(drawn, caption, step_stack.left_out(shown, step))


def _nothing(theme: str) -> Panel:
    sentence = "This run has no allocation attempt."
    return Panel(nothing(theme), sentence)


_NEEDS = frozenset({Capability.ADDRESSES})
MAP = Plot(
    id="map",
    title="Memory map",
    help="Every block as a rectangle: steps across, addresses up. Lines are banks, the dashed one is the capacity. "
    "Failed blocks stand above it, in red. Drag zooms, the wheel with ctrl zooms at the pointer, shift and drag moves; "
    "click selects a block, double click shows all.",
    needs=_NEEDS,
    group="memory",
    width=Width.WIDE,
    stack="steps",
    choices=(_COLOUR, LAYOUT),
    controls=find_control("find a block"),
    draw=map_panel,
    on_click=actions.on_plot(memory_map.parse_click),
    zooms=("span", "addresses"),
)
BANKS = Plot(
    id="banks",
    title="Occupancy",
    help="Share of each bank, or of each memory level, in use at each step. Click selects bank and step.",
    needs=_NEEDS | {Capability.CAPACITY},
    group="memory",
    width=Width.WIDE,
    stack="steps",
    draw=banks_panel,
    on_click=actions.on_plot(banks.parse_click),
    zooms=("span",),
)
LIVE = Plot(
    id="live",
    title="Live bytes",
    help="Bytes alive at each step, addresses that blocks share counted once. No allocator needs less than the bound; "
    "the extent is the highest address in use. The thin line is fragmentation: 1 - largest free range / free bytes. "
    "Click sets the step cursor.",
    needs=_NEEDS | {Capability.PLAN},
    group="memory",
    width=Width.WIDE,
    stack="steps",
    draw=live_panel,
    on_click=actions.on_plot(parse_step_click),
    zooms=("span",),
)
TIMESTEPS = Plot(
    id="timesteps",
    title="Time steps",
    help="Cycles of transfers (gdma) and of computation (layer) in each step. The longer one sets its length.",
    needs=_NEEDS | {Capability.STEP_CYCLES},
    group="memory",
    width=Width.WIDE,
    stack="steps",
    draw=timesteps_panel,
    on_click=actions.on_plot(parse_step_click),
    zooms=("span",),
)
STEP_STACK = Plot(
    id="step_stack",
    title="One step",
    help="The blocks alive at the step cursor, or at the peak, stacked from 0 in the order of their addresses, without "
    "the gaps between them. Click selects a block.",
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    stack="lists",
    draw=step_stack_panel,
    on_click=actions.on_plot(step_stack.parse_click),
)
