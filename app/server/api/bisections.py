"""Bisections over the API: start, next commit, commits without a result, status.

A result is reported by ingesting the file of the measured commit, so that it is a run like any
other.
"""

from __future__ import annotations

from flask import Response, jsonify, request
from pydantic import BaseModel, Field

from analysis.bisection.address import bisection_path
from analysis.bisection.result import Bisection
from app.request.errors import request_errors
from app.request.user import current_user
from app.server.api.operation import ApiServer, Body, Operation
from components.bisection.words import bisection_sentence
from schema.result_metrics import MAX_KEY
from services.bisection.bisections import MAX_LISTED, Request, find_bisection, load_bisection, start
from services.bisection.commits import MAX_COMMITS, MAX_NAME, check_commit
from services.bisection.errors import BisectionError, NoBisectionError
from services.bisection.skipping import skip_commit
from storage.bisections import Bisections

_ONE = "/bisections/<bisection_id>"


class NewBisection(Body):
    """A bisection: a run of the key, its good and its bad commit, and the commits between them."""

    run: str = Field(max_length=64, description="Id of a run of the key, or its beginning.")
    good: str = Field(max_length=MAX_NAME)
    bad: str = Field(max_length=MAX_NAME)
    commits: list[str] | None = Field(
        None,
        max_length=MAX_COMMITS + 1,
        description="From the good to the bad commit, the oldest first; the stored list if null.",
    )
    metric: str = Field(
        "", max_length=MAX_KEY, description="Metric, or the name of a named number of the run."
    )
    threshold: float | None = Field(
        None, gt=0, le=1000, description="Smallest change that counts as a change, in per cent."
    )


class SkippedCommit(Body):
    """A commit that gives no result, such as a commit that does not build."""

    commit: str = Field(max_length=MAX_NAME)
    skipped: bool = Field(True, description="False: the commit is measured again.")


class MeasuredCommit(BaseModel):
    """A commit with runs, or without a result."""

    position: int
    commit: str
    runs: int
    values: list[float]
    failed_runs: int
    impossible_runs: int
    skipped: bool


class BisectionState(BaseModel):
    """State of a bisection. `state` is `measure` while commit `next` is to be measured, `proved`
    with the culprit, or the reason why no single commit is the culprit.
    """

    id: str
    url: str
    sentence: str
    key: dict[str, object]
    metric: str
    unit: str
    good: str
    bad: str
    commits: int
    state: str
    next: str | None
    culprits: list[str]
    confidence: float
    remain: int
    to_measure: int
    good_level: float | None
    bad_level: float | None
    relative: float | None
    verdict: str
    reason: str
    measured_commits: int
    runs: int
    broken_commits: int
    measured: list[MeasuredCommit]


class ListedBisection(BaseModel):
    """A stored bisection without its plan."""

    id: str
    metric: str
    good: str
    bad: str
    commits: int
    created_by: str
    created_at: str


class ListedBisections(BaseModel):
    """The newest bisections, at most 100."""

    bisections: list[ListedBisection]


def _list_bisections(server: ApiServer) -> Response:
    stored = Bisections(server.context.repository.catalogue).newest(MAX_LISTED)
    listed = [
        ListedBisection(
            id=item.bisection_id,
            metric=item.metric,
            good=item.good,
            bad=item.bad,
            commits=len(item.commits) - 1,
            created_by=item.created_by,
            created_at=item.created_at,
        )
        for item in stored
    ]
    return jsonify(ListedBisections(bisections=listed).model_dump())


def _start(server: ApiServer, body: NewBisection) -> Response:
    repository = server.context.repository
    with request_errors(422, BisectionError):
        for commit in body.commits or ():
            check_commit(commit, "commits")
        wanted = Request(
            repository.resolve(body.run),
            body.good,
            body.bad,
            body.commits,
            body.metric,
            None if body.threshold is None else body.threshold / 100,
        )
        stored = start(repository, wanted, current_user().name)
        return _respond(server, load_bisection(repository.catalogue, stored))


def _get_bisection(server: ApiServer, bisection_id: str) -> Response:
    with request_errors(404, BisectionError):
        return _respond(server, find_bisection(server.context.repository.catalogue, bisection_id))


def _skip_commit(server: ApiServer, bisection_id: str, body: SkippedCommit) -> Response:
    catalogue = server.context.repository.catalogue
    user = current_user().name
    with request_errors(422, BisectionError), request_errors(404, NoBisectionError):
        skip_commit(catalogue, bisection_id, body.commit, user, is_skipped=body.skipped)
    return _get_bisection(server, bisection_id)


def _respond(server: ApiServer, bisection: Bisection) -> Response:
    root = server.context.settings.public_url.rstrip("/") or request.host_url.rstrip("/")
    own = {
        "url": f"{root}{bisection_path(bisection.bisection_id)}",
        "sentence": bisection_sentence(bisection),
    }
    return jsonify(bisection.record() | own)


LIST_BISECTIONS = Operation(
    "GET",
    "/bisections",
    "listBisections",
    "List the newest bisections.",
    _list_bisections,
    {200: ListedBisections},
)
START_BISECTION = Operation(
    "POST",
    "/bisections",
    "startBisection",
    "Start a bisection, or return that of the same key, metric and commits, with its next commit.",
    _start,
    {200: BisectionState},
    body=NewBisection,
)
GET_BISECTION = Operation(
    "GET",
    _ONE,
    "getBisection",
    "Get the state of a bisection as of the runs so far: the commit to measure next, or the culprit.",
    _get_bisection,
    {200: BisectionState},
)
SKIP_COMMIT = Operation(
    "POST",
    f"{_ONE}/skip",
    "skipCommit",
    "Report that a commit gives no result, or take that back, and get the state of the bisection.",
    _skip_commit,
    {200: BisectionState},
    body=SkippedCommit,
)
