"""Jobs over the API: begun, looked at, cancelled, resumed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Response, jsonify

from app.access import current_user, require
from app.context import AppContext
from app.errors import RequestError
from app.server.api import models
from app.server.api.operation import ROOT, Api, Operation
from schema.roles import Role
from storage.audit import Audit
from storage.jobs import Job, Jobs

_ONE = "/jobs/<job_id>"


def register(api: Api, context: AppContext) -> None:
    """Add the operations."""
    jobs, log = Jobs(context.repository.catalogue), Audit(context.repository.catalogue)

    def listed() -> Response:
        return jsonify({"jobs": [job_record(job) for job in jobs.all()]})

    def begun(body: models.NewJob) -> Response:
        arguments = body.arguments()
        if body.kind == "retention":
            require(Role.ADMIN)
        job = context.jobs.start(body.kind, arguments, current_user().name)
        return _begun(job)

    def one(job_id: str) -> Response:
        return jsonify(job_record(_found(jobs, job_id)))

    def cancelled(job_id: str) -> Response:
        _found(jobs, job_id)
        if not jobs.cancel(job_id):
            raise RequestError("This job is over.", 409)
        log.add(current_user().name, "job.cancel", job_id)
        return jsonify(job_record(_found(jobs, job_id)))

    def resumed(job_id: str) -> Response:
        if _found(jobs, job_id).kind not in ("derive", "retention"):
            raise RequestError("This job was a command's: run the command again, it passes over what is done.", 409)
        if not jobs.resume(job_id):
            raise RequestError("This job neither failed nor was cancelled.", 409)
        log.add(current_user().name, "job.start", job_id, "resumed")
        context.jobs.begin(_found(jobs, job_id))
        return _begun(_found(jobs, job_id))

    api.add(Operation("GET", "/jobs", "listJobs", "List the newest jobs.", {200: models.Jobs}), listed)
    what = "Begin a job."
    api.add(Operation("POST", "/jobs", "beginJob", what, {202: models.Job}, body=models.NewJob), begun)
    api.add(Operation("GET", _ONE, "getJob", "Look at a job.", {200: models.Job}), one)
    api.add(Operation("DELETE", _ONE, "cancelJob", "Cancel a job.", {200: models.Job}), cancelled)
    what = "Go on with a job that failed or was cancelled."
    api.add(Operation("POST", f"{_ONE}/resume", "resumeJob", what, {202: models.Job}), resumed)


def job_record(job: Job) -> dict[str, Any]:
    """Return a job as the API has it."""
    own = asdict(job)
    return {"id": own.pop("job_id"), **own}


def _found(jobs: Jobs, job_id: str) -> Job:
    job = jobs.get(job_id)
    if job is None:
        raise RequestError("There is no such job.", 404)
    return job


def _begun(job: Job) -> Response:
    response = jsonify(job_record(job))
    response.status_code = 202
    response.headers["Location"] = f"{ROOT}/jobs/{job.job_id}"
    return response
