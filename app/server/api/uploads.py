"""Files sent in parts: an upload outlives connections and servers, and goes on where it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from flask import Response, jsonify, request

from app.access import current_user
from app.context import AppContext
from app.errors import RequestError
from app.server.api import models
from app.server.api.operation import ROOT, Api, Operation
from app.server.routes.received import free_path, scratch_place, write_body
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
    _register_finishes(api, context, uploads, taking)


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

    def removed(upload_id: str) -> Response:
        uploads.remove(_mine(uploads, upload_id))
        return Response(status=204)

    what = "Begin to send a file in parts."
    api.add(Operation("POST", "/uploads", "beginUpload", what, {201: models.Upload}, body=models.NewUpload), begun)
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


def _register_finishes(api: Api, context: AppContext, uploads: PartedUploads, taking: Taking) -> None:
    def finished(upload_id: str) -> Response:
        upload = _mine(uploads, upload_id)
        return together([upload], upload.settings, keep=False)

    def finished_together(body: models.FinishedUploads) -> Response:
        named = [_mine(uploads, upload_id) for upload_id in dict.fromkeys(body.uploads)]
        return together(named, _common_settings(named) | body.settings, keep=body.keep)

    def together(named: list[Upload], settings: Mapping[str, str], *, keep: bool) -> Response:
        with _sentences(), taking.turn(), scratch_place(context.settings.data) as place:
            answer = taking.ingest(_gathered(uploads, named, place), settings)
        if answer.failure is None and not keep:
            for upload in named:
                uploads.remove(upload)
        return answered(answer, 201)

    answers = {201: models.IngestedRuns, 200: models.IngestedRuns}
    what = "Ingest a file that was sent to its last byte."
    api.add(Operation("POST", f"{_ONE}/finish", "finishUpload", what, answers), finished)
    what = "Ingest the files of several uploads; those that belong together become one run."
    body = models.FinishedUploads
    api.add(Operation("POST", "/uploads/finish", "finishUploads", what, answers, body=body), finished_together)


def _gathered(uploads: PartedUploads, named: Sequence[Upload], place: Path) -> dict[Path, str]:
    """Write the files below a folder, at the paths of their names, which tell what belongs together."""
    files: dict[Path, str] = {}
    for upload in named:
        path = free_path(place, upload.name)
        uploads.gather(upload, path)
        files[path] = upload.name
    return files


def _common_settings(named: Sequence[Upload]) -> dict[str, str]:
    """Return what all uploads began with; raises RequestError (422) where that is not the same."""
    first = dict(named[0].settings)
    if any(dict(upload.settings) != first for upload in named):
        raise RequestError("Uploads that are finished together begin with the same settings.", 422)
    return first


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
