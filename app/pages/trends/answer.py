"""What the page of trends shows, as its state asks for it: series, and verdicts of a rule about their runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from analysis.comparison.series import Series
from app.context import AppContext
from app.pages.trends.state import TrendsState
from components.comparison.changes_table import MOST_ROWS
from components.comparison.trend import MOST_SERIES
from components.comparison.trend_verdicts import PointVerdicts
from services.baselines.members import BaselineError
from services.trends.series_events import Attempt
from services.trends.trends import Trends, View

PAGE_VIEW = View(MOST_SERIES, MOST_ROWS)
"""The series that the page draws, and those of the changes that it lists."""


@dataclass(frozen=True)
class RuleAnswer:
    """Verdicts of a rule about runs, how many are still to be made, and what speaks against the rule."""

    verdicts: PointVerdicts = field(default_factory=dict)
    missing: int = 0
    trouble: str = ""


def trends_of(
    context: AppContext,
    state: TrendsState,
    seconds: float = 0.0,
    attempt: Attempt | None = None,
    view: View = PAGE_VIEW,
) -> Trends:
    """Return the series that a state asks for, with points in view; events are compared within the seconds."""
    return context.trends.get(state.metric, state.filters, seconds, attempt, search=state.q, view=view)


def rule_answer(context: AppContext, state: TrendsState, series: Sequence[Series], seconds: float = 0.0) -> RuleAnswer:
    """Return what the rule of a state says of the runs of series; without seconds, what is known already."""
    if not state.rule or not series:
        return RuleAnswer()
    try:
        keys = [one.key for one in series]
        verdicts, missing = context.status.verdicts_of(state.rule, keys, within_s=seconds or -1.0)
    except BaselineError as error:
        return RuleAnswer(trouble=str(error))
    return RuleAnswer({(at.run_id, at.date): verdict for at, verdict in verdicts.items()}, missing)
