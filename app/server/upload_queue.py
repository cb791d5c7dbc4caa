"""Ingest of uploaded files: at most two at a time per process, more wait in a queue."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flask import Response, jsonify

from app.context import AppContext
from app.request.errors import RequestError, error_response, log_failure, public
from app.request.user import current_user
from app.server.request_metrics import count_ingest
from app.server.shares import Shares
from ingest.cancel import IsCancelled, never
from ingest.files import IngestResult, ingest
from ingest.work import Author
from schema.plurals import plural
from storage.audit import Audit
from storage.errors import StorageError
from storage.uploads import count_upload

_AT_ONCE = 2
"""Maximum number of ingests of a process at the same time."""
_RETRY_S = 5
"""Seconds after which a refused client may retry."""
_MAX_WAIT_S = 120.0
"""Maximum seconds that an upload waits on a thread of the queue."""
_BRIEFLY_S = 2.0
"""Maximum seconds that an upload waits on a thread that is otherwise for pages."""
_LOOK_S = 0.5
"""Seconds between two questions whether a waiting upload was cancelled."""
_PAGE_THREADS = 3
"""Threads of a process that are not for the queue; uploads wait there for `_BRIEFLY_S` only.

Two of these threads may ingest, and the third always stays free for pages.
"""


class UploadQueue:
    """Ingests uploaded files into the store of a server."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._turns = threading.BoundedSemaphore(_AT_ONCE)
        threads = context.settings.threads
        places = max(1, threads - _PAGE_THREADS)
        per_client = max(1, places - 1)
        self._line = Shares("other files", places, per_client, _RETRY_S)
        # An upload here keeps its thread while it ingests: even if the queue is full as well,
        # one thread stays free for pages.
        self._brief = threading.Semaphore(max(0, threads - max(per_client, _AT_ONCE)))

    @contextmanager
    def turn(self, is_cancelled: IsCancelled = never) -> Iterator[None]:
        """Context that holds a turn to ingest; raises RequestError: 429 if too many uploads wait or
        no turn is free in time, 409 if the upload is cancelled meanwhile.
        """
        with self._waiting() as patience_s:
            self._take_turn(patience_s, is_cancelled)
            try:
                yield
            finally:
                self._turns.release()

    def _take_turn(self, patience_s: float, is_cancelled: IsCancelled) -> None:
        until = time.monotonic() + patience_s
        while not self._turns.acquire(timeout=max(0.0, min(_LOOK_S, until - time.monotonic()))):
            if is_cancelled():
                raise RequestError("The upload was cancelled before it was read.", 409)
            if time.monotonic() >= until:
                raise self._busy()

    @contextmanager
    def _waiting(self) -> Iterator[float]:
        """Reserve a waiting thread; yield the maximum seconds that the upload may wait there: 120
        in the queue, 2 on the few threads beyond it.

        Raises RequestError (429) if no thread is free.
        """
        try:
            release = self._line.take()
            patience_s = _MAX_WAIT_S
        except RequestError:
            if not self._brief.acquire(blocking=False):
                raise
            release = self._brief.release
            patience_s = _BRIEFLY_S
        try:
            yield patience_s
        finally:
            release()

    def count(self) -> None:
        """Count an upload of the current user, if setting `uploads_per_minute` limits them.

        Raises RequestError (429) above the limit.
        """
        limit = self._context.settings.uploads_per_minute
        if not limit:
            return
        count, left_s = count_upload(self._context.repository.catalogue, current_user().key)
        if count > limit:
            raise RequestError(
                f"You may start {plural(limit, 'upload')} a minute; try again in {left_s} s.",
                429,
                left_s,
            )

    def ingest(
        self,
        files: Mapping[Path, str],
        settings: Mapping[str, str],
        is_cancelled: IsCancelled = never,
    ) -> IngestResult:
        """Ingest files for the current user and return the result; an upload that failed is
        recorded in the audit log, unless the user cancelled it.

        `files` maps each file to its path on the client, `settings` are the loader settings.
        """
        own = self._context.settings
        result = ingest(
            self._context.repository,
            list(files),
            settings,
            places=files,
            defaults=own.loader_defaults(),
            max_content_bytes=own.max_content_bytes,
            limits=own.reader_limits(),
            author=Author(current_user().name, "upload"),
            source=self._context.readers,
            is_cancelled=is_cancelled,
        )
        count_ingest("skipped", sum(not entry.along for entry in result.skipped))
        for run in result.runs:
            count_ingest(run.status)
        if result.failure is not None or not is_cancelled():
            self._record_failure(result, files)
        return result

    def _record_failure(self, result: IngestResult, files: Mapping[Path, str]) -> None:
        """Add an upload that produced no run although it had files, or met a storage failure, to
        the audit log; a failure to do so is only logged.
        """
        reasons = [entry for entry in result.skipped if not entry.along]
        if result.failure is None and (result.runs or not reasons):
            return
        reason = public(result.failure if result.failure is not None else reasons[0].reason)
        name = next(iter(files.values()), "")
        others = f" ({plural(len(files) - 1, 'more file')})" if len(files) > 1 else ""
        try:
            audit = Audit(self._context.repository.catalogue)
            audit.add(current_user().name, "upload.fail", name, f"{reason}{others}")
        except StorageError as error:
            log_failure(error)  # the catalogue itself may be what failed

    @staticmethod
    def _busy() -> RequestError:
        return RequestError(
            f"The server is busy with other files; try again in {_RETRY_S} s.", 429, _RETRY_S
        )


def ingest_response(result: IngestResult, new: int = 200) -> Response:
    """Build the HTTP response of an ingest, with the JSON of `ingest --json`.

    The status is `new` if any run is new, 200 if all runs existed, 422 with the first file's reason
    if no run was found, and 503 if the storage failed; the body lists the runs stored before that.
    """
    body: dict[str, Any] = result.as_json()
    body |= {"skipped": [entry | {"reason": public(entry["reason"])} for entry in body["skipped"]]}
    if result.failure is not None:
        log_failure(result.failure)
        return error_response(result.failure.public, 503, **body)
    if result.runs:
        response = jsonify(body)
        response.status_code = new if any(run.status == "new" for run in result.runs) else 200
        return response
    reasons = [public(skipped.reason) for skipped in result.skipped if not skipped.along]
    more = f" ({plural(len(reasons) - 1, 'more file')})" if len(reasons) > 1 else ""
    return error_response(
        f"{reasons[0]}{more}" if reasons else "Nothing was ingested.", 422, **body
    )
