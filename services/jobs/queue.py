"""Which jobs may wait: none that another one does already, and a few of each user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schema.plurals import plural
from services.jobs.kinds import KINDS
from storage.jobs import Job, Jobs

MOST_WAITING = 5
"""Jobs of one user that wait for a process at once."""


class JobRefusedError(Exception):
    """A job may not wait now; the message is one sentence."""


class JobCoveredError(JobRefusedError):
    """Another job that waits does all of it."""


class TooManyJobsError(JobRefusedError):
    """The user has as many jobs that wait as one may have."""


def check_queue(jobs: Jobs, kind: str, arguments: Mapping[str, Any], user: str) -> None:
    """Raise JobCoveredError or TooManyJobsError where a job may not wait; one that runs holds up no other."""
    waiting = [job for job in jobs.queued_jobs() if job.kind in KINDS]
    if covering := next((job for job in waiting if _covers(job, kind, arguments)), None):
        raise JobCoveredError(f"Job {covering.job_id} of kind {kind} waits already and does all of it.")
    if sum(job.created_by == user for job in waiting) >= MOST_WAITING:
        own = plural(MOST_WAITING, "job")
        raise TooManyJobsError(f"{user} has {own} that wait; begin another one when one of them runs.")


def _covers(job: Job, kind: str, arguments: Mapping[str, Any]) -> bool:
    return job.kind == kind and KINDS[kind].covers(job.arguments, arguments)
