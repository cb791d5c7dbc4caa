"""Compute the series that the trends page shows, and the verdicts of a rule about their runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from analysis.comparison.series import Series
from app.context import AppContext
from app.pages.trends.state import TrendsState
from components.comparison.changes_table import MAX_ROWS
from components.comparison.trend import MAX_SERIES
from components.comparison.trend_verdicts import PointVerdicts
from services.baselines.members import BaselineError
from services.trends.series_events import Attempt
from services.trends.trends import Trends, View
from storage.series import undated_captures

PAGE_VIEW = View(MAX_SERIES, MAX_ROWS)
"""Limits for the page: series that are drawn, and series of the listed changes."""


@dataclass(frozen=True)
class ShownVerdicts:
    """Verdicts of a rule about runs, the number of missing comparisons, and an error of the rule."""

    verdicts: PointVerdicts = field(default_factory=dict)
    missing: int = 0
    trouble: str = ""


def load_trends(
    context: AppContext,
    state: TrendsState,
    seconds: float = 0.0,
    attempt: Attempt | None = None,
    view: View = PAGE_VIEW,
) -> Trends:
    """Return the series of a state, with the points in view; without series if no run matches.

    Events are compared for at most `seconds` (0: no comparison); `attempt` runs a single
    comparison.
    """
    return context.trends.get(
        state.metric, state.filters, seconds, attempt, search=state.q, view=view
    )


def load_undated(context: AppContext, series: Sequence[Series]) -> set[tuple[str, str]]:
    """Return run id and date of the captures of these series whose date is a guess."""
    runs = {point.run_id for line in series for point in line.points}
    return undated_captures(context.repository.catalogue, sorted(runs))


def load_verdicts(
    context: AppContext, state: TrendsState, series: Sequence[Series], seconds: float = 0.0
) -> ShownVerdicts:
    """Return the verdicts of the state's rule about the runs of these series; empty without a rule
    or series, and with `trouble`, a sentence, if the rule is invalid.

    If `seconds` is 0, only known verdicts are returned.
    """
    if not state.rule or not series:
        return ShownVerdicts()
    try:
        keys = [line.key for line in series]
        # A negative time limit starts no comparison.
        verdicts, missing = context.status.verdicts_by_key(
            state.rule, keys, within_s=seconds or -1.0
        )
    except BaselineError as error:
        return ShownVerdicts(trouble=str(error))
    return ShownVerdicts(
        {(at.run_id, at.date): verdict for at, verdict in verdicts.items()}, missing
    )
