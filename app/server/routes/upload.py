"""`POST /api/upload`: files to ingest.

With `?name=<file name>` the body is one file. As multipart/form-data, every part `file` is one, and those that belong
together become one run. Other query values are settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, request

from app.context import AppContext
from app.errors import log_failure, public
from app.server.limits import UPLOAD_PATH
from app.server.routes.received import received
from app.server.shares import Shares
from ingest.files import IngestAnswer, ingest
from schema.plurals import plural

_AT_ONCE, _PER_CLIENT, _RETRY_S = 2, 1, 2


def register(server: Flask, context: AppContext) -> None:
    """Add the route; a bounded number of uploads is ingested at once, one per client; others are answered with 429."""
    shares = Shares("other files", _AT_ONCE, _PER_CLIENT, _RETRY_S)

    @server.post(UPLOAD_PATH)
    def upload() -> Response:
        settings = request.args.to_dict()
        name = settings.pop("name", "")
        with shares.place(), received(context.settings.data, name) as files:
            answer = _ingest(context, files, settings)
        return _response(answer)


def _ingest(context: AppContext, files: Mapping[Path, str], settings: dict[str, str]) -> IngestAnswer:
    return ingest(
        context.repository,
        list(files),
        settings,
        places=files,
        defaults=context.settings.loader_defaults(),
        max_content_bytes=context.settings.max_content_bytes,
        limits=context.settings.reader_limits(),
    )


def _response(answer: IngestAnswer) -> Response:
    """Return the answer as `ingest --json` has it.

    Without any run, 422 and why the first file gave none; where the storage failed, 503, and the answer names
    the runs that were stored before.
    """
    body = answer.as_json()
    body |= {"skipped": [entry | {"reason": public(entry["reason"])} for entry in body["skipped"]]}
    if answer.failure is not None:
        log_failure(answer.failure)
        return _with_error(body, answer.failure.public, 503)
    if answer.runs:
        return jsonify(body)
    reasons = [public(skipped.reason) for skipped in answer.skipped if not skipped.along]
    more = f" ({plural(len(reasons) - 1, 'more file')})" if len(reasons) > 1 else ""
    return _with_error(body, f"{reasons[0]}{more}" if reasons else "Nothing was ingested.", 422)


def _with_error(body: dict[str, Any], sentence: str, status: int) -> Response:
    response = jsonify(body | {"error": sentence})
    response.status_code = status
    return response
