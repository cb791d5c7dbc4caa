"""Jobs over the API: begin, list, cancel and resume them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Response, jsonify

from app.request.errors import RequestError
from app.request.user import current_user, require
from app.server.api import models
from app.server.api.operation import ROOT, ApiServer, Operation
from services.jobs.kinds import KINDS
from storage.audit import Audit
from storage.jobs import Job, Jobs

_ONE = "/jobs/<job_id>"


def _list_jobs(server: ApiServer) -> Response:
    return jsonify({"jobs": [job_record(job) for job in _jobs(server).all()]})


def _begin_job(server: ApiServer, body: models.NewJob) -> Response:
    arguments = body.arguments()
    require(KINDS[body.kind].role)
    return _accept_job(server.context.jobs.start(body.kind, arguments, current_user().name))


def _get_job(server: ApiServer, job_id: str) -> Response:
    return jsonify(job_record(_job(server, job_id)))


def _cancel_job(server: ApiServer, job_id: str) -> Response:
    _job(server, job_id)
    if not _jobs(server).cancel(job_id):
        raise RequestError("This job has ended.", 409)
    Audit(server.context.repository.catalogue).add(current_user().name, "job.cancel", job_id)
    return jsonify(job_record(_job(server, job_id)))


def _resume_job(server: ApiServer, job_id: str) -> Response:
    job = _job(server, job_id)
    if job.kind not in KINDS:
        raise RequestError(
            "This job was started by a command: run the command again, finished tasks are skipped.",
            409,
        )
    require(KINDS[job.kind].role)
    if not server.context.jobs.resume(job, current_user().name):
        raise RequestError("Only a failed or cancelled job can be resumed.", 409)
    return _accept_job(_job(server, job_id))


LIST_JOBS = Operation(
    "GET", "/jobs", "listJobs", "List the newest jobs.", _list_jobs, {200: models.Jobs}
)
BEGIN_JOB = Operation(
    "POST", "/jobs", "beginJob", "Begin a job.", _begin_job, {202: models.Job}, body=models.NewJob
)
GET_JOB = Operation("GET", _ONE, "getJob", "Get a job.", _get_job, {200: models.Job})
CANCEL_JOB = Operation("DELETE", _ONE, "cancelJob", "Cancel a job.", _cancel_job, {200: models.Job})
RESUME_JOB = Operation(
    "POST",
    f"{_ONE}/resume",
    "resumeJob",
    "Resume a job that failed or was cancelled.",
    _resume_job,
    {202: models.Job},
)


def job_record(job: Job) -> dict[str, Any]:
    """Convert a job to JSON types: `id` and all other fields of the class by name."""
    own = asdict(job)
    return {"id": own.pop("job_id"), **own}


def _jobs(server: ApiServer) -> Jobs:
    return Jobs(server.context.repository.catalogue)


def _job(server: ApiServer, job_id: str) -> Job:
    """Return a job by its id; raises RequestError (404) if it does not exist."""
    job = _jobs(server).get(job_id)
    if job is None:
        raise RequestError("There is no such job.", 404)
    return job


def _accept_job(job: Job) -> Response:
    response = jsonify(job_record(job))
    response.status_code = 202
    response.headers["Location"] = f"{ROOT}/jobs/{job.job_id}"
    return response
