"""The jobs page: running and finished jobs, and how to start more."""

from __future__ import annotations

from typing import Any

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.page import PageRequest
from app.request.user import may
from components.aria import aria
from components.jobs.jobs_list import SHOWN_FAILURES, jobs_list
from schema.roles import Role
from services.jobs.kinds import KINDS
from storage.jobs import FAILED, Job, Jobs

_MAX_JOBS = 50
_EVERY_MS = 2_000


def layout(context: AppContext, _request: PageRequest) -> html.Div:
    """Lay out the page of jobs, whose contents are requested every two seconds."""
    jobs = Jobs(context.repository.catalogue).all(_MAX_JOBS)
    return html.Div(
        [
            dcc.Interval(id="jobs-clock", interval=_EVERY_MS),
            dcc.Store(id="jobs-shown", data=fingerprint(jobs)),
            html.Div(
                [
                    html.H1("Jobs", className="ts-page-title"),
                    html.Span(className="ts-grow"),
                    *_begin(),
                ],
                className="ts-jobs-head",
            ),
            html.Div(
                jobs_layout(context, jobs),
                id="jobs-list",
                className="ts-jobs",
                **aria(live="polite", busy="false"),
            ),
        ],
        className="ts-jobs-page",
    )


def jobs_layout(context: AppContext, listed: list[Job]) -> list[Component]:
    """Lay out the jobs, with the first failed tasks of each job that has failures; only editors get
    buttons.
    """
    jobs = Jobs(context.repository.catalogue)
    failures = {
        job.job_id: jobs.tasks(job.job_id, (FAILED,), SHOWN_FAILURES)
        for job in listed
        if job.failed
    }
    return jobs_list(listed, failures, changes=may(Role.EDITOR), resumable=tuple(KINDS))


def now(context: AppContext) -> list[Job]:
    """Return the newest _MAX_JOBS (50) jobs, which the page shows, newest first."""
    return Jobs(context.repository.catalogue).all(_MAX_JOBS)


def fingerprint(jobs: list[Job]) -> list[Any]:
    """Build a list of id, state, done and failed tasks of each job; it changes if a job begins,
    ends or finishes a task, but not with the remaining time.
    """
    return [[job.job_id, job.state, job.done, job.failed] for job in jobs]


def _begin() -> list[Component]:
    """Lay out the button that starts a job; empty unless the user is an editor."""
    if not may(Role.EDITOR):
        return []
    what = "Recompute all metrics from the stored frames, after an upgrade of the analysis"
    return [dbc.Button("Recompute all runs", id="jobs-derive", class_name="ts-button", title=what)]
