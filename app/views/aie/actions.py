"""View state changes of the views of an array."""

from __future__ import annotations

import numpy as np

from analysis.selection import Selection
from analysis.timeline.rows import SYSTEM
from app.views.key import Key
from app.views.state import RunState, toggle_part
from app.views.view import Click, custom
from components.aie.counted_iterations import shown_track
from services.run.capabilities import Capability
from services.run.data import RunData


def iteration_clicked(state: RunState, _data: RunData, click: Click) -> RunState:
    """Return the state with the clicked iteration selected, or cleared if it was selected; for a
    tile's point iteration and tile.

    Unchanged if the click has no iteration.
    """
    data = custom(click)
    if len(data) < 2:
        return state
    iteration = int(data[0])
    track = str(data[1])
    if track not in (SYSTEM, state.selection.track):
        return state.selecting(iteration=iteration, track=track)
    return toggle_part(state, "iteration", iteration)


def tile_clicked(state: RunState, _data: RunData, click: Click) -> RunState:
    """Return the state with the tile of the clicked cell or bar selected, or cleared if it was
    selected; unchanged if the click has no tile.
    """
    data = custom(click)
    return toggle_part(state, "track", str(data[0])) if data else state


def step_iteration(state: RunState, data: RunData, step: int) -> RunState:
    """Return the state with the next (`step` 1) or previous (-1) iteration selected, and the window
    moved to it if it is outside.

    If no iteration in the window is selected, it is the first (or last) in the window, or the
    nearest beyond it. Unchanged if the displayed track has no timed iterations.
    """
    rows = data.iterations
    # Arrays instead of frames: this runs for each key that is pressed.
    chosen = np.asarray(rows["track"].array == shown_track(rows, state.selection), bool)
    for name in ("first_start", "last_end"):
        chosen &= rows[name].notna().to_numpy(bool)
    if not chosen.any():
        return state
    numbers, starts, ends = (
        rows[name].array[chosen].to_numpy(np.int64)
        for name in ("iteration", "first_start", "last_end")
    )
    order = np.argsort(numbers)
    numbers, starts, ends = numbers[order], starts[order], ends[order]
    at = min(max(_place(state.selection, numbers, (starts, ends), step), 0), len(numbers) - 1)
    shown = state.selecting(iteration=int(numbers[at]))
    return _show_span(shown, (int(starts[at]), int(ends[at])), data)


def _place(
    selection: Selection, numbers: np.ndarray, spans: tuple[np.ndarray, np.ndarray], step: int
) -> int:
    """Return the row, from 0, of the iteration to select; it may be out of range.

    `numbers` and `spans` (starts, ends in ticks) describe the iterations in order.
    """
    starts, ends = spans
    begin, end = selection.window or (int(starts.min()), int(ends.max()))
    in_view = (starts < end) & (ends > begin)
    now = np.flatnonzero((numbers == selection.iteration) & in_view)
    if len(now):
        return int(now[0]) + step
    return int((ends <= begin).sum()) if step > 0 else int((starts < end).sum()) - 1


def _show_span(state: RunState, span: tuple[int, int], data: RunData) -> RunState:
    """Return the state with a window that does not overlap the span (ticks) moved to it; the width
    stays the same.

    Unchanged if the state has no window or it overlaps the span.
    """
    if state.selection.window is None:
        return state
    begin, end = state.selection.window
    if span[0] < end and span[1] > begin:
        return state
    first, last = data.timeline.extent
    width = end - begin
    middle = sum(span) // 2 if width > span[1] - span[0] else span[0] + width // 2
    begin = min(max(middle - width // 2, first), max(first, last - width))
    return state.selecting(window=(begin, begin + width))


KEYS = (
    Key(
        ("j", "k"),
        "next and previous iteration",
        frozenset({Capability.ITERATIONS}),
        lambda state, data, key: step_iteration(state, data, 1 if key == "j" else -1),
    ),
)
