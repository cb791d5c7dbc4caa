"""`GET /trends.csv`: the points of the trends page for its view state."""

from __future__ import annotations

import re
from typing import BinaryIO

from flask import request

from app.context import AppContext
from app.pages.page_file import PageFile, PreparedFile
from app.pages.trends.comparing import attempt_comparison
from app.pages.trends.shown_trends import load_trends, load_verdicts
from app.pages.trends.state import parse
from schema.choices import MIME_TYPES
from services.run.export import write_frame
from services.trends.trend_frame import points_frame
from services.trends.trends import EVERYTHING

_UNSAFE = re.compile(r"[^A-Za-z0-9_.]+")
_MAX_NAME = 80
_COMPARES_S = 30.0
"""Seconds during which an export starts comparisons."""


def prepare_points(context: AppContext) -> PreparedFile:
    """Prepare the points of all series as a CSV file; the query is the view state of the page."""
    state = parse(request.query_string.decode("utf-8", "replace"))

    def write(stream: BinaryIO) -> str:
        trends = load_trends(context, state, _COMPARES_S, attempt_comparison, EVERYTHING)
        verdicts = (
            load_verdicts(context, state, trends.series, _COMPARES_S).verdicts
            if state.rule
            else None
        )
        write_frame(points_frame(trends, verdicts), "csv", stream)
        # The key of a named number has characters that names of files must not have.
        name = trends.metric.name if trends.metric else "none"
        return f"trend-{_UNSAFE.sub('-', name)[:_MAX_NAME]}.csv"

    return PreparedFile(MIME_TYPES["csv"], write)


EXPORTS = (PageFile("/trends.csv", prepare_points),)
