"""What people do in the views of an array, as steps from one view state to the next."""

from __future__ import annotations

from analysis.timeline.rows import SYSTEM
from app.views.keys import Key
from app.views.state import RunState, toggled
from app.views.view import Click, custom
from components.aie.iterations import shown_track
from services.capabilities import Capability
from services.runs import RunData


def iteration_clicked(state: RunState, _data: RunData, click: Click) -> RunState:
    """Select the iteration of a bar, and the tile of a tile's point."""
    data = custom(click)
    if len(data) < 2:
        return state
    iteration, track = int(data[0]), str(data[1])
    if track not in (SYSTEM, state.selection.track):
        return state.selecting(iteration=iteration, track=track)
    return toggled(state, "iteration", iteration)


def tile_clicked(state: RunState, _data: RunData, click: Click) -> RunState:
    """Select the tile of a cell or bar."""
    data = custom(click)
    return toggled(state, "track", str(data[0])) if data else state


def stepped(state: RunState, data: RunData, step: int) -> RunState:
    """Return the state on the next or previous iteration of what is shown."""
    rows = data.iterations[data.iterations["track"] == shown_track(data.iterations, state.selection)]
    known = sorted(rows["iteration"].tolist())
    if not known:
        return state
    now = state.selection.iteration
    if now not in known:
        return state.selecting(iteration=known[0 if step > 0 else -1])
    return state.selecting(iteration=known[min(max(known.index(now) + step, 0), len(known) - 1)])


KEYS = (
    Key(
        ("j", "k"),
        "next and previous iteration",
        frozenset({Capability.ITERATIONS}),
        lambda state, data, key: stepped(state, data, 1 if key == "j" else -1),
    ),
)
