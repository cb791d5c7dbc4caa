"""Status of all keys against a baseline rule over the API, and acknowledgements of regressions."""

from __future__ import annotations

from datetime import datetime
from typing import BinaryIO, Literal

from flask import Response, jsonify
from pydantic import BaseModel, Field

from analysis.comparison.status_row import Status
from app.request.errors import RequestError, request_errors
from app.request.user import current_user
from app.server.api.operation import ApiServer, Body, Operation, QueryString
from schema.choices import MIME_TYPES
from schema.moments import MomentError, parse_since, parse_time
from schema.plurals import plural
from services.run.export import write_frame
from services.status.acknowledge import (
    MAX_NOTE_CHARACTERS,
    AcknowledgeError,
    acknowledge,
    withdraw_acknowledgement,
)
from services.status.rules import RuleError
from services.status.status_frame import status_frame

WITHIN_S = 10.0
"""Seconds after which a request starts no further comparison."""
_ONE = "/status/<run_id>/acknowledgement"


class StatusQuery(QueryString):
    """Selection of a status: its rule (optional if there is only one), keys with a run since a
    time, and the time of the status.
    """

    rule: str = ""
    since: str = Field("", description="An age such as 7d, or a time.")
    as_of: str = ""
    format: Literal["json", "csv"] = "json"


class RuleQuery(QueryString):
    """The rule of a status; optional if there is only one."""

    rule: str = ""


class NewAcknowledgement(Body):
    """Note of a user on a known regression; plain text, never HTML."""

    note: str = Field("", max_length=MAX_NOTE_CHARACTERS)


class StatusRows(BaseModel):
    """A row per key, regressions first."""

    rule: str
    as_of: str
    rows: list[dict[str, object]]


def _get_status(server: ApiServer, query: StatusQuery) -> Response:
    status = _status(server, query)
    if query.format == "json":
        return jsonify(status.record())

    def write(stream: BinaryIO) -> str:
        write_frame(status_frame(status), "csv", stream)
        return "status.csv"

    return server.downloads.respond(write, MIME_TYPES["csv"], waits=True)


def _status(server: ApiServer, query: StatusQuery) -> Status:
    """Compute the status that the query requests, within WITHIN_S (10 s).

    Raises RequestError: 400 for an invalid time, 404 for an unknown rule, 503 if comparisons are
    missing when the time is over.
    """
    since, as_of = _moments(query)
    with request_errors(404, RuleError):
        status = server.context.status.status(query.rule, since, as_of, within_s=WITHIN_S)
    if status.missing:
        raise RequestError(f"{plural(status.missing, 'comparison')} still running; try again.", 503)
    return status


def _moments(query: StatusQuery) -> tuple[datetime | None, datetime | None]:
    with request_errors(400, MomentError):
        as_of = parse_time("as_of", query.as_of)
        return parse_since("since", query.since, as_of), as_of


def _acknowledge(
    server: ApiServer, run_id: str, query: RuleQuery, body: NewAcknowledgement
) -> Response:
    with request_errors(409, AcknowledgeError), request_errors(404, RuleError):
        acknowledge(
            server.context.status,
            run_id,
            rule=query.rule,
            note=body.note,
            user=current_user().name,
            within_s=WITHIN_S,
        )
    return Response(status=204)


def _withdraw(server: ApiServer, run_id: str, query: RuleQuery) -> Response:
    with request_errors(404, RuleError, AcknowledgeError):
        withdraw_acknowledgement(
            server.context.status, run_id, rule=query.rule, user=current_user().name
        )
    return Response(status=204)


GET_STATUS = Operation(
    "GET",
    "/status",
    "getStatus",
    "Get the latest run of every key with its verdict against a baseline rule, as JSON or CSV.",
    _get_status,
    {200: StatusRows},
    StatusQuery,
)
ACKNOWLEDGE = Operation(
    "PUT",
    _ONE,
    "acknowledgeRegression",
    "Acknowledge the regression that a run belongs to, until it becomes worse or occurs again.",
    _acknowledge,
    {204: None},
    RuleQuery,
    NewAcknowledgement,
)
WITHDRAW = Operation(
    "DELETE",
    _ONE,
    "withdrawAcknowledgement",
    "Withdraw the acknowledgement of the key of a run.",
    _withdraw,
    {204: None},
    RuleQuery,
)
