"""Views of layer groups: the end of each group with its reason, and the attempts of a group in
order.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.memory.group_table import LayerGroup
from app.views.memory.actions import attempt_chosen
from app.views.memory.groups_selection import GROUPS_SELECTION, GroupSelection
from app.views.state import RunState
from app.views.text_tables import Table, plain_table
from app.views.view import Click, ContentView, Grid, Panel, Part, Plot, Width
from components.graph import nothing
from components.memory.group_curve import group_curve, parse_click
from components.memory.group_words import differs_words, group_name, groups_sentence
from components.memory.groups_grid import (
    MAX_SENT,
    grid_options,
    group_records,
    groups_grid,
    listed_groups,
    scroll_target,
)
from components.numbers import count_text, integer
from services.run.capabilities import Capability
from services.run.data import RunData

_GRID = "run-groups-grid"


def log_sentence(data: RunData) -> str:
    """Compose a sentence with the number of layer groups of a compile log that failed in the end,
    and their reasons.
    """
    memory = data.memory
    final = bool(memory.attempts["final"].fillna(False).astype(bool).any())
    return groups_sentence(memory.groups, memory.failure, final_known=final)


def groups_part(data: RunData, state: RunState) -> Part:
    """List the layer groups in a grid; the group of the displayed attempt is marked."""
    rows = _records(data)
    return Part(
        groups_grid(_GRID, rows, _shown_first(data, state), _wanted_first(data, state)),
        _caption(data),
    )


def _records(data: RunData) -> list[dict[str, Any]]:
    memory = data.memory
    return group_records(memory.groups, memory.failure, pending=memory.failures.is_pending)


def _caption(data: RunData) -> str:
    """Compose sentences with the number of groups and attempts, and the state of the search about
    failed groups.
    """
    memory = data.memory
    attempts = sum(len(group.attempts) for group in memory.groups)
    sentences = [
        f"{count_text(len(memory.groups), 'layer group')} in {count_text(attempts, 'attempt')}."
    ]
    if len(memory.groups) > MAX_SENT:
        sentences.append(f"The first {integer(MAX_SENT)} are listed.")
    if memory.failures.is_pending:
        sentences.append(
            "The built-in search is running on the failed attempts, for at most a minute."
        )
    if memory.failures.ending:
        sentences.append(f"The built-in search has no result: {memory.failures.ending}.")
    return " ".join(sentences)


def _shown_group(data: RunData, state: RunState) -> LayerGroup | None:
    return data.memory.find_group(data.memory.number(state.memory))


def _shown_first(data: RunData, state: RunState) -> int | None:
    group = _shown_group(data, state)
    return None if group is None else group.attempts[0].attempt


def _wanted_first(data: RunData, state: RunState) -> int | None:
    """Return the row to scroll to, as the number of the first attempt of its group: that of an
    explicitly selected attempt; None without.
    """
    return None if state.memory.attempt is None else _shown_first(data, state)


def _marks(data: RunData, state: RunState) -> list[object]:
    firsts = (group.attempts[0].attempt for group in listed_groups(data.memory.groups))
    return [
        grid_options(_shown_first(data, state)),
        scroll_target(firsts, _wanted_first(data, state)),
    ]


def group_listed(state: RunState, data: RunData, first: int, _column: str) -> RunState:
    """Return the state that shows the last attempt of the clicked group and lists only the group's
    attempts; a second click lists all.

    `first` is the number of the group's first attempt; unchanged if there is no such group.
    """
    group = next(
        (other for other in data.memory.groups if other.attempts[0].attempt == first), None
    )
    if group is None:
        return state
    if state.selected(GroupSelection).group == first:
        return state.with_selected(GroupSelection())
    return attempt_chosen(state, group.last.attempt, data.memory).with_selected(
        GroupSelection(first)
    )


def groups_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the layer groups, with the columns of the grid."""
    rows = pd.DataFrame(_records(data))
    shown = rows.drop(columns=["first", "share"]).rename(
        columns={"lab": "the built-in search", "reason": "why"}
    )
    return [plain_table("layer groups", shown)]


def curve_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the attempts of the displayed attempt's layer group in the order in which they were
    tried.

    An empty figure and a sentence if it has no group or the group has a single attempt.
    """
    group = _shown_group(data, state)
    if group is None:
        return Panel(nothing(theme), "The shown attempt belongs to no layer group.")
    number = data.memory.number(state.memory)
    shown = None if number is None else data.memory.base(number)
    caption = _curve_words(group)
    if len(group.attempts) < 2:
        return Panel(nothing(theme), caption)
    return Panel(group_curve(group, data.memory.failure, shown, theme), caption)


def _curve_words(group: LayerGroup) -> str:
    tried = count_text(len(group.attempts), "attempt")
    if len(group.attempts) < 2:
        return f"{group_name(group)} was tried once: {group.last.outcome}."
    lost = sum(attempt.failed > 0 for attempt in group.attempts)
    differs = differs_words(group)
    other = f"; settings that differ: {differs}" if differs else "; all with the same settings"
    ended = f"the last, attempt {group.last.attempt}: {group.last.outcome}"
    return f"{group_name(group)}: {tried}, {integer(lost)} failed; {ended}{other}."


def attempt_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Return the state that shows the attempt of the clicked point; unchanged if the click has no
    attempt.
    """
    attempt = parse_click(click)
    return state if attempt is None else attempt_chosen(state, attempt, data.memory)


_NEEDS = frozenset({Capability.ADDRESSES, Capability.LAYER_GROUPS})
GROUPS = ContentView(
    id="groups",
    title="Layer groups",
    help="A row per layer group of the log: how its last attempt ended, why it failed, and whether the built-in search "
    "fits the same blocks. Click a row to show its last attempt and list only its attempts.",
    needs=_NEEDS,
    group="memory",
    width=Width.HALF,
    stack="lists",
    selection=GROUPS_SELECTION,
    make=groups_part,
    key=lambda data, state: f"{state.method} {data.memory.failures.is_pending}",
    tables=groups_tables,
    grid=Grid(_GRID, on_cell=group_listed, marked=("dashGridOptions", "scrollTo"), marks=_marks),
)
CURVE = Plot(
    id="groupcurve",
    title="Attempts of the group",
    help="The attempts of the layer group that is shown, in the order tried: bytes at the peak with the capacity as a "
    "line, and cycles where the log has them. Crosses are attempts that failed. Click a point to show its map.",
    needs=_NEEDS | {Capability.SEVERAL_ATTEMPTS},
    group="attempts of a group",
    width=Width.FULL,
    draw=curve_panel,
    on_click=attempt_clicked,
)
