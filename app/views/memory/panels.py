"""The memory panels of a run as figures and words, and the rows of its memory tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.layer_groups import by_group
from app.views.memory import devices as memory_devices
from app.views.state import RunState
from app.views.view import Panel, PanelSpec
from components.graph import empty_figure
from components.memory import answers as memory_answers
from components.memory import banks, live_bytes, memory_map, timesteps
from components.numbers import integer
from services.memory import MOST_AT_ONCE, PLACED, MemoryData, is_laid
from services.runs import RunData

_EMPTY_PX = 160


def maps_of(data: RunData, state: RunState) -> list[AttemptMap]:
    """Return the maps that the views draw together; empty for a run without any."""
    return data.memory.maps(state.memory, data.memory.layout(state.memory, state.layout)) if data.memory else []


def shown_map(data: RunData, state: RunState) -> AttemptMap | None:
    """Return the map of the attempt that the selection is about."""
    return data.memory.shown(state.memory, data.memory.layout(state.memory, state.layout)) if data.memory else None


def with_attempt(data: RunData, state: RunState) -> RunState:
    """Return the state with the attempt that is shown when none is selected."""
    number = data.memory.number(state.memory) if data.memory else None
    return replace(state, memory=replace(state.memory, attempt=number))


def map_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw where every block lies, and when."""
    if data.timed:
        return memory_devices.map_panel(data, state, theme)
    maps = maps_of(data, state)
    if not maps:
        return _nothing(theme)
    chosen = with_attempt(data, state).memory
    view = memory_map.memory_map(_beside(data, state, maps), chosen, theme, colour=state.colour, search=state.find)
    view.figure.update_layout(uirevision=f"{chosen.attempt} {chosen.span} {chosen.addresses}")
    layout = data.memory.layout(state.memory, state.layout) if data.memory else PLACED
    own = f"Placed by the built-in allocator ({LAYOUT_LABELS[layout]}). "
    if not all(is_laid(one, layout) for one in maps):
        own = "" if layout == PLACED else "Too many blocks for the built-in allocator: shown as placed. "
    if layout == PLACED and not any(one.blocks["address"].notna().any() for one in maps):
        own = f"More than {integer(MOST_AT_ONCE)} lifetimes: choose an allocator above to lay them out. "
    shown = next(one for one in maps if one.number == chosen.attempt)
    line = f"{view.line} {memory_answers.peak_answer(shown)}".strip()
    return Panel(view.figure, own + memory_answers.map_answer(maps, chosen), line)


def _beside(data: RunData, state: RunState, maps: list[AttemptMap]) -> list[AttemptMap]:
    """Return the map with that of the attempt which it is compared with beneath it; levels are drawn anyway."""
    if len(maps) != 1 or data.memory is None:
        return maps
    other = data.memory.against(state.memory, data.memory.layout(state.memory, state.layout))
    return maps if other is None or other.number == maps[0].number else [*maps, other]


def _steps_in_view(data: RunData, state: RunState, maps: list[AttemptMap]) -> int:
    """Return the length of the axis that all views share, of the longer attempt where two are compared."""
    return max(one.length for one in _beside(data, state, maps))


def banks_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw how full each bank, or level, is at each step."""
    maps = maps_of(data, state)
    chosen = with_attempt(data, state).memory
    if not maps:
        return _nothing(theme)
    figure = banks.banks(maps, chosen, theme, _steps_in_view(data, state, maps))
    return Panel(figure, memory_answers.banks_answer(maps, chosen))


def live_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the bytes alive at each step against extent, bound and capacity."""
    if data.timed:
        return memory_devices.live_panel(data, state, theme)
    maps = maps_of(data, state)
    chosen = with_attempt(data, state).memory
    if not maps:
        return _nothing(theme)
    figure = live_bytes.live_bytes(_beside(data, state, maps), chosen, theme)
    return Panel(figure, memory_answers.live_answer(maps, chosen))


def timesteps_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw what transfers and computation of each step cost."""
    shown = shown_map(data, state)
    if shown is None or data.memory is None:
        return _nothing(theme)
    chosen = with_attempt(data, state).memory
    events = data.memory.events_of(shown.number)
    figure = timesteps.timesteps(shown, events, chosen, theme, _steps_in_view(data, state, [shown]))
    return Panel(figure, memory_answers.timesteps_answer(shown, chosen))


def _nothing(theme: str) -> Panel:
    sentence = "There is no allocation attempt to show; see Health for the reason."
    return Panel(empty_figure(sentence, theme, _EMPTY_PX), sentence)


def _has_memory(data: RunData) -> bool:
    return data.memory is not None and data.memory.has_views


def _has_capacity(data: RunData) -> bool:
    return data.memory is not None and bool(data.memory.attempts["capacity"].notna().any())


def _has_cycles(data: RunData) -> bool:
    return data.memory is not None and bool(data.memory.steps["gdma_cycles"].notna().any())


LAYOUT_LABELS: Mapping[str, str] = {
    PLACED: "as placed, else best fit",
    "best_fit": "best fit by size",
    "first_fit": "first fit by start",
}
"""Layout -> what people call it."""

MEMORY_PANELS: Mapping[str, PanelSpec] = {
    spec.id: spec
    for spec in (
        PanelSpec(
            "map",
            "Memory map",
            "Every block as a rectangle: steps across, addresses up. Lines are banks, the dashed one is the capacity. "
            "Failed blocks stand above it, in red. Drag zooms, click selects a block, double click shows all.",
            map_panel,
            _has_memory,
        ),
        PanelSpec(
            "banks",
            "Occupancy",
            "How much of each bank, or of each memory level, is in use at each step. Click selects bank and step.",
            banks_panel,
            _has_capacity,
        ),
        PanelSpec(
            "live",
            "Live bytes",
            "Bytes alive at each step. No allocator needs less than the bound; the extent is the highest address in "
            "use. The thin line is fragmentation: 1 - largest free range / free bytes. Click sets the step cursor.",
            live_panel,
            _has_memory,
        ),
        PanelSpec(
            "timesteps",
            "Time steps",
            "Cycles of transfers (gdma) and of computation (layer) in each step. The longer one sets its length.",
            timesteps_panel,
            _has_cycles,
        ),
    )
}
"""The memory panels, top to bottom, on one x axis."""


def shown_attempts(memory: MemoryData, state: RunState) -> pd.DataFrame:
    """Return the attempts that the grid lists, by layer group: all, the final ones, or those that failed."""
    rows = by_group(memory.attempts)
    if state.attempts == "final":
        return rows[rows["final"].fillna(False).astype(bool)]
    return rows[(rows["failed"] > 0).fillna(False).astype(bool)] if state.attempts == "failed" else rows
