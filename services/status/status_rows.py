"""Rows of the status, built from the runs of a key with their verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from analysis.comparison.cause import read_cause
from analysis.comparison.series import SeriesKey
from analysis.comparison.status_row import (
    Acknowledged,
    CommitMoment,
    Since,
    StatusPoint,
    StatusRow,
    StatusRun,
)
from analysis.comparison.verdict import Verdict
from services.status.regressions import commits_url, find_regression, is_acknowledged, series_id
from services.status.rule_verdicts import JudgedRun
from storage.acknowledgements import Acknowledgement
from storage.rule_verdicts import RuleVerdict
from storage.series import SeriesPosition

MAX_POINTS = 30
"""Maximum number of points of a sparkline."""
PENDING = "it is not compared yet"
"""Reason of a run without a verdict."""
VERDICT_ORDER = ("regressed", "incomparable", "undecided", "improved", "changed", "unchanged")
"""Verdicts, the worst first."""


def status_row(
    key: SeriesKey,
    runs: Sequence[JudgedRun],
    acknowledgements: Mapping[str, Acknowledgement],
    commit_url: str,
    points: Sequence[StatusPoint] | None = None,
) -> StatusRow:
    """Return the row of a key with age 0; `runs` has at least one run, and the row is about the
    last of them.

    A run without a verdict counts as undecided. `commit_url` is the template of a link between two
    commits. `points` are computed from the runs if they are `None`.
    """
    latest = runs[-1]
    verdict = latest.verdict or RuleVerdict("", "", "", "", "undecided", PENDING)
    return StatusRow(
        key=key,
        run=_run(latest.run),
        metric=verdict.metric,
        value=verdict.value,
        base=verdict.base,
        relative=verdict.relative,
        verdict=cast("Verdict", verdict.verdict),
        reason=verdict.reason,
        since=_since(runs, verdict.metric, commit_url),
        acknowledged=_find_acknowledgement(key, runs, acknowledgements),
        points=sparkline_points(runs) if points is None else points,
        age_days=0.0,
        cause=read_cause(verdict.cause),
    )


def sparkline_points(runs: Sequence[JudgedRun]) -> list[StatusPoint]:
    """Return the points of a key's sparkline, oldest first: the last MAX_POINTS (30) runs, without
    a value if they have no verdict.
    """
    return [_point(judged) for judged in runs[-MAX_POINTS:]]


def with_age(row: StatusRow, as_of: datetime) -> StatusRow:
    """Return a copy of a row with the age of its run in days at time `as_of`."""
    return replace(row, age_days=_age_days(row.run.taken_at, as_of))


def worst_first(rows: Sequence[StatusRow]) -> list[StatusRow]:
    """Sort the rows by verdict: regressed, incomparable, undecided, improved, changed, unchanged;
    within a verdict acknowledged rows come last, and larger changes first.
    """
    return sorted(
        rows,
        key=lambda row: (
            VERDICT_ORDER.index(row.verdict),
            row.acknowledged is not None,
            -_size(row),
            str(row.key),
        ),
    )


def _size(row: StatusRow) -> float:
    """Return the absolute relative size of a change (0.1 is 10 %); infinite if it started from 0,
    as it then has no relative size; 0 if there is no change.
    """
    if row.relative is not None:
        return abs(row.relative)
    return math.inf if row.value != row.base else 0.0


def _run(position: SeriesPosition) -> StatusRun:
    return StatusRun(
        position.run_id,
        position.date,
        position.commit,
        position.branch,
        position.file,
        position.name,
    )


def _point(judged: JudgedRun) -> StatusPoint:
    verdict = judged.verdict
    verdict_name = cast("Verdict", verdict.verdict if verdict else "undecided")
    return StatusPoint(
        judged.run.run_id, judged.run.date, verdict.main if verdict else None, verdict_name
    )


def _since(runs: Sequence[JudgedRun], metric: str, commit_url: str) -> Since | None:
    """Find when the regression of a key's last run began; `metric` is the number that regressed."""
    regression = find_regression(runs)
    if regression is None:
        return None
    bad = _moment(regression.runs[0])
    good = _moment(regression.last_good) if regression.last_good else None
    url = commits_url(commit_url, good.commit, bad.commit) if good else None
    return Since(bad, good, len(regression.runs), url, _value(regression.last_good, metric))


def _value(judged: JudgedRun | None, metric: str) -> float | None:
    """Return the value of a metric in a run; `None` if its verdict is about another number."""
    if judged is None or judged.verdict is None or judged.verdict.metric != metric:
        return None
    return judged.verdict.value


def _moment(judged: JudgedRun) -> CommitMoment:
    return CommitMoment(judged.run.run_id, judged.run.date, judged.run.commit)


def _find_acknowledgement(
    key: SeriesKey, runs: Sequence[JudgedRun], acknowledgements: Mapping[str, Acknowledgement]
) -> Acknowledged | None:
    regression = find_regression(runs) if acknowledgements else None
    acknowledgement = acknowledgements.get(series_id(key)) if regression else None
    if (
        regression is None
        or acknowledgement is None
        or not is_acknowledged(regression, acknowledgement)
    ):
        return None
    return Acknowledged(
        acknowledgement.changed_by, acknowledgement.note, acknowledgement.changed_at
    )


def _age_days(date: str, as_of: datetime) -> float:
    """Return the days from a date (UTC if it has no offset) to a time, with three decimals; 0 if
    the date is invalid.
    """
    try:
        then = datetime.fromisoformat(date)
    except ValueError:
        return 0.0
    # A date without an offset is UTC, and Python cannot subtract the two kinds.
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return round((as_of - aware).total_seconds() / 86_400, 3)
