"""Routes of the files that pages offer for download."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, BinaryIO, cast

from flask import Flask, Response, request

from app.context import AppContext
from app.pages.page import Page
from app.pages.page_file import PageFile, PreparedFile
from app.server.downloads import Downloads

_LEVEL = 4
"""Compression level of gzip; the highest level takes three times as long for 10 % less."""


def register(
    server: Flask, context: AppContext, downloads: Downloads, pages: Sequence[Page]
) -> None:
    """Add a route for each file of the pages."""
    for page in pages:
        for file in page.files:
            server.add_url_rule(file.rule, file.rule, _view(context, downloads, file))


def _view(context: AppContext, downloads: Downloads, file: PageFile) -> Callable[..., Response]:
    def view(**parts: Any) -> Response:  # noqa: ANN401 - Flask hands over parts of the path
        prepared = file.prepare(context, **parts)
        if prepared.etag:
            return _read_by_page(downloads, prepared)
        return downloads.respond(prepared.write, prepared.mimetype)

    return view


def _read_by_page(downloads: Downloads, prepared: PreparedFile) -> Response:
    """Respond to a request of the page's own script with the file, compressed by gzip; with 304 if
    the browser has it already.
    """
    if request.if_none_match.contains(prepared.etag):
        response = Response(status=304)
    else:
        response = downloads.respond(partial(_write_gzip, prepared), prepared.mimetype)
        response.headers["Content-Encoding"] = "gzip"
        del response.headers["Content-Disposition"]
    response.set_etag(prepared.etag)
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _write_gzip(prepared: PreparedFile, stream: BinaryIO) -> str:
    with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=_LEVEL, mtime=0) as packed:
        return prepared.write(cast("BinaryIO", packed))
