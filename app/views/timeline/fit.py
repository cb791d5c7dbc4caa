"""The window that fits what is selected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.views.actions import MIN_WINDOW
from app.views.executions import chosen_kernel
from app.views.state import RunState
from services.run.capabilities import Capability
from services.run.data import RunData

_MARGIN = 8
"""On each side of what is selected 1/8 of its length is shown."""
Stretch = tuple[int, int]


def selection_fitted(state: RunState, data: RunData) -> RunState:
    """Return the state with the window fitted to the current match of the search, else to the
    selected execution, iteration, or track; the whole run if none of them is selected.
    """
    for find in (_match, _kernel, _iteration, _track):
        stretch = find(state, data)
        if stretch is not None:
            return state.selecting(window=_with_margin(stretch, data))
    return replace(state, selection=replace(state.selection, window=None))


def _with_margin(stretch: Stretch, data: RunData) -> Stretch | None:
    """Widen a stretch of ticks within the run; None if it is all of the run."""
    first, last = data.timeline.extent
    length = max(stretch[1] - stretch[0], MIN_WINDOW)
    begin = max(first, stretch[0] - length // _MARGIN)
    end = min(last, stretch[0] + length + length // _MARGIN)
    return None if (begin, end) == (first, last) else (begin, end)


def _match(state: RunState, data: RunData) -> Stretch | None:
    if not state.search or not data.can(Capability.NAMED_KERNELS):
        return None
    hit = data.profile.found(state.search).at(state.hit)
    return None if hit is None else (hit.start, hit.end)


def _kernel(state: RunState, data: RunData) -> Stretch | None:
    kernel = chosen_kernel(data, state)
    if kernel is None or not np.isfinite([kernel["start"], kernel["end"]]).all():
        return None
    return int(kernel["start"]), int(kernel["end"])


def _iteration(state: RunState, data: RunData) -> Stretch | None:
    """Return the span of the selected iteration over all tracks."""
    frame = data.iterations
    own = frame[(frame["iteration"] == state.selection.iteration) & frame["first_start"].notna()]
    if state.selection.iteration is None or not len(own):
        return None
    return int(own["first_start"].min()), int(own["last_end"].max())


def _track(state: RunState, data: RunData) -> Stretch | None:
    """Return the span of the events and kernels of the selected track."""
    timeline = data.timeline
    lanes = [index.lanes for index in (timeline.events, timeline.kept, timeline.left_out)]
    own = [table[table["track"] == state.selection.track] for table in lanes]
    spans = [(int(t["first"].min()), int(t["last"].max())) for t in own if len(t)]
    if state.selection.track is None or not spans:
        return None
    return min(first for first, _ in spans), max(last for _, last in spans)
