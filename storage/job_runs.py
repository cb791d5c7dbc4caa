"""List the runs of a distributed job, by the column `job` of frame `run`."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select

from storage.catalogue import Catalogue
from storage.tables import RUNS


class JobRun(NamedTuple):
    """A run of a job: its rank, date (ISO 8601, "" if unknown), name, and version of its content."""

    run_id: str
    rank: int
    taken_at: str
    name: str
    prefix: str


def job_runs(catalogue: Catalogue, source: str, job: str, limit: int) -> list[JobRun]:
    """List the newest `limit` runs of a job, by rank, then by date and name.

    Damaged runs are left out. Empty if there is no catalogue.
    """
    if not job or not catalogue.is_created():
        return []
    query = (
        select(RUNS.c.run_id, RUNS.c.run, RUNS.c.prefix)
        .where(RUNS.c.source == source, RUNS.c.run["job"].as_string() == job)
        .order_by(RUNS.c.created_at.desc(), RUNS.c.run_id)
        .limit(limit)
    )
    with catalogue.connect() as connection:
        found = [_job_run(*row) for row in connection.execute(query)]
    return sorted(
        (run for run in found if run is not None),
        key=lambda run: (run.rank, run.taken_at, run.name, run.run_id),
    )


def _job_run(run_id: str, run: object, prefix: str) -> JobRun | None:
    rank = run.get("rank") if isinstance(run, dict) else None
    if not isinstance(run, dict) or not isinstance(rank, int) or run.get("run_id") != run_id:
        return None
    return JobRun(run_id, rank, str(run.get("taken_at") or ""), str(run.get("name") or ""), prefix)
