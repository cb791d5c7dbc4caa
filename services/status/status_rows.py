"""Rows of the status, built from the runs of a key with their verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

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

_MAX_POINTS = 30
"""Maximum number of points of a sparkline."""
_PENDING = "it is not compared yet"
"""Reason of a run without a verdict."""
_ORDER = ("regressed", "incomparable", "undecided", "improved", "changed", "unchanged")
"""Order of the rows by verdict."""


def status_row(
    key: SeriesKey,
    runs: Sequence[JudgedRun],
    acknowledgements: Mapping[str, Acknowledgement],
    commit_url: str,
    points: Sequence[StatusPoint] | None = None,
) -> StatusRow:
    """Return the row of a key without its age; `runs` has at least one run.

    `commit_url` is the template of a link between two commits. `points` are computed from the runs
    if they are `None`.
    """
    latest = runs[-1]
    verdict = latest.verdict or RuleVerdict("", "", "", "", "undecided", _PENDING)
    return StatusRow(
        key=key,
        run=_run(latest.run),
        metric=verdict.metric,
        value=verdict.value,
        base=verdict.base,
        relative=verdict.relative,
        verdict=cast("Verdict", verdict.verdict),
        reason=verdict.reason,
        since=_since(runs, commit_url),
        acknowledged=_find_acknowledgement(key, runs, acknowledgements),
        points=sparkline_points(runs) if points is None else points,
        age_days=0.0,
    )


def sparkline_points(runs: Sequence[JudgedRun]) -> list[StatusPoint]:
    """Return the points of a key's sparkline: the last 30 runs."""
    return [_point(judged) for judged in runs[-_MAX_POINTS:]]


def with_age(row: StatusRow, as_of: datetime) -> StatusRow:
    """Return a row with the age in days of its run at a time."""
    return replace(row, age_days=_age_days(row.run.taken_at, as_of))


def worst_first(rows: Sequence[StatusRow]) -> list[StatusRow]:
    """Sort the rows: regressions first, acknowledged rows after the others of their verdict, larger
    changes first.
    """
    return sorted(
        rows,
        key=lambda row: (
            _ORDER.index(row.verdict),
            row.acknowledged is not None,
            -_size(row),
            str(row.key),
        ),
    )


def _size(row: StatusRow) -> float:
    """Return the relative size of a change; infinite if it started from 0, as it then has no
    relative size.
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


def _since(runs: Sequence[JudgedRun], commit_url: str) -> Since | None:
    regression = find_regression(runs)
    if regression is None:
        return None
    bad = _moment(regression.runs[0])
    good = _moment(regression.last_good) if regression.last_good else None
    return Since(
        bad,
        good,
        len(regression.runs),
        commits_url(commit_url, good.commit, bad.commit) if good else None,
    )


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
    """Return the days from a date to a time; 0 if the date is invalid."""
    try:
        then = datetime.fromisoformat(date)
    except ValueError:
        return 0.0
    # A date without an offset is UTC, and Python cannot subtract the two kinds.
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return round((as_of - aware).total_seconds() / 86_400, 3)
