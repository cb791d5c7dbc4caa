"""View that tries single or double buffering of the displayed operator's operands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.tiling.deeploy.buffering import DOUBLE, SINGLE
from app.views.state import RunState
from app.views.tiling.fold import FOLD
from app.views.tiling.selection import TILING, TilingSelection
from app.views.tiling.shown import shown_operator, tried_bytes
from app.views.view import ContentView, Link, Part, Width
from components.tiling.buffers_table import DO, Operand, buffers_table
from components.tiling.captions import buffers_caption
from services.run.capabilities import Capability
from services.run.data import RunData


def buffers_part(data: RunData, state: RunState) -> Part:
    """List the operands of the displayed operator with the number of tiles that their blocks hold,
    and a switch; empty without operands.
    """
    number = shown_operator(data, state)
    stored = data.tiling.tiled_operators[number]
    tried = data.tiling.with_buffers(number, state.selected(TilingSelection).buffers)
    rows = [
        Operand(
            own.operand or own.tensor,
            shape,
            own.bytes // (own.copies or SINGLE),
            own.copies or SINGLE,
            now.copies,
        )
        for own, now, shape in zip(
            stored.operator.held, tried.operator.held, stored.shapes, strict=True
        )
        if own.access and own.operand
    ]
    if not rows:
        return Part(None, "")
    return Part(buffers_table(rows), buffers_caption(stored, tried, tried_bytes(state)))


def switch_buffering(state: RunState, data: RunData, named: Any) -> RunState:  # noqa: ANN401 - ids as Dash has them
    """Return the state in which the block of an operand holds 1 or 2 tiles (`named`: `operand`,
    `copies`); the stored number is not a change.

    Unchanged if the operand is unknown or `copies` is another number.
    """
    number = shown_operator(data, state)
    operand = str(named["operand"])
    copies = int(named["copies"])
    held = data.tiling.tiled_operators[number].operator.operand(operand)
    if held is None or copies not in (SINGLE, DOUBLE):
        return state
    selection = state.selected(TilingSelection)
    others = {name: count for name, count in selection.buffers if name != operand}
    changed = others if copies == (held.copies or SINGLE) else others | {operand: copies}
    return state.with_selected(
        replace(selection, operator=number, buffers=tuple(sorted(changed.items())))
    )


BUFFERS = ContentView(
    id="buffers",
    title="Buffering",
    help=(
        "How many tiles the block of each operand holds: two, so that one is moved while the other is "
        "used, or one. The moved bytes stay the same, the held bytes change; the choices below change with them."
    ),
    needs=frozenset({Capability.TILING, Capability.MEMORY}),
    group="tiling",
    fold=FOLD,
    width=Width.NARROW,
    selection=TILING,
    make=buffers_part,
    links=(Link(DO, ("operand", "copies"), switch_buffering),),
)
