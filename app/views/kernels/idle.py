"""Views of why the devices of a profile wait: idle time by reason, and the longest gaps."""

from __future__ import annotations

import pandas as pd

from app.views.state import RunState
from app.views.text_tables import Table, rows_tables
from app.views.view import ContentView, Grid, Panel, Part, Plot
from components.graph import nothing
from components.kernels.device_grids import gap_options, gaps_grid, longest_first
from components.kernels.device_names import with_device_names
from components.kernels.device_words import idle_caption
from components.kernels.idle_bars import idle_bars, shown_reasons
from components.kernels.unknown_words import unknown_sentence
from services.run.capabilities import Capability
from services.run.data import RunData

_GRID = "run-idle-gaps-grid"
_NEEDS = frozenset({Capability.NAMED_KERNELS, Capability.DEVICE_CLASSES})


def idle_panel(data: RunData, _state: RunState, theme: str) -> Panel:
    """Draw the idle time of each device by reason, in the counted steps if any count."""
    result = data.profile.breakdown
    reasons = shown_reasons(with_device_names(data.profile.idle_times, result.devices))
    caption = idle_caption(result.busiest, result.idle)
    note = unknown_sentence(result.unknown, "launch_unknown")
    if reasons.empty:
        return Panel(nothing(theme), caption, note)
    return Panel(idle_bars(reasons, theme), f"{caption} {note}".strip())


def gaps_part(data: RunData, state: RunState) -> Part:
    """List the longest gaps of the devices; the gap in the selected window is marked."""
    gaps = data.profile.idle_gaps
    if gaps.empty:
        return Part(None, "")
    shown = with_device_names(gaps, data.profile.breakdown.devices)
    return Part(gaps_grid(_GRID, shown, _marked_row(data, state)), "")


def gap_clicked(state: RunState, data: RunData, row: int, _column: str = "") -> RunState:
    """Return the state with the window around gap `row` (from 0, as the grid lists them) selected,
    and the execution that ends it; with the whole run if it is selected already.

    Unchanged for a row that does not exist.
    """
    gaps = longest_first(data.profile.idle_gaps)
    if not 0 <= row < len(gaps):
        return state
    gap = gaps.iloc[row]
    window = _window_around(gap)
    if window == state.selection.window:
        return state.selecting(window=None, kernel=None)
    return state.selecting(window=window, kernel=_ending_execution(data, gap))


def _window_around(gap: pd.Series) -> tuple[int, int]:
    """Return a window in whose middle third the gap is."""
    start = int(gap["start"])
    duration = int(gap["duration"])
    return max(0, start - duration), start + 2 * duration


def _ending_execution(data: RunData, gap: pd.Series) -> int | None:
    """Return the position in frame `kernels` of the execution that ends a gap; None if unknown."""
    kernels = data.profile.kernels
    tracks = data.profile.frame("tracks")
    streams = tracks.loc[tracks["pid"].astype("str") == gap["device"], "track"].astype("str")
    ends = (kernels["start"] == int(gap["end"])).fillna(False) & (kernels["name"] == gap["next"])
    on_device = kernels["track"].astype("str").isin(streams)
    rows = (ends & on_device).to_numpy(bool).nonzero()[0]
    return int(rows[0]) if len(rows) else None


def _marked_row(data: RunData, state: RunState) -> int | None:
    window = state.selection.window
    if window is None:
        return None
    gaps = longest_first(data.profile.idle_gaps)
    windows = [_window_around(gap) for _, gap in gaps.iterrows()]
    return windows.index(window) if window in windows else None


def idle_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build text tables of the idle time by reason and of the longest gaps, times in ns."""
    devices = data.profile.breakdown.devices
    reasons = shown_reasons(with_device_names(data.profile.idle_times, devices))
    gaps = longest_first(with_device_names(data.profile.idle_gaps, devices))
    return [
        *rows_tables("idle time by reason, ns", reasons[["device", "reason", "time"]]),
        *rows_tables("longest gaps, ns", gaps.drop(columns="end")),
    ]


IDLE = Plot(
    id="idle",
    title="Why the device waits",
    help="Idle time of each device by what it waited for. Before the launch of the execution that ends a gap the time "
    "belongs to the launching thread of the host, after it to the launch or to the device's queue.",
    needs=_NEEDS,
    group="device time",
    stack="idle",
    draw=idle_panel,
)
GAPS = ContentView(
    id="gaps",
    title="Longest gaps",
    help="The ten longest gaps of each device, with the reason of the largest part and what the launching thread was in. "
    "Click shows a gap in the timeline and selects the execution that ends it.",
    needs=_NEEDS,
    group="device time",
    stack="idle",
    make=gaps_part,
    key=lambda _data, _state: "",
    tables=idle_tables,
    grid=Grid(
        _GRID,
        on_cell=gap_clicked,
        marked=("dashGridOptions",),
        marks=lambda data, state: [gap_options(_marked_row(data, state))],
    ),
)
