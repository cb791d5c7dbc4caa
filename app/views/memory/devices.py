"""Memory views of devices with buffers that have no addresses: live bytes, and a picture of
lifetimes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from dash import html

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.cursor import cursor
from analysis.memory.picture import BufferPicture
from app.views.executions import blocks_of_kernel
from app.views.memory import actions
from app.views.memory.controls import find_control
from app.views.memory.device_tables import alive_tables, buffer_tables, device_tables, origin, users
from app.views.memory.shown import LAYOUT, block_row
from app.views.option import Option
from app.views.state import RunState
from app.views.view import ContentView, Grid, Link, Panel, Part, Plot, Width
from components.counts import part_text
from components.graph import nothing
from components.memory import device_bytes, device_captions, memory_map
from components.memory.alive_buffers import alive_buffers
from components.memory.attempts_grid import grid_options, scroll_target
from components.memory.axis import parse_step_click
from components.memory.buffer_card import buffer_card
from components.memory.devices_grid import devices_grid
from components.memory.highlight import MAX_MATCHES, find_blocks
from components.numbers import count_text
from schema.array_types import Ints
from schema.choices import BEST_FIT, FIRST_FIT, PLACED
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.memory import MemoryData

# The ids are those of the views of attempts: no run has both, and a link stays valid for either.
_DEVICES_GRID, _ALIVE_GRID = "run-attempts-grid", "run-alive-grid"
_LAYOUT = Option(
    LAYOUT.name,
    LAYOUT.label,
    {PLACED: device_captions.FITS[FIRST_FIT], BEST_FIT: device_captions.FITS[BEST_FIT]},
)
_COLOUR = Option(
    "colour",
    "colour of the buffers",
    {
        name: f"colour by {label}"
        for name, label in {
            "name": "name",
            "dtype": "data type",
            "size": "size",
            "lifetime": "lifetime",
        }.items()
    },
)


def visible_window(device: AttemptMap, state: RunState) -> tuple[int, int]:
    """Return the window of the timeline in ticks (begin, end), clipped to the capture.

    The result is the whole capture if they do not overlap or there is no window.
    """
    begin, end = state.selection.window or (0, device.length)
    begin = max(0, begin)
    end = min(device.length, end)
    return (begin, end) if begin < end else (0, device.length)


def map_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the largest buffers of the displayed device as stacked lifetimes, in the window of the
    timeline.

    An empty figure and a sentence if no device is displayed or no buffer is alive in the window.
    """
    memory = data.memory
    device = _device(data, state)
    if device is None:
        return _nothing(theme)
    used, usage = _used_words(data, state, device)
    window = visible_window(device, state)
    drawn = memory.picture(
        state.memory, window, _LAYOUT.of(state), _wanted_buffers(device, state, used)
    )
    if drawn is None or not len(drawn.amap.blocks):
        sentence = "No buffer of this device is alive in this window."
        return Panel(nothing(theme), sentence)
    # Buffers only keep their places in all windows when every buffer is drawn. Otherwise the zoomed
    # addresses would show other buffers in another window.
    addresses = state.memory.addresses if drawn.steady else None
    chosen = replace(
        state.memory, attempt=device.number, span=window, addresses=addresses, bank=None
    )
    view = memory_map.memory_map(
        [drawn.amap],
        chosen,
        theme,
        colour=_COLOUR.of(state),
        search=state.find,
        used=used,
        budget=2 * len(drawn.row),
    )
    figure = view.figure.with_layout(
        uirevision=f"{chosen.attempt} {window} {addresses}", yaxis={"fixedrange": not drawn.steady}
    )
    answer = device_captions.map_caption(drawn, str(drawn.amap.attempt["strategy"]))
    return Panel(figure, answer, _line(drawn, device, state, usage))


