"""Limits of the queue of jobs: no job that a queued job covers, and a few jobs per user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schema.plurals import plural
from services.jobs.kinds import KINDS
from storage.jobs import Job, Jobs

MAX_QUEUED = 5
"""Maximum number of queued jobs of a user."""


class JobRefusedError(Exception):
    """A job cannot be queued now; the message is a sentence for the user."""


class JobCoveredError(JobRefusedError):
    """A queued job already does all of the work."""


class TooManyJobsError(JobRefusedError):
    """The user has the maximum number of queued jobs."""


def check_queue(jobs: Jobs, kind: str, arguments: Mapping[str, Any], user: str) -> None:
    """Raise JobCoveredError if a queued job does all of this job's work, TooManyJobsError if the
    user has MAX_QUEUED (5) queued jobs; running jobs do not count.
    """
    waiting = [job for job in jobs.queued_jobs() if job.kind in KINDS]
    if covering := next((job for job in waiting if _covers(job, kind, arguments)), None):
        raise JobCoveredError(
            f"Job {covering.job_id} of kind {kind} is already queued and covers this job."
        )
    if sum(job.created_by == user for job in waiting) >= MAX_QUEUED:
        own = plural(MAX_QUEUED, "job")
        raise TooManyJobsError(
            f"{user} has {own} in the queue; start another job when one of them is running."
        )


def _covers(job: Job, kind: str, arguments: Mapping[str, Any]) -> bool:
    return job.kind == kind and KINDS[kind].covers(job.arguments, arguments)
