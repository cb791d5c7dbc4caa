"""The button that loads the samples into an empty store."""

from __future__ import annotations

import threading
from typing import Any

from dash import Dash, Input, Output, no_update

from app.config.assets import SAMPLES
from app.context import AppContext
from app.pages.landing.first_run import LOAD, LOAD_LABEL, LOADED, LOADING_LABEL
from app.pages.runs import changed
from app.request.errors import as_sentence
from app.request.user import require
from ingest.files import ingest
from ingest.work import Author
from schema.roles import Role

_BUSY = "The samples are being loaded already. They appear here when that is done."
_TURN = threading.Lock()
"""Held while a user of this process loads the samples."""


def register(app: Dash, context: AppContext) -> None:
    """Register the callback of the button; it requires the role editor."""

    @app.callback(
        Output(LOADED, "children"),
        Output("landing-changed", "data"),
        Input(LOAD, "n_clicks"),
        running=[
            (Output(LOAD, "disabled"), True, False),
            (Output(LOAD, "children"), LOADING_LABEL, LOAD_LABEL),
        ],
        prevent_initial_call=True,
    )
    def load(clicks: int | None) -> tuple[Any, Any]:
        user = require(Role.EDITOR)
        if not clicks:
            return no_update, no_update  # a button that came with the page
        # Two loads at a time would read every file twice.
        if not _TURN.acquire(blocking=False):
            return _BUSY, no_update
        try:
            return load_samples(context, user.name), changed.now()
        finally:
            _TURN.release()


def load_samples(context: AppContext, user: str) -> str:
    """Ingest the samples for a user; return the failure of the storage as a sentence, "" if they
    are stored. Samples that are stored already stay as they are.
    """
    settings = context.settings
    result = ingest(
        context.repository,
        [SAMPLES],
        {},
        author=Author(user),
        defaults=settings.loader_defaults(),
        max_content_bytes=settings.max_content_bytes,
        limits=settings.reader_limits(),
        source=context.readers,
    )
    return "" if result.failure is None else as_sentence(result.failure)
