"""Tables of devices and their buffers as text."""

from __future__ import annotations

from urllib.parse import quote

import pandas as pd

from analysis.kernels.links import kernels_of_block, launches_of_block
from analysis.memory.alive import alive
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.cursor import cursor
from app.views.memory.shown import block_row
from app.views.state import RunState
from app.views.text_tables import Table, column_table, plain_table
from components.memory.alive_buffers import BUFFER_COLUMNS, buffer_records
from components.memory.buffer_card import Origin
from components.memory.buffer_words import moment
from components.memory.devices_grid import DEVICE_COLUMNS, device_records
from schema.choices import PLACED
from services.run.capabilities import Capability
from services.run.data import RunData

_USES = ("name", "run", "track", "access")


def device_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the devices with their number of buffers and peak bytes."""
    counts = dict(
        zip(
            data.memory.attempts["attempt"].tolist(),
            data.memory.attempts["blocks"].tolist(),
            strict=True,
        )
    )
    return [column_table("devices", DEVICE_COLUMNS, device_records(data.memory.curves, counts))]


def alive_tables(data: RunData, state: RunState) -> list[Table]:
    """Build a text table of the buffers alive on the displayed device at the time cursor; empty if
    no device is displayed.
    """
    device = data.memory.shown_map(state.memory, PLACED)
    if device is None:
        return []
    time = cursor(device, state.memory, state.selection.window)
    rows = alive(device, time)
    listed = buffer_records(
        rows, device.length, int(rows["size"].sum()), data.profile.buffer_origins
    )
    title = f"alive on {device.label} at {moment(time, device.length)}"
    return [column_table(title, BUFFER_COLUMNS, listed)]


def buffer_tables(data: RunData, state: RunState) -> list[Table]:
    """Build text tables of the selected buffer and of the executions that use it; empty if no
    buffer is selected.
    """
    device = data.memory.shown_map(state.memory, PLACED)
    row = None if device is None else block_row(device, state.memory.block)
    if device is None or row is None:
        return []
    kernels, _ = users(data, device, row)
    used = (
        kernels[[*_USES]]
        .astype("str")
        .assign(at=[moment(at, device.length) for at in kernels["start"].tolist()])
    )
    own = buffer_records(device.blocks.iloc[[row]], device.length, 0, data.profile.buffer_origins)
    columns = [column for column in BUFFER_COLUMNS if column.name != "share"]
    tables = [column_table("the selected buffer", columns, own)]
    return [*tables, plain_table("used by", used)] if len(used) else tables


def users(data: RunData, device: AttemptMap, row: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the executions (rows of frame `kernels`) and the launches that use the buffer at
    position `row` (from 0) of a device.

    Launches are included whether or not their execution has times.
    """
    block = int(device.blocks["block"].iloc[row])
    kernels = kernels_of_block(data.memory.uses, data.profile.kernels, device.number, block)
    return kernels, launches_of_block(
        data.memory.uses, data.profile.frame("launches"), device.number, block
    )


def origin(data: RunData, device: AttemptMap, row: int) -> Origin | None:
    """Return the origin of the buffer at position `row` of a device, with its schedule and the
    schedule's page.

    The result is None if the origin is unknown.
    """
    block = int(device.blocks["block"].iloc[row])
    origins = data.profile.buffer_origins
    rows = origins[(origins["attempt"] == device.number) & (origins["block"] == block)]
    if rows.empty:
        return None
    context = rows["context"].iloc[0]
    if pd.isna(context):
        return Origin(rows.iloc[0])
    contexts = data.profile.frame("contexts").set_index("context")
    page = (
        f"/run/{quote(data.run_id)}/program?context={int(context)}"
        if data.can(Capability.REWRITES)
        else None
    )
    return Origin(rows.iloc[0], str(contexts["name"].loc[int(context)]), page)
