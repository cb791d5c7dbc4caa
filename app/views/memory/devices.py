"""The memory views of a profile: live bytes and buffers of its devices, in the time of its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.kernels.links import kernels_of_block, launches_of_block
from analysis.memory.attempt_map import AttemptMap, Ints
from analysis.memory.picture import Picture
from app.views.links import blocks_of_kernel
from app.views.state import RunState
from app.views.view import Panel, Part
from components.graph import empty_figure
from components.memory import device_answers as answers
from components.memory.alive_buffers import alive_buffers
from components.memory.buffer_card import buffer_card
from components.memory.device_bytes import device_bytes
from components.memory.devices_grid import devices_grid
from components.memory.highlight import MOST_FOUND, found
from components.memory.memory_map import memory_map
from components.numbers import counted, integer
from services.memory import BEST_FIT, FIRST_FIT, PLACED, MemoryData, cursor
from services.runs import RunData

LAYOUTS: Mapping[str, str] = {PLACED: answers.FITS[FIRST_FIT], BEST_FIT: answers.FITS[BEST_FIT]}
"""Layout -> what people call it, where nothing has an address."""
COLOURS: Mapping[str, str] = {"name": "name", "dtype": "data type", "size": "size", "lifetime": "lifetime"}
"""What buffers can be coloured by."""
_EMPTY_PX = 160


def window_of(device: AttemptMap, state: RunState) -> tuple[int, int]:
    """Return the time in view: the one of the timeline, as far as it lies in the capture."""
    begin, end = state.selection.window or (0, device.length)
    begin, end = max(0, begin), min(device.length, end)
    return (begin, end) if begin < end else (0, device.length)


def map_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the largest buffers of the shown device as stacked lifetimes."""
    memory, device = _shown(data, state)
    if memory is None or device is None:
        return _nothing(theme)
    used, said = _used(data, state, device)
    window = window_of(device, state)
    drawn = memory.picture(state.memory, window, state.layout, _wanted(device, state, used))
    if drawn is None or not len(drawn.amap.blocks):
        sentence = "No buffer of this device is alive in this window."
        return Panel(empty_figure(sentence, theme, _EMPTY_PX), sentence)
    addresses = state.memory.addresses if drawn.steady else None
    chosen = replace(state.memory, attempt=device.number, span=window, addresses=addresses, bank=None)
    view = memory_map(
        [drawn.amap], chosen, theme, colour=_colour(state), search=state.find, used=used, budget=2 * len(drawn.row)
    )
    view.figure.update_layout(
        uirevision=f"{chosen.attempt} {window} {addresses}", yaxis={"fixedrange": not drawn.steady}
    )
    answer = answers.map_answer(drawn, str(drawn.amap.attempt["strategy"]))
    return Panel(view.figure, answer, _line(drawn, device, state, said))


def live_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the bytes alive over time, of each device and of all together."""
    memory, device = _shown(data, state)
    if memory is None or device is None:
        return _nothing(theme)
    chosen = replace(state.memory, attempt=device.number)
    figure = device_bytes(memory.curves, window_of(device, state), chosen, theme)
    return Panel(figure, answers.live_answer(memory.curves, device.number))


def devices_part(data: RunData, state: RunState, grid_id: str) -> Part:
    """List the devices, the shown one marked."""
    memory, device = _shown(data, state)
    if memory is None:
        return Part(None, "")
    counts = dict(zip(memory.attempts["attempt"].tolist(), memory.attempts["blocks"].tolist(), strict=True))
    number = None if device is None else device.number
    grid = devices_grid(grid_id, memory.curves, counts, number)
    return Part(grid, f"{_stale_device(memory, state)}{answers.devices_answer(memory.curves, number)}")


def alive_part(data: RunData, state: RunState, grid_id: str) -> Part:
    """List the buffers that are alive at the cursor, or at the peak where there is none."""
    memory, device = _shown(data, state)
    if memory is None or device is None:
        return Part(None, "")
    time = cursor(device, state.memory, state.selection.window)
    chosen = state.memory.step is not None and state.memory.step < device.length
    said = answers.alive_answer(memory.curves.devices[device.number], device.label, time, chosen=chosen)
    return Part(alive_buffers(grid_id, device, time, state.memory.block), said)


def buffer_part(data: RunData, state: RunState, row: int) -> Part:
    """Tell all about the buffer at position `row` of the shown device."""
    _, device = _shown(data, state)
    if device is None:
        return Part(None, "")
    return Part(buffer_card(device, row, *users(data, device, row)), "")


def users(data: RunData, device: AttemptMap, row: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return who uses the buffer at position `row` of a device: executions, and launches, timed or not."""
    if data.memory is None or data.profile is None:
        return data.kernels.head(0), data.kernels.head(0)
    block = int(device.blocks["block"].iloc[row])
    kernels = kernels_of_block(data.memory.uses, data.profile.kernels, device.number, block)
    return kernels, launches_of_block(data.memory.uses, data.profile.frame("launches"), device.number, block)


def _shown(data: RunData, state: RunState) -> tuple[MemoryData | None, AttemptMap | None]:
    return data.memory, data.memory.shown(state.memory, PLACED) if data.memory else None


def _colour(state: RunState) -> str:
    return state.colour if state.colour in COLOURS else next(iter(COLOURS))


def _used(data: RunData, state: RunState, device: AttemptMap) -> tuple[Ints | None, str]:
    """Return the ranks of the shown device's buffers that the selected kernel uses, and what there is to say of it."""
    if state.selection.kernel is None:
        return None, ""
    blocks = blocks_of_kernel(data, state)
    if blocks is None or not len(blocks):
        return None, "Which buffers the selected kernel uses is not known."
    here = blocks.loc[blocks["attempt"] == device.number, "block"].to_numpy(np.int64)
    elsewhere = len(blocks) - len(here)
    others = f"{counted(elsewhere, 'other')} of other devices" if elsewhere else ""
    if not len(here):
        return None, f"The selected kernel uses {counted(elsewhere, 'buffer')}, none of this device."
    said = f"The selected kernel uses {counted(len(here), 'buffer')} of this device"
    return here, f"{said}{f' and {others}' if others else ''}."


def _wanted(device: AttemptMap, state: RunState, used: Ints | None) -> Ints:
    """Return positions of the buffers that are drawn in any case: selected, used by the selected kernel, or found."""
    ranks = device.blocks["block"].to_numpy(np.int64)
    chosen = [] if state.memory.block is None else [state.memory.block]
    asked = np.isin(ranks, chosen if used is None else [*chosen, *used.tolist()])
    hits = found(device, state.find)
    few = hits is not None and hits.sum() <= MOST_FOUND
    return np.flatnonzero(asked | hits if few and hits is not None else asked)


def _line(drawn: Picture, device: AttemptMap, state: RunState, said: str) -> str:
    """Return what is drawn, what a search found, and what is selected, in words."""
    hits = found(device, state.find)
    line = answers.map_line(drawn, said)
    if hits is None:
        return line
    return f"{integer(int(hits.sum()))} of {counted(len(hits), 'buffer')} match “{state.find}”. {line}"


def _stale_device(memory: MemoryData, state: RunState) -> str:
    number = state.memory.attempt
    return "" if number is None or memory.has(number) else f"There is no device {number} in this run. "


def _nothing(theme: str) -> Panel:
    sentence = "No device of this run has a buffer."
    return Panel(empty_figure(sentence, theme, _EMPTY_PX), sentence)
