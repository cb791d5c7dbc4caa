"""Runs over the API: listed, sent, fetched, annotated, deleted; and their frames."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any, BinaryIO

from flask import Response, jsonify, request

from app.access import current_user
from app.context import AppContext
from app.errors import RequestError
from app.server.api import models
from app.server.api.operation import Api, Operation
from app.server.downloads import Downloads
from app.server.routes.received import received
from app.server.taking import Taking, answered
from schema.choices import MIME_TYPES
from services.annotate import AnnotationError, annotate
from services.deletion import delete_run
from services.export import write_frame
from services.frames import find_frame
from storage.annotation import Annotation
from storage.annotations import Annotations, Change
from storage.run_query import COLUMNS, Place, RunFilter, RunQuery
from storage.stored_run import StoredRun
from storage.text import is_plain

_MANY = "multipart/form-data, or the file itself"
_ONE_RUN = "/runs/<run_id>"


def register(api: Api, context: AppContext, downloads: Downloads, taking: Taking) -> None:
    """Add the operations."""
    _register_list(api, context, taking)
    _register_one(api, context)
    _register_frames(api, context, downloads)


def _register_list(api: Api, context: AppContext, taking: Taking) -> None:
    def listed(query: models.RunsQuery) -> Response:
        page = context.runs.now().page(_asked(query))
        following = _cursor(page.last) if page.last else None
        return jsonify({"runs": records(context, page.runs), "next": following})

    def sent(query: models.UploadQuery) -> Response:
        settings = {name: text for name, text in request.args.items() if name != "name"}
        taking.count()
        with taking.turn(), received(context.settings.data, query.name) as files:
            return answered(taking.ingest(files, settings), 201)

    api.add(
        Operation("GET", "/runs", "listRuns", "List runs, newest first.", {200: models.Runs}, models.RunsQuery), listed
    )
    answers = {201: models.IngestedRuns, 200: models.IngestedRuns}
    what = "Ingest files: 201 where a run is new, else 200. Files of a form that belong together become one run."
    api.add(Operation("POST", "/runs", "ingest", what, answers, models.UploadQuery, takes="*/*", others=True), sent)


def _register_one(api: Api, context: AppContext) -> None:
    def one(run_id: str) -> Response:
        stored = context.repository.stored(run_id)
        record = records(context, [stored])[0]
        response = jsonify(record)
        known = json.dumps([stored.prefix, record], sort_keys=True).encode()
        response.set_etag(hashlib.sha256(known).hexdigest()[:32])
        return response.make_conditional(request)  # type: ignore[return-value]

    def changed(run_id: str, body: models.Added) -> Response:
        change = Change(body.notes, None if body.tags is None else tuple(body.tags), body.pinned)
        try:
            annotate(context.repository.catalogue, run_id, change, current_user().name)
        except AnnotationError as error:
            raise RequestError(str(error), 422) from error
        return one(run_id)

    def deleted(run_id: str) -> Response:
        delete_run(context.repository, run_id, current_user().name)
        return Response(status=204)

    api.add(Operation("GET", _ONE_RUN, "getRun", "Get a run.", {200: models.Run, 304: None}), one)
    what = "Change notes, tags or pin of a run."
    api.add(Operation("PATCH", _ONE_RUN, "annotateRun", what, {200: models.Run}, body=models.Added), changed)
    api.add(Operation("DELETE", _ONE_RUN, "deleteRun", "Delete a run that is not pinned.", {204: None}), deleted)


def _register_frames(api: Api, context: AppContext, downloads: Downloads) -> None:
    def frames(run_id: str) -> Response:
        stored = context.repository.stored(run_id)
        return jsonify({"frames": {"run": 1} | stored.frames | stored.derived})

    def frame(run_id: str, frame: str, query: models.FrameQuery) -> Response:
        def write(stream: BinaryIO) -> str:
            write_frame(find_frame(context.repository, run_id, frame, query.method), query.format, stream)
            return f"{run_id[:12]}-{frame}.{query.format}"

        return downloads.answer(write, MIME_TYPES[query.format], waits=True)

    what = "List the frames of a run and their rows."
    api.add(Operation("GET", f"{_ONE_RUN}/frames", "listFrames", what, {200: models.Frames}), frames)
    what = "Get a frame of a run, stored or derived, as JSON, CSV, Parquet or an Arrow stream."
    answers: dict[int, Any] = {200: "*/*"}
    path = f"{_ONE_RUN}/frames/<frame>"
    api.add(Operation("GET", path, "getFrame", what, answers, models.FrameQuery), frame)


def records(context: AppContext, runs: list[StoredRun]) -> list[dict[str, Any]]:
    """Return the runs as flat records, with what people added."""
    added = Annotations(context.repository.catalogue).of(runs)
    return [run.record() | _added(added[run.run_id]) for run in runs]


def _added(annotation: Annotation) -> dict[str, Any]:
    return {"tags": list(annotation.tags or ()), "notes": annotation.notes, "pinned": annotation.pinned}


def _asked(query: models.RunsQuery) -> RunQuery:
    facets = {name: tuple(getattr(query, name)) for name in (*COLUMNS, "tag")}
    fits = RunFilter(**facets, words=tuple(query.q.lower().split()))
    return RunQuery(fits, limit=query.limit, after=_place(query.cursor) if query.cursor else None)


def _cursor(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps([place.date, place.run_id]).encode()).decode().rstrip("=")


def _place(cursor: str) -> Place:
    """Return the place of a cursor; raises RequestError (400)."""
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except ValueError:
        place = None
    match place:
        case [str(date), str(run_id)] if is_plain(date + run_id):
            return Place(date, date, run_id)
    raise RequestError("cursor: this is none that the answer before gave.", 400)
