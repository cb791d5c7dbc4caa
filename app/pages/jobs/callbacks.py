"""Callbacks of the jobs page."""

from __future__ import annotations

from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, no_update

from app.context import AppContext
from app.pages.jobs.page import fingerprint, jobs_layout, now
from app.request.user import require
from schema.roles import Role
from services.jobs.kinds import KINDS
from storage.audit import Audit
from storage.jobs import Jobs


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the page of jobs: its clock and its buttons."""

    @app.callback(
        Output("jobs-list", "children"),
        Output("jobs-shown", "data"),
        Input("jobs-clock", "n_intervals"),
        Input({"type": "job-cancel", "job": ALL}, "n_clicks"),
        Input({"type": "job-resume", "job": ALL}, "n_clicks"),
        Input("jobs-derive", "n_clicks", allow_optional=True),
        State("jobs-shown", "data"),
        prevent_initial_call=True,
    )
    def follow(
        _turn: int, _cancels: Any, _resumes: Any, _derives: Any, shown: Any
    ) -> tuple[Any, Any]:
        clicked = (
            bool(ctx.triggered and ctx.triggered[0]["value"]) and ctx.triggered_id != "jobs-clock"
        )
        if clicked:
            _act(context, ctx.triggered_id)
        jobs = now(context)
        print_ = fingerprint(jobs)
        # The page polls every two seconds, so the list is only sent when it changed.
        if print_ == shown and not clicked:
            return no_update, no_update
        return jobs_layout(context, jobs), print_


def _act(context: AppContext, clicked: Any) -> None:
    """Perform the action of a button: start, cancel or resume a job; a missing or finished job is
    ignored.

    Requires the role of the kind of job, at least editor.
    """
    user = require(Role.EDITOR)
    jobs = Jobs(context.repository.catalogue)
    log = Audit(context.repository.catalogue)
    if clicked == "jobs-derive":
        context.jobs.start("derive", {"runs": None}, user.name)
        return
    job = jobs.get(str(clicked["job"]))
    if job is None:
        return
    if clicked["type"] == "job-cancel" and jobs.cancel(job.job_id):
        log.add(user.name, "job.cancel", job.job_id)
    elif clicked["type"] == "job-resume" and job.kind in KINDS:
        # A kind of job may require a higher role than EDITOR.
        require(KINDS[job.kind].role)
        context.jobs.resume(job, user.name)
