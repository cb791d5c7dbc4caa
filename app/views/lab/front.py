"""View of least disturbance: the extents that are reached by moving few bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.views.lab.state import LabState
from app.views.lab.view import LabPlot
from app.views.text_tables import Table
from app.views.view import Panel, Width
from components.graph import nothing
from components.lab.move_front import MovePoint, move_front_plot
from components.memory.axis import clicked_parts
from components.numbers import count_text, integer, size
from services.lab.data import LabData
from services.run.capabilities import Capability
from services.run.placements import LabPlacement

_LINE = "Click a point to see its map with the moved blocks; click it again to return."


def front_panel(data: LabData, state: LabState, theme: str) -> Panel:
    """Draw the placements by the bytes that they move and their extent.

    If they were not computed yet or cannot be, an empty figure and a sentence.
    """
    if not data.front:
        return Panel(
            nothing(theme),
            "Not computed yet: press Least disturbance." if data.can_keep_most else _NO_PLACE,
        )
    points = [
        MovePoint(placement.moved_bytes or 0, placement.extent or 0) for placement in data.front
    ]
    return Panel(
        move_front_plot(points, data.front[-1].bound, state.moved, theme), _front_words(data), _LINE
    )


_NO_PLACE = "The file has no placement to compare with."


def _front_words(data: LabData) -> str:
    first = data.front[0]
    last = data.front[-1]
    if len(data.front) == 1:
        return f"{_point_words(first)}; no lower extent was found."
    return f"{count_text(len(data.front), 'placement')}: {_point_words(first)}, down to {_point_words(last)}."


def _point_words(point: LabPlacement) -> str:
    moved = "nothing moved" if not point.moved_bytes else f"{size(point.moved_bytes)} moved"
    return f"{size(point.extent or 0)} with {moved}"


def point_clicked(state: LabState, data: LabData, click: Any) -> LabState:  # noqa: ANN401 - plotly's
    """Return the state that shows the placement of the clicked point; a second click shows the
    result of the strategy again.

    Unchanged if no placement moves that many bytes.
    """
    moved = clicked_parts(click, ("moved",)).get("moved")
    if moved is None or data.front_point(moved) is None:
        return state
    return replace(state, moved=None if moved == state.moved else moved)


def front_tables(data: LabData, _state: LabState) -> list[Table]:
    """Build a text table of the placements in bytes: moved, extent and bound; empty without
    placements.
    """
    rows = [
        [
            integer(placement.moved_bytes or 0),
            integer(placement.extent or 0),
            integer(placement.bound),
        ]
        for placement in data.front
    ]
    labels = [("moved", "bytes moved"), ("extent", "extent, bytes"), ("bound", "bound, bytes")]
    return [Table("least disturbance", _front_words(data), labels, rows)] if rows else []


FRONT = LabPlot(
    id="front",
    title="Least disturbance",
    help="Extent of a placement against the bytes that move from their address in the file: no point is "
    "worse than another in both. Blocks without an address in the file do not "
    "count as moved. With a capacity it ends at the fewest bytes "
    "moved within it.",
    needs=frozenset({Capability.ADDRESSES}),
    group="front",
    width=Width.FULL,
    draw=front_panel,
    on_click=point_clicked,
    tables=front_tables,
)
