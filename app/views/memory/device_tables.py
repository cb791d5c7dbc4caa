"""Devices and their buffers as tables of text, with times in the unit that fits."""

from __future__ import annotations

import pandas as pd

from analysis.kernels.links import kernels_of_block, launches_of_block
from analysis.memory.alive import alive
from analysis.memory.attempt_map import AttemptMap
from app.views.memory.shown import block_row
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from components.memory.buffer_words import BufferLife, moment
from components.memory.devices_grid import device_records
from components.numbers import integer, percent, size
from schema.choices import PLACED
from services.memory import cursor
from services.runs import RunData

_USES = ("name", "run", "track", "access")


def device_tables(data: RunData, _state: RunState) -> list[Table]:
    """Return the devices with their buffers and peaks."""
    counts = dict(zip(data.memory.attempts["attempt"].tolist(), data.memory.attempts["blocks"].tolist(), strict=True))
    rows = device_records(data.memory.curves, counts)
    columns = {
        "device": [row["device"] for row in rows],
        "buffers": [integer(row["buffers"]) for row in rows],
        "peak": [size(row["peak"]) for row in rows],
        "at": [row["peak_words"] for row in rows],
        "at the end": [size(row["left"]) for row in rows],
    }
    return [plain_table("devices", pd.DataFrame(columns))]


def alive_tables(data: RunData, state: RunState) -> list[Table]:
    """Return what is alive on the shown device at the time cursor."""
    device = data.memory.shown(state.memory, PLACED)
    if device is None:
        return []
    time = cursor(device, state.memory, state.selection.window)
    rows = alive(device, time)
    shares = [percent(value) for value in rows["size"] / max(int(rows["size"].sum()), 1)]
    listed = _buffers(device, rows)
    listed.insert(2, "share", shares)
    return [plain_table(f"alive on {device.label} at {moment(time, device.length)}", listed)]


def buffer_tables(data: RunData, state: RunState) -> list[Table]:
    """Return the selected buffer and the executions that use it."""
    device = data.memory.shown(state.memory, PLACED)
    row = None if device is None else block_row(device, state.memory.block)
    if device is None or row is None:
        return []
    kernels, _ = users(data, device, row)
    used = kernels[[*_USES]].astype("str").assign(at=[moment(at, device.length) for at in kernels["start"].tolist()])
    found = [plain_table("the selected buffer", _buffers(device, device.blocks.iloc[[row]]))]
    return [*found, plain_table("used by", used)] if len(used) else found


def _buffers(device: AttemptMap, rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of frame `allocations` as text."""
    pairs = zip(rows["start"].tolist(), rows["end"].tolist(), strict=True)
    lives = [BufferLife(start, end, device.length) for start, end in pairs]
    columns = {
        "name": rows["name"].tolist(),
        "size": [size(value) for value in rows["size"].tolist()],
        "dtype": rows["dtype"].astype("str").tolist(),
        "lifetime": [life.lasts for life in lives],
        "since": [life.since for life in lives],
        "until": [life.until for life in lives],
    }
    return pd.DataFrame(columns, dtype="str")


def users(data: RunData, device: AttemptMap, row: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return who uses the buffer at position `row` of a device: executions, and launches, timed or not."""
    block = int(device.blocks["block"].iloc[row])
    kernels = kernels_of_block(data.memory.uses, data.profile.kernels, device.number, block)
    return kernels, launches_of_block(data.memory.uses, data.profile.frame("launches"), device.number, block)
