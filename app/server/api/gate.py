"""The gate over the API, for build systems, in the formats of the command `check`."""

from __future__ import annotations

import json
from typing import BinaryIO, Literal

from flask import Response, request
from pydantic import BaseModel, Field

from app.gate_formats import FORMATS, comparison_url
from app.request.errors import request_errors
from app.server.api.operation import ApiServer, Operation, QueryString
from schema.choices import MIME_TYPES
from schema.comparison import MAX_RUNS
from services.baselines.members import NoOlderRunError
from services.comparison.compare import CompareError
from services.comparison.thresholds import parse_thresholds
from services.gate.gate import UNDECIDED, check


class CheckQuery(QueryString):
    """Runs, baseline and thresholds of a check."""

    run: list[str] = Field(
        min_length=1, max_length=MAX_RUNS, description="Run ids or their beginnings."
    )
    baseline: str = Field(description="Name of a baseline or of a rule.")
    threshold: list[str] = Field(
        default_factory=list, description="METRIC=PERCENT: smallest change that counts as a change."
    )
    format: Literal["text", "json", "junit", "markdown"] = "text"


class CheckResult(BaseModel):
    """The verdict, the exit code of the command `check`, and the result in the requested format."""

    verdict: str
    code: int
    text: str


def _check(server: ApiServer, query: CheckQuery) -> Response:
    repository = server.context.repository
    address = server.context.settings.public_url or request.host_url
    with request_errors(400, ValueError, end=""):
        thresholds = parse_thresholds(query.threshold)

    def write(stream: BinaryIO) -> str:
        try:
            result = check(
                repository,
                [*map(repository.resolve, query.run)],
                query.baseline,
                thresholds,
                keep=False,
            )
        except (NoOlderRunError, CompareError) as error:
            response = CheckResult(verdict="undecided", code=UNDECIDED, text=str(error))
        else:
            text = FORMATS[query.format](
                result, comparison_url(result.comparison, thresholds, address)
            )
            response = CheckResult(verdict=result.comparison.verdict, code=result.code(), text=text)
        stream.write(json.dumps(response.model_dump()).encode())
        return "check.json"

    return server.downloads.respond(write, MIME_TYPES["json"], waits=True)


CHECK = Operation(
    "GET",
    "/check",
    "check",
    "Check runs against a baseline, as command `check` does.",
    _check,
    {200: CheckResult},
    CheckQuery,
)
