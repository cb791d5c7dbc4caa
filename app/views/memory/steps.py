"""What people do in the memory views, as steps from one view state to the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from analysis.memory.layer_groups import previous_of_group
from analysis.memory.selection import MemorySelection
from app.views.memory.panels import shown_attempts
from app.views.state import RunState
from app.views.timeline import steps as run_events
from services.memory import MemoryData, cursor

_MOST = 2**62


def clicked(state: RunState, parts: Mapping[str, int | None], shown: int | None) -> RunState:
    """Set what a click names; what is selected already is cleared, another attempt takes its own selection along.

    `shown` is the attempt that is on display when none is selected.
    """
    if not parts:
        return state
    now = state.memory.attempt if state.memory.attempt is not None else shown
    attempt = parts.get("attempt", now)
    rest = {key: value for key, value in parts.items() if key != "attempt" and value is not None}
    if attempt != now:
        return state.remembering(**{"attempt": attempt, "block": None, "bank": None, **rest})
    same = bool(rest) and all(getattr(state.memory, key) == value for key, value in rest.items())
    return state.remembering(**{key: None if same else value for key, value in rest.items()})


def attempt_chosen(state: RunState, attempt: int, memory: MemoryData) -> RunState:
    """Show another attempt: what was selected inside of the last one goes, the cursor stays where it can."""
    if attempt == memory.number(state.memory) or not memory.has(attempt):
        return state
    levels = memory.attempts["level"].notna().any()
    kept = {} if levels else {"span": None, "addresses": None}
    return state.remembering(attempt=attempt, block=None, bank=None, **kept)


def compared(state: RunState, attempt: int, memory: MemoryData) -> RunState:
    """Compare an attempt with the one before it in its layer group, or no longer where that is what is shown.

    The first of its group, and a memory level, is compared with what is shown.
    """
    before = previous_of_group(memory.attempts, attempt)
    if before is None:
        other = None if attempt in (state.memory.against, memory.number(state.memory)) else attempt
        return state.remembering(against=other)
    if (memory.number(state.memory), state.memory.against) == (attempt, before):
        return state.remembering(against=None)
    return attempt_chosen(state, attempt, memory).remembering(against=before)


def zoomed(state: RunState, zoom: Mapping[str, Any], *, timed: bool = False) -> RunState:
    """Take the ranges that a memory plot was zoomed to; null shows everything, what is not named stays.

    Of a profile (`timed`) the time that is zoomed to is the window of every view.
    """
    if timed and "span" in zoom:
        state = run_events.zoomed(state, zoom["span"])
    named = ("addresses",) if timed else ("span", "addresses")
    return state.remembering(**{key: _whole_range(zoom[key]) for key in named if key in zoom})


def cleared(state: RunState, part: str) -> RunState:
    """Clear one part of the selection in memory, or `all` of it; the attempt on display stays."""
    if part == "all":
        return replace(state, memory=MemorySelection(attempt=state.memory.attempt), find="")
    return replace(state, find="") if part == "find" else state.remembering(**{part: None})


def key_pressed(state: RunState, key: str, memory: MemoryData) -> RunState:
    """Follow a key: j k show the next or previous attempt of the list, a d move the step cursor, Escape clears."""
    if key == "Escape":
        return cleared(state, "all")
    if key not in ("jk" if memory.timed else "adjk"):
        return state
    shown = memory.shown(state.memory, state.layout)
    if shown is None:
        return state
    if key in "ad":
        step = cursor(shown, state.memory) + (1 if key == "d" else -1)
        return state.remembering(step=min(max(step, 0), shown.length - 1))
    numbers = shown_attempts(memory, state)["attempt"].tolist()
    if not numbers:
        return state
    at = numbers.index(shown.number) + (1 if key == "j" else -1) if shown.number in numbers else 0
    return attempt_chosen(state, numbers[min(max(at, 0), len(numbers) - 1)], memory)


def _whole_range(span: object) -> tuple[int, int] | None:
    """Return a plot's range as whole steps or bytes that cover it."""
    if not isinstance(span, list | tuple) or len(span) != 2:
        return None
    low, high = sorted(min(max(float(end), -_MOST), _MOST) for end in span)
    begin = max(0, math.floor(low))
    return begin, max(begin + 1, math.ceil(high))
