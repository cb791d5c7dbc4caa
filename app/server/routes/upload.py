"""`POST /api/upload`: files to take in.

With `?name=<file name>` the body is one file. As multipart/form-data, every part `file` is one, and those that belong
together become one run. Other query values are settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flask import Flask, Response, jsonify, request

from app.context import AppContext
from app.errors import RequestError, log_failure, public
from app.server.limits import UPLOAD_PATH
from app.server.routes.received import received
from app.server.shares import Shares
from ingest.files import IngestAnswer, ingest

_AT_ONCE, _PER_CLIENT, _RETRY_S = 2, 1, 2
_MOST_REASONS = 5


def register(server: Flask, context: AppContext) -> None:
    """Add the route; a bounded number of uploads is taken in at once, one of a client: the others are to come again."""
    shares = Shares("other files", _AT_ONCE, _PER_CLIENT, _RETRY_S)

    @server.post(UPLOAD_PATH)
    def upload() -> Response:
        settings = request.args.to_dict()
        name = settings.pop("name", "")
        with shares.place(), received(context.settings.data, name) as files:
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
    """Return the answer as `ingest --json` has it; an error where nothing was taken or the storage failed.

    Where it failed on the way, the answer names the runs that were stored before.
    """
    if answer.failure is not None:
        log_failure(answer.failure)
        response = jsonify(answer.as_json() | {"error": answer.failure.public})
        response.status_code = 503
        return response
    if not answer.runs:
        reasons = [skipped.reason for skipped in answer.skipped]
        more = f" ({len(reasons) - _MOST_REASONS} more files)" if len(reasons) > _MOST_REASONS else ""
        raise RequestError((" ".join(reasons[:_MOST_REASONS]) or "Nothing was taken.") + more, 422)
    told = answer.as_json()
    return jsonify(told | {"skipped": [entry | {"reason": public(entry["reason"])} for entry in told["skipped"]]})
