"""Counters below the lanes of a timeline: their option on the page of a run, and their values as a table."""

from __future__ import annotations

from analysis.timeline.counter_summary import summarise_counter
from app.views.counters_option import counters_option
from app.views.state import RunState
from app.views.text_tables import Table
from app.views.view import ContentView, Part, Width
from components.numbers import count_text, duration_text
from components.timeline.counter_table import HEADS, counter_cells, counter_table
from services.run.capabilities import Capability
from services.run.data import RunData


def _has_counters(data: RunData) -> bool:
    return bool(data.timeline.counters)


COUNTERS = counters_option(_has_counters)
"""Option of the timeline of a run."""


def _cells(data: RunData, state: RunState) -> list[list[str]]:
    window = state.selection.window or data.timeline.extent
    tracks = data.timeline.counters
    return counter_cells([(track, summarise_counter(track, window)) for track in tracks])


def counters_part(data: RunData, state: RunState) -> Part:
    """Lay out a row per counter with its values in the window of the page."""
    return Part(counter_table(_cells(data, state)), _caption(data, state))


def _caption(data: RunData, state: RunState) -> str:
    counters = count_text(len(data.timeline.counters), "counter")
    window = state.selection.window
    if window is None:
        return f"{counters} over the whole run."
    begin, end = (duration_text(time) for time in window)
    return f"{counters} from {begin} to {end}."


def counters_tables(data: RunData, state: RunState) -> list[Table]:
    """Format the counters of a timeline with their values in the window, a row each."""
    rows = _cells(data, state)
    labels = [(head, "") for head in HEADS]
    return [Table("counters in view", count_text(len(rows), "counter"), labels, rows)]


COUNTERS_IN_VIEW = ContentView(
    id="countersinview",
    title="Counters in view",
    help="The values of the timeline's counters in its window, as a table. A value holds until the next sample; the mean "
    "is over time, from the first sample on.",
    needs=frozenset({Capability.TIMELINE, Capability.NANOSECONDS}),
    only=_has_counters,
    group="counters in view",
    fold="Counters of the timeline as a table",
    width=Width.FULL,
    make=counters_part,
    tables=counters_tables,
)
