"""View of the calls of the host in the selected window, as a flame graph."""

from __future__ import annotations

import pandas as pd

from analysis.kernels.call_tree import call_tree, fold_outer_calls, main_thread
from analysis.selection import name_key
from app.views.state import RunState, toggle_part
from app.views.view import Click, Panel, Plot, Width, custom, whole
from components.graph import nothing
from components.kernels.call_flame import call_caption, call_flame
from components.numbers import count_text
from services.run.capabilities import Capability
from services.run.data import RunData


def calls_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the calls of the selected thread, else of the main one, in the selected window."""
    tree, thread = _tree(data, state)
    if thread is None:
        return Panel(nothing(theme), "No calls in the selected time.")
    shown, folded = fold_outer_calls(tree)
    line = f"{count_text(folded, 'outer call')} folded." if folded else ""
    begin, end = state.selection.window or data.profile.extent
    has_python = bool(data.profile.threads.functions.any())
    caption = call_caption(tree, _track(data, thread), end - begin, has_python=has_python)
    return Panel(call_flame(shown, theme), caption, line)


def _tree(data: RunData, state: RunState) -> tuple[pd.DataFrame, int | None]:
    """Return the tree of calls before it is folded, and its thread; if no thread has calls, the
    tree is empty and the thread None.
    """
    threads = data.profile.threads
    window = state.selection.window or data.profile.extent
    thread = threads.by_track.get(state.selection.track or "")
    # A stream of a device is a track too, and has no calls.
    if thread is None or not (threads.thread == thread).any():
        thread = main_thread(threads, window)
    return call_tree(threads, -1 if thread is None else thread, window), thread


def _track(data: RunData, thread: int) -> str:
    tracks = data.profile.threads.by_track
    return next(track for track, number in tracks.items() if number == thread)


def call_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Return the state with the clicked operator or Python function selected if it launched
    kernels, or cleared if it was selected; unchanged for other calls.
    """
    tree, _ = fold_outer_calls(_tree(data, state)[0])
    row = whole(next(iter(custom(click)), None))
    if row is None or not 0 <= row < len(tree):
        return state
    name = str(tree["name"].iloc[row])
    for part in ("op", "python"):
        if (data.profile.kernels[part] == name).any():
            return toggle_part(state, part, name_key(name))
    return state


CALLS = Plot(
    id="calls",
    title="Calls of the host",
    help="Operators, annotations and Python functions of the selected thread, else of the main one, in the selected time: "
    "each below its caller and as wide as its time. Click selects the kernels that a call launched.",
    needs=frozenset({Capability.NAMED_KERNELS, Capability.OPERATORS}),
    group="operators of a profile",
    width=Width.FULL,
    # Nodes of ONNX Runtime are executions, not calls of a thread.
    only=lambda data: bool(data.profile.threads.operations.any()),
    draw=calls_panel,
    on_click=call_clicked,
)
