"""Views of where the time of a profile's devices goes, by device and step."""

from __future__ import annotations

import pandas as pd

from app.views.state import RunState
from app.views.text_tables import Table, rows_tables
from app.views.view import Click, ContentView, Grid, Panel, Part, Plot, custom, whole
from components.graph import nothing
from components.kernels.device_bars import EXPOSED_NOTE, MAX_BARS, device_bars
from components.kernels.device_grids import times_grid, times_options
from components.kernels.device_names import with_device_names
from components.kernels.device_rows import window_labels
from components.kernels.device_words import device_caption
from components.kernels.unknown_words import unknown_sentence
from components.numbers import count_text
from services.run.capabilities import Capability
from services.run.data import RunData

_GRID = "run-device-times-grid"
_NEEDS = frozenset({Capability.NAMED_KERNELS, Capability.DEVICE_CLASSES})


def device_time_panel(data: RunData, _state: RunState, theme: str) -> Panel:
    """Draw the parts of the time of each device: counted steps, whole window, and each step."""
    result = data.profile.breakdown
    times = data.profile.device_times
    if times.empty:
        return Panel(nothing(theme), "")
    left = len(times) - MAX_BARS
    more = f"{count_text(left, 'more step')}: in the table below." if left > 0 else ""
    has_exposed = bool(times[["communication_exposed", "copy_exposed"]].to_numpy().any())
    line = " ".join(filter(None, [EXPOSED_NOTE if has_exposed else "", more]))
    caption = f"{device_caption(result.devices)} {unknown_sentence(result.unknown, 'no_steps')}"
    shown = with_device_names(times, result.devices)
    return Panel(device_bars(shown, theme), caption.strip(), line)


def window_clicked(state: RunState, data: RunData, row: int, _column: str = "") -> RunState:
    """Return the state with the window of row `row` (from 0) of frame `device_times` selected; with
    the whole run if it is selected already, or the row is not a step. Unchanged for other rows.
    """
    times = data.profile.device_times
    if not 0 <= row < len(times):
        return state
    window = _step_window(times, row)
    return state.selecting(window=None if window == state.selection.window else window)


def _step_window(times: pd.DataFrame, row: int) -> tuple[int, int] | None:
    step = times.iloc[row]
    return None if step["window"] != "step" else (int(step["start"]), int(step["end"]))


def bar_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Return the state with the window of the clicked bar; unchanged for a click without a bar."""
    row = whole(next(iter(custom(click)), None))
    return state if row is None else window_clicked(state, data, row)


def device_table_part(data: RunData, state: RunState) -> Part:
    """List the windows of the devices with their exact times; the selected step is marked."""
    times = data.profile.device_times
    if times.empty:
        return Part(None, "")
    shown = with_device_names(times, data.profile.breakdown.devices)
    return Part(times_grid(_GRID, shown, _marked_row(data, state)), "")


def _marked_row(data: RunData, state: RunState) -> int | None:
    """Return the position of the selected step in frame `device_times`; None if there is none."""
    window = state.selection.window
    if window is None:
        return None
    times = data.profile.device_times
    is_step = (times["window"] == "step").to_numpy(bool)
    begins = (times["start"] == window[0]).fillna(False).to_numpy(bool)
    ends = (times["end"] == window[1]).fillna(False).to_numpy(bool)
    rows = (is_step & begins & ends).nonzero()[0]
    return int(rows[0]) if len(rows) else None


def device_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the windows of the devices, times in ns."""
    times: pd.DataFrame = data.profile.device_times
    shown = times.drop(columns=["device", "window", "name", "start", "end", "steps", "left_out"])
    named = with_device_names(times, data.profile.breakdown.devices)
    shown.insert(0, "window", window_labels(named))
    return rows_tables("time of devices, ns", shown)


DEVICE_TIME = Plot(
    id="devicetime",
    title="Where the device's time goes",
    help="Each window divided into compute, exposed communication (nothing computes meanwhile), exposed copies (nothing "
    "computes or communicates) and idle time, over all streams of a device. Click selects a step.",
    needs=_NEEDS,
    group="device time",
    stack="device time",
    draw=device_time_panel,
    on_click=bar_clicked,
)
DEVICE_TABLE = ContentView(
    id="devicetable",
    title="Time of devices",
    help="The windows above with exact times: of the counted steps together, from the first execution of a device to its "
    "last, and of each step. Click selects a step; frame `device_times` has the numbers.",
    needs=_NEEDS,
    group="device time",
    stack="device time",
    make=device_table_part,
    key=lambda _data, _state: "",
    tables=device_tables,
    grid=Grid(
        _GRID,
        on_cell=window_clicked,
        marked=("dashGridOptions",),
        marks=lambda data, state: [times_options(_marked_row(data, state))],
    ),
)
