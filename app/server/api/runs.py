"""Runs over the API: list, ingest, get, annotate and delete runs, and read their frames."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any, BinaryIO

from flask import Response, jsonify, request

from app.context import AppContext
from app.request.errors import RequestError, request_errors
from app.request.user import current_user
from app.server.api import models
from app.server.api.operation import ApiServer, Operation
from app.server.cancelled_uploads import cancellable_request
from app.server.routes.received import receive_files
from app.server.upload_queue import ingest_response
from schema.choices import MIME_TYPES
from schema.moments import MomentError
from services.run.export import write_frame
from services.run.frames import find_frame
from services.store.annotate import AnnotationError, annotate
from services.store.deletion import delete_run
from services.store.search import bound_date
from storage.annotation import Annotation
from storage.annotations import Annotations, Change
from storage.run_query import FACETS, CaptureFilter, PagePosition, RunFilter, RunQuery, search_words
from storage.stored_run import StoredRun
from storage.text import is_plain

_ONE_RUN = "/runs/<run_id>"


def _list_runs(server: ApiServer, query: models.RunsQuery) -> Response:
    page = server.context.runs.now().page(_run_query(query))
    following = _cursor(page.last) if page.last else None
    return jsonify({"runs": records(server.context, page.runs), "next": following})


LIST_RUNS = Operation(
    "GET",
    "/runs",
    "listRuns",
    "List runs, newest first.",
    _list_runs,
    {200: models.Runs},
    models.RunsQuery,
)


def _ingest(server: ApiServer, query: models.UploadQuery) -> Response:
    settings = {name: text for name, text in request.args.items() if name != "name"}
    taking = server.taking
    taking.count()
    catalogue = server.context.repository.catalogue
    with (
        cancellable_request(catalogue, query.name) as is_cancelled,
        taking.turn(is_cancelled),
        receive_files(server.context.settings.data, query.name) as files,
    ):
        return ingest_response(taking.ingest(files, settings, is_cancelled), 201)


INGEST = Operation(
    "POST",
    "/runs",
    "ingest",
    "Ingest files: 201 if a run is new, else 200. Files of a form that belong together become one run; "
    "an archive counts as a folder.",
    _ingest,
    {201: models.IngestedRuns, 200: models.IngestedRuns},
    models.UploadQuery,
    takes="*/*",
    others=True,
)


def _get_run(server: ApiServer, run_id: str) -> Response:
    stored = server.context.repository.find_run(run_id)
    record = records(server.context, [stored])[0]
    response = jsonify(record)
    content = json.dumps([stored.prefix, record], sort_keys=True).encode()
    response.set_etag(hashlib.sha256(content).hexdigest()[:32])
    return response.make_conditional(request)  # type: ignore[return-value]


def _annotate_run(server: ApiServer, run_id: str, body: models.Added) -> Response:
    change = Change(body.notes, None if body.tags is None else tuple(body.tags), body.pinned)
    with request_errors(422, AnnotationError, end=""):
        annotate(server.context.repository.catalogue, run_id, change, current_user().name)
    return _get_run(server, run_id)


def _delete_run(server: ApiServer, run_id: str) -> Response:
    delete_run(server.context.repository, run_id, current_user().name)
    return Response(status=204)


GET_RUN = Operation("GET", _ONE_RUN, "getRun", "Get a run.", _get_run, {200: models.Run, 304: None})
ANNOTATE_RUN = Operation(
    "PATCH",
    _ONE_RUN,
    "annotateRun",
    "Change notes, tags or pin of a run.",
    _annotate_run,
    {200: models.Run},
    body=models.Added,
)
DELETE_RUN = Operation(
    "DELETE", _ONE_RUN, "deleteRun", "Delete a run that is not pinned.", _delete_run, {204: None}
)


def _list_frames(server: ApiServer, run_id: str) -> Response:
    stored = server.context.repository.find_run(run_id)
    return jsonify({"frames": {"run": 1} | stored.frames | stored.derived})


def _get_frame(server: ApiServer, run_id: str, frame: str, query: models.FrameQuery) -> Response:
    def write(stream: BinaryIO) -> str:
        write_frame(
            find_frame(server.context.repository, run_id, frame, query.method), query.format, stream
        )
        return f"{run_id[:12]}-{frame}.{query.format}"

    return server.downloads.respond(write, MIME_TYPES[query.format], waits=True)


LIST_FRAMES = Operation(
    "GET",
    f"{_ONE_RUN}/frames",
    "listFrames",
    "List the frames of a run and their rows.",
    _list_frames,
    {200: models.Frames},
)
GET_FRAME = Operation(
    "GET",
    f"{_ONE_RUN}/frames/<frame>",
    "getFrame",
    "Get a frame of a run, stored or derived, as JSON, CSV, Parquet or an Arrow stream.",
    _get_frame,
    {200: "*/*"},
    models.FrameQuery,
)


def records(context: AppContext, runs: list[StoredRun]) -> list[dict[str, Any]]:
    """Convert runs to JSON types, a dict each in their order: the run's own columns, and tags,
    notes and pinned.
    """
    added = Annotations(context.repository.catalogue).of(runs)
    return [run.record() | _annotation_record(added[run.run_id]) for run in runs]


def _annotation_record(annotation: Annotation) -> dict[str, Any]:
    return {
        "tags": list(annotation.tags or ()),
        "notes": annotation.notes,
        "pinned": annotation.pinned,
    }


def _run_query(query: models.RunsQuery) -> RunQuery:
    facets = {name: tuple(getattr(query, name)) for name in FACETS if name != "branch"}
    with request_errors(400, MomentError, end=""):
        since = bound_date("since", query.since)
        until = bound_date("until", query.until)
    capture = CaptureFilter(tuple(query.branch), query.commit, since, until)
    fits = RunFilter(
        **facets, rows=query.rows, cols=query.cols, capture=capture, words=search_words(query.q)
    )
    return RunQuery(fits, limit=query.limit, after=_place(query.cursor) if query.cursor else None)


def _cursor(place: PagePosition) -> str:
    return (
        base64.urlsafe_b64encode(json.dumps([place.date, place.run_id]).encode())
        .decode()
        .rstrip("=")
    )


def _place(cursor: str) -> PagePosition:
    """Parse a cursor to the position of the last run of a page; raises RequestError (400) if it is
    not valid.
    """
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except ValueError:
        place = None
    match place:
        case [str(date), str(run_id)] if is_plain(date + run_id):
            return PagePosition(date, date, run_id)
    raise RequestError("cursor: not a cursor of the previous response.", 400)
