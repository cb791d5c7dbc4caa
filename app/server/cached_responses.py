"""Cache of responses to Dash requests: equal requests for unchanged content get the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from dash import Dash
from flask import Response, request

from app.context import AppContext
from app.pages.page import ContentRequest, Page, PageContent
from app.pages.shell import read_theme
from app.request.user import current_user
from app.server.cached_response import CachedResponse, render_response, response
from app.server.response_folder import ResponseFolder, ResponseKey
from storage.byte_cache import ByteCache
from storage.errors import StorageError
from storage.read_once import reading_once

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


def cache_responses(app: Dash, context: AppContext, pages: Sequence[Page]) -> None:
    """Replace views of `app` by views that cache the responses of pages that have `content`, and of
    Dash's requests at every start.
    """
    limit = context.settings.answers_mb * 2**20
    folder = ResponseFolder.of(context.settings)
    cache = ByteCache[CachedResponse](limit, lambda response: response.cost)
    views = app.server.view_functions
    make = views[_CALLBACKS]

    def callback() -> Response:
        # A response that is cached changes nothing, so that each row may be read once for it.
        with reading_once():
            key = _key(context, pages, request.get_json())
            if key is not None:
                return response(
                    cache.get(key.digest, lambda: folder.get(key, lambda: render_response(make)))
                )
        return make()  # type: ignore[no-any-return] # Flask does not know what its views return

    views[_CALLBACKS] = callback
    views[_DEPENDENCIES] = _cache_view(cache, views[_DEPENDENCIES], lambda: _DEPENDENCIES)
    views[_LAYOUT] = _cache_view(cache, views[_LAYOUT], lambda: (_LAYOUT, current_user()))


def _cache_view(cache: ByteCache[CachedResponse], make: View, key: Callable[[], Hashable]) -> View:
    """Wrap a view: cache its response by the value of `key()`, and add an ETag that the browser
    revalidates.
    """

    def view() -> Response:
        same = response(cache.get(key(), lambda: render_response(make)))
        same.add_etag()
        same.cache_control.no_cache = True
        same.cache_control.private = True
        return same.make_conditional(request)  # type: ignore[return-value]

    return view


def _key(context: AppContext, pages: Sequence[Page], body: dict[str, Any]) -> ResponseKey | None:
    """Hash everything that determines the response to a callback: request, theme, role, and the
    stored content of the runs.

    None if the response is not cached, also if the content cannot be read. Callbacks that compute
    another view state are not cached because they are quick, and their requests hardly ever repeat.
    """
    values = {
        f"{part['id']}.{part['property']}": part.get("value")
        for part in [*body.get("inputs", []), *body.get("state", [])]
        if isinstance(part, dict) and isinstance(part["id"], str)
    }
    if any(f"{page.view}.data" in body["output"] for page in pages):
        return None
    try:
        content = _stored_content(context, pages, values, is_layout=_PAGE in body["output"])
    except (StorageError, ValueError):
        return None
    if content is None:
        return None
    parts = [
        body["output"],
        body.get("inputs"),
        body.get("state"),
        read_theme(request),
        current_user().role.label,
        content.text,
    ]
    return ResponseKey.of(hashlib.sha256(json.dumps(parts).encode()).hexdigest(), content.prefixes)


def _stored_content(
    context: AppContext, pages: Sequence[Page], values: dict[str, Any], *, is_layout: bool
) -> PageContent | None:
    """Return the stored content that a request shows, None if its page does not
    cache or no page has the request.

    `values` has the values of the request's inputs and states by `id.property`. `is_layout` is True
    if the request is for the layout of a page, False if it is for a callback of a page.
    """
    for page in pages:
        content_request = (
            _parse_layout(page, values) if is_layout else _parse_callback(page, values)
        )
        if content_request is not None:
            return page.content(context, content_request) if page.content else None
    return None


def _parse_layout(page: Page, values: dict[str, Any]) -> ContentRequest | None:
    """Return the request for the content of a page from address and query string; None if the
    address is not of this page.
    """
    run_id = page.match_path(str(values.get(_PATH) or ""))
    if run_id is None:
        return None
    search = str(values.get(_SEARCH) or "").removeprefix("?")
    return ContentRequest(run_id, search, is_layout=True)


def _parse_callback(page: Page, values: dict[str, Any]) -> ContentRequest | None:
    """Return the request for the content of a callback, from the stores of the page's data and view
    state.

    None if the callback does not have both stores.
    """
    view = values.get(f"{page.view}.data", _MISSING)
    page_data = values.get(f"{page.subject}.data", _MISSING)
    if _MISSING in (view, page_data):
        return None
    return ContentRequest(str(page_data), str(view or ""), is_layout=False)
