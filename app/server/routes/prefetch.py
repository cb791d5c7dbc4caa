"""A run's analysis begins while the browser still loads the page's scripts."""

from __future__ import annotations

import logging
import threading
from urllib.parse import unquote

from flask import Flask, request

from app.context import AppContext
from app.views.registry import parse

_LOG = logging.getLogger(__name__)
_PAGE = "/run/"
_MOST_AT_ONCE = 2


def register(server: Flask, context: AppContext) -> None:
    """Start the analysis of a run whose page is requested; the cache sees to it that it is made once.

    It is a favour: beyond two at once, or requested by another site's page, it is left to the page itself.
    """
    free = threading.BoundedSemaphore(_MOST_AT_ONCE)

    @server.before_request
    def prefetch() -> None:
        foreign = request.headers.get("Sec-Fetch-Site") == "cross-site"
        if request.method == "GET" and request.path.startswith(_PAGE) and not foreign and free.acquire(blocking=False):
            query = request.query_string.decode("utf-8", "replace")
            run = unquote(request.path.removeprefix(_PAGE))
            threading.Thread(target=_load, args=(context, run, query, free), daemon=True).start()


def _load(context: AppContext, run: str, query: str, free: threading.BoundedSemaphore) -> None:
    """Fill the cache; the page itself reports errors."""
    state = parse(query)
    try:
        context.data.get(context.repository.resolve(run), state.method, state.overrides)
    except Exception:
        _LOG.debug("prefetch of run %s", run, exc_info=True)
    finally:
        free.release()
