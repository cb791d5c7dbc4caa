"""State of the store over the API, for admins."""

from __future__ import annotations

from flask import Response, jsonify
from pydantic import BaseModel

from app.overview.record import load_overview, overview_record
from app.server.api.operation import ApiServer, Operation
from schema.roles import Role


class StoreOverview(BaseModel):
    """State of the store, and the problems that need attention.

    Each item of `attention` has the `kind` of a problem, a count and a sentence; without problems
    it is empty. Times are ISO 8601 in UTC, sizes bytes, ages seconds. No member contains a secret.
    """

    at: str
    attention: list[dict[str, object]]
    size: dict[str, object]
    orphans: dict[str, object]
    authors: list[dict[str, object]]
    uploads: dict[str, object]
    tokens: list[dict[str, object]]
    holds: dict[str, object]
    backups: dict[str, object]
    watched: list[dict[str, object]]
    jobs: dict[str, object]
    messages: dict[str, object]
    workers: dict[str, object]
    revision: str
    newest_revision: str
    settings: list[dict[str, object]]


def _get_overview(server: ApiServer) -> Response:
    return jsonify(
        overview_record(load_overview(server.context.settings, server.context.repository))
    )


GET_OVERVIEW = Operation(
    "GET",
    "/admin",
    "getOverview",
    "Get the state of the store: size, orphans, backups, uploads, jobs, tokens, settings, and what needs attention.",
    _get_overview,
    {200: StoreOverview},
    role=Role.ADMIN,
)
