"""`POST /api/upload?name=<file name>&<setting>=<value>`: the body is a file to take in."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore

from flask import Flask, Response, jsonify, request

from app.context import AppContext
from app.errors import RequestError
from app.security import UPLOAD_PATH
from storage.ingest import IngestAnswer, ingest

_AT_ONCE = 2
_WAIT_SECONDS = 60
_CHUNK = 2**20
_ABANDONED_SECONDS = 86_400


def register(server: Flask, context: AppContext) -> None:
    """Add the route; a bounded number of files is taken in at once, the others wait a minute."""
    turns = BoundedSemaphore(_AT_ONCE)

    @server.post(UPLOAD_PATH)
    def upload() -> Response:
        settings = request.args.to_dict()
        name = settings.pop("name", "")
        if not name:
            raise RequestError("An upload needs its file's name: ?name=trace.json", 400)
        with _received(context.settings.data) as path, _turn(turns):
            answer = _take_in(context, path, settings, name)
        return _told(answer)


def _take_in(context: AppContext, path: Path, settings: dict[str, str], name: str) -> IngestAnswer:
    return ingest(
        context.repository,
        [path],
        settings,
        display_name=name,
        defaults=context.settings.loader_defaults(),
        max_content_bytes=context.settings.max_content_bytes,
    )


def _told(answer: IngestAnswer) -> Response:
    """Return the answer as `ingest --json` has it; an error where nothing was taken."""
    if not answer.runs:
        raise RequestError(" ".join(skipped.reason for skipped in answer.skipped) or "Nothing was taken.", 422)
    return jsonify(answer.as_json())


@contextmanager
def _received(data: Path) -> Iterator[Path]:
    """Give the body as a file in the data directory; its name is ours, never the client's."""
    folder = Path(data) / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    with tempfile.NamedTemporaryFile(dir=folder, prefix="upload-") as file:
        while chunk := request.stream.read(_CHUNK):
            file.write(chunk)
        file.flush()
        if not file.tell():
            raise RequestError("The file is empty.", 422)
        yield Path(file.name)


def _sweep(folder: Path) -> None:
    """Remove what killed processes left behind."""
    for path in folder.glob("upload-*"):
        if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
            path.unlink(missing_ok=True)


@contextmanager
def _turn(turns: BoundedSemaphore) -> Iterator[None]:
    if not turns.acquire(timeout=_WAIT_SECONDS):
        raise RequestError("The server is busy with other files; try again in a minute.", 503)
    try:
        yield
    finally:
        turns.release()
