"""`GET /trends.csv`: the points of the page of trends, as its address has them."""

from __future__ import annotations

from typing import BinaryIO

from flask import Flask, Response, request

from app.context import AppContext
from app.pages.trends.state import parse
from app.server.downloads import Downloads
from schema.choices import MIME_TYPES
from services.export import write_frame
from services.trends import points_frame


def register(server: Flask, context: AppContext, downloads: Downloads) -> None:
    """Add the route; the query is the view state of the page."""

    @server.get("/trends.csv")
    def trends() -> Response:
        state = parse(request.query_string.decode("utf-8", "replace"))

        def write(stream: BinaryIO) -> str:
            found = context.trends.get(state.metric, state.filters)
            write_frame(points_frame(found), "csv", stream)
            return f"trend-{found.metric.name if found.metric else 'none'}.csv"

        return downloads.answer(write, MIME_TYPES["csv"])
