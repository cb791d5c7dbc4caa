"""Table of the counters of a timeline with their values in a window, for readers without a picture."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html

from analysis.timeline.counter_summary import CounterSummary
from analysis.timeline.counters import CALLS, CounterTrack
from components.numbers import DASH, significant
from components.timeline.counter_lanes import counter_name, value_text

HEADS = ("counter", "unit", "at the begin", "lowest", "mean", "highest", "at the end")
_UNKNOWN_UNIT = "not in the file"


def counter_cells(
    counters: Sequence[tuple[CounterTrack, CounterSummary | None]],
) -> list[list[str]]:
    """Format a row of texts per counter, in the order of HEADS; dashes if it has no value yet."""
    return [_row(track, summary) for track, summary in counters]


def _row(track: CounterTrack, summary: CounterSummary | None) -> list[str]:
    named = [counter_name(track), track.unit or _UNKNOWN_UNIT]
    if summary is None:
        return [*named, *[DASH] * (len(HEADS) - len(named))]
    values = (summary.first, summary.lowest, summary.mean, summary.highest, summary.last)
    first, lowest, mean, highest, last = (value_text(value, track.unit) for value in values)
    if track.unit == CALLS:
        # Counts are whole numbers, but not their mean.
        mean = significant(summary.mean)
    return [*named, first, lowest, mean, highest, last]


def counter_table(cells: Sequence[Sequence[str]]) -> html.Div:
    """Lay out the rows of `counter_cells` below their heads."""
    head = html.Thead(html.Tr([html.Th(text, scope="col") for text in HEADS]))
    rows = [
        html.Tr([html.Th(row[0], scope="row"), *(html.Td(text) for text in row[1:])])
        for row in cells
    ]
    table = html.Table([head, html.Tbody(rows)], className="ts-changes")
    # The frame scrolls on a narrow page, so that it must be reachable by keyboard.
    return html.Div(table, className="ts-changes-frame", tabIndex=0)
