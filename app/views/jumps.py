"""Captions with links: a name in a caption is a link that selects it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from app.views.address.codec import read_state
from app.views.executions import kernel_shown
from app.views.memory.actions import attempt_chosen
from app.views.state import RunState
from app.views.view import Link
from components.caption import Caption, Jump
from services.run.data import RunData

_TYPE = "jump-link"
_OF_RUN = ("track", "iteration", "kind", "program")
_OF_MEMORY = ("block", "bank", "step")


def caption_parts(view_id: str, answer: str) -> list[str | Component]:
    """Return the pieces of a view's caption in order: texts, and buttons in place of its links; a
    plain text is the only piece.
    """
    pieces = answer.parts() if isinstance(answer, Caption) else [answer]
    return [_link(view_id, piece) if isinstance(piece, Jump) else str(piece) for piece in pieces]


def _link(view_id: str, jump: Jump) -> html.Button:
    named = {"type": _TYPE, "view": view_id, "part": jump.part, "value": str(jump.value)}
    return html.Button(jump.text, id=named, className="ts-link ts-jump", title="Select")


def follow_jump(state: RunState, data: RunData, named: Mapping[str, Any]) -> RunState:
    """Return the state with the target of a link selected; unchanged if part or value is invalid.

    `named` has the `part` (as "kernel" or "block") and its `value`, which is parsed in the same way
    as a value of an address.
    """
    part = str(named["part"])
    value = str(named["value"])
    target = read_state(RunState, [(part, value)])
    if part == "attempt" and target.memory.attempt is not None:
        return attempt_chosen(state, target.memory.attempt, data.memory)
    if part == "kernel" and target.selection.kernel is not None:
        return kernel_shown(state, data, target.selection.kernel)
    if part in _OF_RUN and getattr(target.selection, part) is not None:
        return state.selecting(**{part: getattr(target.selection, part)})
    if part in _OF_MEMORY and getattr(target.memory, part) is not None:
        return state.remembering(**{part: getattr(target.memory, part)})
    return state


JUMP = Link(_TYPE, ("view", "part", "value"), follow_jump)
