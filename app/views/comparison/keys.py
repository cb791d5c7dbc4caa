"""Keys of the comparison page: iterations or markers, causes, the window of the timelines."""

from __future__ import annotations

from app.views.comparison.result import cause_selected, explain_change
from app.views.comparison.state import CompareState
from app.views.comparison.timelines import shown_marker, whole_window
from app.views.key import Key
from services.comparison.data import CompareData
from services.run.capabilities import Capability

_ZOOM = {"w": 0.5, "s": 2.0}
_MOVES = {"a": -0.25, "d": 0.25}
_MIN_WINDOW = 10


def step_selection(state: CompareState, data: CompareData, key: str) -> CompareState:
    """Return the state with the next (key `j`) or previous compared iteration selected; of
    profiles, the number of the marker for the alignment is changed by 1.

    Unchanged at the last iteration or if there are none.
    """
    step = 1 if key == "j" else -1
    if not data.can(Capability.ITERATIONS):
        return state.selecting(iteration=max(0, shown_marker(data, state) + step))
    numbers = sorted(
        {
            int(number)
            for run in (data.base[0], data.new[0])
            for number in run.capture.compared_rows["iteration"]
        }
    )
    if not numbers:
        return state
    now = state.selection.iteration
    if now is None:
        return state.selecting(iteration=numbers[0 if step > 0 else -1])
    beyond = [number for number in numbers if (number > now if step > 0 else number < now)]
    if not beyond:
        return state
    return state.selecting(iteration=beyond[0] if step > 0 else beyond[-1])


def next_cause(state: CompareState, data: CompareData, _key: str) -> CompareState:
    """Select place of the next part of the change; after the last cause start again with the first."""
    _, causes = explain_change(data)
    places = [cause_selected(state, data, cause) for cause in causes]
    now = next(
        (rank for rank, place in enumerate(places) if place == state and not state.selects_nothing),
        -1,
    )
    return places[(now + 1) % len(places)] if places else state


def move_window(state: CompareState, data: CompareData, key: str) -> CompareState:
    """Return the state with the window of both timelines halved (key `w`), doubled (`s`), or moved
    by a quarter of its width (`a`, `d`).
    """
    low, high = state.selection.window or whole_window(data, state)
    width = high - low
    if key in _ZOOM:
        middle = (low + high) // 2
        half = max(_MIN_WINDOW, round(width * _ZOOM[key])) // 2
        return state.selecting(window=(middle - half, middle + half))
    shift = round(width * _MOVES[key])
    return state.selecting(window=(low + shift, high + shift))


KEYS = (
    Key[CompareData, CompareState](
        ("j", "k"),
        "next and previous iteration, or marker",
        frozenset({Capability.TIMELINE}),
        step_selection,
    ),
    Key[CompareData, CompareState](
        ("n",), "place of the next part of the change", frozenset(), next_cause
    ),
    Key[CompareData, CompareState](
        ("w", "s", "a", "d"),
        "zoom and move both timelines",
        frozenset({Capability.TIMELINE}),
        move_window,
    ),
)
