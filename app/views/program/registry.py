"""All views of the program page in reading order, and its keys."""

from __future__ import annotations

from app.views.key import Key
from app.views.program import code, compile_time, flow, graph, lists, traces
from app.views.program.costs import COSTS
from app.views.program.state import ProgramState
from app.views.view import View
from app.views.view_page import ViewPage
from services.program.data import CompilerData

VIEWS: tuple[View[CompilerData, ProgramState], ...] = (
    lists.CONTEXTS,
    lists.STEPS,
    lists.MATCHED,
    graph.GRAPH,
    lists.MATCHES,
    graph.NODE_VIEW,
    graph.TEXT,
    code.SOURCE,
    code.ASSEMBLY,
    flow.BLOCKS,
    code.COUNTERS,
    traces.TRACES,
    traces.WAVES,
    traces.WAVE_CODE,
    COSTS,
    compile_time.STEP_TIMES,
    compile_time.RULES,
    compile_time.FLAME,
)


def _move_match(shown: ProgramState, data: CompilerData, key: str) -> ProgramState:
    """Return the state that shows the previous match (key ",") or the next match (any other key) of
    the step.
    """
    return lists.move_match(shown, data, "previous" if key == "," else "next")


KEYS: tuple[Key[CompilerData, ProgramState], ...] = (
    Key((",", "."), "match before, match after", lists.NEEDS, _move_match),
)

PROGRAM = ViewPage(
    name="program", views=VIEWS, state=ProgramState, zoomed=lambda shown, _zoom: shown, keys=KEYS
)
"""The page of a run's programs."""
CHOICES = PROGRAM.choices
"""Name of every option -> the values that any view offers for it, the default first."""
parse = PROGRAM.parse
"""Parse a query string of the program page."""
