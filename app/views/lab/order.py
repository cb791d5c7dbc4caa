"""View of the order of steps: where each step may run, and the bytes that an order needs at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dash import html
from dash.development.base_component import Component

from app.views.lab.state import LabState, with_order
from app.views.lab.view import LabWords
from app.views.view import Grid, Link, Part, Width
from components.lab.order_grid import GRID, order_grid
from components.numbers import count_text, size
from services.lab.data import LabData
from services.run.capabilities import Capability

MOVE = "lab-move"
"""Type in the ids of the buttons that move the selected step; the id has the target `to`."""
_EARLIER, _LATER, _FIRST, _LAST, _LOWEST, STORED_ORDER = (
    "earlier",
    "later",
    "first",
    "last",
    "least",
    "stored",
)


def order_part(data: LabData, state: LabState) -> Part:
    """List the steps in their order, with the range in which each may run, and buttons to move the
    selected step; empty if no step can move.
    """
    if not _can_move(data):
        return Part(None, "")
    grid = order_grid(order_rows(data), shown_step(data, state))
    return Part(
        html.Div([grid, html.Div(_buttons(data, state), className="ts-lab-actions ts-lab-order")]),
        _order_text(data),
    )


def _can_move(data: LabData) -> bool:
    if data.precedence is None:
        return False
    first, last = data.precedence.spans(range(len(data.order)))
    return bool((first < last).any())


def order_rows(data: LabData) -> list[dict[str, Any]]:
    """Return a row per step, in the order of the problem: position (from 0), step (its number in
    the file), name, op_type, bytes alive, and `may`, the range of positions.

    Empty if the order constraints or the file's placement are unknown.
    """
    allowed = data.precedence
    alive = data.alive().tolist()
    if allowed is None or data.stored_map is None:
        return []
    named = (
        data.stored_map.steps.drop_duplicates("step")
        .set_index("step")[["name", "op_type"]]
        .to_dict("index")
    )
    spans = [ends.tolist() for ends in allowed.spans(data.order)]
    rows = []
    for position, step in enumerate(data.order):
        first, last = (ends[step] for ends in spans)
        name, op_type = (named.get(step, {}).get(column) for column in ("name", "op_type"))
        rows.append(
            {"position": position, "step": step, "name": name or f"step {step}"}
            | {"op_type": op_type if isinstance(op_type, str) else ""}
            | {"alive": alive[position] if position < len(alive) else None}
            | {"may": f"{first}–{last}" if first < last else f"{position}"}
        )
    return rows


def shown_step(data: LabData, state: LabState) -> int | None:
    """Return the position (from 0) of the selected step in the order; None if no step is selected."""
    return data.order.index(state.step) if state.step in data.order else None


def _order_text(data: LabData) -> str:
    moved = sum(position != step for position, step in enumerate(data.order))
    alive = data.alive()
    if not len(alive):
        return data.refusal
    peak = int(alive.argmax())
    most = f"At most {size(int(alive.max()))} in use at once, while step {data.order[peak]} runs"
    if not moved:
        return f"{most}."
    return f"{most}; {count_text(moved, 'step')} at another position than in the file."


def _buttons(data: LabData, state: LabState) -> list[Component]:
    back: list[Component] = (
        [_button(STORED_ORDER, "all in the order of the file")] if state.order else []
    )
    return back if data.refusal else [*_moves(data, state), *back]


def _moves(data: LabData, state: LabState) -> list[Component]:
    buttons: list[Component] = []
    allowed = data.precedence
    at = shown_step(data, state)
    if allowed is not None and at is not None:
        first, last = allowed.span(data.order, data.order[at])
        buttons += (
            [_button(_EARLIER, "one earlier"), _button(_FIRST, "earliest")] if first < at else []
        )
        buttons += [_button(_LATER, "one later"), _button(_LAST, "latest")] if last > at else []
    buttons.append(
        _button(_LOWEST, "fewest bytes at once", "the order with the lowest live peak found")
    )
    return buttons


def _button(to: str, text: str, title: str = "") -> html.Button:
    """Return a button that changes the order; `to` is the change, as `earlier` or `last`."""
    return html.Button(text, id={"type": MOVE, "to": to}, className="ts-button", title=title)


def move_step(state: LabState, data: LabData, named: Any) -> LabState:  # noqa: ANN401 - ids as Dash has them
    """Return the state with the order changed as a button requests, in `named["to"]`: as "earlier",
    "last" or "stored".

    Unchanged if the selected step cannot move there. If the problem is refused, only the order of
    the file is accepted.
    """
    to = str(named["to"])
    if to == STORED_ORDER:
        return replace(state, order=())
    if data.refusal:
        return state
    if to == _LOWEST:
        return with_order(state, data.least_peak())
    allowed = data.precedence
    at = shown_step(data, state)
    if allowed is None or at is None:
        return state
    first, last = allowed.span(data.order, data.order[at])
    places = {_EARLIER: at - 1, _LATER: at + 1, _FIRST: first, _LAST: last}
    place = places.get(to, at)
    if not first <= place <= last:
        return state
    # Positions are counted without the moved step.
    others = [step for step in data.order if step != data.order[at]]
    return with_order(state, (*others[:place], data.order[at], *others[place:]))


def step_picked(state: LabState, data: LabData, row: int, _column: str = "") -> LabState:
    """Return the state with the step at position `row` (from 0) selected, or cleared if it was
    selected; unchanged for a row behind the last step.
    """
    if row >= len(data.order):
        return state
    step = data.order[row]
    return replace(state, step=None if state.step == step else step)


ORDER = LabWords(
    id="order",
    title="Order of steps",
    help=(
        "The steps in the order in which they run. A step stays after the steps whose results it reads "
        "and before the steps that overwrite them. Click a step to move it; "
        "lifetimes of blocks change with it. Press Solve afterwards."
    ),
    needs=frozenset({Capability.ADDRESSES}),
    group="order",
    width=Width.HALF,
    make=order_part,
    links=(Link(MOVE, ("to",), move_step),),
    grid=Grid(GRID, on_cell=step_picked),
)
