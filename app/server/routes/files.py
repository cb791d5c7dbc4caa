"""The files of pages: a route for each, from which people save what its page has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flask import Flask, Response

from app.context import AppContext
from app.pages.page import Page
from app.pages.page_file import PageFile
from app.server.downloads import Downloads


def register(server: Flask, context: AppContext, downloads: Downloads, pages: Sequence[Page]) -> None:
    """Add the routes."""
    for page in pages:
        for file in page.files:
            server.add_url_rule(file.rule, file.rule, _view(context, downloads, file))


def _view(context: AppContext, downloads: Downloads, file: PageFile) -> Callable[..., Response]:
    def answer(**parts: Any) -> Response:  # noqa: ANN401 - Flask hands over parts of the path
        prepared = file.prepare(context, **parts)
        return downloads.answer(prepared.write, prepared.mimetype)

    return answer
