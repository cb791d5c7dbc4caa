"""The row of a comparison that its causes explain, and the causes of a row."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.comparison.cause import Cause
from analysis.comparison.outcome import change_size, deciding
from analysis.comparison.plan_causes import CONSTANTS
from analysis.comparison.rows import ResultRow
from schema.comparison import EXTENT


def causes_of(row: ResultRow, causes: Sequence[Cause]) -> list[Cause]:
    """Select the causes that are parts of a row's change."""
    if row.metric.name == EXTENT.name:
        # The extent of a level is above its constants.
        return [cause for cause in causes if cause.key == row.key and cause.what != CONSTANTS]
    if row.level != "run":
        return []
    return [cause for cause in causes if cause.metric == row.metric.name]


def explained_row(
    rows: Sequence[ResultRow], causes: Sequence[Cause], verdict: str
) -> ResultRow | None:
    """Find the row that the page splits into causes: the row that decides the verdict.

    If its causes are unknown, it is the row with the largest change among the gating rows with
    known causes; None if there is no such row.
    """
    first = deciding(rows, verdict)
    if first is not None and first.delta and causes_of(first, causes):
        return first
    gates = [row for row in rows if row.gates and row.delta and causes_of(row, causes)]
    return max(gates, key=change_size, default=None)
