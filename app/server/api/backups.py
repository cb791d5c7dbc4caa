"""State of scheduled backups over the API."""

from __future__ import annotations

from flask import Response, jsonify
from pydantic import BaseModel

from app.server.api.operation import ApiServer, Operation
from schema.roles import Role
from services.store.backups import backup_state


class BackupState(BaseModel):
    """Place, times and number of the scheduled backups, state of the last backup, and error of the
    newest attempt.

    Times are ISO 8601 in UTC; `to` is empty if no backups are scheduled.
    """

    to: str
    every_s: float
    keep: int
    running: bool
    last_name: str | None
    last_at: str | None
    age_s: float | None
    size: int | None
    runs: int | None
    problems: int | None
    note: str
    failures: int
    last_error: str
    last_error_at: str | None
    next_at: str | None


def _get_backups(server: ApiServer) -> Response:
    context = server.context
    return jsonify(
        backup_state(context.repository.catalogue, context.settings.backup_plan()).record()
    )


GET_BACKUPS = Operation(
    "GET",
    "/backups",
    "getBackups",
    "Get the state of scheduled backups.",
    _get_backups,
    {200: BackupState},
    role=Role.ADMIN,
)
