"""View state changes of the memory views."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from analysis.memory.cursor import cursor
from analysis.memory.layer_groups import find_previous_attempt
from app.views.key import Key
from app.views.memory.shown import shown_attempts, shown_map
from app.views.state import RunState
from app.views.view import Click, Step
from components.memory.attempts_grid import VERSUS
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.memory import MemoryData


def apply_click(state: RunState, parts: Mapping[str, int | None], shown: int | None) -> RunState:
    """Return the state with the clicked parts (`attempt`, `block`, `bank`, `step` -> number)
    selected.

    A second click on the same parts clears them; a click on another attempt replaces the selection.
    `shown` is the attempt that is displayed if none is selected.
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


def on_plot(named: Callable[[Click], Mapping[str, int]]) -> Step:
    """Make a click handler for a plot of memory: it returns the state with the clicked parts
    selected (see `apply_click`).

    `named` parses a click into its attempt, block, bank or step.
    """
    return lambda state, data, click: apply_click(
        state, named(click), data.memory.number(state.memory)
    )


def attempt_chosen(state: RunState, attempt: int, memory: MemoryData) -> RunState:
    """Return the state that shows another attempt, without selected block and bank; zoomed ranges
    are kept only for levels of a plan.

    Unchanged if the attempt is already shown or does not exist.
    """
    if attempt == memory.number(state.memory) or not memory.has(attempt):
        return state
    levels = memory.attempts["level"].notna().any()
    # The levels of a plan are drawn together, so the zoomed ranges stay valid.
    cleared = {} if levels else {"span": None, "addresses": None}
    return state.remembering(attempt=attempt, block=None, bank=None, **cleared)


def compare_attempt(state: RunState, attempt: int, memory: MemoryData) -> RunState:
    """Return the state that compares an attempt with the attempt before it in its layer group;
    without comparison if they are already compared.

    The first attempt of a group, and a memory level, is compared with the displayed attempt; a
    saved placement with the attempt of the file that it belongs to.
    """
    saved = memory.find_saved(attempt)
    before = find_previous_attempt(memory.attempts, attempt) if saved is None else saved.base
    if before is None:
        other = None if attempt in (state.memory.against, memory.number(state.memory)) else attempt
        return state.remembering(against=other)
    if (memory.number(state.memory), state.memory.against) == (attempt, before):
        return state.remembering(against=None)
    return attempt_chosen(state, attempt, memory).remembering(against=before)


def attempt_listed(state: RunState, data: RunData, row: int, column: str) -> RunState:
    """Return the state that shows the attempt of the clicked row, or compares it if the last column
    (VERSUS) was clicked; `row` is the attempt's number.
    """
    step = compare_attempt if column == VERSUS else attempt_chosen
    return step(state, row, data.memory)


def block_listed(state: RunState, data: RunData, block: int, _column: str = "") -> RunState:
    """Return the state with the block of a row or link selected, in the displayed attempt; cleared
    if it was selected.
    """
    return apply_click(state, {"block": block}, data.memory.number(state.memory))


def attempt_stepped(state: RunState, data: RunData, step: int) -> RunState:
    """Return the state that shows the next (`step` 1) or previous (-1) attempt of the list, at most
    the last or first; unchanged if there are no attempts.
    """
    shown = shown_map(data, state)
    numbers = shown_attempts(data, state)["attempt"].tolist()
    if shown is None or not numbers:
        return state
    at = numbers.index(shown.number) + step if shown.number in numbers else 0
    return attempt_chosen(state, numbers[min(max(at, 0), len(numbers) - 1)], data.memory)


def cursor_moved(state: RunState, data: RunData, step: int) -> RunState:
    """Return the state with the step cursor moved by `step` steps, within the steps of the
    displayed attempt; unchanged if no attempt is displayed.
    """
    shown = shown_map(data, state)
    if shown is None:
        return state
    return state.remembering(step=min(max(cursor(shown, state.memory) + step, 0), shown.length - 1))


KEYS = (
    Key(
        ("j", "k"),
        "next and previous attempt, level or device",
        frozenset({Capability.MEMORY}),
        lambda state, data, key: attempt_stepped(state, data, 1 if key == "j" else -1),
    ),
    Key(
        ("a", "d"),
        "move the step cursor of a memory map",
        frozenset({Capability.ADDRESSES}),
        lambda state, data, key: cursor_moved(state, data, 1 if key == "d" else -1),
    ),
)
