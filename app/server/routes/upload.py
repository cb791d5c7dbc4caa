"""`POST /api/upload`: files to ingest.

With `?name=<file name>` the body is one file. As multipart/form-data, every part `file` is one, and those that belong
together become one run. Other query values are settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore

from flask import Flask, Response, jsonify, request

from app.context import AppContext
from app.errors import RequestError
from app.server.routes.received import received
from app.server.security import UPLOAD_PATH
from ingest.files import IngestAnswer, ingest
from schema.plurals import plural

_AT_ONCE = 2
_WAIT_SECONDS = 60


def register(server: Flask, context: AppContext) -> None:
    """Add the route; a bounded number of uploads is taken in at once, the others wait a minute."""
    turns = BoundedSemaphore(_AT_ONCE)

    @server.post(UPLOAD_PATH)
    def upload() -> Response:
        settings = request.args.to_dict()
        name = settings.pop("name", "")
        with received(context.settings.data, name) as files, _turn(turns):
            answer = _take_in(context, files, settings)
        return _told(answer)


def _take_in(context: AppContext, files: Mapping[Path, str], settings: dict[str, str]) -> IngestAnswer:
    return ingest(
        context.repository,
        list(files),
        settings,
        places=files,
        defaults=context.settings.loader_defaults(),
        max_content_bytes=context.settings.max_content_bytes,
        limits=context.settings.reader_limits(),
    )


def _told(answer: IngestAnswer) -> Response:
    """Return the answer as `ingest --json` has it; where no run came of it, 422 and why the first file gave none."""
    told = answer.as_json()
    if answer.runs:
        return jsonify(told)
    reasons = [skipped.reason for skipped in answer.skipped if not skipped.along]
    more = f" ({plural(len(reasons) - 1, 'more file')})" if len(reasons) > 1 else ""
    response = jsonify(told | {"error": f"{reasons[0]}{more}" if reasons else "Nothing was ingested."})
    response.status_code = 422
    return response


@contextmanager
def _turn(turns: BoundedSemaphore) -> Iterator[None]:
    if not turns.acquire(timeout=_WAIT_SECONDS):
        raise RequestError("The server is busy with other files; try again in a minute.", 503)
    try:
        yield
    finally:
        turns.release()
