"""Cache of responses to Dash requests: equal requests for unchanged content get the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from dash import Dash
from flask import Response, request

from app.context import AppContext
from app.pages.page import ContentRequest, Page
from app.pages.shell import read_theme
from app.request.user import current_user
from app.server.cached_response import CachedResponse, render_response, response
from app.server.response_folder import AnswerFolder
from storage.byte_cache import ByteCache
from storage.errors import StorageError

_CALLBACKS = "/_dash-update-component"
_LAYOUT, _DEPENDENCIES = "/_dash-layout", "/_dash-dependencies"
"""Addresses of which the response is the same for every page while the server runs.

The layout also depends on the user: the frame of the pages names the user who is signed in.
"""
_PAGE = "_pages_content.children"
_PATH = "_pages_location.pathname"
_SEARCH = "_pages_location.search"
_MISSING = object()

View = Callable[..., Response]


def keep_answers(app: Dash, context: AppContext, pages: Sequence[Page]) -> None:
    """Cache the responses of pages that have `content`, and of Dash's requests at every start."""
    limit = context.settings.answers_mb * 2**20
    folder = AnswerFolder.of(context.settings)
    cache = ByteCache[CachedResponse](limit, lambda answer: answer.cost)
    views = app.server.view_functions
    make = views[_CALLBACKS]

    def callback() -> Response:
        key = _key(context, pages, request.get_json())
        if key is None:
            return make()  # type: ignore[no-any-return] # Flask does not know what its views return
        return response(cache.get(key, lambda: folder.get(key, lambda: render_response(make))))

    views[_CALLBACKS] = callback
    views[_DEPENDENCIES] = _keep_response(cache, views[_DEPENDENCIES], lambda: _DEPENDENCIES)
    views[_LAYOUT] = _keep_response(cache, views[_LAYOUT], lambda: (_LAYOUT, current_user()))


def _keep_response(cache: ByteCache[CachedResponse], make: View, key: Callable[[], Hashable]) -> View:
    """Wrap a view: cache its response by `key`, and add an ETag that the browser revalidates."""

    def answer() -> Response:
        same = response(cache.get(key(), lambda: render_response(make)))
        same.add_etag()
        same.cache_control.no_cache = True
        same.cache_control.private = True
        return same.make_conditional(request)  # type: ignore[return-value]

    return answer


def _key(context: AppContext, pages: Sequence[Page], body: dict[str, Any]) -> str | None:
    """Hash what determines the response: request, theme, role, and the stored content of the runs.

    None if the response is not cached. Callbacks that compute another view state are not cached
    because they are quick, and their requests hardly ever repeat.
    """
    given = {
        f"{part['id']}.{part['property']}": part.get("value")
        for part in [*body.get("inputs", []), *body.get("state", [])]
        if isinstance(part, dict) and isinstance(part["id"], str)
    }
    if any(f"{page.view}.data" in body["output"] for page in pages):
        return None
    try:
        content = _content_of(context, pages, given, is_layout=_PAGE in body["output"])
    except (StorageError, ValueError):
        return None
    if content is None:
        return None
    asked = [body["output"], body.get("inputs"), body.get("state")]
    known = [*asked, read_theme(request), current_user().role.label, content]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def _content_of(context: AppContext, pages: Sequence[Page], given: dict[str, Any], *, is_layout: bool) -> str | None:
    """Return the version of the stored content that a request shows, None if no page caches it.

    `given` has the values of the request's inputs and states by `id.property`. `is_layout` is True
    if the request is for the layout of a page, False if it is for a callback of a page.
    """
    for page in pages:
        asked = _layout_of(page, given) if is_layout else _callback_of(page, given)
        if asked is not None:
            return page.content(context, asked) if page.content else None
    return None


def _layout_of(page: Page, given: dict[str, Any]) -> ContentRequest | None:
    """Parse address and query string; None if the address is not of this page."""
    run_id, search = page.match_path(str(given.get(_PATH) or "")), str(given.get(_SEARCH) or "")
    return None if run_id is None else ContentRequest(run_id, search.removeprefix("?"), is_layout=True)


def _callback_of(page: Page, given: dict[str, Any]) -> ContentRequest | None:
    """Read the page data and view state of a callback from its stores.

    None if it has other stores.
    """
    view, subject = (given.get(f"{store}.data", _MISSING) for store in (page.view, page.subject))
    if _MISSING in (view, subject):
        return None
    return ContentRequest(str(subject), str(view or ""), is_layout=False)
