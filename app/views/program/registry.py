"""Every view of the page of programs, in reading order, and every key."""

from __future__ import annotations

from app.views.keys import Key
from app.views.program import code, graph, lists, state, traces
from app.views.program.state import ProgramState
from app.views.screen import Screen, choices_of
from app.views.view import View
from services.program import CompilerData

VIEWS: tuple[View[CompilerData, ProgramState], ...] = (
    lists.CONTEXTS,
    lists.STEPS,
    lists.MATCHED,
    lists.MATCHES,
    graph.GRAPH,
    graph.NODE_VIEW,
    graph.TEXT,
    code.SOURCE,
    code.ASSEMBLY,
    code.BLOCKS,
    code.COUNTERS,
    traces.TRACES,
    traces.WAVES,
    traces.WAVE_CODE,
)
CHOICES = choices_of(VIEWS)


def parse(query: str) -> ProgramState:
    """Return the view state that a query string names."""
    return state.parse(query or "", CHOICES)


def _moved(shown: ProgramState, data: CompilerData, key: str) -> ProgramState:
    """Go one match back or on."""
    return lists.moved(shown, data, "previous" if key == "," else "next")


KEYS: tuple[Key[CompilerData, ProgramState], ...] = (Key((",", "."), "match before, match after", lists.NEEDS, _moved),)

PROGRAM = Screen(name="program", views=VIEWS, parse=parse, zoomed=state.zoomed, keys=KEYS)
"""The page of a run's programs."""
