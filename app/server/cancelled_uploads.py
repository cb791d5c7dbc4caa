"""Cancel an upload while it is read.

An upload under way has a row in the catalogue; `DELETE /api/v1/uploads/<id>` deletes it. The server
that reads the files looks for the row, so that the request may reach any server of the store.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from flask import request

from app.request.errors import RequestError, log_failure
from app.request.user import current_user
from ingest.cancel import IsCancelled, never
from storage.catalogue import Catalogue
from storage.errors import QuotaError, StorageError
from storage.uploads import Upload, Uploads

HEADER = "Upload-Id"
"""Header by which the client names a request with files, to cancel it by this id."""
_ID = re.compile(r"[0-9a-f]{24,32}")
_LOOK_S = 0.5
"""Seconds between two looks into the catalogue."""


class RowsGone:
    """Whether a row of these uploads is gone; True is final."""

    def __init__(self, uploads: Uploads, ids: Sequence[str]) -> None:
        self._uploads = uploads
        self._ids = ids
        self._is_gone = False
        self._next_look = 0.0

    def __call__(self) -> bool:
        """Look at most every half second; a catalogue that fails does not cancel."""
        now = time.monotonic()
        if not self._is_gone and now >= self._next_look:
            self._next_look = now + _LOOK_S
            try:
                self._is_gone = any(self._uploads.get(upload_id) is None for upload_id in self._ids)
            except StorageError as error:
                log_failure(error)
        return self._is_gone


@contextmanager
def cancellable_request(catalogue: Catalogue, name: str) -> Iterator[IsCancelled]:
    """Context in which the current request with files has a row, if its header `Upload-Id` names
    it; yields whether the row is gone.

    `name` is the name of the file. Raises RequestError: 400 for an invalid id, 409 for an id in
    use. A user with too many uploads under way can send the files, but not cancel.
    """
    upload_id = request.headers.get(HEADER, "")
    if not upload_id:
        yield never
        return
    if not _ID.fullmatch(upload_id):
        raise RequestError(f"{HEADER} must have 24 to 32 hexadecimal digits.", 400)
    uploads = Uploads(catalogue)
    if uploads.get(upload_id) is not None:
        raise RequestError(f"An upload with this {HEADER} is under way.", 409)
    try:
        uploads.add(Upload(upload_id, current_user().key, name, 0, None, {}, [], 0))
    except QuotaError:
        yield never
        return
    try:
        yield RowsGone(uploads, [upload_id])
    finally:
        uploads.remove(upload_id)
