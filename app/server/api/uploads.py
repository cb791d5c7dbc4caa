"""Files sent in parts: an upload outlives connections and servers, and goes on where it ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Response, jsonify, request

from app.access import current_user
from app.context import AppContext
from app.errors import RequestError
from app.server.api import models
from app.server.api.operation import ROOT, Api, Operation
from app.server.routes.received import safe_path, scratch_place, write_body
from app.server.taking import Taking, answered
from services.uploads import DigestError, OffsetError, PartedUploads, UploadNotFoundError
from storage.uploads import Upload

_ONE = "/uploads/<upload_id>"
_OFFSET = "Upload-Offset"
_MOST_DIGITS = 18


def register(api: Api, context: AppContext, taking: Taking) -> None:
    """Add the operations."""
    uploads = PartedUploads(context.repository)
    _register_ends(api, context, uploads, taking)
    _register_parts(api, context, uploads)


def _register_ends(api: Api, context: AppContext, uploads: PartedUploads, taking: Taking) -> None:
    def begun(body: models.NewUpload) -> Response:
        most = context.settings.max_content_bytes
        if body.size > most:
            raise RequestError(f"The file exceeds the {most // 2**20} MiB that are taken (max_content_mb).", 413)
        taking.count()
        upload = uploads.begin(current_user().name, body.name, body.size, body.sha256, body.settings)
        response = jsonify(_told(upload))
        response.status_code = 201
        response.headers["Location"] = f"{ROOT}/uploads/{upload.upload_id}"
        return response

    def finished(upload_id: str) -> Response:
        upload = _mine(uploads, upload_id)
        with _sentences(), taking.turn(), scratch_place(context.settings.data) as place:
            path = place / safe_path(upload.name).name
            uploads.gather(upload, path)
            answer = taking.ingest({path: upload.name}, upload.settings)
        if answer.failure is None:
            uploads.remove(upload)
        return answered(answer, 201)

    def removed(upload_id: str) -> Response:
        uploads.remove(_mine(uploads, upload_id))
        return Response(status=204)

    what = "Begin to send a file in parts."
    api.add(Operation("POST", "/uploads", "beginUpload", what, {201: models.Upload}, body=models.NewUpload), begun)
    what = "Ingest a file that was sent to its last byte."
    answers = {201: models.IngestedRuns, 200: models.IngestedRuns}
    api.add(Operation("POST", f"{_ONE}/finish", "finishUpload", what, answers), finished)
    api.add(Operation("DELETE", _ONE, "removeUpload", "Give an upload up.", {204: None}), removed)


def _register_parts(api: Api, context: AppContext, uploads: PartedUploads) -> None:
    def asked(upload_id: str) -> Response:
        return _at(_mine(uploads, upload_id).offset)

    def sent(upload_id: str) -> Response:
        upload = _mine(uploads, upload_id)
        offset = request.headers.get(_OFFSET, "")
        if not offset.isascii() or not offset.isdecimal() or len(offset) > _MOST_DIGITS:
            raise RequestError(f"A part needs the header {_OFFSET}, where it begins.", 400)
        with _sentences(), scratch_place(context.settings.data) as place:
            part = place / "part"
            write_body(part)
            return _at(uploads.append(upload, int(offset), part))

    what = "Ask how many bytes of an upload came."
    api.add(Operation("HEAD", _ONE, "askUpload", what, {200: None}), asked)
    what = f"Send the part of a file that begins at {_OFFSET}."
    takes = "application/offset+octet-stream"
    api.add(Operation("PATCH", _ONE, "sendPart", what, {204: None}, takes=takes), sent)


@contextmanager
def _sentences() -> Iterator[None]:
    """Answer what cannot go on as asked."""
    try:
        yield
    except OffsetError as error:
        raise RequestError(f"{error}.", 409) from error
    except DigestError as error:
        raise RequestError(f"{error}.", 422) from error
    except UploadNotFoundError as error:
        raise RequestError(f"{error}.", 404) from error


def _mine(uploads: PartedUploads, upload_id: str) -> Upload:
    """Return an upload of this request's user; raises RequestError (404)."""
    try:
        return uploads.get(upload_id, current_user().name)
    except UploadNotFoundError as error:
        raise RequestError(f"{error}.", 404) from error


def _at(offset: int) -> Response:
    status = 200 if request.method == "HEAD" else 204
    return Response(status=status, headers={_OFFSET: str(offset), "Cache-Control": "no-store"})


def _told(upload: Upload) -> dict[str, object]:
    return {"id": upload.upload_id, "offset": upload.offset, "size": upload.size}