def live_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the bytes alive over time, of each device and of all devices together; an empty figure
    and a sentence if no device has a buffer.
    """
    memory = data.memory
    device = _device(data, state)
    if device is None:
        return _nothing(theme)
    chosen = replace(state.memory, attempt=device.number)
    figure = device_bytes.device_bytes(memory.curves, visible_window(device, state), chosen, theme)
    return Panel(figure, device_captions.live_caption(memory.curves, device.number))


def devices_part(data: RunData, state: RunState) -> Part:
    """List the devices in a grid; the displayed device is marked."""
    memory = data.memory
    device = _device(data, state)
    counts = dict(
        zip(memory.attempts["attempt"].tolist(), memory.attempts["blocks"].tolist(), strict=True)
    )
    number = None if device is None else device.number
    grid = devices_grid(_DEVICES_GRID, memory.curves, counts, number)
    return Part(
        grid,
        f"{_stale_device(memory, state)}{device_captions.devices_caption(memory.curves, number)}",
    )


def alive_part(data: RunData, state: RunState) -> Part:
    """List the buffers alive at the time cursor, or at the peak if there is no cursor; empty if no
    device is displayed.
    """
    memory = data.memory
    device = _device(data, state)
    if device is None:
        return Part(None, "")
    time = cursor(device, state.memory, state.selection.window)
    chosen = state.memory.step is not None and state.memory.step < device.length
    caption = device_captions.alive_caption(
        memory.curves.devices[device.number], device.label, time, chosen=chosen
    )
    origins = data.profile.buffer_origins
    return Part(alive_buffers(_ALIVE_GRID, device, time, origins, state.memory.block), caption)


def buffer_part(data: RunData, state: RunState) -> Part:
    """Lay out the details of the selected buffer of the displayed device; empty without a
    selection, a sentence if the device does not have the buffer.
    """
    device = _device(data, state)
    if device is None or state.memory.block is None:
        return Part(None, "")
    row = block_row(device, state.memory.block)
    if row is not None:
        return Part(
            buffer_card(device, row, *users(data, device, row), origin(data, device, row)), ""
        )
    gone = f"There is no buffer {state.memory.block} in {device.label}."
    return Part(html.P(gone, className="ts-panel-hint"), "")


def _device(data: RunData, state: RunState) -> AttemptMap | None:
    return data.memory.shown_map(state.memory, PLACED)


def _used_words(data: RunData, state: RunState, device: AttemptMap) -> tuple[Ints | None, str]:
    """Return the ranks of the buffers that the selected kernel uses on this device, and a sentence
    about them.

    The ranks are None if it uses no buffer of the device or they are unknown; without a kernel the
    sentence is "".
    """
    if state.selection.kernel is None:
        return None, ""
    blocks = blocks_of_kernel(data, state)
    if blocks is None or not len(blocks):
        return None, "The buffers of the selected kernel are not known."
    here = blocks.loc[blocks["attempt"] == device.number, "block"].to_numpy(np.int64)
    elsewhere = len(blocks) - len(here)
    others = f"{count_text(elsewhere, 'other')} of other devices" if elsewhere else ""
    if not len(here):
        return (
            None,
            f"The selected kernel uses {count_text(elsewhere, 'buffer')}, none of this device.",
        )
    sentence = f"The selected kernel uses {count_text(len(here), 'buffer')} of this device"
    return here, f"{sentence}{f' and {others}' if others else ''}."


def _wanted_buffers(device: AttemptMap, state: RunState, used: Ints | None) -> Ints:
    """Return positions (from 0) of the buffers that are always drawn: selected, used by the kernel,
    or found by the search.

    Found buffers are left out if they are more than MAX_MATCHES.
    """
    ranks = device.blocks["block"].to_numpy(np.int64)
    chosen = [] if state.memory.block is None else [state.memory.block]
    wanted = np.isin(ranks, chosen if used is None else [*chosen, *used.tolist()])
    hits = find_blocks(device, state.find)
    # Matches beyond MAX_FOUND are not outlined on the map, so they need not be drawn in any case.
    few = hits is not None and hits.sum() <= MAX_MATCHES
    return np.flatnonzero(wanted | hits if few and hits is not None else wanted)


def _line(drawn: BufferPicture, device: AttemptMap, state: RunState, usage: str) -> str:
    """Compose a sentence about the drawn and the used buffers, and about the found buffers if the
    user searches.
    """
    hits = find_blocks(device, state.find)
    line = device_captions.map_line(drawn, usage)
    if hits is None:
        return line
    return f"{part_text(int(hits.sum()), len(hits), 'buffer')} match “{state.find}”. {line}"


def _stale_device(memory: MemoryData, state: RunState) -> str:
    number = state.memory.attempt
    return (
        "" if number is None or memory.has(number) else f"There is no device {number} in this run. "
    )


def _nothing(theme: str) -> Panel:
    sentence = "No device of this run has a buffer."
    return Panel(nothing(theme), sentence)


def _follow_link(state: RunState, data: RunData, named: Mapping[str, Any]) -> RunState:
    """Return the state with the buffer of a link selected, or cleared if it was selected; `named`
    has its `attempt` and `block`.
    """
    parts = {"attempt": int(named["attempt"]), "block": int(named["block"])}
    return actions.apply_click(state, parts, data.memory.number(state.memory))


def _marks(data: RunData, state: RunState) -> list[object]:
    """Return a list of the grid options that mark the displayed device, and the row to scroll to."""
    shown = data.memory.number(state.memory)
    listed = data.memory.attempts
    return [grid_options(len(listed), shown, None), scroll_target(listed, shown)]


_NEEDS = frozenset({Capability.DEVICES, Capability.PICTURE, Capability.SHARED_WINDOW})
MAP = Plot(
    id="map",
    title="Memory map",
    help="The largest buffers of the shown device as stacked lifetimes: time across, bytes up. A profile has no "
    "addresses, so a built-in allocator places them. Drag zooms every view to that time, click "
    "selects a buffer, double click shows all.",
    needs=_NEEDS,
    group="memory",
    width=Width.FULL,
    choices=(_COLOUR, _LAYOUT),
    controls=find_control("find a buffer"),
    draw=map_panel,
    on_click=actions.on_plot(memory_map.parse_click),
    zooms=("window", "addresses"),
)
LIVE = Plot(
    id="live",
    title="Live bytes",
    help="Bytes alive over time: of all devices together, of the most used devices, of the rest. The diamond is the "
    "peak. Drag zooms every view to that time, click sets the time cursor.",
    needs=_NEEDS,
    group="memory",
    width=Width.FULL,
    draw=live_panel,
    on_click=actions.on_plot(parse_step_click),
    zooms=("window",),
)
DEVICES = ContentView(
    id="attempts",
    title="Devices",
    help="The devices that have buffers, those with the highest peak first. Click shows one.",
    needs=_NEEDS | {Capability.SEVERAL_ATTEMPTS},
    group="memory",
    width=Width.WIDE,
    make=devices_part,
    key=lambda _data, state: state.method,
    tables=device_tables,
    grid=Grid(
        _DEVICES_GRID,
        on_cell=actions.attempt_listed,
        marked=("dashGridOptions", "scrollTo"),
        marks=_marks,
    ),
)
ALIVE = ContentView(
    id="alive",
    title="Alive",
    help="The buffers that are alive at the time cursor, or at the peak. Click selects a buffer.",
    needs=_NEEDS,
    group="memory",
    width=Width.WIDE,
    make=alive_part,
    tables=alive_tables,
    grid=Grid(_ALIVE_GRID, on_cell=actions.block_listed),
)
BUFFER = ContentView(
    id="block",
    title="Buffer",
    help="The selected buffer: its origin, its lifetime, and the kernels that use it. Click a kernel to select it.",
    needs=_NEEDS,
    group="memory",
    width=Width.FULL,
    make=buffer_part,
    tables=buffer_tables,
    links=(Link("buffer-link", ("attempt", "block"), _follow_link),),
)
