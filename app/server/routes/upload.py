"""`POST /api/upload`: files to ingest, as for `POST /api/v1/runs`.

The status is 200 for new runs as well.
"""

from __future__ import annotations

from flask import Flask, Response, request

from app.context import AppContext
from app.server.cancelled_uploads import cancellable_request
from app.server.routes.received import receive_files
from app.server.upload_queue import UploadQueue, ingest_response


def register(server: Flask, context: AppContext, taking: UploadQueue) -> None:
    """Add the route `/api/upload`, which ingests the files of a request; its response is that of
    `ingest_response`.
    """

    @server.post("/api/upload")
    def upload() -> Response:
        settings = request.args.to_dict()
        name = settings.pop("name", "")
        taking.count()
        with (
            cancellable_request(context.repository.catalogue, name) as is_cancelled,
            taking.turn(is_cancelled),
            receive_files(context.settings.data, name) as files,
        ):
            return ingest_response(taking.ingest(files, settings, is_cancelled))
