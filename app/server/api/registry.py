"""Every operation of the API, in the order in which `docs/api.md` has them."""

from __future__ import annotations

from app.server.api import alerts, analysis, jobs, kept, runs, status, team, uploads
from app.server.api.operation import Operation

OPERATIONS: tuple[Operation, ...] = (
    runs.LIST_RUNS,
    runs.INGEST,
    runs.GET_RUN,
    runs.ANNOTATE_RUN,
    runs.DELETE_RUN,
    runs.LIST_FRAMES,
    runs.GET_FRAME,
    analysis.GET_PACE,
    analysis.GET_ADVICE,
    kept.LIST_PLACEMENTS,
    kept.REMOVE_PLACEMENT,
    status.GET_STATUS,
    status.ACKNOWLEDGE,
    status.WITHDRAW,
    alerts.LIST_ALERTS,
    alerts.SET_ALERT,
    alerts.DELETE_ALERT,
    alerts.TEST_ALERT,
    alerts.LIST_DELIVERIES,
    alerts.RETRY_DELIVERY,
    uploads.BEGIN_UPLOAD,
    uploads.REMOVE_UPLOAD,
    uploads.ASK_UPLOAD,
    uploads.SEND_PART,
    uploads.FINISH_UPLOAD,
    uploads.FINISH_UPLOADS,
    jobs.LIST_JOBS,
    jobs.BEGIN_JOB,
    jobs.GET_JOB,
    jobs.CANCEL_JOB,
    jobs.RESUME_JOB,
    team.LIST_VIEWS,
    team.SAVE_VIEW,
    team.DELETE_VIEW,
    team.LIST_TOKENS,
    team.MAKE_TOKEN,
    team.REVOKE_TOKEN,
    team.READ_AUDIT,
    team.RETAIN,
    team.GET_ME,
)
