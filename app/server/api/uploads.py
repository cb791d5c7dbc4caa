"""Uploads in parts over the API: an upload survives lost connections and restarts of the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from flask import Response, jsonify, request

from app.request.errors import RequestError, request_errors
from app.request.user import current_user
from app.server.api import models
from app.server.api.operation import ROOT, ApiServer, Operation
from app.server.cancelled_uploads import RowsGone
from app.server.routes.received import free_path, scratch_place, write_body
from app.server.upload_queue import ingest_response
from schema.digits import is_whole
from services.store.uploads import (
    DigestError,
    OffsetError,
    PartedUploads,
    SettingsSizeError,
    TooManyPartsError,
    UploadNotFoundError,
)
from storage.uploads import Upload, Uploads

_ONE = "/uploads/<upload_id>"
_OFFSET = "Upload-Offset"
"""Header with the number of bytes that the server has, or at which a part begins."""


def _begin_upload(server: ApiServer, body: models.NewUpload) -> Response:
    max_bytes = server.context.settings.max_content_bytes
    if body.size > max_bytes:
        raise RequestError(
            f"The file is larger than {max_bytes // 2**20} MiB (setting max_content_mb).", 413
        )
    server.taking.count()
    with _sentences():
        upload = _uploads(server).begin(
            current_user().key, body.name, body.size, body.sha256, body.settings
        )
    response = jsonify(_upload_record(upload))
    response.status_code = 201
    response.headers["Location"] = f"{ROOT}/uploads/{upload.upload_id}"
    return response


def _remove_upload(server: ApiServer, upload_id: str) -> Response:
    uploads = _uploads(server)
    uploads.remove(_mine(uploads, upload_id))
    return Response(status=204)


BEGIN_UPLOAD = Operation(
    "POST",
    "/uploads",
    "beginUpload",
    "Start an upload in parts.",
    _begin_upload,
    {201: models.Upload},
    body=models.NewUpload,
)
REMOVE_UPLOAD = Operation(
    "DELETE",
    _ONE,
    "removeUpload",
    "Cancel an upload, also while it is read.",
    _remove_upload,
    {204: None},
)


def _ask_upload(server: ApiServer, upload_id: str) -> Response:
    return _at(_mine(_uploads(server), upload_id).offset)


def _send_part(server: ApiServer, upload_id: str) -> Response:
    uploads = _uploads(server)
    upload = _mine(uploads, upload_id)
    offset = request.headers.get(_OFFSET, "")
    if not is_whole(offset):
        raise RequestError(f"A part needs the header {_OFFSET} with its first byte.", 400)
    with _sentences(), scratch_place(server.context.settings.data) as place:
        part = place / "part"
        write_body(part)
        return _at(uploads.append(upload, int(offset), part))


ASK_UPLOAD = Operation(
    "HEAD",
    _ONE,
    "askUpload",
    "Get how many bytes of an upload were received.",
    _ask_upload,
    {200: None},
)
SEND_PART = Operation(
    "PATCH",
    _ONE,
    "sendPart",
    f"Send the part of a file that begins at {_OFFSET}.",
    _send_part,
    {204: None},
    takes="application/offset+octet-stream",
)


def _finish_upload(server: ApiServer, upload_id: str) -> Response:
    upload = _mine(_uploads(server), upload_id)
    return _finish_together(server, [upload], upload.settings, keep=False)


def _finish_uploads(server: ApiServer, body: models.FinishedUploads) -> Response:
    uploads = _uploads(server)
    named = [_mine(uploads, upload_id) for upload_id in dict.fromkeys(body.uploads)]
    return _finish_together(server, named, _common_settings(named) | body.settings, keep=body.keep)


FINISH_UPLOAD = Operation(
    "POST",
    f"{_ONE}/finish",
    "finishUpload",
    "Ingest a completed upload.",
    _finish_upload,
    {201: models.IngestedRuns, 200: models.IngestedRuns},
)
FINISH_UPLOADS = Operation(
    "POST",
    "/uploads/finish",
    "finishUploads",
    "Ingest several completed uploads; files that belong together become one run.",
    _finish_uploads,
    {201: models.IngestedRuns, 200: models.IngestedRuns},
    body=models.FinishedUploads,
)


def _finish_together(
    server: ApiServer, named: list[Upload], settings: Mapping[str, str], *, keep: bool
) -> Response:
    uploads = _uploads(server)
    taking = server.taking
    rows = Uploads(server.context.repository.catalogue)
    is_cancelled = RowsGone(rows, [upload.upload_id for upload in named])
    with (
        _sentences(),
        taking.turn(is_cancelled),
        scratch_place(server.context.settings.data) as place,
    ):
        result = taking.ingest(_gather_files(uploads, named, place), settings, is_cancelled)
    # After a storage failure the uploads stay, so that the client can finish them again.
    if result.failure is None and not keep:
        for upload in named:
            uploads.remove(upload)
    return ingest_response(result, 201)


def _uploads(server: ApiServer) -> PartedUploads:
    return PartedUploads(server.context.repository)


def _gather_files(uploads: PartedUploads, named: Sequence[Upload], place: Path) -> dict[Path, str]:
    """Write the files below the folder `place`, with the paths of their names, and map each path to
    the name of the upload.

    The paths tell loaders which files belong together.
    """
    files: dict[Path, str] = {}
    for upload in named:
        path = free_path(place, upload.name)
        uploads.gather(upload, path)
        files[path] = upload.name
    return files


def _common_settings(named: Sequence[Upload]) -> dict[str, str]:
    """Return the settings that all `named` uploads, of which there is at least 1, share; raises
    RequestError (422) if they differ.
    """
    first = dict(named[0].settings)
    if any(dict(upload.settings) != first for upload in named):
        raise RequestError(
            "Uploads that are finished together must have been started with the same settings.", 422
        )
    return first


@contextmanager
def _sentences() -> Iterator[None]:
    """Context in which errors of uploads become RequestError: 404 not found, 409 wrong offset, 413
    too large, 422 wrong hash.
    """
    with (
        request_errors(404, UploadNotFoundError),
        request_errors(422, DigestError),
        request_errors(413, SettingsSizeError, TooManyPartsError),
        request_errors(409, OffsetError),
    ):
        yield


def _mine(uploads: PartedUploads, upload_id: str) -> Upload:
    """Return an upload of the current user by its id; raises RequestError (404) if the user has no
    such upload.
    """
    with request_errors(404, UploadNotFoundError):
        user = current_user()
        return uploads.get(upload_id, user.key, user.name)  # older releases stored the user's name


def _at(offset: int) -> Response:
    status = 200 if request.method == "HEAD" else 204
    return Response(status=status, headers={_OFFSET: str(offset), "Cache-Control": "no-store"})


def _upload_record(upload: Upload) -> dict[str, object]:
    return {"id": upload.upload_id, "offset": upload.offset, "size": upload.size}
