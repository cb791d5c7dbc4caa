"""Count jobs by kind and state, and running jobs without a recent heartbeat."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from storage.catalogue import Catalogue
from storage.clock import seconds
from storage.jobs import FAILED, QUEUED, QUIET_S, RUNNING
from storage.work_tables import JOBS

_JOBS = JOBS.c


@dataclass(frozen=True)
class JobCounts:
    """Jobs by state and by kind, failed jobs since a time, and running jobs without a recent
    heartbeat.

    `oldest_queued` is the creation time of the oldest queued job (ISO 8601 in UTC), None if no job
    is queued.
    """

    by_state: dict[str, int]
    by_kind: dict[str, dict[str, int]]
    failed_since: int
    silent: int
    oldest_queued: str | None


def count_jobs(catalogue: Catalogue, since: str, but: str) -> JobCounts:
    """Count all jobs by state and kind; failed jobs ended at or after `since`, without jobs of kind
    `but`.

    `silent` counts the running jobs without a heartbeat for 60 s (QUIET_S). Empty dicts and zeros
    if there is no catalogue.
    """
    if not catalogue.is_created():
        return JobCounts({}, {}, 0, 0, None)
    by_kind = (
        select(_JOBS.kind, _JOBS.state, func.count().label("jobs"))
        .group_by(_JOBS.kind, _JOBS.state)
        .order_by(_JOBS.kind)
    )
    failed = (
        select(func.count())
        .select_from(JOBS)
        .where(_JOBS.state == FAILED, _JOBS.ended_at >= since, _JOBS.kind != but)
    )
    queued = select(func.min(_JOBS.created_at)).where(_JOBS.state == QUEUED)
    with catalogue.connect() as connection:
        silent = select(func.count()).select_from(JOBS)
        silent = silent.where(_JOBS.state == RUNNING, seconds(connection) - _JOBS.beat > QUIET_S)
        kinds: dict[str, dict[str, int]] = {}
        states: dict[str, int] = {}
        for row in connection.execute(by_kind):
            kinds.setdefault(row.kind, {})[row.state] = row.jobs
            states[row.state] = states.get(row.state, 0) + row.jobs
        return JobCounts(
            states,
            kinds,
            connection.scalar(failed) or 0,
            connection.scalar(silent) or 0,
            connection.scalar(queued),
        )


def job_states(catalogue: Catalogue) -> dict[str, int]:
    """Map each state that occurs to its number of jobs; empty if there is no catalogue."""
    rows = catalogue.rows(select(_JOBS.state, func.count().label("jobs")).group_by(_JOBS.state))
    return {row.state: row.jobs for row in rows}
