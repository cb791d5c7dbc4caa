"""Columns of a graph state as JSON, from which a page draws the graph."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field

import pandas as pd

from analysis.program.columns import graph_columns
from analysis.program.picture import Folding, build_picture
from analysis.program.stable_places import MAX_NODES, Drawn, neighbours
from analysis.program.state import State
from services.program.data import ProgramData


@dataclass(frozen=True)
class Wanted:
    """The part of a state to draw: `folding` hides nodes.

    If `around`, only the surroundings of `node` are drawn, or of the change if it is `None`.
    """

    folding: Folding = field(default_factory=Folding)
    around: bool = False
    node: int | None = None


def columns_text(program: ProgramData, context: int, step: int, match: int, wanted: Wanted) -> str:
    """Return the columns of the graph after a match (0: start of the step) as a JSON text, from the
    cache if it has it.

    Raises ValueError if there is no such graph.
    """
    return program.cached_source(
        (context, step, match, wanted), lambda: _make_text(program, context, step, match, wanted)
    )


def _make_text(program: ProgramData, context: int, step: int, match: int, wanted: Wanted) -> str:
    state = program.state(context, step, match)
    if state.error or not state.order:
        raise ValueError(state.error or f"step {step} of context {context} has no graph")
    drawn = _draw(state, wanted)
    before = _before(program, (context, step, match), wanted)
    near: list[Drawn] = []
    if not drawn[1].around and len(drawn[1].nodes) <= MAX_NODES:
        matches = int(program.step(context, step)["matches"])
        others = (program.state(context, step, other) for other in neighbours(match, matches))
        drawings = (_draw(other, wanted) for other in others if not other.error)
        # neighbouring states share the layout, so that nodes keep their places between them
        near = [picture for picture in drawings if len(picture[1].nodes) <= MAX_NODES]
    place = {
        "context": context,
        "step": step,
        "match": match,
        "pattern": _pattern(program, context, step, match),
    }
    return json.dumps(
        place | graph_columns(drawn, before, near), ensure_ascii=False, separators=(",", ":")
    )


def _pattern(program: ProgramData, context: int, step: int, match: int) -> str:
    """Return `FILE:LINE` of the pattern that made the state, only the file if the line is unknown;
    "" for the start of the step (match 0).
    """
    if match == 0:
        return ""
    row = program.matches(context, step).iloc[match - 1]
    return (
        f"{row['file']}:{row['line']}"
        if row["file"] and not pd.isna(row["line"])
        else str(row["file"] or "")
    )


def _before(program: ProgramData, place: tuple[int, int, int], wanted: Wanted) -> Drawn | None:
    """Return the drawn state before the match; `None` for the first state, a state with an error,
    or if only a part is drawn.
    """
    context, step, match = place
    if match == 0 or wanted.around:
        return None
    state = program.state(context, step, match - 1)
    return None if state.error else _draw(state, wanted)


def _draw(state: State, wanted: Wanted) -> Drawn:
    return state, build_picture(
        state, wanted.folding, _focus(state, wanted.node), around=wanted.around
    )


def _focus(state: State, name: int | None) -> Collection[int]:
    """Return the nodes at the centre of the drawn part: the node with the number `name`, else the
    nodes that the match added or changed; empty if there are none.
    """
    chosen = [node for node, own in state.names.items() if own == name] if name is not None else []
    changed_nodes = state.change.added & state.change.changed
    return chosen or changed_nodes or state.change.changed or state.change.added
