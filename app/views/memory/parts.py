"""The memory parts of a run's page that are words and grids: attempts, block, what is alive, comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

import numpy as np
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.bank_occupants import bank_occupants, steps_around
from analysis.memory.findings.bank_conflicts import bank_conflicts
from app.views.memory import devices as memory_devices
from app.views.memory.panels import LAYOUT_LABELS, shown_attempts, shown_map, with_attempt
from app.views.state import RunState
from app.views.view import Part
from components.memory import answers as memory_answers
from components.memory.alive_table import alive_table
from components.memory.attempt_compare import attempt_compare
from components.memory.attempts_grid import attempts_grid
from components.memory.block_card import block_card
from components.memory.conflict_list import conflict_list, conflicts_answer
from components.memory.occupants_table import occupants_answer, occupants_table
from data_loaders.minimalloc.problem import TAG
from services.memory import PLACED, cursor
from services.runs import RunData

ATTEMPTS_GRID, ALIVE_GRID = "run-attempts-grid", "run-alive-grid"


def attempts_part(data: RunData, state: RunState) -> Part:
    """List the attempts, with the shown one and the one that is compared with marked."""
    if data.memory is None:
        return Part(None, "")
    if data.timed:
        return memory_devices.devices_part(data, state, ATTEMPTS_GRID)
    chosen = with_attempt(data, state).memory
    rows = shown_attempts(data.memory, state)
    grid = attempts_grid(ATTEMPTS_GRID, rows, chosen.attempt, chosen.against)
    return Part(grid, memory_answers.attempts_answer(data.memory.attempts, chosen))


def attempts_key(state: RunState) -> str:
    """Return what changes with the rows of the attempts' grid, whatever is selected in it."""
    return f"{state.method} {state.attempts}"


def block_part(data: RunData, state: RunState) -> Part:
    """Tell all about the selected block."""
    shown = shown_map(data, state)
    if shown is None or state.memory.block is None:
        return Part(None, "")
    row = block_row(shown, state.memory.block)
    if row is None:
        return Part(html.P(_stale_block(shown, state.memory.block), className="ts-panel-hint"), "")
    return memory_devices.buffer_part(data, state, row) if data.timed else Part(block_card(shown, row), "")


def _stale_block(shown: AttemptMap, block: int) -> str:
    """Return that the selected block is not there: a link may be stale."""
    return f"There is no {'buffer' if shown.timed else 'block'} {block} in {shown.label}."


def packing_part(data: RunData, state: RunState) -> Part:
    """Say what our allocators make of the shown attempt."""
    if data.memory is None or data.timed or shown_map(data, state) is None:
        return Part(None, "")
    given = data.memory.shown(state.memory, PLACED)
    packings = {LAYOUT_LABELS[name]: one for name, one in data.memory.packings(state.memory).items()}
    said = memory_answers.packing_answer(given, packings) if given is not None else ""
    links = _same_problem(data)
    return Part(html.Div(links) if said or links else None, said)


def _same_problem(data: RunData) -> list[Component]:
    """Return the link to the problem and the solutions that have the same buffers as this run."""
    tags = [tag for tag in str(data.run["tags"].iloc[0]).split() if tag.startswith(TAG)]
    words = "Runs of the same problem: the problem and its solutions"
    return [html.P(html.A(words, href=f"/?q={quote(tag)}"), className="ts-panel-hint") for tag in tags[:1]]


def alive_part(data: RunData, state: RunState) -> Part:
    """List what is alive at the cursor, or at the peak where there is none."""
    shown = shown_map(data, state)
    if shown is None:
        return Part(None, "")
    if data.timed:
        return memory_devices.alive_part(data, state, ALIVE_GRID)
    step = cursor(shown, state.memory)
    said = memory_answers.alive_answer(shown, step, chosen=state.memory.step == step)
    return Part(alive_table(ALIVE_GRID, shown, step, state.memory.block), said)


def conflicts_part(data: RunData, state: RunState) -> Part:
    """List which blocks of one step's computation and transfers share a bank; nothing where the log has no cycles."""
    found = conflicts_of(data, state)
    if found is None:
        return Part(None, "")
    return Part(conflict_list(found) if len(found) else html.Div(), conflicts_answer(found))


def conflicts_of(data: RunData, state: RunState) -> pd.DataFrame | None:
    """Return the candidates of the shown attempt, None where its log does not tell what was moved in which step."""
    shown = shown_map(data, state)
    if data.memory is None or shown is None or not shown.whole("banks"):
        return None
    events = data.memory.events_of(shown.number)
    return bank_conflicts(shown, events) if len(events) else None


def occupants_part(data: RunData, state: RunState) -> Part:
    """List which blocks lie in each bank at the steps around the cursor; nothing for a memory without banks."""
    shown = shown_map(data, state)
    if shown is None or not shown.whole("banks"):
        return Part(None, "")
    step = cursor(shown, state.memory)
    steps = steps_around(shown, step, state.memory.span)
    found = bank_occupants(shown, steps)
    if not len(found):
        return Part(None, "")
    return Part(occupants_table(shown, found, steps, step), occupants_answer(shown, found, steps))


def compare_part(data: RunData, state: RunState) -> Part:
    """Set the shown attempt against the one that is compared with."""
    if data.memory is None:
        return Part(None, "")
    shown = shown_map(data, state)
    other = data.memory.against(state.memory, data.memory.layout(state.memory, state.layout))
    if shown is None or other is None or other.number == shown.number:
        return Part(None, "")
    return Part(attempt_compare(shown, other), "")


def block_row(shown: AttemptMap, block: int | None) -> int | None:
    """Return the position of a block in its attempt's blocks; None where there is no such block."""
    found = np.flatnonzero(shown.blocks["block"].to_numpy(np.int64) == (-1 if block is None else block))
    return int(found[0]) if len(found) else None


PARTS: Mapping[str, Callable[[RunData, RunState], Part]] = {
    "packing": packing_part,
    "block": block_part,
    "alive": alive_part,
    "occupants": occupants_part,
    "conflicts": conflicts_part,
    "compare": compare_part,
}
"""Part -> what makes it; the attempts' grid is changed in place, see `app.views.memory.callbacks`."""
