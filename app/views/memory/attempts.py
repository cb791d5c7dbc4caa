"""Views of the attempts of a run: its tries, memory levels or tiles in a grid."""

from __future__ import annotations

from dataclasses import replace

from app.views.memory import actions
from app.views.memory.groups_selection import GROUPS_SELECTION, GroupSelection
from app.views.memory.shown import LISTED, shown_attempts, with_attempt
from app.views.saved_placements import saved_count
from app.views.state import RunState
from app.views.view import ContentView, Grid, Part, Width
from components.caption import Caption
from components.memory.attempt_captions import attempts_caption, tiles_caption
from components.memory.attempts_grid import attempts_grid, grid_options, scroll_target
from components.numbers import integer
from services.run.capabilities import Capability
from services.run.data import RunData

ATTEMPTS_GRID = "run-attempts-grid"


def attempts_part(data: RunData, state: RunState) -> Part:
    """List the allocation attempts in a grid; the displayed and the compared attempt are marked.

    The caption has the number of rows if option LISTED or a selected layer group leaves some out.
    """
    chosen = with_attempt(data, state).memory
    rows = shown_attempts(data, state)
    grid = attempts_grid(ATTEMPTS_GRID, rows, chosen.attempt, chosen.against)
    caption = attempts_caption(data.memory.attempts, chosen)
    more = saved_count(data.memory.saved)
    jumps = caption.jumps if isinstance(caption, Caption) else ()
    every = len(data.memory.listed_attempts)
    listed = f"{integer(len(rows))} listed." if len(rows) < every else ""
    return Part(grid, Caption(" ".join(filter(None, (caption, more, listed))), *jumps))


def tiles_part(data: RunData, state: RunState) -> Part:
    """List the tiles of a design in a grid; the displayed and the compared tile are marked."""
    caption = tiles_caption(data.memory.attempts)
    return Part(attempts_part(data, state).body, caption)


def attempts_key(_data: RunData, state: RunState) -> str:
    """Build a text that changes with the rows of the grid of attempts, but not with the displayed
    attempt.
    """
    return f"{state.method} {LISTED.of(state)} {state.selected(GroupSelection).group}"


def attempt_marks(data: RunData, state: RunState) -> list[object]:
    """Return a list of the grid options that mark the displayed and the compared attempt, and the
    row to scroll to.
    """
    shown = data.memory.number(state.memory)
    listed = shown_attempts(data, state)
    return [grid_options(len(listed), shown, state.memory.against), scroll_target(listed, shown)]


_NEEDS = frozenset({Capability.ADDRESSES})
# Two views share this grid: no run has both, because their needs exclude each other.
_ATTEMPTS_ROWS = Grid(
    ATTEMPTS_GRID,
    on_cell=actions.attempt_listed,
    marked=("dashGridOptions", "scrollTo"),
    marks=attempt_marks,
    rows=shown_attempts,
)
ATTEMPTS = ContentView(
    id="attempts",
    title="Attempts",
    help="Allocation attempts by layer group. Click a row to show it; vs compares it with the attempt before it in its "
    "group.",
    needs=_NEEDS | {Capability.TRIES, Capability.SEVERAL_ATTEMPTS},
    group="memory",
    width=Width.HALF,
    stack="lists",
    choices=(LISTED,),
    selection=GROUPS_SELECTION,
    make=attempts_part,
    key=attempts_key,
    grid=_ATTEMPTS_ROWS,
)
LEVELS = ContentView(
    id="attempts",
    title="Levels",
    help="The memory levels of the plan. Click a row to show it; vs compares it with the level that is shown.",
    needs=_NEEDS | {Capability.LEVELS, Capability.SEVERAL_ATTEMPTS},
    group="memory",
    width=Width.HALF,
    stack="lists",
    make=attempts_part,
    key=attempts_key,
    grid=_ATTEMPTS_ROWS,
    only=lambda data: not data.can(Capability.DESIGN),
)
TILES = replace(
    LEVELS,
    title="Tiles",
    help="The memories of the tiles of the design. Click a row to show it; vs compares it with the tile that is shown.",
    make=tiles_part,
    only=lambda data: data.can(Capability.DESIGN),
)
